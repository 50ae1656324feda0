/* Times that come back from an E-Trace stream: of synchronising packets (ET Format 3 time) or of
 * every frame (EE Timestamp), each once, and again after a loss. */
#include "cases.h"

#include <hartscope/etrace.h>

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
