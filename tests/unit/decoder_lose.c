/* hs_nt_decoder_lose(), hs_et_decoder_lose(): bytes are missing between two pieces of a stream. */
#include "cases.h"

#include <hartscope/etrace.h>
#include <hartscope/ntrace.h>

#include "etrace/et_decoder.h"
#include "ntrace/nt_decoder.h"

/* 0x100 c.nop, beq a0,a1,+4, c.nop, c.jr ra (ISA manual) */
static const uint8_t code[] = { 0x01, 0x00, 0x63, 0x02, 0xb5, 0x00, 0x01, 0x00, 0x82, 0x80 };
static const struct hs_section section = { 0x100, sizeof code, code };
static const struct hs_image image = { .sections = &section, .count = 1, .isa = { .xlen = 64 } };

/* Bytes that synchronise at 0x100.  N-Trace: ProgTraceSync, SYNC 5, I-CNT 0, F-ADDR 0x80 (NT 7.5).
 * E-Trace: format 3, subformat 0, branch 1, privilege 0, address 0x80, of a 64-bit hart without
 * time and context (ET Format 3 subformat 0). */
static const uint8_t nt_sync[] = { 0x24, 0x15, 0x00, 0x0b };
static const uint8_t et_sync[] = { 0x13, 0x80, 0, 0, 0, 0, 0, 0, 0 };

#define ROOM HS_ET_DECODE_ROOM

struct bench {
	bool etrace;
	uint64_t memory[4096];
	struct hs_bb_table table;
	struct hs_nt_source nt_source;
	struct hs_et_source et_source;
	struct hs_nt_decoder nt;
	struct hs_et_decoder et;
	struct hs_block out[ROOM];
	size_t n;
};

static void set_up(struct bench *b, bool etrace)
{
	const struct hs_nt_config nt = { .size = sizeof nt };
	const struct hs_et_config et = { .size = sizeof et, .dialect = HS_ET_DIALECT_NONE };

	memset(b, 0, sizeof *b);
	b->etrace = etrace;
	assert_int_equal(hs_bb_init(&b->table, &image, b->memory, 64), HS_OK);
	assert_int_equal(hs_nt_decoder_init(&b->nt, &nt, &b->table, &b->nt_source, 1), HS_OK);
	assert_int_equal(hs_et_decoder_init(&b->et, &et, &b->table, &b->et_source, 1, NULL, 0),
	                 HS_OK);
}

static enum hs_status feed(struct bench *b, const uint8_t *bytes, size_t n)
{
	struct hs_span in = { bytes, n };

	return b->etrace ? hs_et_decoder_next(&b->et, &in, b->out, ROOM, &b->n)
	                 : hs_nt_decoder_next(&b->nt, &in, b->out, ROOM, &b->n);
}

static void lose(struct bench *b)
{
	if (b->etrace)
		hs_et_decoder_lose(&b->et);
	else
		hs_nt_decoder_lose(&b->nt);
}

static void synchronise(struct bench *b)
{
	const uint8_t *bytes = b->etrace ? et_sync : nt_sync;

	assert_int_equal(feed(b, bytes, b->etrace ? sizeof et_sync : sizeof nt_sync), HS_MORE);
	assert_int_equal(b->n, 1);
	assert_int_equal(b->out[0].kind, HS_KIND_SYNC);
	assert_true(b->out[0].value == 0x100);
}

/* The gap: at @offset, after the block of the instruction that E-Trace's packet names. */
static void lost(struct bench *b, uint64_t offset)
{
	assert_int_equal(feed(b, code, 0), HS_E_LOST);
	assert_int_equal(b->etrace ? hs_et_decoder_diag(&b->et)->reason
	                 : hs_nt_decoder_diag(&b->nt)->reason,
	                 HS_REASON_INPUT_LOST);
	assert_int_equal(b->n, b->etrace ? 2 : 1);
	assert_int_equal(b->out[b->n - 1].kind, HS_KIND_GAP);
	assert_int_equal(b->out[b->n - 1].arg, HS_E_LOST);
	assert_int_equal(b->out[b->n - 1].value, offset);
	assert_int_equal(feed(b, code, 0), HS_MORE);
	assert_int_equal(b->n, 0);
}

/* Nothing was synchronised: there is nothing to lose. */
static void before_the_first(void **state)
{
	struct bench b;

	set_up(&b, *(const bool *)*state);
	lose(&b);
	assert_int_equal(feed(&b, code, 0), HS_MORE);
	assert_int_equal(b.n, 0);
}

static void between_messages(void **state)
{
	struct bench b;

	set_up(&b, *(const bool *)*state);
	synchronise(&b);
	lose(&b);
	lost(&b, b.etrace ? sizeof et_sync : sizeof nt_sync);
	lose(&b);
	assert_int_equal(feed(&b, code, 0), HS_MORE); /* lost already */
	assert_int_equal(b.n, 0);
	synchronise(&b);
}

/* The first two bytes of a message are dropped: the next one is read from its start. */
static void inside_a_message(void **state)
{
	struct bench b;

	set_up(&b, *(const bool *)*state);
	synchronise(&b);
	assert_int_equal(feed(&b, b.etrace ? et_sync : nt_sync, 2), HS_MORE);
	lose(&b);
	lost(&b, 2 + (b.etrace ? sizeof et_sync : sizeof nt_sync));
	synchronise(&b);
}

TESTS
{
	static const bool ntrace = false, etrace = true;

	test_add("N-Trace, before the first message", before_the_first, &ntrace);
	test_add("N-Trace, between messages", between_messages, &ntrace);
	test_add("N-Trace, inside a message", inside_a_message, &ntrace);
	test_add("E-Trace, before the first packet", before_the_first, &etrace);
	test_add("E-Trace, between packets", between_messages, &etrace);
	test_add("E-Trace, inside a packet", inside_a_message, &etrace);
}
