/* Captures: samples of pins, plain or in a value change dump. */
#include <stdlib.h>
#include <string.h>

#include "inputs/capture_private.h"

static enum hs_status start_receiver(struct hs_capture *c, unsigned width)
{
	const struct hs_pin_config config = { .size = sizeof(config),
		                              .width = (uint8_t)width,
		                              .format = c->transport->format,
		                              .headers = c->headers.headers,
		                              .src_bytes = c->headers.src_bytes,
		                              .tstamp_bytes = c->headers.tstamp_bytes };

	c->receiving = hs_pin_receiver_init(&c->receiver, &config) == HS_OK;
	return c->receiving ? HS_OK : HS_E_INTERNAL;
}

enum hs_status capture_pins_open(struct hs_capture *c, struct hs_error *error)
{
	const bool vcd = c->transport->kind == CAPTURE_VCD;

	c->sample_room = malloc(CAPTURE_PIECE);
	c->text_room = vcd ? malloc(CAPTURE_PIECE) : NULL;
	if (!c->sample_room || (vcd && !c->text_room))
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", c->name);
	c->text = c->samples = (struct hs_span){ 0 };
	c->aligned = c->receiving = c->vcd_ended = c->report_lost = false;
	if (!vcd)
		return start_receiver(c, c->transport->width);
	const enum hs_status s = hs_vcd_new(&c->vcd_options, &c->vcd, error);

	return s == HS_E_ARG ? HS_E_CONFIG : s;
}

void capture_pins_close(struct hs_capture *c)
{
	hs_vcd_free(c->vcd);
	free(c->text_room);
	free(c->sample_room);
	c->vcd = NULL;
	c->text_room = c->sample_room = NULL;
}

/* ---- samples -------------------------------------------------------------------- */

/* Samples out of the text of a dump.  None and vcd_ended: there are no more. */
static enum hs_status read_dump(struct hs_capture *c, struct hs_error *error)
{
	struct hs_vcd_stats st;
	enum hs_status s = HS_OK;

	if (!c->text.n) {
		c->text.p = c->text_room;
		s = capture_read_next(c, c->text_room, CAPTURE_PIECE, &c->text.n, error);
	}
	if (s != HS_OK)
		return s;
	c->samples.p = c->sample_room;
	if (c->text.n) {
		s = hs_vcd_feed(c->vcd, &c->text, c->sample_room, CAPTURE_PIECE, &c->samples.n,
		                error);
	} else {
		s = hs_vcd_end(c->vcd, c->sample_room, CAPTURE_PIECE, &c->samples.n, error);
		c->vcd_ended = s == HS_END;
	}
	if (s != HS_MORE && s != HS_FULL && s != HS_END)
		return s;
	hs_vcd_get_stats(c->vcd, &st);
	return c->receiving || !st.width ? HS_OK : start_receiver(c, st.width);
}

/* More samples; none are left where c->samples stays empty. */
static enum hs_status read_samples(struct hs_capture *c, struct hs_error *error)
{
	enum hs_status s = HS_OK;

	c->samples = (struct hs_span){ c->sample_room, 0 };
	if (c->transport->kind == CAPTURE_PINS)
		return capture_read_next(c, c->sample_room, CAPTURE_PIECE, &c->samples.n, error);
	while (s == HS_OK && c->samples.n == 0 && !c->vcd_ended)
		s = read_dump(c, error);
	return s;
}

/* ---- bytes ---------------------------------------------------------------------- */

static enum hs_status report_lost(struct hs_capture *c, struct hs_error *error)
{
	c->report_lost = false;
	return hs_error_set(error, HS_E_FRAMING,
	                    "sample %llu: no %s; alignment lost after %llu samples",
	                    (unsigned long long)c->lost.sample,
	                    c->headers.headers ? "packet has this here (EE Synchronization)"
	                                       : "message has this here (NT 3.1)",
	                    (unsigned long long)c->lost.count);
}

static void note_event(struct hs_capture *c, const struct hs_pin_event *e)
{
	if (e->kind == HS_PIN_ALIGNED && !c->aligned) {
		c->aligned = true;
		c->first = *e;
	}
	if (e->kind == HS_PIN_LOST) {
		c->report_lost = true;
		c->lost = *e;
	}
}

/* The samples are over. */
static enum hs_status end_samples(struct hs_capture *c, uint8_t *out, size_t cap, size_t *n,
                                  struct hs_error *error)
{
	struct hs_pin_stats st;
	struct hs_pin_event e;
	enum hs_status s = HS_END;

	if (c->receiving)
		s = hs_pin_receive_end(&c->receiver, out, cap, n, &e);
	if (s == HS_OK)
		note_event(c, &e);
	if (s == HS_OK || s == HS_FULL)
		return HS_OK;
	c->finished = true;
	hs_pin_receiver_get_stats(&c->receiver, &st);
	if (s != HS_E_FRAMING || st.alignments > st.losses)
		return HS_OK; /* a message that is cut short is reported by its reader */
	return hs_error_set(error, HS_E_FRAMING,
	                    "%s: at its end it is not known where messages begin: %s", c->name,
	                    c->aligned           ? "alignment was not found again"
	                    : c->headers.headers ? "no whole synchronisation sequence (EE "
	                                           "Synchronization), or another number of pins"
	                                         : "too little idle, or another number of pins");
}

enum hs_status capture_pins_read(struct hs_capture *c, uint8_t *out, size_t cap, size_t *n,
                                 struct hs_error *error)
{
	struct hs_pin_event e;
	enum hs_status s = HS_OK;

	if (c->report_lost)
		return report_lost(c, error);
	if (!c->samples.n)
		s = read_samples(c, error);
	if (s != HS_OK) {
		c->finished = true;
		return s;
	}
	if (!c->samples.n)
		return end_samples(c, out, cap, n, error);
	if (hs_pin_receive(&c->receiver, &c->samples, out, cap, n, &e) == HS_OK)
		note_event(c, &e);
	return HS_OK;
}
