/* Captures: samples of one pin that sends as a UART, or in Manchester code (design/captures). */
#include <stdlib.h>

#include "inputs/capture_private.h"

/* ---- value change dumps ------------------------------------------------------------- */

#define STEPS 8 /* samples of the shortest time between two changes */

/* Samples out of the text of a dump; none: there are no more. */
static enum hs_status read_dump(struct hs_capture *c, struct hs_error *error)
{
	enum hs_status s = HS_MORE;

	c->pins.samples = (struct hs_span){ c->pins.sample_room, 0 };
	while (c->pins.samples.n == 0 && !c->pins.vcd_ended && (s == HS_MORE || s == HS_FULL)) {
		if (!c->pins.text.n) {
			c->pins.text.p = c->pins.text_room;
			s = capture_read_next(c, c->pins.text_room, CAPTURE_PIECE, &c->pins.text.n,
			                      error);
			if (s != HS_OK)
				return s;
		}
		s = c->pins.text.n ? hs_vcd_feed(c->pins.vcd, &c->pins.text, c->pins.sample_room,
		                                 CAPTURE_PIECE, &c->pins.samples.n, error)
		                   : hs_vcd_end(c->pins.vcd, c->pins.sample_room, CAPTURE_PIECE,
		                                &c->pins.samples.n, error);
		c->pins.vcd_ended = s == HS_END;
	}
	return s == HS_MORE || s == HS_FULL || s == HS_END ? HS_OK : s;
}

static enum hs_status begin_dump(struct hs_capture *c, uint64_t step, struct hs_error *error)
{
	c->pins.vcd_options.width = 1;
	c->pins.vcd_options.step = step;
	c->pins.text = c->pins.samples = (struct hs_span){ 0 };
	c->pins.vcd_ended = c->file.eof = false;
	hs_vcd_free(c->pins.vcd);
	c->pins.vcd = NULL;
	const enum hs_status s = hs_vcd_new(&c->pins.vcd_options, &c->pins.vcd, error);

	return s == HS_E_ARG ? HS_E_CONFIG : s;
}

/* The dump has times, not samples: read it once for the shortest time between two changes. */
static enum hs_status find_step(struct hs_capture *c, struct hs_error *error)
{
	struct hs_vcd_stats st;
	enum hs_status s = begin_dump(c, UINT64_MAX, error);

	while (s == HS_OK && !c->pins.vcd_ended)
		s = read_dump(c, error);
	if (s != HS_OK)
		return s;
	hs_vcd_get_stats(c->pins.vcd, &st);
	c->pins.step = st.shortest / STEPS ? st.shortest / STEPS : 1;
	const enum hs_status again = capture_rewind_input(c, error);

	return again == HS_OK ? begin_dump(c, c->pins.step, error) : again;
}

/* ---- the pin -------------------------------------------------------------------------- */

static bool is_dump(const struct hs_capture *c)
{
	return c->transport->kind == CAPTURE_SERIAL_VCD;
}

enum hs_status capture_serial_rewind(struct hs_capture *c, struct hs_error *error)
{
	hs_serial_receiver_init(&c->serial, &c->serial_config);
	c->pins.samples = (struct hs_span){ 0 };
	c->file.eof = c->framed.frames_lost = false;
	return is_dump(c) && c->pins.step ? begin_dump(c, c->pins.step, error) : HS_OK;
}

enum hs_status capture_serial_open(struct hs_capture *c, const struct hs_capture_options *o,
                                   struct hs_error *error)
{
	c->serial_config =
		(struct hs_serial_config){ .size = sizeof(c->serial_config),
		                           .period = o->period,
		                           .mode = c->transport->width,
		                           .packed = c->transport->format == HS_PIN_PACKED };
	if (is_dump(c) && o->period)
		return hs_error_set(error, HS_E_CONFIG,
		                    "a value change dump has no samples: the "
		                    "length of a bit is found");
	if (hs_serial_receiver_init(&c->serial, &c->serial_config) != HS_OK)
		return hs_error_set(error, HS_E_CONFIG, "a bit has 2 to 64 samples");
	c->pins.sample_room = malloc(CAPTURE_PIECE);
	c->pins.text_room = is_dump(c) ? malloc(CAPTURE_PIECE) : NULL;
	if (!c->pins.sample_room || (is_dump(c) && !c->pins.text_room))
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", c->file.name);
	c->pins.vcd_options =
		(struct hs_vcd_options){ .size = sizeof(c->pins.vcd_options), .data = o->vcd_data };
	return capture_serial_rewind(c, error);
}

/* No bit could be there: after the next idle a message begins. */
static enum hs_status lose(struct hs_capture *c, struct hs_error *error)
{
	c->framed.frames_lost = false;
	return hs_error_set(error, HS_E_LOST,
	                    "sample %llu: no bit can be here (TCI, SWT); messages are missing up "
	                    "to the next idle",
	                    (unsigned long long)c->serial.samples);
}

static enum hs_status end(struct hs_capture *c, struct hs_error *error)
{
	c->finished = true;
	if (c->serial.bytes || !c->serial.samples)
		return HS_END;
	return hs_error_set(error, HS_E_FRAMING,
	                    "%s: no idle of ten bits, or another mode or bit rate: nothing says "
	                    "where a byte begins",
	                    c->file.name);
}

enum hs_status capture_serial_read(struct hs_capture *c, uint8_t *out, size_t cap, size_t *n,
                                   struct hs_error *error)
{
	enum hs_status s = HS_OK;

	*n = 0;
	if (c->framed.frames_lost)
		return lose(c, error);
	if (is_dump(c) && !c->pins.step)
		s = find_step(c, error);
	if (s != HS_OK) {
		c->finished = true;
		return s;
	}
	if (!c->pins.samples.n && is_dump(c)) {
		s = read_dump(c, error);
	} else if (!c->pins.samples.n) {
		c->pins.samples.p = c->pins.sample_room;
		s = capture_read_next(c, c->pins.sample_room, CAPTURE_PIECE, &c->pins.samples.n,
		                      error);
	}
	if (s != HS_OK) {
		c->finished = true;
		return s;
	}
	s = c->pins.samples.n ? hs_serial_receive(&c->serial, &c->pins.samples, out, cap, n)
	                      : hs_serial_receive_end(&c->serial, out, cap, n);
	c->framed.frames_lost = s == HS_E_FRAMING;
	return s == HS_END && *n == 0 ? end(c, error) : HS_OK;
}
