/* How many instructions a block has (block_count.h). */
#include <stdlib.h>

#include "program/block_count.h"

/* Binary logarithms: slots of an empty cache, of one that does not grow, and how many times as many
 * there are after it grew.  It does when a sixteenth of its slots are in use, as two blocks of one
 * slot are counted again and again.  A small program does not pay for clearing 2 MB. */
#define SLOTS_FIRST 8u
#define SLOTS_MOST 16u
#define SLOTS_GROW 4u

uint32_t program_count_instructions(const struct hs_image *image, const struct hs_block *b)
{
	const uint64_t end = hs_block_end(b);
	uint32_t n = 0;

	for (uint64_t at = b->iaddr; at < end; n++) {
		struct hs_insn insn;

		if (hs_img_insn(image, at, &insn) != HS_OK)
			return 0;
		at += 2u * insn.hwords;
	}
	return n;
}

/* Make a cache of 2^@bits slots, all empty: what was counted is counted again. */
static bool make_slots(struct program_counts *c, unsigned bits)
{
	struct program_counted *slots = calloc((size_t)1 << bits, sizeof(*slots));

	if (!slots)
		return false;
	free(c->slots);
	*c = (struct program_counts){ .slots = slots, .shift = 64 - bits };
	return true;
}

/* Make room for one more block.  False: there is no memory. */
static bool make_room(struct program_counts *c)
{
	const unsigned bits = 64 - c->shift;

	if (!c->slots)
		return make_slots(c, SLOTS_FIRST);
	return bits == SLOTS_MOST || c->used < 1u << (bits - SLOTS_GROW) ||
	       make_slots(c, bits + SLOTS_GROW);
}

enum hs_status program_count_anew(struct program_counts *c, const struct program_select *select,
                                  const struct hs_block *b, uint32_t *n)
{
	uint64_t number;

	if (!make_room(c) ||
	    program_select_number(select, b->iaddr, 2u * (uint64_t)b->iretire, &number) != HS_OK)
		return HS_E_MEMORY;
	struct program_counted *s = program_counts_slot(c, b->iaddr, b->iretire, number);

	c->used += !s->program;
	if (s->iaddr != b->iaddr || s->iretire != b->iretire || s->number != number ||
	    s->program != select->program)
		*s = (struct program_counted){ .iaddr = b->iaddr,
			                       .number = number,
			                       .program = select->program,
			                       .iretire = b->iretire,
			                       .instructions = program_count_instructions(
						       program_select_image(select), b) };
	*n = s->instructions;
	return HS_OK;
}

void program_counts_free(struct program_counts *c)
{
	free(c->slots);
	*c = (struct program_counts){ .slots = NULL };
}
