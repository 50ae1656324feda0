/* hartscope pmu: what counters of the SBI PMU would have counted. */
#include <stdlib.h>
#include <string.h>

#include "commands/pmu.h"

#define EVENTS_MAX 16

struct pmu_options {
	struct options shared;
	struct option_list events; /* --event */
	uint64_t sample;           /* 0: none */
	uint64_t top;
	uint8_t by; /* enum hs_profile_by */
	bool by_hart;
};

static bool parse_sample(void *to, const struct option_row *r, char *text)
{
	uint64_t *sample = to;

	if (!read_number(r->name, text, INT64_MAX, sample))
		return false;
	if (!*sample)
		complain("--sample is at least 1");
	return *sample > 0;
}

/* clang-format off */
static const struct option_row sample_rows[] = {
	{ "--event", 0, "NAME",
	  "only this event, by its name here or in SBI (INSTRUCTIONS, BRANCH_INSTRUCTIONS); "
	  "may be given several times",
	  AS_LIST(struct pmu_options, events, EVENTS_MAX),
	  .words = "instructions branches branches_taken branches_not_taken calls "
	           "returns exceptions interrupts" },
	{ "--sample", 0, "N",
	  "sample each N of the event (instructions, or the one of --event): where counters "
	  "of the harts would have overflowed",
	  AS_PARSED(struct pmu_options, sample, parse_sample) },
	{ "--by-hart", 0, NULL, "also count each hart", AS_FLAG(struct pmu_options, by_hart) },
	{ .name = NULL }
};
/* clang-format on */

static const struct usage usage = {
	.name = "pmu",
	.form = "[--event NAME]... [--sample N] [--by-hart] [--top N] [--json] [--elf FILE]... "
		"REC|FLOW|TRACE",
	.text = "Replays what ran through a PMU as SBI 3.0 has it, and prints what its counters would have\n"
		"counted: in total, in each privilege mode, and in the functions that ran most. Cycles are\n"
		"not in a trace, so they are not counted. Events: instructions, branches, branches_taken,\n"
		"branches_not_taken, calls, returns, exceptions, interrupts; by default all but branches,\n"
		"which are the sum of two.",
	.example = "  hartscope pmu --top 5 app.rec",
	.often = "--elf --set --auto --event --sample --by --by-hart --top --json",
	.options = OPTIONS(OPTIONS_TRACE, OPTIONS_GUEST, OPTIONS_VIEW,
	                   ROWS_AT(options_top, struct pmu_options, top), ROWS(options_xlen),
	                   ROWS_AT(options_by, struct pmu_options, by), ROWS(sample_rows),
	                   ROWS(options_jobs), ROWS(options_json), ROWS(options_quiet),
	                   ROWS(options_terminal), ROWS(options_reading)),
	.min_args = 1,
	.max_args = 1,
};

/* Each event has a counter of its own: instret, and hpmcounters. */
static const struct hs_pmu_counter counters[PMU_EVENTS] = {
	{ 0xc02, 64 }, { 0xc03, 64 }, { 0xc04, 64 }, { 0xc05, 64 },
	{ 0xc06, 64 }, { 0xc07, 64 }, { 0xc08, 64 }, { 0xc09, 64 },
};
static const struct hs_pmu_event_row event_rows[] = { { 2, 2, 1, 0 }, { 5, 5, 2, 0 } };
static const struct hs_pmu_raw_row raw_rows[] = { { 0x100, ~(uint64_t)0xff, 0xfc } };

/* One set of counters a mode: all others are filtered out. */
static const struct mode {
	unsigned priv;
	const char *name;
	uint64_t flags;
} modes[] = {
	{ HS_PRIV_U, "U", HS_PMU_CFG_SET_INH & ~HS_PMU_CFG_SET_UINH },
	{ HS_PRIV_S, "S", HS_PMU_CFG_SET_INH & ~HS_PMU_CFG_SET_SINH },
	{ HS_PRIV_M, "M", HS_PMU_CFG_SET_INH & ~HS_PMU_CFG_SET_MINH },
	{ HS_PRIV_VU, "VU", HS_PMU_CFG_SET_INH & ~HS_PMU_CFG_SET_VUINH },
	{ HS_PRIV_VS, "VS", HS_PMU_CFG_SET_INH & ~HS_PMU_CFG_SET_VSINH },
	{ HS_PRIV_UNKNOWN, "unknown", 0 },
};
#define MODES 6u

/* What ran, through a set of counters for each mode. */
struct replay {
	const struct pmu_options *own;
	struct hs_source *source;
	bool chosen[PMU_EVENTS];
	struct hs_pmu pmu;
	struct hs_pmu_hart hart[MODES];
	struct hs_pmu_soft soft[MODES];
	struct hs_counts *counts;
	struct pmu_samples *samples; /* --sample, or NULL */
};

/* ---- the PMU ---------------------------------------------------------------------- */

static bool init_pmu(struct hs_pmu *pmu)
{
	const struct hs_pmu_config config = {
		.size = sizeof(config),
		.sscofpmf = true,
		.smcntrpmf = true,
		.fw_counters = HS_PMU_NO_FW_COUNTERS,
		.hw_counters = PMU_EVENTS,
		.event_rows = 2,
		.raw_rows = 1,
		.hw = counters,
		.events = event_rows,
		.raws = raw_rows,
		.ops = hs_pmu_soft_ops(),
	};

	return hs_pmu_init(pmu, &config) == HS_OK;
}

static bool start_counters(struct replay *r)
{
	for (unsigned m = 0; m < MODES; m++) {
		if (hs_pmu_soft_init(&r->soft[m], &r->pmu, NULL, NULL) != HS_OK)
			return false;
		hs_pmu_hart_init(&r->pmu, &r->hart[m], &r->soft[m]);
		for (unsigned i = 0; i < PMU_EVENTS; i++)
			if (!pmu_start_event(&r->pmu, &r->hart[m], i, &pmu_events[i],
			                     modes[m].flags, 0))
				return false;
	}
	return true;
}

static uint64_t counter_value(const struct replay *r, unsigned m, unsigned event)
{
	return r->soft[m].value[counters[event].csr & 31];
}

static uint64_t sum_of(const struct replay *r, unsigned event)
{
	uint64_t sum = 0;

	for (unsigned m = 0; m < MODES; m++)
		sum += counter_value(r, m, event);
	return sum;
}

/* What happened in one mode.  Where the mode is not known no filter helps: it has the last set of
 * counters for itself. */
static void count_mode(struct replay *r, unsigned priv, const struct hs_profile_mode *ran)
{
	const bool known = priv < 6 && priv != 2;

	for (unsigned event = 0; event < PMU_EVENTS; event++) {
		const uint64_t n = pmu_event_count(&pmu_events[event], ran->instructions,
		                                   ran->ends);

		for (unsigned m = known ? 0 : MODES - 1; n && m < MODES - known; m++)
			hs_pmu_soft_count(&r->soft[m], priv, pmu_events[event].number, n);
	}
}

/* ---- what is printed ------------------------------------------------------------------ */

/* "by mode: instructions, calls": what the columns of rows are. */
static void begin_rows(struct report *out, const struct replay *r, const char *key,
                       const char *by)
{
	char title[256];
	size_t n = (size_t)snprintf(title, sizeof(title), "by %s:", by);

	for (unsigned i = 0; i < PMU_EVENTS; i++)
		if (r->chosen[i])
			n += (size_t)snprintf(title + n, sizeof(title) - n, " %s,",
			                      pmu_events[i].label);
	title[n - 1] = 0;
	report_list(out, key, title);
}

static void show_modes(struct report *out, const struct replay *r)
{
	begin_rows(out, r, "modes", "mode");
	for (unsigned m = 0; m < MODES; m++) {
		uint64_t any = 0;

		for (unsigned i = 0; i < PMU_EVENTS; i++)
			any |= r->chosen[i] ? counter_value(r, m, i) : 0;
		if (!any)
			continue;
		report_row(out);
		for (unsigned i = 0; i < PMU_EVENTS; i++)
			if (r->chosen[i])
				report_u64(out, pmu_events[i].key, "", counter_value(r, m, i));
		report_text(out, "mode", "", modes[m].name);
		report_row_end(out);
	}
	report_list_end(out);
}

static int by_number(const void *a, const void *b)
{
	const struct hs_profile_group *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* The events of a group, as columns of its row. */
static void show_group(struct report *out, const struct replay *r, const struct hs_profile_group *g)
{
	for (unsigned k = 0; k < PMU_EVENTS; k++)
		if (r->chosen[k])
			report_u64(out, pmu_events[k].key, "",
			           pmu_event_count(&pmu_events[k], g->instructions, g->ends));
}

/* --by-hart: in the order in which they came.  False: no memory. */
static bool show_harts(struct report *out, const struct replay *r)
{
	struct hs_profile_result t;
	struct hs_profile_group *harts = NULL;

	if (hs_counts_get_harts(r->counts, &t) == HS_OK)
		harts = calloc(t.group_count + 1, sizeof(*harts));
	if (!harts)
		return false;
	memcpy(harts, t.groups, t.group_count * sizeof(*harts));
	qsort(harts, t.group_count, sizeof(*harts), by_number);
	begin_rows(out, r, "harts", "hart");
	for (size_t h = 0; h < t.group_count; h++) {
		report_row(out);
		show_group(out, r, &harts[h]);
		report_u32(out, "hart", "", harts[h].hart);
		report_row_end(out);
	}
	report_list_end(out);
	free(harts);
	return true;
}

static bool by_task(const struct pmu_options *own)
{
	return own->by == HS_PROFILE_BY_PROCESS || own->by == HS_PROFILE_BY_THREAD;
}

/* --by process or thread: a row for each. */
static void show_processes(struct report *out, const struct replay *r,
                           const struct hs_profile_result *ran)
{
	const bool threads = r->own->by == HS_PROFILE_BY_THREAD;

	begin_rows(out, r, threads ? "threads" : "processes", threads ? "thread" : "process");
	for (size_t i = 0; i < ran->group_count; i++) {
		const struct hs_profile_group *g = &ran->groups[i];
		const struct who who = { g->task, g->context, g->has_context };

		report_row(out);
		show_group(out, r, g);
		who_report(out, &who);
		report_row_end(out);
	}
	report_list_end(out);
}

static void show_functions(struct report *out, const struct replay *r,
                           const struct hs_profile_result *ran)
{
	report_list(out, "functions", "by function: the same");
	for (size_t i = 0; i < ran->function_count && i < r->own->top; i++) {
		const struct hs_profile_function *f = &ran->functions[i];

		report_row(out);
		for (unsigned k = 0; k < PMU_EVENTS; k++)
			if (r->chosen[k])
				report_u64(out, pmu_events[k].key, "",
				           pmu_event_count(&pmu_events[k], f->instructions,
				                           f->ends));
		report_text(out, "name", "", f->name ? f->name : "(no symbol)");
		report_library(out, f->file, f->own_file);
		report_row_end(out);
	}
	report_list_end(out);
}

static void show_samples(struct report *out, const struct replay *r,
                         const struct hs_profile_result *samples)
{
	report_list(out, "samples_by_function", "samples by function");
	for (size_t i = 0; i < samples->function_count && i < r->own->top; i++) {
		const struct hs_profile_function *f = &samples->functions[i];

		report_row(out);
		report_u64(out, "samples", "", f->instructions);
		report_text(out, "name", "", f->name ? f->name : "(no symbol)");
		report_library(out, f->file, f->own_file);
		report_row_end(out);
	}
	report_list_end(out);
}

static int no_memory(void)
{
	complain("out of memory");
	return EXIT_USAGE;
}

static int show(const struct replay *r, const struct hs_profile_result *ran,
                const struct hs_profile_result *samples)
{
	struct report out;
	bool good = true;

	report_begin(&out, stdout, r->own->shared.json);
	for (unsigned i = 0; i < PMU_EVENTS; i++)
		if (r->chosen[i])
			report_u64(&out, pmu_events[i].key, pmu_events[i].label, sum_of(r, i));
	if (samples)
		report_u64(&out, "samples", "samples", samples->instructions);
	show_modes(&out, r);
	if (r->own->by_hart)
		good = show_harts(&out, r);
	if (by_task(r->own))
		show_processes(&out, r, ran);
	show_functions(&out, r, ran);
	if (samples)
		show_samples(&out, r, samples);
	report_end(&out);
	if (!good)
		return no_memory();
	if (!ran->unmapped)
		return EXIT_GOOD;
	complain("the code of %llu blocks is not known: their instructions are not counted",
	         (unsigned long long)ran->unmapped);
	return EXIT_DAMAGED;
}

/* The event that is sampled: the chosen one. */
static const struct pmu_event *sampled_event(const struct replay *r)
{
	unsigned e = 0;

	while (!r->chosen[e])
		e++;
	return &pmu_events[e];
}

static bool start(struct replay *r)
{
	const struct hs_counts_options co = {
		.size = sizeof(co),
		.what = HS_COUNTS_PROFILE | (r->own->by_hart ? (uint32_t)HS_COUNTS_HARTS : 0),
		.by = r->own->by,
		.source = r->source,
	};

	if (!init_pmu(&r->pmu) || !start_counters(r) || hs_counts_new(&co, &r->counts) != HS_OK)
		return false;
	if (r->own->sample)
		r->samples = pmu_samples_new(r->source, sampled_event(r), r->own->sample);
	return !r->own->sample || r->samples;
}

static bool add_blocks(void *to, const struct hs_block *b, size_t n)
{
	const struct replay *r = to;

	return pmu_samples_add(r->samples, b, n) && hs_counts_add(r->counts, b, n) == HS_OK;
}

/* Samples depend on the order of blocks. */
static bool count_all(struct replay *r, struct damage *damage)
{
	const struct block_taker taker = { "counting", r->own->shared.quiet, add_blocks, r, false };
	const struct block_look look = { "counting", r->own->shared.quiet, false, damage };

	return r->samples ? read_blocks(&taker, r->source, damage)
	                  : count_source(&look, r->source, r->counts) == HS_OK;
}

static int replay(struct replay *r, struct damage *damage)
{
	struct hs_profile_result ran, samples;

	if (!start(r) || !count_all(r, damage) || hs_counts_get_profile(r->counts, &ran) != HS_OK)
		return no_memory();
	for (unsigned priv = 0; priv < 8; priv++)
		count_mode(r, priv, &ran.modes[priv]);
	if (r->samples && pmu_samples_get(r->samples, &samples) != HS_OK)
		return no_memory();
	if (nothing_to_show(damage, r->own->shared.json))
		return EXIT_FINDINGS;
	return show(r, &ran, r->samples ? &samples : NULL);
}

static void free_replay(struct replay *r)
{
	if (!r)
		return;
	pmu_samples_free(r->samples);
	hs_counts_free(r->counts);
	free(r);
}

static int replay_of(void *to, struct hs_source *source, const struct options *o,
                     struct damage *damage)
{
	struct replay *r = to;

	(void)o;
	r->source = source;
	return replay(r, damage);
}

static int run(struct pmu_options *own)
{
	struct replay *r = calloc(1, sizeof(*r));
	int status = EXIT_USAGE;

	if (!r)
		return no_memory();
	r->own = own;
	if (pmu_choose_events(&own->events, r->chosen))
		status = with_source(&own->shared, replay_of, r);
	free_replay(r);
	return status;
}

int cmd_pmu(int argc, char **argv)
{
	struct pmu_options own = { .top = 10 };
	struct options *o = &own.shared;
	int status;

	if (!options_parse(&usage, argc, argv, o, &status))
		return status;
	if (own.sample && own.events.count > 1) {
		complain("--sample needs one event");
		return EXIT_USAGE;
	}
	if (own.by == HS_PROFILE_BY_HART)
		own.by_hart = true;
	o->source.processes = by_task(&own);
	if (!by_task(&own))
		own.by = HS_PROFILE_BY_NOTHING; /* modes are always shown */
	return run(&own);
}
