// An E-Trace encoder of version 2.0, with STANDARD 2.1: the instruction delta trace algorithm (ET Algorithm, figure).
//
// Of a block only the first and the last instruction matter (ET Multiple retirement
// considerations).  Each is an item, so is a trap; one item a cycle moves into `cur`, and the one
// that it replaces is decided: its packet depends on what was before it and what comes next.
// It never loses a packet: it takes a group only when there is room.  With LOSSY it takes each group
// at once, and loses a block for whose packets there is no room: then, with the next packet that
// synchronises, a support packet with trace_lost (ET Format 3 subformat 3).  With CONTEXT a new
// context synchronises.  Not there: optional modes other than full addresses.
module hs_et_encoder
  import hs_trace_pkg::*;
#(
    parameter bit FULL = 0,    // full addresses in formats 1 and 2
    parameter bit SYNC = 0,    // synchronise each 2^(SYNC_MAX+4) packets
    parameter int SYNC_MAX = 8,
    parameter bit TIME = 0,    // time and context in packets that synchronise
    parameter bit CONTEXT = 0,
    parameter bit LOSSY = 0,
    parameter bit TRCSTATE = 0,  // shared.trcstate is there
    parameter bit STANDARD = 0   // version 2.1: a wait ends nothing
) (
    input  logic       clk,
    input  logic       rst_n,
    input  logic       valid,     // of group, which is not to be inhibited
    input  group_t     group,
    /* verilator lint_off UNUSEDSIGNAL */
    input  shared_t    shared,    // without the upper bits of cause, and what is not sent
    /* verilator lint_on UNUSEDSIGNAL */
    input  logic       enable,    // trTeEnable
    output logic       ready,     // group and shared are taken
    output logic       packet_valid,
    output packet_t    packet,
    input  logic       packet_ready,
    input  logic [2:0] room,      // packets for which there is room, 7: or more; for LOSSY
    output logic       no_room    // there is not enough at the block that group begins
);
  // An instruction, or a trap at the address where it struck.
  typedef struct packed {
    logic        trap;
    logic [63:1] addr;
    logic [3:0]  itype;
    logic [2:0]  priv;
    logic [31:0] context_id;
    logic        is_new;  // the context
  } item_t;
  typedef enum logic [2:0] { NOTHING, PLAIN, DISCON, TRAPPED, REPORTED } previous_t;
  typedef enum logic [2:0] { IDLE, ENABLED, FIRST, LAST, TRAP_ITEM, END, STATUS } step_t;
  localparam int COUNT_BITS = SYNC_MAX + 6;
  localparam bit [COUNT_BITS-1:0] INTERVAL = COUNT_BITS'(1) << (SYNC_MAX + 4);

  item_t                 cur;        // what is decided next
  logic                  have;       // there is one: trace is on
  previous_t             previous;   // what the item before it was, and its privilege
  logic [2:0]            previous_priv;
  logic [63:1]           last;       // address of the last packet that has one
  logic [4:0]            branches;   // of branch_map, which are not reported yet
  logic [30:0]           branch_map;
  logic [COUNT_BITS-1:0] count;      // packets since the last synchronisation
  logic                  armed;      // synchronise at cur
  logic [5:0]            cause;      // of the last trap
  logic [63:0]           tval;
  logic                  is_interrupt;
  logic                  enabled;    // a support packet said so
  logic                  ntr;        // qual_status of the end is ended_ntr
  logic                  at_status;  // the end was reported, its support packet comes next
  logic                  owes;       // that of a wait, if the trace ends after it
  logic                  at_start;   // the next group begins a block
  logic                  tail_open;  // the block is open, and its last instruction
  logic [63:1]           tail;       //   is not cur, but here
  logic                  first_done, last_done;  // of the group
  logic [47:0]           block_time, last_time;  // of the row where the block began, of the last one
  logic [31:0]           block_context;
  logic                  begun;      // group was here in the cycle before
  logic                  lost;       // packets were, which no support packet has reported
  logic                  tight;      // no room for the block that is not at its start
  logic                  skipping;   // the rest of a block of which something was lost

  // ---- what a group means --------------------------------------------------------------------
  logic        on, is_trap, has_first, has_last, ends;
  logic        pauses;  // the hart waits: the last instruction is reported, and no end
  logic [9:0]  last_size;
  logic [63:1] last_addr, next_addr;
  step_t       step;
  item_t       next;
  logic [47:0] time_now;     // of the block
  logic [31:0] context_now;
  logic        have_next, ends_step;
  logic        is_tight;  // no room for what this block may send: three packets, and after a loss
                          //   the one that reports it

  always_comb begin
    is_trap = group.itype == EXCEPTION || group.itype == INTERRUPT;
    last_size = group.ilastsize ? 10'd2 : 10'd1;
    last_addr = group.iaddr[63:1] + 63'(group.iretire) - 63'(last_size);
    next_addr = group.iaddr[63:1] + 63'(group.iretire);
    has_first = at_start && group.iretire != 0 &&
                (group.iretire > last_size || group.itype == NO_END);
    has_last = group.iretire != 0 ? group.itype != NO_END : tail_open;
    on = valid && enable;
    ends = shared.halted || shared.in_reset || !enable ||
           (TRCSTATE && shared.trcstate != UNINHIBITED);
    pauses = STANDARD && TRCSTATE && shared.trcstate == WAITS && !shared.halted && !shared.in_reset && enable;
    is_tight = tight;
    if (on && at_start && !begun) is_tight = LOSSY && room < (lost ? 3'd4 : 3'd3);
    no_room = on && at_start && is_tight;
    time_now = on && at_start ? 48'(shared.timestamp) : block_time;
    context_now = on && at_start ? 32'(shared.context_id) : block_context;
  end

  // One thing a cycle.
  always_comb begin
    step = IDLE;
    if (at_status) step = STATUS;
    else if (on && skipping) step = IDLE;
    else if (on && !enabled) step = ENABLED;
    else if (on && has_first && !first_done) step = FIRST;
    else if (on && has_last && !last_done) step = LAST;
    else if (on && is_trap) step = TRAP_ITEM;
    else if (ends && have) step = tail_open ? LAST : END;
    else if (ends && !pauses && (lost || owes || (!enable && enabled))) step = STATUS;

    next = '0;
    next.trap = step == TRAP_ITEM;
    next.addr = group.iaddr[63:1];
    next.itype = NO_END;
    next.priv = on ? shared.priv : cur.priv;  // the hart is in debug mode now
    if (CONTEXT) next.context_id = context_now;
    next.is_new = CONTEXT && have && context_now != cur.context_id;
    if (step == LAST) begin
      next.addr = on && group.iretire != 0 ? last_addr : tail;
      if (on && group.iretire != 0 && !is_trap) next.itype = group.itype;
    end
    if (step == TRAP_ITEM && group.iretire != 0) next.addr = next_addr;
    have_next = step == FIRST || step == LAST || step == TRAP_ITEM;

    ends_step = step == IDLE || step == STATUS || step == TRAP_ITEM ||
                (step == FIRST && !has_last && !is_trap) || (step == LAST && on && !is_trap);
  end

  // ---- what is sent of cur -------------------------------------------------------------------
  logic        is_branch, is_discon, synchronises, due, reaches, changes, decides;
  logic        reports_loss;  // before what synchronises
  logic        drops;         // this packet is lost
  logic        finish;        // the last step of a group
  logic [4:0]  branches_now;
  logic [30:0] map_now;

  always_comb begin
    decides = have && (have_next || step == END);
    is_branch = !cur.trap && (cur.itype == TAKEN || cur.itype == NOT_TAKEN);
    is_discon = cur.itype == XRET || cur.itype == UNINFERABLE || cur.itype == CALL_UNINF ||
                cur.itype == TAIL_UNINF || cur.itype == SWAP || cur.itype == RETURN ||
                cur.itype == JUMP_UNINF;
    branches_now = branches + 5'(is_branch);
    map_now = branch_map | 31'(is_branch && cur.itype == NOT_TAKEN) << branches;
    synchronises = previous == NOTHING || previous == REPORTED || cur.priv != previous_priv ||
                   armed || cur.is_new;
    due = SYNC && count >= INTERVAL;
    reaches = due && (count > INTERVAL || branches_now != 0);
    changes = have_next && !next.trap && (next.priv != cur.priv || next.is_new);

    packet = '0;
    packet.branches = branches_now;
    packet.branch_map = map_now;
    packet.address = FULL ? cur.addr : cur.addr - last;
    packet.branch = !(is_branch && cur.itype == TAKEN);
    packet.priv = cur.priv;
    packet.cause = cause;
    packet.is_interrupt = is_interrupt;
    packet.thaddr = !cur.trap;
    packet.tval = tval;
    packet.timestamp = step == END ? last_time : time_now;
    packet.context_id = cur.context_id;
    packet.ienable = enable;
    packet.qual_status = lost ? TRACE_LOST : !at_status && !owes ? NO_CHANGE : ntr ? ENDED_NTR : ENDED_REP;
    packet.form = NO_PACKET;
    if (step == ENABLED || step == STATUS) begin
      packet.form = SUPPORT;
    end else if (decides && cur.trap) begin
      if (!(have_next && !next.trap && (previous == PLAIN || previous == REPORTED)))
        packet.form = TRAP;
    end else if (decides && previous == TRAPPED) begin
      packet.form = TRAP;
    end else if (decides && synchronises) begin
      packet.form = START;
    end else if (decides && previous == DISCON) begin
      packet.form = ADDRESS;
      packet.updiscon = due || changes || (have_next && next.trap);
      if (pauses && !have_next) packet.updiscon = 1;
    end else if (decides && (!have_next || next.trap ||
                             ((reaches || changes) && branches_now != 0))) begin
      packet.form = ADDRESS;
    end else if (decides && branches_now == 5'd31) begin
      packet.form = BRANCHES;
    end
    if (packet.form == START || packet.form == TRAP) packet.address = cur.addr;
    reports_loss = lost && (packet.form == START || packet.form == TRAP);
    if (reports_loss) begin
      packet.form = SUPPORT;
      packet.ienable = 1;
    end
    packet_valid = packet.form != NO_PACKET;
    finish = ends_step && !reports_loss;
    drops = is_tight && packet_valid && step != STATUS && step != END;
    if (drops) begin
      packet_valid = 0;
      finish = on;
    end
  end
  assign ready = finish && (!packet_valid || packet_ready);

  // ---- state ----------------------------------------------------------------------------------
  task automatic decide();
    previous_priv <= cur.priv;
    branches <= branches_now;
    branch_map <= map_now;
    if (!cur.trap) previous <= is_discon ? DISCON : PLAIN;
    else previous <= packet_valid ? REPORTED : TRAPPED;
    if (!cur.trap) armed <= armed || (previous == DISCON ? due : reaches);
    if (packet_valid) begin
      branches <= '0;
      branch_map <= '0;
      count <= count + 1'b1;
    end
    if (packet_valid && packet.form != BRANCHES) last <= cur.addr;
    if (packet.form == START || packet.form == TRAP) begin
      count <= '0;
      armed <= 0;
    end
  endtask

  // The block is lost: as if nothing had been traced before the next one.
  task automatic lose();
    have <= 0;
    previous <= NOTHING;
    lost <= 1;
    enabled <= 1;  // the report says so
    tail_open <= 0;
    first_done <= 0;
    last_done <= 0;
    at_start <= !on || group.itype != NO_END;
    skipping <= LOSSY && on && group.itype == NO_END;
  endtask

  task automatic feed();
    cur <= next;
    have <= 1;
    if (step == FIRST) first_done <= 1;
    if (step == LAST) last_done <= 1;
    tail_open <= 0;
    if (step == FIRST) begin
      tail_open <= finish && group.iretire > last_size;
      tail <= last_addr;
    end
    if (step == TRAP_ITEM) begin
      cause <= shared.cause[5:0];
      tval <= shared.tval;
      is_interrupt <= group.itype == INTERRUPT;
    end
  endtask

  always_ff @(posedge clk)
    if (!rst_n) begin
      cur <= '0;
      have <= 0;
      previous <= NOTHING;
      previous_priv <= '0;
      last <= '0;
      branches <= '0;
      branch_map <= '0;
      count <= '0;
      armed <= 0;
      cause <= '0;
      tval <= '0;
      is_interrupt <= 0;
      enabled <= 0;
      ntr <= 0;
      at_status <= 0;
      owes <= 0;
      at_start <= 1;
      tail_open <= 0;
      tail <= '0;
      first_done <= 0;
      last_done <= 0;
      begun <= 0;
      lost <= 0;
      tight <= 0;
      skipping <= 0;
      block_time <= '0;
      last_time <= '0;
      block_context <= '0;
    end else begin
      if (TIME && on) block_time <= time_now;
      if (TIME && on) last_time <= 48'(shared.timestamp);
      if (CONTEXT && on) block_context <= context_now;
      begun <= LOSSY && on && !ready;
      tight <= LOSSY && is_tight;
      if (drops) lose();
      else if (reports_loss) begin
        if (packet_ready) lost <= 0;
      end else if (!packet_valid || packet_ready) begin
        if (decides) decide();
        if (have_next) feed();
        if (have_next) owes <= 0;
        if (step == ENABLED) enabled <= 1;
        if (LOSSY && pauses && step == IDLE) begin  // the block that was lost does not go on
          at_start <= 1;
          skipping <= 0;
        end
        if (step == STATUS) begin
          at_status <= 0;
          owes <= 0;
          enabled <= enable;
          lost <= 0;
          if (lost) at_start <= 1;
          skipping <= 0;
        end
        if (step == END) begin
          have <= 0;
          previous <= NOTHING;
          at_status <= !pauses;
          owes <= pauses;
          ntr <= previous == DISCON && !cur.trap && !synchronises && !due && !pauses;
          at_start <= 1;
        end
        if (finish) begin
          first_done <= 0;
          last_done <= 0;
          if (on) at_start <= group.itype != NO_END;
          if (on) skipping <= LOSSY && skipping && group.itype == NO_END;
          if (on && group.itype == NO_END && !has_first && group.iretire != 0 && !skipping) begin
            tail_open <= 1;  // the open block goes on
            tail <= last_addr;
          end
        end
      end
    end
endmodule
