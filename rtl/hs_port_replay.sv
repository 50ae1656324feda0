// An ingress source for test benches: replays the rows of `hartscope export --format port-hex`, with
// the widths that it has by default.  After the last one the hart is halted, and `ended` is set.
module hs_port_replay
  import hs_trace_pkg::*;
#(
    parameter int SLOTS = 1
) (
    input  logic               clk,
    input  logic               rst_n,
    input  logic               stall,
    output group_t [SLOTS-1:0] groups,
    output shared_t            shared,
    output logic               ended
);
  typedef struct packed {
    logic [9:0]  iretire;
    logic [31:0] cause;
    logic [63:0] tval;
    logic [2:0]  priv;
    logic [63:0] iaddr;
    logic [3:0]  itype;
    logic        ilastsize, halted, in_reset;
  } first_t;
  localparam int GROUP = $bits(group_t), WIDTH = $bits(first_t) + (SLOTS - 1) * GROUP;

  int    file;
  string name;

  initial begin
    if (!$value$plusargs("rows=%s", name)) name = "rows.hex";
    file = $fopen(name, "r");
    if (file == 0) $fatal(1, "%s cannot be read", name);
  end

  // The next row; false: there is none.
  function automatic bit read_row(output logic [WIDTH-1:0] row);
    string line;
    row = '0;
    while ($fgets(line, file) != 0)
      if (line[0] != "/" && $sscanf(line, "%h", row) == 1) return 1;
    return 0;
  endfunction

  always @(posedge clk) begin
    automatic logic [WIDTH-1:0] row = '0;
    automatic first_t first;
    automatic bit more = 1;

    if (rst_n && !stall) more = read_row(row);
    first = row[WIDTH-1-:$bits(first_t)];
    if (!rst_n || !stall) begin
      groups[0] <= {first.iretire, first.iaddr, first.itype, first.ilastsize};
      for (int i = 1; i < SLOTS; i++) groups[i] <= row[(SLOTS-1-i)*GROUP+:GROUP];
      shared <= {first.cause, first.tval, first.priv, first.halted || !more, first.in_reset};
      ended <= !more;
    end
  end
endmodule
