/* What the files of a range share. */
#ifndef HS_RANGE_PRIVATE_H
#define HS_RANGE_PRIVATE_H

#include <hartscope/source.h>

#include "program/block_count.h"
#include "program/ecall.h"
#include "program/select.h"
#include "support/hash.h"

#define FORMATS 8 /* of contexts (NT Table 12) */

/* A growing array of items. */
struct range_items {
	struct hs_block *at;
	size_t n, cap;
};

/* A hart. */
struct range_lane {
	uint32_t hart;
	struct hs_block contexts[FORMATS]; /* the last of each format that was not given out */
	uint8_t owed;                      /* formats whose context was not; a bit for each */
	bool given;                        /* the end of its last block was given out */
	bool began, ended;                 /* by time */
	uint64_t left_out;                 /* blocks since the last one that was given out */
	struct program_a7 a7;
	bool at_ecall; /* the last instruction was one */
	struct hs_range_found found;
};

/* What a position needs while it is looked for. */
struct range_mark {
	struct hs_position at;
	uint64_t times;  /* that it was passed */
	uint64_t unsure; /* ecalls whose number is not known */
	bool reached;
};

/* What is known of the code of a block. */
struct range_code {
	uint64_t iaddr, number, context;
	const struct hs_program *program;
	const struct hs_guest_task *task;
	uint32_t iretire;
	bool has_from, has_to; /* the position may be in it */
	bool has_wanted, has_unwanted;
	struct program_a7 a7; /* after it */
};

/* One instruction. */
struct range_insn {
	uint64_t addr;
	uint8_t bytes[HS_INSN_MAX];
	uint8_t hwords;
	bool from, to, wanted; /* an ecall: whatever its number is */
};

/* A part of a block that is given out: half-words. */
struct range_piece {
	uint32_t start, end;
	uint8_t ilast;
};

struct hs_range {
	struct hs_program *program;
	const struct hs_program_set *programs;
	struct hs_guest *guest;
	char *function;
	struct range_mark from, to;
	struct program_select select;
	struct program_counts counts;
	const struct hs_guest_task *task;
	struct support_hash code;   /* of struct range_code */
	struct support_hash labels; /* of const char *: functions that ran */
	struct range_lane *lanes;
	size_t lane_count, now;
	bool several; /* the flow names its harts */
	bool hart_given;
	uint32_t given_hart;
	uint64_t byte;
	struct hs_range_found found;
	struct {
		struct range_items pending; /* events before the next block */
		struct range_items ready;   /* to be given out */
		size_t ready_at;
		size_t access_at; /* of pending: those of a block before it were passed */
	} queue;
	struct range_piece *pieces;
	size_t piece_count, piece_cap;
	bool keeps_gaps;  /* gaps are given out, though the block after them may not be */
	bool ended;
};

/* code.c: what a block is to the range; NULL: no memory. */
const struct range_code *range_code_of(struct hs_range *r, const struct hs_block *b);
/* Describe the instruction at insn->addr.  False: its code is not known. */
bool range_describe(struct hs_range *r, uint8_t priv, struct range_insn *insn);
/* Does the range look at instructions, and not only at their numbers? */
bool range_looks(const struct hs_range *r);
/* ecall.c: is it one? */
bool range_is_ecall(const struct range_insn *insn);
/* Is it one with the number of a position, which is for ecalls? */
bool range_has_number(struct range_mark *m, const struct range_lane *l);
/* What an instruction does to a7. */
void range_follow_a7(struct program_a7 *a7, const struct range_insn *insn, unsigned xlen);
/* Is a position for ecalls? */
bool range_wants_ecalls(const struct hs_range *r);
/* blocks.c: a trap, of an ecall that did not retire. */
void range_take_trap(struct hs_range *r, const struct hs_block *b);
/* range.c: put an item to those that are given out. */
enum hs_status range_put(struct range_items *to, const struct hs_block *item);
enum hs_status range_give(struct hs_range *r, const struct hs_block *item);
/* Is the current hart between the positions? */
bool range_is_inside(const struct hs_range *r);
/* Has no block that follows a chance? */
bool range_is_over(const struct hs_range *r);
/* events.c: the events that wait are given out, or not. */
enum hs_status range_settle(struct hs_range *r, bool give);
enum hs_status range_take_event(struct hs_range *r, const struct hs_block *b);
/* What the next block needs before it. */
enum hs_status range_give_owed(struct hs_range *r);
/* blocks.c */
enum hs_status range_take_block(struct hs_range *r, const struct hs_block *b);

#endif
