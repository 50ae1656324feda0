/* Samples of one pin to bytes: UART and Manchester (TCI, PIB; design/captures).
 *
 * Samples are runs of equal level.  The first runs wait until they say how long a bit is. */
#include <hartscope/transport.h>

#include "core/config.h"
#include "core/divide.h"
#include "transport/serial.h"
#include "transport/transport.h"

enum {
	HUNT,    /* up to an idle that no message has */
	BETWEEN, /* idle */
	INSIDE
};

static enum hs_status take_config(struct hs_serial_config *c, const struct hs_serial_config *given)
{
	if (base_take_config(c, sizeof *c, given) != HS_OK || c->mode > HS_SERIAL_MANCHESTER ||
	    c->packed > 1 || c->pad[0] || c->pad[1])
		return HS_E_CONFIG;
	return c->period && (c->period < HS_SERIAL_PERIOD_MIN || c->period > HS_SERIAL_PERIOD_MAX)
	               ? HS_E_CONFIG
	               : HS_OK;
}

enum hs_status hs_serial_receiver_init(struct hs_serial_receiver *r,
                                       const struct hs_serial_config *config)
{
	struct hs_serial_config c;

	if (take_config(&c, config) != HS_OK)
		return HS_E_CONFIG;
	memset(r, 0, sizeof *r);
	r->mode = c.mode;
	r->packed = c.packed;
	r->period = c.period;
	r->hold = c.period == 0;
	r->level = c.mode == HS_SERIAL_UART;
	return HS_OK;
}

/* ---- how long a bit is ------------------------------------------------------------ */

/* Units of one bit, or of one phase, in a run; @unit in 1/256 samples. */
static uint32_t units_of(uint32_t samples, uint32_t unit)
{
	return (uint32_t)base_divide(((uint64_t)samples << 8) + unit / 2, unit);
}

/* The mean of the runs of @least samples and of one more: a unit that is no whole number of samples
 * has both. */
static uint32_t mean_shortest(const struct hs_serial_receiver *r, uint32_t least)
{
	uint64_t samples = 0, units = 0;

	for (unsigned i = 1; i < r->kept; i++) {
		if (r->runs[i] > least + 1)
			continue;
		samples += r->runs[i];
		units++;
	}
	return (uint32_t)base_divide(samples << 8, units);
}

/* The mean of the runs that are 1 to @most units long, if @unit is about one. */
static uint32_t mean_unit(const struct hs_serial_receiver *r, uint32_t unit, unsigned most)
{
	uint64_t samples = 0, units = 0;

	for (unsigned i = 1; i < r->kept; i++) { /* the first run may be a part of one */
		const uint32_t n = units_of(r->runs[i], unit);

		if (n < 1 || n > most)
			continue;
		samples += r->runs[i];
		units += n;
	}
	return units ? (uint32_t)base_divide(samples << 8, units) : unit;
}

/* From the shortest run: in a UART one bit, in Manchester one phase. */
static void find_period(struct hs_serial_receiver *r)
{
	const bool uart = r->mode == HS_SERIAL_UART;
	uint32_t least = UINT32_MAX, unit;

	for (unsigned i = 1; i < r->kept; i++)
		if (r->runs[i] < least)
			least = r->runs[i];
	if (least == UINT32_MAX)
		return;
	unit = least > 1 << 14 ? HS_SERIAL_PERIOD_MAX : mean_shortest(r, least);
	/* short runs first: their samples are rounded, too */
	for (unsigned most = 1; most <= (uart ? 9u : 2u); most++)
		unit = mean_unit(r, unit, most);
	unit = uart ? unit : 2 * unit;
	r->period = unit < HS_SERIAL_PERIOD_MIN   ? HS_SERIAL_PERIOD_MIN
	            : unit > HS_SERIAL_PERIOD_MAX ? HS_SERIAL_PERIOD_MAX : unit;
}

/* ---- bits ------------------------------------------------------------------------- */

static void lose(struct hs_serial_receiver *r)
{
	r->losses++;
	r->lost = true;
	r->state = HUNT;
}

/* UART: the level at the middle of the next bit. */
static void take_bit(struct hs_serial_receiver *r, unsigned level)
{
	const unsigned n = r->count++;

	r->acc |= (uint16_t)(level << n);
	if (n == 0 && level)
		lose(r); /* shorter than half a start bit */
	if (n < 9)
		return;
	if (!level) {
		lose(r);
		return;
	}
	r->out_byte = (uint8_t)(r->acc >> 1);
	r->has_byte = true;
	r->state = BETWEEN;
}

/* A run of a UART.  False: a byte came out before its end, and it is to be taken again. */
static bool take_uart(struct hs_serial_receiver *r, unsigned level, uint32_t samples)
{
	const uint64_t end = (uint64_t)r->phase + ((uint64_t)samples << 8);
	const bool idle = level && end - r->phase >= (uint64_t)10 * r->period - r->period / 2;

	if (r->state == BETWEEN) {
		if (level)
			return true;
		r->state = INSIDE;
		r->phase = r->count = r->acc = 0;
		return false;
	}
	while (r->state == INSIDE && (uint64_t)r->period * (2u * r->count + 1) / 2 < end)
		take_bit(r, level);
	r->phase = end > UINT32_MAX ? UINT32_MAX : (uint32_t)end;
	if (r->state == HUNT && idle)
		r->state = BETWEEN;
	return true;
}

/* Manchester: one phase of a message. */
static void take_phase(struct hs_serial_receiver *r, unsigned level)
{
	if (r->count++ % 2 == 0) {
		r->bit = (uint8_t)level;
		return;
	}
	if (r->bit == level) { /* stop; never high twice */
		const bool whole = !level && r->count > 2 && r->taken == 0;

		r->state = BETWEEN;
		if (!whole)
			lose(r);
		return;
	}
	if (r->count == 2) /* start */
		return;
	r->acc |= (uint16_t)((r->bit ? 1u : 0u) << r->taken++);
	if (r->taken < 8)
		return;
	r->out_byte = (uint8_t)r->acc;
	r->has_byte = true;
	r->taken = 0;
	r->acc = 0;
}

static void take_manchester(struct hs_serial_receiver *r, unsigned level, uint32_t samples)
{
	const uint32_t all = units_of(samples, r->period / 2);
	uint32_t n = r->pending ? r->pending : all;

	r->pending = 0;
	if (r->state == BETWEEN && level) {
		r->state = INSIDE;
		r->count = r->taken = 0;
		r->acc = 0;
	}
	for (; n && r->state == INSIDE && !r->has_byte; n--)
		take_phase(r, level);
	if (r->state == INSIDE && n)
		r->pending = n;
	if (r->state == HUNT && !level && all >= 3)
		r->state = BETWEEN;
}

/* ---- runs ------------------------------------------------------------------------- */

/* A run has ended.  True: it is done with; a byte or a loss may have come out. */
static bool take_run(struct hs_serial_receiver *r, unsigned level, uint32_t samples)
{
	if (r->mode == HS_SERIAL_UART)
		return take_uart(r, level, samples);
	take_manchester(r, level, samples);
	return r->pending == 0;
}

/* Write what came out.  HS_MORE: nothing waits. */
static enum hs_status write_out(struct hs_serial_receiver *r, uint8_t *out, size_t cap, size_t *len)
{
	if (r->has_byte && *len == cap)
		return HS_FULL;
	if (r->has_byte) {
		out[(*len)++] = r->out_byte;
		r->bytes++;
		r->has_byte = false;
	}
	if (!r->lost)
		return HS_MORE;
	r->lost = false;
	return HS_E_FRAMING;
}

/* Take the runs that waited. */
static enum hs_status replay(struct hs_serial_receiver *r, uint8_t *out, size_t cap, size_t *len)
{
	enum hs_status s = write_out(r, out, cap, len);

	while (s == HS_MORE && r->at < r->kept) {
		/* the last one that was kept has the level before the current run's */
		const unsigned level = r->level ^ ((r->kept - r->at) & 1u);

		r->at += take_run(r, level, r->runs[r->at]);
		s = write_out(r, out, cap, len);
	}
	return s;
}

static enum hs_status release(struct hs_serial_receiver *r, uint8_t *out, size_t cap, size_t *len)
{
	if (r->hold) {
		r->hold = 0;
		find_period(r);
	}
	return r->period ? replay(r, out, cap, len) : HS_MORE;
}

/* The level changes: keep the run that ends. */
static void end_run(struct hs_serial_receiver *r, unsigned level)
{
	if (r->at == r->kept)
		r->at = r->kept = 0;
	r->runs[r->kept++] = r->run;
	r->run = 1;
	r->level = (uint8_t)level;
}

enum hs_status hs_serial_receive(struct hs_serial_receiver *r, struct hs_span *in, uint8_t *out,
                                 size_t cap, size_t *len)
{
	enum hs_status s = HS_MORE;

	*len = 0;
	for (;;) {
		if (!r->hold || r->kept == HS_SERIAL_RUNS)
			s = release(r, out, cap, len);
		if (s != HS_MORE || !in->n)
			return s;
		const unsigned level = *in->p >> r->taken_bit & 1u;

		r->taken_bit = r->packed ? (r->taken_bit + 1) & 7 : 0;
		if (!r->taken_bit) {
			in->p++;
			in->n--;
		}
		r->samples++;
		if (level != r->level)
			end_run(r, level);
		else
			r->run += r->run < UINT32_MAX;
	}
}

enum hs_status hs_serial_receive_end(struct hs_serial_receiver *r, uint8_t *out, size_t cap,
                                     size_t *len)
{
	enum hs_status s = HS_MORE;

	*len = 0;
	if (!r->finished && r->kept == HS_SERIAL_RUNS)
		s = release(r, out, cap, len);
	if (s != HS_MORE)
		return s;
	if (!r->finished) { /* the current run ends, too, as if idle went on */
		r->finished = true;
		if (r->kept < HS_SERIAL_RUNS || r->at == r->kept)
			end_run(r, !r->level);
	}
	s = release(r, out, cap, len);
	return s == HS_MORE ? HS_END : s;
}

/* ---- sending ---------------------------------------------------------------------- */

enum hs_status hs_serial_sender_init(struct hs_serial_sender *s,
                                     const struct hs_serial_config *config)
{
	struct hs_serial_config c;

	if (take_config(&c, config) != HS_OK)
		return HS_E_CONFIG;
	memset(s, 0, sizeof *s);
	s->period = c.period ? c.period : 8 << 8;
	s->mode = c.mode;
	s->packed = c.packed;
	return HS_OK;
}

/* A level for @units half bits. */
static size_t put_level(struct hs_serial_sender *s, unsigned level, unsigned halves, uint8_t *out)
{
	size_t n = 0;

	s->time += (uint64_t)s->period * halves;
	for (; s->done < s->time >> 9; s->done++) {
		s->acc |= (uint8_t)(level << s->fill);
		s->fill = s->packed ? (s->fill + 1) & 7 : 0;
		if (s->fill)
			continue;
		out[n++] = s->acc;
		s->acc = 0;
	}
	return n;
}

static size_t put_manchester(struct hs_serial_sender *s, unsigned first, unsigned second,
                             uint8_t *out)
{
	const size_t n = put_level(s, first, 1, out);

	return n + put_level(s, second, 1, out + n);
}

static size_t send_manchester(struct hs_serial_sender *s, uint8_t byte, bool first, bool last,
                              uint8_t *out)
{
	size_t n = first ? put_manchester(s, 1, 0, out) : 0;

	for (unsigned i = 0; i < 8; i++) {
		const unsigned bit = byte >> i & 1u;

		n += put_manchester(s, bit, !bit, out + n);
	}
	return n + (last ? put_manchester(s, 0, 0, out + n) : 0);
}

size_t hs_serial_send(struct hs_serial_sender *s, uint8_t byte, bool first, bool last, uint8_t *out)
{
	const unsigned bits = 1u << 9 | (unsigned)byte << 1; /* start, data, stop */
	size_t n = 0;

	if (s->mode == HS_SERIAL_MANCHESTER)
		return send_manchester(s, byte, first, last, out);
	for (unsigned i = 0; i < 10; i++)
		n += put_level(s, bits >> i & 1u, 2, out + n);
	return n;
}

size_t hs_serial_idle(struct hs_serial_sender *s, unsigned bits, uint8_t *out)
{
	return put_level(s, s->mode == HS_SERIAL_UART, 2 * bits, out);
}
