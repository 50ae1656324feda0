/* Where the fields of a message are (NT 3.1, 6). */
#include "ntrace/tables.h"

#include "core/mem.h"
#include "ntrace/nt_reader.h"

#define MDO_BITS 6u /* of each byte, above two bits of MSEO */

struct walk {
	const uint8_t *bytes;
	unsigned end; /* all MDO bits */
	unsigned at;
};

/* A variable-length field goes to the end of the first byte whose MSEO is not 00. */
static unsigned rest_of_field(const struct walk *w)
{
	unsigned i = w->at / MDO_BITS;

	while ((i + 1) * MDO_BITS < w->end && (w->bytes[i] & 3u) == 0)
		i++;
	return (i + 1) * MDO_BITS - w->at;
}

static struct hs_bits take_field(struct walk *w, const struct hs_nt_msg *m, unsigned field)
{
	const unsigned fixed = nt_field_rows[field].bits, from = w->at;

	if (!hs_nt_has(m, field) || from >= w->end)
		return (struct hs_bits){ 0 };
	const unsigned n = fixed ? fixed : rest_of_field(w);

	w->at += n;
	return (struct hs_bits){ (uint16_t)(from / MDO_BITS * 8 + 2 + from % MDO_BITS),
		                 (uint16_t)n };
}

void hs_nt_reader_where(const struct hs_nt_reader *r, const struct hs_nt_msg *m,
                        const uint8_t *bytes, struct hs_bits v[HS_NTF_COUNT])
{
	const struct nt_layout *layout = nt_layout_of(r->more, m->tcode);
	struct walk w = { bytes, MDO_BITS * m->length, MDO_BITS + r->src_bits };

	memset(v, 0, HS_NTF_COUNT * sizeof(*v));
	for (unsigned i = 0; i < layout->count; i++)
		v[layout->slots[i].field] = take_field(&w, m, layout->slots[i].field);
	v[HS_NTF_TSTAMP] = take_field(&w, m, HS_NTF_TSTAMP);
}
