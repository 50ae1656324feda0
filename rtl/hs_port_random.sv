// An ingress source for test benches: rows that a core could drive, by a seed, without a program.
// Jumps lead anywhere, groups are cut anywhere, traps strike between and after instructions, and the
// hart is halted and reset now and then.  After ROWS rows it is halted, and `ended` is set.
/* verilator lint_off BLKSEQ */  // state of a process, not of a circuit
module hs_port_random
  import hs_trace_pkg::*;
#(
    parameter int SLOTS = 1,
    parameter int BLOCK = 1000,  // half-words of a block, at most
    parameter bit TRCSTATE = 0   // the hart waits now and then, or is not to be seen
) (
    input  logic               clk,
    input  logic               rst_n,
    input  logic               stall,
    input  int unsigned        seed,
    input  int unsigned        rows,
    output group_t [SLOTS-1:0] groups,
    output shared_t            shared,
    output logic               ended
);
  logic [63:0] state, pc;
  int unsigned row, length, down;  // rows so far; half-words of the open block; rows to stay down
  int unsigned quiet;              // groups to come without a message
  logic [2:0] priv;
  logic [47:0] now;
  logic [31:0] hart;  // context
  bit halts, resets;
  logic [1:0] state_now;  // trcstate

  function automatic int unsigned below(input int unsigned n);
    state = state ^ state << 13;
    state = state ^ state >> 7;
    state = state ^ state << 17;
    return 32'(state >> 20) % n;
  endfunction

  // How a group ends: mostly as code does; for some time so that counters fill up.
  function automatic itype_t random_end();
    int unsigned kind;

    if (quiet != 0) return below(8) == 0 ? CALL_INF : below(2) == 0 ? NOT_TAKEN : NO_END;
    kind = below(24);
    case (kind)
      0, 1, 2, 3: return TAKEN;
      4, 5, 6: return NOT_TAKEN;
      7, 8, 9: return NO_END;
      10: return CALL_INF;
      11: return RETURN;
      12: return JUMP_INF;
      13: return below(3) == 0 ? INTERRUPT : JUMP_UNINF;
      14: return below(3) == 0 ? EXCEPTION : CALL_UNINF;
      default: return below(4) == 0 ? XRET : below(4) == 0 ? SWAP : below(2) == 0 ? TAIL_UNINF : TAIL_INF;
    endcase
  endfunction

  function automatic logic [63:0] random_target();
    int unsigned kind = below(8);

    case (kind)
      0: return {32'(below(32'hffffffff)), 32'(below(32'h7fffffff)) << 1};
      1: return 64'h8000_0000 + 64'(below(4096)) * 2;
      default: return (pc + 64'(below(1024)) * 2) ^ 64'(below(16)) * 2;
    endcase
  endfunction

  function automatic group_t random_group();
    group_t g;
    quiet = quiet != 0 ? quiet - 1 : below(300) == 0 ? 60 : 0;
    g.itype = random_end();
    g.iretire = 10'(1 + below(below(20) == 0 || quiet != 0 ? 400 : 12));
    if (length + 32'(g.iretire) > BLOCK && g.itype == NO_END) g.itype = CALL_INF;
    if (length + 32'(g.iretire) > BLOCK) g.iretire = 10'd1;
    if ((g.itype == EXCEPTION || g.itype == INTERRUPT) && below(2) == 0) g.iretire = '0;
    g.ilastsize = g.iretire > 1 && below(2) == 0;
    g.iaddr = pc;
    length = g.itype == NO_END ? length + 32'(g.iretire) : 0;
    pc = g.itype == NO_END || g.itype == NOT_TAKEN ? pc + 64'(g.iretire) * 2 : random_target();
    return g;
  endfunction

  // Traps lead to machine mode, their return mostly to another one.  A row has one privilege.
  function automatic bit changes_priv(input logic [3:0] itype);
    changes_priv = itype == EXCEPTION || itype == INTERRUPT || itype == XRET;
    if (changes_priv) priv = itype == XRET && below(4) != 0 ? 3'(below(2)) + (below(4) == 0 ? 3'd5 : 3'd0) : 3'd3;
  endfunction

  function automatic group_t [SLOTS-1:0] random_groups();
    random_groups = '0;
    for (int i = 0; i < SLOTS; i++) begin
      if (below(3) == 0) break;
      random_groups[i] = random_group();
      if (changes_priv(random_groups[i].itype)) break;
    end
  endfunction

  // What a hart does that is not to be seen; afterwards it is anywhere.
  function automatic group_t [SLOTS-1:0] hidden_groups();
    hidden_groups = random_groups();
    length = 0;
  endfunction

  // Time goes on by little, or not at all, or by much.
  function automatic void random_time();
    int unsigned kind = below(8);

    case (kind)
      0, 1: ;
      2: now = now + 48'(below(below(8) == 0 ? 32'h3fff_ffff : 1000));
      default: now = now + 48'd1;
    endcase
    if (below(60) == 0) hart = below(2) == 0 ? below(4) : below(32'hffff_ffff);
  endfunction

  always @(posedge clk) begin
    if (!rst_n) begin
      state = 64'(seed) * 2 + 64'h1234_5678_9abc_def1;
      pc = 64'h8000_0000;
      row = 0;
      length = 0;
      down = 0;
      quiet = 0;
      priv = 3'd3;
      now = '0;
      hart = '0;
      groups <= '0;
      shared <= '0;
      ended <= 0;
    end else if (!stall) begin
      row = row + 1;
      ended <= row > rows;
      groups <= '0;
      random_time();
      shared <= '{trcstate: 0, timestamp: 64'(now), context_id: 64'(hart), cause: 32'(below(64)), tval: random_target(),
                  priv: priv, halted: 0, in_reset: 0};
      if (row > rows) begin
        shared.halted <= 1;
        shared.priv <= 3'd4;
      end else if (down != 0 || below(TRCSTATE ? 50 : 500) == 0) begin
        down = down != 0 ? down - 1 : below(3);
        halts = below(TRCSTATE ? 12 : 2) == 0;
        resets = below(TRCSTATE ? 12 : 3) == 0;
        shared.halted <= halts;
        shared.in_reset <= resets;
        state_now = TRCSTATE ? 2'(below(4)) : 2'd0;
        shared.trcstate <= state_now;
        if (halts || resets || state_now != 0) length = 0;  // else the block goes on
        if (halts || resets) shared.priv <= halts ? 3'd4 : 3'd3;
        // The hart runs and is not to be seen.
        if (state_now == SECURITY && !halts && !resets) groups <= hidden_groups();
      end else groups <= random_groups();
    end
  end
endmodule
/* verilator lint_on BLKSEQ */
