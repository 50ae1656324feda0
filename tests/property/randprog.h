/* Random programs over the control-flow subset of the ISA, and random walks through them.
 *
 * The walk is the model: a few lines that say which instruction comes next, written
 * without the block table and without any codec. */
#ifndef TESTS_RANDPROG_H
#define TESTS_RANDPROG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/image.h>

/* xorshift64*: a test must give the same cases everywhere. */
struct rng {
	uint64_t s;
};
struct rng rng_start(uint64_t seed);
uint64_t rng_next(struct rng *r);
uint32_t rng_below(struct rng *r, uint32_t n); /* 0..n-1; n at least 1 */
bool rng_one_in(struct rng *r, uint32_t n);

#define PROG_INSNS 400
#define PROG_BYTES (PROG_INSNS * HS_INSN_MAX)

struct program {
	uint8_t code[PROG_BYTES];
	uint8_t table[256 * 8]; /* jump vector table */
	uint64_t base, size;    /* address and bytes of code */
	uint64_t at[PROG_INSNS]; /* addresses of the instructions laid out */
	size_t count;
	bool wide; /* no compressed instructions */
	bool whole; /* no jumps into instructions */
	struct hs_section sections[2];
	struct hs_custom custom[1];
	struct hs_image image;
};

/* A new program; p->image describes it. */
void program_make(struct program *p, struct rng *r);
/* The same without compressed instructions: addresses are multiples of 4. */
void program_make_wide(struct program *p, struct rng *r);

/* Are all bits of its addresses equal from bit @field on?  0: whatever they are. */
bool program_fits(const struct program *p, unsigned field);

/* A loop that calls some functions, which call others, each or none of them: the same functions
 * again and again, from different places.  Or calls that are deeper than stacks of returns. */
void program_make_calls(struct program *p, struct rng *r);

/* Put other instructions of the same length in the place of number @i, a site of code that changes;
 * false: there are none. */
bool program_patch(struct program *p, struct rng *r, size_t i);

/* The half-word at an address, for second decoders.  False: there is none. */
static inline bool program_fetch(const void *program, uint64_t addr, uint16_t *half)
{
	const struct program *p = program;

	if (addr < p->base || addr - p->base + 2 > p->size)
		return false;
	*half = (uint16_t)(p->code[addr - p->base] | p->code[addr - p->base + 1] << 8);
	return true;
}

#define WALK_STACK 1024

/* How often what happens on a walk; 0: never. */
struct walk_odds {
	uint32_t trap_one_in;
	uint32_t stop_one_in;    /* the trace stops and starts again */
	uint32_t reset_one_in;   /* SYNC 1: the flow goes on elsewhere */
	uint32_t trigger_one_in; /* SYNC 0 or 6 */
	uint32_t context_one_in;
	uint32_t time_one_in;
	uint32_t lost_one_in;    /* HS_KIND_GAP with HS_E_LOST; the flow goes on elsewhere */
	uint32_t steady_one_in;  /* each branch goes one way, then all the other; 0: either */
	bool tidy_returns; /* every return goes where the last call came from */
	/* co-routine swaps and sequentially inferable pairs leave the stack of calls alone */
	bool plain_stack;
	bool no_custom;    /* custom instructions never jump */
	/* the trace may end or stop after a trap, or a jump whose target never retired */
	bool loose_ends;
	/* privilege modes (bits, enum hs_priv) that traps and their returns lead to; 0: unknown */
	uint8_t modes;
};

/* Odds of traps, stops (in one case of @stops_one_in), resets and triggers. */
struct walk_odds walk_odds_random(struct rng *r, uint32_t stops_one_in);

struct walk {
	const struct program *p;
	const struct walk_odds *odds;
	struct hs_block *out;
	size_t cap, n;
	struct hs_block open;
	uint64_t pc, time;
	uint8_t priv;
	struct hs_insn before; /* the instruction before, in the same block */
	uint64_t stack[WALK_STACK];
	size_t depth;
	bool turned; /* branches go the other way */
};

/* Walk about @steps instructions from a random place; canonical blocks and events go to @out.
 * @return how many. */
size_t walk_random(const struct program *p, struct rng *r, size_t steps,
                   const struct walk_odds *odds, struct hs_block *out, size_t cap);

/* Blocks of @in cut to at most @limit half-words, 0: as they are; events stay.
 * @param first  NULL, or where in @out each begins, and at [n] where the last one ends.
 * @return how many. */
size_t walk_split(const struct program *p, const struct hs_block *in, size_t n, uint32_t limit,
                  struct hs_block *out, size_t cap, size_t *first);

#endif
