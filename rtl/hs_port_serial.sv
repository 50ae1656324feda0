// Rows with several groups, one group at a time.  A row is held until row_ready.
module hs_port_serial
  import hs_trace_pkg::*;
#(
    parameter int SLOTS = 2
) (
    input  logic               clk,
    input  logic               rst_n,
    input  group_t [SLOTS-1:0] groups,
    output logic               row_ready,
    output logic               valid,
    output group_t             group,
    input  logic               ready
);
  localparam int BITS = $clog2(SLOTS + 1);
  logic [BITS-1:0] done, current;  // slots that were taken; the next one in use
  logic            more;           // there is another one after it

  always_comb begin
    valid = 0;
    more = 0;
    current = '0;
    group = '0;
    for (int i = 0; i < SLOTS; i++)
      if (BITS'(i) >= done && (groups[i].iretire != 0 || groups[i].itype != 0)) begin
        if (valid) more = 1;
        else begin
          valid = 1;
          current = BITS'(i);
          group = groups[i];
        end
      end
  end
  assign row_ready = ready && !more;

  always_ff @(posedge clk)
    if (!rst_n || row_ready) done <= '0;
    else if (valid && ready) done <= current + BITS'(1);
endmodule
