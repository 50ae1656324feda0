/* Dumps of registers: a line in, a line out. */
#include "device/control.h"
#include "device/device.h"

#include "core/mem.h"
#include "core/text.h"

static bool at_end(struct base_text *t)
{
	base_text_skip_blanks(t);
	return base_text_at_end(t);
}

/* Skip blanks, and then @expected if it is there. */
static bool skip_sign(struct base_text *t, const char *expected)
{
	base_text_skip_blanks(t);
	return base_text_skip(t, expected);
}

static bool is_name_char(char c)
{
	return base_digit(c) < 10 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* A name; its length is 0 when there is none. */
static const char *take_name(struct base_text *t, size_t *length)
{
	base_text_skip_blanks(t);
	const char *start = t->p;

	while (t->p < t->end && is_name_char(*t->p))
		t->p++;
	*length = (size_t)(t->p - start);
	return start;
}

static bool is_same(const char *text, size_t n, const char *name)
{
	size_t i = 0;

	while (i < n && name[i] && text[i] == name[i])
		i++;
	return i == n && !name[i];
}

/* "ram]" or "ram 0x10003000]" */
static enum hs_status start_section(struct hs_tc_dump *d, struct base_text *t)
{
	uint64_t base = 0;
	unsigned component = 0;
	size_t n;
	const char *name = take_name(t, &n);

	while (component < HS_TC_COMPONENTS && !is_same(name, n, hs_tc_component_name(component)))
		component++;
	base_text_skip_blanks(t);
	if (t->p < t->end && *t->p != ']')
		base = base_text_number_0x(t);
	if (component == HS_TC_COMPONENTS || !skip_sign(t, "]") || !at_end(t))
		return HS_E_FORMAT;
	d->component = (uint8_t)component;
	d->base[component] = base;
	return HS_OK;
}

/* The register, or its field, before '=' or ':'. */
static enum hs_status find_target(const struct hs_tc_dump *d, struct base_text *t,
                                  struct hs_tc_place *place, unsigned *field)
{
	size_t n;

	*field = HS_TCF_COUNT;
	base_text_skip_blanks(t);
	if (t->p < t->end && base_digit(*t->p) < 10) {
		const uint64_t offset = base_text_number_0x(t) - d->base[d->component];

		if (!t->ok)
			return HS_E_FORMAT;
		return offset < 0x1000 && hs_tc_at(d->component, (uint32_t)offset, place)
		               ? HS_OK
		               : HS_E_UNSUPPORTED;
	}
	const char *name = take_name(t, &n);

	if (!n)
		return HS_E_FORMAT;
	return hs_tc_find(name, n, d->component, place, field) ? HS_OK : HS_E_UNSUPPORTED;
}

/* What a register of which only a field is given holds elsewhere: the values of the table, such as
 * the version of a component. */
static uint32_t standard_value(unsigned reg)
{
	uint32_t word = 0;

	for (unsigned f = tc_fields_begin(reg), end = tc_fields_end(reg); f < end; f++)
		word = tc_insert(hs_tc_field_at(f), word, hs_tc_field_at(f)->value);
	return word;
}

static void set_field(struct hs_tc_regs *r, const struct hs_tc_place *place,
                      const struct hs_tc_field_row *f, uint32_t value)
{
	const bool known = r->known[place->word / 32] >> place->word % 32 & 1u;
	uint32_t *w = &r->word[place->word];

	*w = tc_insert(f, known ? *w : standard_value(place->reg), value);
}

static enum hs_status assign_value(struct hs_tc_dump *d, struct base_text *t)
{
	struct hs_tc_place place;
	unsigned field;
	const enum hs_status s = find_target(d, t, &place, &field);

	if (s == HS_E_FORMAT || !(skip_sign(t, "=") || skip_sign(t, ":")))
		return HS_E_FORMAT;
	base_text_skip_blanks(t);
	const uint64_t v = base_text_number_0x(t);
	const struct hs_tc_field_row *f = hs_tc_field_at(field);

	if (!at_end(t) || v > (f ? tc_mask(f) : UINT32_MAX))
		return HS_E_FORMAT;
	if (s != HS_OK)
		return s;
	if (f)
		set_field(&d->regs, &place, f, (uint32_t)v);
	else
		d->regs.word[place.word] = (uint32_t)v;
	d->regs.known[place.word / 32] |= (uint32_t)1 << place.word % 32;
	return HS_OK;
}

/* The characters of the next line before a comment; *length is that of the whole line. */
static struct base_text take_line(struct hs_span *in, size_t *length)
{
	struct base_text line = base_text_of((const char *)in->p, 0);
	bool comment = false;

	for (*length = 0; in->n && *in->p != '\n'; in->p++, in->n--, ++*length) {
		comment |= *in->p == '#';
		line.end += !comment;
	}
	if (line.end > line.p && line.end[-1] == '\r')
		line.end--;
	if (in->n) {
		in->p++;
		in->n--;
	}
	return line;
}

enum hs_status hs_tc_dump_line(struct hs_tc_dump *d, struct hs_span *in)
{
	size_t length;

	if (in->n == 0)
		return HS_MORE;
	struct base_text line = take_line(in, &length);

	if (length > HS_TC_LINE_MAX)
		return HS_E_LONG;
	if (at_end(&line))
		return HS_OK;
	return base_text_skip(&line, "[") ? start_section(d, &line) : assign_value(d, &line);
}

size_t hs_tc_print(const struct hs_tc_regs *r, const struct hs_tc_place *place, char *text,
                   size_t size)
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
