/* A circular buffer of E-Trace whose seam is known: what hs_et_ring_find() leaves in is packets of
 * one stream, the newest ones before the seam and the oldest ones after it.  It may find nothing.
 *
 * Where it is wrong it must not be certain, whatever was damaged.  Without damage it is wrong
 * nowhere, and finds most seams.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <hartscope/et_ring.h>
#include <hartscope/etrace.h>

#include "property/campaign.h"
#include "property/randetrace.h"
#include "property/randprog.h"

#define BLOCKS 4000
#define TRACE (BLOCKS * 64)

/* What the parameters are like. */
enum kind { STANDARD, TIMED, ESP32, REFERENCE, ATB, NONE, SIEMENS, ENCAP1, KINDS };
static const char *const names[] = { "standard", "with times", "indexes", "reference", "atb",
	                             "no frame", "messages", "types of 1 bit" };

static struct {
	struct program program;
	struct hs_et_config config;
	struct hs_block blocks[BLOCKS];
	struct hs_et_encoder encoder;
	uint64_t tables[256];
	uint8_t trace[TRACE], buffer[TRACE];
	bool starts[TRACE + 1]; /* a packet begins there */
	size_t length;
	size_t size, wp;        /* of the buffer */
	uint64_t from;          /* in the trace: of the oldest byte of the buffer */
} *t;

static uint64_t cases[KINDS], found[KINDS], certain[KINDS], lost, kept;
static uint64_t damaged, damaged_found, damaged_wrong;

static void random_config(struct rng *r, enum kind kind)
{
	struct hs_et_config *c = &t->config;

	*c = (struct hs_et_config){ .size = sizeof *c };
	switch (kind) {
	case ESP32: hs_et_config_dialect(c, HS_ET_DIALECT_ESP32); break;
	case REFERENCE: hs_et_config_dialect(c, HS_ET_DIALECT_REFERENCE); break;
	case ATB: hs_et_config_dialect(c, HS_ET_DIALECT_ATB); break;
	case NONE: hs_et_config_dialect(c, HS_ET_DIALECT_NONE); break;
	case SIEMENS: hs_et_config_dialect(c, HS_ET_DIALECT_SIEMENS); break;
	case ENCAP1: hs_et_config_dialect(c, HS_ET_DIALECT_ENCAP1); break;
	default: break;
	}
	if (kind == TIMED && rng_one_in(r, 2)) {
		c->time = 1;
	} else if (kind == TIMED || (kind == SIEMENS && rng_one_in(r, 2))) {
		c->tstamp_bytes = (uint8_t)(4 + rng_below(r, 5));
		c->src_bits = (uint8_t)rng_below(r, 9);
	}
	c->sync_mode = rng_one_in(r, 8) ? HS_ET_SYNC_OFF : HS_ET_SYNC_PACKETS;
	c->sync_max = (uint8_t)(1 + rng_below(r, 3));
	if (kind != ESP32 && rng_one_in(r, 3))
		c->options = HS_ET_FULL_ADDRESS;
	assert_int_equal(hs_et_config_check(c), HS_OK);
}

static void mark_starts(void)
{
	struct hs_span in = { t->trace, t->length };
	struct hs_et_reader reader;
	struct hs_et_packet p;

	memset(t->starts, 0, sizeof t->starts);
	assert_int_equal(hs_et_reader_init(&reader, &t->config), HS_OK);
	for (uint64_t end = 0; hs_et_read(&reader, &in, &p) == HS_OK; end = p.offset + p.length) {
		memset(t->starts + end, true, p.offset + 1 - end); /* null packets */
		t->starts[p.offset + p.length] = true;
		if (p.form == HS_ET_FORM_SUPPORT)
			hs_et_reader_follow(&reader, &p);
	}
}

/* False: the framing has no packet for it. */
static bool random_trace(struct rng *r, enum kind kind)
{
	const struct walk_odds odds = { .trap_one_in = rng_one_in(r, 2) ? 40 : 0,
		                        .stop_one_in = rng_one_in(r, 4) ? 300 : 0,
		                        .time_one_in = kind == TIMED || kind == SIEMENS ? 3 : 0,
		                        .no_custom = true };
	size_t used, len;

	program_make(&t->program, r);
	const size_t n = walk_random(&t->program, r, 8000, &odds, t->blocks, BLOCKS);
	uint64_t now = rng_next(r) >> 40;

	/* no time between two packets is half of what the field holds */
	for (size_t i = 0; i < n; i++)
		if (t->blocks[i].kind == HS_KIND_TIME)
			t->blocks[i].value = now += rng_below(r, 1000);

	assert_int_equal(hs_et_encoder_init(&t->encoder, &t->config, t->tables, sizeof t->tables),
	                 HS_OK);
	if (hs_et_encode(&t->encoder, t->blocks, n, &used, t->trace, TRACE - 4096, &t->length) !=
	    HS_OK)
		return false;
	assert_int_equal(hs_et_encode_end(&t->encoder, t->trace + t->length, TRACE - t->length,
	                                  &len), HS_OK);
	t->length += len;
	mark_starts();
	return true;
}

/* A sink writes words; it stops after any of them, often inside of a packet. */
static bool make_buffer(struct rng *r)
{
	size_t end = rng_one_in(r, 4) ? t->length : t->length - rng_below(r, 60);

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

	if (begin <= end)
		return t->starts[begin] && t->starts[end];
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

static void one_case(uint64_t seed)
{
	const enum kind kind = (enum kind)(seed % KINDS);
	struct rng r = rng_start(seed);
	struct hs_ring ring;

	random_config(&r, kind);
	if (!random_trace(&r, kind) || !make_buffer(&r))
		return;
	const struct hs_span all = { t->buffer, t->size };

	assert_int_equal(hs_et_ring_find(&all, &t->config, &ring), HS_OK);
	cases[kind]++;
	found[kind] += ring.found;
	certain[kind] += ring.certain;
	if (ring.found && !is_right(&ring))
		fail_msg("%s: the seam is at 0x%zx, not between 0x%llx and 0x%llx "
		         "(evidence 0x%x%s)", names[kind], t->wp, (unsigned long long)ring.end,
		         (unsigned long long)ring.begin, ring.evidence,
		         ring.certain ? ", certain" : "");
	if (ring.found) {
		kept++;
		lost += t->size - (trace_of(ring.end, true) - trace_of(ring.begin, false));
	}
	damage(&r);
	assert_int_equal(hs_et_ring_find(&all, &t->config, &ring), HS_OK);
	damaged++;
	damaged_found += ring.found;
	const bool wrong = ring.found && trace_of(ring.begin, false) > trace_of(ring.end, true) &&
	                   !is_right(&ring);

	damaged_wrong += wrong;
	if (wrong && ring.certain)
		fail_msg("%s, damaged: the seam is at 0x%zx, not between 0x%llx and 0x%llx "
		         "(evidence 0x%x)", names[kind], t->wp, (unsigned long long)ring.end,
		         (unsigned long long)ring.begin, ring.evidence);
}

static void seams(void **state)
{
	uint64_t all = 0, good = 0;

	(void)state;
	t = calloc(1, sizeof *t);
	assert_non_null(t);
	campaign_run(1200, one_case);
	for (unsigned k = 0; k < KINDS; k++) {
		printf("# %s: %llu of %llu found, %llu certain\n", names[k],
		       (unsigned long long)found[k], (unsigned long long)cases[k],
		       (unsigned long long)certain[k]);
		all += cases[k];
		good += found[k];
	}
	printf("# %llu bytes left out at a seam; damaged: %llu of %llu found, %llu elsewhere and "
	       "not certain\n", (unsigned long long)(kept ? lost / kept : 0),
	       (unsigned long long)damaged_found, (unsigned long long)damaged,
	       (unsigned long long)damaged_wrong);
	if (all > 500)
		assert_true(good > all / 2);
	free(t);
	t = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test_teardown(seams, campaign_report) };

	return cmocka_run_group_tests_name("et_ring", tests, NULL, NULL);
}
