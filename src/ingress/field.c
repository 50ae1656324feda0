/* Fields of lines: numbers, privileges, names of causes. */
#include "ingress/log_lines.h"

#include "core/mem.h"

enum read {
	NUMBER,
	NAME,
	CPU,
	LETTER,
	LEVEL,
	TIME,
	PLACE,
	MARK,
	BYTES,
	PATH,
	REGS,
	CAPITALS,
	TEXT
};

static const struct {
	const char *name, *expected;
	uint64_t max;
	uint8_t n, read, base; /* n: characters of name */
} fields[F_COUNT] = {
#define HS_LOG_FIELD(id, name, read, base, max, expected) \
	{ name, expected, max, sizeof(name) - 1, read, base },
#include "ingress/fields.def"
#undef HS_LOG_FIELD
};

static const struct {
	const char *name;
	uint8_t n, format, code, interrupt;
} causes[] = {
#define HS_LOG_CAUSE(format, code, interrupt, name) \
	{ name, sizeof(name) - 1, LOG_##format, code, interrupt },
#include "ingress/causes.def"
#undef HS_LOG_CAUSE
};

enum log_field import_field_find(const char *name, size_t n)
{
	unsigned i = 0;

	while (i < F_COUNT && (fields[i].n != n || memcmp(fields[i].name, name, n) != 0))
		i++;
	return (enum log_field)i;
}

bool import_field_is_decimal(enum log_field field)
{
	return fields[field].read == NUMBER && fields[field].base == 10;
}

static bool read_number(const struct log_source *s, struct base_text *t, enum log_field field,
                        struct log_fields *f)
{
	unsigned base = fields[field].base, digits;
	uint64_t unknown = 0;

	if (s->prefixed && (base_text_skip(t, "0x") || base_text_skip(t, "0X")))
		base = 16;
	const char *start = t->p;

	f->v[field] = s->prefixed ? base_text_number_x(t, base, &unknown)
	                          : base_text_number(t, base, NULL);
	digits = (unsigned)(t->p - start);
	f->unknown |= (uint64_t)(unknown != 0) << field;
	if (field == F_CODE)
		f->code_unknown = unknown;
	if (field == F_PC || field == F_CODE)
		*(field == F_PC ? &f->digits : &f->code_digits) =
			digits < 255 ? (uint8_t)digits : 255;
	return t->ok && f->v[field] <= fields[field].max;
}

/* The longest name of a cause that is here. */
static bool read_cause(const struct log_source *s, struct base_text *t, struct log_fields *f)
{
	size_t best = 0;

	for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++) {
		const size_t n = causes[i].n;

		if (causes[i].format != s->format || n <= best || (size_t)(t->end - t->p) < n ||
		    memcmp(t->p, causes[i].name, n) != 0)
			continue;
		best = n;
		f->v[F_CAUSE_NAME] = causes[i].code;
		f->interrupt = causes[i].interrupt != 0;
	}
	t->p += best;
	return best != 0;
}

/* "system.cpu3:": the last number of the name is the hart. */
static bool read_cpu(struct base_text *t, struct log_fields *f)
{
	uint64_t hart = 0;
	bool dot = false, before = false;

	for (; t->p < t->end && *t->p != ':' && *t->p != ' '; t->p++) {
		const bool digit = *t->p >= '0' && *t->p <= '9';

		dot |= *t->p == '.';
		if (digit)
			hart = (before ? hart * 10 : 0) + (uint64_t)(*t->p - '0');
		hart = hart > UINT32_MAX ? UINT64_C(1) << 32 : hart; /* no recording has it */
		before = digit;
	}
	f->v[F_CPU] = hart;
	return dot;
}

static bool read_letter(struct base_text *t, struct log_fields *f)
{
	static const char letters[] = "USDM"; /* by number (enum hs_priv) */
	const bool guest = base_text_skip(t, "V") || base_text_skip(t, "v"); /* VS, VU */

	if (!guest && t->end - t->p > 1 && t->p[1] == 'S')
		base_text_skip(t, "H"); /* HS */
	for (unsigned i = 0; i < (guest ? 2 : 4); i++)
		if (base_text_peek(t, letters[i]) || base_text_peek(t, (char)(letters[i] | 32))) {
			f->v[F_MODE] = i | (guest ? 4u : 0);
			t->p++;
			return true;
		}
	return false;
}

/* The same in words. */
static bool read_level(struct base_text *t, struct log_fields *f)
{
	static const char *const words[] = { "User", "Supervisor", "Debug", "Machine" };

	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (base_text_skip(t, words[i])) {
			f->v[F_MODE] = i;
			f->seen |= UINT64_C(1) << F_MODE;
			return true;
		}
	return false;
}

/* The bytes of an instruction, as they are in memory. */
static bool read_bytes(struct base_text *t, struct log_fields *f)
{
	uint64_t code = 0;
	unsigned n = 0;

	for (; n < 8 && t->end - t->p > 1 && base_digit(t->p[0]) < 16 && base_digit(t->p[1]) < 16;
	     n++) {
		code |= (uint64_t)(base_digit(t->p[0]) << 4 | base_digit(t->p[1])) << 8 * n;
		t->p += 2;
	}
	f->v[F_CODE] = code;
	f->seen |= UINT64_C(1) << F_CODE;
	f->code_digits = (uint8_t)(2 * n);
	return n >= 2 && (t->p == t->end || base_digit(*t->p) == 16);
}

/* "platform/cpu3" before a quote: a number at its end is the hart. */
static bool read_path(struct base_text *t, struct log_fields *f)
{
	uint64_t hart = 0;
	bool digit = false;

	for (; t->p < t->end && *t->p != '\''; t->p++) {
		const bool before = digit;

		digit = *t->p >= '0' && *t->p <= '9';
		hart = digit ? ((before ? hart * 10 : 0) + (uint64_t)(*t->p - '0')) & 0xffff : 0;
	}
	f->v[F_CPU] = hart;
	f->seen |= UINT64_C(1) << F_CPU;
	return t->p < t->end;
}

/* "x1=0;c835=10": of mtval, stval and vstval the trap value. */
static bool read_registers(struct base_text *t, struct log_fields *f)
{
	for (; t->p < t->end && *t->p != ','; t->p++) {
		if (!base_text_skip(t, "c835=") && !base_text_skip(t, "c323=") &&
		    !base_text_skip(t, "c579="))
			continue;
		f->v[F_TVAL] = base_text_number(t, 16, NULL);
		f->seen |= UINT64_C(1) << F_TVAL;
		if (!t->ok || (t->p < t->end && *t->p != ',' && *t->p != ';'))
			return false;
		t->p--;
	}
	return true;
}

/* A name such as LD_ACCESS_FAULT. */
static bool read_capitals(struct base_text *t)
{
	const char *start = t->p;

	while (t->p < t->end && ((*t->p >= 'A' && *t->p <= 'Z') || *t->p == '_'))
		t->p++;
	return t->p != start;
}

/* Digits, and what is up to the next blank or comma: ".00", "ns". */
static bool read_time(const struct log_source *s, struct base_text *t, struct log_fields *f)
{
	if (!read_number(s, t, F_TIME, f))
		return false;
	if (s->format != LOG_IBEX)
		return true;
	while (t->p < t->end && *t->p != ' ' && *t->p != '\t')
		t->p++;
	return true;
}

/* gem5: blanks or " @symbol", then ". 3" for a micro-op, before " : ". */
static bool read_place(struct base_text *t, struct log_fields *f)
{
	const char *p = t->p;

	while (t->end - p >= 2 && (p[0] != ' ' || p[1] != ':'))
		p++;
	if (t->end - p < 2)
		return false;
	const char *end = p;

	while (p > t->p && p[-1] >= '0' && p[-1] <= '9')
		p--;
	const char *digits = p;

	while (p > t->p && p[-1] == ' ')
		p--;
	if (p > t->p && p[-1] == '.' && digits < end) {
		struct base_text n = base_text_of(digits, (size_t)(end - digits));

		f->v[F_MICRO] = base_text_number(&n, 10, NULL);
		f->seen |= UINT64_C(1) << F_MICRO;
	}
	t->p = end;
	return true;
}

static bool read_field(const struct log_source *s, struct base_text *t, enum log_field field,
                       struct log_fields *f)
{
	switch ((enum read)fields[field].read) {
	case NUMBER:
		return read_number(s, t, field, f);
	case NAME:
		return read_cause(s, t, f);
	case CPU:
		return read_cpu(t, f);
	case LETTER:
		return read_letter(t, f);
	case LEVEL:
		return read_level(t, f);
	case BYTES:
		return read_bytes(t, f);
	case PATH:
		return read_path(t, f);
	case CAPITALS:
		return read_capitals(t);
	case REGS:
		return read_registers(t, f);
	case TIME:
		return read_time(s, t, f);
	case PLACE:
		return read_place(t, f);
	case MARK:
		f->v[field] = 1;
		return true;
	default:
		return true;
	}
}

bool import_field_read(const struct log_source *s, struct base_text *t, enum log_field field,
                       struct log_fields *f, struct log_refusal *why)
{
	const char *start = t->p;

	if (!read_field(s, t, field, f)) {
		*why = (struct log_refusal){ .at = start, .expected = fields[field].expected };
		return false;
	}
	f->seen |= UINT64_C(1) << field;
	return true;
}
