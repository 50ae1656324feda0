/* Pins: samples that encode writes, and reports on captures that were read. */
#include <stdlib.h>
#include <string.h>

#include "common/tool.h"

#define BUFFER ((size_t)1 << 16)
#define FRAMES_A_SYNC 16

/* ---- writing ---------------------------------------------------------------------- */

static bool flush(struct pin_output *p)
{
	const size_t n = p->n;

	p->n = 0;
	p->bytes += n;
	return write_all(p->fd, p->buffer, n);
}

static bool idle(struct pin_output *p, uint64_t beats)
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

static bool serial_idle(struct pin_output *p, uint64_t bits)
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

/* A receiver knows messages by idle before the first one and after damage. */
static bool serial_open(struct pin_output *p, struct hs_serial_config *config,
                        const struct options *o)
{
	const struct hs_pin_config bytes = { .size = sizeof(bytes), .width = 8,
		                             .headers = p->headers.headers,
		                             .src_bytes = p->headers.src_bytes,
		                             .tstamp_bytes = p->headers.tstamp_bytes };

	config->period = o->capture.period;
	p->serial = true;
	if (p->idle == UINT64_MAX)
		p->idle = 12;
	p->buffer = malloc(BUFFER);
	if (!p->buffer || hs_pin_sender_init(&p->sender, &bytes) != HS_OK ||
	    hs_serial_sender_init(&p->pin, config) != HS_OK) {
		complain("a bit has 2 to 64 samples");
		return false;
	}
	return serial_idle(p, 32);
}

/* The sender of 8 pins cuts bytes into messages. */
static bool serial_put(struct pin_output *p, struct hs_span *in)
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

bool pin_output_open(struct pin_output *p, const struct options *o, int fd)
{
	const char *name = o->capture.transport;
	struct hs_serial_config serial;
	struct hs_pin_config config;

	p->on = name && strcmp(name, "raw") != 0;
	p->fd = fd;
	p->framed = hs_transport_frames(name);
	if (!p->on)
		return true;
	if (p->framed) {
		p->buffer = malloc(BUFFER);
		hs_frame_writer_init(&p->frames, strcmp(name, "tpiu") == 0 ? FRAMES_A_SYNC : 0);
		if (!p->buffer)
			complain("out of memory");
		return p->buffer != NULL;
	}
	const size_t n = strlen(name);
	const bool dump = n > 4 && strcmp(name + n - 4, "-vcd") == 0;

	if (!dump && hs_transport_serial(name, &serial) == HS_OK)
		return serial_open(p, &serial, o);
	if (hs_transport_pins(name, &config) != HS_OK) {
		complain("encode writes no transport '%s'; there are: %s", name,
		         hs_transport_names());
		return false;
	}
	config.headers = p->headers.headers;
	config.src_bytes = p->headers.src_bytes;
	config.tstamp_bytes = p->headers.tstamp_bytes;
	p->buffer = malloc(BUFFER);
	if (!p->buffer || hs_pin_sender_init(&p->sender, &config) != HS_OK) {
		complain("out of memory");
		return false;
	}
	const unsigned byte =
		config.width < 8 ? 8u / config.width : 1; /* samples that are a byte */

	if (p->idle == UINT64_MAX)
		p->idle = byte;
	/* What lets a receiver find the first message: 16 bits (ADR-0012), a synchronisation
	 * sequence */
	return idle(p, (config.headers ? 32u + config.src_bytes + config.tstamp_bytes : 2u) * byte);
}

bool pin_output_put(struct pin_output *p, const uint8_t *bytes, size_t n)
{
	struct hs_span in = { bytes, n };
	enum hs_status s = HS_OK;

	if (!p->on)
		return write_all(p->fd, bytes, n);
	if (p->serial)
		return serial_put(p, &in);
	while (s != HS_MORE) {
		size_t len;

		s = hs_pin_send(&p->sender, &in, p->buffer + p->n, BUFFER - p->n, &len);
		p->n += len;
		if ((s == HS_OK && !idle(p, p->idle)) || (s == HS_FULL && !flush(p)))
			return false;
	}
	return true;
}

bool pin_output_put_of(struct pin_output *p, unsigned id, const uint8_t *bytes, size_t n)
{
	if (!p->framed)
		return pin_output_put(p, bytes, n);
	for (size_t i = 0; i < n; i++) {
		if (BUFFER - p->n < HS_FRAME_ROOM && !flush(p))
			return false;
		p->n += hs_frame_put(&p->frames, (uint8_t)id, bytes[i], p->buffer + p->n);
	}
	return true;
}

bool pin_output_end(struct pin_output *p)
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

void pin_output_close(struct pin_output *p)
{
	free(p->buffer);
}

/* ---- reading ---------------------------------------------------------------------- */

static void note_pins(const struct hs_capture_report *c)
{
	const struct hs_pin_stats *s = &c->stats;

	if (c->aligned)
		complain(
			"%s: aligned at sample %llu, bit %u: %llu samples of %u bits, %llu passed over, "
			"%llu of calibration, %llu idle bits, alignment lost %llu times",
			c->transport, (unsigned long long)c->first.sample, c->first.offset,
			(unsigned long long)s->samples, c->width, (unsigned long long)s->skipped,
			(unsigned long long)s->calibration, (unsigned long long)s->idle_bits,
			(unsigned long long)s->losses);
	if (c->unknown)
		complain("%llu samples have unknown bits, taken as 1",
		         (unsigned long long)c->unknown);
}

/* What shows the seam, with commas between. */
static void ring_evidence(const struct hs_ring *ring, char *text, size_t size)
{
#define HS_RING_EVIDENCE(id, bit, what) { HS_RING_##id, what },
	static const struct {
		unsigned bit;
		const char *text;
	} list[] = {
#include <hartscope/tables/ring_evidence.def>
	};
#undef HS_RING_EVIDENCE
	size_t n = 0;

	*text = '\0';
	for (size_t i = 0; i < sizeof(list) / sizeof(*list) && n < size; i++)
		if (ring->evidence & list[i].bit)
			n += (size_t)snprintf(text + n, size - n, "%s%s", n ? "; " : "",
			                      list[i].text);
}

static void note_ring(const struct hs_capture_report *c)
{
	const struct hs_ring *ring = &c->ring;
	char evidence[300];

	ring_evidence(ring, evidence, sizeof(evidence));
	if (ring->found)
		complain("the circular buffer begins at 0x%llx and ends at 0x%llx (%s: %s)",
		         (unsigned long long)ring->begin, (unsigned long long)ring->end,
		         ring->certain ? "certain" : "likely", evidence);
	else if (ring->begin)
		complain("the circular buffer begins at 0x%llx; %llu bytes there belong to a "
		         "message that was overwritten",
		         (unsigned long long)ring->begin, (unsigned long long)c->partial);
	else if (ring->places)
		complain("%u places look like the seam of the circular buffer: it was taken as it "
		         "lies; --wrap OFFSET gives its write pointer",
		         ring->places);
	else
		complain("the circular buffer was taken as it lies; %llu bytes passed over",
		         (unsigned long long)c->partial);
}

void capture_note(const struct hs_source *source)
{
	struct hs_capture_report c;

	if (!hs_source_capture(source, &c))
		return;
	if (c.pins)
		note_pins(&c);
	if (c.serial)
		complain("%s: %llu samples, %llu.%02llu a bit, lost %llu times", c.transport,
		         (unsigned long long)c.serial_samples, (unsigned long long)c.period >> 8,
		         (unsigned long long)(c.period & 255) * 100 >> 8,
		         (unsigned long long)c.serial_losses);
	if (c.framed && (c.frame_skipped || c.frame_losses))
		complain("%s: %llu frames, %llu bytes in none, lost %llu times", c.transport,
		         (unsigned long long)c.frames, (unsigned long long)c.frame_skipped,
		         (unsigned long long)c.frame_losses);
	if (c.wrapped)
		note_ring(&c);
}

static void report_pins(struct report *r, const struct hs_capture_report *c)
{
	report_u32(r, "pins", "pins", c->width);
	report_u64(r, "samples", "samples", c->stats.samples);
	report_bool(r, "aligned", "aligned", c->aligned);
	if (c->aligned) {
		report_u64(r, "aligned_at", "aligned at sample", c->first.sample);
		report_u32(r, "aligned_bit", "aligned at bit", c->first.offset);
		report_u32(r, "aligned_phase", "aligned at phase", c->first.phase);
	}
	report_u64(r, "skipped", "samples passed over", c->stats.skipped);
	report_u64(r, "calibration", "samples of calibration", c->stats.calibration);
	report_u64(r, "idle_bits", "idle bits", c->stats.idle_bits);
	report_u64(r, "losses", "alignment lost", c->stats.losses);
}

void capture_report(struct report *r, const struct hs_source *source)
{
	struct hs_capture_report c;

	if (!hs_source_capture(source, &c) || (!c.pins && !c.wrapped && !c.framed))
		return;
	report_text(r, "transport", "transport", c.transport);
	if (c.framed) {
		report_u64(r, "frames", "frames", c.frames);
		report_u64(r, "frame_losses", "times that frames were lost", c.frame_losses);
		report_u64(r, "triggers", "triggers", c.triggers);
	}
	if (c.pins)
		report_pins(r, &c);
	if (!c.wrapped)
		return;
	report_bool(r, "seam_found", "seam found", c.ring.found);
	if (c.ring.found) {
		char evidence[300];

		ring_evidence(&c.ring, evidence, sizeof(evidence));
		report_bool(r, "seam_certain", "seam is certain", c.ring.certain);
		report_text(r, "seam_evidence", "what shows it", evidence);
		report_hex(r, "ends_at", "ends at", c.ring.end);
	}
	report_hex(r, "begins_at", "begins at", c.ring.begin);
	report_u64(r, "partial", "bytes overwritten in part", c.partial);
}
