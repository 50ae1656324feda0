/* Address spaces: from an address to its bytes. */
#include <hartscope/image.h>

#include <stddef.h>

#include "core/search.h"
#include "core/image.h"

const struct hs_image *hs_img_select(const struct hs_image_set *set, uint64_t context)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->contexts[i] == context)
			return &set->images[i];
	return set->count ? &set->images[0] : NULL;
}

enum hs_status hs_img_check(const struct hs_image *image)
{
	const uint8_t xlen = image->isa.xlen;

	if (xlen != 0 && xlen != 32 && xlen != 64)
		return HS_E_CONFIG;
	for (size_t i = 0; i < image->count; i++) {
		const struct hs_section *s = &image->sections[i];

		if (s->size == 0 || s->size - 1 > UINT64_MAX - s->start)
			return HS_E_CONFIG;
		if (i && (s[-1].start >= s->start || s->start - s[-1].start < s[-1].size))
			return HS_E_CONFIG;
	}
	return HS_OK;
}

const uint8_t *hs_img_bytes(const struct hs_image *image, uint64_t addr, size_t *n)
{
	*n = 0;
	/* the first section that starts above addr */
	const size_t low = base_count_leading(image->count, i, image->sections[i].start <= addr);

	if (low == 0)
		return NULL;
	const struct hs_section *s = &image->sections[low - 1];
	const uint64_t at = addr - s->start;
	if (at >= s->size)
		return NULL;
	*n = s->size - at > SIZE_MAX ? SIZE_MAX : (size_t)(s->size - at);
	return s->bytes + at;
}

/* Up to @want bytes at @addr, across sections that touch. */
static size_t gather(const struct hs_image *image, uint64_t addr, uint8_t *buffer, size_t want)
{
	size_t got = 0;

	while (got < want) {
		size_t n;
		const uint8_t *p = hs_img_bytes(image, addr + got, &n);

		if (!p)
			break;
		for (size_t i = 0; i < n && got < want; i++)
			buffer[got++] = p[i];
	}
	return got;
}

enum hs_status hs_img_insn(const struct hs_image *image, uint64_t addr, struct hs_insn *insn)
{
	uint8_t buffer[HS_INSN_MAX];
	size_t n;
	const uint8_t *p = hs_img_bytes(image, addr, &n);

	if (p && hs_isa_decode(&image->isa, addr, p, n, insn) == HS_OK)
		return HS_OK;
	n = gather(image, addr, buffer, sizeof buffer);
	return hs_isa_decode(&image->isa, addr, buffer, n, insn) == HS_OK ? HS_OK : HS_E_NOCODE;
}

enum hs_status hs_img_table_target(const struct hs_image *image, unsigned index, uint64_t *target)
{
	const unsigned bytes = image->isa.xlen == 32 ? 4 : 8;
	uint8_t entry[8];
	uint64_t v = 0;

	if (image->jvt == 0 ||
	    gather(image, image->jvt + (uint64_t)index * bytes, entry, bytes) != bytes)
		return HS_E_NOCODE;
	for (unsigned i = bytes; i-- > 0;)
		v = v << 8 | entry[i];
	*target = v & ~(uint64_t)1; /* Zcmt: bit 0 of the entry is not part of the address */
	return HS_OK;
}
