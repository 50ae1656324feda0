/* Lines by patterns (lines.def). */
#include "import/log_lines.h"

#include "base/mem.h"

enum log_op_kind { LITERAL, BLANKS, MAYBE_BLANKS, FIELD, REST, SURE, OPTIONAL, DONE };

static const struct {
	uint8_t format, action;
	const char *pattern;
} rows[] = {
#define HS_LOG_LINE(format, action, pattern) { LOG_##format, LOG_##action, pattern },
#include "import/lines.def"
#undef HS_LOG_LINE
};

/* ---- compilation -------------------------------------------------------------------------- */

static void add(struct log_row *row, enum log_op_kind kind, unsigned arg)
{
	if (row->n < LOG_OPS)
		row->op[row->n++] = (struct log_op){ (uint8_t)kind, (uint8_t)arg };
}

/* "{name}"; text ends at the character after it.  Returns the place of "}". */
static const char *add_field(struct log_row *row, const char *p)
{
	const char *end = p;

	while (*end != '}')
		end++;
	const enum log_field field = import_field_find(p, (size_t)(end - p));

	if (field == F_TEXT)
		add(row, REST, (uint8_t)end[1]);
	else
		add(row, FIELD, field);
	return end;
}

static void compile(struct log_row *row, const char *p)
{
	unsigned open = 0;

	for (; *p; p++) {
		switch (*p) {
		case ' ':
			add(row, BLANKS, 0);
			break;
		case '~':
			add(row, MAYBE_BLANKS, 0);
			break;
		case '!':
			add(row, SURE, 0);
			break;
		case '[':
			open = row->n;
			add(row, OPTIONAL, 0);
			break;
		case ']':
			add(row, DONE, 0);
			row->op[open].arg = row->n;
			break;
		case '{':
			p = add_field(row, p + 1);
			break;
		case '`':
			p++;
			add(row, LITERAL, (uint8_t)*p);
			break;
		default:
			add(row, LITERAL, (uint8_t)*p);
			break;
		}
	}
	add(row, DONE, 0);
}

void import_patterns_init(struct log_patterns *p, enum log_format format)
{
	memset(p, 0, sizeof(*p));
	p->format = format;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].format != format || p->count == LOG_ROWS)
			continue;
		p->row[p->count].action = rows[i].action;
		compile(&p->row[p->count++], rows[i].pattern);
	}
}

/* ---- matching ----------------------------------------------------------------------------- */

struct match {
	const struct log_row *row;
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
	m->why = (struct log_refusal){ m->text.p, expected, literal };
	return false;
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
		base_text_skip_to(&m->text, (char)op->arg);
		return true;
	default:
		m->sure = true;
		return true;
	}
}

/* The ops from @at to the next DONE, without optional parts. */
static bool take_part(struct match *m, unsigned at)
{
	const struct log_op *op = m->row->op;

	for (; op[at].kind != DONE; at++)
		if (!take_op(m, &op[at]))
			return false;
	return true;
}

static void take_optional(struct match *m, unsigned at)
{
	const struct match before = *m;
	const struct log_fields fields = *m->fields;

	if (take_part(m, at))
		return;
	*m = before;
	*m->fields = fields;
}

static bool take_row(struct match *m)
{
	const struct log_op *op = m->row->op;
	unsigned at = 0;

	while (op[at].kind != DONE) {
		if (op[at].kind == OPTIONAL) {
			take_optional(m, at + 1);
			at = op[at].arg;
		} else if (take_op(m, &op[at])) {
			at++;
		} else {
			return false;
		}
	}
	return true;
}

enum log_match import_patterns_match(const struct log_patterns *p, const struct base_text *line,
                                     enum log_action *action, struct log_fields *f,
                                     struct log_refusal *why)
{
	for (unsigned i = 0; i < p->count; i++) {
		struct match m = { .row = &p->row[i],
			           .source = { p->format, false },
			           .text = *line,
			           .fields = f };

		f->seen = 0;
		f->interrupt = false;
		f->digits = 0;
		*action = p->row[i].action;
		if (take_row(&m))
			return LOG_YES;
		if (m.sure) {
			*why = m.why;
			return LOG_BAD;
		}
	}
	f->seen = 0;
	return LOG_NO;
}
