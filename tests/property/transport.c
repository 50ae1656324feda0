/* What is sent over pins is received: random messages, idle, widths, places to begin a capture, and
 * pieces.  From its alignment on a receiver gives exactly the messages that were sent, and it is
 * aligned no later than at the first message after 14 bits of 1.  Damage costs what is between the
 * message that it is in and the first one after 14 bits of 1. */
#include "transport/transport.h"
#include "cases.h"

#include <hartscope/ntrace.h>

#include "ntrace/nt_message.h"
#include "ntrace/nt_reader.h"
#include "property/pins.h"

#define IDLE_MOST 70
#define CERTAIN   14

static uint64_t at_once;

/* ---- messages ------------------------------------------------------------------- */

static size_t random_message(struct rng *r, unsigned src_bits, uint8_t *out)
{
	static const uint8_t codes[] = {
#define HS_NT_MSG(id, name, tcode, fields, clause) (tcode),
#include <hartscope/tables/messages.def>
#undef HS_NT_MSG
	};
	enum hs_nt_field fields[HS_NTF_COUNT];
	struct hs_nt_msg m = { .tcode = codes[rng_below(r, sizeof(codes))] };
	const unsigned n = hs_nt_msg_fields(m.tcode, fields);

	m.src = (uint16_t)rng_below(r, 1u << src_bits);
	for (unsigned i = 0; i < n; i++) {
		const uint64_t v = rng_one_in(r, 4) ? UINT64_MAX : rng_next(r) >> rng_below(r, 64);

		m.field[fields[i]] = v >> rng_below(r, 60);
		m.present |= (uint32_t)(fields[i] != HS_NTF_TSTAMP ||
		                        rng_one_in(r, 2)) << fields[i];
	}
	return hs_nt_write(&m, src_bits, out);
}

static void random_messages(struct rng *r)
{
	const unsigned src_bits = rng_below(r, 13);
	const size_t n = 1 + rng_below(r, PINS_MESSAGES);

	t->length = 0;
	for (t->count = 0; t->count < n; t->count++) {
		t->sent[t->count].byte = t->length;
		t->length += random_message(r, src_bits, t->bytes + t->length);
	}
	t->sent[n].byte = t->length;
}

/* ---- the wire, written here a second time, bit by bit (NT 3.3, 3.4) ----------------- */

static void wire(struct rng *r)
{
	const unsigned beat = t->config.width > 8 ? 8 : t->config.width, habit = rng_below(r, 4);
	unsigned ones = 0;

	t->bit_count = 0;
	for (size_t i = 0; i < t->count; i++) {
		const unsigned beats = habit == 0 ? 0 : habit == 1 ? 8 / beat
			: rng_below(r, IDLE_MOST / beat);

		for (unsigned k = 0; k < beats * beat; k++, ones++)
			t->bits[t->bit_count++] = 1;
		t->sent[i].bit = t->bit_count;
		t->sent[i].aligns = ones < CERTAIN ? PINS_NONE : t->bit_count - ones;
		for (size_t b = t->sent[i].byte; b < t->sent[i + 1].byte; b++) {
			for (unsigned k = 0; k < 8; k++) {
				t->bits[t->bit_count] = t->bytes[b] >> k & 1;
				ones = t->bits[t->bit_count++] ? ones + 1 : 0;
			}
		}
	}
}

/* The same by the sender: only for captures that begin at the start. */
static void check_sender(void)
{
	const unsigned beat = t->config.width > 8 ? 8 : t->config.width;
	struct hs_pin_sender s;
	struct hs_span in = { t->bytes, 0 };
	size_t sample_at = 0, len, wire_at = 0;
	uint8_t piece[3];
	enum hs_status status = HS_OK;

	assert_int_equal(hs_pin_sender_init(&s, &t->config), HS_OK);
	for (size_t i = 0; i < t->count; i++) {
		uint64_t idle = (t->sent[i].bit - wire_at) / beat;

		while (idle) {
			hs_pin_idle(&s, &idle, piece, sizeof(piece), &len);
			assert_memory_equal(piece, t->samples + sample_at, len);
			sample_at += len;
		}
		in.n = (size_t)(t->bytes + t->sent[i + 1].byte - in.p);
		do {
			status = hs_pin_send(&s, &in, piece, sizeof(piece), &len);
			assert_memory_equal(piece, t->samples + sample_at, len);
			sample_at += len;
		} while (status == HS_FULL);
		assert_int_equal(status, HS_OK);
		wire_at = t->sent[i].bit + 8 * (t->sent[i + 1].byte - t->sent[i].byte);
	}
	assert_int_equal(hs_pin_sender_end(&s, piece, sizeof(piece), &len), HS_OK);
	assert_memory_equal(piece, t->samples + sample_at, len);
	assert_int_equal(sample_at + len, t->sample_bytes);
}

/* ---- receiving ------------------------------------------------------------------ */

static void check(size_t from)
{
	const struct hs_pin_config *c = &t->config;
	const size_t i = pins_check_tail();
	size_t latest = 0, earliest = 0;

	assert_int_equal(t->end, t->events ? HS_END : t->end);
	while (earliest < t->count && t->sent[earliest].bit < from)
		earliest++;
	while (latest < t->count && (t->sent[latest].bit < from + CERTAIN ||
	                             t->sent[latest].aligns == PINS_NONE))
		latest++;
	assert_true(i <= latest && i >= earliest);
	pins_total += t->count - earliest;
	at_once += i == earliest;
	if (i == t->count)
		return;
	assert_int_equal(t->events, 1);
	assert_int_equal(t->first.kind, HS_PIN_ALIGNED);
	assert_int_equal(t->first.sample * c->width + t->first.offset, t->sent[i].bit - from);
	assert_int_equal(t->first.phase, c->width >= 8 ? 0 : t->first.sample % (8 / c->width));
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);

	t->config = (struct hs_pin_config){ .size = sizeof(t->config),
		                            .width = (uint8_t)(1u << rng_below(&r, 5)),
		                            .format = (uint8_t)rng_below(&r, 2) };
	random_messages(&r);
	wire(&r);
	pins_sample(0, 1);
	check_sender();
	const size_t from = pins_place(&r);

	pins_sample(from, 1);
	pins_receive(&r, 1 + rng_below(&r, rng_one_in(&r, 2) ? 4 : 400));
	check(from);
}

/* ---- damage ---------------------------------------------------------------------- */

static void damaged_case(uint64_t seed)
{
	struct rng r = rng_start(seed);
	size_t begin;

	t->config = (struct hs_pin_config){ .size = sizeof(t->config), .starts_idle = 1,
		                            .width = (uint8_t)(1u << rng_below(&r, 5)) };
	random_messages(&r);
	wire(&r);
	const size_t end = pins_damage(&r, &begin);

	pins_sample(0, 1);
	pins_receive(&r, 400);
	assert_true(t->marks <= t->losses);
	assert_true(t->stats.alignments >= t->losses && t->stats.alignments <= t->losses + 1);
	pins_check_cost(begin, end);
}

CAMPAIGN_WITH(received_as_sent, t)
{
	campaign_run(20000, one_case);
	pins_report("whole messages");
	printf("# %llu captures aligned at the first one\n", (unsigned long long)at_once);
}

CAMPAIGN_WITH(damage_is_bounded, t)
{
	pins_total = 0;
	campaign_run(10000, damaged_case);
	pins_report("messages");
}
