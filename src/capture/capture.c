/* Captures: names of transports, and plain bytes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/private.h"

static const struct capture_row rows[] = {
	{ "raw", CAPTURE_RAW, 0, 0 },
	{ "pins1", CAPTURE_PINS, 1, HS_PIN_BYTES },
	{ "pins2", CAPTURE_PINS, 2, HS_PIN_BYTES },
	{ "pins4", CAPTURE_PINS, 4, HS_PIN_BYTES },
	{ "pins8", CAPTURE_PINS, 8, HS_PIN_BYTES },
	{ "pins16", CAPTURE_PINS, 16, HS_PIN_BYTES },
	{ "pins1-packed", CAPTURE_PINS, 1, HS_PIN_PACKED },
	{ "pins2-packed", CAPTURE_PINS, 2, HS_PIN_PACKED },
	{ "pins4-packed", CAPTURE_PINS, 4, HS_PIN_PACKED },
	{ "vcd", CAPTURE_VCD, 0, HS_PIN_BYTES },
};

const char *hs_transport_names(void)
{
	return "raw pins1 pins2 pins4 pins8 pins16 pins1-packed pins2-packed pins4-packed vcd";
}

static const struct capture_row *find(const char *name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	return NULL;
}

enum hs_status hs_transport_pins(const char *name, struct hs_pin_config *config)
{
	const struct capture_row *row = find(name);

	if (!row || row->kind != CAPTURE_PINS)
		return HS_E_ARG;
	*config = (struct hs_pin_config){ .size = sizeof(*config), .width = row->width,
		                          .format = row->format };
	return HS_OK;
}

static size_t copy_memory(const struct hs_capture *c, uint64_t at, uint8_t *out, size_t want)
{
	const size_t left = at < c->memory.n ? c->memory.n - (size_t)at : 0;
	const size_t n = want < left ? want : left;

	if (n)
		memcpy(out, c->memory.p + at, n);
	return n;
}

enum hs_status capture_read_at(const struct hs_capture *c, uint64_t at, uint8_t *out, size_t want,
                               size_t *n, struct hs_error *error)
{
	ssize_t got;

	*n = 0;
	if (c->fd < 0) {
		*n = copy_memory(c, at, out, want);
		return HS_OK;
	}
	do
		got = pread(c->fd, out, want, (off_t)at);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", c->path, strerror(errno));
	*n = (size_t)got;
	return HS_OK;
}

enum hs_status capture_read_file(struct hs_capture *c, uint8_t *out, size_t cap, size_t *n,
                                 struct hs_error *error)
{
	ssize_t got;

	*n = 0;
	if (c->eof)
		return HS_OK;
	if (c->fd < 0) {
		*n = copy_memory(c, c->memory_at, out, cap);
		c->memory_at += *n;
		return HS_OK;
	}
	do
		got = read(c->fd, out, cap);
	while (got < 0 && errno == EINTR);
	c->eof = got <= 0;
	if (got < 0)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", c->path, strerror(errno));
	*n = (size_t)got;
	return HS_OK;
}

static enum hs_status set_up(struct hs_capture *c, const struct hs_capture_options *o,
                             struct hs_error *error)
{
	c->row = find(o->transport ? o->transport : "raw");
	if (!c->row)
		return hs_error_set(error, HS_E_CONFIG, "no transport '%.40s'; there are: %s", o->transport,
		                    hs_transport_names());
	if (o->wrap && c->row->kind != CAPTURE_RAW)
		return hs_error_set(error, HS_E_CONFIG, "a circular buffer holds bytes, not %s",
		                    c->row->name);
	if (o->wrap)
		return capture_ring_open(c, o, error);
	c->vcd_options.clock = o->vcd_clock ? o->vcd_clock : "trc_clk";
	c->vcd_options.data = o->vcd_data ? o->vcd_data : "trc_data";
	return c->row->kind == CAPTURE_RAW ? HS_OK : capture_pins_open(c, error);
}

static enum hs_status open_capture(int fd, const struct hs_span *bytes, const char *path,
                                   const struct hs_capture_options *options,
                                   struct hs_capture **capture, struct hs_error *error)
{
	struct hs_capture *c = calloc(1, sizeof(*c));

	if (!c)
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", path);
	c->fd = fd;
	if (bytes)
		c->memory = *bytes;
	c->path = path;
	const enum hs_status s = set_up(c, options, error);

	if (s == HS_OK)
		*capture = c;
	else
		hs_capture_close(c);
	return s;
}

enum hs_status hs_capture_open(int fd, const char *path, const struct hs_capture_options *options,
                               struct hs_capture **capture, struct hs_error *error)
{
	return open_capture(fd, NULL, path, options, capture, error);
}

enum hs_status hs_capture_open_memory(const struct hs_span *bytes, const char *name,
                                      const struct hs_capture_options *options,
                                      struct hs_capture **capture, struct hs_error *error)
{
	return open_capture(-1, bytes, name, options, capture, error);
}

void hs_capture_close(struct hs_capture *c)
{
	if (!c)
		return;
	capture_pins_close(c);
	free(c);
}

enum hs_status hs_capture_read(struct hs_capture *c, uint8_t *out, size_t cap, size_t *n,
                               struct hs_error *error)
{
	*n = 0;
	if (cap < 4096)
		return HS_E_SPACE;
	if (c->finished)
		return HS_END;
	if (c->row->kind != CAPTURE_RAW)
		return capture_pins_read(c, out, cap, n, error);
	const enum hs_status s = c->wrapped ? capture_ring_read(c, out, cap, n, error)
	                                    : capture_read_file(c, out, cap, n, error);

	c->finished = s == HS_OK && *n == 0;
	return c->finished ? HS_END : s;
}

enum hs_status hs_capture_rewind(struct hs_capture *c, struct hs_error *error)
{
	if (c->fd >= 0 && lseek(c->fd, 0, SEEK_SET) < 0)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", c->path, strerror(errno));
	c->memory_at = 0;
	c->eof = c->finished = false;
	if (c->wrapped)
		capture_ring_rewind(c);
	if (c->row->kind == CAPTURE_RAW)
		return HS_OK;
	capture_pins_close(c);
	return capture_pins_open(c, error);
}

void hs_capture_report(const struct hs_capture *c, struct hs_capture_report *out)
{
	struct hs_vcd_stats vcd = { 0 };

	*out = (struct hs_capture_report){ .transport = c->row->name, .wrapped = c->wrapped,
		                           .ring = c->ring, .partial = c->partial };
	if (c->row->kind == CAPTURE_RAW)
		return;
	if (c->vcd)
		hs_vcd_stats(c->vcd, &vcd);
	out->pins = true;
	out->aligned = c->aligned;
	out->first = c->first;
	out->unknown = vcd.unknown;
	if (!c->receiving)
		return;
	out->width = c->receiver.config.width;
	hs_pin_receiver_get_stats(&c->receiver, &out->stats);
}
