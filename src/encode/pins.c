/* What carries the bytes of a trace that is made: samples of pins, one pin, frames. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encode/private.h"
#include "inputs/inputs.h"
#include "transport/transport.h"

#define BUFFER ((size_t)1 << 16)
#define FRAMES_A_SYNC 16

static bool flush(struct encode_pins *p)
{
	const size_t n = p->n;

	p->n = 0;
	p->bytes += n;
	return p->write(p->to, p->buffer, n);
}

static bool idle(struct encode_pins *p, uint64_t beats)
{
	enum hs_status s = HS_FULL;
	size_t len;

	while (s == HS_FULL) {
		s = hs_pin_idle(&p->sender, &beats, p->buffer + p->n, BUFFER - p->n, &len);
		p->n += len;
		if (s == HS_FULL && !flush(p))
			return false;
	}
	return true;
}

/* ---- one pin ---------------------------------------------------------------------- */

static bool serial_idle(struct encode_pins *p, uint64_t bits)
{
	while (bits) {
		const unsigned n = bits < 16 ? (unsigned)bits : 16;

		if (BUFFER - p->n < HS_SERIAL_ROOM && !flush(p))
			return false;
		p->n += hs_serial_idle(&p->pin, n, p->buffer + p->n);
		bits -= n;
	}
	return true;
}

/* Idle comes first: by it a receiver finds the first message, and the next one after damage. */
static enum hs_status serial_open(struct encode_pins *p, struct hs_serial_config *config,
                                  const struct hs_encode_options *o, struct hs_error *error)
{
	const struct hs_pin_config bytes = { .size = sizeof(bytes),
		                             .width = 8,
		                             .headers = p->headers.headers,
		                             .src_bytes = p->headers.src_bytes,
		                             .tstamp_bytes = p->headers.tstamp_bytes };

	config->period = o->period;
	p->serial = true;
	p->idle = o->has_idle ? o->idle : 12;
	if (hs_pin_sender_init(&p->sender, &bytes) != HS_OK ||
	    hs_serial_sender_init(&p->pin, config) != HS_OK)
		return hs_error_set(error, HS_E_CONFIG, "a bit has 2 to 64 samples");
	return serial_idle(p, 32) ? HS_OK : HS_E_SYSTEM;
}

/* The sender of 8 pins is used only to find where messages end. */
static bool serial_put(struct encode_pins *p, struct hs_span *in)
{
	uint8_t bytes[256];
	enum hs_status s = HS_OK;
	size_t len;

	while (s != HS_MORE) {
		s = hs_pin_send(&p->sender, in, bytes, sizeof(bytes), &len);
		for (size_t i = 0; i < len; i++) {
			if (BUFFER - p->n < HS_SERIAL_ROOM && !flush(p))
				return false;
			p->n += hs_serial_send(&p->pin, bytes[i], !p->inside,
			                       s == HS_OK && i + 1 == len, p->buffer + p->n);
			p->inside = s != HS_OK || i + 1 < len;
		}
		if (s == HS_OK && !serial_idle(p, p->idle))
			return false;
	}
	return true;
}

/* Pins of a port.  Idle comes first, so that a receiver finds the first message: two bytes
 * (design/alignment), or with headers a synchronisation sequence. */
static enum hs_status pins_open(struct encode_pins *p, struct hs_pin_config *config,
                                const struct hs_encode_options *o, struct hs_error *error)
{
	/* samples that are a byte */
	const unsigned byte = config->width < 8 ? 8u / config->width : 1;

	config->headers = p->headers.headers;
	config->src_bytes = p->headers.src_bytes;
	config->tstamp_bytes = p->headers.tstamp_bytes;
	if (hs_pin_sender_init(&p->sender, config) != HS_OK)
		return encode_no_memory(error);
	p->idle = o->has_idle ? o->idle : byte;
	const unsigned header = 32u + config->src_bytes + config->tstamp_bytes;

	return idle(p, (config->headers ? header : 2u) * byte) ? HS_OK : HS_E_SYSTEM;
}

/* Refuse a name that is unknown, or that of a dump of waves, which is only read. */
static enum hs_status refuse_transport(const char *name, struct hs_error *error)
{
	char written[400] = "";

	for (const char *word = hs_transport_names(); *word;) {
		const size_t n = strcspn(word, " "), at = strlen(written);

		if (n < 3 || strncmp(word + n - 3, "vcd", 3) != 0)
			snprintf(written + at, sizeof(written) - at, " %.*s", (int)n, word);
		word += n + (word[n] == ' ');
	}
	return hs_error_set(error, HS_E_CONFIG, "encode writes no transport '%s'; there are:%s",
	                    name, written);
}

enum hs_status encode_pins_open(struct encode_pins *p, const struct hs_encode_options *o,
                                struct hs_error *error)
{
	const char *name = o->transport;
	struct hs_serial_config serial;
	struct hs_pin_config config;

	p->on = name && strcmp(name, "raw") != 0;
	p->write = o->write;
	p->to = o->to;
	p->framed = hs_transport_frames(name);
	if (!p->on)
		return HS_OK;
	p->buffer = malloc(BUFFER);
	if (!p->buffer)
		return encode_no_memory(error);
	if (p->framed) {
		hs_frame_writer_init(&p->frames, strcmp(name, "tpiu") == 0 ? FRAMES_A_SYNC : 0);
		return HS_OK;
	}
	const size_t n = strlen(name);
	const bool dump = n > 4 && strcmp(name + n - 4, "-vcd") == 0;

	if (!dump && hs_transport_serial(name, &serial) == HS_OK)
		return serial_open(p, &serial, o, error);
	if (hs_transport_pins(name, &config) != HS_OK)
		return refuse_transport(name, error);
	return pins_open(p, &config, o, error);
}

/* Samples of the pins of a port. */
static bool put_samples(struct encode_pins *p, struct hs_span *in)
{
	enum hs_status s = HS_OK;

	while (s != HS_MORE) {
		size_t len;

		s = hs_pin_send(&p->sender, in, p->buffer + p->n, BUFFER - p->n, &len);
		p->n += len;
		if ((s == HS_OK && !idle(p, p->idle)) || (s == HS_FULL && !flush(p)))
			return false;
	}
	return true;
}

static bool put_framed(struct encode_pins *p, unsigned id, const struct hs_span *in)
{
	for (size_t i = 0; i < in->n; i++) {
		if (BUFFER - p->n < HS_FRAME_ROOM && !flush(p))
			return false;
		p->n += hs_frame_put(&p->frames, (uint8_t)id, in->p[i], p->buffer + p->n);
	}
	return true;
}

bool encode_pins_put(struct encode_pins *p, unsigned id, const uint8_t *bytes, size_t n)
{
	struct hs_span in = { bytes, n };

	if (!p->on)
		return p->write(p->to, bytes, n);
	if (p->framed)
		return put_framed(p, id, &in);
	return p->serial ? serial_put(p, &in) : put_samples(p, &in);
}

bool encode_pins_end(struct encode_pins *p)
{
	size_t len;

	if (!p->on)
		return true;
	if (p->serial)
		return serial_idle(p, 32) && flush(p);
	if (p->framed) {
		if (BUFFER - p->n < HS_FRAME_ROOM && !flush(p))
			return false;
		p->n += hs_frame_flush(&p->frames, p->buffer + p->n);
		return flush(p);
	}
	if (p->n == BUFFER && !flush(p))
		return false;
	hs_pin_sender_end(&p->sender, p->buffer + p->n, BUFFER - p->n, &len);
	p->n += len;
	return flush(p);
}

void encode_pins_close(struct encode_pins *p)
{
	free(p->buffer);
}
