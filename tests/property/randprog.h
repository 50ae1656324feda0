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
	struct hs_section sections[2];
	struct hs_image image;
};

/* A new program; p->image describes it. */
void program_make(struct program *p, struct rng *r);

struct walk {
	const struct program *p;
	struct hs_block *out;
	size_t cap, n;
	struct hs_block open;
	uint64_t pc;
	uint32_t trap_one_in; /* 0: no traps */
	uint32_t stop_one_in; /* 0: trace never stops on the way */
};

/* Walk about @steps instructions from a random place; canonical blocks and HS_KIND_STOP
 * events go to @out.  @return how many. */
size_t walk_random(const struct program *p, struct rng *r, size_t steps, uint32_t trap_one_in,
                   uint32_t stop_one_in, struct hs_block *out, size_t cap);

#endif
