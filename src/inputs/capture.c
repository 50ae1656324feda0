/* Captures: names of transports, and what all of them share. */
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "inputs/capture_private.h"
#include "inputs/inputs.h"

#define HS_TRANSPORT(name, kind, width, format, text) \
	{ name, CAPTURE_##kind, width, HS_PIN_##format },
static const struct capture_transport transports[] = {
#include "transport/transports.def"
};
#undef HS_TRANSPORT

const char *hs_transport_names(void)
{
#define HS_TRANSPORT(name, kind, width, format, text) " " name
	return &(
#include "transport/transports.def"
		)[1];
#undef HS_TRANSPORT
}

static const struct capture_transport *find_transport(const char *name)
{
	for (size_t i = 0; i < sizeof(transports) / sizeof(*transports); i++)
		if (strcmp(transports[i].name, name) == 0)
			return &transports[i];
	return NULL;
}

enum hs_status hs_transport_serial(const char *name, struct hs_serial_config *config)
{
	const struct capture_transport *t = name ? find_transport(name) : NULL;

	if (!t || (t->kind != CAPTURE_SERIAL && t->kind != CAPTURE_SERIAL_VCD))
		return HS_E_ARG;
	*config = (struct hs_serial_config){ .size = sizeof(*config),
		                             .mode = t->width,
		                             .packed = t->format == HS_PIN_PACKED };
	return HS_OK;
}

bool hs_transport_frames(const char *name)
{
	const struct capture_transport *t = name ? find_transport(name) : NULL;

	return t && t->kind == CAPTURE_FRAMES;
}

enum hs_status hs_transport_pins(const char *name, struct hs_pin_config *config)
{
	const struct capture_transport *t = find_transport(name);

	if (!t || t->kind != CAPTURE_PINS)
		return HS_E_ARG;
	*config = (struct hs_pin_config){ .size = sizeof(*config),
		                          .width = t->width,
		                          .format = t->format };
	return HS_OK;
}

/* ---- opening and closing ---------------------------------------------------------- */

static enum hs_status refuse(const struct hs_capture *c, struct hs_error *error)
{
	return hs_error_set(error, HS_E_FORMAT, "%s is %s, not a trace: %s", c->file.name,
	                    c->kind->what, c->kind->hint);
}

/* Refuse a file that is certainly no trace, by its first bytes. */
static enum hs_status look_at(struct hs_capture *c, const struct hs_span *first,
                              struct hs_error *error)
{
	(void)hs_file_what_bytes(first, &c->kind);
	return c->kind && c->kind->certain ? refuse(c, error) : HS_OK;
}

/* Are all bytes of it the one that it begins with? */
static bool is_blank(const struct hs_capture *c, uint8_t first)
{
	uint8_t bytes[8192];
	uint64_t at = 0;
	size_t n;

	while (capture_read_at(c, at, bytes, sizeof(bytes), &n, NULL) == HS_OK && n) {
		if (bytes[0] != first || memcmp(bytes, bytes + 1, n - 1) != 0)
			return false;
		at += n;
	}
	return at != 0;
}

/* The same in advance.  A pipe is looked at when it is read. */
static enum hs_status look(struct hs_capture *c, struct hs_error *error)
{
	uint8_t bytes[HS_FILE_KIND_BYTES];
	struct hs_span first = { bytes, 0 };

	c->file.pipe = capture_read_at(c, 0, bytes, sizeof(bytes), &first.n, NULL) != HS_OK;
	if (c->file.pipe)
		return HS_OK;
	if (look_at(c, &first, error) != HS_OK)
		return HS_E_FORMAT;
	return c->kind && c->kind->blank && is_blank(c, bytes[0]) ? refuse(c, error) : HS_OK;
}

/* The first bytes of a pipe. */
static enum hs_status look_at_pipe(struct hs_capture *c, const uint8_t *bytes, size_t *n,
                                   struct hs_error *error)
{
	const size_t most = *n < HS_FILE_KIND_BYTES ? *n : HS_FILE_KIND_BYTES;
	const enum hs_status status = look_at(c, &(struct hs_span){ bytes, most }, error);

	c->file.pipe = false;
	c->finished |= status != HS_OK;
	if (status != HS_OK)
		*n = 0;
	return status;
}

/* A buffer may hold frames, too; a wrap point cannot be found in them. */
static enum hs_status set_up_frames(struct hs_capture *c, const struct hs_capture_options *o,
                                    struct hs_error *error)
{
	enum hs_status s = HS_OK;

	if (o->wrap && strcmp(o->wrap, "no") != 0 && strcmp(o->wrap, "find") == 0)
		return hs_error_set(
			error, HS_E_CONFIG,
			"%s: frames do not show the wrap point of a circular buffer; give "
			"the write pointer",
			c->file.name);
	if (o->wrap && strcmp(o->wrap, "no") != 0)
		s = capture_ring_open(c, o, error);
	else if (o->ram && !o->wrap)
		s = capture_ram_open(c, o, error);
	return s == HS_OK ? capture_frames_open(c, o, error) : s;
}

static bool is_serial(const struct hs_capture *c)
{
	return c->transport->kind == CAPTURE_SERIAL || c->transport->kind == CAPTURE_SERIAL_VCD;
}

static bool is_dump(const struct hs_capture *c)
{
	return c->transport->kind == CAPTURE_VCD || c->transport->kind == CAPTURE_SERIAL_VCD;
}

static enum hs_status set_up(struct hs_capture *c, const struct hs_capture_options *options,
                             struct hs_error *error)
{
	struct hs_capture_options o = { .size = sizeof(o) };

	if (options && base_take_config(&o, sizeof(o), options) != HS_OK)
		return hs_error_set(error, HS_E_CONFIG, "struct hs_capture_options: wrong size");
	c->transport = find_transport(o.transport ? o.transport : "raw");
	if (!c->transport)
		return hs_error_set(error, HS_E_CONFIG, "no transport '%.40s'; there are: %s",
		                    o.transport, hs_transport_names());
	if (!is_dump(c) && look(c, error) != HS_OK)
		return HS_E_FORMAT;
	if (c->transport->kind == CAPTURE_FRAMES)
		return set_up_frames(c, &o, error);
	const enum hs_status fst = is_dump(c) ? capture_open_fst(c, error) : HS_OK;

	if (fst != HS_OK)
		return fst;
	if (is_serial(c) && !o.wrap)
		return capture_serial_open(c, &o, error);
	if (o.wrap && c->transport->kind != CAPTURE_RAW)
		return hs_error_set(error, HS_E_CONFIG, "a circular buffer holds bytes, not %s",
		                    c->transport->name);
	if (o.wrap && strcmp(o.wrap, "no") != 0)
		return capture_ring_open(c, &o, error);
	if (o.ram && !o.wrap && c->transport->kind == CAPTURE_RAW)
		return capture_ram_open(c, &o, error);
	if (o.headers &&
	    base_take_config(&c->pins.headers, sizeof(c->pins.headers), o.headers) != HS_OK)
		return hs_error_set(error, HS_E_CONFIG, "struct hs_pin_config: wrong size");
	c->pins.vcd_options = (struct hs_vcd_options){ .size = sizeof(c->pins.vcd_options),
		                                       .clock = o.vcd_clock,
		                                       .data = o.vcd_data };
	return c->transport->kind == CAPTURE_RAW ? HS_OK : capture_pins_open(c, error);
}

/* A file without samples; what has no bytes is seen when it is read. */
static bool is_empty(const struct hs_capture *c)
{
	uint8_t byte;
	size_t n;

	return c->file.fd >= 0 && !c->file.pipe && c->transport->kind != CAPTURE_RAW &&
	       !is_dump(c) && capture_read_at(c, 0, &byte, 1, &n, NULL) == HS_OK && !n;
}

static enum hs_status open_capture(const struct hs_capture *input,
                                   const struct hs_capture_options *options,
                                   struct hs_capture **capture, struct hs_error *error)
{
	struct hs_capture *c = malloc(sizeof(*c));

	if (!c)
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", input->file.name);
	*c = *input;
	enum hs_status s = set_up(c, options, error);

	if (s == HS_OK && is_empty(c))
		s = hs_error_set(error, HS_E_FORMAT, "%s is empty: it holds no trace",
		                 c->file.name);
	if (s == HS_OK)
		*capture = c;
	else
		hs_capture_close(c);
	return s;
}

enum hs_status hs_capture_open(int fd, const char *path, const struct hs_capture_options *options,
                               struct hs_capture **capture, struct hs_error *error)
{
	const struct hs_capture input = { .file.fd = fd, .file.name = path };

	return open_capture(&input, options, capture, error);
}

enum hs_status hs_capture_open_memory(const struct hs_span *bytes, const char *name,
                                      const struct hs_capture_options *options,
                                      struct hs_capture **capture, struct hs_error *error)
{
	const struct hs_capture input = { .file.fd = -1, .file.memory = *bytes, .file.name = name };

	return open_capture(&input, options, capture, error);
}

void hs_capture_close(struct hs_capture *c)
{
	if (!c)
		return;
	capture_pins_close(c);
	hs_fst_close(c->file.fst);
	free(c);
}

/* ---- reading ---------------------------------------------------------------------- */

enum hs_status hs_capture_read(struct hs_capture *c, uint8_t *out, size_t cap, size_t *n,
                               struct hs_error *error)
{
	*n = 0;
	if (cap < 4096)
		return HS_E_SPACE;
	if (c->finished)
		return HS_END;
	if (c->transport->kind == CAPTURE_FRAMES)
		return capture_frames_read(c, out, cap, n, error);
	if (is_serial(c))
		return capture_serial_read(c, out, cap, n, error);
	if (c->transport->kind != CAPTURE_RAW)
		return capture_pins_read(c, out, cap, n, error);
	const enum hs_status s = c->wrap.wrapped ? capture_ring_read(c, out, cap, n, error)
	                                         : capture_read_next(c, out, cap, n, error);

	if (s == HS_OK && c->file.pipe && *n && look_at_pipe(c, out, n, error) != HS_OK)
		return HS_E_FORMAT;
	c->finished = s == HS_OK && *n == 0;
	return c->finished ? HS_END : s;
}

static bool samples_of_port(const struct hs_capture *c)
{
	return c->transport->kind == CAPTURE_PINS || c->transport->kind == CAPTURE_VCD;
}

enum hs_status hs_capture_seek(struct hs_capture *c, uint64_t offset, struct hs_error *error)
{
	if (c->transport->kind != CAPTURE_RAW || c->wrap.wrapped || c->file.pipe)
		return hs_error_set(error, HS_E_UNSUPPORTED, "%s: not the bytes of a trace",
		                    c->file.name);
	c->finished = false;
	return capture_seek_input(c, offset, error);
}

enum hs_status hs_capture_rewind(struct hs_capture *c, struct hs_error *error)
{
	const enum hs_status s = capture_rewind_input(c, error);

	if (s != HS_OK)
		return s;
	c->finished = false;
	if (c->wrap.wrapped)
		capture_ring_rewind(c);
	if (c->transport->kind == CAPTURE_FRAMES)
		capture_frames_rewind(c);
	if (is_serial(c))
		return capture_serial_rewind(c, error);
	if (!samples_of_port(c))
		return HS_OK;
	capture_pins_close(c);
	return capture_pins_open(c, error);
}

static void report_frames(const struct hs_capture *c, struct hs_capture_report *out)
{
	out->framed = true;
	out->frames = c->framed.frames.frames;
	out->frame_losses = c->framed.frames.losses;
	out->frame_skipped = c->framed.frames.skipped;
	out->triggers = c->framed.triggers;
	out->source_id = c->framed.source_id;
	memcpy(out->ids, c->framed.ids, sizeof(out->ids));
}

void hs_capture_get_report(const struct hs_capture *c, struct hs_capture_report *out)
{
	struct hs_vcd_stats vcd = { 0 };

	*out = (struct hs_capture_report){ .transport = c->transport->name,
		                           .wrapped = c->wrap.wrapped,
		                           .ring = c->wrap.ring,
		                           .partial = c->wrap.align.partial,
		                           .kind = c->kind };
	if (c->transport->kind == CAPTURE_FRAMES)
		report_frames(c, out);
	if (is_serial(c)) {
		out->serial = true;
		out->period = c->serial.period;
		out->serial_samples = c->serial.samples;
		out->serial_losses = c->serial.losses;
	}
	if (!samples_of_port(c))
		return;
	if (c->pins.vcd)
		hs_vcd_get_stats(c->pins.vcd, &vcd);
	out->pins = true;
	out->aligned = c->pins.aligned;
	out->first = c->pins.first;
	out->unknown = vcd.unknown;
	if (!c->pins.receiving)
		return;
	out->width = c->pins.receiver.config.width;
	hs_pin_receiver_get_stats(&c->pins.receiver, &out->stats);
}
