/* Captures: samples of pins, plain or in a value change dump. */
#include <stdlib.h>
#include <string.h>

#include "inputs/capture_private.h"

static enum hs_status start_receiver(struct hs_capture *c, unsigned width)
{
	const struct hs_pin_config config = { .size = sizeof(config),
		                              .width = (uint8_t)width,
		                              .format = c->transport->format,
		                              .headers = c->pins.headers.headers,
		                              .src_bytes = c->pins.headers.src_bytes,
		                              .tstamp_bytes = c->pins.headers.tstamp_bytes };

	c->pins.receiving = hs_pin_receiver_init(&c->pins.receiver, &config) == HS_OK;
	return c->pins.receiving ? HS_OK : HS_E_INTERNAL;
}

enum hs_status capture_pins_open(struct hs_capture *c, struct hs_error *error)
{
	const bool vcd = c->transport->kind == CAPTURE_VCD;

	c->pins.sample_room = malloc(CAPTURE_PIECE);
	c->pins.text_room = vcd ? malloc(CAPTURE_PIECE) : NULL;
	if (!c->pins.sample_room || (vcd && !c->pins.text_room))
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", c->file.name);
	c->pins.text = c->pins.samples = (struct hs_span){ 0 };
	c->pins.aligned = c->pins.receiving = c->pins.vcd_ended = c->pins.report_lost = false;
	if (!vcd)
		return start_receiver(c, c->transport->width);
	const enum hs_status s = hs_vcd_new(&c->pins.vcd_options, &c->pins.vcd, error);

	return s == HS_E_ARG ? HS_E_CONFIG : s;
}

void capture_pins_close(struct hs_capture *c)
{
	hs_vcd_free(c->pins.vcd);
	free(c->pins.text_room);
	free(c->pins.sample_room);
	c->pins.vcd = NULL;
	c->pins.text_room = c->pins.sample_room = NULL;
}

/* ---- samples -------------------------------------------------------------------- */

/* Samples out of the text of a dump.  None and vcd_ended: there are no more. */
static enum hs_status read_dump(struct hs_capture *c, struct hs_error *error)
{
	struct hs_vcd_stats st;
	enum hs_status s = HS_OK;

	if (!c->pins.text.n) {
		c->pins.text.p = c->pins.text_room;
		s = capture_read_next(c, c->pins.text_room, CAPTURE_PIECE, &c->pins.text.n, error);
	}
	if (s != HS_OK)
		return s;
	c->pins.samples.p = c->pins.sample_room;
	if (c->pins.text.n) {
		s = hs_vcd_feed(c->pins.vcd, &c->pins.text, c->pins.sample_room, CAPTURE_PIECE,
		                &c->pins.samples.n, error);
	} else {
		s = hs_vcd_end(c->pins.vcd, c->pins.sample_room, CAPTURE_PIECE, &c->pins.samples.n,
		               error);
		c->pins.vcd_ended = s == HS_END;
	}
	if (s != HS_MORE && s != HS_FULL && s != HS_END)
		return s;
	hs_vcd_get_stats(c->pins.vcd, &st);
	return c->pins.receiving || !st.width ? HS_OK : start_receiver(c, st.width);
}

/* More samples; none are left where c->samples stays empty. */
static enum hs_status read_samples(struct hs_capture *c, struct hs_error *error)
{
	enum hs_status s = HS_OK;

	c->pins.samples = (struct hs_span){ c->pins.sample_room, 0 };
	if (c->transport->kind == CAPTURE_PINS)
		return capture_read_next(c, c->pins.sample_room, CAPTURE_PIECE, &c->pins.samples.n,
		                         error);
	while (s == HS_OK && c->pins.samples.n == 0 && !c->pins.vcd_ended)
		s = read_dump(c, error);
	return s;
}

/* ---- bytes ---------------------------------------------------------------------- */

static enum hs_status report_lost(struct hs_capture *c, struct hs_error *error)
{
	c->pins.report_lost = false;
	return hs_error_set(error, HS_E_FRAMING,
	                    "sample %llu: no %s; alignment lost after %llu samples",
	                    (unsigned long long)c->pins.lost.sample,
	                    c->pins.headers.headers ? "packet has this here (EE Synchronization)"
	                                            : "message has this here (NT 3.1)",
	                    (unsigned long long)c->pins.lost.count);
}

static void note_event(struct hs_capture *c, const struct hs_pin_event *e)
{
	if (e->kind == HS_PIN_ALIGNED && !c->pins.aligned) {
		c->pins.aligned = true;
		c->pins.first = *e;
	}
	if (e->kind == HS_PIN_LOST) {
		c->pins.report_lost = true;
		c->pins.lost = *e;
	}
}

/* The samples are over. */
static enum hs_status end_samples(struct hs_capture *c, uint8_t *out, size_t cap, size_t *n,
                                  struct hs_error *error)
{
	struct hs_pin_stats st;
	struct hs_pin_event e;
	enum hs_status s = HS_END;

	if (c->pins.receiving)
		s = hs_pin_receive_end(&c->pins.receiver, out, cap, n, &e);
	if (s == HS_OK)
		note_event(c, &e);
	if (s == HS_OK || s == HS_FULL)
		return HS_OK;
	c->finished = true;
	hs_pin_receiver_get_stats(&c->pins.receiver, &st);
	if (s != HS_E_FRAMING || st.alignments > st.losses)
		return HS_OK; /* a message that is cut short is reported by its reader */
	return hs_error_set(error, HS_E_FRAMING,
	                    "%s: at its end it is not known where messages begin: %s", c->file.name,
	                    c->pins.aligned ? "alignment was not found again"
	                    : c->pins.headers.headers
	                            ? "no whole synchronisation sequence (EE "
	                              "Synchronization), or another number of pins"
	                            : "too little idle, or another number of pins");
}

enum hs_status capture_pins_read(struct hs_capture *c, uint8_t *out, size_t cap, size_t *n,
                                 struct hs_error *error)
{
	struct hs_pin_event e;
	enum hs_status s = HS_OK;

	if (c->pins.report_lost)
		return report_lost(c, error);
	if (!c->pins.samples.n)
		s = read_samples(c, error);
	if (s != HS_OK) {
		c->finished = true;
		return s;
	}
	if (!c->pins.samples.n)
		return end_samples(c, out, cap, n, error);
	if (hs_pin_receive(&c->pins.receiver, &c->pins.samples, out, cap, n, &e) == HS_OK)
		note_event(c, &e);
	return HS_OK;
}
