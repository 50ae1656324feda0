/* hartscope pmu: what counters of the SBI PMU would have counted. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/image.h>
#include <hartscope/pmu_soft.h>

#include "common/tool.h"

static const struct usage usage = {
	.name = "pmu",
	.form = "[--top N] [--json] [--elf FILE]... REC|FLOW|TRACE",
	.text = "Replays what ran through a PMU as SBI 3.0 has it, and prints what its counters would have\n"
	        "counted: in total, in each privilege mode, and in the functions that ran most. Cycles are\n"
	        "not in a trace, so they are not counted.",
	.example = "  hartscope pmu --top 5 app.rec",
	.set = OPT_JSON | OPT_PROTOCOL | OPT_CODE | OPT_HART | OPT_TOP | OPT_QUIET,
	.min_args = 1,
	.max_args = 1,
};

#define CACHE 4096 /* blocks whose instructions were counted already; a power of two */

/* The events, each on a counter of its own: instret, and hpmcounters with raw events. */
static const struct event {
	const char *key, *label;
	uint64_t number; /* for hs_pmu_soft_count() */
} events[] = {
	{ "instructions", "instructions", HS_PMU_HW_INSTRUCTIONS },
	{ "branches_taken", "branches taken", 0x101 },
	{ "branches_not_taken", "branches not taken", 0x102 },
	{ "calls", "calls", 0x103 },
	{ "returns", "returns", 0x104 },
	{ "exceptions", "exceptions", 0x105 },
	{ "interrupts", "interrupts", 0x106 },
};
#define EVENTS 7u

static const struct hs_pmu_counter counters[EVENTS] = {
	{ 0xc02, 64 }, { 0xc03, 64 }, { 0xc04, 64 }, { 0xc05, 64 }, { 0xc06, 64 }, { 0xc07, 64 }, { 0xc08, 64 },
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

struct function {
	const char *name; /* NULL: no symbol */
	uint64_t start, count[EVENTS];
	bool used;
};

/* A block's instructions, when all of it lies in one function. */
struct counted {
	uint64_t iaddr, instructions;
	uint32_t iretire; /* 0: free */
	size_t function;
};

struct replay {
	struct hs_program *program;
	struct hs_pmu pmu;
	struct hs_pmu_hart hart[MODES];
	struct hs_pmu_soft soft[MODES];
	struct function *functions;
	size_t used, slots; /* slots is a power of two */
	struct counted cache[CACHE];
	size_t current;     /* function of the last instructions */
	uint64_t unmapped;
	bool failed;        /* out of memory */
};

/* ---- the PMU ---------------------------------------------------------------------- */

static bool start_mode(struct replay *r, unsigned m)
{
	for (unsigned i = 0; i < EVENTS; i++) {
		const uint64_t flags = modes[m].flags | HS_PMU_CFG_CLEAR_VALUE | HS_PMU_CFG_AUTO_START;
		const uint64_t args[HS_PMU_ARGS] = { i, 1, flags, i ? HS_PMU_EVENT(HS_PMU_TYPE_RAW, 0) : events[i].number,
			                             i ? events[i].number : 0 };

		if (hs_pmu_ecall(&r->pmu, &r->hart[m], HS_PMU_COUNTER_CONFIG_MATCHING, args).error != HS_SBI_SUCCESS)
			return false;
	}
	return true;
}

static bool start_pmu(struct replay *r)
{
	const struct hs_pmu_config config = {
		.size = sizeof(config), .xlen = 64, .event_bits = 64, .sscofpmf = true, .smcntrpmf = true,
		.hw_counters = EVENTS, .event_rows = 1, .raw_rows = 1, .hw = counters, .events = event_rows,
		.raws = raw_rows, .ops = hs_pmu_soft_ops(),
	};

	if (hs_pmu_init(&r->pmu, &config) != HS_OK)
		return false;
	for (unsigned m = 0; m < MODES; m++) {
		hs_pmu_soft_init(&r->soft[m], &config, NULL, NULL);
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

/* Where the mode is not known no filter helps, so those have a set alone. */
static void happened(struct replay *r, unsigned priv, unsigned event, uint64_t n)
{
	const bool known = priv < 6 && priv != 2;

	for (unsigned m = known ? 0 : MODES - 1; m < MODES - known; m++)
		hs_pmu_soft_count(&r->soft[m], priv, events[event].number, n);
	r->functions[r->current].count[event] += n;
}

/* ---- functions --------------------------------------------------------------------- */

static size_t slot_of(const struct function *table, size_t slots, const char *name, uint64_t start)
{
	size_t i = (size_t)((start ^ (name != NULL)) * 0x9e3779b97f4a7c15ull >> 32) & (slots - 1);

	while (table[i].used && (table[i].start != start || table[i].name != name))
		i = (i + 1) & (slots - 1);
	return i;
}

static void grow(struct replay *r)
{
	struct function *bigger = calloc(2 * r->slots, sizeof(*bigger));

	if (!bigger) {
		r->failed = true;
		return;
	}
	for (size_t i = 0; i < r->slots; i++)
		if (r->functions[i].used)
			bigger[slot_of(bigger, 2 * r->slots, r->functions[i].name, r->functions[i].start)] = r->functions[i];
	free(r->functions);
	r->functions = bigger;
	r->slots *= 2;
	memset(r->cache, 0, sizeof(r->cache)); /* it has places in the old table */
}

static void enter(struct replay *r, const char *name, uint64_t start)
{
	if (2 * r->used >= r->slots)
		grow(r);
	if (r->failed)
		return;
	r->current = slot_of(r->functions, r->slots, name, start);
	r->used += !r->functions[r->current].used;
	r->functions[r->current].used = true;
	r->functions[r->current].name = name;
	r->functions[r->current].start = start;
}

/* ---- blocks ------------------------------------------------------------------------- */

static uint64_t instructions(struct replay *r, uint64_t *at, uint64_t to, uint64_t end)
{
	const struct hs_image *image = hs_program_image(r->program);
	struct hs_insn insn;
	uint64_t n = 0;

	for (; *at < to; n++) {
		if (hs_img_insn(image, *at, &insn) != HS_OK || 2u * insn.hwords > end - *at)
			break;
		*at += 2u * insn.hwords;
	}
	return n;
}

/* A block may run from the end of one function into the next. */
static void retired(struct replay *r, const struct hs_block *b)
{
	struct counted *c = &r->cache[(b->iaddr >> 1 ^ (uint64_t)b->iretire << 7) & (CACHE - 1)];
	const uint64_t end = hs_block_end(b);
	uint64_t at = b->iaddr;

	if (c->iretire == b->iretire && c->iaddr == b->iaddr) {
		r->current = c->function;
		happened(r, b->priv, 0, c->instructions);
		return;
	}
	while (at < end && !r->failed) {
		struct hs_program_function f;
		const uint64_t from = at;
		uint64_t to = end;

		if (hs_program_find_function(r->program, at, &f) && f.size - (at - f.start) < end - at)
			to = f.start + f.size;
		const uint64_t n = instructions(r, &at, to, end);

		enter(r, f.name, f.start);
		happened(r, b->priv, 0, n);
		if (at < to) {
			r->unmapped++;
			return;
		}
		if (from == b->iaddr && at == end)
			*c = (struct counted){ b->iaddr, n, b->iretire, r->current };
	}
}

/* A trap before the first instruction belongs to the function where it happened. */
static void interrupted(struct replay *r, uint64_t at)
{
	struct hs_program_function f;

	hs_program_find_function(r->program, at, &f);
	enter(r, f.name, f.start);
}

static void add(struct replay *r, const struct hs_block *b)
{
	if (b->kind == HS_KIND_CODE)
		memset(r->cache, 0, sizeof(r->cache));
	if (b->kind != HS_KIND_BLOCK)
		return;
	if (b->iretire)
		retired(r, b);
	else
		interrupted(r, b->iaddr);
	if (r->failed)
		return;
	switch (b->itype) {
	case HS_ITYPE_TAKEN: happened(r, b->priv, 1, 1); break;
	case HS_ITYPE_NOT_TAKEN: happened(r, b->priv, 2, 1); break;
	case HS_ITYPE_CALL_UNINF: case HS_ITYPE_CALL_INF: happened(r, b->priv, 3, 1); break;
	case HS_ITYPE_RETURN: happened(r, b->priv, 4, 1); break;
	case HS_ITYPE_EXCEPTION: happened(r, b->priv, 5, 1); break;
	case HS_ITYPE_INTERRUPT: happened(r, b->priv, 6, 1); break;
	case HS_ITYPE_SWAP: /* a return and a call */
		happened(r, b->priv, 4, 1);
		happened(r, b->priv, 3, 1);
		break;
	default: break;
	}
}

static bool take(void *to, const struct hs_block *b, size_t n)
{
	struct replay *r = to;

	for (size_t i = 0; i < n && !r->failed; i++)
		add(r, &b[i]);
	return !r->failed;
}

/* ---- what is printed ------------------------------------------------------------------ */

static void show_modes(struct report *out, const struct replay *r)
{
	report_list(out, "modes", "by mode: instructions, branches taken, not taken, calls, returns, exceptions, interrupts");
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

static int hotter(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->count[0] != y->count[0])
		return x->count[0] < y->count[0] ? 1 : -1;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* Sorts the table: nothing is counted after this. */
static void show_functions(struct report *out, struct replay *r, uint64_t top)
{
	qsort(r->functions, r->slots, sizeof(*r->functions), hotter);
	report_list(out, "functions", "by function: the same");
	for (size_t i = 0, shown = 0; i < r->slots && shown < top; i++) {
		const struct function *f = &r->functions[i];

		if (!f->used)
			continue;
		report_row(out);
		for (unsigned k = 0; k < EVENTS; k++)
			report_u64(out, events[k].key, "", f->count[k]);
		report_text(out, "name", "", f->name ? f->name : "(no symbol)");
		report_row_end(out);
		shown++;
	}
	report_list_end(out);
}

static int show(struct replay *r, const struct options *o)
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
	show_functions(&out, r, o->top);
	report_end(&out);
	if (!r->unmapped)
		return EXIT_GOOD;
	complain("the code of %llu blocks is not known: their instructions are not counted", (unsigned long long)r->unmapped);
	return EXIT_DAMAGED;
}

static int replay(struct hs_source *source, const struct options *o)
{
	struct replay *r = calloc(1, sizeof(*r));
	int status = EXIT_USAGE;

	if (r) {
		r->program = hs_source_program(source);
		r->slots = 1024;
		r->functions = calloc(r->slots, sizeof(*r->functions));
	}
	if (r && r->functions && start_pmu(r)) {
		const struct block_taker taker = { "counting", o->quiet, take, r };
		struct damage damage = { 0 };

		read_blocks(&taker, source, &damage);
		const int damaged = damage_exit(&damage);

		if (!r->failed)
			status = show(r, o);
		if (!r->failed && damaged)
			status = damaged;
	}
	if (!r || !r->functions || r->failed)
		complain("out of memory");
	if (r)
		free(r->functions);
	free(r);
	return status;
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
	status = replay(source, &o);
	hs_source_close(source);
	return status;
}
