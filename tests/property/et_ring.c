/* A circular buffer whose seam is known: what hs_et_ring_find() and, with the program,
 * hs_protocol_find_wrap() leave in is messages of one stream, the newest ones before the seam and
 * the oldest ones after it.  They may find nothing.
 *
 * Where they are wrong they must not be certain, whatever was damaged.  Without damage they are
 * wrong nowhere, and find most seams.  hs_ring_find() of N-Trace is what comes before the program.
 */
#include "trace/trace.h"
#include "cases.h"

#include <hartscope/protocol.h>
#include <hartscope/transport.h>

#include "property/campaign.h"
#include "property/randetrace.h"
#include "property/randprog.h"
#include "trace/protocol.h"
#include "transport/transport.h"

#define BLOCKS 4000
#define TRACE (BLOCKS * 64)

/* What the parameters are like. */
enum kind { STANDARD, TIMED, ESP32, REFERENCE, ATB, NONE, SIEMENS, ENCAP1, HTM, BTM, KINDS };
static const char *const names[] = { "standard", "with times", "indexes", "reference", "atb",
	                             "no frame", "messages", "types of 1 bit",
	                             "N-Trace, HTM", "N-Trace, BTM" };

/* Contexts of the programs. */
static const uint64_t contexts[] = { 1, 2 };
static struct hs_image images[2];
static const struct hs_image_set both = { images, contexts, 2, false };

static struct {
	struct program program, other; /* other: of the second context */
	bool whole; /* options of all kinds, and both programs */
	const struct hs_protocol *protocol;
	void *config;
	unsigned src_bits; /* of N-Trace */
	struct hs_block blocks[BLOCKS];
	uint8_t trace[TRACE], buffer[TRACE];
	bool starts[TRACE + 1]; /* a packet begins there */
	size_t length;
	size_t size, wp;        /* of the buffer */
	uint64_t from;          /* in the trace: of the oldest byte of the buffer */
} *t;

static struct {
	uint64_t cases[KINDS], found[KINDS], certain[KINDS], proven[KINDS], lost, kept;
	uint64_t damaged, damaged_found, damaged_wrong;
	uint64_t left_out, by_program; /* bytes; buffers whose seam the program showed */
} sum;

static void set(const char *name, unsigned value)
{
	char text[16];

	snprintf(text, sizeof text, "%u", value);
	assert_int_equal(hs_protocol_set(t->protocol, t->config, name, text, NULL), HS_OK);
}

static void set_dialect(const char *name)
{
	assert_int_equal(hs_protocol_set(t->protocol, t->config, "dialect", name, NULL), HS_OK);
	t->protocol->codec->defaults(t->config, CODEC_FOLLOWING);
}

static void random_etrace(struct rng *r, enum kind kind)
{
	static const char *const dialects[] = { "standard", "standard", "esp32", "reference", "atb",
		                                "none", "siemens", "encap1" };

	set_dialect(dialects[kind]);
	if (kind == TIMED && rng_one_in(r, 2)) {
		set("notime_p", 0);
	} else if (kind == TIMED || (kind == SIEMENS && rng_one_in(r, 2))) {
		set("trTsWidth", 4 + rng_below(r, 5));
		set("trTeSrcBits", rng_below(r, 9));
	}
	set("trTeInstSyncMode", rng_one_in(r, 8) ? HS_ET_SYNC_OFF : HS_ET_SYNC_PACKETS);
	set("resync-max", 1 + rng_below(r, 3));
	if (kind != ESP32 && rng_one_in(r, 3))
		set("full-address", 1);
}

static void random_ntrace(struct rng *r, enum kind kind)
{
	assert_int_equal(hs_protocol_set(t->protocol, t->config, "trTeInstMode",
	                                 kind == HTM ? "htm" : "btm", NULL), HS_OK);
	set("trTeInstSyncMode", rng_one_in(r, 8) ? 0 : 1);
	set("trTeInstSyncMax", rng_below(r, 3));
	t->src_bits = rng_one_in(r, 2) ? 1 + rng_below(r, 12) : 0;
	set("trTeSrcBits", t->src_bits);
}

static void maybe(struct rng *r, const char *name, unsigned value)
{
	if (rng_one_in(r, 3))
		set(name, value);
}

/* Options that codecs keep tables for, and contexts. */
static void more_options(struct rng *r, enum kind kind)
{
	if (kind >= HTM) {
		set("trTeContext", 1);
		maybe(r, "trTeInstImplicitReturnMode", 2 + rng_below(r, 2));
		maybe(r, "trTeInstEnRepeatedHistory", kind == HTM);
		maybe(r, "repeatBranch", 1);
		maybe(r, "trTeInstEnSequentialJump", 1);
		return;
	}
	set("nocontext_p", 0);
	set("context_width_p", 2 + rng_below(r, 7));
	if (kind == ESP32) /* its support packets name no options */
		return;
	set("sijump_p", 1);
	set("return_stack_size_p", 4);
	set("bpred_size_p", 1 + rng_below(r, 6));
	set("cache_size_p", 1 + rng_below(r, 6));
	set("f0s_width_p", 1);
	maybe(r, "si-jump", 1);
	maybe(r, "implicit-return", 1);
	maybe(r, "branch-prediction", 1);
	maybe(r, "jump-target-cache", 1);
}

/* A new configuration of either protocol. */
static void random_config(struct rng *r, enum kind kind)
{
	t->protocol = hs_protocol_find(kind < HTM ? "etrace" : "ntrace");
	t->config = realloc(t->config, t->protocol->config_size);
	assert_non_null(t->config);
	hs_protocol_defaults(t->protocol, t->config);
	if (kind < HTM)
		random_etrace(r, kind);
	else
		random_ntrace(r, kind);
	if (t->whole)
		more_options(r, kind);
	assert_int_equal(hs_protocol_check(t->protocol, t->config, NULL), HS_OK);
}

static void mark_starts(void)
{
	struct hs_span in = { t->trace, t->length };
	struct hs_message m;
	struct hs_reader *reader;

	memset(t->starts, 0, sizeof t->starts);
	assert_int_equal(hs_reader_new(&reader, t->protocol, t->config), HS_OK);
	for (uint64_t end = 0; hs_reader_next(reader, &in, &m) == HS_OK;
	     end = m.offset + m.length) {
		memset(t->starts + end, true, m.offset + 1 - end); /* null packets */
		t->starts[m.offset + m.length] = true;
	}
	hs_reader_free(reader);
}

/* From its begin nothing contradicts.  The stops of esp32 are losses. */
static void check_trace(void)
{
	struct hs_span in = { t->trace, t->length };
	struct hs_block out[256];
	enum hs_status s;
	struct hs_decoder *decoder;
	size_t n;

	assert_int_equal(hs_decoder_new(&decoder, t->protocol, t->config, &t->program.image, &both),
	                 HS_OK);
	do {
		s = hs_decode(decoder, &in, out, 256, &n);
		assert_true(s == HS_OK || s == HS_FULL || s == HS_MORE || s == HS_E_LOST);
	} while (s != HS_MORE);
	hs_decoder_free(decoder);
}

/* Another program of the same hart, in the same place. */
static void make_other(struct rng *r)
{
	const struct hs_isa *isa = &t->program.image.isa;

	do
		program_make(&t->other, r);
	while (t->other.base != t->program.base || t->other.image.isa.xlen != isa->xlen ||
	       t->other.image.isa.zcmp_zcmt != isa->zcmp_zcmt);
}

/* Each program runs in its context, up to a stop. */
static size_t run_both(struct rng *r, const struct walk_odds *odds)
{
	const unsigned turns = 1 + rng_below(r, 8), steps = 8000 / turns;
	size_t n = 0;

	make_other(r);
	images[0] = t->program.image;
	images[1] = t->other.image;
	for (unsigned i = 0; i < turns; i++) {
		const unsigned which = rng_below(r, 2);

		t->blocks[n++] = (struct hs_block){ .kind = HS_KIND_CONTEXT,
			                            .value = contexts[which], .arg = 2 };
		n += walk_random(which ? &t->other : &t->program, r, steps, odds, t->blocks + n,
		                 BLOCKS / turns - 2);
		t->blocks[n++] = (struct hs_block){ .kind = HS_KIND_STOP };
	}
	return n;
}

/* False: the framing has no packet for it. */
static bool random_trace(struct rng *r, enum kind kind)
{
	const struct walk_odds odds = { .trap_one_in = rng_one_in(r, 2) ? 40 : 0,
		                        .stop_one_in = rng_one_in(r, 4) ? 300 : 0,
		                        .time_one_in = kind == TIMED || kind == SIEMENS ? 3 : 0,
		                        .tidy_returns = t->whole && rng_one_in(r, 2),
		                        .no_custom = true };
	size_t used, len;

	program_make(&t->program, r);
	const size_t n = t->whole ? run_both(r, &odds)
	                          : walk_random(&t->program, r, 8000, &odds, t->blocks, BLOCKS);
	uint64_t now = rng_next(r) >> 40;

	/* no time between two packets is half of what the field holds */
	for (size_t i = 0; i < n; i++)
		if (t->blocks[i].kind == HS_KIND_TIME)
			t->blocks[i].value = now += rng_below(r, 1000);

	struct hs_encoder *encoder;

	assert_int_equal(hs_encoder_new(&encoder, t->protocol, t->config), HS_OK);
	const enum hs_status s = hs_encoder_put(encoder, t->blocks, n, &used, t->trace,
	                                             TRACE - 4096, &t->length);

	if (s == HS_OK)
		assert_int_equal(hs_encoder_end(encoder, t->trace + t->length,
		                                         TRACE - t->length, &len), HS_OK);
	hs_encoder_free(encoder);
	if (s != HS_OK)
		return false;
	t->length += len;
	mark_starts();
	if (t->whole)
		check_trace();
	return true;
}

/* A sink writes words; it stops after any of them, often inside of a packet. */
static bool make_buffer(struct rng *r)
{
	const size_t less = rng_one_in(r, 4) ? 0 : rng_below(r, 60);

	if (t->length < less)
		return false;
	size_t end = t->length - less;

	end -= end % 4;
	t->size = 600 + 4 * rng_below(r, 600);
	if (end < t->size + 1)
		return false;
	t->wp = rng_below(r, (uint32_t)(t->size / 4)) * 4;
	t->from = end - t->size;
	for (size_t i = 0; i < t->size; i++)
		t->buffer[(t->wp + i) % t->size] = t->trace[t->from + i];
	return true;
}

/* Where a place of the buffer is in the trace.  The seam is its end, or its begin. */
static uint64_t trace_of(uint64_t place, bool is_end)
{
	uint64_t d = (place + t->size - t->wp) % t->size;

	if (d == 0 && is_end)
		d = t->size;
	return t->from + d;
}

/* Packets that were cut, and whose other bytes happen to be there: bytes of the trace at @from are
 * the same as those at @to. */
static bool same_bytes(uint64_t from, uint64_t to, uint64_t n)
{
	return n < 64 && from < to && to + n <= t->length &&
	       memcmp(t->trace + from, t->trace + to, n) == 0;
}

static bool is_right(const struct hs_ring *ring)
{
	const uint64_t begin = trace_of(ring->begin, false), end = trace_of(ring->end, true);
	const uint64_t last = t->from + t->size;

	/* of N-Trace, the rest of the oldest message, which no synchronisation is before */
	const bool rest = ring->evidence == HS_RING_STOP &&
	                  t->protocol->codec->end == CODEC_END_MSEO && begin == t->from;

	if (begin <= end)
		return (rest || t->starts[begin]) && t->starts[end];
	/* begin is some bytes before the seam, or end after it */
	if (last - begin < t->from && t->starts[end] && t->starts[begin - t->size] &&
	    same_bytes(begin - t->size, begin, last - begin))
		return true;
	return t->starts[begin] && t->starts[end + t->size] &&
	       same_bytes(t->from, last, end - t->from);
}

static void damage(struct rng *r)
{
	for (unsigned i = 1 + rng_below(r, 4); i; i--) {
		const size_t at = rng_below(r, (uint32_t)t->size), n = 1 + rng_below(r, 12);

		for (size_t k = at; k < at + n && k < t->size; k++)
			t->buffer[k] = rng_one_in(r, 3) ? 0 : (uint8_t)rng_next(r);
	}
}

/* By the messages; then, where they show nothing, by the program. */
static void find_by_messages(enum kind kind, struct hs_ring *ring)
{
	const struct hs_span all = { t->buffer, t->size };

	if (kind < HTM)
		assert_int_equal(t->protocol->codec->find_ring(t->config, &all, HS_RING_UNKNOWN,
		                                               ring),
		                 HS_OK);
	else
		hs_ring_find(&all, t->src_bits, ring);
}

static void find_by_program(struct hs_ring *ring)
{
	const struct hs_span all = { t->buffer, t->size };

	assert_int_equal(hs_protocol_find_wrap(t->protocol, t->config, &t->program.image,
	                                       t->whole ? &both : NULL, &all, ring), HS_OK);
}

static uint64_t bytes_left_out(const struct hs_ring *ring)
{
	return t->size - (trace_of(ring->end, true) - trace_of(ring->begin, false));
}

static void wrong(enum kind kind, const char *what, const struct hs_ring *ring)
{
	fail_msg("%s%s: the seam is at 0x%zx, not between 0x%llx and 0x%llx (evidence 0x%x%s)",
	         names[kind], what, t->wp, (unsigned long long)ring->end,
	         (unsigned long long)ring->begin, ring->evidence,
	         ring->certain ? ", certain" : "");
}

static void undamaged(enum kind kind)
{
	struct hs_ring ring;

	find_by_messages(kind, &ring);
	sum.cases[kind]++;
	sum.found[kind] += ring.found;
	sum.certain[kind] += ring.certain;
	if (ring.found) {
		if (!is_right(&ring))
			wrong(kind, "", &ring);
		sum.kept += kind < HTM;
		sum.lost += kind < HTM ? bytes_left_out(&ring) : 0;
		return;
	}
	find_by_program(&ring);
	sum.proven[kind] += ring.found;
	if (ring.found && (ring.certain || !is_right(&ring)))
		wrong(kind, ", by the program", &ring);
	sum.by_program += ring.found;
	sum.left_out += ring.found ? bytes_left_out(&ring) : 0;
}

static void one_case(uint64_t seed)
{
	const enum kind kind = (enum kind)(seed % KINDS);
	struct rng r = rng_start(seed);
	struct hs_ring ring;

	random_config(&r, kind);
	if (!random_trace(&r, kind) || !make_buffer(&r))
		return;
	undamaged(kind);
	damage(&r);
	find_by_messages(kind, &ring);
	find_by_program(&ring);
	sum.damaged++;
	sum.damaged_found += ring.found;
	const bool bad = ring.found && trace_of(ring.begin, false) > trace_of(ring.end, true) &&
	                 !is_right(&ring);

	sum.damaged_wrong += bad;
	if (bad && ring.certain)
		wrong(kind, ", damaged", &ring);
}

static void report(uint64_t *all, uint64_t *good)
{
	*all = *good = 0;
	for (unsigned k = 0; k < KINDS; k++) {
		printf("# %s: %llu of %llu found, %llu certain; with the program %llu\n", names[k],
		       (unsigned long long)sum.found[k], (unsigned long long)sum.cases[k],
		       (unsigned long long)sum.certain[k],
		       (unsigned long long)(sum.found[k] + sum.proven[k]));
		*all += sum.cases[k];
		*good += sum.found[k] + sum.proven[k];
	}
	printf("# %llu bytes left out at a seam; damaged: %llu of %llu found, %llu elsewhere and "
	       "not certain\n", (unsigned long long)(sum.kept ? sum.lost / sum.kept : 0),
	       (unsigned long long)sum.damaged_found, (unsigned long long)sum.damaged,
	       (unsigned long long)sum.damaged_wrong);
	printf("# %llu bytes left out where only the program showed the seam\n",
	       (unsigned long long)(sum.by_program ? sum.left_out / sum.by_program : 0));
}

static void whole_case(uint64_t seed)
{
	t->whole = true;
	one_case(seed);
}

static void run(uint64_t n, void (*of)(uint64_t seed), unsigned percent)
{
	uint64_t all, good;

	memset(&sum, 0, sizeof sum);
	campaign_run(n, of);
	report(&all, &good);
	if (all > 500)
		assert_true(good * 100 > all * percent);
}

static int set_up(void **state)
{
	(void)state;
	t = calloc(1, sizeof *t);
	return t ? 0 : -1;
}

static int tear_down(void **state)
{
	free(t->config);
	free(t);
	t = NULL;
	return campaign_report(state);
}

TEST_WITH(seams, set_up, tear_down)
{
	run(1200, one_case, 85);
}

TEST_WITH(options_and_contexts, set_up, tear_down)
{
	run(600, whole_case, 80);
}

/* Cases in which the seam was found where it is not. */
TEST_WITH(known, set_up, tear_down)
{
	static const struct {
		uint64_t seed;
		void (*of)(uint64_t seed);
		const char *text;
	} rows[] = {
		{ 2033905430, one_case, "a packet cut at the seam is read as a support packet, "
		                        "whose options outlive synchronisations" },
		{ 6660, one_case, "the same, and it is doubted" },
		{ 2033907054, one_case, "a synchronisation is read inside of an old packet" },
		{ 155012, one_case, "an index is damaged next to the seam" },
		{ 7000000165, whole_case, "a packet cut at the seam is the only one like a support "
		                          "packet, and all are read with its options" },
		{ 2033942105, one_case, "packets of equal length are read in the wrong place for "
		                        "1,500 bytes" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		printf("# %llu: %s\n", (unsigned long long)rows[i].seed, rows[i].text);
		rows[i].of(rows[i].seed);
		t->whole = false;
	}
}
