/* Dumps of registers: a line in, a line out. */
#include "control/control.h"

#include "base/digit.h"
#include "base/mem.h"

/* A place in a line.  After a failure @ok is false. */
struct cursor {
	const char *p, *end;
	bool ok;
};

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_blanks(struct cursor *c)
{
	while (c->p < c->end && blank(*c->p))
		c->p++;
}

static bool at_end(struct cursor *c)
{
	skip_blanks(c);
	return c->p == c->end;
}

static bool take(struct cursor *c, char expected)
{
	skip_blanks(c);
	if (c->p == c->end || *c->p != expected)
		return false;
	c->p++;
	return true;
}

/* Decimal, or hexadecimal after 0x; at most 64 bits. */
static uint64_t number(struct cursor *c)
{
	const bool hex = c->end - c->p > 2 && c->p[0] == '0' && (c->p[1] == 'x' || c->p[1] == 'X');
	const unsigned base = hex ? 16 : 10;
	uint64_t v = 0;

	c->p += hex ? 2 : 0;
	if (c->p == c->end || hs_digit(*c->p) >= base)
		c->ok = false;
	for (; c->p < c->end && hs_digit(*c->p) < base; c->p++) {
		/* Constants: rv32 has no instruction for a 64-bit division. */
		if (v >= (hex ? UINT64_MAX / 16 : UINT64_MAX / 10))
			c->ok = false;
		v = v * base + hs_digit(*c->p);
	}
	return v;
}

static bool word_char(char c)
{
	return hs_digit(c) < 16 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* A name; its length is 0 when there is none. */
static const char *word(struct cursor *c, size_t *length)
{
	skip_blanks(c);
	const char *start = c->p;

	while (c->p < c->end && word_char(*c->p))
		c->p++;
	*length = (size_t)(c->p - start);
	return start;
}

static bool same(const char *text, size_t n, const char *name)
{
	size_t i = 0;

	while (i < n && name[i] && text[i] == name[i])
		i++;
	return i == n && !name[i];
}

/* "[ram]" or "[ram 0x10003000]" */
static enum hs_status section(struct hs_tc_dump *d, struct cursor *c)
{
	uint64_t base = 0;
	unsigned component = 0;
	size_t n;
	const char *name = word(c, &n);

	while (component < HS_TC_COMPONENTS && !same(name, n, hs_tc_component_name(component)))
		component++;
	skip_blanks(c);
	if (c->p < c->end && *c->p != ']')
		base = number(c);
	if (component == HS_TC_COMPONENTS || !take(c, ']') || !at_end(c) || !c->ok)
		return HS_E_FORMAT;
	d->component = (uint8_t)component;
	d->base[component] = base;
	return HS_OK;
}

/* What stands before '=' or ':'. */
static enum hs_status target(const struct hs_tc_dump *d, struct cursor *c,
                             struct hs_tc_place *place, unsigned *field)
{
	size_t n;

	*field = HS_TCF_COUNT;
	skip_blanks(c);
	if (c->p < c->end && hs_digit(*c->p) < 10) {
		const uint64_t offset = number(c) - d->base[d->component];

		if (!c->ok)
			return HS_E_FORMAT;
		return offset < 0x1000 && hs_tc_at(d->component, (uint32_t)offset, place)
		               ? HS_OK
		               : HS_E_UNSUPPORTED;
	}
	const char *name = word(c, &n);

	if (!n)
		return HS_E_FORMAT;
	return hs_tc_find(name, n, d->component, place, field) ? HS_OK : HS_E_UNSUPPORTED;
}

static enum hs_status assign(struct hs_tc_dump *d, struct cursor *c)
{
	struct hs_tc_place place;
	unsigned field;
	const enum hs_status s = target(d, c, &place, &field);

	if (s == HS_E_FORMAT || !(take(c, '=') || take(c, ':')))
		return HS_E_FORMAT;
	skip_blanks(c);
	const uint64_t v = number(c);
	const struct hs_tc_field_row *f = hs_tc_field_at(field);

	if (!c->ok || !at_end(c) || v > (f ? tc_mask(f) : UINT32_MAX))
		return HS_E_FORMAT;
	if (s != HS_OK)
		return s;
	uint32_t *w = &d->regs.word[place.word];

	*w = f ? tc_insert(f, *w, (uint32_t)v) : (uint32_t)v;
	d->regs.known[place.word / 32] |= (uint32_t)1 << place.word % 32;
	return HS_OK;
}

enum hs_status hs_tc_dump_line(struct hs_tc_dump *d, const char *line, size_t length)
{
	struct cursor c = { line, line, true };

	if (length > HS_TC_LINE_MAX)
		return HS_E_LONG;
	while (c.end < line + length && *c.end != '#')
		c.end++;
	if (at_end(&c))
		return HS_OK;
	if (take(&c, '['))
		return section(d, &c);
	return assign(d, &c);
}

size_t hs_tc_print(const struct hs_tc_regs *r, const struct hs_tc_place *place, char *text, size_t size)
{
	size_t n = 0;

	if (size < HS_TC_LINE_MAX)
		return 0;
	hs_tc_name(place, text, size);
	while (text[n])
		n++;
	memcpy(text + n, " = 0x", 5);
	n += 5;
	for (unsigned shift = 32; shift; shift -= 4)
		text[n++] = "0123456789abcdef"[r->word[place->word] >> (shift - 4) & 15u];
	text[n] = '\0';
	return n;
}
