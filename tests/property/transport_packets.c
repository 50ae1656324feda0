/* Packets of the encapsulation over pins (EE Synchronization): random packets, idle of any number
 * of samples, synchronisation sequences, widths, places to begin a capture, and pieces.  From its
 * alignment on a receiver gives exactly the packets that were sent, and it is aligned no later than
 * after the first whole sequence.  Damage costs what is between the packet that it is in and the
 * first whole sequence after it. */
#include "cases.h"

#include "property/pins.h"

/* ---- the wire, written by the text, bit by bit -------------------------------------- */

static void put_byte(unsigned byte)
{
	for (unsigned i = 0; i < 8; i++)
		t->bits[t->bit_count++] = byte >> i & 1;
}

/* So many bits of 0 and a 1, in whole samples: null.idle, at last null.alignment. */
static void put_idle(unsigned zeros)
{
	const unsigned beat = t->config.width > 8 ? 8 : t->config.width;

	while ((zeros + 1) % beat)
		zeros++;
	memset(t->bits + t->bit_count, 0, zeros);
	t->bit_count += zeros;
	t->bits[t->bit_count++] = 1;
}

/* N null.idle and a null.alignment: N is 31 and what srcID and timestamp have. */
static unsigned sequence_zeros(void)
{
	return 8 * (31u + t->config.src_bytes + t->config.tstamp_bytes) + 7;
}

static void put_packet(struct rng *r)
{
	const unsigned length = 1 + rng_below(r, 31);
	const bool extended = t->config.tstamp_bytes && rng_one_in(r, 2);
	const unsigned n = length + t->config.src_bytes + (extended ? t->config.tstamp_bytes : 0);
	const unsigned header = length | rng_below(r, 4) << 5 | (unsigned)extended << 7;

	put_byte(header);
	t->bytes[t->length++] = (uint8_t)header;
	for (unsigned i = 0; i < n; i++) {
		const uint8_t byte = rng_one_in(r, 3) ? 0 : (uint8_t)rng_below(r, 256);

		put_byte(byte);
		t->bytes[t->length++] = byte;
	}
}

static void wire(struct rng *r)
{
	const size_t n = 1 + rng_below(r, PINS_MESSAGES);

	t->bit_count = t->length = 0;
	for (t->count = 0; t->count < n; t->count++) {
		struct sent *s = &t->sent[t->count];

		s->aligns = t->bit_count;
		if (t->count == 0 || rng_one_in(r, 6))
			put_idle(sequence_zeros() + rng_below(r, 64));
		else if (rng_one_in(r, 3))
			put_idle(7 + rng_below(r, 100));
		if (t->bit_count - s->aligns <= sequence_zeros())
			s->aligns = PINS_NONE;
		s->bit = t->bit_count;
		s->byte = t->length;
		put_packet(r);
	}
	t->sent[n] = (struct sent){ t->length, t->bit_count, PINS_NONE };
}

/* ---- receiving ---------------------------------------------------------------------- */

static void random_case(struct rng *r)
{
	t->config = (struct hs_pin_config){
		.size = sizeof(t->config),
		.width = (uint8_t)(1u << rng_below(r, 5)),
		.format = (uint8_t)rng_below(r, 2),
		.headers = 1,
		.src_bytes = (uint8_t)rng_below(r, 3),
		.tstamp_bytes = (uint8_t)rng_below(r, 9),
	};
	wire(r);
}

/* What came is all after the first whole sequence. */
static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);
	size_t latest = 0;

	random_case(&r);
	const size_t from = rng_one_in(&r, 3) ? 0 : pins_place(&r);

	pins_sample(from, 0);
	pins_receive(&r, 1 + rng_below(&r, 400));
	const size_t i = pins_check_tail();

	while (latest < t->count &&
	       (t->sent[latest].aligns == PINS_NONE || t->sent[latest].aligns < from))
		latest++;
	assert_true(i <= latest && (i == t->count || t->sent[i].bit >= from));
	assert_int_equal(t->losses, 0);
	pins_total += t->count;
}

static void damaged_case(uint64_t seed)
{
	struct rng r = rng_start(seed);
	size_t begin;

	random_case(&r);
	const size_t end = pins_damage(&r, &begin);

	pins_sample(0, 0);
	pins_receive(&r, 1 + rng_below(&r, 400));
	pins_check_cost(begin, end);
}

CAMPAIGN_WITH(received_as_sent, t)
{
	campaign_run(10000, one_case);
	pins_report("packets");
}

CAMPAIGN_WITH(damage_is_bounded, t)
{
	pins_total = 0;
	campaign_run(10000, damaged_case);
	pins_report("packets");
}
