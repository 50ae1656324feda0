/* How wide the addresses of a program are. */
#include "etrace/source.h"

#include "etrace/memory.h"

/* Does @image have code at addresses from @first to @last? */
static bool has_code(const struct hs_image *image, uint64_t first, uint64_t last)
{
	for (size_t i = 0; image && i < image->count; i++) {
		const struct hs_section *s = &image->sections[i];

		if (s->start <= last && s->start + (s->size - 1) >= first)
			return true;
	}
	return false;
}

/* Addresses narrower than XLEN are sign-extended where the program has code at such addresses, and
 * none at those that are the same bits with 0 above them (design/et-layouts). */
void et_extend_addresses(struct hs_et_decoder *d)
{
	const unsigned width = d->config.iaddress_width;
	const struct hs_image *image = d->stream.table->image;
	const unsigned xlen = image ? image->isa.xlen : 64;
	const uint64_t top = et_ones(xlen);
	const uint64_t sign = (uint64_t)1 << (width - 1);
	bool high = has_code(image, top - (sign - 1), top);
	bool low = has_code(image, sign, et_ones(width));

	for (size_t i = 0; i < d->stream.table_count; i++) {
		image = d->stream.tables[i]->image;
		high = high || has_code(image, top - (sign - 1), top);
		low = low || has_code(image, sign, et_ones(width));
	}
	d->sign = width < xlen && high && !low ? sign : 0;
	d->most = d->sign ? top : et_ones(width);
}
