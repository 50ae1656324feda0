/* hartscope pmu: what counters of the SBI PMU would have counted. */
#include <stdlib.h>

#include <hartscope/pmu_soft.h>
#include <hartscope/profile.h>

#include "common/tool.h"

static const struct usage usage = {
	.name = "pmu",
	.form = "[--top N] [--json] [--elf FILE]... REC|FLOW|TRACE",
	.text =
	"Replays what ran through a PMU as SBI 3.0 has it, and prints what its counters would have\n"
	"counted: in total, in each privilege mode, and in the functions that ran most. Cycles are\n"
	"not in a trace, so they are not counted.",
	.example = "  hartscope pmu --top 5 app.rec",
	.set = OPT_JSON | OPT_PROTOCOL | OPT_CODE | OPT_HART | OPT_TOP | OPT_QUIET,
	.min_args = 1,
	.max_args = 1,
};

#define END(itype) (1u << HS_ITYPE_##itype)

/* The events, each on a counter of its own: instret, and hpmcounters with raw events. */
static const struct event {
	const char *key, *label;
	uint64_t number; /* for hs_pmu_soft_count() */
	unsigned ends;   /* of blocks that are this event, by itype; 0: instructions */
} events[] = {
	{ "instructions", "instructions", HS_PMU_HW_INSTRUCTIONS, 0 },
	{ "branches_taken", "branches taken", 0x101, END(TAKEN) },
	{ "branches_not_taken", "branches not taken", 0x102, END(NOT_TAKEN) },
	{ "calls", "calls", 0x103, END(CALL_UNINF) | END(CALL_INF) | END(SWAP) },
	{ "returns", "returns", 0x104, END(RETURN) | END(SWAP) }, /* a swap is both */
	{ "exceptions", "exceptions", 0x105, END(EXCEPTION) },
	{ "interrupts", "interrupts", 0x106, END(INTERRUPT) },
};
#define EVENTS 7u

static const struct hs_pmu_counter counters[EVENTS] = {
	{ 0xc02, 64 }, { 0xc03, 64 }, { 0xc04, 64 }, { 0xc05, 64 },
	{ 0xc06, 64 }, { 0xc07, 64 }, { 0xc08, 64 },
};
static const struct hs_pmu_event_row event_rows[] = { { 2, 2, 1, 0 } };
static const struct hs_pmu_raw_row raw_rows[] = { { 0x100, ~(uint64_t)0xff, 0x7e } };

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

struct replay {
	struct hs_profile *profile;
	struct hs_pmu pmu;
	struct hs_pmu_hart hart[MODES];
	struct hs_pmu_soft soft[MODES];
};

/* ---- the PMU ---------------------------------------------------------------------- */

static bool start_mode(struct replay *r, unsigned m)
{
	for (unsigned i = 0; i < EVENTS; i++) {
		const uint64_t flags =
			modes[m].flags | HS_PMU_CFG_CLEAR_VALUE | HS_PMU_CFG_AUTO_START;
		const uint64_t args[HS_PMU_ARGS] = { i, 1, flags,
			                             i ? HS_PMU_EVENT(HS_PMU_TYPE_RAW, 0)
			                               : events[i].number,
			                             i ? events[i].number : 0 };

		if (hs_pmu_ecall(&r->pmu, &r->hart[m], HS_PMU_COUNTER_CONFIG_MATCHING, args)
		            .error != HS_SBI_SUCCESS)
			return false;
	}
	return true;
}

static bool start_pmu(struct replay *r)
{
	const struct hs_pmu_config config = {
		.size = sizeof(config),
		.xlen = 64,
		.event_bits = 64,
		.sscofpmf = true,
		.smcntrpmf = true,
		.fw_counters = HS_PMU_NO_FW_COUNTERS,
		.hw_counters = EVENTS,
		.event_rows = 1,
		.raw_rows = 1,
		.hw = counters,
		.events = event_rows,
		.raws = raw_rows,
		.ops = hs_pmu_soft_ops(),
	};

	if (hs_pmu_init(&r->pmu, &config) != HS_OK)
		return false;
	for (unsigned m = 0; m < MODES; m++) {
		if (hs_pmu_soft_init(&r->soft[m], &r->pmu, NULL, NULL) != HS_OK)
			return false;
		hs_pmu_hart_init(&r->pmu, &r->hart[m], &r->soft[m]);
		if (!start_mode(r, m))
			return false;
	}
	return true;
}

static uint64_t counter_value(const struct replay *r, unsigned m, unsigned event)
{
	return r->soft[m].value[counters[event].csr & 31];
}

/* How often an event happened, of what ran in a mode or in a function. */
static uint64_t event_count(unsigned event, uint64_t instructions, const uint64_t ends[16])
{
	uint64_t n = 0;

	if (!events[event].ends)
		return instructions;
	for (unsigned itype = 0; itype < 16; itype++)
		if (events[event].ends >> itype & 1)
			n += ends[itype];
	return n;
}

/* What happened in one mode.  Where the mode is not known no filter helps: it has the last set of
 * counters for itself. */
static void count_mode(struct replay *r, unsigned priv, const struct hs_profile_mode *ran)
{
	const bool known = priv < 6 && priv != 2;

	for (unsigned event = 0; event < EVENTS; event++) {
		const uint64_t n = event_count(event, ran->instructions, ran->ends);

		for (unsigned m = known ? 0 : MODES - 1; n && m < MODES - known; m++)
			hs_pmu_soft_count(&r->soft[m], priv, events[event].number, n);
	}
}

static bool add_blocks(void *to, const struct hs_block *b, size_t n)
{
	struct replay *r = to;

	return hs_profile_add(r->profile, b, n) == HS_OK;
}

/* ---- what is printed ------------------------------------------------------------------ */

static void show_modes(struct report *out, const struct replay *r)
{
	report_list(
		out, "modes",
		"by mode: instructions, branches taken, not taken, calls, returns, exceptions, interrupts");
	for (unsigned m = 0; m < MODES; m++) {
		uint64_t any = 0;

		for (unsigned i = 0; i < EVENTS; i++)
			any |= counter_value(r, m, i);
		if (!any)
			continue;
		report_row(out);
		for (unsigned i = 0; i < EVENTS; i++)
			report_u64(out, events[i].key, "", counter_value(r, m, i));
		report_text(out, "mode", "", modes[m].name);
		report_row_end(out);
	}
	report_list_end(out);
}

static void show_functions(struct report *out, const struct hs_profile_result *ran, uint64_t top)
{
	report_list(out, "functions", "by function: the same");
	for (size_t i = 0; i < ran->function_count && i < top; i++) {
		const struct hs_profile_function *f = &ran->functions[i];

		report_row(out);
		for (unsigned k = 0; k < EVENTS; k++)
			report_u64(out, events[k].key, "",
			           event_count(k, f->instructions, f->ends));
		report_text(out, "name", "", f->name ? f->name : "(no symbol)");
		report_row_end(out);
	}
	report_list_end(out);
}

static int show(const struct replay *r, const struct hs_profile_result *ran,
                const struct options *o)
{
	struct report out;

	report_begin(&out, stdout, o->json);
	for (unsigned i = 0; i < EVENTS; i++) {
		uint64_t sum = 0;

		for (unsigned m = 0; m < MODES; m++)
			sum += counter_value(r, m, i);
		report_u64(&out, events[i].key, events[i].label, sum);
	}
	show_modes(&out, r);
	show_functions(&out, ran, o->top);
	report_end(&out);
	if (!ran->unmapped)
		return EXIT_GOOD;
	complain("the code of %llu blocks is not known: their instructions are not counted",
	         (unsigned long long)ran->unmapped);
	return EXIT_DAMAGED;
}

static int no_memory(void)
{
	complain("out of memory");
	return EXIT_USAGE;
}

static int replay(struct replay *r, struct hs_source *source, const struct options *o)
{
	const struct block_taker taker = { "counting", o->quiet, add_blocks, r };
	struct damage damage = { 0 };
	struct hs_profile_result ran;

	if (!start_pmu(r) || hs_profile_new(hs_source_program(source), hs_source_programs(source),
	                                    &r->profile) != HS_OK)
		return no_memory();
	const bool counted = read_blocks(&taker, source, &damage);
	const int damaged = damage_exit(&damage);

	if (!counted || hs_profile_get_result(r->profile, &ran) != HS_OK)
		return no_memory();
	for (unsigned priv = 0; priv < 8; priv++)
		count_mode(r, priv, &ran.modes[priv]);
	const int status = show(r, &ran, o);

	return damaged ? damaged : status;
}

int cmd_pmu(int argc, char **argv)
{
	struct hs_source *source;
	struct options o;
	int status;

	if (!options_parse(&usage, argc, argv, &o, &status))
		return status;
	o.source.names = true;
	source = open_argument(&o, &status);
	if (!source)
		return status;
	struct replay *r = calloc(1, sizeof(*r));

	status = r ? replay(r, source, &o) : no_memory();
	if (r)
		hs_profile_free(r->profile);
	free(r);
	hs_source_close(source);
	return status;
}
