// Messages that wait for the trace port.
module hs_message_fifo
  import hs_trace_pkg::*;
#(
    parameter int DEPTH = 8,  // a power of two
    parameter int BYTES = SHORT_BYTES  // that a message has at most
) (
    input  logic    clk,
    input  logic    rst_n,
    input  logic    in_valid,
    /* verilator lint_off UNUSEDSIGNAL */
    input  packed_t in,  // of which the first BYTES are kept
    /* verilator lint_on UNUSEDSIGNAL */
    output logic    in_ready,
    output logic [2:0] room,  // messages that it takes, 7: or more
    output logic    out_valid,
    output packed_t out,
    input  logic    out_ready
);
  localparam int BITS = $clog2(DEPTH);
  logic [8*BYTES+5:0] at[DEPTH];  // length, bytes
  logic [BITS:0] written, read, free;

  assign in_ready = written - read != (BITS + 1)'(DEPTH);
  assign free = (BITS + 1)'(DEPTH) - (written - read);
  assign room = 32'(free) > 7 ? 3'd7 : 3'(free);
  assign out_valid = written != read;
  assign {out.length, out.bytes[8*BYTES-1:0]} = at[read[BITS-1:0]];
  if (BYTES < MESSAGE_BYTES) begin : gen_rest
    assign out.bytes[8*MESSAGE_BYTES-1:8*BYTES] = '0;
  end

  always_ff @(posedge clk)
    if (!rst_n) begin
      written <= '0;
      read <= '0;
    end else begin
      if (in_valid && in_ready) begin
        at[written[BITS-1:0]] <= {in.length, in.bytes[8*BYTES-1:0]};
        written <= written + 1'b1;
      end
      if (out_valid && out_ready) read <= read + 1'b1;
    end
endmodule
