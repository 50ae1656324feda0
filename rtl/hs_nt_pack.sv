// A message as bytes: MDO in bits 7:2, MSEO in bits 1:0 (NT 3.1).
module hs_nt_pack
  import hs_trace_pkg::*;
(
    input  message_t message,
    output packed_t  out
);
  // Groups of six bits that hold a field: at least one.
  function automatic logic [3:0] digits(input logic [65:0] v);
    digits = 4'd1;
    for (int i = 1; i < 11; i++) if (v[6*i+:6] != 0) digits = 4'(i) + 4'd1;
  endfunction

  logic [65:0] field[3];
  logic [3:0]  size[3];  // bytes; 0: the message does not have the field
  logic [65:0] least;    // the fixed-length fields are all sent, and a bit of the first one

  always_comb begin
    least = 66'd1 << message.fixed_bits;
    field[0] = 66'(message.first) << message.fixed_bits | 66'(message.fixed);
    field[1] = 66'(message.address);
    field[2] = 66'(message.hist);
    size[0] = digits(field[0] | least);
    size[1] = message.has_address ? digits(field[1]) : 4'd0;
    size[2] = message.has_hist ? digits(field[2]) : 4'd0;
  end

  always_comb begin
    out.bytes = '0;
    out.bytes[7:0] = {message.tcode, 2'b00};
    out.length = 5'd1;
    for (int f = 0; f < 3; f++)
      for (int i = 0; i < 11; i++)
        if (4'(i) < size[f]) begin
          out.bytes[8*out.length+:8] = {field[f][6*i+:6], 1'b0, 4'(i) + 4'd1 == size[f]};
          out.length = out.length + 5'd1;
        end
    out.bytes[8*(out.length-5'd1)+:8] = out.bytes[8*(out.length-5'd1)+:8] | 8'd3;
  end
endmodule
