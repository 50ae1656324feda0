/* A recording of what another tool wrote. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "inputs/fst.h"
#include "inputs/import.h"
#include "recording/recording.h"

#define BATCH 4096

struct hs_import {
	struct hs_import_options o;
	struct importing import;
	FILE *in;
	struct hs_fst *fst; /* what in is read through, or NULL */
	struct hs_program *program;
	struct hs_rec_writer *writer; /* while it is written */
	char made_by[300];
	uint64_t blocks, gaps, errors;
	bool begun; /* blocks were written */
	uint8_t text[HS_LOG_DETECT_BYTES];
	size_t n; /* bytes in text */
	struct hs_block batch[BATCH];
	struct hs_blocks out;
};

/* ---- what is imported ----------------------------------------------------------------------- */

static enum hs_status add_code(struct hs_import *i, struct hs_error *e)
{
	enum hs_status s = HS_OK;

	for (size_t k = 0; k < i->o.code_count && s == HS_OK; k++) {
		const struct hs_code_file *f = &i->o.code[k];

		if (f->kind == HS_CODE_ELF)
			s = hs_program_add_elf(i->program, f->path, f->address, e);
		else if (f->kind == HS_CODE_RAW)
			s = hs_program_add_raw(i->program, f->path, f->address, e);
		else
			s = hs_error_set(e, HS_E_CONFIG, "import takes no --image and no --kcore");
	}
	return s;
}

static enum hs_status read_more(struct hs_import *i, struct hs_error *e)
{
	if (i->fst)
		return hs_fst_read(i->fst, i->text, sizeof(i->text), &i->n, e);
	i->n = fread(i->text, 1, sizeof(i->text), i->in);
	if (!ferror(i->in))
		return HS_OK;
	return hs_error_set(e, HS_E_SYSTEM, "%s: %s", i->o.path, strerror(errno));
}

static enum hs_status open_input(struct hs_import *i, struct hs_error *e)
{
	i->in = strcmp(i->o.path, "-") == 0 ? stdin : fopen(i->o.path, "re");
	if (!i->in)
		return hs_error_set(e, HS_E_SYSTEM, "%s: %s", i->o.path, strerror(errno));
	const enum hs_status s = read_more(i, e);

	if (s != HS_OK || i->n)
		return s;
	return hs_error_set(e, HS_E_FORMAT, "%s is empty", i->o.path);
}

/* What PowerShell writes to a file begins with this byte order mark. */
static bool is_utf16(const struct hs_span *first)
{
	return first->n >= 2 && ((first->p[0] == 0xff && first->p[1] == 0xfe) ||
	                         (first->p[0] == 0xfe && first->p[1] == 0xff));
}

static enum hs_status refuse_input(const struct hs_import *i, struct hs_error *e)
{
	const struct hs_span first = { i->text, i->n };
	const struct hs_file_kind *kind;

	(void)hs_file_what_bytes(&first, &kind);
	if (kind && kind->certain)
		return hs_error_set(e, HS_E_FORMAT, "%s is %s: %s", i->o.path, kind->what,
		                    kind->hint);
	if (is_utf16(&first))
		return hs_error_set(e, HS_E_FORMAT,
		                    "%s is text in UTF-16: convert it with "
		                    "iconv -f UTF-16 -t UTF-8",
		                    i->o.path);
	return hs_error_set(e, HS_E_FORMAT,
	                    "%s has no lines of a format that is known: "
	                    "name it with --from (hartscope import --help)",
	                    i->o.path);
}

/* The format that is asked for, or of the first lines; both where a log of another format was
 * given. */
static enum hs_status choose(struct hs_import *i, uint8_t *xlen, struct hs_error *e)
{
	const struct hs_span first = { i->text, i->n };
	const char *name = i->o.format;
	struct hs_log_detected given = { 0 };
	struct importer seen;
	const bool known = importer_detect(&first, &seen, xlen);

	if (!name) {
		i->import.importer = seen;
		return known ? HS_OK : refuse_input(i, e);
	}
	importer_find(name, &i->import.importer);
	if (!i->import.importer.log)
		return HS_OK;
	hs_log_probe(&first, i->import.importer.log, &given);
	*xlen = given.xlen;
	if (given.lines || !known)
		return HS_OK;
	return hs_error_set(e, HS_E_FORMAT,
	                    "%s has no lines of %s; it is a log of %s: "
	                    "--from %s",
	                    i->o.path, name, seen.is.name, seen.is.name);
}

/* An ELF file says what XLEN is. */
static bool has_elf(const struct hs_import_options *o)
{
	for (size_t i = 0; i < o->code_count; i++)
		if (o->code[i].kind == HS_CODE_ELF)
			return true;
	return false;
}

/* An FST file is read through fst2vcd. */
static enum hs_status convert(struct hs_import *i, struct hs_error *e)
{
	const struct hs_span first = { i->text, i->n };
	enum hs_status s;

	if (!i->import.importer.is.waves || !hs_fst_is(&first))
		return HS_OK;
	if (i->in == stdin)
		return hs_error_set(e, HS_E_CONFIG, "an FST file cannot come from a pipe");
	s = hs_fst_open(fileno(i->in), i->o.path, &i->fst, e);
	return s == HS_OK ? read_more(i, e) : s;
}

/* The importer; @shown is the XLEN that the first lines show. */
static enum hs_status start(struct hs_import *i, uint8_t shown, struct hs_error *e)
{
	struct hs_image *image = hs_program_image(i->program);
	struct import_setup setup = {
		.image = image,
		.xlen = has_elf(&i->o) ? image->isa.xlen
		        : i->o.xlen    ? i->o.xlen
		                       : shown,
		.clock = i->o.clock,
		.signals = i->o.signals,
		.signal_count = i->o.signal_count,
		.skip_unknown = i->o.skip_unknown,
	};

	image->isa.xlen = setup.xlen ? setup.xlen : 64;
	return importing_open(&i->import, &setup, e);
}

static enum hs_status prepare(struct hs_import *i, struct hs_error *e)
{
	uint8_t xlen = 0;
	enum hs_status s = HS_OK;

	if (i->o.format && !importer_find(i->o.format, &i->import.importer))
		return hs_error_set(e, HS_E_CONFIG, "no format '%s'", i->o.format);
	if (hs_program_new(&i->program) != HS_OK)
		return hs_error_set(e, HS_E_MEMORY, "out of memory");
	s = add_code(i, e);
	if (s == HS_OK)
		s = open_input(i, e);
	if (s == HS_OK)
		s = choose(i, &xlen, e);
	if (s == HS_OK)
		s = convert(i, e);
	return s == HS_OK ? start(i, xlen, e) : s;
}

enum hs_status hs_import_open(const struct hs_import_options *options, struct hs_import **import,
                              struct hs_error *error)
{
	struct hs_import *i = calloc(1, sizeof(*i));
	enum hs_status s;

	*import = NULL;
	if (!i)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	if (base_take_config(&i->o, sizeof(i->o), options) != HS_OK || !i->o.path)
		s = hs_error_set(error, HS_E_CONFIG,
		                 "struct hs_import_options: wrong size, or no path");
	else
		s = prepare(i, error);
	if (s != HS_OK) {
		hs_import_close(i);
		return s;
	}
	i->out = (struct hs_blocks){ i->batch, BATCH, 0 };
	snprintf(i->made_by, sizeof(i->made_by), "import %s %.250s", i->import.importer.is.name,
	         i->o.path);
	*import = i;
	return HS_OK;
}

void hs_import_close(struct hs_import *i)
{
	if (!i)
		return;
	if (i->in && i->in != stdin)
		fclose(i->in);
	hs_fst_close(i->fst);
	importing_close(&i->import);
	hs_program_free(i->program);
	free(i);
}

const char *hs_import_made_by(const struct hs_import *i)
{
	return i->made_by;
}

/* ---- blocks ------------------------------------------------------------------------------ */

/* Code comes before the blocks that execute it. */
static enum hs_status write_code(struct hs_import *i, struct hs_error *e)
{
	struct hs_seen_code *seen = importing_code(&i->import);
	struct hs_section code;
	enum hs_status s = HS_OK;

	while (s == HS_OK && seen && hs_seen_code_next(seen, &code))
		s = hs_rec_write_code(i->writer, &code, e);
	return s;
}

/* Harts are counted from the option's, also where the text has none. */
static enum hs_status number_harts(struct hs_import *i, size_t n, struct hs_error *e)
{
	const struct hs_block first = { .kind = HS_KIND_HART, .arg = i->o.hart };
	const bool named = i->begun || !n || !i->o.hart || i->batch[0].kind == HS_KIND_HART;

	for (size_t k = 0; k < n; k++)
		if (i->batch[k].kind == HS_KIND_HART)
			i->batch[k].arg += i->o.hart;
	i->begun |= n != 0;
	return named ? HS_OK : hs_rec_write(i->writer, &first, 1, e);
}

static enum hs_status empty(struct hs_import *i, struct hs_error *e)
{
	const size_t n = i->out.n;
	enum hs_status s = write_code(i, e);

	if (s == HS_OK)
		s = number_harts(i, n, e);
	for (size_t k = 0; k < n; k++) {
		i->blocks += i->batch[k].kind == HS_KIND_BLOCK;
		i->gaps += i->batch[k].kind == HS_KIND_GAP;
	}
	i->out.n = 0;
	return s == HS_OK && n ? hs_rec_write(i->writer, i->batch, n, e) : s;
}

/* A damaged line is reported and skipped. */
static void damaged(struct hs_import *i, const struct hs_error *why)
{
	struct hs_error e;

	i->errors++;
	hs_error_set(&e, why->status, "%s: %.400s", i->o.path, why->text);
	if (i->o.report)
		i->o.report(i->o.to, &e);
}

static bool is_fatal(enum hs_status s)
{
	return s == HS_E_MEMORY || s == HS_E_INTERNAL || s == HS_E_CONFIG;
}

static enum hs_status feed(struct hs_import *i, struct hs_span in, struct hs_error *e)
{
	enum hs_status s = HS_OK;

	while (in.n && s == HS_OK) {
		struct hs_error own;
		const enum hs_status f = importing_feed(&i->import, &in, &i->out, &own);

		if (is_fatal(f))
			return hs_error_set(e, f, "%s", own.text);
		if (f != HS_MORE && f != HS_FULL)
			damaged(i, &own);
		s = empty(i, e);
	}
	return s;
}

static enum hs_status end(struct hs_import *i, struct hs_error *e)
{
	enum hs_status s = HS_OK, f = HS_FULL;

	while (s == HS_OK && f != HS_OK) {
		struct hs_error own;

		f = importing_end(&i->import, &i->out, &own);
		if (is_fatal(f))
			return hs_error_set(e, f, "%s", own.text);
		if (f != HS_OK && f != HS_FULL)
			damaged(i, &own);
		s = empty(i, e);
		if (f != HS_FULL && i->import.importer.other)
			break;
	}
	return s;
}

static bool is_stopped(const struct hs_import *i)
{
	return i->o.stop && i->o.stop(i->o.to);
}

static enum hs_status import_all(struct hs_import *i, struct hs_error *e)
{
	enum hs_status s = HS_OK;

	while (i->n && s == HS_OK && !is_stopped(i)) {
		s = feed(i, (struct hs_span){ i->text, i->n }, e);
		if (s == HS_OK)
			s = read_more(i, e);
	}
	return s == HS_OK ? end(i, e) : s;
}

/* ---- the recording ----------------------------------------------------------------------- */

/* What HS_KIND_VERSION means, with the import as @of. */
static enum hs_status version_of(void *of, uint32_t number, struct hs_section *code)
{
	struct hs_seen_code *seen = importing_code(of);

	return seen ? hs_seen_code_version(seen, number, code) : HS_E_ARG;
}

static enum hs_status create(struct hs_import *i, const char *path, struct hs_error *e)
{
	const bool elf = i->o.code_count && i->o.code[0].kind == HS_CODE_ELF;
	const struct hs_rec_writer_options wo = {
		.size = sizeof(wo),
		.program = elf ? i->o.code[0].path : NULL,
		.source = i->made_by,
		.versions = version_of,
		.versions_of = &i->import,
	};

	if (i->import.importer.log) {
		struct hs_exec_log_stats stats;

		hs_exec_log_get_stats(i->import.state, &stats);
		hs_program_image(i->program)->isa.xlen = stats.xlen;
	}
	return hs_rec_create_of(path, i->program, &wo,
	                        &(struct hs_rec_notes){ i->o.report, i->o.to }, &i->writer, e);
}

static void sum_up(const struct hs_import *i, struct hs_import_result *r)
{
	const struct hs_log_format *format = i->import.importer.log;
	const struct hs_exec_log *log = importing_log(&i->import);
	const struct hs_seen_code *seen = importing_code(&i->import);

	*r = (struct hs_import_result){
		.is_log = log != NULL,
		.has_code = seen != NULL,
		.blocks = i->blocks,
		.gaps = i->gaps,
		.errors = i->errors,
		.format = i->import.importer.is.name,
		.gap_cause = format ? format->gaps : "",
	};
	if (log) {
		struct hs_exec_log_stats stats;

		hs_exec_log_get_stats(log, &stats);
		r->lines = stats.lines;
		r->ignored = stats.ignored;
		r->instructions = stats.instructions;
		r->traps = stats.traps;
		r->harts = stats.harts;
	}
	if (seen) {
		struct hs_seen_code_stats stats;

		hs_seen_code_get_stats(seen, &stats);
		r->code_changes = stats.changes;
	}
}

enum hs_status hs_import_write(struct hs_import *i, const char *path,
                               struct hs_import_result *result, struct hs_error *error)
{
	enum hs_status s = create(i, path, error);

	if (s != HS_OK)
		return s;
	s = import_all(i, error);
	sum_up(i, result);
	if (is_stopped(i)) {
		hs_rec_discard(i->writer);
		return hs_error_set(error, HS_E_CUT, "%s: stopped", i->o.path);
	}
	if (s != HS_OK) {
		hs_rec_finish(i->writer, false, "cut", NULL);
		return s;
	}
	if (!i->blocks) {
		hs_rec_discard(i->writer);
		return hs_error_set(error, HS_E_FORMAT,
		                    "%s: no execution in the format '%s' is in it", i->o.path,
		                    i->import.importer.is.name);
	}
	return hs_rec_finish(i->writer, true, "end of the input", error);
}
