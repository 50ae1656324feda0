/* The walk through the program that decoders share.
 *
 * A decoder translates its protocol into evidence (how many half-words retired, which
 * way branches went) and flow_walk() follows the table of basic blocks as far as that
 * evidence reaches, writing canonical blocks.
 */
#ifndef HS_FLOW_WALK_H
#define HS_FLOW_WALK_H

#include <stdbool.h>

#include <hartscope/memo.h>

/* How branches without a history bit are taken, and when the walk ends. */
enum flow_mode {
	FLOW_COUNT,    /* walk `left` half-words; a branch without a bit is an error (HTM) */
	FLOW_HISTORY,  /* walk until the history is used up; left counts down from FLOW_FAR */
	FLOW_LINEAR,   /* walk `left` half-words; branches are not taken (BTM) */
	FLOW_TO_BRANCH /* FLOW_LINEAR, and the last instruction is a taken branch (BTM) */
};

/* What the stream leaves out because the program says it: bits of hs_walk.rules. */
enum flow_rules {
	FLOW_SEQUENTIAL = 1,     /* targets of sequentially inferable jumps */
	FLOW_RETURNS = 2,        /* targets of returns, from the calls on the way */
	FLOW_PAIRED_RETURNS = 8, /* not those of sequentially inferable returns
				  * (design/et-returns) */
	FLOW_ALL_JUMPS = 4 /* the other way round: direct jumps are reported like taken branches */
};

/* More half-words than any history can lead through without looping. */
#define FLOW_FAR ((uint64_t)1 << 62)

/* Why a walk ended. */
enum flow_stop {
	FLOW_ON,          /* it has not: never returned by flow_walk() */
	FLOW_DONE,        /* the evidence is used up */
	FLOW_FULL,        /* no room for the next block: call again */
	FLOW_UNINFERABLE, /* entry cur retired whole; only the trace knows what follows */
	FLOW_NOCODE,      /* walk.pc has no code */
	FLOW_SPLIT,       /* the count ends inside an instruction */
	FLOW_NOT_BRANCH,  /* FLOW_TO_BRANCH: the last instruction is no branch */
	FLOW_NO_BIT,      /* a branch retired for which history has no bit */
	FLOW_SPARE_BITS,  /* the count ended before the history was used up */
	FLOW_BAD_BIT,     /* history has a direct jump as a branch that is not taken */
	FLOW_LOOP         /* jumps lead in a circle that has no branch */
};

/* Blocks being written: next free entry, end of the array. */
struct flow_out {
	struct hs_block *p, *end;
};

/* The privilege (enum hs_priv) of blocks written from now on; at first it is unknown. */
void flow_set_priv(struct hs_walk *w, unsigned priv);

/* Start at an address, with no open block. */
void flow_start(struct hs_walk *w, struct hs_bb_table *t, uint64_t addr);

/* Follow the evidence; @e keeps what is not used up. */
enum flow_stop flow_walk(struct hs_walk *w, struct hs_bb_table *t, struct hs_evidence *e,
                         struct flow_out *out);

/* Address of the next instruction to retire. */
uint64_t flow_pc(const struct hs_walk *w);

/* Kind (enum hs_insn_kind) of the last instruction when the walk stands right after entry
 * cur or its predecessor; HS_INSN_LINEAR when it stands inside an entry. */
unsigned flow_last_kind(const struct hs_walk *w, const struct hs_bb_table *t);

/* True when a block is open: instructions retired since the last one written. */
bool flow_open(const struct hs_walk *w);

/* Write the open block, which may be empty, with @itype.  Room for one entry is needed. */
void flow_close(struct hs_walk *w, const struct hs_bb_table *t, unsigned itype,
                struct flow_out *out);

/* Standing at an uninferable jump that retired, with no evidence left: go where the program
 * says that it leads.  False when the program does not say. */
bool flow_infer(struct hs_walk *w, struct hs_bb_table *t, struct flow_out *out);

/* Write the block that ends with the uninferable jump of entry cur. */
void flow_close_jump(struct hs_walk *w, const struct hs_bb_table *t, struct flow_out *out);

/* Forget the calls on the way. */
void flow_forget(struct hs_walk *w);

/* Continue in another program, at the same address. */
void flow_switch(struct hs_walk *w, const struct hs_bb_table *from, struct hs_bb_table *to);

/* Look the entry up again after the table started afresh. */
void flow_refresh(struct hs_walk *w, struct hs_bb_table *t);

#endif
