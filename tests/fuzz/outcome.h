/* What a stream of blocks and results said, as one number, and the rules that each item keeps. */
#ifndef HS_TESTS_FUZZ_OUTCOME_H
#define HS_TESTS_FUZZ_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/block.h>

#include "fuzz.h"

#define OUTCOME_PATIENCE 64 /* calls that neither take nor give, before it is called a hang */

struct outcome {
	uint64_t hash, blocks;
	unsigned idle;
	struct hs_block_checker check;
};

#define OUTCOME_START { .hash = 0xcbf29ce484222325u }

static inline void outcome_note(struct outcome *o, const void *p, size_t n)
{
	const uint8_t *b = p;

	while (n-- > 0)
		o->hash = (o->hash ^ *b++) * 0x100000001b3u;
}

/* One call's result: damage and what is not supported are fine; a wrong call, which no input can
 * make, and defects are not.  E_SPACE is left to the caller of this. */
static inline void outcome_take(struct outcome *o, enum hs_status s, const struct hs_block *blocks,
                                size_t n, bool moved)
{
	fuzz_must(s < HS_STATUS_COUNT);
	fuzz_must(hs_status_get_class(s) < HS_CLASS_CALLER ||
	          hs_status_get_class(s) == HS_CLASS_DATA ||
	          hs_status_get_class(s) == HS_CLASS_UNSUPPORTED || s == HS_E_SPACE);
	for (size_t i = 0; i < n; i++) {
		fuzz_must(blocks[i].kind <= HS_KIND_VERSION);
		if (blocks[i].kind == HS_KIND_BLOCK)
			fuzz_must((blocks[i].iaddr & 1) == 0 &&
			          blocks[i].ilast <= blocks[i].iretire);
		outcome_note(o, &blocks[i], sizeof(blocks[i]));
	}
	if (hs_status_get_class(s) >= HS_CLASS_CALLER)
		outcome_note(o, &s, sizeof(s));
	o->blocks += n;
	o->idle = n > 0 || moved ? 0 : o->idle + 1;
	fuzz_must(o->idle < OUTCOME_PATIENCE);
}

/* What an importer gives may be fed to an encoder as it is: each block may follow the one
 * before. */
static inline void outcome_legal(struct outcome *o, const struct hs_block *blocks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fuzz_must(hs_block_check(&o->check, &blocks[i]) == HS_OK);
}

#endif
