/* Listings: what --from leaves out is counted block by block. */
#include <stdlib.h>

#include "listing/private.h"

#define SLOTS ((size_t)1 << 16)

/* How many instructions a block has. */
struct skip_slot {
	uint64_t iaddr, number;
	const struct hs_program *program;
	uint32_t iretire, instructions; /* 0: its code is not known */
};

static uint32_t count_instructions(const struct hs_image *image, const struct hs_block *b)
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

static struct skip_slot *find_slot(struct hs_listing *l, const struct hs_block *b, uint64_t number)
{
	const uint64_t hash = (b->iaddr ^ (uint64_t)b->iretire << 40 ^ number << 20) *
	                      UINT64_C(0x9e3779b97f4a7c15);
	struct skip_slot *s = &l->skipped[hash >> 32 & (SLOTS - 1)];

	if (s->iaddr == b->iaddr && s->iretire == b->iretire && s->number == number &&
	    s->program == l->o.program)
		return s;
	*s = (struct skip_slot){ .iaddr = b->iaddr, .number = number, .program = l->o.program,
		                 .iretire = b->iretire };
	s->instructions = count_instructions(program_select_image(&l->select), b);
	return s;
}

bool listing_skip(struct hs_listing *l, const struct hs_block *b)
{
	uint64_t number;

	if (l->seen >= l->o.skip || l->o.function || l->data_n)
		return false;
	if (!l->skipped)
		l->skipped = calloc(SLOTS, sizeof(*l->skipped));
	const uint64_t bytes = 2u * (uint64_t)b->iretire;

	if (!l->skipped ||
	    program_select_number(&l->select, b->iaddr, bytes, &number) != HS_OK)
		return false;
	const uint32_t n = find_slot(l, b, number)->instructions;

	if (!n || n > l->o.skip - l->seen)
		return false;
	l->seen += n;
	return true;
}
