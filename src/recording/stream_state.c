/* Where a stream stands between two frames of its file, as bytes, and to continue there
 * (design/ranges). */
#include <stdlib.h>
#include <string.h>

#include "recording/recording.h"
#include "recording/stream.h"

#define NONE UINT32_MAX
#define HEAD 12u /* words before the lists */

/* ---- at a place ----------------------------------------------------------------- */

/* The run that was left in its middle, and continued with another one; it is of use up to that. */
static const struct rec_run *cut_run(const struct hs_rec_stream *s)
{
	return s->open.prev == NULL && s->open.joined != 0 ? s->open.joined_run : NULL;
}

/* Is a run that was read where it would be built now? */
static bool is_in_place(struct hs_rec_stream *s, const struct rec_run *r)
{
	return r == NULL || s->moves == NULL || s->moves->now[rec_stream_number(s, r)] == r;
}

static bool has_unpacked_all(const struct rec_unpack *u)
{
	return u->left == 0 && u->at == u->count && u->payload == 0;
}

bool rec_stream_is_at_place(struct hs_rec_stream *s)
{
	if (s->places.every == 0 || s->places.given - s->places.last < s->places.every ||
	    s->at != s->count || s->queue.event_count != 0 || s->open.pair || s->signals.begins ||
	    (!s->rec->is_flow && !has_unpacked_all(&s->unpack)))
		return false;
	return is_in_place(s, s->open.prev) && is_in_place(s, cut_run(s)) &&
	       rec_in_end_frame(&s->in);
}

void hs_rec_stream_find_places(struct hs_rec_stream *s, uint64_t blocks)
{
	s->places.every = blocks;
}

bool hs_rec_stream_has_place(const struct hs_rec_stream *s)
{
	return s->places.stopped;
}

/* ---- to words ------------------------------------------------------------------- */

/* The words of a state; with NULL they are only counted. */
struct words {
	uint32_t *to;
	size_t n;
};

static void put_word(struct words *w, uint32_t word)
{
	if (w->to != NULL)
		w->to[w->n] = word;
	w->n++;
}

static uint32_t number_of(const struct hs_rec_stream *s, const struct rec_run *r)
{
	return r == NULL ? NONE : rec_stream_number(s, r);
}

/* Of each run that was moved: its number and its move. */
static void put_moves(const struct hs_rec_stream *s, struct words *w)
{
	for (uint32_t i = 0; s->moves != NULL && i < s->rec->runs.count; i++)
		if (s->moves->move[i] != 0) {
			put_word(w, i);
			put_word(w, s->moves->move[i]);
		}
}

/* Of a wide run: its number, how many successors, and they, two in three words. */
static void put_wide(const struct rec_wide *wide, uint32_t run, struct words *w)
{
	put_word(w, run);
	put_word(w, REC_WIDE | wide->count);
	put_word(w, NONE);
	for (uint32_t i = 0; i < wide->count; i += 2) {
		put_word(w, run);
		put_word(w, wide->runs[i]);
		put_word(w, i + 1 < wide->count ? wide->runs[i + 1] : NONE);
	}
}

/* Of each run that has successors: its number and them. */
static void put_successors(const struct rec_unpack *u, struct words *w)
{
	for (uint32_t i = 0; i < u->limit; i++) {
		const uint32_t *s = u->successors[i];

		if (s[0] != NONE && s[0] >= REC_WIDE) {
			put_wide(&u->wide[s[0] & ~REC_WIDE], i, w);
		} else if (s[0] != NONE) {
			put_word(w, i);
			put_word(w, s[0]);
			put_word(w, s[1]);
		}
	}
}

static void put_state(const struct hs_rec_stream *s, struct words *w)
{
	const uint64_t offset = rec_in_offset(&s->in);
	const struct rec_run *cut = cut_run(s);
	struct words lists = { NULL, 0 };

	put_moves(s, &lists);
	put_word(w, (uint32_t)offset);
	put_word(w, (uint32_t)(offset >> 32));
	put_word(w, number_of(s, s->open.prev));
	put_word(w, s->open.joined);
	put_word(w, s->open.joined != 0 ? s->open.joined_ilast : 0u);
	put_word(w, number_of(s, cut));
	put_word(w, cut != NULL ? s->open.joined_part : 0);
	put_word(w, s->signals.count);
	put_word(w, s->rec->is_flow ? NONE : s->unpack.last);
	put_word(w, (uint32_t)lists.n / 2);
	put_word(w, 0);
	put_word(w, 0);
	put_moves(s, w);
	if (!s->rec->is_flow)
		put_successors(&s->unpack, w);
}

enum hs_status hs_rec_stream_get_state(const struct hs_rec_stream *s, uint32_t **state,
                                       size_t *count)
{
	struct words w = { NULL, 0 };

	if (!s->places.stopped)
		return HS_E_ARG;
	put_state(s, &w);
	w.to = malloc(w.n * sizeof(*w.to));
	if (w.to == NULL)
		return HS_E_MEMORY;
	w.n = 0;
	put_state(s, &w);
	*state = w.to;
	*count = w.n;
	return HS_OK;
}

/* ---- from words ----------------------------------------------------------------- */

static bool is_run(const struct hs_rec_stream *s, uint32_t number)
{
	return number == NONE || number < s->rec->runs.count;
}

/* Does the instruction that was joined last end where the run was left? */
static bool cut_is_good(const struct hs_rec_stream *s, const uint32_t *w)
{
	return w[5] == NONE ||
	       (w[4] <= w[6] && 2 * (uint64_t)w[6] <= rec_log_run(&s->rec->log, w[5])->bytes);
}

static bool head_is_good(const struct hs_rec_stream *s, const uint32_t *w, size_t n)
{
	return n >= HEAD && is_run(s, w[2]) && is_run(s, w[5]) && is_run(s, w[8]) &&
	       (w[5] != NONE) == (w[2] == NONE && w[3] != 0) && w[4] <= w[3] && w[4] <= UINT8_MAX &&
	       (!s->rec->is_flow || (w[2] == NONE && w[3] == 0)) && cut_is_good(s, w) &&
	       w[9] <= (n - HEAD) / 2 &&
	       (n - HEAD - 2u * (size_t)w[9]) % (s->rec->is_flow ? 1 : 3) == 0;
}

static enum hs_status take_moves(struct hs_rec_stream *s, const uint32_t *w, size_t n)
{
	enum hs_status status = HS_OK;

	if (n != 0 && s->rec->is_flow)
		return HS_E_FORMAT;
	for (size_t i = 0; i < n && status == HS_OK; i++)
		status = rec_stream_put_run(s, w[2 * i], w[2 * i + 1]);
	return status;
}

/* As put_wide() writes them, the first three of @n times three words.  Returns how many of these
 * are of it; 0: that is wrong. */
static size_t take_wide(struct rec_unpack *u, const uint32_t *w, size_t n)
{
	const uint32_t run = w[0], count = w[1] & ~REC_WIDE;
	const size_t all = 1 + ((size_t)count + 1) / 2;
	struct rec_wide *wide;

	if (run >= u->limit || count > HS_REC_WIDE_MOST || all > n)
		return 0;
	wide = rec_unpack_widen(u, run);
	if (wide == NULL)
		return 0;
	wide->count = count;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *at = w + 3 * (1 + (size_t)i / 2);

		wide->runs[i] = at[1 + i % 2];
		if (at[0] != run || wide->runs[i] >= u->limit)
			return 0;
	}
	return all;
}

static enum hs_status take_successors(struct rec_unpack *u, const uint32_t *w, size_t n)
{
	for (size_t i = 0, taken; i < n; i += taken, w += 3 * taken) {
		taken = 1;
		if (w[1] != NONE && w[1] >= REC_WIDE) {
			taken = take_wide(u, w, n - i);
			if (taken == 0)
				return HS_E_FORMAT;
			continue;
		}
		if (w[0] >= u->limit || w[1] >= u->limit || (w[2] >= u->limit && w[2] != NONE))
			return HS_E_FORMAT;
		u->successors[w[0]][0] = w[1];
		u->successors[w[0]][1] = w[2];
	}
	return HS_OK;
}

/* What was executed at the addresses of changed code. */
static enum hs_status take_versions(struct hs_rec_stream *s, const struct hs_block *v, size_t n)
{
	for (size_t i = 0; s->changes.versions != NULL && i < n; i++) {
		struct hs_section code;

		if (hs_rec_code(s->rec, v[i].arg, &code) != HS_OK ||
		    !rec_versions_put(s->changes.versions, &code))
			return HS_E_FORMAT;
	}
	return HS_OK;
}

static enum hs_status take_runs(struct hs_rec_stream *s, const uint32_t *w)
{
	s->open.prev = w[2] == NONE ? NULL : rec_stream_run(s, w[2]);
	s->open.joined = w[3];
	s->open.joined_ilast = (uint8_t)w[4];
	s->open.joined_run = w[5] == NONE ? NULL : rec_stream_run(s, w[5]);
	s->open.joined_part = w[6];
	s->signals.count = w[7];
	return (s->open.prev == NULL) == (w[2] == NONE) &&
	                       (s->open.joined_run == NULL) == (w[5] == NONE)
	               ? HS_OK
	               : HS_E_MEMORY;
}

enum hs_status hs_rec_stream_set_state(struct hs_rec_stream *s, const uint32_t *state, size_t count,
                                       const struct hs_block *versions, size_t version_count)
{
	const uint32_t *w = state;
	const size_t moves = count >= HEAD ? w[9] : 0;
	enum hs_status status;

	if (s->end != HS_OK || !head_is_good(s, w, count))
		return HS_E_FORMAT;
	status = take_moves(s, w + HEAD, moves);
	if (status == HS_OK && !s->rec->is_flow)
		status = take_successors(&s->unpack, w + HEAD + 2 * moves,
		                         (count - HEAD - 2 * moves) / 3);
	if (status == HS_OK)
		status = take_versions(s, versions, version_count);
	if (status == HS_OK)
		status = take_runs(s, w);
	s->unpack.last = w[8];
	s->unpack.changed = UINT64_MAX;
	return status != HS_OK || rec_in_seek(&s->in, w[0] | (uint64_t)w[1] << 32) ? status
	                                                                           : HS_E_FORMAT;
}
