/* Cycles by blocks. */
#include <stdlib.h>

#include "common/tool.h"

#define ENTRIES 4096

/* How many instructions a block has. */
struct counted {
	uint64_t iaddr;
	uint32_t iretire, count;
};

bool clock_open(struct block_clock *c, const struct hs_image *image)
{
	*c = (struct block_clock){ .image = image, .cache = calloc(ENTRIES, sizeof(*c->cache)) };
	return c->cache != NULL;
}

void clock_close(struct block_clock *c)
{
	free(c->cache);
}

/* Where code is missing, instructions are taken to have 32 bits. */
static uint32_t count_instructions(const struct hs_image *image, const struct hs_block *b)
{
	uint32_t left = b->iretire, n = 0;
	uint64_t addr = b->iaddr;

	while (left) {
		struct hs_insn insn;

		if (!image || hs_img_insn(image, addr, &insn) != HS_OK || insn.hwords > left)
			return n + (left + 1) / 2;
		left -= insn.hwords;
		addr += 2u * insn.hwords;
		n++;
	}
	return n;
}

static uint32_t instructions(struct block_clock *c, const struct hs_block *b)
{
	struct counted *e = &c->cache[(b->iaddr >> 1) % ENTRIES];

	if (e->iaddr != b->iaddr || e->iretire != b->iretire)
		*e = (struct counted){ b->iaddr, b->iretire, count_instructions(c->image, b) };
	return e->count;
}

uint64_t clock_pass(struct block_clock *c, const struct hs_block *b)
{
	if (b->kind == HS_KIND_TIME) {
		if (!c->timed)
			c->first = b->value - c->now;
		c->timed = true;
		if (b->value - c->first > c->now && b->value > c->first)
			c->now = b->value - c->first;
	} else if (b->kind == HS_KIND_BLOCK && !c->timed) {
		c->now += instructions(c, b);
	}
	return c->now;
}
