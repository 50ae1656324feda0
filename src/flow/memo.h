/* Runs of messages that were decoded before: find one, copy its blocks, add one.
 *
 * A protocol's decoder says what decides where a message leads (struct hs_memo_key), and decodes
 * in its own way what is not found.
 */
#ifndef HS_FLOW_MEMO_H
#define HS_FLOW_MEMO_H

#include <hartscope/memo.h>

#include "flow/core.h"
#include "flow/stream.h"

/* Most blocks of a run, and bytes of its messages. */
#define MEMO_BLOCKS 64u
#define MEMO_BYTES 16u

/* Bytes of each of the short messages that may stand before the last one of a run. */
#define MEMO_LEAD_BYTES 2u

/* Blocks are copied in groups of so many, the last of which may write beyond the run. */
#define MEMO_GROUP 8u
#define MEMO_ROOM (MEMO_BLOCKS + MEMO_GROUP)

/* A memo whose blocks were referred to: what is to be said before it starts afresh. */
enum memo_end {
	MEMO_GOES_ON,
	MEMO_FULL,
	MEMO_SAID,    /* in this call */
	MEMO_RETURNED /* the call in which it was said has ended */
};

/* hs_memo.counts of a run that is not listed. */
#define MEMO_UNLISTED UINT64_MAX

/* Messages that are looked up at once. */
struct flow_window {
	struct hs_memo_key key;
	unsigned bytes; /* 0: no message ends in it */
};

/* Where runs led so far. */
struct flow_recall {
	struct flow_window window; /* with the state in its key */
	const uint8_t *p, *end;
	struct hs_memo_run *last; /* run, if there was any */
};

/* Bytes of the messages of a run. */
static inline unsigned flow_memo_bytes(const struct hs_memo_run *r)
{
	return r->more + 1u;
}

/* The bytes of messages, mixed. */
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

static inline bool flow_memo_is(const struct hs_memo_run *r, const struct hs_memo_key *k)
{
	return !((r->key.bytes[0] ^ k->bytes[0]) | (r->key.bytes[1] ^ k->bytes[1]) |
	         (r->key.state ^ k->state) | (r->key.extra ^ k->extra));
}

/* The run of a key; NULL: it is not known.  @latest: hs_memo.latest.
 *
 * The bytes of the latest messages say which run it is likely to be.  They are known before the
 * state is, which waits for the run before: so the processor need not wait for the memory of one
 * run after the other. */
static inline struct hs_memo_run *flow_memo_find(const struct hs_memo *m,
                                                 const struct hs_memo_key *k, uint64_t *latest)
{
	const uint64_t mix = flow_memo_mix(k);

	*latest = *latest >> 12 ^ mix;
	uint32_t *guess = &m->guesses[*latest >> m->shift];
	struct hs_memo_run *r = &m->runs[*guess];

	if (likely(flow_memo_is(r, k)))
		return r;
	r = &m->runs[flow_memo_slot(m, k, mix)];
	if (!flow_memo_is(r, k))
		return NULL;
	*guess = (uint32_t)(r - m->runs);
	return r;
}

/* Refer to blocks, or to none. */
static inline void flow_memo_put_run(const struct hs_memo *m, uint32_t first, unsigned blocks,
                                     uint64_t priv, struct flow_out *out)
{
	const struct hs_block run = {
		.arg = first, .ilast = (uint8_t)blocks, .priv = HS_PRIV_UNKNOWN, .kind = HS_KIND_RUN
	};

	img_put_block(&out->p, (uintptr_t)(m->blocks + first), img_word(&run) ^ priv);
}

/* A block in one register, where the processor has such ones. */
typedef uint64_t memo_block __attribute__((vector_size(16), aligned(8), may_alias));

_Static_assert(sizeof(memo_block) == sizeof(struct hs_block), "both are two words");

/* Write the blocks of a run; @priv as in hs_walk.  There is MEMO_ROOM. */
static inline void flow_memo_put(const struct hs_memo *m, const struct hs_memo_run *r,
                                 uint64_t priv, struct flow_out *out)
{
	const memo_block *from = (const void *)(m->blocks + r->first), mask = { 0, priv };
	memo_block *p = (void *)out->p;
	unsigned left = r->blocks;

	if (m->refers) {
		flow_memo_put_run(m, r->first, left, priv, out);
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

/* Count the messages of a run. */
static inline void flow_memo_count_messages(struct hs_memo *m, const struct hs_memo_run *r,
                                            uint64_t times)
{
	m->messages[m->lead_kind] += r->lead / MEMO_LEAD_BYTES * times;
	m->bytes[m->lead_kind] += r->lead * times;
	m->messages[r->kind] += times;
	m->bytes[r->kind] += (uint64_t)(flow_memo_bytes(r) - r->lead) * times;
}

/* Its times are 0 again: list it, or carry them to its count. */
void flow_memo_carry(struct hs_memo *m, const struct hs_memo_run *r);

/* How runs go on where the code changes: the next change is after @left blocks, or never. */
struct flow_memo_guide {
	uint64_t left;
	uint64_t since; /* as in struct hs_track */
};

/* Before runs are followed: all blocks that were written are counted. */
static inline struct flow_memo_guide flow_memo_begin_guide(const struct hs_track *t)
{
	return (struct flow_memo_guide){ .left = t->until, .since = t->since };
}

/* A run is followed.  False: it is not, as the code may change before its end.  @anchors: its last
 * message gives an address. */
static inline bool flow_memo_guide(struct flow_memo_guide *g, const struct hs_memo_run *r,
                                   bool anchors)
{
	if (r->blocks >= g->left)
		return false;
	g->left -= r->blocks;
	g->since = anchors ? 0 : g->since + r->blocks;
	return true;
}

/* Runs were followed. */
static inline void flow_memo_end_guide(const struct flow_memo_guide *g, struct hs_stream *s,
                                       struct hs_track *t, const struct flow_out *out)
{
	s->counted = out->p;
	t->since = g->since;
	if (t->until != HS_GUIDE_NEVER)
		t->until = g->left;
}

/* Count a run in place of that.  What changes is in the line of memory that was just compared. */
static inline void flow_memo_count(struct hs_memo *m, struct hs_memo_run *r)
{
	if (unlikely(!++r->times))
		flow_memo_carry(m, r);
}

/* May runs be counted that come after the items of this call?  Those that belong to another hart,
 * context or moment must not be mixed with those before. */
bool flow_memo_counts(struct hs_memo *m, struct hs_memo_pending *p, uint64_t priv,
                      const struct flow_out *out);

/* The call ends, with these items. */
void flow_memo_end_call(struct hs_memo *m, struct hs_memo_pending *p, const struct flow_out *out);

/* Runs were counted, one after the other.  The last one is written in place of that, after a note:
 * the next block is not counted any more.  @start: address of their first block. */
void flow_memo_put_last(struct hs_memo *m, struct hs_memo_run *last, uint64_t start, uint64_t priv,
                        struct flow_out *out);

/* Are the runs those of this program as it is?  Else there are none from now on.  False: none may
 * be used in this call any more. */
bool flow_memo_check(struct hs_memo *m, const struct hs_bb_table *t, struct flow_out *out);

/* What a protocol keeps of a run for its replay(): words, after the blocks and calls of the run. */
struct flow_own {
	const uint64_t *words;
	uint32_t n;
	uint64_t counts; /* bits of MEMO_OWN in the word next to where the run led */
};

/* The bits of that word which are the protocol's; the others are of calls (memo_calls.h). */
#define MEMO_OWN_LOW_SHIFT 25  /* 7 bits */
#define MEMO_OWN_HIGH_SHIFT 56 /* 8 bits */

/* Add a run, of which everything but its blocks is given, if it has any.  The next block begins at
 * @next; @priv as in hs_walk.  @own may be NULL.  One that was in its place is forgotten. */
void flow_memo_add(struct hs_memo *m, const struct hs_memo_run *r, const struct hs_memo_pending *p,
                   uint64_t next, uint64_t priv, const struct flow_own *own);

/* What else a run may have. */
struct flow_memo_more {
	uint32_t blocks; /* of memory, after where it led */
	uint64_t word;   /* next to where it led */
	uint64_t mix;    /* which says where the run is, with its key */
	const struct flow_own *own; /* or NULL */
};

/* Where a run led, and the word next to it. */
static inline const struct hs_block *flow_memo_led(const struct hs_memo *m,
                                                   const struct hs_memo_run *r)
{
	return m->blocks + r->first + r->blocks;
}

/* The same.  Returns its blocks of memory; NULL: it was not added. */
struct hs_block *flow_memo_add_more(struct hs_memo *m, const struct hs_memo_run *r,
                                    const struct hs_memo_pending *p, uint64_t next, uint64_t priv,
                                    const struct flow_memo_more *more);

const struct hs_memo_stats *hs_memo_get_stats(const struct hs_memo *m);

/**
 * Do not write the blocks of runs that are found, but a HS_KIND_RUN for each run, whose blocks stay
 * where they are: for callers that keep what they made of each block.  With every HS_KIND_RUN
 * replaced by its blocks, in the privilege that it has, items are those of a decoder without one.
 * Blocks that end in a trap are written.  A full memo writes a HS_KIND_RUN without blocks, and
 * starts afresh in the next call of the decoder.  Not with hs_memo_count().
 */
void hs_memo_refer(struct hs_memo *m);

/**
 * Before hs_memo_count(): does a time divide what is counted?  If not (@pass), times of runs that
 * are counted are counted, too: each such run begins with a HS_KIND_TIME that is 0.  With the last
 * run of several its time is written.
 */
void hs_memo_pass_times(struct hs_memo *m, bool pass);

/** May blocks after this item belong to another hart, context or moment? */
static inline bool hs_memo_divides(const struct hs_block *item)
{
	return hs_event_divides(item);
}

#endif
