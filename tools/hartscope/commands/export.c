/* hartscope export: calls and costs for the tools of others. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hartscope/encode.h>
#include <hartscope/views.h>

#include "commands/export_port.h"
#include "commands/export_waves.h"
#include "common/complete.h"
#include "common/overwrite.h"
#include "common/sandbox.h"
#include "common/thread_order.h"

/* ---- formats ------------------------------------------------------------------------- */

/* Another command writes it, of which it is an option's value. */
static const struct other {
	const char *name, *text;
	int (*run)(int argc, char **argv);
	const char *command, *option;
} others[] = {
	{ "perf-data", "samples with branch records, as CTR would give them to perf", cmd_ctr,
	  "ctr", "--export" },
	{ "lcov", "coverage by line and branch direction, for lcov and genhtml", cmd_coverage,
	  "coverage", "--format" },
	{ "gcov-json", "the same as gcov --json-format", cmd_coverage, "coverage", "--format" },
	{ "cobertura", "the same as XML, for servers of continuous integration", cmd_coverage,
	  "coverage", "--format" },
};

#define OTHERS (sizeof(others) / sizeof(*others))

static void list_formats(FILE *to)
{
	const struct hs_export_format *f;
	const char *name, *text;

	fprintf(to, "\nFormats:\n");
	for (size_t i = 0; (f = hs_export_format_at(i)); i++)
		usage_row(to, f->name, 14, f->text);
	for (size_t i = 0; (name = hs_rows_format(i, &text)); i++)
		usage_row(to, name, 14, text);
	for (size_t i = 0; (name = wave_format_at(i, &text)); i++)
		usage_row(to, name, 14, text);
	for (size_t i = 0; i < OTHERS; i++) {
		char help[200];

		snprintf(help, sizeof(help), "%s (hartscope %s)", others[i].text,
		         others[i].command);
		usage_row(to, others[i].name, 14, help);
	}
}

struct export_options {
	struct options shared;
	const char *format;
	uint64_t depth;    /* 0: all */
	uint64_t interval; /* 0: the library's */
	uint64_t clock_hz; /* --clock; 0: none */
};

static bool parse_format(void *to, const struct option_row *r, char *value)
{
	const char **format = to;

	(void)r;
	if (strcmp(value, "fst") == 0)
		sandbox_allow_fst();
	*format = value;
	return true;
}

static bool parse_clock(void *options, const struct option_row *r, char *value)
{
	struct export_options *o = options;

	return option_time(o, r, value) && read_number(r->name, value, UINT64_MAX, &o->clock_hz);
}

static void offer_formats(const struct completion *c)
{
	const struct hs_export_format *f;
	const char *name, *text;

	for (size_t i = 0; (f = hs_export_format_at(i)); i++)
		complete_name(c, f->name, f->text);
	for (size_t i = 0; (name = hs_rows_format(i, &text)); i++)
		complete_name(c, name, text);
}

/* clang-format off */
static const struct option_row format_rows[] = {
	{ "--format", 0, "FORMAT", "what to write, see below",
	  AS_PARSED(struct export_options, format, parse_format), .offer = offer_formats },
	{ .name = NULL }
};

static const struct option_row clock_rows[] = {
	{ "--interval", 0, "N", "bbv: instructions of an interval (100,000,000)",
	  AS_NUMBER(struct export_options, interval, 0) },
	{ "--clock", 0, "HZ",
	  "the time axis has the times of the flow, of HZ ticks a second; of a recording without "
	  "times those are cycles", PARSED(parse_clock) },
	{ .name = NULL }
};
/* clang-format on */

static const struct usage usage = {
	.name = "export",
	.form = "--format FORMAT [-o FILE] [--depth N] [--elf FILE]... REC|FLOW|TRACE",
	.text = "Writes calls and what they cost in instructions in a format that another tool\n"
		"reads.  Calls are those of hartscope calls: exact through tail calls, longjmp,\n"
		"exceptions, signals, traps and coroutines.  On a time axis an instruction of a\n"
		"hart takes a nanosecond, unless --clock is given.  In perfetto, ctf and chrome\n"
		"threads of a recorded program begin, and go on after waits for others, where\n"
		"their system calls say.\n\n"
		"Rows of the ingress port are\n"
		"those of a port that --set port.NAME=VALUE describes (docs/rtl.md), with\n"
		"port.idle=PERCENT of idle cycles by port.seed=N.",
	.list = list_formats,
	.example = "  hartscope export --format callgrind -o callgrind.out app.rec\n"
		   "  callgrind_annotate callgrind.out\n"
		   "  hartscope export --format chrome --depth 8 -o app.json app.rec\n"
		   "  hartscope export --format sqlite -o app.db app.rec\n"
		   "  hartscope export --format port-hex --set port.slots=2 -o app.hex app.rec\n"
		   "  hartscope export --format vcd -o app.vcd app.nt\n"
		   "  hartscope export --format folded app.rec | flamegraph.pl >app.svg\n"
		   "  hartscope export --format pprof -o app.pb app.rec && pprof -http=: app.pb\n"
		   "  hartscope export --format bbv --interval 10000000 -o app.bb app.rec",
	.often = "--output --format --elf --set --auto --depth --clock --from --to --quiet",
	.options = OPTIONS(ROWS(options_output), OPTIONS_TRACE, OPTIONS_GUEST, ROWS(format_rows),
	                   OPTIONS_VIEW, ROWS(clock_rows), ROWS(options_cycles),
	                   ROWS_AT(options_depth, struct export_options, depth), ROWS(options_xlen),
	                   ROWS(options_jobs), ROWS(options_force), ROWS(options_quiet),
	                   ROWS(options_reading)),
	.min_args = 1,
	.max_args = 1,
	.temporary = true,
};

/* Run another command with the same arguments, but for the option. */
static int run_other(const struct other *other, int argc, char **argv)
{
	char **own = calloc((size_t)argc + 1, sizeof(*own));
	int status = EXIT_USAGE;

	if (!own)
		complain("out of memory");
	for (int i = 0; own && i < argc; i++)
		own[i] = (char *)(uintptr_t)(i == 0                             ? other->command
		                             : strcmp(argv[i], "--format") == 0 ? other->option
		                                                                : argv[i]);
	if (own)
		status = other->run(argc, own);
	free(own);
	return status;
}

/* ---- the library's formats -------------------------------------------------------------- */

static bool to_file(void *context, const void *bytes, size_t n)
{
	return write_all(*(const int *)context, bytes, n);
}

struct job {
	const struct export_options *own;
	struct option_settings port;
	struct hs_export *export;
	enum hs_status status;
	const char *folder; /* of a format that is one; NULL */
	struct thread_order order;
};

static void note_lacks(const struct hs_export_report *x)
{
	const struct hs_call_tree_result calls = { .instructions = x->instructions,
		                                   .unsure = x->unsure,
		                                   .full = x->full,
		                                   .forgotten = x->forgotten };

	note_calls(&calls);
	if (x->cut)
		complain("%llu instructions count for a caller of their function: a path has 512 "
		         "levels here; other formats have all of them",
		         (unsigned long long)x->cut);
}

static int write_export(struct hs_source *source, const struct options *o, struct job *j,
                        struct damage *damage)
{
	const struct hs_counts_options co = { .size = sizeof(co),
		                              .source = source,
		                              .export_to = j->export };
	const struct block_look look = { "exporting", o->quiet, true, damage };
	struct hs_export_report report = { 0 };
	struct hs_counts *run = NULL;

	j->status = hs_counts_new(&co, &run);
	if (j->status == HS_OK)
		j->status = count_source(&look, source, run);
	hs_counts_free(run);
	if (j->status == HS_OK)
		j->status = hs_export_end(j->export, &report);
	if (j->status == HS_E_MEMORY)
		complain("out of memory");
	else if (j->status == HS_E_SYSTEM && !output_is_unwritten()) {
		complain("%s: cannot be written (is there room on the disk?)", o->output);
		note_unwritten();
	}
	if (j->status != HS_OK)
		return EXIT_DAMAGED;
	if (nothing_to_show(damage, false))
		return EXIT_FINDINGS;
	if (!report.instructions) {
		complain("%s has no instruction whose code is known: nothing is exported",
		         o->args[0]);
		return EXIT_FINDINGS;
	}
	note_lacks(&report);
	if (!o->quiet && o->output && strcmp(o->output, "-") != 0)
		fprintf(stderr, "hartscope: %s: %llu instructions, %llu calls\n", o->output,
		        (unsigned long long)report.instructions, (unsigned long long)report.calls);
	return EXIT_GOOD;
}

/* ---- threads on one axis ------------------------------------------------------------------ */

/* Has the format one axis for all harts, and the recording threads whose order it may know? */
static bool wants_order(struct hs_source *source, const struct options *o, const struct job *j)
{
	const char *const formats[] = { "perfetto", "ctf", "chrome" };
	const uint32_t *harts;
	struct hs_error e = { 0 };
	uint32_t n;
	bool axis = false;

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		axis |= strcmp(j->own->format, formats[i]) == 0;
	return axis && !j->own->clock_hz && !o->range.given && hs_source_known(source)->info &&
	       hs_source_get_harts(source, &harts, &n, &e) == HS_OK && n > 1;
}

/* Read the system calls of the threads first.  False, after a complaint: no second reading. */
static bool find_order(struct hs_source *source, const struct options *o, struct job *j)
{
	const struct hs_counts_options co = { .size = sizeof(co),
		                              .what = HS_COUNTS_TRAPS,
		                              .source = source,
		                              .trap = thread_order_take,
		                              .trap_to = &j->order };
	struct damage silent = { .silent = true };
	const struct block_look look = { "reading system calls", o->quiet, false, &silent };
	struct hs_traps_result all;
	struct hs_counts *calls = NULL;
	struct hs_error e = { 0 };
	const bool good = hs_counts_new(&co, &calls) == HS_OK &&
	                  count_source(&look, source, calls) == HS_OK &&
	                  hs_counts_get_traps(calls, &all) == HS_OK;

	hs_counts_free(calls);
	if (!good || !thread_order_solve(&j->order))
		j->order.place_count = 0;
	if (hs_source_rewind(source, &e) == HS_OK)
		return true;
	fail(&e);
	return false;
}

static void note_order(const struct job *j, bool wanted)
{
	if (wanted && !j->order.place_count)
		complain("the threads are not aligned: each begins at 0");
	else if (j->order.unsure)
		complain("of %llu waits for other threads the end of %llu is not known: from "
		         "there on threads may be aligned too early",
		         (unsigned long long)j->order.waits, (unsigned long long)j->order.unsure);
}

/* ---- the file ------------------------------------------------------------------------------- */

static int export_to(struct hs_source *source, const struct options *o, struct job *j,
                     struct new_file *file, struct damage *damage)
{
	const bool ordered = wants_order(source, o, j);

	if (ordered && !find_order(source, o, j))
		return EXIT_DAMAGED;
	const struct hs_export_options x = {
		.size = sizeof(x),
		.format = j->own->format,
		.depth = (uint32_t)j->own->depth,
		.title = o->args[0],
		.program = hs_source_known(source)->program,
		.programs = hs_source_known(source)->programs,
		.guest = hs_source_known(source)->guest,
		.write = to_file,
		.context = &file->fd,
		.path = j->folder ? j->folder : file->temporary,
		.clock_hz = j->own->clock_hz,
		.interval = j->own->interval,
		.places = j->order.places,
		.place_count = j->order.place_count,
		.threads = (uint32_t)o->jobs,
	};
	struct hs_error e = { 0 };

	if (hs_export_new(&x, &j->export, &e) != HS_OK) {
		if (e.status == HS_E_CONFIG && !file->temporary)
			complain("%s is a file: -o says which", j->own->format);
		else
			fail(&e);
		return exit_of(e.status);
	}
	int status = write_export(source, o, j, damage);

	hs_export_free(j->export);
	note_order(j, ordered);
	if (j->status == HS_OK && status == EXIT_GOOD && !new_file_commit(file))
		status = EXIT_DAMAGED;
	return status;
}

static bool is_folder(const char *format)
{
	const struct hs_export_format *f;

	for (size_t i = 0; (f = hs_export_format_at(i)); i++)
		if (strcmp(f->name, format) == 0)
			return f->is_folder;
	return false;
}

/* The folder of an export is new, or empty, or replaced with --force, file by file. */
static int export_folder(struct hs_source *source, const struct options *o, struct job *j,
                         struct damage *damage)
{
	struct new_file none = { .fd = STDOUT_FILENO };

	if (!o->output || strcmp(o->output, "-") == 0) {
		complain("%s is a folder: -o says which", j->own->format);
		return EXIT_USAGE;
	}
	if (rmdir(o->output) != 0 && errno != ENOENT && !overwrite_is_allowed()) {
		complain("%s exists, and is no empty folder; --force writes into a folder",
		         o->output);
		return EXIT_USAGE;
	}
	j->folder = o->output;
	return export_to(source, o, j, &none, damage);
}

static int export(void *job, struct hs_source *source, const struct options *o,
                  struct damage *damage)
{
	struct job *j = job;
	const char *format = j->own->format;
	struct new_file file;
	int status;

	if (is_folder(format))
		return export_folder(source, o, j, damage);
	if (!new_file_open(&file, o->output ? o->output : "-"))
		return EXIT_USAGE;
	status = is_port_format(format) ? export_port(source, o, format, &j->port, &file, damage)
	                                : export_to(source, o, j, &file, damage);
	new_file_discard(&file);
	return status;
}

static bool is_format(const char *name)
{
	const struct hs_export_format *f;

	for (size_t i = 0; name && (f = hs_export_format_at(i)); i++)
		if (strcmp(f->name, name) == 0)
			return true;
	if (is_port_format(name))
		return true;
	if (name)
		complain("no format '%s'; 'hartscope export --help' lists them", name);
	else
		complain("--format says what to write; 'hartscope export --help' lists the "
		         "formats");
	return false;
}

int cmd_export(int argc, char **argv)
{
	struct export_options own = { .format = NULL };
	struct job j = { .own = &own, .status = HS_OK };
	struct options *o = &own.shared;
	int status;

	if (!options_parse(&usage, argc, argv, o, &status))
		return status;
	for (size_t i = 0; i < OTHERS; i++)
		if (own.format && strcmp(own.format, others[i].name) == 0)
			return run_other(&others[i], argc, argv);
	if (is_wave_format(own.format))
		return export_waves(o, own.format, own.clock_hz);
	if (!is_format(own.format))
		return EXIT_USAGE;
	port_settings_take(o, &j.port);
	status = with_source(o, export, &j);
	thread_order_free(&j.order);
	return status;
}
