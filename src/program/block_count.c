/* How many instructions a block has (block_count.h). */
#include <stdlib.h>

#include "program/block_count.h"

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

enum hs_status program_count_anew(struct program_counts *c, const struct program_select *select,
                                  const struct hs_block *b, uint32_t *n)
{
	uint64_t number;

	if (!c->slots)
		c->slots = calloc(PROGRAM_COUNTS, sizeof(*c->slots));
	if (!c->slots || program_select_number(select, b->iaddr, 2u * (uint64_t)b->iretire,
	                                       &number) != HS_OK)
		return HS_E_MEMORY;
	struct program_counted *s = &c->slots[program_counts_slot(b->iaddr, b->iretire, number)];

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
	c->slots = NULL;
}
