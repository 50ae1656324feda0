/* The file format of speedscope: for each hart, calls as they open and close.  A stack that waits
 * is closed there until it goes on.
 *
 * A hart's events are one list; several harts take turns.  So the events of the first one are
 * written as they come, those of others are kept in a file without a name, in pieces of one hart
 * each, and put together at the end.  What is known at the end only (frames, the last time) comes
 * after the events: members of an object in JSON have no order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/status.h>

#include "calls/texts.h"
#include "support/grow.h"

#define PIECE 65536u

/* A hart's events. */
struct lane {
	uint32_t hart;
	uint64_t end;     /* its last time */
	uint64_t *pieces; /* where in the file they are, of PIECE bytes each */
	size_t count, room;
	char text[PIECE];
	size_t used;
	bool any;
};

struct lanes {
	FILE *file; /* NULL: no hart but the first one has a whole piece */
	uint64_t size;
	struct lane *first;  /* which is written as it comes; NULL: there is none yet */
	struct lane **lanes; /* by index of the hart */
	size_t count;
};

static enum hs_status begin(struct hs_export *x)
{
	char title[1024];

	x->own = calloc(1, sizeof(struct lanes));
	if (!x->own)
		return HS_E_MEMORY;
	hs_json_string(title, sizeof(title), x->o.title ? x->o.title : "");
	support_out_print(&x->out,
	                  "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
	                  "\"exporter\":\"hartscope %s\",\"name\":%s,\n\"profiles\":[",
	                  hs_version_string(), title);
	return x->out.status;
}

static void free_lanes(struct hs_export *x)
{
	struct lanes *l = x->own;

	for (size_t i = 0; i < l->count; i++) {
		if (l->lanes[i])
			free(l->lanes[i]->pieces);
		free(l->lanes[i]);
	}
	free(l->lanes);
	if (l->file)
		fclose(l->file);
	free(l);
}

static void begin_lane(struct hs_export *x, const struct lane *lane)
{
	support_out_print(&x->out,
	                  "\n{\"type\":\"evented\",\"name\":\"hart %u\",\"unit\":\"%s\","
	                  "\"startValue\":0,\"events\":[\n",
	                  lane->hart, x->o.clock_hz ? "nanoseconds" : "none");
}

/* A hart's first event. */
static struct lane *add_lane(struct hs_export *x, const struct exports_track *t)
{
	struct lanes *l = x->own;
	struct lane *lane = calloc(1, sizeof(*lane));

	if (!lane)
		return NULL;
	lane->hart = t->hart;
	l->lanes[t->index] = lane;
	if (!l->first) {
		l->first = lane;
		begin_lane(x, lane);
	}
	return lane;
}

static struct lane *find_lane(struct hs_export *x, const struct exports_track *t)
{
	struct lanes *l = x->own;

	if (t->index >= l->count) {
		struct lane **more = realloc(l->lanes, (t->index + 1u) * sizeof(struct lane *));

		if (!more)
			return NULL;
		l->lanes = more;
		while (l->count <= t->index)
			more[l->count++] = NULL;
	}
	return l->lanes[t->index] ? l->lanes[t->index] : add_lane(x, t);
}

/* A piece is full. */
static enum hs_status keep_piece(struct lanes *l, struct lane *lane)
{
	if (!support_grow(&lane->pieces, &lane->room, lane->count + 1, sizeof(*lane->pieces)))
		return HS_E_MEMORY;
	if (!l->file)
		l->file = tmpfile();
	if (!l->file || fwrite(lane->text, 1, PIECE, l->file) != PIECE)
		return HS_E_SYSTEM;
	lane->pieces[lane->count++] = l->size;
	l->size += PIECE;
	lane->used = 0;
	return HS_OK;
}

static enum hs_status put_text(struct lanes *l, struct lane *lane, const char *text, size_t n)
{
	enum hs_status s = HS_OK;

	while (n && s == HS_OK) {
		const size_t part = n < PIECE - lane->used ? n : PIECE - lane->used;

		memcpy(lane->text + lane->used, text, part);
		lane->used += part;
		text += part;
		n -= part;
		if (lane->used == PIECE)
			s = keep_piece(l, lane);
	}
	return s;
}

static enum hs_status take_text(struct hs_export *x, uint32_t lane, const char *text, size_t n)
{
	struct lanes *l = x->own;

	if (l->lanes[lane] == l->first)
		return support_out_put(&x->out, text, n);
	return put_text(l, l->lanes[lane], text, n);
}

static void put_event(struct exports_text *t, const struct exports_event *e)
{
	if (!e->first)
		exports_put_literal(t, ",\n");
	if (e->type == EXPORTS_OPEN)
		exports_put_literal(t, "{\"type\":\"O\",\"frame\":");
	else
		exports_put_literal(t, "{\"type\":\"C\",\"frame\":");
	exports_put_decimal(t, e->function);
	exports_put_literal(t, ",\"at\":");
	exports_put_decimal(t, e->now);
	exports_put_literal(t, "}");
}

static enum hs_status put_call(struct hs_export *x, struct exports_track *t, struct exports_span *s,
                               uint8_t type)
{
	struct lane *lane = find_lane(x, t);
	enum hs_status status = HS_E_MEMORY;
	struct exports_event *e = lane ? exports_next_call(x, t, s, type, &status) : NULL;

	if (!e)
		return status;
	lane->end = e->now;
	e->lane = t->index;
	e->first = !lane->any;
	lane->any = true;
	return HS_OK;
}

static bool is_current(const struct hs_export *x, const struct exports_track *t)
{
	return x->harts[t->index].track == t;
}

static enum hs_status open_call(struct hs_export *x, struct exports_track *t,
                                struct exports_span *s)
{
	return is_current(x, t) ? put_call(x, t, s, EXPORTS_OPEN) : HS_OK;
}

static enum hs_status close_call(struct hs_export *x, struct exports_track *t,
                                 struct exports_span *s)
{
	return is_current(x, t) ? put_call(x, t, s, EXPORTS_CLOSE) : HS_OK;
}

static uint32_t shown(const struct hs_export *x, const struct exports_track *t)
{
	return x->o.depth && x->o.depth < t->depth ? x->o.depth : t->depth;
}

/* The hart leaves a stack, and goes on with another one. */
static enum hs_status change(struct hs_export *x, struct exports_track *from,
                             struct exports_track *to)
{
	enum hs_status s = HS_OK;

	for (uint32_t i = from ? shown(x, from) : 0; i-- > 0 && s == HS_OK;)
		s = put_call(x, from, &from->spans[i], EXPORTS_CLOSE);
	for (uint32_t i = 0; i < shown(x, to) && s == HS_OK; i++)
		s = put_call(x, to, &to->spans[i], EXPORTS_OPEN);
	return s;
}

/* ---- the file ------------------------------------------------------------------------------ */

static void print_frames(struct hs_export *x)
{
	char number[32];

	for (uint32_t i = 0; i < x->functions.count; i++) {
		const struct exports_function *f = exports_function_at(x, i);

		support_out_text(&x->out, i ? ",\n{\"name\":" : "{\"name\":");
		support_out_as(&x->out, hs_json_string, exports_name(f->name, f->start, number));
		if (f->place.file) {
			support_out_text(&x->out, ",\"file\":");
			support_out_as(&x->out, hs_json_string, f->place.file);
			support_out_print(&x->out, ",\"line\":%d", f->place.line);
		}
		support_out_print(&x->out, "}");
	}
}

/* The events of a hart that were kept. */
static enum hs_status print_kept(struct hs_export *x, const struct lane *lane)
{
	struct lanes *l = x->own;
	char text[PIECE];

	support_out_print(&x->out, ",");
	begin_lane(x, lane);
	for (size_t i = 0; i < lane->count; i++) {
		if (fseeko(l->file, (off_t)lane->pieces[i], SEEK_SET) != 0 ||
		    fread(text, 1, PIECE, l->file) != PIECE)
			return HS_E_SYSTEM;
		support_out_put(&x->out, text, PIECE);
	}
	support_out_put(&x->out, lane->text, lane->used);
	return x->out.status;
}

static enum hs_status end_lane(struct hs_export *x, const struct lane *lane)
{
	support_out_print(&x->out, "],\n\"endValue\":%llu}", (ull)lane->end);
	return x->out.status;
}

static enum hs_status end(struct hs_export *x)
{
	struct lanes *l = x->own;
	enum hs_status s = l->first ? end_lane(x, l->first) : HS_OK;

	for (size_t i = 0; i < l->count && s == HS_OK; i++) {
		if (!l->lanes[i] || l->lanes[i] == l->first)
			continue;
		s = print_kept(x, l->lanes[i]);
		if (s == HS_OK)
			s = end_lane(x, l->lanes[i]);
	}
	support_out_print(&x->out, "],\n\"shared\":{\"frames\":[");
	print_frames(x);
	support_out_print(&x->out, "]}}\n");
	return s;
}

const struct exports_format exports_speedscope = { .begin = begin,
	                                           .open = open_call,
	                                           .close = close_call,
	                                           .change = change,
	                                           .text = put_event,
	                                           .take = take_text,
	                                           .label = hs_json_string,
	                                           .end = end,
	                                           .free = free_lanes };
