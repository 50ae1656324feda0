/* Lines by patterns (lines.def). */
#include "ingress/log_lines.h"

#include "core/mem.h"

enum log_op_kind { LITERAL, BLANKS, MAYBE_BLANKS, FIELD, REST, SURE, OPTIONAL, DONE };

static const struct {
	uint8_t format, action;
	const char *pattern;
} rows[] = {
#define HS_LOG_LINE(format, action, pattern) { LOG_##format, LOG_##action, pattern },
#include "ingress/lines.def"
#undef HS_LOG_LINE
};

/* ---- compilation -------------------------------------------------------------------------- */

static void add(struct log_patterns *p, enum log_op_kind kind, unsigned arg)
{
	if (p->ops < LOG_OPS)
		p->op[p->ops++] = (struct log_op){ (uint8_t)kind, (uint8_t)arg };
}

/* "{name}".  Returns the place of "}". */
static const char *add_field(struct log_patterns *to, const char *p)
{
	const char *end = p;

	while (*end != '}')
		end++;
	const enum log_field field = import_field_find(p, (size_t)(end - p));

	add(to, field == F_TEXT ? REST : FIELD, field);
	return end;
}

static void compile(struct log_patterns *to, const char *p)
{
	unsigned open = 0;

	for (; *p; p++) {
		switch (*p) {
		case ' ':
			add(to, BLANKS, 0);
			break;
		case '~':
			add(to, MAYBE_BLANKS, 0);
			break;
		case '!':
			add(to, SURE, 0);
			break;
		case '[':
			open = to->ops;
			add(to, OPTIONAL, 0);
			break;
		case ']':
			add(to, DONE, 0);
			to->op[open].arg = (uint8_t)(to->ops - open);
			break;
		case '{':
			p = add_field(to, p + 1);
			break;
		case '`':
			p++;
			add(to, LITERAL, (uint8_t)*p);
			break;
		default:
			add(to, LITERAL, (uint8_t)*p);
			break;
		}
	}
	add(to, DONE, 0);
}

enum begin { NOWHERE, AFTER_A_WORD, IN_A_WORD };

/* Which characters may begin a row within a line?  One that begins with a field has no character of
 * a word before it. */
static void note_begin(struct log_patterns *p, const struct log_row *row)
{
	const struct log_op *op = &p->op[row->first];
	const bool decimal = op->kind == FIELD && import_field_is_decimal(op->arg);

	if (!row->anywhere)
		return;
	if (row->literal)
		p->begins[op->arg] = IN_A_WORD;
	for (unsigned c = 0; c < 256 && !row->literal; c++)
		if (!p->begins[c] && (!decimal || (c >= '0' && c <= '9')))
			p->begins[c] = AFTER_A_WORD;
}

void import_patterns_init(struct log_patterns *p, enum log_format format)
{
	memset(p, 0, sizeof(*p));
	p->format = format;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *pattern = rows[i].pattern;
		const bool anywhere = *pattern != '^';

		if (rows[i].format != format || p->count == LOG_ROWS)
			continue;
		struct log_row *row = &p->row[p->count++];

		*row = (struct log_row){ rows[i].action, anywhere, false, (uint16_t)p->ops };
		compile(p, anywhere ? pattern : pattern + 1);
		row->literal = p->op[row->first].kind == LITERAL;
		note_begin(p, row);
	}
}

/* ---- matching ----------------------------------------------------------------------------- */

struct match {
	const struct log_op *op;
	struct log_source source;
	struct base_text text;
	struct log_fields *fields;
	struct log_refusal why;
	bool sure;
};

static bool is_blank(const struct base_text *t)
{
	return t->p < t->end && (*t->p == ' ' || *t->p == '\t');
}

static bool refuse(struct match *m, const char *expected, char literal)
{
	m->why = (struct log_refusal){ .at = m->text.p, .expected = expected, .literal = literal };
	return false;
}

/* Do the characters and blanks from @op to the next field stand here? */
static bool stands_here(struct base_text t, const struct log_op *op)
{
	for (; op->kind == LITERAL || op->kind == BLANKS || op->kind == MAYBE_BLANKS; op++) {
		if (op->kind == LITERAL && !base_text_peek(&t, (char)op->arg))
			return false;
		if (op->kind == BLANKS && !is_blank(&t))
			return false;
		if (op->kind == LITERAL)
			t.p++;
		else
			base_text_skip_blanks(&t);
	}
	return true;
}

/* Any text: up to what stands after it in the pattern, or to the end. */
static void skip_text(struct base_text *t, const struct log_op *next)
{
	const bool last = next->kind == DONE;

	while (t->p < t->end && (last || !stands_here(*t, next)))
		t->p++;
}

static bool take_op(struct match *m, const struct log_op *op)
{
	switch ((enum log_op_kind)op->kind) {
	case LITERAL:
		if (!base_text_peek(&m->text, (char)op->arg))
			return refuse(m, NULL, (char)op->arg);
		m->text.p++;
		return true;
	case BLANKS:
		if (!is_blank(&m->text))
			return refuse(m, "a blank", 0);
		base_text_skip_blanks(&m->text);
		return true;
	case MAYBE_BLANKS:
		base_text_skip_blanks(&m->text);
		return true;
	case FIELD:
		return import_field_read(&m->source, &m->text, op->arg, m->fields, &m->why);
	case REST:
		skip_text(&m->text, op + 1);
		return true;
	default:
		m->sure = true;
		return true;
	}
}

/* The ops from @op to the next DONE, without optional parts. */
static bool take_part(struct match *m, const struct log_op *op)
{
	for (; op->kind != DONE; op++)
		if (!take_op(m, op))
			return false;
	return true;
}

static void take_optional(struct match *m, const struct log_op *op)
{
	const struct match before = *m;
	const struct log_fields fields = *m->fields;

	if (take_part(m, op))
		return;
	*m = before;
	*m->fields = fields;
}

static bool take_row(struct match *m)
{
	const struct log_op *op = m->op;

	while (op->kind != DONE) {
		if (op->kind == OPTIONAL) {
			take_optional(m, op + 1);
			op += op->arg;
		} else if (take_op(m, op)) {
			op++;
		} else {
			return false;
		}
	}
	return true;
}

static void clear(struct log_fields *f)
{
	f->seen = f->unknown = 0;
	f->interrupt = false;
	f->digits = 0;
}

/* A row at the beginning of a text.  Of one that begins with a field, within a line, only all of it
 * counts. */
static enum log_match match_row(const struct log_patterns *p, const struct log_row *row,
                                const struct base_text *text, bool within, struct log_fields *f,
                                struct log_refusal *why)
{
	struct match m = {
		.op = &p->op[row->first], .source = { p->format, false }, .text = *text, .fields = f
	};

	if ((within && !row->anywhere) || (row->action == LOG_UNKNOWN && p->skip_unknown))
		return LOG_NO;
	clear(f);
	if (take_row(&m)) {
		*why = (struct log_refusal){ .at = text->p, .unknown = true };
		return row->action == LOG_UNKNOWN ? LOG_BAD : LOG_YES;
	}
	*why = m.why;
	return m.sure && (!within || row->literal) ? LOG_BAD : LOG_NO;
}

static enum log_match match_at(const struct log_patterns *p, const struct base_text *text,
                               bool within, enum log_action *action, struct log_fields *f,
                               struct log_refusal *why)
{
	for (unsigned i = 0; i < p->count; i++) {
		const enum log_match m = match_row(p, &p->row[i], text, within, f, why);

		*action = p->row[i].action;
		if (m != LOG_NO)
			return m;
	}
	f->seen = 0;
	return LOG_NO;
}

static bool is_word(char c)
{
	return base_digit(c) < 16 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

enum log_match import_patterns_match(const struct log_patterns *p, const struct base_text *line,
                                     enum log_action *action, struct log_fields *f,
                                     struct log_refusal *why)
{
	enum log_match m = match_at(p, line, false, action, f, why);
	struct base_text t = *line;

	while (m == LOG_NO && t.p < t.end && ++t.p < t.end) {
		const uint8_t begin = p->begins[(uint8_t)*t.p];

		if (begin == IN_A_WORD || (begin && !is_word(t.p[-1])))
			m = match_at(p, &t, true, action, f, why);
	}
	return m;
}
