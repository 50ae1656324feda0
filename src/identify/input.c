/* The capture, as bytes of a trace. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs/inputs.h"
#include "identify/private.h"

#define SERIAL_BYTES 32                 /* of a pin, for each time that no bit could be there */
#define LEAST_WINDOWS ((size_t)1 << 10) /* less is looked at from its beginning only */

/* @n bytes from @at on, after those that the window before it has.  False: an error. */
static bool read_piece(FILE *f, uint64_t at, size_t n, struct identify_file *out)
{
	uint8_t *to = out->memory + out->held;

	if (fseeko(f, (off_t)at, SEEK_SET) != 0)
		return false;
	out->window[out->windows++] = (struct hs_span){ to, fread(to, 1, n, f) };
	out->held += n;
	return !ferror(f);
}

/* Of a memory, or a file that was read whole: it all; its halves, one of which has no wrap point of
 * a circular buffer; its last eighth. */
static void cut_windows(struct identify_file *out, const struct hs_span *all)
{
	const size_t half = all->n / 2 & ~(size_t)15;

	out->window[out->windows++] = *all;
	if (all->n < LEAST_WINDOWS)
		return;
	out->window[out->windows++] = (struct hs_span){ all->p, half };
	for (size_t part = 2; part <= 8; part *= 4) {
		const size_t at = (all->n - all->n / part) & ~(size_t)15;

		out->window[out->windows++] = (struct hs_span){ all->p + at, all->n - at };
	}
}

static bool read_windows(FILE *f, struct identify_file *out)
{
	out->memory = malloc(IDENTIFY_CAPTURE);
	if (!out->memory)
		return true;
	if (fseeko(f, 0, SEEK_END) == 0 && ftello(f) >= 0)
		out->size = (uint64_t)ftello(f);
	rewind(f);
	if (out->size > IDENTIFY_CAPTURE) { /* the beginning, the middle, the end */
		const size_t piece = IDENTIFY_CAPTURE / 4;

		return read_piece(f, 0, 2 * piece, out) &&
		       read_piece(f, out->size / 2 & ~UINT64_C(4095), piece, out) &&
		       read_piece(f, (out->size - piece) & ~UINT64_C(15), piece, out);
	}
	const struct hs_span all = { out->memory, fread(out->memory, 1, IDENTIFY_CAPTURE, f) };

	out->whole = true;
	out->size = all.n;
	cut_windows(out, &all);
	return !ferror(f);
}

void identify_use_memory(const struct hs_span *bytes, struct identify_file *out)
{
	*out = (struct identify_file){ .size = bytes->n, .whole = true };
	cut_windows(out, bytes);
}

bool identify_read_file(const char *path, struct identify_file *out, struct hs_error *error)
{
	FILE *f = fopen(path, "rb");

	*out = (struct identify_file){ .windows = 0 };
	if (!f) {
		hs_error_set(error, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
		return false;
	}
	const bool good = read_windows(f, out);

	fclose(f);
	if (!out->memory)
		hs_error_set(error, HS_E_MEMORY, "out of memory");
	else if (!good)
		hs_error_set(error, HS_E_SYSTEM, "%s: cannot be read", path);
	return out->memory && good;
}

static bool read_all(struct hs_capture *c, struct identify_bytes *out, size_t room)
{
	enum hs_status s = HS_OK;

	out->own = malloc(room);
	while (out->own && (s == HS_OK || s == HS_E_FRAMING || s == HS_E_LOST) &&
	       room - out->span.n >= 4096) {
		size_t n = 0;

		s = hs_capture_read(c, out->own + out->span.n, room - out->span.n, &n, NULL);
		out->span.n += n;
	}
	out->span.p = out->own;
	return out->span.n != 0;
}

/* The wrap point that was found before. */
static enum hs_status give_ring(const void *of, const struct hs_span *buffer, uint64_t wp,
                                struct hs_ring *ring)
{
	(void)buffer;
	(void)wp;
	*ring = *(const struct hs_ring *)of;
	return HS_OK;
}

static struct hs_capture *open_capture(const struct hs_span *bytes, const struct identify_way *way)
{
	const struct hs_pin_config headers = {
		.size = sizeof(headers),
		.headers = 1,
		.src_bytes = way->src_bytes,
		.tstamp_bytes = way->tstamp_bytes,
	};
	const struct hs_capture_options o = {
		.size = sizeof(o),
		.transport = way->transport,
		.wrap = way->ring ? "find" : NULL,
		.source_id = way->source_id,
		.find_ring = way->ring ? give_ring : NULL,
		.find_of = way->ring,
		.vcd_clock = way->vcd_clock,
		.vcd_data = way->vcd_data,
		.headers = way->headers ? &headers : NULL,
	};
	struct hs_capture *c;

	return hs_capture_open_memory(bytes, "capture", &o, &c, NULL) == HS_OK ? c : NULL;
}

bool identify_transport(const struct hs_span *bytes, const struct identify_way *way,
                        struct identify_bytes *out)
{
	const struct hs_span part = { bytes->p, bytes->n < way->most ? bytes->n : way->most };
	struct hs_capture *c = open_capture(&part, way);

	*out = (struct identify_bytes){ .span.n = 0 };
	if (!c)
		return false;
	const bool any = read_all(c, out, part.n + 8192);
	struct hs_capture_report r;

	hs_capture_get_report(c, &r);
	out->serial = r.serial && out->span.n >= SERIAL_BYTES &&
	              r.serial_losses * SERIAL_BYTES <= out->span.n;
	hs_capture_close(c);
	if (!any)
		identify_drop_bytes(out);
	return any;
}

bool identify_sources(const struct hs_span *bytes, const struct identify_way *way, uint64_t ids[2])
{
	const struct hs_span part = { bytes->p, bytes->n < way->most ? bytes->n : way->most };
	struct hs_capture *c = open_capture(&part, way);
	struct hs_capture_report r;
	struct identify_bytes b = { .own = NULL };

	if (!c)
		return false;
	read_all(c, &b, part.n + 8192);
	identify_drop_bytes(&b);
	hs_capture_get_report(c, &r);
	hs_capture_close(c);
	memcpy(ids, r.ids, sizeof(r.ids));
	return r.frames >= 2 && r.frame_losses * 64 <= r.frames && (ids[0] || ids[1]);
}

void identify_drop_bytes(struct identify_bytes *b)
{
	free(b->own);
	*b = (struct identify_bytes){ .span.n = 0 };
}

enum hs_status identify_refuse(const struct identify_file *file, const char *path,
                               struct hs_error *error)
{
	const struct hs_span *bytes = &file->window[0];
	const struct hs_file_kind *kind;
	const enum hs_file_type what = hs_file_what_bytes(bytes, &kind);

	if (what == HS_FILE_EMPTY)
		return hs_error_set(error, HS_E_FORMAT, "%s is empty: it holds no trace", path);
	if (!kind || !(kind->certain || (kind->blank && file->whole)) || what == HS_FILE_DUMP)
		return HS_OK;
	return hs_error_set(error, HS_E_FORMAT, "%s is %s, not a trace: %s", path, kind->what,
	                    kind->hint);
}
