/* Messages whose way is remembered: what recall.c and recall_count.c share. */
#ifndef HS_NTRACE_RECALL_H
#define HS_NTRACE_RECALL_H

#include "ntrace/reader.h"
#include "ntrace/source.h"

#include "base/mem.h"
#include "base/word.h"
#include "flow/memo.h"
#include "flow/memo_calls.h"

/* hs_memo_key.state: the walk stands at the reference address. */
#define AT_REF ((uint64_t)1 << 40)

/* The messages that are looked up at once, a window: up to four short DirectBranch messages, which
 * BTM has, and one message of any kind. */
struct nt_window {
	struct hs_memo_key key;
	unsigned bytes; /* 0: no message ends in it */
};

/* The highest bit of each of four short DirectBranch messages. */
#define LANE_TOPS UINT64_C(0x8000800080008000)

/* @lanes: a group of DirectBranch messages may come first.  Which they are the processor cannot
 * foresee, and there are no branches for that; how long the last one is repeats itself. */
static inline __attribute__((always_inline)) void nt_look(struct nt_window *w, const uint8_t *p,
                                                          bool lanes)
{
	const uint64_t low = word_load(p), high = word_load(p + 8);
	const uint64_t differs = (low & NT_BRANCH_MASK) ^ NT_BRANCH_BITS;
	const uint64_t other = word_lowest((differs + ~LANE_TOPS) & LANE_TOPS);
	const uint64_t before =
		lanes ? (other >> 15) - 1 : 0; /* bits of the DirectBranch messages */
	const uint64_t ends = low & low >> 1 & WORD_EACH & ~before,
		       ends2 = high & high >> 1 & WORD_EACH;

	w->key.bytes[1] = 0;
	if (likely(ends)) {
		w->key.bytes[0] = low & ((word_lowest(ends) << 8) - 1);
		w->bytes = 1 + word_first(ends);
	} else if (likely(ends2)) {
		w->key.bytes[0] = low;
		w->key.bytes[1] = high & ((word_lowest(ends2) << 8) - 1);
		w->bytes = 9 + word_first(ends2);
	} else {
		w->key.bytes[0] = low & before;
		w->bytes = !lanes ? 0 : other ? word_first(other >> 15) : 8;
	}
}

/* Where runs led so far. */
struct nt_recall {
	struct nt_window window; /* with the state in its key */
	uint64_t ref;
	const uint8_t *p, *end;
	struct hs_memo_run *last; /* run, if there was any */
	const uint8_t *branch;    /* the last message that may be repeated; NULL: none */
	bool elsewhere;           /* the last run led to ref, not to where it did before */
	bool far;                 /* runs are counted */
};

/* Take the run of the window.  The run has its length, too, but would have to be waited for. */
static inline __attribute__((always_inline)) void nt_recall_follow(struct nt_recall *r,
                                                                   struct hs_memo_run *run,
                                                                   const struct hs_bb *bbs)
{
	if (likely(run->kind != HS_NT_RESOURCE_FULL))
		r->branch = r->p + run->lead;
	else if (run->lead)
		r->branch = r->p + run->lead - NT_BRANCH_BYTES;
	r->p += r->window.bytes;
	r->ref ^= run->moved;
	r->elsewhere = (run->after & ~run->key.state & AT_REF) &&
	               bbs[(uint32_t)run->after].start != r->ref;
	r->window.key.state = run->after;
	r->window.key.extra = run->extra;
	r->last = run;
}

/* Does the trace leave out where returns lead? */
static inline bool nt_infers_returns(const struct hs_nt_source *s)
{
	return s->track.walk.rules & FLOW_RETURNS;
}

static inline struct flow_call_stack nt_stack(struct hs_nt_source *s)
{
	struct hs_returns *r = &s->track.walk.returns;

	return (struct flow_call_stack){ .at = r->at,
		                         .mask = HS_RETURNS - 1,
		                         .top = &r->top,
		                         .count = &r->count,
		                         .marks = &r->marks };
}

/* Count runs as long as they are known: of one message each (HTM), or of groups of them (BTM). */
void nt_count_single(struct hs_nt_decoder *d, struct nt_recall *r);
void nt_count_groups(struct hs_nt_decoder *d, struct nt_recall *r);
/* The same where nt_infers_returns(). */
void nt_count_calls(struct hs_nt_decoder *d, struct nt_recall *r, bool groups);

#endif
