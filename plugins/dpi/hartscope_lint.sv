// What the texts forbid in the messages of a design, whatever the model sends: errors fail, warnings
// and notes are printed.
module hartscope_lint
  import hartscope_pkg::*;
#(
    parameter string PROTOCOL = "ntrace",
    parameter string PARAMETERS = "",  // as for hartscope_scoreboard
    parameter int BYTES = 32           // of message, at most 32
) (
    input logic               clk,
    input logic               rst_n,
    input logic               message_valid,
    input logic [8*BYTES-1:0] message,
    input logic [5:0]         message_length
);
  chandle lint;

  initial begin
    lint = hs_dpi_lint_open(PROTOCOL, PARAMETERS);
    if (lint == null) $fatal(1, "hartscope: %s", hs_dpi_error());
  end

  task automatic report();
    int severity;
    severity = hs_dpi_lint_next(lint);
    while (severity != 0) begin
      if (severity == 3) $error("hartscope: %s", hs_dpi_lint_text(lint));
      else $display("hartscope: %s", hs_dpi_lint_text(lint));
      severity = hs_dpi_lint_next(lint);
    end
  endtask

  always @(posedge clk)
    if (rst_n && message_valid) begin
      if (hs_dpi_lint(lint, 256'(message), int'(message_length)) != HS_OK)
        $fatal(1, "hartscope: out of memory");
      report();
    end

  final begin
    hs_dpi_lint_end(lint);
    report();
    hs_dpi_lint_close(lint);
  end
endmodule
