/* Which format does a log have?  The one that most of its first lines fit. */
#include <string.h>

#include "inputs/log_private.h"

#define LINES 500 /* that are looked at */

/* A line of the text; false: there is no whole one any more. */
static bool next_line(const uint8_t **p, const uint8_t *end, struct base_text *line)
{
	const uint8_t *stop = memchr(*p, '\n', (size_t)(end - *p));

	if (!stop)
		return false;
	*line = base_text_of((const char *)*p, (size_t)(stop - *p));
	import_trim_line(line);
	*p = stop + 1;
	return true;
}

struct probe {
	enum log_format format;
	unsigned lines;
	uint8_t digits, xlen; /* digits: the most that an address has */
	bool same_digits;
	bool own;  /* there is a line that only this format has */
	bool host; /* code of QEMU's host follows */
	struct log_patterns patterns;
	struct log_columns columns;
};

static void note_address(struct probe *p, const struct log_fields *f)
{
	if (!log_has(f, F_PC))
		return;
	p->same_digits = !p->digits || (p->same_digits && p->digits == f->digits);
	if (f->digits > p->digits)
		p->digits = f->digits;
	if (log_has(f, F_IXL))
		p->xlen = f->v[F_IXL] == 1 ? 32 : 64;
}

/* Spike's lines look the same but for these. */
static bool is_of_cva6(enum log_action action, const struct log_fields *f)
{
	if (action == LOG_SHOWN)
		return log_has(f, F_DASM);
	return action != LOG_RETIRED || !log_has(f, F_PRIV);
}

/* "0x...:  8082  ret": has the disassembly an instruction that RV32 lacks? */
static bool is_of_rv64(struct base_text line)
{
	static const char *const names[] = {
		"ld ",     "sd ",      "lwu ",    "sext.w ", "addiw ", "slliw ", "srliw ",
		"sraiw ",  "addw ",    "subw ",   "sllw ",   "srlw ",  "sraw ",  "mulw ",
		"divw ",   "divuw ",   "remw ",   "remuw ",  "c.ld ",  "c.sd ",  "c.ldsp ",
		"c.sdsp ", "c.addiw ", "c.addw ", "c.subw ",
	};

	base_text_skip_to(&line, ':');
	base_text_skip(&line, ":");
	base_text_skip_blanks(&line);
	base_text_skip_to(&line, ' ');
	base_text_skip_blanks(&line);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (base_text_skip(&line, names[i]))
			return true;
	return false;
}

static void probe_line(struct probe *p, const struct base_text *line)
{
	struct log_refusal why;
	struct log_fields f;
	enum log_action action;
	enum log_match m;

	if (p->format == LOG_RVVI) {
		p->own = log_rvvi_match(line, &p->xlen) == LOG_YES;
		p->lines += p->own;
		return;
	}
	m = p->patterns.count ? import_patterns_match(&p->patterns, line, &action, &f, &why)
	                      : log_columns_match(&p->columns, line, &f, &why);
	if (m != LOG_YES)
		return;
	if (action == LOG_HOST || action == LOG_START)
		p->host = action == LOG_HOST;
	if (p->host || action == LOG_NOTHING)
		return;
	/* QEMU 10 prints every other address as wide as 64 bits, and here those of RV64 that are
	 * below 4 GiB as wide as RV32's. */
	if (action == LOG_CODE && p->xlen != 64)
		p->xlen = f.digits > 8 || is_of_rv64(*line) ? 64 : 32;
	p->lines++;
	p->own |= p->format != LOG_CVA6 || is_of_cva6(action, &f);
	note_address(p, &f);
}

/* Addresses of 8 digits each are RV32's, of 16 RV64's; others say nothing, and Renode's and
 * those of Whisper's CSV have no zeros before them. */
static uint8_t xlen_of(const struct probe *p, const struct hs_log_format *f)
{
	if (p->xlen)
		return p->xlen;
	if (f->flags & HS_LOG_RV32)
		return 32;
	if (!p->same_digits || p->format == LOG_RENODE || p->format == LOG_WHISPER_CSV ||
	    f->flags & HS_LOG_PROGRAM)
		return 0;
	return p->digits == 8 ? 32 : p->digits == 16 ? 64 : 0;
}

void hs_log_probe(const struct hs_span *first, const struct hs_log_format *format,
                  struct hs_log_detected *found)
{
	const uint8_t *at = first->p, *end = first->p + first->n;
	struct base_text line;
	struct probe p;

	memset(found, 0, sizeof(*found));
	memset(&p, 0, sizeof(p));
	p.format = p.columns.format = (enum log_format)(format - hs_log_get_format(0));
	import_patterns_init(&p.patterns, p.format);
	memset(p.patterns.begins, 0, sizeof(p.patterns.begins)); /* lines as they should be */
	p.lines = log_probe_records(p.format, first, &p.xlen);
	p.own = p.lines != 0;
	if (p.lines)
		at = end;
	for (unsigned n = 0; n < LINES && next_line(&at, end, &line); n++)
		probe_line(&p, &line);
	if (p.lines && p.own)
		*found = (struct hs_log_detected){ format, p.lines, xlen_of(&p, format) };
}

void hs_log_detect(const struct hs_span *first, struct hs_log_detected *found)
{
	memset(found, 0, sizeof(*found));
	for (unsigned i = 0; hs_log_get_format(i); i++) {
		struct hs_log_detected one;

		hs_log_probe(first, hs_log_get_format(i), &one);
		if (one.lines > found->lines)
			*found = one;
	}
}
