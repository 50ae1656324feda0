// A message as bytes: MDO in bits 7:2, MSEO in bits 1:0 (NT 3.1).
module hs_nt_pack
  import hs_trace_pkg::*;
#(
    parameter int SRC_BITS = 0,  // of SRC in each message, at most 8; 0: it has none (NT 6.1)
    parameter bit [7:0] SRC_ID = 0,
    parameter bit TIME = 0  // TSTAMP in each message (NT 8.7)
) (
    /* verilator lint_off UNUSEDSIGNAL */
    input  message_t message,  // without timestamp, unless TIME
    /* verilator lint_on UNUSEDSIGNAL */
    output packed_t  out
);
  localparam int BITS = 8 * MESSAGE_BYTES;

  // Groups of six bits that hold a field: at least one.
  function automatic logic [3:0] digits(input logic [65:0] v);
    digits = 4'd1;
    for (int i = 1; i < 11; i++) if (v[6*i+:6] != 0) digits = 4'(i) + 4'd1;
  endfunction

  // The bytes of a field; MSEO is 1 in its last one, 3 if the message ends there.
  function automatic logic [87:0] spread(input logic [65:0] v, input logic [3:0] n,
                                         input logic ends);
    spread = '0;
    for (int i = 0; i < 11; i++)
      if (4'(i) < n)
        spread[8*i+:8] = {v[6*i+:6], ends && 4'(i) + 4'd1 == n, 4'(i) + 4'd1 == n};
  endfunction

  // Fixed-length fields are all sent, and with them a bit of the first one of variable length.
  logic [65:0] first;
  logic [3:0]  fixed_bits;
  logic [3:0]  first_size, address_size, hist_size, time_size;  // bytes; 0: there is no such field
  logic [5:0]  address_at, hist_at, time_at;                    // where it begins
  logic [BITS-1:0] address, hist, timestamp;

  assign fixed_bits = 4'(message.fixed_bits) + 4'(SRC_BITS);
  assign first = (66'(message.first) << message.fixed_bits | 66'(message.fixed)) << SRC_BITS |
                 66'(SRC_ID);
  assign first_size = digits(first | 66'd1 << fixed_bits);
  assign address_size = message.has_address ? digits(66'(message.address)) : 4'd0;
  assign hist_size = message.has_hist ? digits(66'(message.hist)) : 4'd0;
  assign time_size = TIME ? digits(66'(message.timestamp)) : 4'd0;
  assign address_at = 6'd1 + 6'(first_size);
  assign hist_at = address_at + 6'(address_size);
  assign time_at = hist_at + 6'(hist_size);
  assign address = BITS'(spread(66'(message.address), address_size, !message.has_hist && !TIME));
  assign hist = BITS'(spread(66'(message.hist), hist_size, !TIME));
  assign timestamp = BITS'(spread(66'(message.timestamp), time_size, 1'b1));

  assign out.bytes = BITS'({message.tcode, 2'b00}) |
      BITS'(spread(first, first_size, !message.has_address && !message.has_hist && !TIME)) << 8 |
      address << {address_at, 3'd0} | hist << {hist_at, 3'd0} | timestamp << {time_at, 3'd0};
  assign out.length = time_at + 6'(time_size);
endmodule
