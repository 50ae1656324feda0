/* Samples to message bytes (NT 3.4).
 *
 * A sample has as many bits as there are pins; 8 / width of them make a byte, low bits first.  With
 * four pins 0 7 1 5 are the bytes 70 51, which begin an IndirectBranchHist.  Where bytes begin is
 * found by the idle bytes between messages (pin_hunt_start()), or by headers.
 *
 * Invariant: after a loss the reader of messages sees the reserved MSEO 10 and an end, so that it
 * drops what it held and begins with the next message.
 */
#include "transport/pins.h"

#include "core/config.h"
#include "transport/pin_config.h"
#include "transport/transport.h"

/* Input and output of one call. */
struct run {
	struct hs_span *in;
	uint8_t *out;
	size_t cap, len;
};

enum hs_status hs_pin_config_resolve(const struct hs_pin_config *given, struct hs_pin_config *out)
{
	struct hs_pin_config c;

	if (base_take_config(&c, sizeof c, given) != HS_OK || c.format > HS_PIN_PACKED)
		return HS_E_CONFIG;
	if (c.width == 0)
		c.width = 4;
	if (c.width > 16 || (c.width & (c.width - 1)) != 0)
		return HS_E_CONFIG;
	if (c.headers > 1 || c.src_bytes > (c.headers ? 2 : 0) ||
	    c.tstamp_bytes > (c.headers ? 8 : 0) || c.pad[0] || c.pad[1])
		return HS_E_CONFIG;
	*out = c;
	return HS_OK;
}

static void start_hunt(struct hs_pin_receiver *r)
{
	if (r->config.headers)
		pin_headers_start(r);
	else
		pin_hunt_start(r);
}

enum hs_status hs_pin_receiver_init(struct hs_pin_receiver *r, const struct hs_pin_config *config)
{
	struct hs_pin_config c;
	const enum hs_status s = hs_pin_config_resolve(config, &c);

	if (s != HS_OK)
		return s;
	memset(r, 0, sizeof *r);
	r->config = c;
	r->width = c.width > 8 ? 8 : c.width;
	r->per = (uint8_t)(8 / r->width);
	pin_delay_init(r);
	start_hunt(r);
	if (c.starts_idle) {
		r->state = PIN_BETWEEN;
		r->announce = 1;
	}
	return HS_OK;
}

/* ---- events ------------------------------------------------------------------- */

/* Samples that so many beats are.  A shift: rv32 has no instruction for a 64-bit division. */
static uint64_t samples_of(const struct hs_pin_receiver *r, uint64_t beats)
{
	return r->config.width == 16 ? beats >> 1 : beats;
}

static struct hs_pin_event *new_event(struct hs_pin_receiver *r, enum hs_pin_event_kind kind,
                                      uint64_t beat)
{
	struct hs_pin_event *e = &r->event[r->events++];

	*e = (struct hs_pin_event){ .kind = (uint8_t)kind, .sample = samples_of(r, beat) };
	return e;
}

void pin_announce(struct hs_pin_receiver *r, uint64_t beat)
{
	struct hs_pin_event *e = new_event(r, HS_PIN_ALIGNED, beat);

	e->offset = r->config.width == 16 && (beat & 1) ? 8 : 0;
	e->phase = (uint8_t)(beat & (r->per - 1u));
	r->announce = 0;
	r->alignments++;
}

static void next_event(struct hs_pin_receiver *r, struct hs_pin_event *event)
{
	*event = r->event[0];
	r->event[0] = r->event[1];
	r->event[1] = r->event[2];
	r->events--;
}

/* ---- one beat ----------------------------------------------------------------- */

static void hold_byte(struct hs_pin_receiver *r, uint8_t byte)
{
	r->held[r->held_n++] = byte;
	r->written = 1;
}

/* Messages may be missing: mark the place for the reader. */
static void mark_loss(struct hs_pin_receiver *r)
{
	if (!r->written)
		return;
	hold_byte(r, PIN_MSEO_RESERVED);
	hold_byte(r, 0xff);
	r->written = 0;
}

void pin_report_loss(struct hs_pin_receiver *r)
{
	if (!r->announce) {
		new_event(r, HS_PIN_LOST, r->beat)->count = samples_of(r, r->beat - r->from);
		r->losses++;
	}
	r->announce = 0;
}

/* No message can have this beat here: search again. */
static void lose_alignment(struct hs_pin_receiver *r, unsigned beat)
{
	mark_loss(r);
	pin_report_loss(r);
	pin_hunt_start(r);
	pin_hunt(r, beat);
}

/* The first beat of a byte after the end of a message. */
static bool begin_message(struct hs_pin_receiver *r, unsigned beat)
{
	if (beat == pin_ones(r->width)) {
		r->idle += r->width;
		return false;
	}
	if (beat & pin_mseo_mask(r->width)) {
		lose_alignment(r, beat);
		return false;
	}
	if (r->announce)
		pin_announce(r, r->beat);
	r->state = PIN_MESSAGE;
	return true;
}

static void end_byte(struct hs_pin_receiver *r)
{
	const bool end = PIN_MSEO(r->acc) == PIN_MSEO_END;

	if (r->state == PIN_MESSAGE) {
		hold_byte(r, r->acc);
		r->bytes++;
	} else if (end) {
		r->skipped += r->beat + 1 - r->from;
		r->from = r->beat + 1;
	}
	if (end)
		r->state = PIN_BETWEEN;
	r->acc = 0;
	r->bits = 0;
}

static void take_aligned(struct hs_pin_receiver *r, unsigned beat)
{
	const unsigned before = r->bits;

	if (r->state == PIN_BETWEEN && before == 0 && !begin_message(r, beat))
		return;
	r->acc |= (uint8_t)(beat << before);
	r->bits = (uint8_t)(before + r->width);
	if (before < 2 && r->bits >= 2 && PIN_MSEO(r->acc) == PIN_MSEO_RESERVED)
		lose_alignment(r, beat);
	else if (r->bits == 8)
		end_byte(r);
}

void pin_calibrate(struct hs_pin_receiver *r)
{
	if (r->state == PIN_HUNT || r->state == PIN_BLIND)
		r->skipped += r->beat - r->from;
	mark_loss(r);
	if (r->state == PIN_MESSAGE)
		pin_report_loss(r);
	r->announce = 0;
	r->from = r->beat;
	r->beat += 2u * r->period;
	r->state = PIN_CALIBRATING;
}

void pin_calibrated(struct hs_pin_receiver *r)
{
	const uint64_t n = r->beat - r->from;

	r->calibration += n;
	new_event(r, HS_PIN_CALIBRATION, r->beat)->count = samples_of(r, n);
	start_hunt(r);
}

static void process_beat(struct hs_pin_receiver *r, unsigned beat)
{
	if (r->config.headers)
		pin_take_headers(r, beat);
	else if (r->state == PIN_HUNT)
		pin_hunt(r, beat);
	else
		take_aligned(r, beat);
	r->beat++;
}

static void take_beat(struct hs_pin_receiver *r, unsigned beat)
{
	if (pin_delay(r, &beat))
		process_beat(r, beat);
	if (r->pattern) {
		r->pattern = 0;
		pin_calibrate(r);
	}
}

/* ---- streams of them ---------------------------------------------------------- */

static unsigned next_beat(struct hs_pin_receiver *r, struct run *x)
{
	const unsigned beat = *x->in->p >> r->in_bit & pin_ones(r->width);

	r->in_bit = (uint8_t)(r->config.format == HS_PIN_PACKED ? r->in_bit + r->width : 8);
	if (r->in_bit == 8) {
		r->in_bit = 0;
		x->in->p++;
		x->in->n--;
	}
	return beat;
}

static void write_bytes(struct hs_pin_receiver *r, struct run *x)
{
	const size_t left = r->held_n - r->held_at, room = x->cap - x->len;
	const size_t n = left < room ? left : room;

	memcpy(x->out + x->len, r->held + r->held_at, n);
	x->len += n;
	r->held_at = (uint16_t)(r->held_at + n);
	if (r->held_at == r->held_n)
		r->held_at = r->held_n = 0;
}

/* Bytes and events that wait are written first. */
static enum hs_status write_held(struct hs_pin_receiver *r, struct run *x,
                                 struct hs_pin_event *event)
{
	if (r->held_n) {
		write_bytes(r, x);
		if (r->held_n)
			return HS_FULL;
	}
	if (!r->events)
		return HS_MORE;
	next_event(r, event);
	return HS_OK;
}

static enum hs_status receive(struct hs_pin_receiver *r, struct run *x, struct hs_pin_event *event)
{
	for (;;) {
		const enum hs_status s = write_held(r, x, event);

		if (s != HS_MORE || x->in->n == 0)
			return s;
		take_beat(r, next_beat(r, x));
	}
}

enum hs_status hs_pin_receive(struct hs_pin_receiver *r, struct hs_span *in, uint8_t *out,
                              size_t cap, size_t *len, struct hs_pin_event *event)
{
	struct run x = { in, out, cap, 0 };
	const enum hs_status s = cap ? receive(r, &x, event) : HS_E_SPACE;

	*len = x.len;
	return s;
}

static enum hs_status final_status(const struct hs_pin_receiver *r)
{
	switch (r->state) {
	case PIN_HUNT: return r->beat ? HS_E_FRAMING : HS_END;
	case PIN_MESSAGE: return HS_E_TRUNCATED;
	case PIN_BLIND: return HS_E_FRAMING;
	default: return HS_END;
	}
}

static enum hs_status receive_end(struct hs_pin_receiver *r, struct run *x,
                                  struct hs_pin_event *event)
{
	for (;;) {
		const enum hs_status s = write_held(r, x, event);
		unsigned beat;

		if (s != HS_MORE)
			return s;
		if (!pin_delay_flush(r, &beat))
			return final_status(r);
		process_beat(r, beat);
	}
}

enum hs_status hs_pin_receive_end(struct hs_pin_receiver *r, uint8_t *out, size_t cap, size_t *len,
                                  struct hs_pin_event *event)
{
	struct run x = { .out = out, .cap = cap };
	const enum hs_status s = cap ? receive_end(r, &x, event) : HS_E_SPACE;

	*len = x.len;
	return s;
}

void hs_pin_receiver_get_stats(const struct hs_pin_receiver *r, struct hs_pin_stats *out)
{
	const bool searching = r->state == PIN_HUNT || r->state == PIN_BLIND;
	const uint64_t open = r->beat - r->from;

	out->samples = samples_of(r, r->beat);
	out->bytes = r->bytes;
	out->idle_bits = r->idle;
	out->skipped = samples_of(r, r->skipped + (searching ? open : 0));
	out->calibration = samples_of(r, r->calibration + (r->state == PIN_CALIBRATING ? open : 0));
	out->alignments = r->alignments;
	out->losses = r->losses;
}
