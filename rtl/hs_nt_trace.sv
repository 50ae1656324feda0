// From rows of the ingress port to N-Trace messages: the encoder with what it needs around it.
module hs_nt_trace
  import hs_trace_pkg::*;
#(
    parameter int SLOTS = 1,
    parameter bit HTM = 0,
    parameter int ICNT_BITS = 22,
    parameter int HIST_BITS = 31,
    parameter bit SYNC = 0,
    parameter int SYNC_MAX = 8,
    parameter int DEPTH = 8
) (
    input  logic               clk,
    input  logic               rst_n,
    input  group_t [SLOTS-1:0] groups,
    input  logic               halted,
    input  logic               in_reset,
    output logic               stall,  // the core gives the row again
    output logic               out_valid,
    output packed_t            out,
    input  logic               out_ready
);
  logic valid, ready, row_ready, message_valid, message_ready;
  group_t group;
  message_t message;
  packed_t bytes;

  assign stall = !row_ready;
  hs_port_serial #(.SLOTS(SLOTS)) serial (.*);
  hs_nt_encoder #(
      .HTM(HTM), .ICNT_BITS(ICNT_BITS), .HIST_BITS(HIST_BITS), .SYNC(SYNC), .SYNC_MAX(SYNC_MAX)
  ) encoder (.*);
  hs_nt_pack pack (.message, .out(bytes));
  hs_message_fifo #(.DEPTH(DEPTH)) fifo (
      .in_valid(message_valid), .in(bytes), .in_ready(message_ready), .*
  );
endmodule
