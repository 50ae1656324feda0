/* Lint: one message to its fields, without tolerance (NT 3.1, 6.1, 8). */
#include "ntrace/lint.h"

#include "core/mem.h"
#include "ntrace/tables.h"

struct cursor {
	const uint8_t *p, *end;
	unsigned bit; /* of the six MDO bits of *p, the next one to take */
	bool empty;   /* I-CNT after a CDF that fills its byte has no bits (design/nt-dialects) */
};

static uint32_t bit_of(unsigned f)
{
	return (uint32_t)1 << f;
}

/* A fixed-length field; false when the message ends before it does. */
static bool read_fixed(struct hs_nt_lint *l, struct cursor *c, unsigned bits, unsigned field,
                       uint64_t *v)
{
	*v = 0;
	for (unsigned n = 0; n < bits;) {
		if (c->p == c->end) {
			nt_lint_field(l, n ? HS_NT_FIND_FIELD_CUT : HS_NT_FIND_FIELD_MISSING,
			              field);
			return false;
		}
		const unsigned take = bits - n < 6 - c->bit ? bits - n : 6 - c->bit;

		*v |= (uint64_t)(*c->p >> (2 + c->bit) & ((1u << take) - 1)) << n;
		n += take;
		c->bit += take;
		if (c->bit < 6)
			continue;
		c->empty = field == HS_NTF_CDF && n == bits && (*c->p & 3) != 0;
		if ((*c->p & 3) == 1 && !c->empty)
			nt_lint_field(l, HS_NT_FIND_FIELD_SPLIT, field);
		c->bit = 0;
		c->p++;
	}
	return true;
}

/* A variable-length field, to the end of the first byte whose MSEO is not 00.  There is one: the
 * message ends with MSEO 11. */
static uint64_t read_var(struct cursor *c, struct nt_lint_view *v, unsigned field, unsigned *width)
{
	uint64_t value = 0;
	unsigned n = 0, needed = 0;

	for (bool more = true; more; c->bit = 0) {
		const uint64_t bits = *c->p >> (2 + c->bit);

		more = (*c->p & 3) == 0;
		c->p++;
		if (bits && n)
			needed = n;
		if (n >= 64 ? bits != 0 : n > 58 && bits >> (64 - n))
			v->over |= bit_of(field);
		if (n < 64)
			value |= bits << n;
		*width = n;
		n += 6 - c->bit;
	}
	if (*width > needed)
		v->padded |= bit_of(field);
	*width = n;
	return value;
}

static void keep_field(struct hs_nt_msg *m, unsigned field, uint64_t value)
{
	m->field[field] = value;
	m->present |= bit_of(field);
}

static bool is_address(unsigned field)
{
	return field == HS_NTF_FADDR || field == HS_NTF_UADDR;
}

static bool read_field(struct hs_nt_lint *l, struct cursor *c, struct nt_lint_view *v,
                       unsigned field)
{
	const unsigned bits = nt_field_rows[field].bits;
	unsigned width = 0;
	uint64_t value;

	if (bits) {
		if (!read_fixed(l, c, bits, field, &value))
			return false;
	} else if (c->empty) {
		c->empty = false;
		value = 0;
	} else if (c->p == c->end && is_address(field)) {
		nt_lint_field(l, HS_NT_FIND_ADDRESS_MISSING, field);
		value = 0;
	} else if (c->p == c->end) {
		nt_lint_field(l, HS_NT_FIND_FIELD_MISSING, field);
		return false;
	} else {
		value = read_var(c, v, field, &width);
	}
	keep_field(&l->msg, field, value);
	if (is_address(field))
		l->msg.addr_bits = (uint8_t)(width > 255 ? 255 : width);
	return true;
}

/* Codes that do not say which fields follow. */
static bool is_open(const struct hs_nt_msg *m)
{
	return (hs_nt_has(m, HS_NTF_RCODE) && m->field[HS_NTF_RCODE] > 2) ||
	       (hs_nt_has(m, HS_NTF_CDF) && m->field[HS_NTF_CDF] > 1);
}

static bool read_fields(struct hs_nt_lint *l, struct cursor *c, struct nt_lint_view *v)
{
	const struct nt_layout *layout = &nt_layouts[l->msg.tcode];

	for (unsigned i = 0; i < layout->count; i++) {
		const struct nt_slot *s = &layout->slots[i];

		if (s->when != HS_NTF_COUNT && l->msg.field[s->when] != s->value)
			continue;
		if (!read_field(l, c, v, s->field))
			return false;
	}
	if (c->p == c->end || is_open(&l->msg))
		return true;
	read_field(l, c, v, HS_NTF_TSTAMP);
	if (c->p != c->end)
		nt_lint_put(l, HS_NT_FIND_FIELD_EXTRA);
	return true;
}

void nt_lint_parse(struct hs_nt_lint *l, struct nt_lint_view *v)
{
	struct cursor c = { l->buffer, l->buffer + l->held, 0, false };
	struct hs_nt_msg *m = &l->msg;
	uint64_t value;

	memset(m, 0, sizeof *m);
	m->offset = l->start;
	m->length = l->held;
	v->whole = read_fixed(l, &c, 6, HS_NTF_COUNT, &value);
	m->tcode = (uint8_t)value;
	v->whole = v->whole && read_fixed(l, &c, l->config.src_bits, HS_NTF_COUNT, &value);
	if (!v->whole)
		return;
	m->src = l->config.src_bits ? (uint16_t)value : 0;
	m->known = nt_layouts[m->tcode].name != NULL;
	if (m->known)
		v->whole = read_fields(l, &c, v);
	else
		nt_lint_put(l, m->tcode >= 56 && m->tcode <= 62 ? HS_NT_FIND_TCODE_VENDOR
		                                                : HS_NT_FIND_TCODE_RESERVED);
}
