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
    parameter int DEPTH = 8,
    parameter int SRC_BITS = 0,
    parameter bit [7:0] SRC_ID = 0,
    parameter bit TIME = 0,
    parameter bit CONTEXT = 0,
    parameter bit LOSSY = 0,  // DEPTH is then at least 4, with CONTEXT 8
    parameter bit TRCSTATE = 0  // shared.trcstate is there
) (
    input  logic               clk,
    input  logic               rst_n,
    input  group_t [SLOTS-1:0] groups,
    input  shared_t            shared,
    output logic               stall,  // the core gives the row again
    output logic [SLOTS-1:0]   no_room,  // of a row, when it is taken: blocks that begin there are lost
    output logic               out_valid,
    output packed_t            out,
    input  logic               out_ready
);
  logic valid, ready, row_ready, message_valid, message_ready;
  group_t group;
  message_t message;
  packed_t bytes;
  logic [2:0] room;
  logic without;  // room for the block that group begins
  logic seen;     // what retires is traced

  assign stall = !row_ready;
  assign seen = !TRCSTATE || (shared.trcstate != DEBUG_MODE && shared.trcstate != SECURITY);

  hs_port_serial #(.SLOTS(SLOTS)) serial (.*);
  hs_nt_encoder #(
      .HTM(HTM), .ICNT_BITS(ICNT_BITS), .HIST_BITS(HIST_BITS), .SYNC(SYNC), .SYNC_MAX(SYNC_MAX),
      .TIME(TIME), .CONTEXT(CONTEXT), .LOSSY(LOSSY),
      .TRCSTATE(TRCSTATE)
  ) encoder (.no_room(without), .valid(valid && seen), .*);
  hs_nt_pack #(.SRC_BITS(SRC_BITS), .SRC_ID(SRC_ID), .TIME(TIME)) pack (.message, .out(bytes));
  hs_message_fifo #(.DEPTH(DEPTH), .BYTES(TIME ? MESSAGE_BYTES : SHORT_BYTES)) fifo (
      .in_valid(message_valid), .in(bytes), .in_ready(message_ready), .*
  );
endmodule
