// Messages that wait for the trace port.
module hs_message_fifo
  import hs_trace_pkg::*;
#(
    parameter int DEPTH = 8  // a power of two
) (
    input  logic    clk,
    input  logic    rst_n,
    input  logic    in_valid,
    input  packed_t in,
    output logic    in_ready,
    output logic [2:0] room,  // messages that it takes, 7: or more
    output logic    out_valid,
    output packed_t out,
    input  logic    out_ready
);
  localparam int BITS = $clog2(DEPTH);
  logic [PACKED_BITS-1:0] at[DEPTH];  // packed_t each
  logic [BITS:0] written, read, free;

  assign in_ready = written - read != (BITS + 1)'(DEPTH);
  assign free = (BITS + 1)'(DEPTH) - (written - read);
  assign room = 32'(free) > 7 ? 3'd7 : 3'(free);
  assign out_valid = written != read;
  assign out = at[read[BITS-1:0]];

  always_ff @(posedge clk)
    if (!rst_n) begin
      written <= '0;
      read <= '0;
    end else begin
      if (in_valid && in_ready) begin
        at[written[BITS-1:0]] <= in;
        written <= written + 1'b1;
      end
      if (out_valid && out_ready) read <= read + 1'b1;
    end
endmodule
