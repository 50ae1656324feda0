/* hartscope import: executions that other tools wrote down. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/file_kind.h>
#include <hartscope/vcd.h>

#include "commands/import_waves.h"
#include "common/complete.h"
#include "common/interrupt.h"
#include "common/tool.h"

struct import_options {
	struct options shared;
	const char *format;         /* NULL: the first lines show it */
	struct option_list signals; /* --signal */
	bool skip_unknown;
};

static void offer_formats(const struct completion *c)
{
	struct importer f;

	for (unsigned i = 0; importer_get(i, &f); i++)
		complete_name(c, f.name, f.what);
}

/* clang-format off */
static const struct option_row format_rows[] = {
	{ "--from", 0, "FORMAT",
	  "the format of the input, see below; without it the first lines show it",
	  AS_TEXT(struct import_options, format), .offer = offer_formats },
	{ "--hart", 0, "N", "the log's harts are numbered from N (0)", PARSED(option_hart) },
	{ "--signal", 0, "NAME=PATH",
	  "waves: the signal for iaddr_0, rvfi_insn and so on (docs/import.md)",
	  AS_LIST(struct import_options, signals, SETTINGS_MAX) },
	{ "--skip-unknown", 0, NULL,
	  "a line that begins like the format's, and is in no form of it that is known, is the "
	  "program's own: no error and no gap", AS_FLAG(struct import_options, skip_unknown) },
	{ .name = NULL }
};
/* clang-format on */

static const struct usage usage = {
	.name = "import",
	.form = "[--from FORMAT] [--elf FILE]... -o REC FILE",
	.text = "Makes a recording from what another tool wrote: the log of a simulator, emulator or\n"
		"core, or cycles of a trace ingress port.  Without --from the first lines show the\n"
		"format.  The opcodes in the lines are stored in the recording, and the code of --elf\n"
		"and --bin.  Damaged lines are reported and left out.  '-' reads standard input.",
	.list = importer_list,
	.example = "  spike -l --log-commits --log=app.log app.elf\n"
		   "  hartscope import --elf app.elf -o app.rec app.log\n"
		   "  qemu-riscv64 -d in_asm,exec,nochain -D app.log app.elf\n"
		   "  hartscope import --from qemu -o app.rec app.log\n"
		   "  hartscope import --hart 1 -o hart1.rec rvfi1.csv",
	.often = "--output --from --elf --bin --hart --signal --xlen --quiet --json",
	.options = OPTIONS(ROWS(options_output), FIRST_ROWS(options_capture, 1), ROWS(options_code),
	                   ROWS(format_rows), ROWS(options_xlen), ROWS(options_json),
	                   ROWS(options_force), ROWS(options_quiet), ROWS(options_reading)),
	.min_args = 1,
	.max_args = 1,
	.folder = true,
};

#define BATCH 4096

struct job {
	struct importing import;
	const char *path;
	FILE *in;
	struct hs_fst *fst; /* what in is read through, or NULL */
	struct hs_program *program;
	struct hs_rec_writer *writer;
	uint64_t blocks, gaps;
	uint32_t hart; /* the log's hart 0 */
	bool begun;    /* blocks were written */
	struct damage damage;
	struct hs_error error;
	uint8_t text[HS_LOG_DETECT_BYTES];
	size_t n; /* bytes in text */
	struct hs_block batch[BATCH];
	struct hs_blocks out;
};

/* ---- blocks ------------------------------------------------------------------------------ */

/* Code comes before the blocks that execute it. */
static enum hs_status write_code(struct job *j)
{
	struct hs_seen_code *seen = importing_code(&j->import);
	struct hs_section code;
	enum hs_status s = HS_OK;

	while (s == HS_OK && seen && hs_seen_code_next(seen, &code))
		s = hs_rec_write_code(j->writer, &code, &j->error);
	return s;
}

/* Harts are counted from the one of --hart, also where the log has none. */
static enum hs_status number_harts(struct job *j, size_t n)
{
	const struct hs_block first = { .kind = HS_KIND_HART, .arg = j->hart };
	const bool named = j->begun || !n || !j->hart || j->batch[0].kind == HS_KIND_HART;

	for (size_t i = 0; i < n; i++)
		if (j->batch[i].kind == HS_KIND_HART)
			j->batch[i].arg += j->hart;
	j->begun |= n != 0;
	return named ? HS_OK : hs_rec_write(j->writer, &first, 1, &j->error);
}

static enum hs_status empty(struct job *j)
{
	const size_t n = j->out.n;
	enum hs_status s = write_code(j);

	if (s == HS_OK)
		s = number_harts(j, n);
	for (size_t i = 0; i < n; i++) {
		j->blocks += j->batch[i].kind == HS_KIND_BLOCK;
		j->gaps += j->batch[i].kind == HS_KIND_GAP;
	}
	j->out.n = 0;
	return s == HS_OK && n ? hs_rec_write(j->writer, j->batch, n, &j->error) : s;
}

/* A damaged line is reported and skipped. */
static void damaged(struct job *j, const struct hs_error *why)
{
	struct hs_error e;

	hs_error_set(&e, why->status, "%s: %.400s", j->path, why->text);
	damage_add(&j->damage, &e, HS_REASON_NONE);
}

static bool is_fatal(enum hs_status s)
{
	return s == HS_E_MEMORY || s == HS_E_INTERNAL || s == HS_E_CONFIG;
}

static enum hs_status feed(struct job *j, struct hs_span in)
{
	enum hs_status s = HS_OK;

	while (in.n && s == HS_OK) {
		struct hs_error e;
		const enum hs_status f = importing_feed(&j->import, &in, &j->out, &e);

		if (is_fatal(f))
			return hs_error_set(&j->error, f, "%s", e.text);
		if (f != HS_MORE && f != HS_FULL)
			damaged(j, &e);
		s = empty(j);
	}
	return s;
}

static enum hs_status end(struct job *j)
{
	enum hs_status s = HS_OK, f = HS_FULL;

	while (s == HS_OK && f != HS_OK) {
		struct hs_error e;

		f = importing_end(&j->import, &j->out, &e);
		if (is_fatal(f))
			return hs_error_set(&j->error, f, "%s", e.text);
		if (f != HS_OK && f != HS_FULL)
			damaged(j, &e);
		s = empty(j);
		if (f != HS_FULL && j->import.importer.other)
			break;
	}
	return s;
}

static enum hs_status read_more(struct job *j)
{
	if (j->fst)
		return hs_fst_read(j->fst, j->text, sizeof(j->text), &j->n, &j->error);
	j->n = fread(j->text, 1, sizeof(j->text), j->in);
	if (!ferror(j->in))
		return HS_OK;
	return hs_error_set(&j->error, HS_E_SYSTEM, "%s: %s", j->path, strerror(errno));
}

static enum hs_status import_all(struct job *j)
{
	enum hs_status s = HS_OK;

	while (j->n && s == HS_OK && !interrupted()) {
		s = feed(j, (struct hs_span){ j->text, j->n });
		if (s == HS_OK)
			s = read_more(j);
	}
	return s == HS_OK ? end(j) : s;
}

/* ---- what is imported ----------------------------------------------------------------------- */

static enum hs_status add_code(struct job *j, const struct options *o)
{
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < o->source.code_count && s == HS_OK; i++) {
		const struct hs_code_file *f = &o->source.code[i];

		if (f->kind == HS_CODE_ELF)
			s = hs_program_add_elf(j->program, f->path, f->address, &j->error);
		else if (f->kind == HS_CODE_RAW)
			s = hs_program_add_raw(j->program, f->path, f->address, &j->error);
		else
			s = hs_error_set(&j->error, HS_E_CONFIG,
			                 "import takes no --image and no --kcore");
	}
	return s;
}

static enum hs_status open_input(struct job *j)
{
	j->in = strcmp(j->path, "-") == 0 ? stdin : fopen(j->path, "re");
	if (!j->in)
		return hs_error_set(&j->error, HS_E_SYSTEM, "%s: %s", j->path, strerror(errno));
	const enum hs_status s = read_more(j);

	if (s != HS_OK || j->n)
		return s;
	return hs_error_set(&j->error, HS_E_FORMAT, "%s is empty", j->path);
}

/* What PowerShell writes to a file begins with this byte order mark. */
static bool is_utf16(const struct hs_span *first)
{
	return first->n >= 2 && ((first->p[0] == 0xff && first->p[1] == 0xfe) ||
	                         (first->p[0] == 0xfe && first->p[1] == 0xff));
}

static enum hs_status refuse_input(struct job *j)
{
	const struct hs_span first = { j->text, j->n };
	const struct hs_file_kind *kind;

	(void)hs_file_what_bytes(&first, &kind);
	if (kind && kind->certain)
		return hs_error_set(&j->error, HS_E_FORMAT, "%s is %s: %s", j->path, kind->what,
		                    kind->hint);
	if (is_utf16(&first))
		return hs_error_set(&j->error, HS_E_FORMAT,
		                    "%s is text in UTF-16: convert it with "
		                    "iconv -f UTF-16 -t UTF-8",
		                    j->path);
	return hs_error_set(&j->error, HS_E_FORMAT,
	                    "%s has no lines of a format that is known: "
	                    "name it with --from (hartscope import --help)", j->path);
}

/* The format of the option, or of the first lines; both where a log of another format was given. */
static enum hs_status choose(struct job *j, const char *name, uint8_t *xlen)
{
	const struct hs_span first = { j->text, j->n };
	struct hs_log_detected given = { 0 };
	struct importer seen;
	const bool known = importer_detect(&first, &seen, xlen);

	if (!name) {
		j->import.importer = seen;
		return known ? HS_OK : refuse_input(j);
	}
	importer_find(name, &j->import.importer);
	if (!j->import.importer.log)
		return HS_OK;
	hs_log_probe(&first, j->import.importer.log, &given);
	*xlen = given.xlen;
	if (given.lines || !known)
		return HS_OK;
	return hs_error_set(&j->error, HS_E_FORMAT, "%s has no lines of %s; it is a log of %s: "
	                    "--from %s", j->path, name, seen.name, seen.name);
}

/* An ELF file says what XLEN is. */
static bool has_elf(const struct options *o)
{
	for (size_t i = 0; i < o->source.code_count; i++)
		if (o->source.code[i].kind == HS_CODE_ELF)
			return true;
	return false;
}

/* An FST file is read through fst2vcd. */
static enum hs_status convert(struct job *j)
{
	const struct hs_span first = { j->text, j->n };
	enum hs_status s;

	if (!j->import.importer.waves || !hs_fst_is(&first))
		return HS_OK;
	if (j->in == stdin)
		return hs_error_set(&j->error, HS_E_CONFIG, "an FST file cannot come from a pipe");
	s = hs_fst_open(fileno(j->in), j->path, &j->fst, &j->error);
	return s == HS_OK ? read_more(j) : s;
}

static enum hs_status prepare(struct job *j, const struct import_options *own)
{
	const struct options *o = &own->shared;
	struct import_setup setup = { 0 };
	enum hs_status s;

	if (hs_program_new(&j->program) != HS_OK)
		return hs_error_set(&j->error, HS_E_MEMORY, "out of memory");
	s = add_code(j, o);
	if (s == HS_OK)
		s = open_input(j);
	if (s == HS_OK)
		s = choose(j, own->format, &setup.xlen);
	if (s == HS_OK)
		s = convert(j);
	if (s != HS_OK)
		return s;
	struct hs_image *image = hs_program_image(j->program);

	if (has_elf(o))
		setup.xlen = image->isa.xlen;
	else if (o->source.xlen)
		setup.xlen = o->source.xlen;
	image->isa.xlen = setup.xlen ? setup.xlen : 64;
	setup.image = image;
	setup.clock = o->capture.vcd_clock;
	setup.signals = own->signals.at;
	setup.signal_count = own->signals.count;
	setup.skip_unknown = own->skip_unknown;
	return importing_open(&j->import, &setup, &j->error);
}

/* What HS_KIND_VERSION means, with the import as @of. */
static enum hs_status version_of(void *of, uint32_t number, struct hs_section *code)
{
	struct hs_seen_code *seen = importing_code(of);

	return seen ? hs_seen_code_version(seen, number, code) : HS_E_ARG;
}

static enum hs_status create(struct job *j, const struct options *o)
{
	const bool elf = o->source.code_count && o->source.code[0].kind == HS_CODE_ELF;
	const char *name = j->import.importer.name;
	char made_by[300];
	struct flow f = { .path = o->output,
		          .made_by = made_by,
		          .program = j->program,
		          .program_path = elf ? o->source.code[0].path : NULL };

	if (j->import.importer.log) {
		struct hs_exec_log_stats stats;

		hs_exec_log_get_stats(j->import.state, &stats);
		hs_program_image(j->program)->isa.xlen = stats.xlen;
	}
	f.versions = version_of;
	f.versions_of = &j->import;
	snprintf(made_by, sizeof(made_by), "import %s %.250s", name, j->path);
	return create_flow(&f, &j->writer, &j->error);
}

/* ---- reports --------------------------------------------------------------------------- */

static void report(const struct job *j, const struct options *o)
{
	const struct hs_log_format *format = j->import.importer.log;
	const struct hs_exec_log *log = importing_log(&j->import);
	const struct hs_seen_code *seen = importing_code(&j->import);
	struct hs_exec_log_stats stats;
	struct hs_seen_code_stats changes;
	struct report r;

	report_begin(&r, stdout, o->json);
	report_text(&r, "recording", "recording", o->output);
	report_text(&r, "format", "format", j->import.importer.name);
	if (log) {
		hs_exec_log_get_stats(log, &stats);
		report_u64(&r, "lines", "lines", stats.lines);
		if (stats.ignored || r.json)
			report_u64(&r, "ignored", "lines not of the log", stats.ignored);
		report_u64(&r, "instructions", "instructions", stats.instructions);
		report_u64(&r, "traps", "traps", stats.traps);
		report_u32(&r, "harts", "harts", stats.harts);
	}
	if (seen) {
		hs_seen_code_get_stats(seen, &changes);
		report_u64(&r, "code_changes", "code changes", changes.changes);
	}
	report_u64(&r, "blocks", "blocks", j->blocks);
	report_u64(&r, "gaps", "gaps", j->gaps);
	report_u64(&r, "errors", "errors", j->damage.count);
	report_end(&r);
	if (format && j->gaps && !j->damage.count && format->gaps[0])
		complain("%s: gaps: %s", j->path, format->gaps);
}

static int run(struct job *j, const struct import_options *own)
{
	const struct options *o = &own->shared;

	if (prepare(j, own) != HS_OK)
		return fail(&j->error);
	interrupt_watch();
	if (create(j, o) != HS_OK)
		return fail(&j->error);
	const enum hs_status s = import_all(j);

	if (interrupted()) {
		hs_rec_discard(j->writer);
		interrupt_end();
	}
	if (s != HS_OK) {
		const int status = fail(&j->error);

		hs_rec_finish(j->writer, false, "cut", NULL);
		return status;
	}
	if (!j->blocks) {
		hs_rec_discard(j->writer);
		hs_error_set(&j->error, HS_E_FORMAT, "%s: no execution in the format '%s' is in it",
		             j->path, j->import.importer.name);
		return fail_file(j->path, &j->error);
	}
	if (hs_rec_finish(j->writer, true, "end of the input", &j->error) != HS_OK)
		return fail(&j->error);
	if (!o->quiet || o->json)
		report(j, o);
	return damage_exit(&j->damage);
}

int cmd_import(int argc, char **argv)
{
	struct importer named;
	struct import_options own = { .format = NULL };
	struct options *o = &own.shared;
	struct job *j;
	int status;

	if (!options_parse(&usage, argc, argv, o, &status))
		return status;
	if (!o->output) {
		complain("import needs -o REC");
		return EXIT_USAGE;
	}
	if (own.format && !importer_find(own.format, &named)) {
		complain("no format '%s': hartscope import --help", own.format);
		return EXIT_USAGE;
	}
	j = calloc(1, sizeof(*j));
	if (!j) {
		complain("out of memory");
		return EXIT_USAGE;
	}
	j->path = o->args[0];
	j->hart = o->source.hart;
	j->out = (struct hs_blocks){ j->batch, BATCH, 0 };
	status = run(j, &own);
	if (j->in && j->in != stdin)
		fclose(j->in);
	hs_fst_close(j->fst);
	importing_close(&j->import);
	hs_program_free(j->program);
	free(j);
	return status;
}
