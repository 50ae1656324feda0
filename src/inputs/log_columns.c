/* Lines of columns (columns.def): CSV under a line of names, or NAME=VALUE. */
#include <string.h>

#include "inputs/log_private.h"

static const struct {
	uint8_t format, field;
	const char *name;
} columns[] = {
#define HS_LOG_COLUMN(format, name, field) { LOG_##format, F_##field, name },
#include "inputs/log_columns.def"
#undef HS_LOG_COLUMN
};

static bool is_separator(char c)
{
	return c == ' ' || c == '\t' || c == ',' || c == ';';
}

/* The field of a name; F_COUNT: none that is used. */
static uint8_t find_column(enum log_format format, const char *name, size_t n)
{
	if (n > 5 && memcmp(name, "rvfi_", 5) == 0) {
		name += 5;
		n -= 5;
	}
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		if (columns[i].format == format && strlen(columns[i].name) == n &&
		    memcmp(columns[i].name, name, n) == 0)
			return columns[i].field;
	return F_COUNT;
}

/* ---- CSV ---------------------------------------------------------------------------------- */

/* Move to the comma after this value, which may have quotes around it. */
static void skip_value(struct base_text *t)
{
	bool quoted = false;

	for (; t->p < t->end && (quoted || *t->p != ','); t->p++)
		quoted ^= *t->p == '"';
}

static void trim(const char **p, size_t *n)
{
	while (*n && (**p == ' ' || **p == '"' || **p == '\t')) {
		(*p)++;
		(*n)--;
	}
	while (*n && ((*p)[*n - 1] == ' ' || (*p)[*n - 1] == '"' || (*p)[*n - 1] == '\t'))
		(*n)--;
}

static bool has_field(const struct log_columns *c, enum log_field field)
{
	for (unsigned i = 0; i < c->count; i++)
		if (c->field[i] == field)
			return true;
	return false;
}

static const char *names_of(enum log_format format)
{
	if (format == LOG_RVFI)
		return "the names of columns, with pc_rdata and insn";
	return format == LOG_RISCV_DV ? "the names of columns, with pc and binary"
	                              : "the names of columns, with pc and inst";
}

/* The line of names.  Without an address and an opcode it is none. */
static enum log_match take_names(struct log_columns *c, struct base_text t, struct log_refusal *why)
{
	const char *start = t.p;

	do {
		const char *p = t.p;

		skip_value(&t);
		size_t n = (size_t)(t.p - p);

		trim(&p, &n);
		if (c->count < LOG_COLUMNS)
			c->field[c->count++] = find_column(c->format, p, n);
	} while (base_text_skip(&t, ","));
	if (has_field(c, F_PC) && has_field(c, F_CODE))
		return LOG_NO;
	c->count = 0;
	c->refused = true; /* said once: lines after it mean nothing */
	*why = (struct log_refusal){ .at = start, .expected = names_of(c->format) };
	return LOG_BAD;
}

static bool is_at_end(const struct base_text *t, bool pairs)
{
	return t->p == t->end || (pairs ? is_separator(*t->p) : *t->p == ',');
}

/* A value and what is up to its end.  An empty one is left out. */
static bool take_value(const struct log_columns *c, struct base_text *t, uint8_t field,
                       struct log_fields *f, struct log_refusal *why)
{
	const struct log_source s = { c->format, true };

	base_text_skip_blanks(t);
	base_text_skip(t, "\"");
	if (is_at_end(t, c->pairs))
		return true;
	if (!import_field_read(&s, t, field, f, why))
		return false;
	if (c->format == LOG_WHISPER_CSV && field == F_PC && base_text_skip(t, ":"))
		base_text_number(t, 16, NULL); /* the physical address */
	base_text_skip(t, "\"");
	if (!c->pairs)
		base_text_skip_blanks(t);
	if (is_at_end(t, c->pairs))
		return true;
	*why = (struct log_refusal){ .at = t->p, .expected = "the end of the value" };
	return false;
}

static enum log_match take_row(const struct log_columns *c, struct base_text t,
                               struct log_fields *f, struct log_refusal *why)
{
	for (unsigned i = 0; i < c->count; i++) {
		if (i && !base_text_skip(&t, ",")) {
			*why = (struct log_refusal){ .at = t.p, .expected = "another column" };
			return LOG_BAD;
		}
		if (c->field[i] == F_COUNT)
			skip_value(&t);
		else if (!take_value(c, &t, c->field[i], f, why))
			return LOG_BAD;
	}
	return LOG_YES;
}

/* ---- NAME=VALUE --------------------------------------------------------------------------- */

static bool take_pair(const struct log_columns *c, struct base_text *t, struct log_fields *f,
                      struct log_refusal *why)
{
	const char *p = t->p;

	while (t->p < t->end && *t->p != '=' && *t->p != ':' && !is_separator(*t->p))
		t->p++;
	if (t->p == t->end || is_separator(*t->p))
		return true; /* a word */
	const uint8_t field = find_column(c->format, p, (size_t)(t->p - p));

	t->p++;
	if (field != F_COUNT)
		return take_value(c, t, field, f, why);
	while (t->p < t->end && !is_separator(*t->p))
		t->p++;
	return true;
}

static enum log_match take_pairs(const struct log_columns *c, struct base_text t,
                                 struct log_fields *f, struct log_refusal *why)
{
	while (t.p < t.end) {
		if (is_separator(*t.p))
			t.p++;
		else if (!take_pair(c, &t, f, why))
			return LOG_BAD;
	}
	return LOG_YES;
}

/* ---- lines -------------------------------------------------------------------------------- */

static enum log_match refuse_x(const struct base_text *line, const char *what,
                               struct log_refusal *why)
{
	*why = (struct log_refusal){ .at = line->p, .expected = what, .is_x = true };
	return LOG_BAD;
}

/* Only bits that the instruction has say what ran. */
static bool is_code_known(struct log_fields *f)
{
	const unsigned bits = 16 * hs_isa_hwords((uint16_t)f->v[F_CODE]);

	if (f->code_unknown & (bits < 64 ? ~(UINT64_MAX << bits) : UINT64_MAX))
		return false;
	if (f->code_unknown && f->code_digits > bits / 4)
		f->code_digits = (uint8_t)(bits / 4);
	return true;
}

/* Values that are x or z: what says nothing of instructions is left out. */
static enum log_match check_unknown(struct log_columns *c, struct log_fields *f,
                                    const struct base_text *line, struct log_refusal *why)
{
	static const uint8_t deciding[] = { F_PC, F_TRAP, F_INTR, F_HART };
	static const char *const names[] = { "the address", "whether it traps",
		                             "whether a handler begins", "the hart" };
	const uint64_t x = f->unknown;

	if (x >> F_VALID & 1 && !c->driven)
		return LOG_NO; /* it retires nothing until it is driven */
	if (x >> F_VALID & 1)
		return refuse_x(line, "whether something retired", why);
	c->driven = true;
	if (log_has(f, F_VALID) && !f->v[F_VALID])
		return LOG_NO;
	for (size_t i = 0; i < sizeof(deciding); i++)
		if (x >> deciding[i] & 1)
			return refuse_x(line, names[i], why);
	if (!is_code_known(f))
		return refuse_x(line, "the opcode", why);
	f->seen &= ~(x & ~(UINT64_C(1) << F_CODE));
	return LOG_YES;
}

static enum log_match check_row(struct log_columns *c, struct log_fields *f,
                                const struct base_text *line, struct log_refusal *why)
{
	const enum log_match m = check_unknown(c, f, line, why);

	if (m != LOG_YES)
		return m;
	if (log_has(f, F_PC) && log_has(f, F_CODE))
		return LOG_YES;
	*why = (struct log_refusal){ .at = line->end,
		                     .expected = log_has(f, F_PC) ? "an opcode" : "an address" };
	return LOG_BAD;
}

enum log_match log_columns_match(struct log_columns *c, const struct base_text *line,
                                 struct log_fields *f, struct log_refusal *why)
{
	struct base_text t = *line;
	enum log_match m;

	f->seen = 0;
	f->unknown = f->code_unknown = 0;
	f->interrupt = false;
	base_text_skip_blanks(&t);
	if (t.p == t.end || *t.p == '#' || c->refused)
		return LOG_NO;
	if (!c->count && memchr(t.p, '=', (size_t)(t.end - t.p))) {
		c->pairs = true;
		c->count = 1;
		c->field[0] = F_COUNT;
	}
	if (!c->count)
		return take_names(c, t, why);
	m = c->pairs ? take_pairs(c, t, f, why) : take_row(c, t, f, why);
	return m == LOG_YES ? check_row(c, f, line, why) : m;
}
