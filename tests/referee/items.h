/* What two decoders say of one stream, as the same kind of items: an address, a trap, an end. */
#ifndef TESTS_REFEREE_ITEMS_H
#define TESTS_REFEREE_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>

struct item {
	uint64_t value;
	unsigned kind, cause; /* enum referee_item */
	bool interrupt;
};

struct items {
	struct item *item;
	size_t n, cap;
	bool full; /* some more were left out */

	/* of items_add_blocks() between its calls */
	bool interrupt, running;
};

void items_add(struct items *to, unsigned kind, uint64_t value, unsigned cause, bool interrupt);

/* Code, and how wide its addresses are. */
struct items_code {
	bool (*fetch)(const void *program, uint64_t addr, uint16_t *half);
	const void *program;
	unsigned xlen;
};

/* Add what blocks and events say.  False: a block does not end with an instruction of the code. */
bool items_add_blocks(struct items *to, const struct items_code *code,
                      const struct hs_block *blocks, size_t n);
/* Nothing comes after them. */
void items_end(struct items *to);

bool items_same(const struct item *a, const struct item *b);

#endif
