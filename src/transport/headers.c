/* Samples to packets of the encapsulation (EE Synchronization): 0 is idle, and the 1 that ends it
 * is the last bit of a null.alignment.  A packet is written when it is whole: its header says how
 * long it is. */
#include "transport/pins.h"

#include "core/mem.h"

#define LENGTH 31u
#define EXTEND 0x80u

/* Zeros that no packet has in a row, and that a synchronisation sequence has before its 1. */
static uint64_t sequence_bits(const struct hs_pin_receiver *r)
{
	return 8u * (31u + r->config.src_bytes + r->config.tstamp_bytes) + 7u;
}

/* The next bit is the first one of a byte that begins a packet, or of a null. */
static void begin_between(struct hs_pin_receiver *r)
{
	r->state = PIN_BETWEEN;
	r->nulls = 0;
	r->acc = r->bits = 0;
}

static void find_alignment(struct hs_pin_receiver *r)
{
	r->skipped += r->beat - r->from;
	r->from = r->beat;
	r->announce = 1;
	begin_between(r);
}

/* A byte between packets. */
static void take_header(struct hs_pin_receiver *r)
{
	const unsigned byte = r->acc, tstamp = byte & EXTEND ? r->config.tstamp_bytes : 0;
	const bool null = (byte & LENGTH) == 0;

	r->acc = 0;
	if (null && (byte & ~EXTEND) == 0) { /* null.idle, null.alignment */
		r->idle += 8;
		r->nulls = byte == 0;
		return;
	}
	if (null || (byte & EXTEND && !tstamp)) { /* flow is 0 in pins' nulls; EE Header */
		pin_report_loss(r);
		pin_headers_start(r);
		return;
	}
	if (r->announce)
		pin_announce(r, r->tracks[0].start);
	r->tracks[0].bytes[0] = (uint8_t)byte;
	r->tracks[0].n = 1;
	r->rest = (uint8_t)(r->config.src_bytes + tstamp + (byte & LENGTH));
	r->state = PIN_MESSAGE;
}

static void take_rest(struct hs_pin_receiver *r)
{
	struct hs_pin_track *t = &r->tracks[0];

	t->bytes[t->n++] = r->acc;
	r->acc = 0;
	if (--r->rest)
		return;
	memcpy(r->held, t->bytes, t->n);
	r->held_n = t->n;
	r->held_at = 0;
	r->bytes += t->n;
	begin_between(r);
}

static void take_bit(struct hs_pin_receiver *r, unsigned bit)
{
	const uint64_t zeros = r->zeros;

	r->zeros = bit ? 0 : zeros + 1;
	if (r->state == PIN_HUNT) {
		if (bit && zeros >= sequence_bits(r))
			find_alignment(r);
		return;
	}
	if (r->state == PIN_BETWEEN && r->nulls) {
		r->idle++;
		if (bit)
			begin_between(r);
		return;
	}
	if (r->bits == 0 && r->state == PIN_BETWEEN)
		r->tracks[0].start = r->beat;
	r->acc |= (uint8_t)(bit << r->bits);
	r->bits = (r->bits + 1) & 7;
	if (r->bits)
		return;
	if (r->state == PIN_BETWEEN)
		take_header(r);
	else
		take_rest(r);
}

void pin_headers_start(struct hs_pin_receiver *r)
{
	r->state = PIN_HUNT;
	r->from = r->beat;
	r->zeros = 0;
	r->acc = r->bits = 0;
}

void pin_take_headers(struct hs_pin_receiver *r, unsigned beat)
{
	for (unsigned i = 0; i < r->width; i++)
		take_bit(r, beat >> i & 1);
}
