/* Blocks cut finer, at instruction boundaries. */
#include <hartscope/image.h>

#include "core/core.h"

/* As many whole instructions of @rest as fit in @limit half-words, and at least one. */
static enum hs_status measure(const struct hs_image *image, const struct hs_block *rest,
                              uint32_t limit, struct hs_block *piece)
{
	const uint32_t total = rest->iretire;
	struct hs_insn insn;

	piece->iretire = 0;
	while (piece->iretire < total) {
		if (hs_img_insn(image, hs_block_end(piece), &insn) != HS_OK)
			return HS_E_NOCODE;
		if (insn.hwords > total - piece->iretire)
			return HS_E_BLOCK;
		if (piece->iretire && piece->iretire + insn.hwords > limit)
			break;
		piece->iretire += insn.hwords;
		piece->ilast = insn.hwords;
	}
	return HS_OK;
}

enum hs_status hs_block_cut(const struct hs_image *image, struct hs_block *rest, uint32_t limit,
                            struct hs_block *piece)
{
	*piece = *rest;
	if (rest->iretire > limit) {
		const enum hs_status s = measure(image, rest, limit, piece);

		if (s != HS_OK)
			return s;
	}
	if (piece->iretire < rest->iretire)
		piece->itype = HS_ITYPE_NONE;
	rest->iaddr = hs_block_end(piece);
	rest->iretire -= piece->iretire;
	return HS_OK;
}

enum hs_status hs_block_split(const struct hs_image *image, const struct hs_block *block,
                              uint32_t limit, struct hs_block *out, size_t cap, size_t *n)
{
	struct hs_block rest = *block;

	*n = 0;
	do {
		if (*n == cap)
			return HS_E_SPACE;
		const enum hs_status s = hs_block_cut(image, &rest, limit, &out[*n]);

		if (s != HS_OK)
			return s;
		++*n;
	} while (rest.iretire);
	return HS_OK;
}

/* The cause of the instruction at @addr, in mode @priv; 0: it causes none by itself. */
static uint32_t cause_at(const struct hs_image *image, uint64_t addr, unsigned priv)
{
	static const uint8_t of[8] = { [HS_PRIV_U] = 8,  [HS_PRIV_S] = 9,   [HS_PRIV_M] = 11,
		                       [HS_PRIV_VU] = 8, [HS_PRIV_VS] = 10, [HS_PRIV_UNKNOWN] = 8 };
	struct hs_insn insn;

	if (hs_img_insn(image, addr, &insn) != HS_OK)
		return 0;
	return insn.kind == HS_INSN_ECALL ? of[priv & 7] : insn.kind == HS_INSN_EBREAK ? 3 : 0;
}

/* Is an ecall or ebreak there?  In U-mode both have a cause. */
static bool is_environment(const struct hs_image *image, uint64_t addr)
{
	return cause_at(image, addr, HS_PRIV_U) != 0;
}

bool hs_block_at_ecall(const struct hs_image *image, const struct hs_block *block)
{
	const uint64_t end = hs_block_end(block);

	return is_environment(image, end) ||
	       (block->ilast && is_environment(image, end - 2u * (uint64_t)block->ilast));
}

bool hs_block_exception_cause(const struct hs_image *image, const struct hs_block *block,
                              uint32_t *cause)
{
	const uint64_t end = hs_block_end(block);
	uint32_t c = 0;

	if (block->kind != HS_KIND_BLOCK || block->itype != HS_ITYPE_EXCEPTION)
		return false;
	if (block->ilast)
		c = cause_at(image, end - 2u * (uint64_t)block->ilast, block->priv);
	if (!c)
		c = cause_at(image, end, block->priv);
	if (c)
		*cause = c;
	return c != 0;
}

void hs_block_drop_ecall(const struct hs_image *image, struct hs_block *block)
{
	const uint64_t at = hs_block_end(block) - 2u * (uint64_t)block->ilast;
	struct hs_block kept = *block;

	if (block->kind != HS_KIND_BLOCK || block->itype != HS_ITYPE_EXCEPTION || !block->ilast ||
	    !is_environment(image, at))
		return;
	kept.iretire -= kept.ilast;
	kept.ilast = 0;
	if (kept.iretire && measure(image, &kept, UINT32_MAX, &kept) != HS_OK)
		return;
	*block = kept;
}
