// From rows of the ingress port to E-Trace packets: the encoder with what it needs around it.
module hs_et_trace
  import hs_trace_pkg::*;
#(
    parameter int SLOTS = 1,
    parameter bit FULL = 0,
    parameter bit SYNC = 0,
    parameter int SYNC_MAX = 8,
    parameter int DEPTH = 8,
    parameter bit TIME = 0,
    parameter bit CONTEXT = 0,
    parameter bit LOSSY = 0,  // DEPTH is then at least 4
    parameter bit TRCSTATE = 0,  // shared.trcstate is there
    parameter bit STANDARD = 0   // version 2.1: standard support packets; a wait ends nothing
) (
    input  logic               clk,
    input  logic               rst_n,
    input  group_t [SLOTS-1:0] groups,
    input  shared_t            shared,
    input  logic               enable,
    output logic               stall,  // the core gives the row again
    output logic [SLOTS-1:0]   no_room,  // of a row, when it is taken: blocks that begin there are lost
    output logic               out_valid,
    output packed_t            out,
    input  logic               out_ready
);
  logic valid, ready, row_ready, packet_valid, packet_ready;
  group_t group;
  packet_t packet;
  packed_t bytes;
  logic [2:0] room;
  logic without;  // room for the block that group begins
  logic seen;     // what retires is traced

  assign stall = !row_ready;
  assign seen = !TRCSTATE || (shared.trcstate != DEBUG_MODE && shared.trcstate != SECURITY);
  hs_port_serial #(.SLOTS(SLOTS)) serial (.*);
  hs_et_encoder #(
      .FULL(FULL), .SYNC(SYNC), .SYNC_MAX(SYNC_MAX), .TIME(TIME), .CONTEXT(CONTEXT), .LOSSY(LOSSY),
      .TRCSTATE(TRCSTATE), .STANDARD(STANDARD)
  ) encoder (.no_room(without), .valid(valid && seen), .*);
  hs_et_pack #(
      .FULL(FULL), .TIME(TIME), .CONTEXT(CONTEXT), .SYNC(SYNC), .STANDARD(STANDARD)
  ) pack (.packet, .out(bytes));
  hs_message_fifo #(.DEPTH(DEPTH), .BYTES(TIME || CONTEXT ? MESSAGE_BYTES : SHORT_BYTES)) fifo (
      .in_valid(packet_valid), .in(bytes), .in_ready(packet_ready), .*
  );
endmodule
