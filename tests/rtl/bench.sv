// Rows of a file (+rows=FILE), or random ones (+random=ROWS +seed=N), through two encoders of each
// protocol, each next to its model.  +save=FILE +encoder=N: the bytes of one of them, a line of
// hexadecimal a message.  With TRCSTATE the port has trcstate in place of halted, and two E-Trace
// encoders are of version 2.1.
module bench #(
    parameter int SLOTS = 8,
    parameter bit COVER = 1,
    parameter bit TRCSTATE = 0
);
  import hs_trace_pkg::*;
  localparam string NTRACE = "icntBits=12 histBits=12 trTeInstSyncMode=messages";
  localparam string ETRACE = "dialect=atb strict=1";
  localparam string STANDARD = TRCSTATE ? "version=2.1 " : "";
  localparam string TIMED = " notime_p=0 time_width_p=48 nocontext_p=0 context_width_p=32 context-precise=1";
  localparam string PORT = {"port.form=block port.ilastsize_width=1 port.interrupt_iaddr=1 ",
                            "port.time_width=48 port.context_width=32 ",
                            TRCSTATE ? "port.trcstate=1" : ""};
  logic clk = 0, rst_n = 0, stall, ended, held;
  group_t [SLOTS-1:0] groups;
  shared_t shared;
  group_t [1:0][SLOTS-1:0] all_groups;
  shared_t [1:0] all_shared;
  logic [1:0] all_ended;
  int unsigned seed = 1, rows = 0;
  string name;
  int save = 0, encoder = 0;
  int cycle = 0, idle = 0;

  always #5 clk = !clk;
  initial begin
    void'($value$plusargs("random=%d", rows));
    void'($value$plusargs("seed=%d", seed));
    void'($value$plusargs("encoder=%d", encoder));
    if ($value$plusargs("save=%s", name)) save = $fopen(name, "w");
  end
  hs_port_replay #(.SLOTS(SLOTS)) replay (
      .groups(all_groups[0]), .shared(all_shared[0]), .ended(all_ended[0]), .*
  );
  hs_port_random #(.SLOTS(SLOTS), .TRCSTATE(TRCSTATE)) generated (
      .groups(all_groups[1]), .shared(all_shared[1]), .ended(all_ended[1]), .*
  );
  assign groups = all_groups[rows != 0];
  assign shared = all_shared[rows != 0];
  assign ended = all_ended[rows != 0];

  // What the checkers see: one for each design that loses blocks, since each loses other ones.
  hartscope_row #(.SLOTS(SLOTS), .TIMED(1'b1)) row[2] (.*);
  for (genvar r = 0; r < 2; r++) begin : see
    always_comb begin
      row[r].taken = !stall;
      for (int i = 0; i < SLOTS; i++)
        {row[r].iretire[i], row[r].iaddr[i], row[r].itype[i], row[r].ilastsize[i]} = groups[i];
      {row[r].timestamp, row[r].context_id} = {shared.timestamp, shared.context_id};
      {row[r].cause, row[r].tval, row[r].priv, row[r].halted, row[r].in_reset} = 101'(shared);
      if (TRCSTATE) begin  // halted is bit 0 (RHTI, Backwards compatibility)
        row[r].trcstate = shared.halted ? DEBUG_MODE : shared.trcstate;
        row[r].halted = 0;
      end
    end
  end

  // The core waits for all encoders; each sees the row once.
  localparam int ENCODERS = 6;  // the last two lose messages, for which their ports are slow
  logic [ENCODERS-1:0] stalls, done, valid;
  packed_t [ENCODERS-1:0] out;
  assign stall = |(stalls & ~done);
  always_ff @(posedge clk) done <= rst_n && stall ? done | ~stalls : '0;

  for (genvar m = 0; m < ENCODERS; m++) begin : mode
    group_t [SLOTS-1:0] own;
    localparam bit ETRACED = m == 2 || m == 3 || m == 5, LOSES = m >= 4;
    logic ready;
    logic [SLOTS-1:0] no_room, reported;
    int unsigned random;
    assign own = done[m] ? '0 : groups;
    // The trace port takes a message now and then: the FIFO fills up and the hart is stalled.
    always_ff @(posedge clk) random <= rst_n ? random * 1103515245 + 12345 : 1 + m;
    assign ready = LOSES ? random[30:27] == 0 : random[30];
    if (!ETRACED) begin : ntrace
      hs_nt_trace #(
          .SLOTS(SLOTS), .HTM(m != 0), .ICNT_BITS(12), .HIST_BITS(12), .SYNC(1'b1),
          .SYNC_MAX(m == 0 ? 0 : 2), .DEPTH(LOSES ? 8 : 2), .LOSSY(LOSES),
          .SRC_BITS(m == 4 ? 4 : 0), .SRC_ID(m == 4 ? 8'd9 : 8'd0),
          .TIME(m != 0), .CONTEXT(m != 0), .TRCSTATE(TRCSTATE)
      ) encoder (
          .clk, .rst_n, .groups(own), .shared,
          .stall(stalls[m]), .no_room, .out_valid(valid[m]), .out(out[m]), .out_ready(ready)
      );
    end else begin : etrace
      hs_et_trace #(
          .SLOTS(SLOTS), .FULL(m == 3), .SYNC(m != 3), .SYNC_MAX(0), .DEPTH(LOSES ? 8 : 2),
          .TIME(m != 2), .CONTEXT(m != 2), .LOSSY(LOSES), .TRCSTATE(TRCSTATE),
          .STANDARD(TRCSTATE && m != 2)
      ) encoder (
          .clk, .rst_n, .groups(own), .shared, .enable(!held),
          .stall(stalls[m]), .no_room, .out_valid(valid[m]), .out(out[m]), .out_ready(ready)
      );
    end
    if (LOSES) begin : lossy  // what it said when it took the row, which other ones still wait for
      always_ff @(posedge clk) if (!done[m]) reported <= no_room;
      assign row[m-4].no_room = done[m] ? reported : no_room;
    end
    hartscope_scoreboard #(
        .PROTOCOL(ETRACED ? "etrace" : "ntrace"),
        .PARAMETERS(
            m == 0 ? {"trTeInstMode=btm trTeInstSyncMax=0 ", NTRACE} :
            m == 4 ? {"trTeInstMode=htm trTeInstSyncMax=2 trTeSrcBits=4 trTeSrcID=9 trTsEnable=1 trTeContext=1 ", NTRACE} :
            m == 1 ? {"trTeInstMode=htm trTeInstSyncMax=2 trTsEnable=1 trTeContext=1 ", NTRACE} :
            m == 2 ? {"trTeInstSyncMode=packets resync-max=0 ", ETRACE} :
            m == 5 ? {STANDARD, "trTeInstSyncMode=packets resync-max=0 ", ETRACE, TIMED} :
            {STANDARD, "full-address=true trTeInstSyncMode=off ", ETRACE, TIMED}
        ),
        .PORT(PORT), .BYTES(MESSAGE_BYTES), .LOSSY(LOSES)
    ) scoreboard (
        .row(row[m == 5]), .message_valid(valid[m] && ready), .message(out[m].bytes),
        .message_length(out[m].length)
    );
    always @(posedge clk)
      if (save != 0 && m == encoder && valid[m] && ready)
        $fdisplay(save, "%0d %h", out[m].length, out[m].bytes);
  end

  hartscope_monitor #(.PORT(PORT)) monitor (.row(row[0]));
  if (COVER) begin : collect
    hartscope_coverage #(
        .PARAMETERS("trTeInstMode=htm trTeInstSyncMode=messages trTeInstSyncMax=2 icntBits=12 histBits=12"),
        .PORT(PORT)
    ) coverage (.row(row[0]));
  end

  always_ff @(posedge clk) begin
    rst_n <= cycle > 2;
    cycle <= cycle + 1;
    // The encoders are disabled, and what is still on its way comes out.
    held <= rst_n && (held || (ended && !stall));
    idle <= held && valid == 0 ? idle + 1 : 0;
    if (idle == 4) $finish;
  end
endmodule
