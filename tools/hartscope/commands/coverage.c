/* hartscope coverage: which functions, lines and branch directions were executed. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hartscope/status.h>

#include "common/job_part.h"
#include "common/limits.h"
#include "common/new_file.h"

struct coverage_options {
	struct options shared;
	const char *format; /* NULL: text */
	const char *show;   /* lists of text; NULL: the usual ones */
};

/* clang-format off */
static const struct option_row format_rows[] = {
	{ "--format", 0, "NAME", "text, lcov (for genhtml, lcov), gcov-json or cobertura",
	  AS_TEXT(struct coverage_options, format), .words = "text lcov gcov-json cobertura" },
	{ "--show", 0, "LISTS",
	  "with commas: files, functions, branches, lines (files,functions,branches)",
	  AS_TEXT(struct coverage_options, show), .words = "files functions branches lines" },
	{ .name = NULL }
};
/* clang-format on */

static const struct usage usage = {
	.name = "coverage",
	.form = "[--show LISTS] [--format NAME] [-o FILE] [--part K/N] [--json] [--elf FILE]... REC|FLOW|TRACE",
	.text = "Shows which functions, source lines and branch directions were executed, and how often, as\n"
		"gcov counts them; the program needs no instrumentation, only line information (-g).\n\n"
		"Branches are listed with how often each was taken and not taken, and seen: both, taken,\n"
		"not-taken or never.  The lines show the source text with a count before each, ##### where\n"
		"nothing was executed; '*' marks a line of which a part never was.\n\n"
		"With --format lcov, gcov-json or cobertura the same for genhtml and lcov, for what reads\n"
		"gcov's JSON, and for servers of continuous integration; without lines nothing is written,\n"
		"and the exit status is 1.  With --part only a part of a trace is counted (hartscope merge).",
	.example = "  hartscope coverage --show lines --elf app.elf app.nt\n"
		   "  hartscope coverage --format lcov -o app.info app.rec\n"
		   "  genhtml -o html app.info",
	.often = "--output --elf --set --auto --show --format --function --from --to --json",
	.options = OPTIONS(ROWS(options_output), OPTIONS_TRACE, OPTIONS_GUEST, OPTIONS_VIEW,
	                   ROWS(format_rows), ROWS(options_xlen), ROWS(options_jobs),
	                   ROWS(options_part), ROWS(options_json), ROWS(options_force),
	                   ROWS(options_quiet), ROWS(options_terminal), ROWS(options_reading)),
	.min_args = 1,
	.max_args = 1,
};

/* ---- lists ------------------------------------------------------------------------------ */

enum list { LIST_FILES = 1, LIST_FUNCTIONS = 2, LIST_BRANCHES = 4, LIST_LINES = 8 };

static unsigned list_of(const char *name, size_t n)
{
	static const char *const names[] = { "files", "functions", "branches", "lines" };

	for (unsigned i = 0; i < 4; i++)
		if (strlen(names[i]) == n && strncmp(names[i], name, n) == 0)
			return 1u << i;
	return 0;
}

/* The lists of --show; 0, after a complaint: it names another one. */
static unsigned lists_of(const char *show)
{
	unsigned lists = 0;

	for (const char *at = show; *at; at += *at == ',') {
		const size_t n = strcspn(at, ",");
		const unsigned one = list_of(at, n);

		if (!one) {
			complain(
				"--show has no list '%.*s'; there are: files, functions, branches, "
				"lines",
				(int)n, at);
			return 0;
		}
		lists |= one;
		at += n;
	}
	return lists;
}

static void report_share(struct report *r, const char *key, const char *name, size_t part,
                         size_t all)
{
	report_u64(r, key, "", part);
	report_u64(r, name, "", all);
	report_real(r, NULL, "", all ? 100.0 * (double)part / (double)all : 100, "%");
}

/* Executed and all, also their share as text. */
static void show_share(struct report *r, const char *executed, const char *all, size_t part,
                       size_t whole)
{
	if (!r->json) {
		report_share(r, executed, all, part, whole);
		return;
	}
	report_u64(r, executed, "", part);
	report_u64(r, all, "", whole);
}

static void show_files(struct report *r, const struct hs_coverage_result *c)
{
	report_list(r, "files",
	            "files: lines executed, of, share; branches seen both ways, of, share");
	for (size_t i = 0; i < c->file_count; i++) {
		const struct hs_coverage_file *f = &c->files[i];

		report_row(r);
		show_share(r, "lines_executed", "lines", f->lines_executed, f->line_count);
		show_share(r, "branches_both", "branches", f->branches_both, f->branch_count);
		report_text(r, "path", "", f->path);
		report_row_end(r);
	}
	report_list_end(r);
}

static void show_place(struct report *r, const struct hs_coverage_result *c, size_t file, int line)
{
	char text[4200];

	if (r->json) {
		report_text(r, "path", "", c->files[file].path);
		report_u32(r, "line", "", (uint32_t)line);
		return;
	}
	snprintf(text, sizeof(text), "%.4096s:%d", c->files[file].path, line);
	report_text(r, NULL, "", text);
}

static void show_functions(struct report *r, const struct hs_coverage_result *c)
{
	report_list(
		r, "functions",
		"functions: entries; instructions executed, of, share; branches seen both ways, "
		"of, share");
	for (size_t i = 0; i < c->function_count; i++) {
		const struct hs_coverage_function *f = &c->functions[i];

		report_row(r);
		report_u64(r, "entries", "", f->entries);
		show_share(r, "instructions_executed", "instructions", f->instructions_executed,
		           f->instructions);
		show_share(r, "branches_both", "branches", f->branches_both, f->branches);
		report_text(r, "name", "", f->name);
		if (r->json) {
			report_text(r, "symbol", "", f->symbol);
			report_hex(r, "start", "", f->start);
			report_u64(r, "blocks_executed", "", f->blocks_executed);
			report_u64(r, "blocks", "", f->blocks);
		}
		show_place(r, c, f->file, f->line);
		report_row_end(r);
	}
	report_list_end(r);
}

static const char *seen(const struct hs_coverage_branch *b)
{
	if (b->taken)
		return b->not_taken ? "both" : "taken";
	return b->not_taken ? "not-taken" : "never";
}

static void show_branches(struct report *r, const struct hs_coverage_result *c)
{
	report_list(r, "branches", "branches: taken, not taken, seen, address, function, line");
	for (size_t i = 0; i < c->branch_count; i++) {
		const struct hs_coverage_branch *b = &c->branches[i];

		report_row(r);
		report_u64(r, "taken", "", b->taken);
		report_u64(r, "not_taken", "", b->not_taken);
		report_text(r, "seen", "", seen(b));
		report_hex(r, "address", "", b->address);
		report_text(r, "function", "", c->functions[b->function].name);
		show_place(r, c, b->file, b->line);
		report_row_end(r);
	}
	report_list_end(r);
}

/* ---- lines ------------------------------------------------------------------------------ */

static void json_lines(struct report *r, const struct hs_coverage_result *c)
{
	report_list(r, "lines", "");
	for (size_t i = 0; i < c->line_count; i++) {
		const struct hs_coverage_line *l = &c->lines[i];

		report_row(r);
		show_place(r, c, l->file, l->line);
		report_u64(r, "count", "", l->count);
		report_bool(r, "partial", "", l->partial);
		report_text(r, "function", "", c->functions[l->function].name);
		report_row_end(r);
	}
	report_list_end(r);
}

static void print_line(FILE *f, const char *count, int line, const char *text)
{
	char plain[4096];

	hs_text_escape(plain, sizeof(plain), text ? text : "");
	for (char *at = plain; (at = strstr(at, "\\x09")); at++) { /* tabs stay */
		*at = '\t';
		memmove(at + 1, at + 4, strlen(at + 4) + 1);
	}
	fprintf(f, "%12s:%5d:%s\n", count, line, plain);
}

/* A file with its text, or where that is not known only the lines that have code. */
static void print_file(FILE *f, const struct hs_coverage_result *c, size_t file,
                       struct hs_program *program, size_t *branch)
{
	const char *path = c->files[file].path;
	size_t i = c->files[file].first_line;
	const size_t end = i + c->files[file].line_count;
	char count[32];

	fprintf(f, "\n%s\n", path);
	for (int line = 1; i < end || hs_program_source_line(program, path, line); line++) {
		const char *text = hs_program_source_line(program, path, line);
		const bool code = i < end && c->lines[i].line == line;

		if (!code && text)
			print_line(f, "-", line, text);
		if (!code && !text)
			line = c->lines[i].line - 1;
		if (!code)
			continue;
		snprintf(count, sizeof(count), c->lines[i].count ? "%llu%s" : "#####",
		         (unsigned long long)c->lines[i].count, c->lines[i].partial ? "*" : "");
		print_line(f, count, line, text);
		i++;
		for (; *branch < c->branch_count && c->branches[*branch].file == file &&
		       c->branches[*branch].line == line;
		     ++*branch)
			fprintf(f, "%12s branch at 0x%llx: taken %llu, not taken %llu\n", "",
			        (unsigned long long)c->branches[*branch].address,
			        (unsigned long long)c->branches[*branch].taken,
			        (unsigned long long)c->branches[*branch].not_taken);
	}
}

static void show_lines(struct report *r, const struct hs_coverage_result *c,
                       struct hs_program *program)
{
	size_t branch = 0;

	if (r->json) {
		json_lines(r, c);
		return;
	}
	for (size_t i = 0; i < c->file_count; i++)
		print_file(r->f, c, i, program, &branch);
}

/* ---- what is written -------------------------------------------------------------------- */

static void show_sums(struct report *r, const struct hs_coverage_result *c)
{
	size_t lines = 0, both = 0, functions = 0;

	for (size_t i = 0; i < c->file_count; i++) {
		lines += c->files[i].lines_executed;
		both += c->files[i].branches_both;
		functions += c->files[i].functions_executed;
	}
	report_u64(r, "lines_executed", "lines executed", lines);
	report_u64(r, "lines_found", "of lines", c->line_count);
	report_u64(r, "branches_both", "branches seen both ways", both);
	report_u64(r, "branches_found", "of branches", c->branch_count);
	report_u64(r, "functions_executed", "functions executed", functions);
	report_u64(r, "functions_found", "of functions", c->function_count);
	report_u64(r, "unlined_executed", "without lines executed", c->unlined_executed);
	report_u64(r, "unlined", "of functions", c->unlined);
}

static void show(FILE *f, const struct hs_coverage_result *c, struct hs_program *program,
                 unsigned lists, bool json)
{
	struct report r;

	report_begin(&r, f, json);
	show_sums(&r, c);
	if (lists & LIST_FILES)
		show_files(&r, c);
	if (lists & LIST_FUNCTIONS)
		show_functions(&r, c);
	if (lists & LIST_BRANCHES)
		show_branches(&r, c);
	if (lists & LIST_LINES)
		show_lines(&r, c, program);
	report_end(&r);
}

static bool write_piece(void *to, const void *bytes, size_t n)
{
	return fwrite(bytes, 1, n, to) == n;
}

static bool is_text(const struct coverage_options *own)
{
	return !own->format || strcmp(own->format, "text") == 0;
}

/* What was asked for, to a stream. */
static void write_result(FILE *f, const struct hs_coverage_result *c, struct hs_program *program,
                         const struct coverage_options *own)
{
	const struct options *o = &own->shared;
	const unsigned all = LIST_FILES | LIST_FUNCTIONS | LIST_BRANCHES | LIST_LINES;
	const unsigned usual = o->json ? all : all & ~(unsigned)LIST_LINES;

	if (is_text(own))
		show(f, c, program, own->show ? lists_of(own->show) : usual, o->json);
	else
		hs_coverage_export(c, own->format, write_piece, f);
}

/* To -o FILE.  Exit status. */
static int write_file(const struct hs_coverage_result *c, struct hs_program *program,
                      const struct coverage_options *own)
{
	const struct options *o = &own->shared;
	struct new_file to = { .fd = -1 };
	int status = EXIT_USAGE;

	if (!new_file_open(&to, o->output))
		return status;
	FILE *f = new_file_stream(&to);

	if (!f)
		return status;
	write_result(f, c, program, own);
	return new_file_end(&to, f) ? EXIT_GOOD : status;
}

/* Why there is no line. */
static void explain_no_lines(const struct hs_coverage_result *c, const struct hs_program *program)
{
	if (c->unmapped || hs_program_note(program, 0)) /* which is said elsewhere */
		complain("no line of what ran is known");
	else if (!c->unlined)
		complain("no ELF file of the program is known: --elf FILE gives it; where that has "
		         "no line information: compile it with -g");
	else
		complain("the program has no line information: compile it with -g");
}

static int finish(struct hs_counts *counts, struct hs_source *source,
                  const struct coverage_options *own, struct damage *damage)
{
	const struct options *o = &own->shared;
	struct hs_program *program = hs_source_known(source)->program;
	struct hs_coverage_result c;

	if (hs_counts_get_coverage(counts, &c) != HS_OK) {
		complain("out of memory");
		return EXIT_USAGE;
	}
	note_unmapped(c.unmapped, damage);
	if (c.foreign)
		complain("%llu blocks are of code that is not in the program's files as it ran "
		         "(made or changed at run time): they count for no line; list shows them",
		         (unsigned long long)c.foreign);
	if (!c.line_count)
		explain_no_lines(&c, program);
	if (!c.line_count && !is_text(own)) /* nothing but lines: an older file stays */
		return EXIT_FINDINGS;
	if (o->output)
		return write_file(&c, program, own);
	write_result(stdout, &c, program, own); /* main() says what cannot be written */
	return EXIT_GOOD;
}

/* ---- counting --------------------------------------------------------------------------- */

static bool count_all(struct hs_source *source, struct hs_counts *counts, const struct options *o,
                      struct damage *damage)
{
	const struct block_look look = { "counting", o->quiet, false, damage };

	if (o->jobs > 1 && !limits_memory())
		hs_program_start_lines(hs_source_known(source)->program);
	if (count_source(&look, source, counts) == HS_OK)
		return true;
	complain("out of memory");
	return false;
}

/* --parts */
static bool count_parts(struct hs_source *source, struct hs_counts *counts, const struct options *o,
                        struct damage *damage)
{
	struct job_sum sum = { .any = false };
	const bool good = job_parts_add(&sum, "coverage", HS_PART_TALLY, o, source, 0) &&
	                  hs_tally_apply(sum.tally, counts) == HS_OK;

	if (good) {
		job_sum_damage(&sum, damage);
		verify_merged();
	}
	job_sum_free(&sum);
	return good;
}

static int cover(void *own, struct hs_source *source, const struct options *o,
                 struct damage *damage)
{
	const struct hs_counts_options co = { .size = sizeof(co),
		                              .what = HS_COUNTS_COVERAGE,
		                              .source = source,
		                              .threads = (uint32_t)o->jobs };
	struct hs_counts *counts = NULL;
	int status = EXIT_USAGE;

	if (o->job.part)
		return job_tally_part("coverage", o, source);
	if (hs_counts_new(&co, &counts) != HS_OK)
		complain("out of memory");
	else if (o->job.parts ? count_parts(source, counts, o, damage)
	                      : count_all(source, counts, o, damage))
		status = nothing_to_show(damage, o->json) ? EXIT_FINDINGS
		                                          : finish(counts, source, own, damage);
	hs_counts_free(counts);
	return status;
}

/* ---- the command ------------------------------------------------------------------------ */

static bool are_good(const struct coverage_options *own)
{
	if (own->show && !lists_of(own->show))
		return false;
	const size_t n = is_text(own) ? 0 : strlen(own->format);

	if (is_text(own))
		return true;
	for (const char *at = hs_coverage_formats(); *at;
	     at += strcspn(at, " ") + (strchr(at, ' ') != NULL))
		if (strcspn(at, " ") == n && strncmp(at, own->format, n) == 0)
			return true;
	complain("no format '%s'; there is: text %s", own->format, hs_coverage_formats());
	return false;
}

int cmd_coverage(int argc, char **argv)
{
	struct coverage_options own = { .format = NULL };
	struct options *o = &own.shared;
	int status;

	if (!options_parse(&usage, argc, argv, o, &status))
		return status;
	if (!are_good(&own))
		return EXIT_USAGE;
	return with_source(o, cover, &own);
}
