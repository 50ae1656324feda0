// A packet as bytes, in the standard encapsulation without source, time and type: a byte with the
// payload's length in bytes, then the payload without the bytes that only repeat its last bit
// (EE Header; ET Packets).
module hs_et_pack
  import hs_trace_pkg::*;
#(
    parameter bit FULL = 0,  // ioptions: full addresses
    parameter bit TIME = 0,  // time and context in packets that synchronise
    parameter bit CONTEXT = 0,
    parameter bit SYNC = 0,     // of standard support packets: it synchronises by itself
    parameter bit STANDARD = 0  // standard support packets: version 2.1
) (
    /* verilator lint_off UNUSEDSIGNAL */
    input  packet_t packet,  // without timestamp and context_id, unless TIME and CONTEXT
    /* verilator lint_on UNUSEDSIGNAL */
    output packed_t out
);
  localparam int MORE = (TIME ? 48 : 0) + (CONTEXT ? 32 : 0), BITS = 144 + MORE;
  localparam logic [5:0] IOPTIONS = {FULL, 5'd0};
  // What stands after qual_status (ET Standard Support Packet format), from bit 0 on: options, of
  // which there are full addresses and no synchronisation; time_width, in units of 16 bits; sizes of
  // tables and options of data trace, which are 0.
  localparam logic [32:0] OPTIONS = {22'd0, TIME ? 3'd3 : 3'd0, 1'b0, !SYNC, FULL, 5'd0};
  logic [BITS-1:0] payload, fill;
  logic [7:0]      bits;  // of payload
  logic [65:0]     address;
  logic [BITS-1:0] rest;  // of packets that synchronise: what comes after the privilege
  logic [4:0]      map_bits, bytes;

  // An address, then notify, updiscon and irreport, each of which mostly repeats the bit before it.
  assign address = {{2{packet.address[62] ^ packet.updiscon}}, packet.address[62], packet.address};

  // Bits of a map with so many branches (ET Format 1 branch_map).
  always_comb
    if (packet.branches < 2) map_bits = 5'd1;
    else if (packet.branches < 4) map_bits = 5'd3;
    else if (packet.branches < 8) map_bits = 5'd7;
    else if (packet.branches < 16) map_bits = 5'd15;
    else map_bits = 5'd31;

  // time, context, and what the form has.
  always_comb begin
    rest = BITS'(packet.address);
    if (packet.form == TRAP)
      rest = BITS'({packet.is_interrupt ? 64'd0 : packet.tval, packet.address, packet.thaddr,
                    packet.is_interrupt, packet.cause});
    if (CONTEXT) rest = rest << 32 | BITS'(packet.context_id);
    if (TIME) rest = rest << 48 | BITS'(packet.timestamp);
  end

  always_comb begin
    payload = '0;
    bits = '0;
    case (packet.form)
      BRANCHES: begin
        payload = BITS'({packet.branch_map, 5'd0, 2'd1});
        bits = 8'd38;
      end
      ADDRESS:
        if (packet.branches == 0) begin
          payload = BITS'({address, 2'd2});
          bits = 8'd68;
        end else begin
          payload = BITS'(address) << map_bits << 7 | BITS'({packet.branch_map, packet.branches, 2'd1});
          bits = 8'd73 + 8'(map_bits);
        end
      START, TRAP: begin
        payload = rest << 8 | BITS'({packet.priv, packet.branch, 1'b0, packet.form == TRAP, 2'd3});
        bits = 8'(71 + MORE);
        if (packet.form == TRAP) bits = 8'(79 + MORE) + (packet.is_interrupt ? 8'd0 : 8'd64);
      end
      default: begin
        payload = BITS'({IOPTIONS, packet.qual_status, 1'b0, packet.ienable, 4'd15});
        bits = 8'd14;
        if (STANDARD) begin
          payload = BITS'({OPTIONS, packet.qual_status, 2'd0, packet.ienable, 4'd15});
          bits = 8'd42;
        end
      end
    endcase
  end

  // The last bit goes on; bytes that consist of it, and after which one would too, are left out.
  always_comb begin
    fill = {BITS{payload[bits-8'd1]}};
    out.bytes = '0;
    bytes = 5'd1;
    out.bytes[8+:BITS] = payload | fill << bits;
    for (int i = 0; i < BITS - 1; i++)
      if (out.bytes[8+i] != fill[0]) bytes = 5'((i + 1) / 8) + 5'd1;
    for (int i = 1; i < BITS / 8; i++) if (5'(i) >= bytes) out.bytes[8+8*i+:8] = '0;
    out.bytes[7:0] = {3'd0, bytes};
    out.length = 6'(bytes) + 6'd1;
  end
endmodule
