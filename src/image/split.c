/* Blocks cut finer, at instruction boundaries. */
#include <hartscope/image.h>

/* One piece: as many whole instructions as fit in @limit half-words, from @addr, of @rest. */
static enum hs_status piece(const struct hs_image *image, uint64_t addr, uint32_t rest,
                            uint32_t limit, struct hs_block *out)
{
	struct hs_insn insn;

	out->iaddr = addr;
	out->iretire = 0;
	while (out->iretire < rest) {
		if (hs_img_insn(image, addr + 2u * (uint64_t)out->iretire, &insn) != HS_OK)
			return HS_E_NOCODE;
		if (insn.hwords > rest - out->iretire)
			return HS_E_BLOCK;
		if (out->iretire + insn.hwords > limit)
			break;
		out->iretire += insn.hwords;
		out->ilast = insn.hwords;
	}
	return out->iretire ? HS_OK : HS_E_BLOCK;
}

enum hs_status hs_block_split(const struct hs_image *image, const struct hs_block *block,
                              uint32_t limit, struct hs_block *out, size_t cap, size_t *n)
{
	uint32_t done = 0;

	*n = 0;
	do {
		if (*n == cap)
			return HS_E_SPACE;
		struct hs_block *p = &out[*n];
		*p = *block;
		if (block->iretire > limit) {
			const enum hs_status s = piece(image, block->iaddr + 2u * (uint64_t)done,
			                               block->iretire - done, limit, p);
			if (s != HS_OK)
				return s;
		}
		done += p->iretire;
		if (done < block->iretire)
			p->itype = HS_ITYPE_NONE;
		++*n;
	} while (done < block->iretire);
	return HS_OK;
}
