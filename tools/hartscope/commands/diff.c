/* hartscope diff: two runs of one program. */
#include <stdlib.h>
#include <string.h>

#include "commands/diff.h"
#include "commands/report_html.h"

struct diff_options {
	struct options shared;
	uint64_t top;
	bool html, startup;
	bool from_main; /* both begin there, though no option says it */
};

/* clang-format off */
static const struct option_row diff_rows[] = {
	{ "--startup", 0, NULL, "also what runs before main, where no range is given",
	  AS_FLAG(struct diff_options, startup) },
	{ "--html", 0, NULL, "write a page for a browser to the file of -o: that of B, with a flame "
	  "graph whose colours say what takes more or less than in A",
	  AS_FLAG(struct diff_options, html) },
	{ .name = NULL }
};
/* clang-format on */

static const struct usage usage = {
	.name = "diff",
	.form = "[--top N] [--startup] [--html -o FILE] [--elf FILE]... A B",
	.text = "Compares two runs of one program, each a recording, flow or trace: where they\n"
		"part and come together again, with the call stack and the source there, and which\n"
		"functions and branches ran a different number of times, those with the largest\n"
		"difference first (10, --top).  Runs that reach main are compared from there on.\n"
		"Code is the same where it has the same address, or the same function and offset.\n"
		"Exit status 1: the runs differ.",
	.example = "  hartscope diff good.rec bad.rec\n"
		   "  hartscope diff --from parse_line --top 30 before.rec after.rec\n"
		   "  hartscope diff --html -o diff.html before.rec after.rec\n"
		   "  hartscope diff --elf app.elf monday.nt tuesday.nt",
	.often = "--output --elf --set --auto --top --startup --html --from --to --function --json",
	.options = OPTIONS(ROWS(options_output), ROWS(diff_rows), OPTIONS_TRACE, OPTIONS_GUEST,
	                   OPTIONS_VIEW, ROWS_AT(options_top, struct diff_options, top),
	                   ROWS(options_xlen), ROWS(options_jobs), ROWS(options_json),
	                   ROWS(options_force), ROWS(options_quiet), ROWS(options_terminal),
	                   ROWS(options_reading)),
	.min_args = 2,
	.max_args = 2,
};

/* ---- from main on ----------------------------------------------------------------------- */

/* Is the function at which the range begins reached? */
static bool begins(struct hs_source *source)
{
	const struct hs_range_found *found = NULL;
	const struct hs_block *items;
	enum hs_status s = HS_OK;
	size_t n;

	while (s != HS_END && s != HS_E_SYSTEM && s != HS_E_MEMORY && !(found && found->wanted)) {
		s = hs_source_view(source, &items, &n, NULL);
		found = hs_source_known(source)->range;
	}
	return found && found->wanted;
}

/* What runs before main depends on arguments and environment: it is left out where both runs have
 * a main.  The options get that range. */
static int find_main(struct diff_options *own)
{
	struct options *o = &own->shared;
	struct hs_error e = { 0 };
	uint64_t addr;
	bool found = true;

	own->from_main = !o->range.given && !own->startup;
	if (!own->from_main)
		return EXIT_GOOD;
	(void)hs_position_parse("main", &o->range.of.from);
	o->range.given = true;
	for (unsigned i = 0; i < 2 && found; i++) {
		struct hs_source *source = NULL;

		if (open_for_a_look(o, o->args[i], &source, &e) != HS_OK)
			return fail(&e);
		found = hs_program_find_symbol(hs_source_known(source)->program, "main", &addr) &&
		        begins(source);
		hs_source_close(source);
	}
	own->from_main = o->range.given = found;
	if (!found)
		o->range.of.from.kind = HS_POSITION_NONE;
	return EXIT_GOOD;
}

/* ---- both runs -------------------------------------------------------------------------- */

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
	if (own->from_main)
		report_text(&r, "from", "compared from", "main");
	report_u64(&r, "instructions_a", "instructions of A", side[0].run.counts.instructions);
	report_u64(&r, "instructions_b", "instructions of B", side[1].run.counts.instructions);
	const bool good = diff_parting(&r, side, own->top, &parted) &&
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

/* The page: the first run is counted, the second one by the page. */
static int write_html(struct diff_side side[2], const struct options *o)
{
	struct html_before before = { .run = &side[0].run, .name = o->args[0] };
	struct hs_error e = { 0 };
	int status = open_side(&side[0], o);

	if (!side[0].counted || status == EXIT_USAGE || status == EXIT_FINDINGS)
		return status;
	if (open_source(o, side[1].path, &side[1].source, &e) != HS_OK)
		return fail(&e);
	const int page = report_html(side[1].source, o, &before);

	before_free(&before);
	note_hidden_sources(side[1].source);
	return page ? page : status;
}

static int compare_both(struct diff_side side[2], const struct diff_options *own)
{
	int status = EXIT_GOOD, damaged = EXIT_GOOD;

	for (unsigned i = 0; i < 2 && (!i || side[0].counted); i++) {
		status = open_side(&side[i], &own->shared);
		damaged = status ? status : damaged;
	}
	if (side[0].counted && side[1].counted && damaged != EXIT_USAGE && damaged != EXIT_FINDINGS)
		status = compare(side, own);
	return damaged ? damaged : status;
}

int cmd_diff(int argc, char **argv)
{
	struct diff_side side[2] = { { .path = NULL } };
	struct diff_options own = { .top = 10 };
	struct options *o = &own.shared;
	int status;

	if (!options_parse(&usage, argc, argv, o, &status))
		return status;
	if (own.html != (o->output != NULL)) {
		complain("--html and -o FILE belong together");
		return EXIT_USAGE;
	}
	o->source.names = o->source.versions = o->reads_all = true;
	side[0].path = o->args[0];
	side[1].path = o->args[1];
	status = find_main(&own);
	if (status == EXIT_GOOD)
		status = own.html ? write_html(side, o) : compare_both(side, &own);
	close_side(&side[0]);
	close_side(&side[1]);
	return status;
}
