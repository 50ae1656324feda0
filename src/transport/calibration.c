/* Calibration patterns (TCI, PIB Calibration Patterns).
 *
 * On four pins the pattern is a well-formed N-Trace stream (messages A0 A5 05 FF), and on one pin
 * a part of it looks like a short message.  So beats wait for two periods before they are read; two
 * periods that are the pattern are never read at all. */
#include "transport/pins.h"

/* Bytes of a period, the first one lowest; 16 pins have a longer one. */
static uint64_t pattern(unsigned pins)
{
	switch (pins) {
	case 2: return UINT64_C(0x33cc6666);
	case 4: return UINT64_C(0x0ff05a5a);
	case 16: return UINT64_C(0xffff00005555aaaa);
	default: return UINT64_C(0xff0055aa);
	}
}

void pin_delay_init(struct hs_pin_receiver *r)
{
	r->period = (uint8_t)((r->config.width == 16 ? 64 : 32) / r->width);
	r->delay_at = r->delay_n = r->same = 0;
}

/* The beat that came @ago beats before the next one, 1 to two periods. */
static unsigned before(const struct hs_pin_receiver *r, unsigned ago)
{
	return r->delay[(r->delay_at - ago) & (2u * r->period - 1)];
}

/* Is the last period the pattern, begun at any of its samples? */
static bool is_pattern(const struct hs_pin_receiver *r)
{
	const unsigned bits = r->period * r->width;
	const uint64_t mask = UINT64_MAX >> (64 - bits), p = pattern(r->config.width);
	uint64_t seen = 0;

	for (unsigned i = 0; i < r->period; i++)
		seen |= (uint64_t)before(r, r->period - i) << i * r->width;
	for (unsigned at = 0; at < bits; at += r->config.width)
		if (seen == ((p >> at | (at ? p << (bits - at) : 0)) & mask))
			return true;
	return false;
}

static void push_beat(struct hs_pin_receiver *r, unsigned beat)
{
	r->delay[r->delay_at] = (uint8_t)beat;
	r->delay_at = (uint8_t)((r->delay_at + 1u) & (2u * r->period - 1));
}

/* In the pattern: true while it continues. */
static bool continues_pattern(struct hs_pin_receiver *r, unsigned beat)
{
	if (before(r, r->period) == beat) {
		push_beat(r, beat);
		r->beat++;
		return true;
	}
	pin_calibrated(r);
	r->delay_n = r->same = 0;
	return false;
}

bool pin_delay(struct hs_pin_receiver *r, unsigned *beat)
{
	const unsigned in = *beat;

	if (r->state == PIN_CALIBRATING && continues_pattern(r, in))
		return false;
	if (before(r, r->period) != in || r->delay_n < r->period)
		r->same = 0;
	else if (r->same < 255)
		r->same++;
	const bool full = r->delay_n == 2u * r->period;

	*beat = before(r, 2u * r->period); /* the oldest; the new one takes its place */
	push_beat(r, in);
	r->delay_n = (uint8_t)(r->delay_n + !full);
	r->pattern = r->same == r->period && is_pattern(r);
	return full;
}

bool pin_delay_flush(struct hs_pin_receiver *r, unsigned *beat)
{
	if (r->state == PIN_CALIBRATING || !r->delay_n)
		return false;
	*beat = before(r, r->delay_n--);
	return true;
}
