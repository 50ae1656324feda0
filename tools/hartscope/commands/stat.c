/* hartscope stat: counts. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/calls.h>
#include <hartscope/profile.h>

#include "common/job_part.h"

static const struct usage usage = {
	.name = "stat",
	.form = "[--top N] [--by WHAT] [--traps] [--calls] [--compare] [--rate] [--coverage] [--part K/N] [--json] [--elf FILE]... REC|FLOW|TRACE...",
	.text = "Counts instructions, blocks by how they end, traps and the hottest functions; of a trace\n"
		"also messages, bytes and bits per instruction, unless it is of a range.\n\n"
		"With --calls also how often each function was\n"
		"called, and by which functions; a fast profile (etrace, fast-profile) has nothing else.\n\n"
		"With\n"
		"--compare the bytes that a recording takes under each protocol: without options, with each of\n"
		"them, and with all; percent are of the row without options above.  --set, with --protocol,\n"
		"holds for every row.\n\n"
		"With --rate only bytes over time, and the smallest queue between\n"
		"encoder and port that loses nothing, for ports of 1 to 16 pins (each a bit in a cycle) and\n"
		"for --drain; of a recording those of the trace that encode would write.  Cycles are those\n"
		"of --cycles-per.  With --part only a part of a trace is counted (hartscope merge).\n\n"
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
	.set = OPT_TERMINAL | OPT_JSON | OPT_PROTOCOL | OPT_CODE | OPT_PROCESS | OPT_GUEST |
	       OPT_HART | OPT_TOP | OPT_AUTO | OPT_TRANSPORT | OPT_CAPTURE | OPT_COMPARE |
	       OPT_CALLS | OPT_RATE | OPT_CYCLES | OPT_PART | OPT_NAMES | OPT_QUIET | OPT_RANGE |
	       OPT_FUNCTION | OPT_POINTS,
	.min_args = 1,
	.max_args = ARGS_MAX,
};

#define TYPES 128
#define KINDS 32u

/* What is counted of a flow. */
struct counts {
	struct hs_profile *profile;
	struct hs_calls *calls;
	struct hs_traps *traps; /* NULL: not asked for */
	bool blocks; /* calls of blocks, too: asked for by --calls */
	bool failed; /* no memory for what is counted of runs */
	bool empty;  /* there is nothing to show */
	const struct hs_part *parts; /* all of these were counted; NULL: the source was */
};

/* Events of fast profiles are always counted. */
static enum hs_status count_calls(const struct counts *c, const struct hs_block *b, size_t n)
{
	enum hs_status s = HS_OK;

	if (c->blocks)
		return hs_calls_add(c->calls, b, n);
	for (size_t i = 0; i < n && s == HS_OK; i++)
		if (b[i].kind != HS_KIND_BLOCK)
			s = hs_calls_add(c->calls, &b[i], 1);
	return s;
}

static bool count_blocks(void *to, const struct hs_block *b, size_t n)
{
	const struct counts *c = to;

	return hs_profile_add(c->profile, b, n) == HS_OK && count_calls(c, b, n) == HS_OK &&
	       (!c->traps || hs_traps_add(c->traps, b, n) == HS_OK);
}

static void count_run(void *to, const struct hs_run_count *run)
{
	struct counts *c = to;

	c->failed |= hs_profile_add_run(c->profile, run) != HS_OK ||
	             (c->blocks && hs_calls_add_run(c->calls, run) != HS_OK);
}

static int count_all(struct hs_source *source, struct counts *c, const struct options *o)
{
	const struct block_taker taker = { "counting", o->quiet, count_blocks, c, false };
	struct damage damage = { 0 };

	if (!c->traps && !c->blocks)
		hs_source_count_blocks(source, count_run, c);
	else if (!c->traps) /* what runs inside a trap depends on the order of blocks */
		hs_source_count_runs(source, count_run, c);
	const bool counted = read_blocks(&taker, source, &damage) && !c->failed;

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
	struct hs_range_found range;

	if (!hs_source_protocol(source))
		return;
	report_text(r, "protocol", "protocol", hs_source_protocol(source)->name);
	capture_report(r, source);
	if (hs_source_get_range(source, &range)) /* these are of all that was read */
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
                           const struct options *o)
{
	const struct hs_profile_function *f = t->functions;
	const bool owned = by_task(o->by) || o->by == HS_PROFILE_BY_HART;
	const uint64_t top = o->top;

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
			show_owner(r, t, f[i].group, o->by);
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
	return o->ranged || o->source.one_hart || o->source.select;
}

static int show(struct hs_source *source, const struct counts *counts, const struct options *o)
{
	struct hs_profile_result t;
	struct hs_calls_result calls;
	struct hs_traps_result traps;
	struct report r;

	if (hs_profile_get_result(counts->profile, &t) != HS_OK ||
	    hs_calls_get_result(counts->calls, &calls) != HS_OK ||
	    (counts->traps && hs_traps_get_result(counts->traps, &traps) != HS_OK)) {
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
	show_messages(&r, source, counts->parts, &t);
	show_itypes(&r, &t);
	show_events(&r, &t);
	show_groups(&r, &t, o->by);
	if (counts->traps)
		traps_report(&r, &traps, o->top);
	show_functions(&r, &t, o);
	if (counts->blocks || calls.function_count)
		show_calls(&r, &calls, o->top);
	versions_lists(&r, source);
	report_end(&r);
	if (!t.unmapped)
		return is_part(o) || instructions_fit(source, &t) ? EXIT_GOOD : EXIT_DAMAGED;
	complain("the code of %llu blocks is not known: their instructions are not counted",
	         (unsigned long long)t.unmapped);
	return EXIT_DAMAGED;
}

/* ---- parts of a trace --------------------------------------------------------------- */

/* --parts */
static int count_parts(struct hs_source *source, struct counts *c, struct job_sum *sum,
                       const struct options *o)
{
	struct damage damage = { 0 };

	if (!job_parts_add(sum, "stat", HS_PART_TALLY, o, source, 0) ||
	    hs_tally_apply(sum->tally, c->profile, c->blocks ? c->calls : NULL) != HS_OK)
		return EXIT_USAGE;
	job_sum_damage(sum, &damage);
	verify_merged();
	c->parts = &sum->part;
	return damage_exit(&damage);
}

/* ---- the command ------------------------------------------------------------------ */

int cmd_stat(int argc, char **argv)
{
	struct job_sum sum = { .any = false };
	struct counts counts = { 0 };
	struct hs_source *source;
	struct options o;
	int status;

	if (!options_parse(&usage, argc, argv, &o, &status))
		return status;
	if (o.points)
		return stat_coverage(&o);
	if (o.format) {
		complain("--format %s is of --coverage", o.format);
		return EXIT_USAGE;
	}
	if (o.arg_count > 1) {
		complain(
			"stat does not know what to do with '%s': only --coverage adds up several traces",
			o.args[1]);
		return EXIT_USAGE;
	}
	if (o.compare)
		return stat_compare(&o);
	if (o.rate)
		return stat_rate(&o);
	o.source.names = o.source.versions = o.reads_all = true;
	o.source.processes = by_task(o.by);
	source = open_argument(&o, &status);
	if (!source)
		return status;
	if (o.job_part) {
		status = job_tally_part("stat", &o, source);
		hs_source_close(source);
		return status;
	}
	counts.blocks = o.calls;
	const struct hs_profile_options po = {
		.size = sizeof(po), .by = o.by, .program = hs_source_program(source),
		.programs = hs_source_programs(source), .guest = hs_source_guest(source),
	};

	const struct hs_traps_options to = {
		.size = sizeof(to), .program = po.program, .programs = po.programs,
		.guest = po.guest,
	};

	if (hs_profile_open(&po, &counts.profile) == HS_OK &&
	    (!o.traps || hs_traps_new(&to, &counts.traps) == HS_OK) &&
	    hs_calls_new(hs_source_program(source), hs_source_programs(source), &counts.calls) ==
	            HS_OK) {
		hs_calls_set_guest(counts.calls, po.guest);
		const int damaged = o.job_parts ? count_parts(source, &counts, &sum, &o)
		                                : count_all(source, &counts, &o);

		if (!counts.empty && (!o.job_parts || counts.parts))
			status = show(source, &counts, &o);
		if (damaged)
			status = damaged;
	} else {
		complain("out of memory");
	}
	job_sum_free(&sum);
	hs_traps_free(counts.traps);
	hs_calls_free(counts.calls);
	hs_profile_free(counts.profile);
	hs_source_close(source);
	return status;
}
