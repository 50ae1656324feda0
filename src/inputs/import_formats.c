/* The formats of imports. */
#define _GNU_SOURCE /* memmem */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingress/import.h"
#include "inputs/fst.h"
#include "inputs/import.h"

/* ---- importers of src/ingress ------------------------------------------------------------ */

struct other_format {
	const char *name, *what;
	size_t size;
	enum hs_status (*init)(void *state, const struct hs_image *image, unsigned xlen);
	enum hs_status (*feed)(void *state, struct hs_span *in, struct hs_blocks *out);
	enum hs_status (*flush)(void *state, struct hs_blocks *out);
	uint64_t (*line)(const void *state);
};

static enum hs_status csv_init(void *s, const struct hs_image *image, unsigned xlen)
{
	return hs_csv_init(s, image->count ? image : NULL, xlen);
}

static enum hs_status pcs_init(void *s, const struct hs_image *image, unsigned xlen)
{
	(void)xlen;
	return hs_pcs_init(s, image);
}

static enum hs_status pairs_init(void *s, const struct hs_image *image, unsigned xlen)
{
	(void)xlen;
	return hs_pairs_init(s, image);
}

static enum hs_status port_text_init(void *s, const struct hs_image *image, unsigned xlen)
{
	return hs_port_text_init(s, image, xlen);
}

static enum hs_status port_cycles_init(void *s, const struct hs_image *image, unsigned xlen)
{
	const enum hs_status status = port_text_init(s, image, xlen);

	((struct hs_port_text *)s)->cycle_time = 1;
	return status;
}

/* Importers take their own type; these take any. */
#define IMPORTER(name) \
	static enum hs_status name##_feed(void *s, struct hs_span *in, struct hs_blocks *out) \
	{ \
		return hs_##name##_feed(s, in, out); \
	} \
	static enum hs_status name##_flush(void *s, struct hs_blocks *out) \
	{ \
		return hs_##name##_flush(s, out); \
	} \
	static uint64_t name##_line(const void *s) \
	{ \
		return ((const struct hs_##name *)s)->lines.number; \
	}
IMPORTER(csv)
IMPORTER(port_text)
IMPORTER(pcs)
IMPORTER(pairs)

static const struct other_format others[] = {
	{ "port", "cycles of an ingress port: rows under its signals, or PULP's NAME=VALUE",
	  sizeof(struct hs_port_text), port_text_init, port_text_feed, port_text_flush,
	  port_text_line },
	{ "port-cycles", "the same; the number of a row is its time", sizeof(struct hs_port_text),
	  port_cycles_init, port_text_feed, port_text_flush, port_text_line },
	{ "csv", "ingress rows (encoder_input of the E-Trace reference flow)",
	  sizeof(struct hs_csv), csv_init, csv_feed, csv_flush, csv_line },
	{ "pcs", "a list of PCs, one a line; needs the program", sizeof(struct hs_pcs), pcs_init,
	  pcs_feed, pcs_flush, pcs_line },
	{ "pairs",
	  "branches as pairs, source and target: NEORV32's tracer, CTR, perf's brstack; needs the "
	  "program",
	  sizeof(struct hs_pairs), pairs_init, pairs_feed, pairs_flush, pairs_line },
};

enum { OTHERS = sizeof(others) / sizeof(*others), PORT = 0, PCS = 3, PAIRS = 4 };

/* ---- all formats ------------------------------------------------------------------------- */

bool importer_get(unsigned i, struct importer *out)
{
	unsigned n = 0;

	for (; hs_log_get_format(n); n++) {
		const struct hs_log_format *f = hs_log_get_format(n);

		if (i == n) {
			*out = (struct importer){ .is = { f->name, f->what, false }, .log = f };
			return true;
		}
	}
	n = i - n;
	if (n < OTHERS)
		*out = (struct importer){ .is = { others[n].name, others[n].what, false },
			                  .other = &others[n] };
	else if (n == OTHERS)
		*out = (struct importer){ .is = { "waves",
			                          "VCD or FST: signals of an ingress port "
			                          "or of RVFI (--signal, "
			                          "--vcd-clock)",
			                          true } };
	else if (n == OTHERS + 1)
		*out = (struct importer){ .is = { "waves-cycles",
			                          "the same; the number of an edge "
			                          "is its time",
			                          true },
			                  .cycles = true };
	return n <= OTHERS + 1;
}

bool importer_find(const char *name, struct importer *out)
{
	for (unsigned i = 0; importer_get(i, out); i++)
		if (strcmp(out->is.name, name) == 0)
			return true;
	return false;
}

bool hs_import_get_format(unsigned number, struct hs_import_format *format)
{
	struct importer f;
	const bool is = importer_get(number, &f);

	if (is)
		*format = f.is;
	return is;
}

/* ---- recognition ---------------------------------------------------------------------------- */

static size_t line_of(const struct hs_span *text)
{
	const uint8_t *end = memchr(text->p, '\n', text->n);

	return end ? (size_t)(end - text->p) : text->n;
}

static bool contains(const struct hs_span *text, size_t n, const char *word)
{
	return memmem(text->p, n, word, strlen(word)) != NULL;
}

static bool is_port(const struct hs_span *first)
{
	const size_t n = line_of(first);

	return contains(first, n, "iretire")
	               ? contains(first, n, "iaddr")
	               : contains(first, n, "valid=") && contains(first, n, "exception=");
}

/* Does a line begin with a hexadecimal number, and have nothing else before a comma or blank? */
static bool is_pc(const uint8_t *p, size_t n)
{
	size_t digits = 0, at = n > 2 && p[0] == '0' && (p[1] | 32) == 'x' ? 2 : 0;

	for (; at + digits < n; digits++)
		if (!strchr("0123456789abcdefABCDEF", p[at + digits]) || !p[at + digits])
			break;
	at += digits;
	return digits >= 3 && digits <= 16 &&
	       (at == n || p[at] == ',' || p[at] == ' ' || p[at] == '\t' || p[at] == '\r');
}

static bool is_list_of_pcs(const struct hs_span *first)
{
	const bool marked = first->n >= 3 && memcmp(first->p, "\xef\xbb\xbf", 3) == 0;
	struct hs_span rest = { first->p + (marked ? 3 : 0), first->n - (marked ? 3 : 0) };
	unsigned lines = 0;

	for (; rest.n && lines < 8; lines++) {
		const size_t n = line_of(&rest);

		if (!is_pc(rest.p, n))
			return false;
		rest.p += n < rest.n ? n + 1 : n;
		rest.n -= n < rest.n ? n + 1 : n;
	}
	return lines != 0;
}

/* A dump of CTR, NEORV32's tracer, perf's stacks of branches. */
static bool is_pairs(const struct hs_span *first)
{
	static const char *const words[][2] = { { "ctrsource[", "]" },
		                                { " SRC: 0x", " DST: 0x" },
		                                { "/0x", "/-/-/" } };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (contains(first, first->n, words[i][0]) &&
		    contains(first, first->n, words[i][1]))
			return true;
	return false;
}

bool importer_detect(const struct hs_span *first, struct importer *out, uint8_t *xlen)
{
	struct hs_log_detected found;

	*xlen = contains(first, line_of(first), "valid=") ? 32 : 0; /* PULP's lines are RV32 */
	if (waves_is_vcd(first) || hs_fst_is(first))
		return importer_find("waves", out);
	if (is_port(first))
		return importer_find(others[PORT].name, out);
	hs_log_detect(first, &found);
	if (found.format) {
		*xlen = found.xlen;
		return importer_find(found.format->name, out);
	}
	if (is_pairs(first))
		return importer_find(others[PAIRS].name, out);
	return is_list_of_pcs(first) && importer_find(others[PCS].name, out);
}

bool hs_import_detect(const char *path, struct hs_import_format *format, uint8_t *xlen)
{
	uint8_t *bytes = malloc(HS_LOG_DETECT_BYTES);
	FILE *f = bytes ? fopen(path, "rbe") : NULL;
	const struct hs_span first = { bytes, f ? fread(bytes, 1, HS_LOG_DETECT_BYTES, f) : 0 };
	struct importer found;
	const bool is = first.n && importer_detect(&first, &found, xlen);

	if (f)
		fclose(f);
	free(bytes);
	if (is)
		*format = found.is;
	return is;
}

/* ---- an import ------------------------------------------------------------------------- */

/* The opcodes of a port are code. */
static enum hs_status collect_code(struct importing *i, const struct import_setup *setup)
{
	const struct hs_image *program = setup->image->count ? setup->image : NULL;
	struct hs_port_text *t = i->state;

	t->code = hs_seen_code_port;
	if (hs_seen_code_new(program, &i->seen) != HS_OK)
		return HS_E_MEMORY;
	t->code_of = i->seen;
	return HS_OK;
}

static enum hs_status open_other(struct importing *i, const struct import_setup *setup,
                                 struct hs_error *e)
{
	const struct other_format *f = i->importer.other;

	i->state = calloc(1, f->size);
	if (!i->state)
		return hs_error_set(e, HS_E_MEMORY, "out of memory");
	if (f->init(i->state, setup->image, setup->xlen) != HS_OK)
		return hs_error_set(e, HS_E_CONFIG,
		                    f == &others[PCS] || f == &others[PAIRS]
		                            ? "addresses need the program: --elf"
		                            : "--xlen is 32 or 64");
	if (f->feed == port_text_feed && collect_code(i, setup) != HS_OK)
		return hs_error_set(e, HS_E_MEMORY, "out of memory");
	return HS_OK;
}

enum hs_status importing_open(struct importing *i, const struct import_setup *setup,
                              struct hs_error *e)
{
	if (i->importer.is.waves) {
		struct waves *w = NULL;
		const enum hs_status s = waves_open(&w, &i->importer, setup, e);

		i->state = w;
		return s;
	}
	if (i->importer.log) {
		const struct hs_exec_log_options o = {
			.size = sizeof(o),
			.format = i->importer.log,
			.program = setup->image,
			.xlen = setup->image->count ? 0 : setup->xlen,
			.skip_unknown = setup->skip_unknown,
		};
		struct hs_exec_log *log = NULL;
		const enum hs_status s = hs_exec_log_new(&o, &log, e);

		i->state = log;
		return s;
	}
	return open_other(i, setup, e);
}

void importing_close(struct importing *i)
{
	if (i->importer.log)
		hs_exec_log_free(i->state);
	else if (i->importer.is.waves)
		waves_close(i->state);
	else
		free(i->state);
	hs_seen_code_free(i->seen);
}

static enum hs_status explain(const struct importing *i, enum hs_status s, struct hs_error *e)
{
	const unsigned long long line = i->importer.other->line(i->state);

	if (s == HS_OK || s == HS_MORE || s == HS_FULL)
		return s;
	if (i->importer.other->feed == port_text_feed &&
	    (s == HS_E_FIELD || s == HS_E_BLOCK || s == HS_E_UNKNOWN)) {
		const struct hs_port_fault *f =
			&((const struct hs_port_text *)i->state)->port.fault;

		if (f->why)
			return hs_error_set(e, s, "line %llu: %s: %s (%s)", line,
			                    f->signal ? f->signal : "row", f->why, f->clause);
	}
	return hs_error_set(e, s, "line %llu: %s", line, hs_status_text(s));
}

enum hs_status importing_feed(struct importing *i, struct hs_span *in, struct hs_blocks *out,
                              struct hs_error *e)
{
	if (i->importer.is.waves)
		return waves_feed(i->state, in, out, e);
	if (i->importer.log)
		return hs_exec_log_feed(i->state, in, out, e);
	return explain(i, i->importer.other->feed(i->state, in, out), e);
}

enum hs_status importing_end(struct importing *i, struct hs_blocks *out, struct hs_error *e)
{
	struct hs_seen_code_stats stats = { 0 };

	if (i->importer.is.waves)
		return waves_end(i->state, out, e);
	if (i->importer.log)
		return hs_exec_log_end(i->state, out, e);
	if (i->seen)
		hs_seen_code_get_stats(i->seen, &stats);
	if (stats.incomplete)
		return hs_error_set(e, HS_E_MEMORY, "out of memory");
	return explain(i, i->importer.other->flush(i->state, out), e);
}

struct hs_exec_log *importing_log(const struct importing *i)
{
	if (i->importer.is.waves)
		return waves_log(i->state);
	return i->importer.log ? i->state : NULL;
}

struct hs_seen_code *importing_code(const struct importing *i)
{
	struct hs_exec_log *log = importing_log(i);

	if (log)
		return hs_exec_log_seen(log);
	return i->importer.is.waves ? waves_code(i->state) : i->seen;
}
