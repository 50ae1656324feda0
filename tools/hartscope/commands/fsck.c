/* hartscope fsck: is a recording or a trace whole, and what of it can be read? */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hartscope/recording.h>
#include <hartscope/trace_params.h>

#include "common/interrupt.h"
#include "common/overwrite.h"
#include "common/tool.h"

struct fsck_options {
	struct options shared;
	bool salvage;
};

/* clang-format off */
static const struct option_row salvage_rows[] = {
	{ "--salvage", 0, NULL, "copy what can be read to -o NEW",
	  AS_FLAG(struct fsck_options, salvage) },
	{ "--quiet", 'q', NULL, "print errors only", AS_FLAG(struct fsck_options, shared.quiet) },
	{ .name = NULL }
};
/* clang-format on */

static const struct usage usage = {
	.name = "fsck",
	.form = "[--salvage -o NEW] [--json] REC|FLOW|TRACE",
	.text = "Says whether a recording or flow is whole: each file with its size and checksum\n"
		"next to what manifest.json has, and how many blocks of each hart can be read,\n"
		"up to which error; also of the children and parts in it.  For a trace:\n"
		"whether it and its code are those that TRACE.json describes.  Nothing is changed.\n\n"
		"With --salvage a copy is made, NEW, whose manifest.json describes what is there:\n"
		"all commands read it up to the damage, also where manifest.json or a stream was\n"
		"lost.  Exit status 3: it is not whole.",
	.example = "  hartscope fsck app.rec\n"
		   "  hartscope fsck --salvage -o saved.rec app.rec\n"
		   "  hartscope list --last 20 saved.rec",
	.often = "--salvage --output --json",
	.options = OPTIONS(ROWS(options_output), ROWS(salvage_rows), ROWS(options_json),
	                   ROWS(options_force), ROWS(options_reading)),
	.min_args = 1,
	.max_args = 1,
	.folder = true,
};

/* What is being checked. */
struct checking {
	struct report r;
	bool bad;
	int status; /* EXIT_GOOD, or why it could not go on */
};

/* ---- recordings ----------------------------------------------------------------------- */

static void take_file(void *of, const struct hs_rec_file_check *file)
{
	struct checking *c = of;

	c->bad |= !file->good;
	report_row(&c->r);
	report_u64(&c->r, "bytes", "", file->bytes);
	if (file->listed || !c->r.json)
		report_u64(&c->r, "listed", "", file->listed_bytes);
	report_text(&c->r, "name", "", file->name);
	report_text(&c->r, "state", "", file->text);
	report_row_end(&c->r);
}

static void take_stream(void *of, const struct hs_rec_stream_check *stream)
{
	struct checking *c = of;

	c->bad |= !stream->good;
	report_row(&c->r);
	report_u64(&c->r, "blocks", "", stream->blocks);
	if (c->r.json || *stream->directory)
		report_text(&c->r, "directory", "", stream->directory);
	report_u32(&c->r, "hart", "", stream->hart);
	report_text(&c->r, "until", "", stream->until);
	report_row_end(&c->r);
}

static void take_problem(void *of, enum hs_rec_problem what, const char *directory,
                         const struct hs_error *e)
{
	struct checking *c = of;

	if (what == HS_REC_PROBLEM_FAILED) {
		c->status = fail(e);
		return;
	}
	if (what == HS_REC_PROBLEM_UNLISTED) {
		note_unread(e);
		return;
	}
	c->bad = true;
	complain("%s%s", what == HS_REC_PROBLEM_DAMAGED ? directory : "", e->text);
}

static void check_recording(struct checking *c, const char *path)
{
	struct hs_rec_checker check = { .file = take_file, .problem = take_problem, .of = c };

	report_list(&c->r, "files", "files: bytes, bytes in manifest.json, name, state");
	hs_rec_check(path, &check);
	report_list_end(&c->r);
	if (c->status != EXIT_GOOD)
		return;
	check = (struct hs_rec_checker){ .stream = take_stream, .problem = take_problem, .of = c };
	report_list(&c->r, "harts", "harts: blocks that can be read, hart, until");
	hs_rec_check(path, &check);
	report_list_end(&c->r);
}

/* ---- traces --------------------------------------------------------------------------- */

/* What @s says of a file that TRACE.json describes. */
static void show_described(struct checking *c, const char *path, enum hs_status s,
                           const struct hs_error *e)
{
	struct stat st;
	const bool known = stat(path, &st) == 0;

	report_row(&c->r);
	report_u64(&c->r, "bytes", "", known ? (uint64_t)st.st_size : 0);
	report_text(&c->r, "name", "", path_base(path));
	report_text(&c->r, "state", "",
	            s != HS_OK ? e->text
	            : known    ? "as TRACE.json says"
	                       : "its size cannot be read");
	report_row_end(&c->r);
	c->bad |= s != HS_OK || !known;
	if (s == HS_OK && !known) {
		complain("%s: its size cannot be read", path);
		c->status = EXIT_USAGE;
	}
	if (s == HS_E_SYSTEM || s == HS_E_MEMORY)
		c->status = EXIT_USAGE;
}

static void check_code(struct checking *c, const struct hs_trace_params *params, const char *trace)
{
	struct hs_error e = { 0 };
	char *stem = NULL, *code = NULL;
	const enum hs_status s = hs_trace_params_find_code(params, trace, &stem, &e);

	if (asprintf(&code, "%s.code", stem ? stem : trace) < 0)
		note_out_of_memory();
	else if (s != HS_OK || access(code, F_OK) == 0)
		show_described(c, code, s, &e);
	free(stem);
	free(code);
}

static void check_trace(struct checking *c, const char *trace)
{
	struct hs_trace_params *params = NULL;
	struct hs_error e = { 0 };
	char *described = NULL;
	enum hs_status s = hs_trace_params_new(NULL, &params, &e);

	if (s == HS_OK && asprintf(&described, "%s.json", trace) < 0)
		s = hs_error_set(&e, HS_E_MEMORY, "out of memory");
	if (s != HS_OK) {
		c->status = fail(&e);
		hs_trace_params_free(params);
		return;
	}
	report_list(&c->r, "files", "files: bytes, name, state");
	s = hs_trace_params_read_beside(params, trace, &e);
	if (access(described, F_OK) != 0) {
		complain("%s is not there: nothing is known of %s; 'hartscope lint' and 'hartscope "
		         "identify' read what is in it",
		         described, trace);
		c->status = EXIT_FINDINGS;
	} else {
		show_described(c, described, s, &e);
	}
	if (s == HS_OK && c->status == EXIT_GOOD) {
		s = hs_trace_params_verify(params, trace, &e);
		show_described(c, trace, s, &e);
		check_code(c, params, trace);
	}
	report_list_end(&c->r);
	free(described);
	hs_trace_params_free(params);
}

/* ---- the command ---------------------------------------------------------------------- */

static bool is_interrupted(void *unused)
{
	(void)unused;
	return interrupted();
}

static int salvage(const char *path, const char *to)
{
	struct hs_error e = { 0 };
	struct hs_rec *rec;

	interrupt_watch();
	const enum hs_status s = hs_rec_salvage(path, to, is_interrupted, NULL, &e);

	if (s == HS_E_CUT)
		interrupt_end();
	if (s != HS_OK)
		return fail(&e);
	if (hs_rec_open(to, &rec, &e) != HS_OK)
		return fail(&e);
	hs_rec_close(rec);
	return EXIT_GOOD;
}

static bool fits(const struct fsck_options *own, bool folder)
{
	const struct options *o = &own->shared;

	if (own->salvage != (o->output != NULL))
		complain("--salvage and -o NEW belong together");
	else if (own->salvage && !folder)
		complain("--salvage takes recordings and flows: decode reads what is left of a "
		         "trace");
	else
		return true;
	return false;
}

int cmd_fsck(int argc, char **argv)
{
	struct checking c = { .status = EXIT_GOOD };
	struct fsck_options own = { .salvage = false };
	struct options *o = &own.shared;
	struct stat st;
	int status;

	if (!options_parse(&usage, argc, argv, o, &status))
		return status;
	if (stat(o->args[0], &st) != 0) {
		complain("%s: %s", o->args[0], strerror(errno));
		return EXIT_USAGE;
	}
	if (!fits(&own, S_ISDIR(st.st_mode)) ||
	    (own.salvage && !overwrite_copy(o->output, o->args[0])))
		return EXIT_USAGE;
	FILE *const to = o->quiet ? fopen("/dev/null", "w") : stdout;

	if (to == NULL) {
		complain("/dev/null: %s", strerror(errno));
		return EXIT_USAGE;
	}
	report_begin(&c.r, to, o->json);
	report_text(&c.r, "path", "checked", o->args[0]);
	(S_ISDIR(st.st_mode) ? check_recording : check_trace)(&c, o->args[0]);
	if (c.status == EXIT_GOOD)
		report_bool(&c.r, "whole", "whole", !c.bad);
	report_end(&c.r);
	if (o->quiet)
		fclose(to);
	if (c.status == EXIT_GOOD && c.bad)
		complain("%s is not whole", o->args[0]);
	if (c.status == EXIT_GOOD && own.salvage)
		c.status = salvage(o->args[0], o->output);
	return c.status != EXIT_GOOD ? c.status : c.bad ? EXIT_DAMAGED : EXIT_GOOD;
}
