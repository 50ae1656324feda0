/* The wrap point of a circular buffer that its messages do not show: by the program
 * (design/captures). */
#include "trace/trace.h"
#include "source/private.h"

/* Larger buffers are read as they lie: all of it is decoded, up to four times. */
#define LIMIT ((uint64_t)64 << 20)

struct wrap {
	const struct source_trace *trace;
	const struct hs_image *image;
	struct hs_image_set set;
	bool found;
};

static enum hs_status find_in_buffer(void *of, const struct hs_span *buffer, struct hs_ring *ring)
{
	struct wrap *f = of;
	const struct source_trace *t = f->trace;
	enum hs_status s;

	if (buffer->n > LIMIT)
		return HS_OK;
	s = hs_protocol_find_wrap(t->protocol, t->config, f->image, &f->set, buffer, ring);
	f->found = s == HS_OK && ring->found;
	return s;
}

enum hs_status source_find_wrap(struct hs_source *s, struct hs_error *error)
{
	struct source_trace *t = &s->trace;
	struct wrap f = { .trace = t, .image = hs_program_image(s->code.set.first) };

	/* code that changes: which of it ran is known where the wrap point is */
	if (!t->in.capture || t->parts || t->code.changes || s->code.later_count)
		return HS_OK;
	hs_source_get_images(s, &f.set);
	const enum hs_status status =
		hs_capture_find_again(t->in.capture, find_in_buffer, &f, error);

	if (f.found) { /* what was read before is not the beginning */
		t->in.left.n = 0;
		t->in.bytes = 0;
		t->in.eof = false;
	}
	return status;
}
