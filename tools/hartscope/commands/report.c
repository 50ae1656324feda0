/* hartscope report: where instructions and time went. */
#include <stdlib.h>
#include <string.h>

#include "commands/report.h"

struct report_options {
	struct options shared;
	uint64_t top;
	const char *callers, *callees, *accesses_to;
	uint8_t by; /* enum hs_profile_by; BY_x */
	bool html;
};

static bool parse_by(void *to, const struct option_row *r, char *name)
{
	static const struct option_word words[] = {
		{ "hart", HS_PROFILE_BY_HART },
		{ "mode", HS_PROFILE_BY_MODE },
		{ "process", HS_PROFILE_BY_PROCESS },
		{ "thread", HS_PROFILE_BY_THREAD },
		{ "function", HS_PROFILE_BY_NOTHING },
		{ "inline", BY_INLINE },
		{ "library", BY_LIBRARY },
		{ "line", BY_LINE },
		{ "access", BY_ACCESS },
	};

	(void)r;
	return option_word_find(words, sizeof(words) / sizeof(*words), name,
	                        "function, line, inline, library, access, hart, mode, process or "
	                        "thread",
	                        to);
}

/* clang-format off */
static const struct option_row by_rows[] = {
	{ "--by", 0, "WHAT", "function, inline, line, library, access, process, thread, hart or mode",
	  AS_PARSED(struct report_options, by, parse_by),
	  .words = "function line inline library access process thread hart mode" },
	{ "--accesses-to", 0, "SYMBOL|ADDRESS[,SIZE]",
	  "--by access: only those to this variable, or to SIZE (8) bytes at ADDRESS",
	  AS_TEXT(struct report_options, accesses_to) },
	{ "--html", 0, NULL, "write a page for a browser to the file of -o",
	  AS_FLAG(struct report_options, html) },
	{ "--callers", 0, "FUNCTION", "who called it", AS_TEXT(struct report_options, callers) },
	{ "--callees", 0, "FUNCTION", "what it called", AS_TEXT(struct report_options, callees) },
	{ .name = NULL }
};
/* clang-format on */

static const struct usage usage = {
	.name = "report",
	.form = "[--by WHAT] [--callers FUNCTION] [--html -o FILE] REC|FLOW|TRACE",
	.text = "Shows where instructions went: for each function those that retired in it (self),\n"
		"those in it and in what it called (total; recursion counts once), and how often\n"
		"it was called.\n\n"
		"With --callers who called a function, with --callees what it called.  With --by\n"
		"something other than functions: source lines, libraries, or who ran.  --by inline\n"
		"shows functions as they were written, also those that the compiler put into\n"
		"others, and into which; --by access how often each function loaded and stored,\n"
		"where data was recorded (record --data).\n\n"
		"Where the flow has times, or with --cycles-per, also time.  Where times are rarer\n"
		"than blocks, the function at the second of two times gets all between them.",
	.example = "  hartscope report --top 20 app.rec\n"
		   "  hartscope report --callers malloc --elf app.elf app.nt\n"
		   "  hartscope report --html -o app.html app.rec\n"
		   "  hartscope report --by thread --kallsyms kallsyms linux.rec",
	.often = "--output --elf --set --auto --by --callers --callees --html --top --json",
	.options = OPTIONS(ROWS(options_output), OPTIONS_TRACE, OPTIONS_GUEST, OPTIONS_VIEW,
	                   ROWS(options_cycles), ROWS(by_rows),
	                   ROWS_AT(options_top, struct report_options, top), ROWS(options_xlen),
	                   ROWS(options_jobs), ROWS(options_json), ROWS(options_force),
	                   ROWS(options_quiet), ROWS(options_terminal), ROWS(options_reading)),
	.min_args = 1,
	.max_args = 1,
};

static double share(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

/* ---- functions -------------------------------------------------------------------------- */

static void show_function(struct report *r, const struct run *run,
                          const struct hs_counts_function *f)
{
	const uint64_t all = run->counts.instructions;

	report_row(r);
	report_u64(r, "self", "", f->self);
	report_real(r, "selfPercent", "", share(f->self, all), "%");
	report_u64(r, "total", "", f->total);
	report_real(r, "totalPercent", "", share(f->total, all), "%");
	if (run->calls.time) {
		report_u64(r, "selfTime", "", f->self_time);
		report_u64(r, "totalTime", "", f->total_time);
	}
	report_u64(r, "calls", "", f->calls);
	report_text(r, "name", "", f->name ? f->name : "(no symbol)");
	if (r->json && f->name)
		report_hex(r, "start", "", f->own ? f->own->start : f->called->start);
	if (f->own)
		report_library(r, f->own->file, f->own->own_file);
	else
		report_library(r, f->called->file, f->called->own_file);
	report_row_end(r);
}

static void show_functions(struct report *r, const struct run *run, uint64_t top)
{
	report_list(r, "functions",
	            run->calls.time ? "functions: self, total, time in itself, time in all, calls"
	                            : "functions: self, total, calls");
	for (size_t i = 0; i < run->function_count && i < top; i++)
		show_function(r, run, &run->functions[i]);
	report_list_end(r);
}

/* ---- callers, callees ------------------------------------------------------------------- */

static int most_calls(const void *a, const void *b)
{
	const struct hs_call_edge *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return (x->calls < y->calls) - (x->calls > y->calls);
}

static const char *name_of(const struct run *run, uint32_t function)
{
	if (function == UINT32_MAX)
		return "(nobody)";
	return run->edges.functions[function].name ? run->edges.functions[function].name
	                                           : "(no symbol)";
}

static void show_end(struct report *r, const struct run *run, const char *key, uint32_t function)
{
	const struct hs_call_function *f =
		function == UINT32_MAX ? NULL : &run->edges.functions[function];

	report_text(r, key, "", name_of(run, function));
	if (f)
		report_library_of(r, key, f->file, f->own_file);
}

static void show_edge(struct report *r, const struct run *run, const struct hs_call_edge *e,
                      bool callers)
{
	report_row(r);
	report_u64(r, "total", "", e->total);
	report_real(r, "totalPercent", "", share(e->total, run->counts.instructions), "%");
	if (run->calls.time)
		report_u64(r, "totalTime", "", e->total_time);
	report_u64(r, "calls", "", e->calls);
	if (callers || r->json)
		show_end(r, run, "caller", e->caller);
	if (!callers || r->json)
		show_end(r, run, "callee", e->callee);
	report_row_end(r);
}

/* The edges of the function with this number, by what ran in the calls. */
static bool show_edges(struct report *r, const struct run *run, uint32_t number, bool callers)
{
	struct hs_call_edge *rows = calloc(run->edges.edge_count + 1, sizeof(*rows));
	size_t n = 0;

	if (!rows)
		return false;
	for (size_t i = 0; i < run->edges.edge_count; i++) {
		const struct hs_call_edge *e = &run->edges.edges[i];

		if ((callers ? e->callee : e->caller) == number)
			rows[n++] = *e;
	}
	qsort(rows, n, sizeof(*rows), most_calls);
	for (size_t i = 0; i < n; i++)
		show_edge(r, run, &rows[i], callers);
	free(rows);
	return true;
}

/* Whether a function that ran has this name; a complaint if not.  NULL is no name. */
static bool is_known(const struct run *run, const char *name)
{
	struct guess guess = { .wanted = name };

	if (!name)
		return true;
	for (size_t i = 0; i < run->function_count; i++) {
		const struct hs_counts_function *f = &run->functions[i];

		if (f->called && run_is_name(run, f, name))
			return true;
		if (f->called && f->name)
			guess_try(&guess, f->name);
	}
	complain("no function that ran is called '%s'%s", name, guess_text(&guess));
	hint_of_inlined(hs_source_known(run->source)->program, name);
	return false;
}

/* --callers, --callees: of all functions that have the name.  False, after a complaint: no
 * memory. */
static bool show_relatives(struct report *r, const struct run *run, const char *name, bool callers)
{
	char title[300];
	bool good = true;

	snprintf(title, sizeof(title),
	         callers ? "callers of %.200s: total, calls" : "what %.200s called: total, calls",
	         name);
	report_list(r, callers ? "callers" : "callees", title);
	for (size_t i = 0; i < run->function_count && good; i++) {
		const struct hs_counts_function *f = &run->functions[i];

		if (f->called && run_is_name(run, f, name))
			good = show_edges(r, run, (uint32_t)(f->called - run->edges.functions),
			                  callers);
	}
	report_list_end(r);
	if (!good)
		complain("out of memory");
	return good;
}

/* ---- the command ------------------------------------------------------------------------ */

static int show(const struct run *run, const struct report_options *own)
{
	const struct options *o = &own->shared;
	bool good = true;
	struct report r;

	if (nothing_to_show(&run->damage, o->json))
		return EXIT_FINDINGS;
	if (!is_known(run, own->callers) || !is_known(run, own->callees))
		return EXIT_USAGE;
	report_begin(&r, stdout, o->json);
	report_u64(&r, "instructions", "instructions", run->counts.instructions);
	if (run->calls.time)
		report_u64(&r, "time", "time", run->calls.time);
	if (run->counts.events[HS_KIND_GAP] || r.json)
		report_u64(&r, "gaps", "gaps", run->counts.events[HS_KIND_GAP]);
	if (run->calls.unsure || r.json)
		report_u64(&r, "unsure", "on a stack that is not sure", run->calls.unsure);
	if (own->callers)
		good = show_relatives(&r, run, own->callers, true);
	if (own->callees)
		good &= show_relatives(&r, run, own->callees, false);
	if (own->by)
		good &= report_show_by(&r, run, own->by, own->top);
	else if (!own->callers && !own->callees)
		show_functions(&r, run, own->top);
	report_end(&r);
	note_calls(&run->calls);
	return good ? EXIT_GOOD : EXIT_USAGE;
}

/* What --by means: in a recording of a program, where nothing names threads, they are its harts. */
static uint8_t group_by(const struct report_options *own, const struct hs_source *source)
{
	const struct options *o = &own->shared;
	const struct hs_rec_info *info = hs_source_known(source)->info;

	if (own->by >= BY_LINE)
		return HS_PROFILE_BY_NOTHING;
	if (own->by != HS_PROFILE_BY_THREAD || o->source.guest_count || !info ||
	    info->process_count)
		return own->by;
	return HS_PROFILE_BY_HART;
}

int cmd_report(int argc, char **argv)
{
	struct hs_source *source;
	struct report_options own = { .top = 10 };
	struct options *o = &own.shared;
	struct run run;
	int status;

	if (!options_parse(&usage, argc, argv, o, &status))
		return status;
	if (own.html != (o->output != NULL)) {
		complain("--html and -o FILE belong together");
		return EXIT_USAGE;
	}
	o->source.names = o->source.versions = o->reads_all = true;
	o->source.processes = own.by == HS_PROFILE_BY_PROCESS || own.by == HS_PROFILE_BY_THREAD;
	source = open_argument(o, &status);
	if (!source)
		return status;
	if (own.accesses_to)
		own.by = BY_ACCESS;
	if (own.by == BY_ACCESS) {
		status = report_access(source, o, own.accesses_to, own.top);
		hs_source_close(source);
		return status;
	}
	if (own.html) {
		status = report_html(source, o, NULL);
		note_hidden_sources(source);
		hs_source_close(source);
		return status;
	}
	const struct hs_counts_options wants = {
		.by = group_by(&own, source),
		.what = own.by == BY_LINE || own.by == BY_INLINE ? HS_COUNTS_CODE : 0,
	};

	if (own.by < BY_LINE)
		own.by = wants.by;
	status = run_count(&run, source, &wants, o->quiet) ? show(&run, &own) : EXIT_USAGE;
	const int damaged = damage_exit(&run.damage);

	run_close(&run);
	hs_source_close(source);
	return damaged ? damaged : status;
}
