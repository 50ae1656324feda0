/* What the files of hartscope generate share: executions by small scripts. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_GENERATE_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_GENERATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/image.h>

#define GENERATED_CODE 0x10000u
#define GENERATED_DEPTH 64u

/* A corner: a script, and the parameters under which its trace reaches a point of
 * stat --coverage. */
struct corner_row {
	const char *name, *protocol, *settings, *script, *point;
};

/* A program that is laid out where it is executed. */
struct generated {
	uint64_t seed;
	uint8_t code[2][GENERATED_CODE]; /* at base, and in the upper half of addresses */
	bool used[2][GENERATED_CODE];
	uint64_t base, fresh; /* address of code; where the next function is */
	uint64_t pc;
	struct hs_block *block;
	size_t n, room;
	struct hs_block open;
	uint8_t priv;
	uint64_t tval; /* of the next trap, if has_tval */
	bool has_tval;
	uint64_t calls[GENERATED_DEPTH], traps[GENERATED_DEPTH];
	uint8_t modes[GENERATED_DEPTH];
	unsigned call_depth, trap_depth;
	struct hs_section sections[2];
	const char *error; /* NULL: none */
};

/* Execute a script.  False: g->error says why; the caller frees g->block in any case. */
bool generate_run(struct generated *g, const char *script, uint64_t seed);

#endif
