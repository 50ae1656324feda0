/* Runs where the trace leaves out the targets of returns: what they do to the stack of return
 * addresses (ADR-0306).
 *
 * Where a message leads also depends on the calls before it, then: on the addresses that it pops,
 * and on how deep the stack is, where it finds it empty or the trace names a depth.  A run has the
 * addresses that it pops, which are compared at each hit, and those that it leaves on the stack.
 * They are after its blocks:
 *
 *   hs_memo.blocks[first + blocks]  where the run led, and a word as pack() makes it
 *   the blocks after it             addresses that it pops, the latest first; those that it leaves
 */
#ifndef HS_FLOW_MEMO_CALLS_H
#define HS_FLOW_MEMO_CALLS_H

#include "flow/memo.h"

/* A stack of return addresses, of either protocol: at[(*top - 1) & mask] is the latest. */
struct flow_call_stack {
	uint64_t *at;
	uint32_t mask;
	uint32_t *top, *count;
	struct hs_call_marks *marks;
};

/* What a run does to the stack. */
struct flow_calls {
	uint32_t count;   /* how many addresses there have to be, if @exact */
	uint8_t pops;     /* addresses from before it */
	uint8_t leaves;   /* addresses of its own */
	uint8_t highest;  /* how many more there were than before it, at most */
	bool exact;
	uint64_t popped[HS_MEMO_CALLS], left[HS_MEMO_CALLS];
};

/* Blocks of memory that this takes. */
static inline uint32_t flow_calls_blocks(const struct flow_calls *c)
{
	return (c->pops + c->leaves + 1u) / 2;
}

/* A message that was not found begins. */
void flow_calls_begin(struct hs_memo_pending *p, const struct flow_call_stack *s);

/* It was decoded.  @exact: it depends on how deep the stack is.  False: it did too much. */
bool flow_calls_end(const struct hs_memo_pending *p, const struct flow_call_stack *s, bool exact,
                    struct flow_calls *c);

/* As flow_memo_add(), with @c, if that is not NULL. */
void flow_calls_add(struct hs_memo *m, const struct hs_memo_run *r, const struct hs_memo_pending *p,
                    uint64_t next, uint64_t priv, const struct flow_calls *c);

/* The address that the next return pops; 0: there is none. */
static inline uint64_t flow_calls_latest(const struct flow_call_stack *s)
{
	return *s->count ? s->at[(*s->top - 1) & s->mask] : 0;
}

/* The place of a run that pops addresses: by the first one of them, too. */
static inline uint64_t flow_calls_mix(uint64_t mix, uint64_t latest)
{
	return mix + latest * UINT64_C(0x9fb21c651e98df25);
}

/* Was the stack as it is when the run was added, as far as that matters? */
bool flow_calls_fit(const struct hs_memo *m, const struct hs_memo_run *r,
                    const struct flow_call_stack *s);

/* Do with the stack what the run did. */
void flow_calls_follow(const struct hs_memo *m, const struct hs_memo_run *r,
                       const struct flow_call_stack *s);

/* As flow_memo_find(): of the runs of a key that one which fits the stack. */
struct hs_memo_run *flow_calls_find(const struct hs_memo *m, const struct hs_memo_key *k,
                                    const struct flow_call_stack *s, uint64_t *latest);

#endif
