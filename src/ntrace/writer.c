/* Messages to bytes: the inverse of reader.c, from the same rows. */
#include "ntrace/nt_message.h"
#include "ntrace/tables.h"

#include "core/mem.h"
#include "ntrace/nt_reader.h"

/* With these limits no message is longer than HS_NT_MSG_MAX bytes. */
#define SRC_BITS_MAX 16
#define ADDR_BITS_MAX 66

/* acc has the n bits that are not yet written, fewer than six, least significant first. */
struct pen {
	uint8_t *p;
	uint32_t acc;
	unsigned n;
};

static void put_fixed(struct pen *w, unsigned bits, uint32_t v)
{
	w->acc |= (v & (((uint32_t)1 << bits) - 1)) << w->n; /* SRC may have more bits */
	for (w->n += bits; w->n >= 6; w->n -= 6) {
		*w->p++ = (uint8_t)(w->acc << 2);
		w->acc >>= 6;
	}
}

/* At least one bit, then zeros to the end of a byte whose MSEO is "end of field" (NT 3.1). */
static void put_var(struct pen *w, uint64_t v)
{
	uint32_t mdo = (w->acc | (uint32_t)(v << w->n)) & 0x3f;

	v >>= 6 - w->n;
	for (; v; v >>= 6) {
		*w->p++ = (uint8_t)(mdo << 2);
		mdo = (uint32_t)v & 0x3f;
	}
	*w->p++ = (uint8_t)(mdo << 2 | 1);
	w->acc = 0;
	w->n = 0;
}

/* An address of exactly @bits bits, a multiple of six (NT 8.2).  acc is empty after I-CNT. */
static void put_bits(struct pen *w, uint64_t v, unsigned bits)
{
	for (; bits > 6; bits -= 6, v >>= 6)
		*w->p++ = (uint8_t)((v & 0x3f) << 2);
	*w->p++ = (uint8_t)((v & 0x3f) << 2 | 1);
}

size_t nt_write(bool more, const struct hs_nt_msg *m, unsigned src_bits, uint8_t *out)
{
	struct pen w = { out, 0, 0 };
	const struct nt_layout *layout = nt_layout_of(more, m->tcode & (NT_TCODES - 1));

	if (m->tcode >= NT_TCODES || !layout->name || src_bits > SRC_BITS_MAX ||
	    m->addr_bits > ADDR_BITS_MAX)
		return 0;
	put_fixed(&w, 6, m->tcode);
	put_fixed(&w, src_bits, m->src);
	for (unsigned i = 0; i < layout->count; i++) {
		const struct nt_slot *s = &layout->slots[i];
		const struct nt_field_row *row = &nt_field_rows[s->field];

		if (s->when != HS_NTF_COUNT && m->field[s->when] != s->value)
			continue;
		if (row->bits)
			put_fixed(&w, row->bits, (uint32_t)m->field[s->field]);
		else if (m->addr_bits && (s->field == HS_NTF_FADDR || s->field == HS_NTF_UADDR))
			put_bits(&w, m->field[s->field], m->addr_bits);
		else
			put_var(&w, m->field[s->field]);
	}
	if (hs_nt_has(m, HS_NTF_TSTAMP))
		put_var(&w, m->field[HS_NTF_TSTAMP]);
	w.p[-1] |= 3; /* end of message; every row ends with a variable field */
	return (size_t)(w.p - out);
}

size_t hs_nt_write(const struct hs_nt_msg *m, unsigned src_bits, uint8_t *out)
{
	return nt_write(false, m, src_bits, out);
}

size_t hs_nt_dialect_write(unsigned dialect, const struct hs_nt_msg *m, unsigned src_bits,
                           uint8_t *out)
{
	const struct hs_nt_dialect *d = hs_nt_dialect_get(dialect);

	return nt_write(d && d->more, m, src_bits, out);
}
