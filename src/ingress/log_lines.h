/* Lines of execution logs by patterns (lines.def), for src/inputs. */
#ifndef HS_IMPORT_LOG_LINES_H
#define HS_IMPORT_LOG_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/text.h"

/* ---- formats, fields ---------------------------------------------------------------------- */

enum log_format {
#define HS_LOG_FORMAT(id, ...) LOG_##id,
#include "ingress/log_formats.def"
#undef HS_LOG_FORMAT
	LOG_FORMATS
};

enum log_field {
#define HS_LOG_FIELD(id, ...) F_##id,
#include "ingress/fields.def"
#undef HS_LOG_FIELD
	F_COUNT
};

enum log_action {
	LOG_RETIRED,
	LOG_SHOWN,
	LOG_TRAP,
	LOG_TVAL,
	LOG_BLOCK,
	LOG_UNDONE,
	LOG_REWOUND,
	LOG_START,
	LOG_PRIV,
	LOG_CODE,
	LOG_HOST,
	LOG_HANDLER,
	LOG_TIMES,
	LOG_NOTHING,
	LOG_UNKNOWN
};

_Static_assert(F_COUNT <= 64, "a bit for each field");

/* What a line has. */
struct log_fields {
	uint64_t v[F_COUNT];
	uint64_t seen;  /* bit: enum log_field */
	uint8_t digits; /* of PC */
	uint8_t code_digits;
	bool interrupt;        /* CAUSE_NAME is an interrupt's */
	uint64_t unknown;      /* bit: enum log_field that is seen, and has digits x or z */
	uint64_t code_unknown; /* bits of CODE that are */
};

static inline bool log_has(const struct log_fields *f, enum log_field field)
{
	return (f->seen >> field & 1u) != 0;
}

/* Spike prints a commit of an access of a vector to memory even where an element of it faults. */
static inline bool log_may_fault(const struct log_fields *f)
{
	const unsigned opcode = f->v[F_CODE] & 0x7fu, width = f->v[F_CODE] >> 12 & 7u;

	return (opcode == 0x07 || opcode == 0x27) && (width == 0 || width > 4);
}

/* Why a line was refused: where, and what was expected. */
struct log_refusal {
	const char *at;       /* in the line */
	const char *expected; /* NULL: @literal */
	char literal;
	bool unknown; /* it begins like a line of the format (LOG_UNKNOWN) */
	bool is_x;    /* @expected is there, and is x or z */
};

/* field.c: read a field of a line; false, and *why, when it is not there.  With @prefixed numbers
 * may begin with 0x, and have digits that are x or z. */
struct log_source {
	enum log_format format;
	bool prefixed;
};
bool import_field_read(const struct log_source *s, struct base_text *t, enum log_field field,
                       struct log_fields *f, struct log_refusal *why);
enum log_field import_field_find(const char *name, size_t n); /* F_COUNT: none */
bool import_field_is_decimal(enum log_field field);

/* Leave out what is no text of a line: a byte order mark before it, a carriage return after it. */
static inline void import_trim_line(struct base_text *line)
{
	base_text_skip_mark(line);
	if (line->p < line->end && line->end[-1] == '\r')
		line->end--;
}

/* ---- patterns (pattern.c) ----------------------------------------------------------------- */

#define LOG_OPS 768
#define LOG_ROWS 24

/* A compiled row of lines.def. */
struct log_row {
	uint8_t action; /* enum log_action */
	bool anywhere;  /* text of the program may stand before it */
	bool literal;   /* it begins with a character that it names */
	uint16_t first; /* of its ops */
};

struct log_patterns {
	enum log_format format;
	bool skip_unknown;   /* rows with LOG_UNKNOWN fit nothing */
	uint8_t begins[256]; /* by character: may a row begin with it within a line? */
	unsigned count, ops;
	struct log_row row[LOG_ROWS];
	struct log_op {
		uint8_t kind; /* enum log_op_kind */
		uint8_t arg; /* a character, enum log_field, or how many ops an optional part has */
	} op[LOG_OPS];
};

enum log_match { LOG_NO, LOG_YES, LOG_BAD };

void import_patterns_init(struct log_patterns *p, enum log_format format);
/* The first row that fits, at the beginning of the line; else where text of the program stands
 * before it.  LOG_BAD: the line is known, but damaged, or in a form that is not known. */
enum log_match import_patterns_match(const struct log_patterns *p, const struct base_text *line,
                                     enum log_action *action, struct log_fields *f,
                                     struct log_refusal *why);

#endif
