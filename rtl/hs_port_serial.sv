// Rows with several groups, one group at a time.  A row is held until row_ready.
module hs_port_serial
  import hs_trace_pkg::*;
#(
    parameter int SLOTS = 2
) (
    input  logic                              clk,
    input  logic                              rst_n,
    input  logic [SLOTS*GROUP_BITS-1:0]       groups,  // group_t each
    output logic                              row_ready,
    output logic                              valid,
    output group_t                            group,
    input  logic                              ready,
    input  logic                              without,  // no room for the block that group begins
    output logic [SLOTS-1:0]                  no_room   // of the row, when it is taken
);
  localparam int BITS = $clog2(SLOTS + 1);
  logic [BITS-1:0] done;  // slots that were taken
  logic [BITS-1:0] slot;  // of group
  logic            more;  // there is another one after this one
  logic [SLOTS-1:0] earlier;  // no_room of the groups before
  group_t          other;

  always_comb begin
    valid = 0;
    more = 0;
    slot = '0;
    group = '0;
    other = '0;
    for (int i = 0; i < SLOTS; i++) begin
      other = groups[GROUP_BITS*i+:GROUP_BITS];
      if (BITS'(i) >= done && (other.iretire != 0 || other.itype != 0)) begin
        if (valid) more = 1;
        else begin
          valid = 1;
          slot = BITS'(i);
          group = other;
        end
      end
    end
  end
  assign row_ready = ready && !more;
  assign no_room = earlier | SLOTS'(without) << slot;
  always_ff @(posedge clk) earlier <= !rst_n || row_ready ? '0 : no_room;

  always_ff @(posedge clk)
    if (!rst_n || row_ready) done <= '0;
    else if (valid && ready) done <= slot + BITS'(1);
endmodule
