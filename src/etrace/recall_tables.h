/* What remembered packets find in the branch predictor and the jump target cache, and leave there
 * (design/memo).
 *
 * The key of a run has neither.  The predictor: a run has each state that its branches train, once,
 * with what they make of each of its four values, and the values by which they go the same way; a
 * packet that counts branches leads there only if all states have such ones.  The cache: a packet
 * that names an entry has what is there in its key; a run has the targets that it puts there.
 */
#ifndef HS_ETRACE_RECALL_TABLES_H
#define HS_ETRACE_RECALL_TABLES_H

#include "etrace/source.h"
#include "flow/memo_calls.h"

/* hs_memo_key.state: one branch is known and not followed. */
#define ET_KEY_HAS_BIT ((uint64_t)1 << 56)

/* A touched state as a word: its number, two bits for what each value becomes, a bit for each value
 * that it may have. */
#define TOUCH_MAP_SHIFT 16
#define TOUCH_FITS_SHIFT 24
#define TOUCH_KEPT 0xe4u /* each value stays */
#define TOUCH_ANY 0xfu

/* They are stored in groups, the last of which is filled with some that change nothing. */
#define TOUCH_GROUP 4u

/* Where packets of a layout name an entry of the cache. */
struct et_index {
	uint64_t mask, form; /* bits of packets that do, and what they are then */
	uint64_t extend;     /* as in struct hs_et_layout, with spare */
	uint32_t entries;    /* of the cache, less 1 */
	uint8_t spare;
	uint8_t at; /* bit of the index */
};

/* Tables of the source whose runs are followed. */
struct et_replay {
	struct hs_et_tables *tables;
	struct et_index index;
	uint8_t unit_shift; /* of an address to what the cache counts */
};

/* With @tables of a source, where it has a cache. */
struct et_replay et_replay_begin(const struct hs_et_decoder *d, struct hs_et_source *s);

/* Does a packet of @n bytes name an entry of the cache?  @low: its first 8 bytes, then zeros. */
static inline bool et_names_target(const struct et_index *x, uint64_t low, unsigned n,
                                   uint32_t *index)
{
	const unsigned end = n < 8 ? 8 * n - x->spare : 64;
	const uint64_t drop = end < 64 ? UINT64_MAX << end : 0;
	const uint64_t sign = low >> (end - 1) & 1 ? x->extend : 0;
	const uint64_t v = (low & ~drop) | (sign & drop);

	*index = (uint32_t)(v >> x->at) & x->entries;
	return (v & x->mask) == x->form;
}

/* What the pending packet did; false: it cannot be replayed. */
bool et_own_of(const struct hs_et_decoder *d, struct hs_et_source *s, const struct flow_out *out,
               struct flow_own *own, uint64_t *words);

/* Most words of a run. */
#define ET_OWN_WORDS (HS_ET_FILLS + (MEMO_BLOCKS + 2 * TOUCH_GROUP) / 2)

/* Where the touched states of a run begin, after its targets, and their groups. */
static inline const uint8_t *et_touches(const struct hs_block *led, unsigned *groups)
{
	const uint64_t word = img_word(led);
	const uint8_t *own = flow_calls_own(led);

	*groups = (unsigned)(word >> MEMO_OWN_HIGH_SHIFT);
	return own + 8 * (word >> MEMO_OWN_LOW_SHIFT & 7);
}

static inline uint32_t et_touch_at(const uint8_t *p, unsigned i)
{
	uint32_t touch;

	memcpy(&touch, p + i * sizeof touch, sizeof touch);
	return touch;
}

/* Do branches of the run go that way by the predictor? */
static inline bool et_states_fit(const struct hs_block *led, const uint8_t *states)
{
	unsigned groups, misfits = 0;
	const uint8_t *p = et_touches(led, &groups);

	for (unsigned i = 0; i < groups * TOUCH_GROUP; i++) {
		const uint32_t touch = et_touch_at(p, i);
		const unsigned value = states[touch & UINT16_MAX] & 3u;

		misfits |= ~(touch >> TOUCH_FITS_SHIFT >> value) & 1u;
	}
	return !misfits;
}

/* Do with the predictor what the run did. */
static inline void et_train_states(const struct hs_block *led, uint8_t *states)
{
	unsigned groups;
	const uint8_t *p = et_touches(led, &groups);

	for (; groups; groups--, p += 4 * TOUCH_GROUP)
		for (unsigned i = 0; i < TOUCH_GROUP; i++) {
			const uint32_t touch = et_touch_at(p, i);
			uint8_t *s = &states[touch & UINT16_MAX];

			*s = touch >> TOUCH_MAP_SHIFT >> 2 * (*s & 3u) & 3u;
		}
}

/* The same with the cache. */
static inline void et_fill_targets(const struct hs_block *led, const struct et_replay *r)
{
	const uint8_t *own = flow_calls_own(led);
	const unsigned fills = img_word(led) >> MEMO_OWN_LOW_SHIFT & 7;
	uint64_t target;

	for (unsigned i = 0; i < fills; i++) {
		memcpy(&target, own + 8 * i, sizeof target);
		r->tables->cache[target >> r->unit_shift & r->index.entries] = target + 1;
		r->tables->cached = true;
	}
}

#endif
