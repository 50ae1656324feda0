/* CoreSight frames: random bytes of random sources come out as they went in, however the stream is
 * cut and whatever half-word synchronisations fill it.  Damage: all frames before it and all after
 * the next full synchronisation, or, where frames are aligned, all others, are as without it. */
#include "transport/transport.h"
#include "cases.h"

#include <hartscope/transport.h>

#include "property/campaign.h"
#include "property/randprog.h"
#include "transport/frames.h"

#define BYTES 2000
#define WIRE (4 * BYTES + 200)

static struct {
	uint8_t id[BYTES], byte[BYTES];
	size_t n;
	uint8_t wire[WIRE];
	size_t length;
	uint8_t got_id[4 * WIRE], got_byte[4 * WIRE];
	uint64_t offset[4 * WIRE]; /* of the frame */
	size_t got;
	unsigned every, errors;
} *t;

static uint64_t total, kept, faults;

static void random_stream(struct rng *r)
{
	struct hs_frame_writer w;
	unsigned id = 1;

	t->every = rng_one_in(r, 3) ? 0 : 1 + rng_below(r, 20);
	t->n = rng_below(r, BYTES);
	t->length = 0;
	hs_frame_writer_init(&w, t->every);
	for (size_t i = 0; i < t->n; i++) {
		if (rng_one_in(r, 6))
			id = rng_one_in(r, 9) ? HS_FRAME_TRIGGER
			                      : 1 + rng_below(r, HS_FRAME_SOURCE_MAX);
		t->id[i] = (uint8_t)id;
		t->byte[i] = rng_one_in(r, 4) ? 0xff : (uint8_t)rng_next(r);
		t->length += hs_frame_put(&w, t->id[i], t->byte[i], t->wire + t->length);
	}
	t->length += hs_frame_flush(&w, t->wire + t->length);
}

static void read_all(struct rng *r, const uint8_t *wire, size_t length)
{
	struct hs_frame_reader reader;
	struct hs_frame f;

	t->got = t->errors = 0;
	hs_frame_reader_init(&reader, t->every == 0);
	for (size_t at = 0; at < length;) {
		const size_t most = 1 + rng_below(r, 60), left = length - at;
		struct hs_span in = { wire + at, most < left ? most : left };
		enum hs_status s;

		at += in.n;
		for (s = hs_frame_read(&reader, &in, &f); s != HS_MORE;
		     s = hs_frame_read(&reader, &in, &f)) {
			t->errors += s != HS_OK;
			for (unsigned i = 0; s == HS_OK && i < f.n; i++, t->got++) {
				t->got_id[t->got] = f.id[i];
				t->got_byte[t->got] = f.byte[i];
				t->offset[t->got] = f.offset;
			}
		}
	}
}

static void same(size_t from, size_t got, size_t n)
{
	assert_memory_equal(t->id + from, t->got_id + got, n);
	assert_memory_equal(t->byte + from, t->got_byte + got, n);
	kept += n;
}

/* Half-word synchronisations at even places. */
static size_t fill(struct rng *r, uint8_t *out)
{
	size_t n = 0;

	for (size_t i = 0; i < t->length; i += 2) {
		const bool after = i && t->wire[i - 1] == 0xff && t->wire[i - 2] == 0xff;

		if (!after && rng_one_in(r, 5)) {
			out[n++] = 0xff;
			out[n++] = 0x7f;
		}
		out[n++] = t->wire[i];
		out[n++] = t->wire[i + 1];
	}
	return n;
}

/* Damage: what is before it, and from the first frame on whose place is certain, is there. */
static void damage(struct rng *r)
{
	static uint8_t bad[WIRE + 16];
	const size_t at = rng_below(r, (uint32_t)t->length), n = 1 + rng_below(r, 16);
	const bool cut = t->every && rng_one_in(r, 2);
	size_t before = 0, after, length = t->length, next;
	uint64_t from;

	memcpy(bad, t->wire, t->length);
	if (cut && at + n < t->length) {
		memmove(bad + at, bad + at + n, t->length - at - n);
		length -= n;
	} else {
		bad[at] = (uint8_t)(bad[at] ^ (1 + rng_below(r, 255)));
	}
	/* where the data of good frames is */
	read_all(r, t->wire, t->length);
	while (before < t->got && t->offset[before] + 16 <= at)
		before++;
	/* one synchronisation may be damaged, and one may be misread in its rest */
	from = t->every ? at + 3 * (16u * t->every + 4) + 64 : (at / 16 + 1) * 16;
	for (after = before; after < t->got && t->offset[after] < from;)
		after++;
	/* until an ID is named, the old one may have been damaged */
	next = after;
	while (next < t->n && t->id[next] == t->id[after])
		next++;
	read_all(r, bad, length);
	faults += t->errors;
	assert_true(t->got >= before);
	same(0, 0, before);
	assert_true(t->got >= t->n - next);
	same(next, t->got - (t->n - next), t->n - next);
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);
	static uint8_t filled[3 * WIRE];

	random_stream(&r);
	read_all(&r, t->wire, t->length);
	assert_int_equal(t->errors, 0);
	assert_int_equal(t->got, t->n);
	same(0, 0, t->n);
	total += t->n;
	if (t->every) {
		read_all(&r, filled, fill(&r, filled));
		assert_int_equal(t->errors, 0);
		assert_int_equal(t->got, t->n);
		same(0, 0, t->n);
	}
	for (unsigned i = 0; t->length && i < 4; i++)
		damage(&r);
}

CAMPAIGN(frames)
{
	t = calloc(1, sizeof *t);
	assert_non_null(t);
	campaign_run(2000, one_case);
	printf("# %llu bytes; %llu equal, with %llu errors in damage\n", (unsigned long long)total,
	       (unsigned long long)kept, (unsigned long long)faults);
	free(t);
	t = NULL;
}
