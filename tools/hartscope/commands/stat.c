/* hartscope stat: counts. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/counts.h>

#include "commands/stat.h"
#include "common/job_part.h"

struct stat_options {
	struct options shared;
	uint64_t top;
	const char *format;         /* of --coverage */
	struct queue_options queue; /* --drain, of --rate */
	uint8_t by;                 /* enum hs_profile_by */
	bool traps, compare, calls, rate, points;
};

/* clang-format off */
static const struct option_row rate_rows[] = {
	{ "--rate", 0, NULL,
	  "bytes over time, and the smallest queue that loses nothing, by pins of a port",
	  AS_FLAG(struct stat_options, rate) },
	{ "--coverage", 0, NULL,
	  "which messages, forms, limits of fields, reasons, causes and corner cases the traces "
	  "have",
	  AS_FLAG(struct stat_options, points) },
	{ "--format", 0, "NAME",
	  "with --coverage: ucis, XML for coverage tools (UCIS 1.0)",
	  AS_TEXT(struct stat_options, format), .words = "ucis" },
	{ .name = NULL }
};

static const struct option_row compare_rows[] = {
	{ "--compare", 0, NULL,
	  "of a recording: bytes under each protocol, with each option and with all",
	  AS_FLAG(struct stat_options, compare) },
	{ .name = NULL }
};

static const struct option_row traps_rows[] = {
	{ "--traps", 0, NULL,
	  "traps by cause, modes and handler, with the instructions inside of them",
	  AS_FLAG(struct stat_options, traps) },
	{ "--calls", 0, NULL,
	  "how often each function was called, and by which, returned to, entered by a trap",
	  AS_FLAG(struct stat_options, calls) },
	{ .name = NULL }
};
/* clang-format on */

static const struct usage usage = {
	.name = "stat",
	.form = "[--top N] [--by WHAT] [--traps] [--calls] [--compare] [--rate] [--coverage] [--part K/N] [--json] [--elf FILE]... REC|FLOW|TRACE...",
	.text = "Counts instructions, blocks by how they end, traps and the hottest functions; of a trace\n"
		"also messages, bytes and bits per instruction, unless it is of a range.\n\n"
		"With --calls also how often each function was\n"
		"called, and by which functions; a fast profile (etrace, fast-profile) has nothing else.\n\n"
		"With --compare the bytes that a recording takes under each protocol: without options, with each\n"
		"of them, and with all.  Percentages are of the row without options above.  --set, with\n"
		"--protocol, holds for every row.\n\n"
		"With --rate only bytes over time, and the smallest queue between\n"
		"encoder and port that loses nothing, for ports of 1 to 16 pins (each a bit in a cycle) and\n"
		"for --drain; of a recording those of the trace that encode would write.  Cycles are those\n"
		"of --cycles-per.  With --part only a part of a trace is counted (hartscope merge).\n\n"
		"Of a damaged trace the last line says how many instructions came before a gap\n"
		"and after the last synchronisation: damage may have made them.\n\n"
		"With\n"
		"--coverage the points of the protocol that traces hit, and how often: each message, each\n"
		"form of it, fields at their limits, reasons, causes, corner cases that the texts name.\n"
		"Several traces are added up, and what --coverage --json printed before may be among\n"
		"them, or what a bench counted (+coverage=FILE of hartscope_coverage).",
	.example = "  hartscope stat --top 5 app.rec\n"
		   "  hartscope stat --by process --traps --kallsyms kallsyms linux.rec\n"
		   "  hartscope stat --compare app.rec\n"
		   "  hartscope stat --rate --drain 0.5 --protocol etrace app.rec\n"
		   "  hartscope stat --coverage --json run1.nt >run1.json\n"
		   "  hartscope stat --coverage run1.json run2.nt run3.nt\n"
		   "  hartscope stat --coverage --format ucis bench.json run1.json >coverage.xml",
	.often = "--protocol --elf --set --auto --top --by --calls --compare --rate --coverage"
		 " --json",
	.options = OPTIONS(ROWS(options_protocol), ROWS(options_config), ROWS(options_transport),
	                   ROWS(options_samples),
	                   { options_queue + 1, offsetof(struct stat_options, queue), 1 },
	                   ROWS(rate_rows), ROWS(options_auto), ROWS(options_capture),
	                   ROWS(options_code), ROWS(options_process), OPTIONS_GUEST, OPTIONS_VIEW,
	                   ROWS(options_cycles), ROWS_AT(options_top, struct stat_options, top),
	                   ROWS(options_xlen), ROWS(compare_rows),
	                   ROWS_AT(options_by, struct stat_options, by), ROWS(traps_rows),
	                   ROWS(options_jobs), ROWS(options_part), ROWS(options_json),
	                   ROWS(options_quiet), ROWS(options_terminal), ROWS(options_reading)),
	.min_args = 1,
	.max_args = ARGS_MAX,
};

#define TYPES 128
#define KINDS 32u

/* What is counted of a flow. */
struct counted {
	struct hs_counts *counts;
	const struct hs_part *parts; /* all of these were counted; NULL: the source was */
	bool empty;                  /* there is nothing to show */
};

static int count_all(struct hs_source *source, struct counted *c, const struct options *o)
{
	struct damage damage = { 0 };
	const struct block_look look = { "counting", o->quiet, false, &damage };
	const bool counted = count_source(&look, source, c->counts) == HS_OK;

	c->empty = nothing_to_show(&damage, o->json);
	if (counted)
		return damage_exit(&damage);
	complain("out of memory");
	return EXIT_USAGE;
}

static void show_itypes(struct report *r, const struct hs_profile_result *t)
{
	report_list(r, "ends", "blocks by how they end");
	for (unsigned i = 0; i < 16; i++) {
		if (!t->ends[i])
			continue;
		report_row(r);
		report_u64(r, "blocks", "", t->ends[i]);
		report_text(r, "end", "", hs_itype_name(i));
		report_u32(r, "itype", NULL, i);
		report_row_end(r);
	}
	report_list_end(r);
}

static void show_events(struct report *r, const struct hs_profile_result *t)
{
	bool any = r->json;

	for (unsigned i = 1; i < KINDS; i++)
		any |= t->events[i] != 0;
	if (!any)
		return;
	report_list(r, "events", "events");
	for (unsigned i = 1; i < KINDS; i++) {
		if (!t->events[i])
			continue;
		report_row(r);
		report_u64(r, "count", "", t->events[i]);
		report_text(r, "kind", "", hs_kind_name(i));
		report_row_end(r);
	}
	report_list_end(r);
}

/* Nothing without data trace. */
static void show_data(struct report *r, const struct hs_profile_result *t)
{
	const struct hs_profile_data *d = &t->data;

	if (!t->events[HS_KIND_DATA])
		return;
	report_u64(r, "loads", "loads", d->loads);
	report_u64(r, "stores", "stores", d->stores);
	report_u64(r, "atomics", "atomics", d->atomics);
	report_u64(r, "csr_accesses", "CSR accesses", d->csrs);
	report_u64(r, "bytes_loaded", "bytes loaded", d->loaded);
	report_u64(r, "bytes_stored", "bytes stored", d->stored);
}

/* What the trace proves to have retired and does not say what it was. */
static void show_unseen(struct report *r, const struct hs_profile_result *t)
{
	if (t->unseen[HS_UNSEEN_HALFWORDS])
		report_u64(r, "unseen_halfwords", "half-words unseen",
		           t->unseen[HS_UNSEEN_HALFWORDS]);
	if (t->unseen[HS_UNSEEN_BRANCHES])
		report_u64(r, "unseen_branches", "branches unseen",
		           t->unseen[HS_UNSEEN_BRANCHES]);
}

static void show_messages(struct report *r, struct hs_source *source, const struct hs_part *parts,
                          const struct hs_profile_result *t)
{
	struct hs_message_count v[TYPES];
	const unsigned n =
		parts ? hs_part_get_counts(parts, v) : hs_source_counts(source, v, TYPES);
	const uint64_t bytes = parts ? parts->slice.end : hs_source_bytes(source, NULL);

	if (!hs_source_known(source)->protocol)
		return;
	report_text(r, "protocol", "protocol", hs_source_known(source)->protocol->name);
	capture_report(r, source);
	if (hs_source_known(source)->range) /* these are of all that was read */
		return;
	report_u64(r, "bytes", "bytes", bytes);
	if (t->instructions)
		report_real(r, "bits_per_instruction", "bits/instruction",
		            8.0 * (double)bytes / (double)t->instructions, "");
	report_list(r, "messages", "messages by type: count, bytes");
	for (unsigned i = 0; i < n; i++) {
		report_row(r);
		report_u64(r, "count", "", v[i].messages);
		report_u64(r, "bytes", "", v[i].bytes);
		report_text(r, "name", "", v[i].name);
		report_row_end(r);
	}
	report_list_end(r);
}

static struct who who_is(const struct hs_profile_group *g)
{
	return (struct who){ g->task, g->context, g->has_context };
}

static const struct hs_profile_group *group_of(const struct hs_profile_result *t, uint32_t number)
{
	for (size_t i = 0; i < t->group_count; i++)
		if (t->groups[i].number == number)
			return &t->groups[i];
	return NULL;
}

static bool by_task(uint8_t by)
{
	return by == HS_PROFILE_BY_PROCESS || by == HS_PROFILE_BY_THREAD;
}

/* --by: a row for each process, thread, hart or mode. */
static void show_groups(struct report *r, const struct hs_profile_result *t, uint8_t by)
{
	static const char *const titles[] = {
		[HS_PROFILE_BY_PROCESS] = "by process: instructions, share, switches to it",
		[HS_PROFILE_BY_THREAD] = "by thread: instructions, share, switches to it",
		[HS_PROFILE_BY_HART] = "by hart: instructions, share",
		[HS_PROFILE_BY_MODE] = "by mode: instructions, share",
	};

	if (!by)
		return;
	report_list(r, "groups", titles[by]);
	for (size_t i = 0; i < t->group_count; i++) {
		const struct hs_profile_group *g = &t->groups[i];
		const struct who who = who_is(g);

		report_row(r);
		report_u64(r, "instructions", "", g->instructions);
		report_real(r, "percent", "", t->instructions ? 100.0 * (double)g->instructions /
		                                      (double)t->instructions : 0, "%");
		if (by_task(by))
			report_u64(r, "switches", "", g->switches);
		if (by_task(by))
			who_report(r, &who);
		else if (by == HS_PROFILE_BY_HART)
			report_u32(r, "hart", "", g->hart);
		else
			report_text(r, "mode", "", mode_name(g->priv));
		report_row_end(r);
	}
	report_list_end(r);
}

static void show_owner(struct report *r, const struct hs_profile_result *t, uint32_t number,
                       uint8_t by)
{
	const struct hs_profile_group *g = group_of(t, number);

	if (!g)
		return;
	const struct who who = who_is(g);

	if (by_task(by))
		who_report(r, &who);
	else if (by == HS_PROFILE_BY_HART)
		report_u32(r, "hart", "", g->hart);
}

static void show_functions(struct report *r, const struct hs_profile_result *t,
                           const struct stat_options *own)
{
	const struct hs_profile_function *f = t->functions;
	const bool owned = by_task(own->by) || own->by == HS_PROFILE_BY_HART;
	const uint64_t top = own->top;

	report_list(r, "functions", "hottest functions: instructions, share, entries");
	for (size_t i = 0; i < t->function_count && i < top && f[i].instructions; i++) {
		report_row(r);
		report_u64(r, "instructions", "", f[i].instructions);
		report_real(r, "percent", "", 100.0 * (double)f[i].instructions /
		                                      (double)t->instructions, "%");
		report_u64(r, "entries", "", f[i].entries);
		report_text(r, "name", "", f[i].name ? f[i].name : "(no symbol)");
		report_library(r, f[i].file, f[i].own_file);
		if (owned)
			show_owner(r, t, f[i].group, own->by);
		report_row_end(r);
	}
	report_list_end(r);
}

static const char *name_of(const struct hs_calls_function *f)
{
	return f->name ? f->name : "(no symbol)";
}

static void show_called(struct report *r, const struct hs_calls_result *c, uint64_t top)
{
	report_list(r, "called", "most called functions: calls, returns to it, traps to it");
	for (size_t i = 0; i < c->function_count && i < top; i++) {
		report_row(r);
		report_u64(r, "calls", "", c->functions[i].calls);
		report_u64(r, "returns", "", c->functions[i].returns);
		report_u64(r, "traps", "", c->functions[i].traps);
		report_text(r, "name", "", name_of(&c->functions[i]));
		report_library(r, c->functions[i].file, c->functions[i].own_file);
		report_row_end(r);
	}
	report_list_end(r);
}

static void show_end(struct report *r, const char *key, const struct hs_calls_function *f)
{
	report_text(r, key, "", name_of(f));
	report_library_of(r, key, f->file, f->own_file);
}

static void show_calls(struct report *r, const struct hs_calls_result *c, uint64_t top)
{
	report_u64(r, "calls", "calls", c->calls);
	report_u64(r, "returns", "returns", c->returns);
	report_u64(r, "traps", "traps", c->traps);
	show_called(r, c, top);
	report_list(r, "call_graph",
	            "most frequent calls: calls, callers inferred, callee, caller");
	for (size_t i = 0; i < c->edge_count && i < top; i++) {
		const struct hs_calls_edge *e = &c->edges[i];

		report_row(r);
		report_u64(r, "calls", "", e->calls);
		report_u64(r, "inferred", "", e->inferred);
		show_end(r, "callee", &c->functions[e->callee]);
		show_end(r, "caller", &c->functions[e->caller]);
		report_row_end(r);
	}
	report_list_end(r);
}

/* Does the view leave out what some harts, processes or modes executed? */
static bool is_part(const struct options *o)
{
	return o->range.given || o->source.one_hart || o->source.select;
}

/* Of a damaged trace: what no synchronisation confirms.  The last thing that is read of it. */
static void show_unproven(struct report *r, struct hs_source *source, const struct counted *c,
                          uint64_t instructions)
{
	uint64_t n = 0;
	char text[32];

	if (!hs_source_known(source)->protocol)
		return;
	const enum hs_status s = hs_counts_get_unproven(c->counts, &n);

	if (s == HS_E_SYSTEM && !r->json)
		fputs("how many of the instructions are unproven is not known: the trace cannot be "
		      "read again\n",
		      r->f);
	if (s != HS_OK)
		return;
	if (r->json)
		report_u64(r, "unproven", NULL, n);
	else if (n)
		fprintf(r->f,
		        "%s%.1f %% of the instructions (%s) came before a gap with no "
		        "synchronisation between: unproven\n",
		        1000 * n < instructions ? "less than " : "",
		        1000 * n < instructions ? 0.1 : 100.0 * (double)n / (double)instructions,
		        number_grouped(n, 0, text));
}

static int show(struct hs_source *source, const struct counted *c, const struct stat_options *own)
{
	const struct options *o = &own->shared;
	struct hs_profile_result t;
	struct hs_calls_result calls;
	struct hs_traps_result traps;
	struct report r;

	if (hs_counts_get_profile(c->counts, &t) != HS_OK ||
	    hs_counts_get_calls(c->counts, &calls) != HS_OK ||
	    (own->traps && hs_counts_get_traps(c->counts, &traps) != HS_OK)) {
		complain("out of memory");
		return EXIT_USAGE;
	}
	report_begin(&r, stdout, o->json);
	report_u64(&r, "instructions", "instructions", t.instructions);
	report_u64(&r, "blocks", "blocks", t.blocks);
	report_u64(&r, "distinct_blocks", "distinct blocks", t.distinct);
	report_u64(&r, "exceptions", "exceptions",
	           t.ends[HS_ITYPE_EXCEPTION] + t.lone_traps[HS_ITYPE_EXCEPTION]);
	report_u64(&r, "interrupts", "interrupts",
	           t.ends[HS_ITYPE_INTERRUPT] + t.lone_traps[HS_ITYPE_INTERRUPT]);
	versions_report(&r, source);
	report_u64(&r, "gaps", "gaps", t.events[HS_KIND_GAP]);
	show_unseen(&r, &t);
	if (t.notifications || r.json)
		report_u64(&r, "notifications", "notifications", t.notifications);
	show_data(&r, &t);
	show_messages(&r, source, c->parts, &t);
	show_itypes(&r, &t);
	show_events(&r, &t);
	show_groups(&r, &t, own->by);
	if (own->traps)
		traps_report(&r, &traps, own->top);
	show_functions(&r, &t, own);
	if (own->calls || calls.function_count)
		show_calls(&r, &calls, own->top);
	versions_lists(&r, source);
	show_unproven(&r, source, c, t.instructions);
	report_end(&r);
	if (!t.unmapped)
		return is_part(o) || instructions_fit(source, &t) ? EXIT_GOOD : EXIT_DAMAGED;
	complain("the code of %llu blocks is not known: their instructions are not counted",
	         (unsigned long long)t.unmapped);
	return EXIT_DAMAGED;
}

/* ---- parts of a trace --------------------------------------------------------------- */

/* --parts */
static int count_parts(struct hs_source *source, struct counted *c, struct job_sum *sum,
                       const struct options *o)
{
	struct damage damage = { 0 };

	if (!job_parts_add(sum, "stat", HS_PART_TALLY, o, source, 0) ||
	    hs_tally_apply(sum->tally, c->counts) != HS_OK)
		return EXIT_USAGE;
	job_sum_damage(sum, &damage);
	verify_merged();
	c->parts = &sum->part;
	return damage_exit(&damage);
}

/* ---- the command ------------------------------------------------------------------ */

static bool start(struct hs_source *source, const struct stat_options *own,
                  struct hs_counts **counts)
{
	const struct hs_counts_options co = {
		.size = sizeof(co),
		.what = HS_COUNTS_PROFILE | (own->calls ? (uint32_t)HS_COUNTS_CALLS : 0) |
		        (own->traps ? (uint32_t)HS_COUNTS_TRAPS : 0),
		.by = own->by,
		.source = source,
	};

	if (hs_counts_new(&co, counts) == HS_OK)
		return true;
	complain("out of memory");
	return false;
}

int cmd_stat(int argc, char **argv)
{
	struct job_sum sum = { .any = false };
	struct counted c = { 0 };
	struct hs_source *source;
	struct stat_options own = { .top = 10 };
	struct options *o = &own.shared;
	int status;

	if (!options_parse(&usage, argc, argv, o, &status))
		return status;
	if (own.points)
		return stat_coverage(o, own.format);
	if (own.format) {
		complain("--format %s is of --coverage", own.format);
		return EXIT_USAGE;
	}
	if (o->arg_count > 1) {
		complain(
			"stat does not know what to do with '%s': only --coverage adds up several traces",
			o->args[1]);
		return EXIT_USAGE;
	}
	if (own.compare)
		return stat_compare(o);
	if (own.rate)
		return stat_rate(o, &own.queue);
	o->source.names = o->source.versions = o->reads_all = true;
	o->source.processes = by_task(own.by);
	source = open_argument(o, &status);
	if (!source)
		return status;
	if (o->job.part) {
		status = own.traps ? job_part_refuse("--traps") : job_tally_part("stat", o, source);
		hs_source_close(source);
		return status;
	}
	if (start(source, &own, &c.counts)) {
		const int damaged =
			o->job.parts ? count_parts(source, &c, &sum, o) : count_all(source, &c, o);

		if (!c.empty && (!o->job.parts || c.parts))
			status = show(source, &c, &own);
		if (damaged)
			status = damaged;
	}
	job_sum_free(&sum);
	hs_counts_free(c.counts);
	hs_source_close(source);
	return status;
}
