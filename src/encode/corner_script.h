/* Corners of the protocols: executions by small scripts. */
#ifndef HS_ENCODE_CORNER_SCRIPT_H
#define HS_ENCODE_CORNER_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/image.h>

#define CORNER_CODE 0x10000u
#define CORNER_DEPTH 64u

/* A program that is laid out where it is executed. */
struct corner_run {
	uint64_t seed;
	uint8_t code[2][CORNER_CODE]; /* at base, and in the upper half of addresses */
	bool used[2][CORNER_CODE];
	uint64_t base, fresh; /* address of code; where the next function is */
	uint64_t pc;
	struct hs_block *block;
	size_t n, room;
	struct hs_block open;
	uint8_t priv;
	uint64_t tval; /* of the next trap, if has_tval */
	bool has_tval;
	uint64_t calls[CORNER_DEPTH], traps[CORNER_DEPTH];
	uint8_t modes[CORNER_DEPTH];
	unsigned call_depth, trap_depth;
	struct hs_section sections[2];
	const char *error; /* NULL: none */
};

/* Execute a script.  False: g->error says why; the caller frees g->block in any case. */
bool encode_run_corner(struct corner_run *g, const char *script, uint64_t seed);

#endif
