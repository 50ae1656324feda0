/* Bytes to messages: MSEO framing (NT 3.1) and fields (NT 6). */
#include "ntrace/tables.h"

#include "base/mem.h"

#define MSEO(byte) ((byte) & 3u)
#define MSEO_END 3u
#define MSEO_RESERVED 2u
#define MSEO_FIELD 1u
#define IDLE 0xffu

/* Reads the fields of one complete message; keeps the first error. */
struct cursor {
	const uint8_t *p, *end;
	unsigned bit; /* of the six MDO bits of *p, the next one to take */
	enum hs_status err;
};

static uint64_t fail(struct cursor *c)
{
	c->err = HS_E_FIELD;
	c->p = c->end;
	return 0;
}

static inline bool fits(uint64_t bits, unsigned at, unsigned limit)
{
	if (bits == 0)
		return true;
	return at < limit && (limit - at >= 6 || bits >> (limit - at) == 0);
}

/* A fixed-length field over more than one byte: may not pass the end of a message. */
static uint64_t take_fixed_slow(struct cursor *c, unsigned bits)
{
	uint64_t v = 0;

	for (unsigned n = 0; n < bits;) {
		if (c->p == c->end)
			return fail(c);
		const unsigned take = bits - n < 6 - c->bit ? bits - n : 6 - c->bit;
		const unsigned mdo = *c->p >> (2 + c->bit);

		v |= (uint64_t)(mdo & ((1u << take) - 1)) << n;
		n += take;
		c->bit += take;
		if (c->bit == 6) {
			if (MSEO(*c->p) != 0 && n < bits)
				return fail(c);
			c->bit = 0;
			c->p++;
		}
	}
	return v;
}

static inline uint64_t take_fixed(struct cursor *c, unsigned bits)
{
	if (c->p == c->end || c->bit + bits >= 6)
		return take_fixed_slow(c, bits);
	const unsigned v = (*c->p >> (2 + c->bit)) & ((1u << bits) - 1);

	c->bit += bits;
	return v;
}

/* A variable-length field: to the end of the first byte whose MSEO is not 00. */
static inline uint64_t take_var(struct cursor *c, unsigned limit, unsigned *width)
{
	uint64_t v = 0;
	unsigned n = 0;

	for (bool more = true; more; c->bit = 0) {
		if (c->p == c->end)
			return fail(c);
		const uint64_t bits = *c->p >> (2 + c->bit);

		more = MSEO(*c->p) == 0;
		c->p++;
		if (!fits(bits, n, limit))
			return fail(c);
		if (bits)
			v |= bits << n;
		n += 6 - c->bit;
	}
	*width = n;
	return v;
}

/* F-ADDR or U-ADDR 0 is left off the wire by some encoders (ADR-0005). */
static bool may_be_absent(unsigned field, const struct cursor *c)
{
	return (field == HS_NTF_FADDR || field == HS_NTF_UADDR) && c->p == c->end;
}

static inline void take_field(struct cursor *c, struct hs_nt_msg *m, unsigned field)
{
	const struct nt_field_row *row = &nt_field_rows[field];
	unsigned width = row->bits;

	if (may_be_absent(field, c)) {
		m->field[field] = 0;
		m->present |= (uint32_t)1 << field;
		return;
	}
	m->field[field] = row->bits ? take_fixed(c, row->bits) : take_var(c, row->limit, &width);
	if (c->err != HS_OK)
		return;
	if (field == HS_NTF_FADDR || field == HS_NTF_UADDR)
		m->addr_bits = (uint8_t)width;
	m->present |= (uint32_t)1 << field;
}

/* All of the message: p[0..n) begins with MSEO 00 and ends with MSEO 11. */
static enum hs_status parse(const uint8_t *p, size_t n, unsigned src_bits, struct hs_nt_msg *m)
{
	struct cursor c = { p, p + n, 0, HS_OK };
	const struct nt_layout *layout;

	m->length = (uint16_t)n;
	m->tcode = (uint8_t)take_fixed(&c, 6);
	m->src = (uint16_t)take_fixed(&c, src_bits);
	layout = &nt_layouts[m->tcode];
	m->known = layout->name != NULL;
	if (!m->known)
		return HS_OK;
	for (unsigned i = 0; i < layout->count && c.err == HS_OK; i++) {
		const struct nt_slot *s = &layout->slots[i];

		if (s->when == HS_NTF_COUNT || m->field[s->when] == s->value)
			take_field(&c, m, s->field);
	}
	if (c.err == HS_OK && c.p != c.end)
		take_field(&c, m, HS_NTF_TSTAMP);
	return c.err != HS_OK || c.p != c.end ? HS_E_FIELD : HS_OK;
}

void hs_nt_reader_init(struct hs_nt_reader *r, unsigned src_bits)
{
	memset(r, 0, sizeof *r);
	r->src_bits = src_bits > 12 ? 12 : (uint8_t)src_bits;
}

/* Length of the message that begins at p, its MSEO 11 included; 0 when it does not end in
 * n bytes.  *bad: it holds an MSEO that is not allowed. */
static size_t message_end(const uint8_t *p, size_t n, bool *bad)
{
	for (size_t i = 0; i < n; i++) {
		if (MSEO(p[i]) == MSEO_END)
			return i + 1;
		if (MSEO(p[i]) == MSEO_RESERVED)
			*bad = true;
	}
	return 0;
}

static void advance(struct hs_nt_reader *r, struct hs_span *in, size_t n)
{
	in->p += n;
	in->n -= n;
	r->offset += n;
}

/* Drop bytes up to the end of what is no message. */
static void skip(struct hs_nt_reader *r, struct hs_span *in)
{
	while (r->skipping && in->n) {
		r->skipping = MSEO(*in->p) != MSEO_END;
		advance(r, in, 1);
	}
}

static enum hs_status bad_message(struct hs_nt_reader *r, struct hs_nt_msg *m, enum hs_status why)
{
	r->held = 0;
	m->offset = r->start;
	return why;
}

/* Take bytes into the buffer until the message ends. */
static enum hs_status collect(struct hs_nt_reader *r, struct hs_span *in, struct hs_nt_msg *m)
{
	while (in->n) {
		const uint8_t byte = *in->p;

		if (MSEO(byte) == MSEO_RESERVED) {
			r->skipping = true;
			return bad_message(r, m, HS_E_FRAMING);
		}
		if (r->held == sizeof r->buffer) {
			r->skipping = true;
			return bad_message(r, m, HS_E_LONG);
		}
		r->buffer[r->held++] = byte;
		advance(r, in, 1);
		if (MSEO(byte) == MSEO_END) {
			const size_t n = r->held;

			r->held = 0;
			return parse(r->buffer, n, r->src_bits, m);
		}
	}
	return HS_MORE;
}

enum hs_status hs_nt_read(struct hs_nt_reader *r, struct hs_span *in, struct hs_nt_msg *m)
{
	m->tcode = 0;
	m->known = false;
	m->src = 0;
	m->length = 0;
	m->addr_bits = 0;
	m->present = 0;
	if (r->skipping)
		skip(r, in);
	if (r->held == 0) {
		while (in->n && *in->p == IDLE) {
			advance(r, in, 1);
			r->idle++;
		}
		if (in->n == 0)
			return HS_MORE;
		r->start = r->offset;
		if (MSEO(*in->p) != 0) {
			r->skipping = true;
			skip(r, in);
			return bad_message(r, m, HS_E_FRAMING);
		}
		bool bad = false;
		const size_t look = in->n < HS_NT_MSG_MAX ? in->n : HS_NT_MSG_MAX;
		const size_t n = message_end(in->p, look, &bad);
		if (n && !bad) {
			const uint8_t *p = in->p;

			advance(r, in, n);
			m->offset = r->start;
			return parse(p, n, r->src_bits, m);
		}
	}
	const enum hs_status s = collect(r, in, m);
	m->offset = r->start;
	return s;
}

enum hs_status hs_nt_reader_end(const struct hs_nt_reader *r)
{
	return r->held || r->skipping ? HS_E_TRUNCATED : HS_OK;
}
