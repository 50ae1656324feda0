/* hartscope diff: two runs of one program. */
#include <stdlib.h>
#include <string.h>

#include "commands/diff.h"

struct diff_options {
	struct options shared;
	uint64_t top;
};

static const struct usage usage = {
	.name = "diff",
	.form = "[--top N] [--json] [--elf FILE]... A B",
	.text = "Compares two runs of one program, each a recording, flow or trace: where they\n"
		"part, with the call stack and the source there, and which functions and branches\n"
		"ran another number of times, those with the largest difference first (10, --top).\n"
		"Code is the same where it has the same address, or the same function and offset.\n"
		"Exit status 1: the runs differ.",
	.example = "  hartscope diff good.rec bad.rec\n"
		   "  hartscope diff --from parse_line --top 30 before.rec after.rec\n"
		   "  hartscope diff --elf app.elf monday.nt tuesday.nt",
	.often = "--elf --set --auto --top --from --to --function --only --json",
	.options = OPTIONS(OPTIONS_TRACE, OPTIONS_GUEST, OPTIONS_VIEW,
	                   ROWS_AT(options_top, struct diff_options, top), ROWS(options_xlen),
	                   ROWS(options_jobs), ROWS(options_json), ROWS(options_quiet),
	                   ROWS(options_terminal), ROWS(options_reading)),
	.min_args = 2,
	.max_args = 2,
};

/* Open a run and count it. */
static int open_side(struct diff_side *s, const struct options *o)
{
	const struct hs_counts_options wants = { .what = HS_COUNTS_CODE };
	struct hs_error e = { 0 };

	if (open_source(o, s->path, &s->source, &e) != HS_OK ||
	    hs_source_rewind(s->source, &e) != HS_OK) /* it is read more than once */
		return fail(&e);
	s->counted = true;
	if (!run_count(&s->run, s->source, &wants, o->quiet))
		return EXIT_USAGE;
	return damage_exit(&s->run.damage);
}

static void close_side(struct diff_side *s)
{
	if (s->counted)
		run_close(&s->run);
	hs_source_close(s->source);
}

static int compare(struct diff_side side[2], const struct diff_options *own)
{
	const struct options *o = &own->shared;
	struct diff_parted parted = { .harts = 0 };
	uint64_t functions = 0, branches = 0;
	struct report r;

	report_begin(&r, stdout, o->json);
	report_u64(&r, "instructions_a", "instructions of A", side[0].run.counts.instructions);
	report_u64(&r, "instructions_b", "instructions of B", side[1].run.counts.instructions);
	const bool good = diff_parting(&r, side, o, own->top, &parted) &&
	                  diff_counts(&r, side, DIFF_FUNCTIONS, own->top, &functions) &&
	                  diff_counts(&r, side, DIFF_BRANCHES, own->top, &branches);

	if (good && !r.json)
		fputc('\n', r.f);
	if (good) {
		report_u64(&r, "harts_parted", "harts that part", parted.harts);
		report_u64(&r, "places_parted", "differences", parted.places);
		report_u64(&r, "functions_differ", "functions differ", functions);
		report_u64(&r, "branches_differ", "branches differ", branches);
	}
	report_end(&r);
	if (!good)
		return EXIT_USAGE;
	return parted.harts || functions || branches ? EXIT_FINDINGS : EXIT_GOOD;
}

int cmd_diff(int argc, char **argv)
{
	struct diff_side side[2] = { { .path = NULL } };
	struct diff_options own = { .top = 10 };
	struct options *o = &own.shared;
	int status, damaged = EXIT_GOOD;

	if (!options_parse(&usage, argc, argv, o, &status))
		return status;
	o->source.names = o->source.versions = o->reads_all = true;
	for (unsigned i = 0; i < 2 && (!i || side[0].counted); i++) {
		side[i].path = o->args[i];
		status = open_side(&side[i], o);
		damaged = status ? status : damaged;
	}
	if (side[0].counted && side[1].counted && damaged != EXIT_USAGE &&
	    damaged != EXIT_FINDINGS)
		status = compare(side, &own);
	close_side(&side[0]);
	close_side(&side[1]);
	return damaged ? damaged : status;
}
