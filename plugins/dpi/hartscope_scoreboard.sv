// An encoder's messages against those of the model: both see the same rows of the ingress port.
// The first difference is an error, with the field, its clause, the row and its cycle.
module hartscope_scoreboard
  import hartscope_pkg::*;
#(
    parameter string PROTOCOL = "ntrace",
    parameter string PARAMETERS = "",  // of the protocol, as --set takes them (hs_dpi_open())
    parameter string PORT = "port.form=block port.ilastsize_width=1 port.interrupt_iaddr=1",
    parameter int BYTES = 32,          // of message, at most 32
    // Only what the messages decode to must be equal; PARAMETERS need the program: elf=PATH.
    parameter bit EQUIVALENT = 0,
    // The design loses a block that begins where row.no_room is set, as it says; so does the model.
    parameter bit LOSSY = 0
) (
    hartscope_row               row,
    // What the encoder sends: bytes in their order, the first one in bits 7:0.
    input logic                 message_valid,
    input logic [8*BYTES-1:0]   message,
    input logic [5:0]           message_length
);
  chandle model;

  initial begin
    model = row.open(PROTOCOL, PORT, PARAMETERS, LOSSY);
    if (EQUIVALENT) begin
      if (hs_dpi_compare_blocks(model) != HS_OK) $fatal(1, "hartscope: %s", hs_dpi_error());
    end
  end

  always @(posedge row.clk) begin
    if (row.counts) begin
      if (LOSSY) void'(hs_dpi_no_room(model, int'(row.no_room)));
      if (row.give(model) != HS_OK) $error("hartscope: %s", hs_dpi_fault(model));
    end
    if (row.rst_n && message_valid) begin  // not in one condition: Verilator calls all of its functions
      if (hs_dpi_compare(model, 256'(message), int'(message_length), row.cycle) != HS_OK)
        $error("hartscope: %s", hs_dpi_difference(model));
    end
  end

  final begin
    if (hs_dpi_end(model) != HS_OK) $error("hartscope: the model refuses the end");
    if (hs_dpi_compare_end(model) != HS_OK) $error("hartscope: %s", hs_dpi_difference(model));
    if (EQUIVALENT) $display("hartscope: %0d blocks of trace are equal", hs_dpi_compared(model));
    else $display("hartscope: %0d bytes of trace are equal", hs_dpi_compared(model));
    hs_dpi_close(model);
  end
endmodule
