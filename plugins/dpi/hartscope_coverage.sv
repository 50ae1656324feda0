// Which corners of the texts a run reaches: how groups end, traps right after traps, each message,
// reasons of synchronisation, fields at their limits.  The points are those of rows and of the
// model's messages; +coverage=FILE adds them to a file, over many runs, which `hartscope stat
// --coverage` reads and adds up with traces.
module hartscope_coverage
  import hartscope_pkg::*;
#(
    parameter string PROTOCOL = "ntrace",
    parameter string PARAMETERS = "",  // as for hartscope_scoreboard
    parameter string PORT = "port.form=block port.ilastsize_width=1 port.interrupt_iaddr=1"
) (
    hartscope_row row
);
  chandle model;
  string path;

  initial begin
    model = row.open(PROTOCOL, PORT, PARAMETERS);
    if (hs_dpi_cover(model) != HS_OK) $fatal(1, "hartscope: out of memory");
  end

  // An illegal row covers nothing: hartscope_monitor is for these.
  always @(posedge row.clk) if (row.counts) void'(row.give(model));

  final begin
    int covered, points;
    void'(hs_dpi_end(model));
    points = hs_dpi_cover_points(model);
    for (int i = 0; i < points; i++) if (hs_dpi_cover_hits(model, i) != 0) covered++;
    $display("hartscope: %0d of %0d points are covered", covered, points);
    if ($value$plusargs("coverage=%s", path)) begin
      if (hs_dpi_cover_merge(model, path) != HS_OK)
        $error("hartscope: %s", hs_dpi_error());
    end
    hs_dpi_close(model);
  end
endmodule
