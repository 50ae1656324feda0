/* Random recordings with random sets of parameters of both protocols, through queues, filters and
 * transports, there and back: what is decoded is what was recorded, but for what gaps and stops
 * stand for, or the set is refused.  A failure prints the smallest set. */
#include <hartscope/compare.h>
#include <hartscope/encode.h>
#include <hartscope/etrace.h>
#include <hartscope/recording.h>

#include "property/campaign.h"
#include "property/randset.h"
#include "recording_files.h"
#include "trace/trace.h"

#define RECORDINGS 24
#define BLOCKS     2000
#define ROOM       ((size_t)1 << 20)

static struct trips {
	struct run {
		struct program program;
		char path[64];
		bool at_once; /* a trap struck before the first instruction of a handler retired */
	} runs[RECORDINGS];
	bool made;
	struct hs_block blocks[BLOCKS], pieces[BLOCKS];
	uint8_t bytes[ROOM];
	size_t n;
	unsigned faults, errors;
	uint64_t taken, etrace, ways[3]; /* transports, queues, filters */
	struct hs_error error;
} *t;

/* ---- recordings ------------------------------------------------------------------------ */

static void make_run(struct run *run, uint64_t seed)
{
	struct rng r = rng_start(seed);
	struct walk_odds odds = { .trap_one_in = rng_one_in(&r, 2) ? 0 : 60,
		                  .tidy_returns = true,
		                  .plain_stack = true,
		                  .no_custom = true };

	if (rng_one_in(&r, 2))
		program_make_calls(&run->program, &r);
	else
		program_make(&run->program, &r);
	const size_t n = walk_random(&run->program, &r, 50 + rng_below(&r, 600), &odds, t->blocks,
	                             BLOCKS);

	for (size_t i = 0; i < n; i++)
		run->at_once |= t->blocks[i].kind == HS_KIND_BLOCK && !t->blocks[i].iretire;
	assert_int_equal(test_record(run->path, &run->program.image, t->blocks, n), HS_OK);
}

static void make_runs(void)
{
	for (unsigned i = 0; i < RECORDINGS && !t->made; i++)
		make_run(&t->runs[i], i + 1);
	t->made = true;
}

/* ---- sets ------------------------------------------------------------------------------ */

/* Settings that make sense together, so that more than the simplest sets are taken. */
static const char *const usual[2][20] = {
	{ "trTeInstMode=btm", "trTeInstEnRepeatedHistory=1", "trTeInstImplicitReturnMode=full",
	  "trTeInstImplicitReturnMode=partial", "trTeInstEnSequentialJump=1",
	  "trTeInstEnAllJumps=1", "trTeInstExtendAddrMSB=1", "repeatBranch=1 trTeInstMode=btm",
	  "trTsEnable=1", "dialect=1.0", "dialect=reference", "dialect=sifive", "trTeSrcBits=4",
	  "trTeInstSyncMode=messages", "icntBits=10", "histBits=5", "callStack=3", "histAlways=1",
	  "hrepeatBits=3", "trTeInstSyncMax=1" },
	{ "implicit-return=true return_stack_size_p=4",
	  "implicit-return=true call_counter_size_p=3", "branch-prediction=true bpred_size_p=5",
	  "jump-target-cache=true cache_size_p=4", "si-jump=true sijump_p=1", "full-address=true",
	  "notime_p=0 time_width_p=40", "version=2.1", "version=1.1", "version=0.026",
	  "dialect=reference", "dialect=none", "dialect=siemens", "dialect=encap1",
	  "no-compress=1", "trTeInstSyncMode=packets resync-max=1", "iret_ext=1", "f0s_width_p=1",
	  "trTeSrcBits=5", "trTsWidth=3" },
};

/* Add "NAME=VALUE NAME=VALUE". */
static void add_words(struct randset *s, const char *words)
{
	char name[40], value[40];
	int n;

	for (; sscanf(words, " %39[^=]=%39[^ ]%n", name, value, &n) == 2; words += n)
		for (unsigned i = 0; i < s->p->param_count; i++)
			if (strcmp(s->p->params[i].name, name) == 0)
				randset_add(s, s->p->params[i].name, value);
}

static void make_set(struct randset *s, struct rng *r)
{
	const unsigned which = !rng_one_in(r, 3);

	s->p = hs_protocol_at(which);
	s->count = 0;
	for (unsigned n = rng_below(r, 5); n; n--)
		add_words(s, usual[which][rng_below(r, COUNT_OF(usual[0]))]);
	randset_more(s, r, rng_one_in(r, 2) ? 0 : rng_below(r, 4));
}

static bool is(const struct hs_trace_params *p, const char *name, uint64_t value)
{
	return hs_trace_params_number(p, name) == value;
}

/* What a trace of these parameters does not have, as the documents say: the packets of the figure
 * only (strict), traps that no handler shows, profiles without blocks; or what a decoder's own
 * limits refuse. */
static bool has_less(const struct hs_trace_params *p, const struct randset *s,
                     const struct run *run)
{
	if (s->p == hs_protocol_at(0))
		return is(p, "btypePlain", 1) || is(p, "reportedCalls", 1) ||
		       is(p, "trTeInstImplicitReturnMode", 1) || !is(p, "messageBlocks", 0);
	return is(p, "strict", 1) || is(p, "plain-loops", 1) || is(p, "fast-profile", 1) ||
	       is(p, "fast-profile", 2) || !is(p, "cycle-counts", 0) ||
	       is(p, "itrace_fast_p", 1) || is(p, "x0-jumps", 1) || !is(p, "message-blocks", 0) ||
	       is(p, "layout.thaddr", 0) ||
	       (is(p, "version", 2) && is(p, "context-mark", 0)) ||
	       is(p, "dialect", HS_ET_DIALECT_PULP) || /* it cannot have these marks */
	       is(p, "layout.arrivals", 1) || /* a trap in a jump to itself, after how many? */
	       (is(p, "dialect", 8) && run->at_once);
}

/* QEMU's maps keep bits of those before: more than one way may fit, and the decoder says so. */
static bool is_left_open(const struct hs_trace_params *p)
{
	return is(p, "dialect", HS_ET_DIALECT_QEMU) &&
	       strstr(t->error.text, "which way branches went is not known");
}

/* ---- ways ------------------------------------------------------------------------------ */

/* How the bytes of a trace go.  Zero: as they are. */
struct way {
	const char *transport;
	char filter[64];             /* "": none */
	struct hs_queue_config queue; /* of 0 bytes: none */
	bool stall, gaps;            /* gaps: what is missing is asked for, also where nothing is */
};

static const char *const transports[] = { "pins1", "pins2", "pins4", "pins8", "pins16",
	                                  "pins1-packed", "pins4-packed", "tpiu", "tpiu-frames",
	                                  "uart", "uart-packed", "manchester" };

static void make_way(struct way *way, const struct run *run, struct rng *r)
{
	const struct hs_section *code = &run->program.image.sections[0];
	const uint64_t from = code->start + (rng_below(r, code->size) & ~1u);

	*way = (struct way){ .gaps = rng_one_in(r, 8) };
	if (rng_one_in(r, 4))
		way->transport = transports[rng_below(r, COUNT_OF(transports))];
	if (rng_one_in(r, 6)) {
		way->queue = (struct hs_queue_config){ sizeof(way->queue),
			                               64 + rng_below(r, 1024),
			                               1 + rng_below(r, 16), 1 };
		way->stall = rng_one_in(r, 2);
	}
	if (rng_one_in(r, 6))
		snprintf(way->filter, sizeof(way->filter), "iaddr=%#llx-%#llx",
		         (unsigned long long)from,
		         (unsigned long long)from + rng_below(r, code->size));
}

static bool leaves_out(const struct way *way)
{
	return *way->filter || (way->queue.bytes && !way->stall);
}

static void print_way(const struct way *way)
{
	print_message("# %s%s%s%s", way->transport ? "--transport " : "",
	              way->transport ? way->transport : "", *way->filter ? " --filter " : "",
	              way->filter);
	if (way->queue.bytes)
		print_message(" --queue %u,%u/%u%s", way->queue.bytes, way->queue.drain_bits,
		              way->queue.drain_cycles, way->stall ? " --stall" : "");
	print_message("%s\n", way->gaps ? " (check --gaps)" : "");
}

/* ---- there and back -------------------------------------------------------------------- */

static bool take_bytes(void *to, const void *bytes, size_t n)
{
	(void)to;
	if (n > ROOM - t->n)
		return false;
	memcpy(t->bytes + t->n, bytes, n);
	t->n += n;
	return true;
}

static void count_fault(void *to, const struct hs_encode_fault *fault)
{
	(void)to;
	(void)fault;
	t->faults++;
}

/* Messages that had no room are none. */
static void count_error(void *to, const struct hs_source *source, const struct hs_error *error)
{
	const struct way *way = to;

	(void)source;
	if (error->status == HS_E_LOST && way->queue.bytes && !way->stall)
		return;
	t->error = *error;
	t->errors++;
}

/* @return  Is the trace in t->bytes that of the run? */
static bool decode(const struct run *run, const struct way *way,
                   const struct hs_trace_params *params)
{
	const struct hs_capture_options capture = { .size = sizeof(capture),
		                                    .transport = way->transport };
	const struct hs_code_file image = { .kind = HS_CODE_IMAGE, .path = run->path };
	const struct hs_source_options ro = { .size = sizeof(ro),
		                              .path = run->path,
		                              .names = true };
	const struct hs_source_options to = {
		.size = sizeof(to), .path = "trace", .trace = { t->bytes, t->n }, .params = params,
		.code = &image, .code_count = 1, .capture = &capture
	};
	const struct hs_check_options o = { .size = sizeof(o), .error = count_error,
		                            .gaps = way->gaps || leaves_out(way),
		                            .to = (void *)(uintptr_t)way };
	struct hs_check_result result = { .equal = false };
	struct hs_source *recording, *trace;
	enum hs_status s;

	assert_int_equal(hs_source_open(&ro, &recording, NULL), HS_OK);
	s = hs_source_open(&to, &trace, &t->error);
	if (s == HS_OK) {
		s = hs_check(recording, trace, &o, &result, &t->error);
		hs_source_close(trace);
	}
	hs_source_close(recording);
	return s == HS_OK && result.equal && t->errors == 0;
}

/* @return  Is it refused, or the same again? */
static bool trip(const struct run *run, const struct way *way, const struct randset *s)
{
	struct hs_qualifier_config filter = { .size = sizeof(filter) };
	const struct hs_trace_params_options po = { .size = sizeof(po),
		                                    .protocol = s->p->name,
		                                    .settings = s->settings,
		                                    .setting_count = s->count };
	const struct hs_encode_options o = { .size = sizeof(o),
		                             .params = &po,
		                             .write = take_bytes,
		                             .fault = count_fault,
		                             .transport = way->transport,
		                             .queue = way->queue.bytes ? &way->queue : NULL,
		                             .stall = way->stall,
		                             .filter = *way->filter ? &filter : NULL };
	const struct hs_source_options so = { .size = sizeof(so), .path = run->path };
	struct hs_encode_result made;
	struct hs_encode *e;
	bool good = true;

	t->n = t->faults = t->errors = 0;
	t->error = (struct hs_error){ .status = HS_OK };
	if (*way->filter)
		assert_int_equal(hs_qualifier_parse(&filter, way->filter), HS_OK);
	if (hs_encode_new(&o, &e, NULL) != HS_OK)
		return true;
	const bool ran = hs_encode_open(e, &so, NULL) == HS_OK && hs_encode_run(e, NULL) == HS_OK;

	hs_encode_get_result(e, &made);
	if (ran && t->faults == 0 && !has_less(made.params, s, run)) {
		t->taken++;
		t->etrace += s->p == hs_protocol_at(1);
		t->ways[0] += way->transport != NULL;
		t->ways[1] += way->queue.bytes != 0;
		t->ways[2] += *way->filter != '\0';
		good = made.bytes ? decode(run, way, made.params) || is_left_open(made.params)
		                  : *way->filter != '\0';
	}
	hs_encode_free(e);
	return good;
}

/* Leave out what is not needed to fail. */
static void shrink(const struct run *run, struct way *way, struct randset *s)
{
	for (unsigned i = 0; i < 4; i++) {
		struct way less = *way;

		if (i == 0)
			less.transport = NULL;
		else if (i == 1)
			less.queue.bytes = less.stall = 0;
		else if (i == 2)
			*less.filter = '\0';
		else
			less.gaps = false;
		if (!trip(run, &less, s))
			*way = less;
	}
	for (unsigned i = 0; i < s->count;) {
		struct randset less = *s;

		for (unsigned k = i; k + 1 < less.count; k++)
			less.settings[k] = less.settings[k + 1];
		less.count--;
		for (unsigned k = 0; k < less.count; k++)
			less.settings[k].value = s->settings[k < i ? k : k + 1].value;
		if (trip(run, way, &less)) {
			i++;
			continue;
		}
		for (unsigned k = i; k + 1 < s->count; k++) {
			s->settings[k].name = s->settings[k + 1].name;
			strcpy(s->values[k], s->values[k + 1]);
		}
		s->count--;
	}
}

static void one(uint64_t seed)
{
	struct rng r = rng_start(seed);
	const struct run *run = &t->runs[rng_below(&r, RECORDINGS)];
	struct randset s;
	struct way way;

	make_runs();
	make_set(&s, &r);
	make_way(&way, run, &r);
	if (trip(run, &way, &s))
		return;
	shrink(run, &way, &s);
	trip(run, &way, &s);
	randset_print(&s);
	print_way(&way);
	fail_msg("recording %u: %s", (unsigned)(run - t->runs) + 1, t->error.text);
}

CAMPAIGN_WITH(a_recording_comes_back_whatever_is_set, t)
{
	const uint64_t cases = campaign_run(10000, one);

	printf("# %llu taken, of E-Trace %llu, with transports %llu, queues %llu, filters %llu\n",
	       (unsigned long long)t->taken, (unsigned long long)t->etrace,
	       (unsigned long long)t->ways[0],
	       (unsigned long long)t->ways[1], (unsigned long long)t->ways[2]);
	assert_true(t->taken - t->etrace > cases / 8 && t->etrace > cases / 8);
	for (unsigned i = 0; i < 3; i++)
		assert_true(t->ways[i] > cases / 60);
	for (unsigned i = 0; i < RECORDINGS; i++)
		test_directory_remove(t->runs[i].path);
}
