// An N-Trace encoder (NT 10): branch trace messages, or with HTM history messages.
//
// One group a cycle, or two where it sends more than one message.  What a group cannot send before
// the next address is known waits in `pending`.  It never loses a message: it takes a group only
// when there is room.  With LOSSY it takes each group at once, and loses a block for whose messages
// there is no room: then Error, and a synchronisation with SYNC 7, when there is (NT 7.4, 8.5).
// Not there: the optimisations of NT 9.
module hs_nt_encoder
  import hs_trace_pkg::*;
#(
    parameter bit HTM = 0,
    parameter int ICNT_BITS = 22,  // its top bit is the overflow flag (NT Table 10), 12 to 22
    parameter int HIST_BITS = 31,  // branches that HIST holds, 1 to 31
    parameter bit SYNC = 0,        // synchronise each 2^(SYNC_MAX+4) messages
    parameter int SYNC_MAX = 8,
    parameter bit TIME = 0,        // TSTAMP: absolute where it synchronises, else relative (NT 8.7)
    parameter bit CONTEXT = 0,     // Ownership: scontext and the mode (NT 7.1)
    parameter bit LOSSY = 0,
    parameter bit TRCSTATE = 0     // shared.trcstate is there: EVCODE 1 and SYNC 9 around a wait
) (
    input  logic     clk,
    input  logic     rst_n,
    input  logic     valid,     // of group, which is not to be inhibited
    /* verilator lint_off UNUSEDSIGNAL */
    input  group_t   group,     // without ilastsize: I-CNT counts half-words
    input  shared_t  shared,    // halted: the hart is in debug mode; in_reset; what TIME, CONTEXT send
    /* verilator lint_on UNUSEDSIGNAL */
    output logic     ready,     // group and shared are taken
    output logic     message_valid,
    output message_t message,
    input  logic     message_ready,
    input  logic     [2:0] room,  // messages for which there is room, 7: or more; for LOSSY
    output logic     no_room      // there is not enough at the block that group begins
);
  typedef enum logic [1:0] { AT_ADDRESS, AT_OWNER, AT_END, AT_FULL } phase_t;
  typedef enum logic [1:0] { NOTHING, INDIRECT, DIRECT_SYNC } pending_t;
  localparam int COUNT_BITS = SYNC_MAX + 5;

  phase_t                phase;
  pending_t              pending;     // what the next address completes
  logic                  running;     // trace is on
  logic                  at_start;    // the next group begins a block
  logic                  sync_due;
  logic [1:0]            down;        // the hart was halted, 2: in reset
  logic [1:0]            pause;       // it waited, 2: was not to be seen
  logic                  paused;      // that was reported, and nothing retired since
  sync_t                 start_sync;  // SYNC of the next start
  logic [1:0]            btype;
  logic [63:1]           last;        // address that the next one is compared with (NT 8.1)
  logic [ICNT_BITS-1:0]  icnt;
  logic [31:0]           hist;        // with its stop bit
  logic [4:0]            hist_n;
  logic [COUNT_BITS-1:0] count;       // messages since the last synchronisation
  logic                  lost;        // messages were, which Error has not made good, or
  logic                  error_sent;  //   it has: what is missing is the synchronisation
  logic                  tight;       // no room for the block that is not at its start
  logic [47:0]           block_time, last_time;  // of the row where the block began, of the last one
  logic [47:0]           sent_time, lost_time;   // of the last message; of the first block lost

  logic [2:0]            mode;        // of the block that is not at its start, as Ownership has it
  logic [31:0]           context_id;  // of the last row
  logic                  is_new;      // it is, since that block began
  logic                  after_sync;  // Ownership is due because of it

  // ---- what a group means --------------------------------------------------------------------
  logic is_down, is_branch, is_indirect, is_trap;
  logic debug, secured, waits;
  assign debug = shared.halted || (TRCSTATE && shared.trcstate == DEBUG_MODE);
  assign secured = TRCSTATE && !shared.halted && shared.trcstate == SECURITY;
  assign waits = TRCSTATE && !shared.halted && shared.trcstate == WAITS;
  assign is_down = debug | shared.in_reset | secured | waits;
  assign is_branch = group.itype == TAKEN || group.itype == NOT_TAKEN;
  assign is_trap = group.itype == EXCEPTION || group.itype == INTERRUPT;
  assign is_indirect = is_trap || group.itype == XRET || group.itype == UNINFERABLE ||
                       group.itype == CALL_UNINF || group.itype == TAIL_UNINF ||
                       group.itype == SWAP || group.itype == RETURN || group.itype == JUMP_UNINF;

  logic                 head, tail;  // there is a message at the address; at the end
  logic                 stops;       // the trace ends
  logic                 stops_again; // after a pause, for another reason
  logic                 owes;        // and a message comes before its last one
  logic                 full;        // I-CNT has overflowed
  logic                 finish;      // the last phase of a group
  logic [ICNT_BITS-1:0] icnt_end;    // at the end of the group
  sync_t                sync;        // SYNC at this address
  logic                 is_tight;    // no room for what this block may send
  logic                 skips;       // the rest of a block of which something was lost
  logic                 drops;       // this message is lost

  // Ownership: at a block for a new context or mode, after each synchronisation, and at a stop.
  logic [2:0] mode_now;
  logic       new_context, owns, owns_at_stop;
  always_comb begin
    case (shared.priv)
      3'd0, 3'd1, 3'd3: mode_now = shared.priv;
      3'd5, 3'd6: mode_now = shared.priv - 3'd1;  // VU, VS (NT Table 12)
      default: mode_now = mode;
    endcase
    new_context = running && (is_new || 32'(shared.context_id) != context_id);
    owns = CONTEXT && valid && at_start && (phase == AT_OWNER ||
           (phase == AT_ADDRESS && !head && (new_context || mode_now != mode)));
    owns_at_stop = CONTEXT && running && is_new && pending == NOTHING && !sync_due && !owes;
  end

  always_comb begin
    sync = SYNC_PERIODIC;
    if (lost) sync = SYNC_OVERRUN;
    else if (!running) sync = down[1] ? SYNC_RESET : down[0] ? SYNC_DEBUG :
                              pause[1] ? SYNC_ENABLE : pause[0] ? SYNC_POWER_UP : start_sync;
    head = valid && at_start && (!running || sync_due || pending != NOTHING);
    icnt_end = icnt + ICNT_BITS'(group.iretire);
    if (HTM) tail = valid && is_branch && hist_n == 5'(HIST_BITS);
    else tail = valid && group.itype == TAKEN && !sync_due;
    stops_again = TRCSTATE && paused && down == 0 &&
                  (pause[1] ? debug && !shared.in_reset : secured || debug || shared.in_reset);
    stops = is_down && (running || (lost && !error_sent) || stops_again);
    is_tight = tight;
    if (phase == AT_ADDRESS && at_start) is_tight = LOSSY && room < (lost && !error_sent ? 3'd4 : 3'd3) + 3'(CONTEXT);
    no_room = valid && phase == AT_ADDRESS && at_start && is_tight;
    skips = lost && !running && !at_start;
    owes = pending == DIRECT_SYNC || (pending == NOTHING && icnt[ICNT_BITS-1]);
    full = icnt_end[ICNT_BITS-1] && !is_indirect && (HTM || group.itype != TAKEN) &&
           (group.itype != NO_END || &icnt_end[ICNT_BITS-1:10]);  // at the end, or it would wrap
  end

  // ---- messages --------------------------------------------------------------------------------
  message_t at_address, at_end, at_full, at_stop, error, owner;

  always_comb begin
    at_address = '0;
    at_address.tcode = PROG_TRACE_SYNC;
    at_address.first = 37'(icnt);
    at_address.has_address = 1;
    at_address.address = group.iaddr[63:1];
    at_address.fixed_bits = 3'd4;
    at_address.fixed = {2'd0, sync};
    if (running && pending == DIRECT_SYNC) begin
      at_address.tcode = DIRECT_BRANCH_SYNC;
    end else if (running && sync_due && (HTM || pending == INDIRECT)) begin
      at_address.tcode = HTM ? INDIRECT_BRANCH_HIST_SYNC : INDIRECT_BRANCH_SYNC;
      at_address.fixed_bits = 3'd6;
      at_address.fixed = {pending == INDIRECT ? btype : 2'd0, sync};
      at_address.has_hist = HTM;
    end else if (running && !sync_due && pending == INDIRECT) begin
      at_address.tcode = HTM && hist_n != 0 ? INDIRECT_BRANCH_HIST : INDIRECT_BRANCH;
      at_address.fixed_bits = 3'd2;
      at_address.fixed = {4'd0, btype};
      at_address.address = group.iaddr[63:1] ^ last;
      at_address.has_hist = HTM && hist_n != 0;
    end
    at_address.hist = hist;
  end

  always_comb begin
    at_end = '0;
    at_end.tcode = DIRECT_BRANCH;
    at_end.first = 37'(icnt_end);
    if (HTM) begin
      at_end.tcode = RESOURCE_FULL;
      at_end.first = 37'(hist);
      at_end.fixed_bits = 3'd4;
      at_end.fixed = 6'd1;
    end
    at_full = '0;
    at_full.tcode = RESOURCE_FULL;
    at_full.first = 37'(icnt);
    at_full.fixed_bits = 3'd4;
    error = '0;  // ETYPE 0: messages were lost; ECODE: those of program trace
    error.tcode = ERROR;
    error.fixed_bits = 3'd4;
    error.first = CONTEXT ? 37'd12 : 37'd4;
    owner = '0;  // PROCESS: FORMAT 2 has scontext, 0 the mode only
    owner.tcode = OWNERSHIP;
    owner.first = {32'd0, mode_now, 2'd0};
    if (!valid) owner.first = {context_id, mode, 2'd2};
    else if (after_sync || new_context) owner.first = {32'(shared.context_id), mode_now, 2'd2};
    at_stop = at_full;
    if (lost) begin
      at_stop = error;
    end else if (owns_at_stop) begin
      at_stop = owner;
    end else if (owes && pending == DIRECT_SYNC) begin
      at_stop.tcode = DIRECT_BRANCH;
      at_stop.fixed_bits = '0;
    end else if (!owes) begin
      at_stop.tcode = PROG_TRACE_CORRELATION;
      at_stop.fixed_bits = 3'd6;
      at_stop.fixed = {1'b0, HTM, shared.in_reset ? EVCODE_DISABLED : waits ? EVCODE_LOW_POWER :
                        secured ? EVCODE_DISABLED : EVCODE_DEBUG};
      at_stop.has_hist = HTM;
      at_stop.hist = hist;
    end
  end

  message_t chosen;
  always_comb begin
    chosen = at_stop;
    message_valid = stops;
    finish = !(stops && (owes || owns_at_stop));
    if (valid && phase == AT_FULL) begin
      chosen = at_full;
      message_valid = 1;
    end else if (valid && skips) begin
      finish = 1;
    end else if (valid && phase == AT_ADDRESS && head) begin
      chosen = lost && !error_sent ? error : at_address;
      message_valid = 1;
      finish = 0;
    end else if (owns) begin
      chosen = owner;
      message_valid = 1;
      finish = 0;
    end else if (valid) begin
      chosen = at_end;
      message_valid = tail;
      finish = !full;
    end
    // What an open block owes when the hart stops is a part of it.
    drops = LOSSY && is_tight && message_valid && (valid || (owes && !at_start));
    if (drops) begin
      message_valid = 0;
      finish = valid;
    end
  end
  assign ready = finish && (!message_valid || message_ready);

  logic sent, synchronises;
  assign sent = message_valid && message_ready;
  assign synchronises = chosen.tcode == PROG_TRACE_SYNC || chosen.tcode == DIRECT_BRANCH_SYNC ||
                        chosen.tcode == INDIRECT_BRANCH_SYNC ||
                        chosen.tcode == INDIRECT_BRANCH_HIST_SYNC;

  // When what is sent happened (NT 8.7): what waited for the address in the block before.
  logic [47:0] time_now, event_time;
  always_comb begin
    time_now = valid && at_start && phase != AT_FULL ? 48'(shared.timestamp) : block_time;
    event_time = time_now;
    if (valid && phase == AT_ADDRESS && head && pending != NOTHING) event_time = block_time;
    if (!valid && !owes) event_time = last_time;
    if (owns && after_sync) event_time = sent_time;
    if (chosen.tcode == ERROR) event_time = lost_time;
    message = chosen;
    if (TIME) message.timestamp = synchronises ? event_time : event_time - sent_time;
  end

  // ---- state ------------------------------------------------------------------------------------
  task automatic end_group();
    icnt <= tail && !HTM ? '0 : icnt_end;
    if (HTM && is_branch) begin
      hist <= {tail ? 31'd1 : hist[30:0], group.itype == TAKEN};
      hist_n <= tail ? 5'd1 : hist_n + 5'd1;
    end
    if (is_indirect) begin
      pending <= INDIRECT;
      btype <= group.itype == EXCEPTION ? 2'd2 : group.itype == INTERRUPT ? 2'd3 : 2'd0;
    end
    if (!HTM && group.itype == TAKEN && sync_due) pending <= DIRECT_SYNC;
    at_start <= group.itype != NO_END;
    if (TIME) block_time <= time_now;
    if (at_start) mode <= mode_now;
    is_new <= !at_start && (is_new || 32'(shared.context_id) != context_id);
    context_id <= 32'(shared.context_id);
    after_sync <= 0;
    phase <= full ? AT_FULL : AT_ADDRESS;
  endtask

  task automatic at_new_address();
    if (chosen.has_address) last <= group.iaddr[63:1];
    if (chosen.has_hist) begin
      hist <= 32'd1;
      hist_n <= '0;
    end
    icnt <= '0;
    running <= 1;
    paused <= 0;
    lost <= 0;
    pending <= NOTHING;
    after_sync <= synchronises;
    phase <= CONTEXT && (synchronises || new_context || mode_now != mode) ? AT_OWNER : AT_END;
  endtask

  task automatic lose();
    icnt <= '0;
    hist <= 32'd1;
    hist_n <= '0;
    pending <= NOTHING;
    running <= 0;
    lost <= 1;
    if (!lost) error_sent <= 0;
    if (!lost && TIME) lost_time <= time_now;
    if (phase != AT_FULL) at_start <= !valid || group.itype != NO_END;
    phase <= AT_ADDRESS;
  endtask

  task automatic stop();
    error_sent <= lost;
    pending <= NOTHING;
    at_start <= 1;
    if (owns_at_stop) is_new <= 0;
    else icnt <= '0;
    if (finish) begin
      hist <= 32'd1;
      hist_n <= '0;
      running <= 0;
      start_sync <= SYNC_ENABLE;
      paused <= !lost && !debug && !shared.in_reset;
    end
  endtask

  always_ff @(posedge clk)
    if (!rst_n) begin
      phase <= AT_ADDRESS;
      pending <= NOTHING;
      running <= 0;
      at_start <= 1;
      sync_due <= 0;
      down <= '0;
      pause <= '0;
      paused <= 0;
      start_sync <= SYNC_ENABLE;
      btype <= '0;
      last <= '0;
      icnt <= '0;
      hist <= 32'd1;
      hist_n <= '0;
      count <= '0;
      lost <= 0;
      error_sent <= 0;
      tight <= 0;
      block_time <= '0;
      last_time <= '0;
      sent_time <= '0;
      lost_time <= '0;
      mode <= '0;
      context_id <= '0;
      is_new <= 0;
      after_sync <= 0;
    end else begin
      if (TIME && sent) sent_time <= event_time;
      if (TIME && valid) last_time <= 48'(shared.timestamp);
      tight <= LOSSY && is_tight;
      if (ready && is_down) at_start <= 1;
      if (ready) begin
        down <= is_down ? down | {shared.in_reset, debug} : 2'd0;
        pause <= TRCSTATE && is_down ? pause | {secured, waits} : 2'd0;
        if (!is_down && down != 0) start_sync <= down[1] ? SYNC_RESET : SYNC_DEBUG;
        else if (TRCSTATE && !is_down && pause != 0) start_sync <= pause[1] ? SYNC_ENABLE : SYNC_POWER_UP;
        if (!is_down && pause[1]) paused <= 0;
      end
      if (!message_valid || message_ready) begin
        if (drops) lose();
        else if (valid && skips) at_start <= group.itype != NO_END;
        else if (valid && phase == AT_FULL) begin
          icnt <= '0;
          phase <= AT_ADDRESS;
        end else if (valid && phase == AT_ADDRESS && head && chosen.tcode == ERROR) error_sent <= 1;
        else if (valid && phase == AT_ADDRESS && head) at_new_address();
        else if (owns) phase <= AT_END;
        else if (valid) end_group();
        else if (stops) stop();
      end
      if (sent) begin
        count <= synchronises ? '0 : count + COUNT_BITS'(1);
        if (synchronises) sync_due <= 0;
        else if (SYNC && count + COUNT_BITS'(1) >= COUNT_BITS'(1 << (SYNC_MAX + 4))) sync_due <= 1;
      end
    end
endmodule
