/* Captures: samples of one pin that sends as a UART, or in Manchester code (ADR-0125). */
#include <stdlib.h>

#include "capture/private.h"

void capture_serial_rewind(struct hs_capture *c)
{
	hs_serial_receiver_init(&c->serial, &c->serial_config);
	c->samples = (struct hs_span){ 0 };
	c->eof = c->frames_lost = false;
}

enum hs_status capture_serial_open(struct hs_capture *c, const struct hs_capture_options *o,
                                   struct hs_error *error)
{
	c->serial_config = (struct hs_serial_config){
		.size = sizeof(c->serial_config), .period = o->period, .mode = c->transport->width,
		.packed = c->transport->format == HS_PIN_PACKED
	};
	if (hs_serial_receiver_init(&c->serial, &c->serial_config) != HS_OK)
		return hs_error_set(error, HS_E_CONFIG, "a bit has 2 to 64 samples");
	c->sample_room = malloc(CAPTURE_PIECE);
	if (!c->sample_room)
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", c->name);
	capture_serial_rewind(c);
	return HS_OK;
}

/* No bit could be there: after the next idle a message begins. */
static enum hs_status lose(struct hs_capture *c, struct hs_error *error)
{
	c->frames_lost = false;
	return hs_error_set(error, HS_E_LOST,
	                    "sample %llu: no bit can be here (TCI, SWT); messages are missing up "
	                    "to the next idle", (unsigned long long)c->serial.samples);
}

static enum hs_status end(struct hs_capture *c, struct hs_error *error)
{
	c->finished = true;
	if (c->serial.bytes || !c->serial.samples)
		return HS_END;
	return hs_error_set(error, HS_E_FRAMING,
	                    "%s: no idle of ten bits, or another mode or bit rate: nothing says "
	                    "where a byte begins", c->name);
}

enum hs_status capture_serial_read(struct hs_capture *c, uint8_t *out, size_t cap, size_t *n,
                                   struct hs_error *error)
{
	enum hs_status s = HS_OK;

	*n = 0;
	if (c->frames_lost)
		return lose(c, error);
	if (!c->samples.n) {
		c->samples.p = c->sample_room;
		s = capture_read_next(c, c->sample_room, CAPTURE_PIECE, &c->samples.n, error);
	}
	if (s != HS_OK) {
		c->finished = true;
		return s;
	}
	s = c->samples.n ? hs_serial_receive(&c->serial, &c->samples, out, cap, n)
	                 : hs_serial_receive_end(&c->serial, out, cap, n);
	c->frames_lost = s == HS_E_FRAMING;
	return s == HS_END && *n == 0 ? end(c, error) : HS_OK;
}
