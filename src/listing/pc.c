/* Listings of bare PCs: the text of a block that ran before is copied as a whole. */
#include <stdlib.h>
#include <string.h>

#include "listing/private.h"

#define PC_SLOTS ((size_t)1 << 16)
#define ARENA ((size_t)1 << 24)
#define PC_LINE 17 /* 16 digits and a newline */
#define TEXT_MAX ((size_t)1 << 15) /* longer blocks are not kept */

static enum hs_status allocate(struct hs_listing *l)
{
	if (l->pcs)
		return HS_OK;
	l->pcs = calloc(PC_SLOTS, sizeof(*l->pcs));
	l->arena = malloc(ARENA);
	return l->pcs && l->arena ? HS_OK : HS_E_MEMORY;
}

static void print_line(struct hs_listing *l, const struct listed_insn *i,
		       const struct hs_block *last,
                       const struct hs_access *data)
{
	(void)data;
	char *to = listing_hex(l->out + l->out_n, i->addr);

	(void)last;
	*to++ = '\n';
	l->out_n = (size_t)(to - l->out);
}

/* The text of a block into the arena; false where it does not fit or code is missing. */
static bool format_block(struct hs_listing *l, const struct hs_block *b, uint64_t number,
                         struct pc_text *t)
{
	const struct hs_image *image = program_select_image(&l->select);
	const uint64_t end = hs_block_end(b);
	char *to = l->arena + l->arena_n;

	*t = (struct pc_text){ .iaddr = b->iaddr, .program = l->o.program, .iretire = b->iretire,
		               .number = number, .offset = (uint32_t)l->arena_n };
	for (uint64_t at = b->iaddr; at < end; t->instructions++) {
		struct hs_insn insn;

		if (hs_img_insn(image, at, &insn) != HS_OK)
			return false;
		to = listing_hex(to, at);
		*to++ = '\n';
		at += 2u * insn.hwords;
	}
	l->arena_n = (size_t)(to - l->arena);
	t->length = (uint32_t)(l->arena_n - t->offset);
	return true;
}

static bool is_block(const struct hs_listing *l, const struct pc_text *t, const struct hs_block *b,
                     uint64_t number)
{
	return t->length && t->iaddr == b->iaddr && t->iretire == b->iretire &&
	       t->program == l->o.program && t->number == number;
}

static bool keep_block(struct hs_listing *l, const struct hs_block *b, uint64_t number,
                       struct pc_text *t)
{
	const size_t most = PC_LINE * (size_t)b->iretire;

	if (most > TEXT_MAX)
		return false;
	if (ARENA - l->arena_n < most) {
		memset(l->pcs, 0, PC_SLOTS * sizeof(*l->pcs));
		l->arena_n = 0;
	}
	if (format_block(l, b, number, t))
		return true;
	t->length = 0;
	return false;
}

static enum hs_status print_block(struct hs_listing *l, const struct hs_block *b)
{
	enum hs_status s = allocate(l);
	uint64_t number;

	if (s != HS_OK)
		return s;
	if (l->o.skip || l->o.limit || l->o.function)
		return listing_block(l, b);
	s = program_select_number(&l->select, b->iaddr, 2u * (uint64_t)b->iretire, &number);
	if (s != HS_OK)
		return s;
	const uint64_t slot = (b->iaddr >> 1) * 0x9e3779b1u >> 8 ^ b->iretire;
	struct pc_text *t = &l->pcs[slot & (PC_SLOTS - 1)];

	if (!is_block(l, t, b, number) && !keep_block(l, b, number, t))
		return listing_block(l, b);
	s = listing_room(l, t->length);
	if (s != HS_OK)
		return s;
	memcpy(l->out + l->out_n, l->arena + t->offset, t->length);
	l->out_n += t->length;
	l->listed += t->instructions;
	return HS_OK;
}

const struct listing_format listing_pc = { .block = print_block, .insn = print_line };
