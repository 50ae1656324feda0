// The functions of libhartscope-dpi (hartscope_dpi.h, which says what they do).
package hartscope_pkg;
  import "DPI-C" function chandle hs_dpi_open(input string protocol, input string parameters);
  import "DPI-C" function string hs_dpi_error();
  import "DPI-C" function void hs_dpi_close(input chandle model);

  // A row of the port.
  import "DPI-C" function void hs_dpi_group(input chandle model, input int slot, input int iretire,
      input int itype, input int ilastsize, input longint unsigned iaddr);
  import "DPI-C" function void hs_dpi_shared(input chandle model, input int cause,
      input longint unsigned tval, input int priv, input longint unsigned context_id);
  import "DPI-C" function int hs_dpi_set(input chandle model, input string signal, input int slot,
      input longint unsigned value);
  import "DPI-C" function int hs_dpi_clock(input chandle model, input longint unsigned cycle);
  import "DPI-C" function int hs_dpi_no_room(input chandle model, input int slots);
  import "DPI-C" function int hs_dpi_follow(input chandle model, input chandle leader);
  import "DPI-C" function int hs_dpi_followed(input chandle model);
  import "DPI-C" function string hs_dpi_fault(input chandle model);
  import "DPI-C" function int hs_dpi_end(input chandle model);

  // Messages of the model.
  import "DPI-C" function int hs_dpi_message(input chandle model);
  import "DPI-C" function int hs_dpi_message_byte(input chandle model, input int index);
  import "DPI-C" function longint unsigned hs_dpi_message_cycle(input chandle model);
  import "DPI-C" function string hs_dpi_message_text(input chandle model);

  // A design's bytes against those of the model.
  import "DPI-C" function int hs_dpi_compare(input chandle model, input bit [255:0] bits,
      input int bytes, input longint unsigned cycle);
  import "DPI-C" function int hs_dpi_compare_blocks(input chandle model);
  import "DPI-C" function int hs_dpi_compare_end(input chandle model);
  import "DPI-C" function string hs_dpi_difference(input chandle model);
  import "DPI-C" function longint unsigned hs_dpi_compared(input chandle model);

  // Coverage of a model's rows and messages.
  import "DPI-C" function int hs_dpi_cover(input chandle model);
  import "DPI-C" function int hs_dpi_cover_points(input chandle model);
  import "DPI-C" function longint unsigned hs_dpi_cover_hits(input chandle model, input int index);
  import "DPI-C" function string hs_dpi_cover_name(input chandle model, input int index);
  import "DPI-C" function int hs_dpi_cover_merge(input chandle model, input string path);

  // A decoder of a design's bytes.
  import "DPI-C" function chandle hs_dpi_decoder_open(input string protocol,
      input string parameters);
  import "DPI-C" function void hs_dpi_decoder_close(input chandle decoder);
  import "DPI-C" function int hs_dpi_decode(input chandle decoder, input bit [255:0] bits,
      input int bytes);
  import "DPI-C" function void hs_dpi_decode_end(input chandle decoder);
  import "DPI-C" function int hs_dpi_block(input chandle decoder, output int kind,
      output longint unsigned iaddr, output int iretire, output int itype);
  import "DPI-C" function string hs_dpi_decoder_error(input chandle decoder);

  // What the texts forbid in a design's bytes.
  import "DPI-C" function chandle hs_dpi_lint_open(input string protocol, input string parameters);
  import "DPI-C" function void hs_dpi_lint_close(input chandle lint);
  import "DPI-C" function int hs_dpi_lint(input chandle lint, input bit [255:0] bits, input int bytes);
  import "DPI-C" function void hs_dpi_lint_end(input chandle lint);
  import "DPI-C" function int hs_dpi_lint_next(input chandle lint);
  import "DPI-C" function string hs_dpi_lint_text(input chandle lint);

  // The result of what went well (status.h).
  localparam int HS_OK = 0;
endpackage
