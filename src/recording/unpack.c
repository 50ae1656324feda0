/* Reading packed streams: of nearly every run there is one bit, which of two successors it is
 * (HS_REC_WORD_OUTCOMES, design/packed). */
#include <stdlib.h>
#include <string.h>

#include "recording/unpack.h"
#include "support/grow.h"

#define WORDS (1u << 14)
#define NONE UINT32_MAX

/* No run has successors. */
static void forget(struct rec_unpack *u)
{
	memset(u->successors, 0xff, (u->limit + 1u) * sizeof(*u->successors));
	u->wide_count = 0;
	u->last = NONE;
	u->changed = UINT64_MAX;
}

enum hs_status rec_unpack_open(struct rec_unpack *u, uint32_t runs, bool wide)
{
	const uint32_t limit = runs < HS_REC_PACKED_RUNS ? runs : HS_REC_PACKED_RUNS;

	*u = (struct rec_unpack){ .limit = limit, .last = NONE, .need = 1 };
	u->successors = malloc((limit + 1u) * sizeof(*u->successors));
	u->words = malloc(WORDS * sizeof(*u->words));
	u->wide_most = wide ? HS_REC_WIDE_RUNS : 0;
	if (u->successors == NULL || u->words == NULL)
		return HS_E_MEMORY;
	forget(u);
	return HS_OK;
}

void rec_unpack_close(struct rec_unpack *u)
{
	free(u->successors);
	free(u->wide);
	free(u->words);
	free(u->marks);
	*u = (struct rec_unpack){ 0 };
}

bool rec_unpack_mark(struct rec_unpack *u)
{
	u->marks = calloc(u->limit + 1u, 1);
	u->changed = UINT64_MAX;
	return u->marks != NULL;
}

/* A run does not lead where it did. */
static void mark_changed(struct rec_unpack *u, uint32_t run, uint8_t mark)
{
	if (u->marks == NULL || rec_unpack_is_loose(u, run))
		return;
	if ((u->marks[run] & REC_UNPACK_USED) != 0)
		u->changed |= rec_unpack_bit(run);
	u->marks[run] += mark;
}

struct rec_wide *rec_unpack_widen(struct rec_unpack *u, uint32_t run)
{
	struct rec_wide *w;

	if (u->wide_count == u->wide_most)
		return NULL;
	u->no_memory =
		!support_grow(&u->wide, &u->wide_room, u->wide_count + (size_t)1, sizeof(*u->wide));
	if (u->no_memory)
		return NULL;
	w = &u->wide[u->wide_count];
	w->count = 0;
	u->successors[run][0] = u->successors[run][1] = REC_WIDE | u->wide_count++;
	return w;
}

static void learn_more(struct rec_unpack *u, uint32_t run, struct rec_wide *w, uint32_t next)
{
	const unsigned bits = hs_rec_wide_bits(w->count);

	for (uint32_t i = 0; i < w->count; i++)
		if (w->runs[i] == next)
			return;
	if (w->count < HS_REC_WIDE_MOST)
		w->runs[w->count++] = next;
	if (hs_rec_wide_bits(w->count) != bits)
		mark_changed(u, run, 0);
}

static void learn_successor(struct rec_unpack *u, uint32_t run, uint32_t next)
{
	uint32_t *const s = u->successors[run];
	const uint32_t was[2] = { s[0], s[1] };
	struct rec_wide *w;

	if (was[0] == next || was[1] == next)
		return;
	if (was[0] != NONE && (was[0] & REC_WIDE) != 0) {
		learn_more(u, run, &u->wide[was[0] & ~REC_WIDE], next);
		return;
	}
	if (was[0] != NONE)
		mark_changed(u, run, 0);
	w = was[1] == NONE ? NULL : rec_unpack_widen(u, run);
	if (w == NULL) {
		if (was[1] != NONE)
			mark_changed(u, run, REC_UNPACK_REPLACED);
		s[1] = was[0];
		s[0] = next;
		return;
	}
	learn_more(u, run, w, was[0]);
	learn_more(u, run, w, was[1]);
	learn_more(u, run, w, next);
}

/* The run @next was not foreseen. */
static void learn(struct rec_unpack *u, uint32_t next)
{
	if (u->last < u->limit && next < u->limit)
		learn_successor(u, u->last, next);
	u->last = next;
}

/* What follows a wide run, of @left outcomes.  Returns how many it has; 0: @left are too few, or it
 * has no such successor. */
static uint32_t take_wide(struct rec_unpack *u, uint64_t outcomes, uint32_t left, uint32_t *next)
{
	const struct rec_wide *w = &u->wide[*next & ~REC_WIDE];
	const uint32_t n = hs_rec_wide_bits(w->count), which = (uint32_t)(outcomes >> (64 - n));

	if (left < n) {
		u->need = n;
		return 0;
	}
	u->wrong = which >= w->count;
	*next = w->runs[u->wrong ? 0 : which];
	return u->wrong ? 0 : n;
}

uint32_t rec_unpack_peek(const struct rec_unpack *u, uint32_t run, uint64_t bits, uint32_t left,
                         uint32_t *next)
{
	*next = u->successors[run][bits >> 63];
	if (*next < REC_WIDE)
		return left > 0 ? 1 : 0;
	if (*next == NONE)
		return 0;
	const struct rec_wide *w = &u->wide[*next & ~REC_WIDE];
	const uint32_t n = hs_rec_wide_bits(w->count), which = (uint32_t)(bits >> (64 - n));

	if (left < n || which >= w->count)
		return 0;
	*next = w->runs[which];
	return n;
}

/* Returns how many runs it wrote. */
static size_t take_outcomes(struct rec_unpack *u, uint32_t *out, size_t cap)
{
	uint32_t last = u->last < u->limit ? u->last : u->limit, left = u->left;
	uint64_t bits = u->bits;
	size_t i = 0;

	u->need = 1;
	while (i < cap && left > 0) {
		uint32_t next = u->successors[last][bits >> 63], n = 1;

		if (__builtin_expect(next >= REC_WIDE, 0)) {
			u->wrong = next == NONE;
			n = u->wrong ? 0 : take_wide(u, bits, left, &next);
			if (n == 0)
				break;
		}
		bits <<= n;
		left -= n;
		out[i++] = last = next;
	}
	u->last = last;
	u->bits = bits;
	u->left = left;
	return i;
}

static void set_outcomes(struct rec_unpack *u, uint32_t word)
{
	const uint32_t outcomes = word & ~HS_REC_WORD_OUTCOMES;
	uint32_t n;

	if (outcomes == 0) {
		u->wrong = true;
		return;
	}
	n = 31u - (uint32_t)__builtin_clz(outcomes);
	if (u->left == 0)
		u->bits = 0;
	if (n > 0)
		u->bits |= (uint64_t)outcomes << (64u - n) >> u->left;
	u->left += n;
}

/* A word of the file as one of a plain stream.  False: it is none. */
static bool take_word(struct rec_unpack *u, uint32_t word, uint32_t *out)
{
	*out = word;
	if (u->left > 0 && (word < HS_REC_WORD_OUTCOMES || word >= HS_REC_WORD_ESCAPE)) {
		u->wrong = true; /* of a wide run there are too few bits */
		return false;
	}
	if (u->payload > 0) {
		u->payload--;
	} else if (word >= HS_REC_WORD_ESCAPE) {
		u->payload = hs_rec_words_after(word);
		if (HS_REC_ESCAPE_KIND(word) == HS_REC_ESCAPE_ANEW)
			forget(u);
	} else if (word >= HS_REC_WORD_OUTCOMES) {
		set_outcomes(u, word);
		return false;
	} else {
		learn(u, word);
	}
	return true;
}

static size_t unpack(struct rec_unpack *u, uint32_t *out, size_t cap)
{
	size_t n = 0;

	while (n < cap && !u->wrong && !u->no_memory) {
		if (u->left >= u->need)
			n += take_outcomes(u, out + n, cap - n);
		else if (u->at < u->count)
			n += take_word(u, u->words[u->at++], out + n);
		else
			break;
	}
	return n;
}

enum hs_status rec_unpack_read(struct rec_unpack *u, struct rec_in *in, uint32_t *out, size_t cap,
                               size_t *n)
{
	for (;;) {
		enum hs_status status;

		*n = unpack(u, out, cap);
		if (u->no_memory)
			return HS_E_MEMORY;
		if (*n > 0)
			return HS_OK;
		if (u->wrong)
			return HS_E_FORMAT;
		status = rec_in_read_words(in, u->words, WORDS, &u->count);
		u->at = 0;
		if (status != HS_OK) /* of a wide run there may be too few bits */
			return status == HS_END && u->left > 0 ? HS_E_FORMAT : status;
	}
}
