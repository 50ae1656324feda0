/* Times that come back from an E-Trace stream: of synchronising packets (ET Format 3 time) or of
 * every frame (EE Timestamp), each once, and again after a loss. */
#include "cases.h"

#include <hartscope/etrace.h>

#include "etrace/et_encoder.h"

#include "little.h"
#include "unit/decoders.h"

#define C(...) { .size = sizeof(struct hs_et_config), __VA_ARGS__ }
#define B(a, type) { { (a) }, { 2 }, 2, (type), HS_PRIV_M, 0, 0, HS_KIND_BLOCK }
#define EVENT(kind, type, v, a) { { (v) }, { (a) }, 0, (type), HS_PRIV_UNKNOWN, 0, 0, (kind) }
#define TIME(v) EVENT(HS_KIND_TIME, 0, v, 0)
#define REQUEST EVENT(HS_KIND_SYNC, 0, 0, 0)
#define LOST EVENT(HS_KIND_GAP, 0, 0, HS_E_LOST)
#define END { .kind = UINT8_MAX }
#define NONE UINT64_MAX

/* 0x100: jalr x0, 0(x5), eight times: each may lead to any of them. */
static const uint32_t code[] = {
	LITTLE32(0x00028067), LITTLE32(0x00028067), LITTLE32(0x00028067), LITTLE32(0x00028067),
	LITTLE32(0x00028067), LITTLE32(0x00028067), LITTLE32(0x00028067), LITTLE32(0x00028067)
};

/* A packet has the time when it is sent, which is once the next block is known (ET Algorithm); the
 * first support packet needs none. */
static const struct row {
	const char *name;
	struct hs_et_config c;
	struct hs_block items[12];
	uint64_t times[6]; /* to NONE */
} rows[] = {
	{ "no time", C(), { TIME(5), B(0x100, 14), B(0x104, 0), END }, { NONE } },
	{ "at the start", C(.time = 1), { TIME(5), B(0x100, 14), B(0x104, 0), END }, { 5, NONE } },
	{ "none was given", C(.time = 1), { B(0x100, 14), B(0x104, 0), END }, { 0, NONE } },
	{ "at a synchronisation", C(.time = 1),
	  { TIME(5), B(0x100, 14), TIME(9), REQUEST, B(0x104, 14), TIME(12), B(0x108, 0), END },
	  { 9, 12, NONE } },
	{ "the same one", C(.time = 1),
	  { TIME(5), B(0x100, 14), REQUEST, B(0x104, 14), REQUEST, B(0x108, 14), TIME(6), REQUEST,
	    B(0x10c, 0), END },
	  { 5, 6, NONE } },
	{ "back to an earlier one", C(.time = 1),
	  { TIME(5), B(0x100, 14), TIME(6), REQUEST, B(0x104, 14), TIME(5), REQUEST, B(0x108, 0),
	    END },
	  { 6, 5, NONE } },
	{ "after a loss", C(.time = 1),
	  { TIME(5), B(0x100, 14), B(0x104, 14), LOST, B(0x108, 14), B(0x10c, 0), END },
	  { 5, 5, NONE } },
	{ "of 4 bits", C(.time = 1, .time_width = 4),
	  { TIME(0x15), B(0x100, 14), TIME(0x25), REQUEST, B(0x104, 14), TIME(0x26), REQUEST,
	    B(0x108, 0), END },
	  { 5, 6, NONE } },
	{ "of frames", C(.tstamp_bytes = 2),
	  { TIME(5), B(0x100, 14), TIME(9), B(0x104, 14), TIME(12), B(0x108, 0), END },
	  { 5, 9, 12, NONE } },
	{ "of frames, the same one", C(.tstamp_bytes = 2),
	  { TIME(5), B(0x100, 14), B(0x104, 14), B(0x108, 0), END }, { 5, NONE } },
	{ "of frames, none was given", C(.tstamp_bytes = 2),
	  { B(0x100, 14), B(0x104, 0), END }, { 0, NONE } },
	{ "of frames, after a loss", C(.tstamp_bytes = 2),
	  { TIME(5), B(0x100, 14), B(0x104, 14), LOST, B(0x108, 14), B(0x10c, 0), END },
	  { 5, 5, NONE } },
	{ "of frames, of a byte", C(.tstamp_bytes = 1),
	  { TIME(0x105), B(0x100, 14), B(0x104, 14), TIME(0x206), B(0x108, 0), END },
	  { 5, 6, NONE } },
	{ "payloads have it, frames too", C(.time = 1, .tstamp_bytes = 2),
	  { TIME(5), B(0x100, 14), TIME(9), B(0x104, 14), TIME(12), B(0x108, 0), END },
	  { 9, 12, NONE } },
	/* a byte turns over: 0xfd, then 5 (design/times) */
	{ "of frames, a byte that turns over", C(.tstamp_bytes = 1),
	  { TIME(0xfd), B(0x100, 14), B(0x104, 14), TIME(0x105), B(0x108, 14), TIME(0x104 + 0x100),
	    B(0x10c, 0), END },
	  { 0xfd, 0x105, 0x204, NONE } },
	/* as long as payloads' time: that is full */
	{ "frames no shorter than payloads", C(.time = 1, .time_width = 16, .tstamp_bytes = 2),
	  { TIME(5), B(0x100, 14), TIME(9), B(0x104, 14), TIME(12), B(0x108, 0), END },
	  { 9, NONE } },
};

static size_t encode(const struct row *r, uint8_t *bytes, size_t cap)
{
	static struct hs_et_encoder e;
	size_t used, len, end, n = 0;

	while (r->items[n].kind != UINT8_MAX)
		n++;
	assert_int_equal(hs_et_encoder_init(&e, &r->c, NULL, 0), HS_OK);
	assert_int_equal(hs_et_encode(&e, r->items, n, &used, bytes, cap, &len), HS_OK);
	assert_int_equal(hs_et_encode_end(&e, bytes + len, cap - len, &end), HS_OK);
	return len + end;
}

TEST_ROWS(times, rows, r)
{
	uint8_t bytes[16 * HS_ET_ENCODE_ROOM];
	struct hs_block out[8 * HS_ET_DECODE_ROOM];
	struct hs_span in = { bytes, encode(r, bytes, sizeof bytes) };
	enum hs_status s;
	size_t n, found = 0;
	struct hs_et_decoder *d = et_decoder(&r->c, CODE_AT(0x100, code));

	do {
		s = hs_et_decoder_next(d, &in, out, sizeof out / sizeof *out, &n);
		for (size_t i = 0; i < n; i++) {
			if (out[i].kind != HS_KIND_TIME)
				continue;
			assert_true(out[i].value == r->times[found]);
			assert_int_equal(out[i].arg + out[i].itype, 0);
			found++;
		}
	} while (s == HS_E_LOST);
	assert_int_equal(s, HS_MORE);
	assert_true(r->times[found] == NONE);
}

/* ---- times of frames that are shorter than the full one (design/times) ---------------------- */

static const struct width_row {
	const char *name;
	uint8_t bytes;
} widths[] = {
	{ "frames of a byte", 1 },  { "frames of 2 bytes", 2 }, { "frames of 3 bytes", 3 },
	{ "frames of 4 bytes", 4 }, { "frames of 5 bytes", 5 }, { "frames of 6 bytes", 6 },
	{ "frames of 7 bytes", 7 },
};

#define ITEMS (8 * HS_ET_DECODE_ROOM)

/* What is decoded of eight jumps at the times @at; *contexts: context packets that were sent. */
static size_t decoded(const struct hs_et_config *c, const uint64_t *at, struct hs_block *out,
                      uint64_t *contexts)
{
	static struct hs_et_encoder e;
	static uint8_t bytes[16 * HS_ET_ENCODE_ROOM];
	struct hs_block items[16];
	size_t used, len, end, n;

	for (unsigned i = 0; i < 8; i++) {
		items[2 * i] = (struct hs_block)TIME(at[i]);
		items[2 * i + 1] = (struct hs_block)B(0x100 + 4 * i, i < 7 ? 14 : 0);
	}
	assert_int_equal(hs_et_encoder_init(&e, c, NULL, 0), HS_OK);
	assert_int_equal(hs_et_encode(&e, items, 16, &used, bytes, sizeof bytes, &len), HS_OK);
	assert_int_equal(hs_et_encode_end(&e, bytes + len, sizeof bytes - len, &end), HS_OK);
	*contexts = hs_et_encoder_stats(&e)->packets[HS_ET_FORM_CONTEXT];
	struct hs_span in = { bytes, len + end };
	struct hs_et_decoder *d = et_decoder(c, CODE_AT(0x100, code));

	assert_int_equal(hs_et_decoder_next(d, &in, out, ITEMS, &n), HS_MORE);
	return n;
}

static void times_of(const struct hs_et_config *c, const uint64_t *at, uint64_t *times,
                     size_t *found, uint64_t *contexts)
{
	struct hs_block out[ITEMS];
	const size_t n = decoded(c, at, out, contexts);

	*found = 0;
	for (size_t i = 0; i < n; i++)
		if (out[i].kind == HS_KIND_TIME)
			times[(*found)++] = out[i].value;
}

/* A frame turns over twice; after a pause of what it counts, and only then, comes the full time. */
TEST_ROWS(partial_times, widths, row)
{
	const struct hs_et_config c = C(.version = HS_ET_2_1, .time = 1, .time_width = 64,
	                                .tstamp_bytes = row->bytes);
	const uint64_t turn = (uint64_t)1 << 8 * row->bytes, a = turn - 3;
	const uint64_t at[8] = {
		a,
		a + 1,
		a + 5,
		a + 4 + turn,
		a + 3 + 2 * turn,
		a + 3 + 3 * turn,
		a + 9 * turn,
		a + 9 * turn + 1,
	};
	uint64_t times[32], contexts;
	size_t found;

	times_of(&c, at, times, &found, &contexts);
	assert_int_equal(found, 7); /* the first is that of the second block (ET Algorithm) */
	for (size_t i = 0; i < found; i++)
		assert_true(times[i] == at[i + 1]);
	assert_int_equal(contexts, 2); /* after turn and 6 turns, not after turn - 1 */
}

/* Times are where whole ones are: what is sent in advance of a packet belongs after its block. */
TEST_ROWS(places_of_partial_times, widths, row)
{
	const struct hs_et_config part = C(.version = HS_ET_2_1, .time = 1, .time_width = 64,
	                                   .tstamp_bytes = row->bytes),
	                          whole = C(.version = HS_ET_2_1, .tstamp_bytes = 8);
	const uint64_t turn = (uint64_t)1 << 8 * row->bytes;
	const uint64_t at[8] = { 7,       7,           7 + turn,     8 + 3 * turn,
		                 9 * turn, 10 * turn - 1, 11 * turn, 11 * turn };
	struct hs_block a[ITEMS], b[ITEMS];
	uint64_t contexts;
	const size_t n = decoded(&part, at, a, &contexts);

	assert_int_equal(contexts, 4); /* not after turn - 1 */
	assert_int_equal(decoded(&whole, at, b, &contexts), n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(a[i].kind, b[i].kind);
		assert_true(a[i].value == b[i].value);
		assert_true(a[i].iaddr == b[i].iaddr);
	}
}

/* A context packet whose time is not that of the next packet is a report of its own, and stays
 * before that packet's block.  By hand, after the encoder's first packets (EE Packet
 * Encapsulation): length and T, the time of the frame; type 2 (2 bits), format 3, subformat 2,
 * privilege 3 (3 bits), time 6 of 16 bits; type 2, format 2, address +2 half-words. */
TEST(a_time_that_is_reported_by_itself)
{
	static const uint8_t by_hand[] = { 0x83, 0x06, 0xee, 0x0c, 0x00,
		                           0x82, 0x09, 0x2a, 0x00 };
	static struct hs_et_encoder e;
	const struct hs_et_config c = C(.version = HS_ET_2_1, .time = 1, .time_width = 16,
	                                .tstamp_bytes = 1);
	const struct hs_block items[] = { TIME(5), B(0x100, 14), B(0x104, 14) };
	uint8_t bytes[4 * HS_ET_ENCODE_ROOM];
	struct hs_block out[ITEMS];
	uint64_t times[3] = { 0 };
	size_t used, len, n, found = 0, block = 0;

	assert_int_equal(hs_et_encoder_init(&e, &c, NULL, 0), HS_OK);
	assert_int_equal(hs_et_encode(&e, items, 3, &used, bytes, sizeof bytes, &len), HS_OK);
	memcpy(bytes + len, by_hand, sizeof by_hand);
	struct hs_span in = { bytes, len + sizeof by_hand };
	struct hs_et_decoder *d = et_decoder(&c, CODE_AT(0x100, code));

	assert_int_equal(hs_et_decoder_next(d, &in, out, ITEMS, &n), HS_MORE);
	for (size_t i = 0; i < n; i++) {
		if (out[i].kind == HS_KIND_TIME && found < 3)
			times[found++] = out[i].value;
		if (out[i].kind == HS_KIND_BLOCK && !block)
			block = found;
	}
	assert_int_equal(found, 3);
	assert_int_equal(times[1], 6);
	assert_int_equal(times[2], 9);
	assert_int_equal(block, 2);
}

/* Streams of 2.0 are what they were: nothing is sent for a pause. */
TEST(a_pause_before_2_1)
{
	const struct hs_et_config c = C(.time = 1, .time_width = 64, .tstamp_bytes = 1);
	const uint64_t at[8] = { 1, 2, 3, 0x105, 0x106, 0x107, 0x108, 0x109 };
	uint64_t times[32], contexts;
	size_t found;

	times_of(&c, at, times, &found, &contexts);
	assert_int_equal(contexts, 0);
}

/* Nobody can say more where payloads have no time. */
TEST(a_pause_that_nothing_reports)
{
	const struct hs_et_config c = C(.tstamp_bytes = 1);
	const uint64_t at[8] = { 1, 2, 3, 0x105, 0x106, 0x107, 0x108, 0x109 };
	uint64_t times[32], contexts;
	size_t found;

	times_of(&c, at, times, &found, &contexts);
	assert_int_equal(contexts, 0);
	assert_int_equal(found, 8);
	for (size_t i = 3; i < found; i++)
		assert_true(times[i] == at[i] - 0x100);
}
