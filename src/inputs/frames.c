/* Captures: one source of a stream of CoreSight frames (design/captures). */
#include <stdlib.h>

#include "inputs/capture_private.h"

static void begin(struct hs_capture *c)
{
	hs_frame_reader_init(&c->framed.frames, c->transport->width != 0);
	c->pins.samples = (struct hs_span){ 0 };
	c->framed.frame_eof = c->framed.frames_begun = false;
	c->wrap.align.partial = c->wrap.align.nulls = 0;
	c->wrap.align.active = c->wrap.pointer;
	c->framed.ids[0] = c->framed.ids[1] = c->framed.triggers = c->framed.unnamed = 0;
}

enum hs_status capture_frames_open(struct hs_capture *c, const struct hs_capture_options *o,
                                   struct hs_error *error)
{
	if (o->source_id > HS_FRAME_SOURCE_MAX)
		return hs_error_set(error, HS_E_CONFIG, "no source of a frame has the ID 0x%x",
		                    o->source_id);
	c->framed.source_id = o->source_id;
	c->wrap.align.null_run = o->null_run;
	c->framed.skips = o->headers && !o->null_run;
	c->pins.sample_room = malloc(CAPTURE_PIECE);
	if (!c->pins.sample_room)
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", c->file.name);
	begin(c);
	return HS_OK;
}

void capture_frames_rewind(struct hs_capture *c)
{
	begin(c);
}

/* The bytes of our source. */
static void take_bytes(struct hs_capture *c, const struct hs_frame *f, uint8_t *out, size_t *n)
{
	for (unsigned i = 0; i < f->n; i++) {
		if (f->id[i] < HS_FRAME_IDS)
			c->framed.ids[f->id[i] / 64] |= (uint64_t)1 << f->id[i] % 64;
		c->framed.triggers += f->id[i] == HS_FRAME_TRIGGER;
		c->framed.unnamed += f->id[i] >= HS_FRAME_IDS;
		if (f->id[i] != c->framed.source_id)
			continue;
		if (!c->framed.frames_begun && (c->framed.frames.skipped || c->framed.unnamed))
			c->wrap.align.active = true; /* it may have begun before the capture */
		c->framed.frames_begun = true;
		out[(*n)++] = f->byte[i];
	}
}

/* Frames are missing: what comes next may begin within a message. */
static enum hs_status lose(struct hs_capture *c, struct hs_error *error)
{
	c->wrap.align.active = true;
	c->wrap.align.nulls = 0;
	return hs_error_set(error, HS_E_LOST, "offset 0x%llx: no CoreSight frame can be here",
	                    (unsigned long long)c->framed.frames.offset);
}

static enum hs_status refill(struct hs_capture *c, struct hs_error *error)
{
	enum hs_status s;

	c->pins.samples.p = c->pins.sample_room;
	s = c->wrap.wrapped ? capture_ring_read(c, c->pins.sample_room, CAPTURE_PIECE,
	                                        &c->pins.samples.n, error)
	                    : capture_read_next(c, c->pins.sample_room, CAPTURE_PIECE,
	                                        &c->pins.samples.n, error);
	c->framed.frame_eof = c->pins.samples.n == 0;
	return s;
}

static enum hs_status read_frames(struct hs_capture *c, uint8_t *out, size_t cap, size_t *n,
                                  struct hs_error *error)
{
	while (*n + 15 <= cap) {
		struct hs_frame f;
		enum hs_status s = hs_frame_read(&c->framed.frames, &c->pins.samples, &f);

		if (s == HS_OK)
			take_bytes(c, &f, out, n);
		if (s == HS_E_FRAMING)
			c->framed.frames_lost = true;
		if (s == HS_E_FRAMING && *n == 0) {
			c->framed.frames_lost = false;
			return lose(c, error);
		}
		if (c->framed.frames_lost)
			return HS_OK; /* the bytes before come first */
		if (s != HS_MORE)
			continue;
		s = refill(c, error);
		if (s != HS_OK || c->framed.frame_eof)
			return s;
	}
	return HS_OK;
}

enum hs_status capture_frames_read(struct hs_capture *c, uint8_t *out, size_t cap, size_t *n,
                                   struct hs_error *error)
{
	*n = 0;
	if (c->framed.frames_lost) {
		c->framed.frames_lost = false;
		return lose(c, error);
	}
	const enum hs_status s = read_frames(c, out, cap, n, error);

	if (s == HS_OK && c->wrap.align.active &&
	    c->framed.skips) /* nothing says where packets begin */
		*n = 0;
	else
		hs_capture_align(&c->wrap.align, out, *n);
	c->finished = s == HS_OK && c->framed.frame_eof && !c->framed.frames_lost;
	return c->finished && *n == 0 ? HS_END : s;
}
