/* A stream of a machine whose pages of code move (moves.h): the runs that its words name, where
 * they are.  Each run has one place at a time, and is built when it executes there. */
#include <stdlib.h>
#include <string.h>

#include "recording/stream.h"

/* Make an array of @before items longer; what is new is zero. */
static bool grow(void *array, size_t item, uint32_t before, uint32_t count)
{
	void **const p = array;
	uint8_t *more = realloc(*p, item * count);

	if (more == NULL)
		return false;
	memset(more + item * before, 0, item * (count - before));
	*p = more;
	return true;
}

/* Room for all runs; those from @before on are new. */
static bool make_room(struct hs_rec_stream *s, uint32_t before)
{
	const uint32_t count = s->rec->runs.count;
	struct stream_moves *m = s->moves;

	if (!grow(&m->now, sizeof(*m->now), before, count) ||
	    !grow(&m->built, sizeof(*m->built), before, count) ||
	    !grow(&m->move, sizeof(*m->move), before, count))
		return false;
	for (uint32_t i = before; i < count; i++)
		m->now[i] = &s->rec->runs.runs[i];
	m->count = count;
	return true;
}

static enum hs_status begin_moves(struct hs_rec_stream *s)
{
	s->moves = calloc(1, sizeof(*s->moves));
	return s->moves != NULL && make_room(s, 0) ? HS_OK : HS_E_MEMORY;
}

/* All runs of a page are at the same place: the new ones where its first is. */
enum hs_status rec_stream_moves_grow(struct hs_rec_stream *s, uint32_t before)
{
	const struct rec_moves *moves = &s->rec->moves;

	if (s->moves == NULL)
		return HS_OK;
	if (!make_room(s, before))
		return HS_E_MEMORY;
	for (uint32_t run = before; run < s->rec->runs.count; run++) {
		const uint32_t move = s->moves->move[rec_moves_first(moves, &s->rec->log, run)];

		s->moves->move[run] = move;
		if (move != 0)
			s->moves->now[run] = NULL;
	}
	return HS_OK;
}

enum hs_status rec_stream_move(struct hs_rec_stream *s, uint32_t move)
{
	const struct rec_moves *moves = &s->rec->moves;

	if (s->moves == NULL && begin_moves(s) != HS_OK)
		return HS_E_MEMORY;
	for (uint32_t i = 0; i < moves->items[move].runs; i++) {
		const uint32_t run = rec_moves_run(moves, move, i);

		s->moves->now[run] = NULL;
		s->moves->move[run] = move + 1;
		if (s->changes.versions != NULL)
			rec_versions_again(s->changes.versions, run);
	}
	s->changes.looked = false;
	return HS_OK;
}

void rec_stream_moves_reset(struct hs_rec_stream *s)
{
	for (uint32_t run = 0; s->moves != NULL && run < s->moves->count; run++) {
		if (s->moves->move[run] == 0)
			continue;
		s->moves->move[run] = 0;
		s->moves->now[run] = &s->rec->runs.runs[run];
		if (s->changes.versions != NULL)
			rec_versions_again(s->changes.versions, run);
	}
	s->changes.looked = false;
}

enum hs_status rec_stream_put_run(struct hs_rec_stream *s, uint32_t number, uint32_t move)
{
	const struct rec_moves *moves = &s->rec->moves;

	if (number >= s->rec->runs.count || move == 0 || move > moves->count)
		return HS_E_FORMAT;
	const struct rec_move *m = &moves->items[move - 1];

	if (moves->rank[number] < m->first || moves->rank[number] - m->first >= m->runs)
		return HS_E_FORMAT;
	if (s->moves == NULL && begin_moves(s) != HS_OK)
		return HS_E_MEMORY;
	s->moves->now[number] = NULL;
	s->moves->move[number] = move;
	return HS_OK;
}

/* Build a run where it is now.  What was built at its last place may still be the run before. */
static const struct rec_run *build_run(struct hs_rec_stream *s, uint32_t number, uint64_t by)
{
	struct moved_run **built = &s->moves->built[number];
	const struct hs_rec_log_run *run = rec_log_run(&s->rec->log, number);
	const struct hs_isa isa = rec_log_isa(&s->rec->log);

	if (*built == NULL)
		*built = calloc(1, sizeof(**built));
	if (*built == NULL)
		return NULL;
	if (s->open.prev == &(*built)->run) {
		s->moves->before = **built;
		s->open.prev = &s->moves->before.run;
	}
	(*built)->number = number;
	rec_run_build(&(*built)->run, run, run->start + by, &isa);
	return &(*built)->run;
}

const struct rec_run *rec_stream_run(struct hs_rec_stream *s, uint32_t number)
{
	const struct rec_run *in_place = &s->rec->runs.runs[number];
	uint64_t by;

	if (s->moves == NULL)
		return in_place;
	if (s->moves->now[number] == NULL) {
		rec_stream_place(s, number, &by);
		s->moves->now[number] = by == 0 ? in_place : build_run(s, number, by);
	}
	return s->moves->now[number];
}

uint32_t rec_stream_place(const struct hs_rec_stream *s, uint32_t number, uint64_t *by)
{
	const uint32_t move = s->moves == NULL ? 0 : s->moves->move[number];

	*by = move == 0 ? 0 : s->rec->moves.items[move - 1].by;
	return *by == 0 ? number : rec_moves_number(&s->rec->moves, move - 1, number);
}

uint32_t rec_stream_number(const struct hs_rec_stream *s, const struct rec_run *r)
{
	const struct rec_runs *runs = &s->rec->runs;

	if (r >= runs->runs && r < runs->runs + runs->count)
		return (uint32_t)(r - runs->runs);
	return ((const struct moved_run *)(const void *)r)->number;
}

void rec_stream_moves_free(struct hs_rec_stream *s)
{
	struct stream_moves *m = s->moves;

	for (uint32_t i = 0; m != NULL && m->built != NULL && i < m->count; i++)
		free(m->built[i]);
	if (m != NULL) {
		free(m->now);
		free(m->built);
		free(m->move);
	}
	free(m);
	s->moves = NULL;
}
