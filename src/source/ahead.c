/* A recording that a thread of its own reads ahead of the caller (design/pool). */
#include <stdlib.h>
#include <string.h>

#include "source/private.h"
#include "source/source.h"
#include "support/crew.h"

#define ROOMS 8u
#define ROOM ((size_t)1 << 14)
#define ALONE (UINT64_C(1) << 15) /* items after which it is worth a thread */

/* What one call of the reader gave. */
struct ahead_room {
	struct hs_block items[ROOM];
	size_t n;
	enum hs_status status;
	struct hs_error error;
};

struct source_ahead {
	struct hs_source *source;
	struct hs_source *counts; /* which counts the threads */
	struct support_crew crew; /* its lock is of what follows, down to @waits */
	uint64_t filled, taken; /* rooms */
	bool waits;             /* the thread does, until half of them are empty */
	size_t at; /* of the current room */
	bool shown; /* what was left of it is shown, until the next call */
	struct ahead_room rooms[ROOMS];
};

/* Room for the next items; NULL: stop. */
static struct ahead_room *next_room(struct source_ahead *a)
{
	struct ahead_room *r;

	support_crew_lock(&a->crew);
	a->waits = a->filled - a->taken == ROOMS;
	while (!a->crew.stop && a->waits)
		support_crew_wait(&a->crew);
	r = a->crew.stop ? NULL : &a->rooms[a->filled % ROOMS];
	support_crew_unlock(&a->crew);
	return r;
}

static void *read_ahead(void *ahead)
{
	struct source_ahead *a = ahead;
	struct ahead_room *r = next_room(a);

	while (r) {
		r->n = 0;
		r->error.status = HS_OK;
		r->status = source_recording_read(a->source, r->items, ROOM, &r->n, &r->error);
		const bool end = r->status == HS_END;

		support_crew_lock(&a->crew);
		a->filled++;
		support_crew_wake(&a->crew);
		support_crew_unlock(&a->crew);
		r = end ? NULL : next_room(a);
	}
	return NULL;
}

/* Sources of single harts share the threads of the one that they were made from. */
static struct hs_source *counting(struct hs_source *s)
{
	return s->parent ? s->parent : s;
}

void hs_source_limit_readers(struct hs_source *s, uint32_t readers)
{
	if (s->threads > readers)
		s->threads = readers + 1;
}

bool source_ahead_start(struct hs_source *s, size_t given)
{
	struct source_recording *r = &s->recording;
	struct hs_source *counts = counting(s);

	if (r->ahead || r->take || s->marks || counts->threads < 2)
		return r->ahead;
	r->given += given;
	if (r->given < ALONE || counts->recording.readers + 1 >= counts->threads)
		return false;
	r->given = 0;
	struct source_ahead *a = malloc(sizeof(*a));

	if (!a)
		return false;
	a->source = s;
	a->counts = counts;
	a->filled = a->taken = 0;
	a->waits = false;
	a->at = 0;
	a->shown = false;
	if (!support_crew_start(&a->crew, read_ahead, a)) {
		free(a);
		return false;
	}
	counts->recording.readers++;
	r->ahead = a;
	return true;
}

void source_ahead_stop(struct hs_source *s)
{
	struct source_ahead *a = s->recording.ahead;

	s->recording.given = 0;
	if (!a)
		return;
	support_crew_end(&a->crew);
	a->counts->recording.readers--;
	free(a);
	s->recording.ahead = NULL;
}

/* The room that was read first, once there is one. */
static struct ahead_room *wait_for_room(struct source_ahead *a)
{
	support_crew_lock(&a->crew);
	while (a->filled == a->taken)
		support_crew_wait(&a->crew);
	support_crew_unlock(&a->crew);
	return &a->rooms[a->taken % ROOMS];
}

static void give_back(struct source_ahead *a)
{
	support_crew_lock(&a->crew);
	a->taken++;
	if (a->waits && a->filled - a->taken <= ROOMS / 2) {
		a->waits = false;
		support_crew_wake(&a->crew);
	}
	support_crew_unlock(&a->crew);
	a->at = 0;
}

/* The room with the next items. */
static struct ahead_room *current_room(struct source_ahead *a)
{
	if (a->shown)
		give_back(a);
	a->shown = false;
	return wait_for_room(a);
}

static enum hs_status status_of(const struct ahead_room *r, struct hs_error *error)
{
	if (error && r->status != HS_OK && r->status != HS_END)
		*error = r->error;
	return r->status;
}

enum hs_status source_ahead_next(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                                 struct hs_error *error)
{
	struct source_ahead *a = s->recording.ahead;
	struct ahead_room *r = current_room(a);
	const size_t left = r->n - a->at;

	*n = left < cap ? left : cap;
	memcpy(out, r->items + a->at, *n * sizeof(*out));
	a->at += *n;
	if (a->at < r->n)
		return HS_OK;
	const enum hs_status status = status_of(r, error);

	if (status != HS_END) /* that one stays: there are no more */
		give_back(a);
	return status;
}

enum hs_status source_ahead_view(struct hs_source *s, struct hs_block **items, size_t *n,
                                 struct hs_error *error)
{
	struct source_ahead *a = s->recording.ahead;
	struct ahead_room *r = current_room(a);

	*items = r->items + a->at;
	*n = r->n - a->at;
	a->at = r->n;
	a->shown = r->status != HS_END;
	return status_of(r, error);
}
