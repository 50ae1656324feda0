/* hartscope export: calls and costs for the tools of others. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/exports.h>

#include "commands/export_port.h"
#include "commands/export_waves.h"
#include "common/scans.h"

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
};

#define OTHERS (sizeof(others) / sizeof(*others))

static void list_formats(FILE *to)
{
	const struct hs_export_format *f;
	const char *name, *text;

	fprintf(to, "\nFormats:\n");
	for (size_t i = 0; (f = hs_export_format_at(i)); i++)
		usage_row(to, f->name, 14, f->text);
	for (size_t i = 0; (name = port_format_at(i, &text)); i++)
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

static const struct usage usage = {
	.name = "export",
	.form = "--format FORMAT [-o FILE] [--depth N] [--elf FILE]... REC|FLOW|TRACE",
	.text = "Writes calls and what they cost in instructions in a format that another tool\n"
		"reads.  Calls are those of hartscope calls: exact through tail calls, longjmp,\n"
		"exceptions, signals, traps and coroutines.  On a time axis an instruction of a\n"
		"hart takes a nanosecond, unless --clock is given.\n\n"
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
		   "  hartscope export --format folded app.rec | flamegraph.pl >app.svg",
	.often = "--output --format --elf --set --auto --depth --clock --from --to --quiet",
	.set = OPT_OUTPUT | OPT_FORCE | OPT_EXPORT | OPT_PROTOCOL | OPT_CODE | OPT_PROCESS |
	       OPT_GUEST | OPT_HART | OPT_DEPTH | OPT_AUTO | OPT_TRANSPORT | OPT_CAPTURE |
	       OPT_CYCLES | OPT_NAMES | OPT_RANGE | OPT_FUNCTION | OPT_QUIET,
	.min_args = 1,
	.max_args = 1,
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
	struct port_settings port;
	struct hs_export *export;
	struct scans scans;
	struct hs_error error; /* only its status is set */
};

static bool take_blocks(void *to, const struct hs_block *b, size_t n)
{
	struct job *j = to;

	j->error.status = hs_export_add(j->export, b, n);
	return j->error.status == HS_OK;
}

static bool take_scan(void *to, struct hs_call_scanner *scanner, const struct hs_call_scan *scan)
{
	struct job *j = to;

	if (j->error.status == HS_OK)
		j->error.status = hs_export_add_scan(j->export, scanner, scan);
	return j->error.status == HS_OK;
}

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
	const struct block_taker taker = { "exporting", o->quiet, take_blocks, j, true };
	struct hs_export_report report = { 0 };

	j->scans =
		(struct scans){ .program = hs_source_program(source), .to = j, .take = take_scan };
	scans_start(&j->scans);
	const bool whole = read_shared(&taker, &j->scans.work, &j->error, source, damage);

	if (whole && j->error.status == HS_OK)
		j->error.status = hs_export_end(j->export, &report);
	if (j->error.status == HS_E_MEMORY)
		complain("out of memory");
	else if (j->error.status == HS_E_SYSTEM && !output_is_unwritten()) {
		complain("%s: cannot be written (is there room on the disk?)", o->output);
		note_unwritten();
	}
	if (j->error.status != HS_OK)
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

static int export_to(struct hs_source *source, const struct options *o, struct job *j,
                     struct new_file *file, struct damage *damage)
{
	const struct hs_export_options x = {
		.size = sizeof(x),
		.format = o->format,
		.depth = (uint32_t)o->depth,
		.title = o->args[0],
		.program = hs_source_program(source),
		.programs = hs_source_programs(source),
		.guest = hs_source_guest(source),
		.write = to_file,
		.context = &file->fd,
		.path = file->temporary,
		.clock_hz = o->clock_hz,
		.threads = (uint32_t)o->jobs,
	};
	struct hs_error e = { 0 };

	if (hs_export_new(&x, &j->export, &e) != HS_OK) {
		if (e.status == HS_E_CONFIG && !file->temporary)
			complain("%s is a file: -o says which", o->format);
		else
			fail(&e);
		return exit_of(e.status);
	}
	int status = write_export(source, o, j, damage);

	hs_export_free(j->export);
	if (j->error.status == HS_OK && status == EXIT_GOOD && !new_file_commit(file))
		status = EXIT_DAMAGED;
	return status;
}

static int export(void *job, struct hs_source *source, const struct options *o,
                  struct damage *damage)
{
	struct job *j = job;
	struct new_file file;
	int status;

	if (!new_file_open(&file, o->output ? o->output : "-"))
		return EXIT_USAGE;
	status = is_port_format(o->format) ? export_port(source, o, &j->port, &file, damage)
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
	struct job j = { .error.status = HS_OK }; /* until the source is closed */
	struct options o;
	int status;

	if (!options_parse(&usage, argc, argv, &o, &status))
		return status;
	for (size_t i = 0; i < OTHERS; i++)
		if (o.format && strcmp(o.format, others[i].name) == 0)
			return run_other(&others[i], argc, argv);
	if (is_wave_format(o.format))
		return export_waves(&o);
	if (!is_format(o.format))
		return EXIT_USAGE;
	port_settings_take(&o, &j.port);
	return with_source(&o, export, &j);
}
