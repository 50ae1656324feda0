/* The tables of messages and fields; bytes to a message and back. */
#include "tacit/tacit_message.h"

#include "core/mem.h"

enum kind { BYTE, VARINT };

#define TF(f) (1u << TACIT_F_##f)
#define MOST_FIELDS 5u

static const struct row {
	const char *name, *clause;
	uint8_t first;
	uint16_t fields[MOST_FIELDS];
} rows[] = {
#define TACIT_MSG(id, name, first, clause, ...) { name, clause, first, { __VA_ARGS__ } },
#include "tacit/tacit_messages.def"
#undef TACIT_MSG
};

static const struct field_row {
	const char *name, *clause;
	uint8_t kind;
	bool address;
} field_rows[] = {
#define TACIT_FIELD(id, name, kind, address, clause) { name, clause, kind, address },
#include "tacit/tacit_fields.def"
#undef TACIT_FIELD
};

const char *tacit_msg_name(unsigned code)
{
	return code < TACIT_CODES ? rows[code].name : "?";
}

const char *tacit_msg_clause(unsigned code)
{
	return code < TACIT_CODES ? rows[code].clause : "TACIT Messages";
}

const char *tacit_field_name(unsigned field)
{
	return field < TACIT_FIELDS ? field_rows[field].name : NULL;
}

const char *tacit_field_clause(unsigned field)
{
	return field < TACIT_FIELDS ? field_rows[field].clause : NULL;
}

bool tacit_field_is_address(unsigned field)
{
	return field < TACIT_FIELDS && field_rows[field].address;
}

/* ---- bytes to a message --------------------------------------------------------- */

unsigned tacit_first(uint8_t byte)
{
	static const uint8_t of_short[4] = { TACIT_TAKEN, TACIT_NOT_TAKEN, TACIT_CODES,
		                             TACIT_JUMP };

	if ((byte & 3u) != 2)
		return of_short[byte & 3u];
	for (unsigned i = 0; i < TACIT_HITS; i++)
		if (rows[i].first == byte)
			return i;
	return TACIT_CODES;
}

/* A number.  *used: its bytes. */
static enum hs_status take_number(const uint8_t *p, size_t n, uint64_t *value, unsigned *used)
{
	*value = 0;
	for (unsigned i = 0; i < n; i++) {
		const uint64_t bits = p[i] & 0x7fu;

		if (i == 9 && bits > 1)
			return HS_E_FIELD;
		*value |= bits << 7 * i;
		*used = i + 1;
		if (p[i] & 0x80u)
			return HS_OK;
		if (i == 9)
			return HS_E_FIELD;
	}
	return HS_MORE;
}

/* Bits 7:6 are a mark; others than the modes U, S and M are not defined here. */
static bool is_prv(uint8_t byte)
{
	const unsigned modes = 1u << 0 | 1u << 1 | 1u << 3;

	return byte >> 6 == 2 && modes >> (byte & 7u) & 1u && modes >> (byte >> 3 & 7u) & 1u;
}

static enum hs_status take_field(const uint8_t *p, size_t n, unsigned f, struct tacit_msg *m)
{
	unsigned used = 1;
	enum hs_status s = HS_OK;

	if (n == 0)
		return HS_MORE;
	if (field_rows[f].kind == VARINT)
		s = take_number(p, n, &m->field[f], &used);
	else
		m->field[f] = *p;
	if (s == HS_OK && f == TACIT_F_PRV && !is_prv(*p))
		s = HS_E_FIELD;
	if (s != HS_OK)
		return s;
	m->at[f] = m->length;
	m->size[f] = (uint8_t)used;
	m->present |= (uint16_t)(1u << f);
	m->length = (uint8_t)(m->length + used);
	return HS_OK;
}

static unsigned field_of(unsigned bit)
{
	unsigned f = 0;

	while (!(bit >> f & 1u))
		f++;
	return f;
}

/* CTX comes with a return to mode U only. */
static bool is_left_out(const struct tacit_msg *m, unsigned f)
{
	return m->code == TACIT_RETURN && f == TACIT_F_CTX && tacit_prv_to(m) != 0;
}

enum hs_status tacit_parse(const uint8_t *p, size_t n, struct tacit_msg *m)
{
	enum hs_status s = HS_OK;

	m->length = 1;
	m->present = 0;
	m->first = *p;
	m->code = (uint8_t)tacit_first(*p);
	if ((*p & 3u) != 2) {
		m->present = 1u << TACIT_F_DELTA;
		m->at[TACIT_F_DELTA] = 0;
		m->size[TACIT_F_DELTA] = 0;
		m->field[TACIT_F_DELTA] = *p >> 2;
		return HS_OK;
	}
	if (m->code == TACIT_CODES)
		return HS_E_FIELD;
	const struct row *r = &rows[m->code];

	for (unsigned i = 0; i < MOST_FIELDS && r->fields[i] && s == HS_OK; i++) {
		const unsigned f = field_of(r->fields[i]);

		if (!is_left_out(m, f))
			s = take_field(p + m->length, n - m->length, f, m);
	}
	return s;
}

/* ---- and back ------------------------------------------------------------------- */

static size_t put_number(uint64_t value, uint8_t *out)
{
	size_t n = 0;

	for (; value > 0x7f; value >>= 7)
		out[n++] = value & 0x7fu;
	out[n++] = (uint8_t)(value | 0x80u);
	return n;
}

/* Hits and misses have the bytes of taken branches and of others. */
static unsigned code_on_wire(unsigned code)
{
	return code == TACIT_HITS ? TACIT_TAKEN : code == TACIT_MISS ? TACIT_NOT_TAKEN : code;
}

static bool is_short(unsigned code, uint64_t value)
{
	return value <= TACIT_SHORT_MAX &&
	       (code == TACIT_TAKEN || code == TACIT_NOT_TAKEN || code == TACIT_JUMP);
}

size_t tacit_write(const struct tacit_msg *m, uint8_t *out)
{
	const unsigned code = code_on_wire(m->code);
	const uint64_t value = m->code == TACIT_HITS ? TACIT_GET(m, COUNT) : TACIT_GET(m, DELTA);
	const struct row *r = &rows[m->code];
	size_t n = 1;

	if (is_short(code, value)) {
		out[0] = (uint8_t)(value << 2 | (rows[code].first >> 2 & 3u));
		return 1;
	}
	out[0] = rows[code].first;
	for (unsigned i = 0; i < MOST_FIELDS && r->fields[i]; i++) {
		const unsigned f = field_of(r->fields[i]);

		if (is_left_out(m, f))
			continue;
		if (field_rows[f].kind == VARINT)
			n += put_number(m->field[f], out + n);
		else
			out[n++] = (uint8_t)m->field[f];
	}
	return n;
}
