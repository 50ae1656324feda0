// Checks that a core keeps the rules of the ingress port: an assertion fails where it does not, with
// the clause, the signal and the cycle.
module hartscope_monitor
  import hartscope_pkg::*;
#(
    parameter string PORT = "port.form=block port.ilastsize_width=1 port.interrupt_iaddr=1"
) (
    hartscope_row row
);
  chandle port;

  initial port = row.open("", PORT, "");

  always @(posedge row.clk)
    if (row.counts)
      legal_row: assert (row.give(port) == HS_OK) else $error("hartscope: %s", hs_dpi_fault(port));

  final hs_dpi_close(port);
endmodule
