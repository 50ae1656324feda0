// An ingress source for test benches: replays the rows of `hartscope export --format port-hex`, with
// the widths that it has by default, and port.time_width, port.context_width and port.trcstate as the
// comment at the top of the file has them.  Without a time in the file that of a row counts cycles.  After the last
// one the hart is halted, and `ended` is set.
/* verilator lint_off BLKSEQ */  // state of a process, not of a circuit
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
  // Slot 0 has iretire, cause, tval, priv, context, iaddr, itype, ilastsize, time, halted or trcstate,
  // reset; the other ones have groups.
  localparam int FIRST = 181 + 64 + 64, GROUP = $bits(group_t);
  localparam int WIDTH = FIRST + (SLOTS - 1) * GROUP;

  int    file, time_bits = 0, context_bits = 0, state_bits = 1;
  string name;
  logic [63:0] clock = '0;

  initial begin
    if (!$value$plusargs("rows=%s", name)) name = "rows.hex";
    file = $fopen(name, "r");
    if (file == 0) $fatal(1, "%s cannot be read", name);
  end

  // A line of the comment: the width of a signal.
  function automatic void read_width(input string line);
    string signal;
    int bits;
    if ($sscanf(line, "// [%d] %s slot 0", bits, signal) == 2) begin
      if (signal == "time,") time_bits = bits;
      if (signal == "context,") context_bits = bits;
      if (signal == "trcstate,") state_bits = bits;
    end
  endfunction

  // The next row; false: there is none.
  function automatic bit read_row(output logic [WIDTH-1:0] row);
    string line;
    row = '0;
    while ($fgets(line, file) != 0)
      if (line[0] == "/") read_width(line);
      else if ($sscanf(line, "%h", row) == 1) return 1;
    return 0;
  endfunction

  always @(posedge clk) begin
    automatic logic [WIDTH-1:0] row = '0;
    automatic logic [FIRST-1:0] first, group;  // from slot 0's last signal on, from ilastsize on
    automatic logic [108:0] trap;              // from priv on
    automatic bit more = 1;

    if (rst_n && !stall) more = read_row(row);
    first = row[WIDTH-1-:FIRST];
    group = first >> (1 + state_bits + time_bits);
    trap = 109'(group >> (69 + context_bits));
    clock <= clock + 1;
    if (!rst_n || !stall) begin
      groups[0] <= {trap[108-:10], group[68:0]};
      for (int i = 1; i < SLOTS; i++) groups[i] <= row[(SLOTS-1-i)*GROUP+:GROUP];
      shared <= {state_bits == 2 ? first[2:1] : 2'd0,
                 time_bits == 0 ? clock : 64'(first >> (1 + state_bits)) & ~(~64'd0 << time_bits),
                 64'(group >> 69) & ~(~64'd0 << context_bits), trap[98:0],
                 (state_bits == 1 && first[1]) || !more, first[0]};
      ended <= !more;
    end
  end
endmodule
/* verilator lint_on BLKSEQ */
