/* Captures: samples of pins, plain or in a value change dump. */
#include <stdlib.h>
#include <string.h>

#include "capture/private.h"

static enum hs_status start(struct hs_capture *c, unsigned width)
{
	const struct hs_pin_config config = { .size = sizeof(config), .width = (uint8_t)width,
		                              .format = c->row->format };

	c->receiving = hs_pin_receiver_init(&c->receiver, &config) == HS_OK;
	return c->receiving ? HS_OK : HS_E_INTERNAL;
}

enum hs_status capture_pins_open(struct hs_capture *c, struct hs_error *error)
{
	c->samples = malloc(CAPTURE_PIECE);
	c->in = c->row->kind == CAPTURE_VCD ? malloc(CAPTURE_PIECE) : NULL;
	if (!c->samples || (c->row->kind == CAPTURE_VCD && !c->in))
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", c->path);
	c->samples_n = c->samples_at = c->in_n = c->in_at = 0;
	c->aligned = c->receiving = c->vcd_ended = c->tell_lost = false;
	if (c->row->kind == CAPTURE_PINS)
		return start(c, c->row->width);
	return hs_vcd_new(&c->vcd_options, &c->vcd, error) == HS_OK ? HS_OK : HS_E_CONFIG;
}

void capture_pins_close(struct hs_capture *c)
{
	hs_vcd_free(c->vcd);
	free(c->in);
	free(c->samples);
	c->vcd = NULL;
	c->in = c->samples = NULL;
}

/* ---- samples -------------------------------------------------------------------- */

/* Samples out of the text of a dump.  None and vcd_ended: there are no more. */
static enum hs_status from_vcd(struct hs_capture *c, struct hs_error *error)
{
	struct hs_vcd_stats st;
	size_t used;
	enum hs_status s = HS_OK;

	if (c->in_at == c->in_n) {
		c->in_at = 0;
		s = capture_read_file(c, c->in, CAPTURE_PIECE, &c->in_n, error);
	}
	if (s != HS_OK)
		return s;
	if (c->in_n) {
		s = hs_vcd_feed(c->vcd, c->in + c->in_at, c->in_n - c->in_at, &used, c->samples,
		                CAPTURE_PIECE, &c->samples_n, error);
		c->in_at += used;
	} else {
		s = hs_vcd_end(c->vcd, c->samples, CAPTURE_PIECE, &c->samples_n, error);
		c->vcd_ended = s == HS_END;
	}
	if (hs_status_get_class(s) >= HS_CLASS_CALLER)
		return s;
	hs_vcd_stats(c->vcd, &st);
	return c->receiving || !st.width ? HS_OK : start(c, st.width);
}

/* More samples, if there are; *more tells. */
static enum hs_status refill(struct hs_capture *c, bool *more, struct hs_error *error)
{
	enum hs_status s = HS_OK;

	c->samples_at = c->samples_n = 0;
	if (c->row->kind == CAPTURE_PINS) {
		s = capture_read_file(c, c->samples, CAPTURE_PIECE, &c->samples_n, error);
		*more = c->samples_n > 0;
		return s;
	}
	while (s == HS_OK && c->samples_n == 0 && !c->vcd_ended)
		s = from_vcd(c, error);
	*more = c->samples_n > 0;
	return s;
}

/* ---- bytes ---------------------------------------------------------------------- */

static enum hs_status tell_lost(struct hs_capture *c, struct hs_error *error)
{
	c->tell_lost = false;
	return hs_error_set(
		error, HS_E_FRAMING,
		"sample %llu: no message has this here (NT 3.1); alignment lost after %llu samples",
		(unsigned long long)c->lost.sample, (unsigned long long)c->lost.count);
}

static void take_event(struct hs_capture *c, const struct hs_pin_event *e)
{
	if (e->kind == HS_PIN_ALIGNED && !c->aligned) {
		c->aligned = true;
		c->first = *e;
	}
	if (e->kind == HS_PIN_LOST) {
		c->tell_lost = true;
		c->lost = *e;
	}
}

static enum hs_status finish(struct hs_capture *c, uint8_t *out, size_t cap, size_t *n,
                             struct hs_error *error)
{
	struct hs_pin_stats st;
	struct hs_pin_event e;
	const enum hs_status s =
		c->receiving ? hs_pin_receive_end(&c->receiver, out, cap, n, &e) : HS_END;

	if (s == HS_OK)
		take_event(c, &e);
	if (s == HS_OK || s == HS_FULL)
		return HS_OK;
	c->finished = true;
	hs_pin_receiver_get_stats(&c->receiver, &st);
	if (s != HS_E_FRAMING || st.alignments > st.losses)
		return HS_OK; /* what is cut inside a message the reader tells */
	return hs_error_set(error, HS_E_FRAMING,
	                    "%s: at its end it is not known where messages begin: %s", c->path,
	                    c->aligned ? "alignment was not found again"
	                               : "too little idle, or another number of pins");
}

enum hs_status capture_pins_read(struct hs_capture *c, uint8_t *out, size_t cap, size_t *n,
                                 struct hs_error *error)
{
	struct hs_pin_event e;
	bool more = true;

	if (c->tell_lost)
		return tell_lost(c, error);
	if (c->samples_at == c->samples_n) {
		const enum hs_status s = refill(c, &more, error);

		if (s != HS_OK) {
			c->finished = true;
			return s;
		}
	}
	if (!more)
		return finish(c, out, cap, n, error);
	struct hs_span in = { c->samples + c->samples_at, c->samples_n - c->samples_at };
	const enum hs_status s = hs_pin_receive(&c->receiver, &in, out, cap, n, &e);

	c->samples_at = c->samples_n - in.n;
	if (s == HS_OK)
		take_event(c, &e);
	return HS_OK;
}
