/* What a cached path has of the branch predictor and the jump target cache (design/memo), and the
 * times of frames.
 *
 * None of them is in a key.  Predictor: each branch trains one of its states, of 2 bits.  A path
 * has, for each state that its branches train (a touch): which value becomes which, and for which
 * values these branches go the same way.  Only a packet that counts predicted branches needs the second:
 * the path holds if every touched state has such a value now (et_states_fit()).
 *
 * Example: one branch, taken, by a prediction; states 2 and 3 predict taken.  Its touch maps 2 to 3
 * and 3 to 3, and fits the values 2 and 3.
 *
 * Cache: a packet that names an entry has the target that is there in its key, so nothing is
 * compared; a path has the targets that it puts into the cache (et_fill_targets()).
 *
 * Both are words that the protocol keeps (struct flow_own): first the targets, then the touches.
 */
#ifndef HS_ETRACE_RECALL_TABLES_H
#define HS_ETRACE_RECALL_TABLES_H

#include "core/base_word.h"
#include "etrace/source.h"
#include "flow/memo_calls.h"
#include "flow/times.h"

/* hs_memo_key.state: one branch is known and not followed. */
#define ET_KEY_HAS_BIT ((uint64_t)1 << 56)

/* A touch in 32 bits: the number of the state, two bits for what each value becomes, a bit for each
 * value that fits. */
#define TOUCH_MAP_SHIFT 16
#define TOUCH_FITS_SHIFT 24
#define TOUCH_KEPT 0xe4u /* a map: each value stays */
#define TOUCH_ANY 0xfu

/* Touches are stored in groups; the last one is filled with touches that change nothing. */
#define TOUCH_GROUP 4u

/* How packets of a layout name an entry of the cache. */
struct et_index {
	uint64_t mask, form; /* a packet does if its bits of mask are form */
	uint64_t extend;     /* as in struct hs_et_layout, with spare */
	uint32_t entries;    /* of the cache, less 1 */
	uint8_t spare;
	uint8_t at; /* bit of the index */
};

/* Tables of the source whose paths are followed. */
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

/* ---- times of frames ----------------------------------------------------------------- */

/* While paths of a source are followed. */
struct et_stamps {
	uint64_t time;   /* of the source, so far */
	uint64_t low;    /* what the packet has of it */
	uint64_t head;   /* bits of a packet before its time */
	uint64_t word;   /* second word of a HS_KIND_TIME */
	size_t room;     /* for so many of them */
	uint64_t source; /* bits of srcID, after the first byte; 0: packets name none */
	uint8_t bytes;   /* of a time, where there is one */
	uint8_t has;     /* bytes of the packet's; 0: it has none */
	uint8_t at;      /* of its first bit: which byte, and which bit of that */
	uint8_t shift;
	uint8_t apart;      /* bytes that neither a packet's length nor its time counts */
	bool timed, silent; /* as struct hs_track, et_is_frame_silent() */
};

struct et_stamps et_stamps_begin(const struct hs_et_decoder *d, const struct hs_et_source *s);

/* Bytes of a packet without its time. */
static inline unsigned et_key_bytes(const struct hs_et_decoder *d, const struct hs_memo_key *key)
{
	const unsigned apart =
		et_names_source(d->config.wire.frame) ? et_frame_bits(&d->config, false) / 8 : 0;

	return 1 + apart + ((uint8_t)key->bytes[0] & d->length_mask);
}

/* The time of the packet at @p, of t->has bytes. */
static inline uint64_t et_stamp_at(const struct et_stamps *t, const uint8_t *p)
{
	const uint64_t low = word_load(p + t->at) >> t->shift,
		       high = (uint64_t)p[t->at + 8] << 1 << (63 - t->shift);

	return (low | high) & et_ones(8u * t->has);
}

/* Write the time of a packet's frame after its blocks, where it is another one. */
static inline void et_replay_stamp(struct et_stamps *t, uint64_t *bytes, struct flow_out *out)
{
	struct hs_block *p = out->p;
	const uint64_t time = flow_widen_time(t->time, t->low, 8u * t->has);
	const bool put = t->has && !t->silent && (time != t->time || !t->timed);

	*bytes += t->has;
	img_put_block(&p, time, t->word);
	out->p += put;
	t->room -= put;
	t->time = put ? time : t->time;
	t->timed |= put;
}

/* What the pending packet did to both, in @words; false: it cannot be replayed. */
bool et_own_of(const struct hs_et_decoder *d, struct hs_et_source *s, const struct flow_out *out,
               struct flow_own *own, uint64_t *words);

/* Room for the words of any path. */
#define ET_OWN_WORDS (HS_ET_FILLS + (MEMO_BLOCKS + 2 * TOUCH_GROUP) / 2)

/* The touches of a path, and how many groups they are. */
static inline const uint8_t *et_touches(const struct hs_block *tail, unsigned *groups)
{
	const uint64_t word = img_word(tail);
	const uint8_t *own = flow_calls_own(tail);

	*groups = (unsigned)(word >> MEMO_OWN_HIGH_SHIFT);
	return own + 8 * (word >> MEMO_OWN_LOW_SHIFT & 7);
}

static inline uint32_t et_touch_at(const uint8_t *p, unsigned i)
{
	uint32_t touch;

	memcpy(&touch, p + i * sizeof touch, sizeof touch);
	return touch;
}

/* Does the predictor, as it is, send the branches of the path the same way? */
static inline bool et_states_fit(const struct hs_block *tail, const uint8_t *states)
{
	unsigned groups, misfits = 0;
	const uint8_t *p = et_touches(tail, &groups);

	for (unsigned i = 0; i < groups * TOUCH_GROUP; i++) {
		const uint32_t touch = et_touch_at(p, i);
		const unsigned value = states[touch & UINT16_MAX] & 3u;

		misfits |= ~(touch >> TOUCH_FITS_SHIFT >> value) & 1u;
	}
	return !misfits;
}

/* Train the predictor as the branches of the path do. */
static inline __attribute__((always_inline)) void et_train_states(const struct hs_block *tail,
                                                                  uint8_t *states)
{
	unsigned groups;
	const uint8_t *p = et_touches(tail, &groups);

	for (; groups; groups--, p += 4 * TOUCH_GROUP)
		for (unsigned i = 0; i < TOUCH_GROUP; i++) {
			const uint32_t touch = et_touch_at(p, i);
			uint8_t *s = &states[touch & UINT16_MAX];

			*s = touch >> TOUCH_MAP_SHIFT >> 2 * (*s & 3u) & 3u;
		}
}

/* Put the targets of the path into the cache. */
static inline void et_fill_targets(const struct hs_block *tail, const struct et_replay *r)
{
	const uint8_t *own = flow_calls_own(tail);
	const unsigned fills = img_word(tail) >> MEMO_OWN_LOW_SHIFT & 7;
	uint64_t target;

	for (unsigned i = 0; i < fills; i++) {
		memcpy(&target, own + 8 * i, sizeof target);
		r->tables->cache[target >> r->unit_shift & r->index.entries] = target + 1;
		r->tables->cached = true;
	}
}

#endif
