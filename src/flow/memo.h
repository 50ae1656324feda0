/* The memo of a decoder: cached paths (design/memo).  Find one, copy its blocks, add one.
 *
 * A path is an entry: a key (the bytes of the next message, and where the source stands), the
 * blocks that these bytes led through, and the key's state afterwards.  The protocol says what is
 * in a key, and decodes in its own way what is not found.  In the memo's files "path" is short for
 * cached path.
 *
 * Example, N-Trace: the source stands at entry 7 of the table of basic blocks, and the next
 * message has the bytes 0c 0f.  A path with this key says: 2 blocks, from blocks[40] on; then the
 * source stands at entry 9.  Its memory:
 *
 *   blocks[40], blocks[41]  the blocks, in unknown privilege
 *   blocks[42]              the tail: where the next block begins, and a word: 0, or what the
 *                           path does to the stack of returns (memo_calls.h) and how many words
 *                           the protocol keeps (struct flow_own)
 *   blocks[43] ...          these calls, then these words
 *
 * Invariants: a path is never changed, only replaced, by one whose key has the same hash (there
 * are no chains); all paths belong to one table of basic blocks in one version (flow_memo_check());
 * blocks that were referred to stay until the call after the one that reported a full memo.
 */
#ifndef HS_FLOW_MEMO_H
#define HS_FLOW_MEMO_H

#include <hartscope/memo.h>

#include "flow/core.h"
#include "flow/stream.h"

/* Most blocks of a path, and most bytes of its messages. */
#define MEMO_BLOCKS 64u
#define MEMO_BYTES 16u

/* Bytes of each of the short messages that may stand before the last one of a path. */
#define MEMO_LEAD_BYTES 2u

/* Blocks are copied in groups of so many; the last group may write past the path's blocks. */
#define MEMO_GROUP 8u
#define MEMO_ROOM (MEMO_BLOCKS + MEMO_GROUP)

/* Where blocks are referred to (hs_memo_refer()), a full memo must not start afresh before its
 * caller knows. */
enum memo_end {
	MEMO_HAS_ROOM,
	MEMO_FULL,
	MEMO_REPORTED,   /* a HS_KIND_PATH without blocks was written in this call */
	MEMO_REPORT_READ /* that call has ended: start afresh */
};

/* hs_memo.counts of a path that is not listed. */
#define MEMO_UNLISTED UINT64_MAX

/* The messages that are looked up next. */
struct flow_window {
	struct hs_memo_key key;
	unsigned bytes; /* of the messages; 0: no message ends within MEMO_BYTES */
};

/* Bytes of the messages of a path. */
static inline unsigned flow_memo_bytes(const struct hs_memo_path *path)
{
	return path->more + 1u;
}

/* A hash of the bytes of messages; flow_memo_slot() adds the state. */
static inline uint64_t flow_memo_mix(const struct hs_memo_key *k)
{
	return k->bytes[0] * UINT64_C(0x9e3779b97f4a7c15) +
	       k->bytes[1] * UINT64_C(0xc2b2ae3d27d4eb4f);
}

static inline uint32_t flow_memo_slot(const struct hs_memo *m, const struct hs_memo_key *k,
                                      uint64_t mix)
{
	const uint64_t mixed = (mix ^ mix >> 29) + (k->state ^ k->extra << 8);

	return (uint32_t)(mixed * UINT64_C(0xd6e8feb86659fd93) >> m->shift);
}

static inline bool flow_memo_is(const struct hs_memo_path *path, const struct hs_memo_key *k)
{
	return !((path->key.bytes[0] ^ k->bytes[0]) | (path->key.bytes[1] ^ k->bytes[1]) |
	         (path->key.state ^ k->state) | (path->key.extra ^ k->extra));
}

/* The path of a key; NULL: there is none.
 *
 * The hash of a key needs the state, which is known only once the path before it was loaded: one
 * wait for memory after the other.  So first comes a guess by bytes only: m->guesses has the path
 * that was found when the latest messages last had these bytes (@latest, their hash).  It can be
 * loaded ahead; only the comparison waits. */
static inline struct hs_memo_path *flow_memo_find(const struct hs_memo *m,
                                                  const struct hs_memo_key *k, uint64_t *latest)
{
	const uint64_t mix = flow_memo_mix(k);

	*latest = *latest >> 12 ^ mix;
	uint32_t *guess = &m->guesses[*latest >> m->shift];
	struct hs_memo_path *path = &m->paths[*guess];

	if (likely(flow_memo_is(path, k)))
		return path;
	path = &m->paths[flow_memo_slot(m, k, mix)];
	if (!flow_memo_is(path, k))
		return NULL;
	*guess = (uint32_t)(path - m->paths);
	return path;
}

/* Write a HS_KIND_PATH: refer to @blocks blocks from number @first on, or to none. */
static inline void flow_memo_put_path(const struct hs_memo *m, uint32_t first, unsigned blocks,
                                      uint64_t priv, struct flow_out *out)
{
	const struct hs_block path = { .arg = first,
		                       .ilast = (uint8_t)blocks,
		                       .priv = HS_PRIV_UNKNOWN,
		                       .kind = HS_KIND_PATH };

	img_put_block(&out->p, (uintptr_t)(m->blocks + first), img_word(&path) ^ priv);
}

/* A block in one vector register, where the processor has them. */
typedef uint64_t memo_block __attribute__((vector_size(16), aligned(8), may_alias));

_Static_assert(sizeof(memo_block) == sizeof(struct hs_block), "both are two words");

/* Write the blocks of a path, or refer to them.  @priv: as in hs_walk.  @out has MEMO_ROOM. */
static inline void flow_memo_put(const struct hs_memo *m, const struct hs_memo_path *path,
                                 uint64_t priv, struct flow_out *out)
{
	const memo_block *from = (const void *)(m->blocks + path->first), mask = { 0, priv };
	memo_block *p = (void *)out->p;
	unsigned left = path->blocks;

	if (m->refers) {
		flow_memo_put_path(m, path->first, left, priv, out);
		return;
	}
	out->p += left;
	for (;;) {
		for (unsigned i = 0; i < MEMO_GROUP; i++)
			*p++ = *from++ ^ mask;
		if (left <= MEMO_GROUP)
			return;
		left -= MEMO_GROUP;
	}
}

/* Count the messages of a path. */
static inline void flow_memo_count_messages(struct hs_memo *m, const struct hs_memo_path *path,
                                            uint64_t times)
{
	m->messages[m->lead_kind] += path->lead / MEMO_LEAD_BYTES * times;
	m->bytes[m->lead_kind] += path->lead * times;
	m->messages[path->kind] += times;
	m->bytes[path->kind] += (uint64_t)(flow_memo_bytes(path) - path->lead) * times;
}

/* path->times, 8 bits, is 0 again: carry it to the count of 64 bits, or list a path that is found
 * for the first time. */
void flow_memo_carry(struct hs_memo *m, const struct hs_memo_path *path);

/* With a guide (the code changes while it is traced): blocks to the next change, or never. */
struct flow_memo_guide {
	uint64_t left;
	uint64_t since; /* as in struct hs_track */
};

/* Before paths are followed, once all written blocks are counted. */
static inline struct flow_memo_guide flow_memo_begin_guide(const struct hs_track *t)
{
	return (struct flow_memo_guide){ .left = t->until, .since = t->since };
}

/* May this path be followed?  False: the code may change before its end.  True: its blocks are
 * counted.  @anchors: its last message gives an address. */
static inline bool flow_memo_guide(struct flow_memo_guide *g, const struct hs_memo_path *path,
                                   bool anchors)
{
	if (path->blocks >= g->left)
		return false;
	g->left -= path->blocks;
	g->since = anchors ? 0 : g->since + path->blocks;
	return true;
}

/* After paths were followed. */
static inline void flow_memo_end_guide(const struct flow_memo_guide *g, struct hs_stream *s,
                                       struct hs_track *t, const struct flow_out *out)
{
	s->counted = out->p;
	t->since = g->since;
	if (t->until != HS_GUIDE_NEVER)
		t->until = g->left;
}

/* Count a path instead of writing it.  Its times are in the cache line that was just compared. */
static inline void flow_memo_count(struct hs_memo *m, struct hs_memo_path *path)
{
	if (unlikely(!++path->times))
		flow_memo_carry(m, path);
}

/* May paths that come after the items of this call be counted?  Not after an item that divides
 * (another hart, context or moment): what is counted would mix with what came before. */
bool flow_memo_counts(struct hs_memo *m, struct hs_memo_pending *p, uint64_t priv,
                      const struct flow_out *out);

/* The call ends, with these items. */
void flow_memo_end_call(struct hs_memo *m, struct hs_memo_pending *p, const struct flow_out *out);

/* A row of paths was counted; @last is the last one, @start the address of the row's first block.
 * Write a note (HS_NOTE_COUNTED) and the blocks of @last instead of counting it: so the reader
 * knows which block comes before the next one. */
void flow_memo_put_last(struct hs_memo *m, struct hs_memo_path *last, uint64_t start, uint64_t priv,
                        struct flow_out *out);

/* Before paths are used: empty the memo if the table or its version has changed, and let a full
 * memo start afresh.  False: no path may be used in this call any more. */
bool flow_memo_check(struct hs_memo *m, const struct hs_bb_table *t, struct flow_out *out);

/* Words that the protocol keeps with a path, for its replay() (recall.h). */
struct flow_own {
	const uint64_t *words;
	uint32_t n;
	uint64_t counts; /* bits of MEMO_OWN in the tail's word */
};

/* The bits of the tail's word that are the protocol's; the others are of calls (memo_calls.h). */
#define MEMO_OWN_LOW_SHIFT 25  /* 7 bits */
#define MEMO_OWN_HIGH_SHIFT 56 /* 8 bits */

/* Add a path: @path has all but its blocks, which @p has; the next block begins at @next.  @priv:
 * as in hs_walk.  @own: or NULL.  Nothing is added where there is no block, or anything but
 * blocks. */
void flow_memo_add(struct hs_memo *m, const struct hs_memo_path *path,
                   const struct hs_memo_pending *p, uint64_t next, uint64_t priv,
                   const struct flow_own *own);

/* What a path may have after its blocks, for flow_memo_add_more(). */
struct flow_memo_more {
	uint32_t blocks;            /* memory for calls, in blocks */
	uint64_t word;              /* of the tail */
	uint64_t mix;               /* flow_memo_mix(), or flow_calls_mix() */
	const struct flow_own *own; /* or NULL */
};

/* The tail of a path. */
static inline const struct hs_block *flow_memo_tail(const struct hs_memo *m,
                                                    const struct hs_memo_path *path)
{
	return m->blocks + path->first + path->blocks;
}

/* As flow_memo_add().  Returns where the calls are to be written; NULL: nothing was added. */
struct hs_block *flow_memo_add_more(struct hs_memo *m, const struct hs_memo_path *path,
                                    const struct hs_memo_pending *p, uint64_t next, uint64_t priv,
                                    const struct flow_memo_more *more);

const struct hs_memo_stats *hs_memo_get_stats(const struct hs_memo *m);

/**
 * Write a HS_KIND_PATH for each path that is found, not its blocks, which stay where they are: for
 * callers that cache results for each block.  With every HS_KIND_PATH replaced by its blocks, in
 * its privilege, items are those of a decoder without a memo.  Blocks that end in a trap are always
 * written.  A full memo writes a HS_KIND_PATH without blocks, and starts afresh in the next call of
 * the decoder.  Not together with hs_memo_count().
 */
void hs_memo_refer(struct hs_memo *m);

/**
 * Before hs_memo_count(): may paths with a time be counted?  @pass false: a time divides what is
 * counted.  True: each counted path with a time begins with a HS_KIND_TIME of value 0, and the last
 * path of a row is written with its time.
 */
void hs_memo_pass_times(struct hs_memo *m, bool pass);

/** May blocks after this item belong to another hart, context or moment? */
static inline bool hs_memo_divides(const struct hs_block *item)
{
	return hs_event_divides(item);
}

#endif
