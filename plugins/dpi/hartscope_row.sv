// A row of the ingress port in the block form, as the checkers see it: SLOTS groups a cycle.
interface hartscope_row #(
    parameter int SLOTS = 1,
    parameter bit TIMED = 0  // timestamp is a signal of the port: port.time_width in each PORT
) (
    input logic clk,
    input logic rst_n
);
  import hartscope_pkg::*;
  logic                   taken;  // the row counts in this cycle: low while an encoder stalls the hart
  logic [SLOTS-1:0][9:0]  iretire;
  logic [SLOTS-1:0][3:0]  itype;
  logic [SLOTS-1:0]       ilastsize;
  logic [SLOTS-1:0][63:0] iaddr;
  logic [31:0]            cause;
  logic [63:0]            tval;
  logic [2:0]             priv;
  logic                   halted, in_reset;
  logic [1:0]             trcstate = '0;  // with port.trcstate, in place of halted
  logic [63:0]            timestamp = '0;
  logic [63:0]            context_id = '0;  // with port.context_width

  longint unsigned cycle = 0;
  logic was_down = 0;
  logic counts;  // a row in which nothing happens says nothing

  logic is_down;
  assign is_down = halted || in_reset || trcstate != 0;
  assign counts = rst_n && taken && (|iretire || |itype || is_down || was_down);
  always @(posedge clk) begin
    cycle <= cycle + 1;
    if (counts) was_down <= is_down;
  end

  // The functions take bits, in which an x would be a 0 (design/port).
  always @(posedge clk)
    if (rst_n && taken && $isunknown({iretire, itype}))
      $error("hartscope: x in iretire or itype: whether something retired is not known");

  function automatic void check_group(input int i);
    if ((iretire[i] != 0 || itype[i] == 1) && $isunknown({iaddr[i], ilastsize[i]}))
      $error("hartscope: slot %0d: x in iaddr or ilastsize: what ran is not known", i);
  endfunction

  // Of a design that loses blocks (hartscope_scoreboard, LOSSY): those that begin in these slots.
  logic [SLOTS-1:0] no_room = '0;

  // One port checks the rows for all models of the same parameters.
  chandle shared = null;
  longint unsigned given = '1;  // cycle of the row that it has

  function automatic int drive(input chandle model);
    for (int i = 0; i < SLOTS; i++)
      if (iretire[i] != 0 || itype[i] != 0) begin
        check_group(i);
        hs_dpi_group(model, i, int'(iretire[i]), int'(itype[i]), int'(ilastsize[i]), iaddr[i]);
      end
    hs_dpi_shared(model, int'(cause), tval, int'(priv), context_id);
    if (TIMED) void'(hs_dpi_set(model, "time", 0, timestamp));
    if (halted) void'(hs_dpi_set(model, "halted", 0, 1));
    if (in_reset) void'(hs_dpi_set(model, "reset", 0, 1));
    if (trcstate != 0) void'(hs_dpi_set(model, "trcstate", 0, 64'(trcstate)));
    return hs_dpi_clock(model, cycle);
  endfunction

  // Give the row to a model; HS_OK, or hs_dpi_fault() says why not.
  function automatic int give(input chandle model);
    int result;
    if (given != cycle) begin
      given = cycle;
      void'(drive(shared));
    end
    result = hs_dpi_followed(model);
    if (result < 0) result = drive(model);
    return result;
  endfunction

  // Open a model for this port.  @lossy: it is given hs_dpi_no_room().
  function automatic chandle open(input string protocol, input string port, input string parameters,
                                  input bit lossy = 0);
    string ports;
    chandle model;
    ports = {port, $sformatf(" port.slots=%0d ", SLOTS)};
    if (shared == null) shared = hs_dpi_open("", ports);
    model = hs_dpi_open(protocol, {ports, parameters});
    if (model == null) $fatal(1, "hartscope: %s", hs_dpi_error());
    if (!lossy) void'(hs_dpi_follow(model, shared));  // or it has other parameters
    return model;
  endfunction

  final hs_dpi_close(shared);
endinterface
