/* Cached paths where the trace leaves out the targets of returns (design/memo).
 *
 * Where a message leads then also depends on the stack of return addresses: on those that it pops,
 * and, where a return finds the stack empty or the trace names a depth, on how deep it is.  A path
 * has the addresses that it pops, compared at each hit, and those that it leaves on the stack.
 *
 * Example: the stack is A B C (C the latest); the messages return to C, then call what will return
 * to D.  The path pops 1 (C), leaves 1 (D), and has highest 0: the stack was never deeper than
 * before.  After the path's tail (memo.h) are the popped addresses, the latest first, then those it
 * leaves: C D.
 */
#ifndef HS_FLOW_MEMO_CALLS_H
#define HS_FLOW_MEMO_CALLS_H

#include "flow/memo.h"

/* The tail's word: pops in the lowest byte, and these. */
#define CALLS_LEAVES_SHIFT 8
#define CALLS_HIGHEST_SHIFT 16
#define CALLS_EXACT_SHIFT 24
#define CALLS_COUNT_SHIFT 32
#define CALLS_COUNT_BITS 24

/* A stack of return addresses, of either protocol: at[(*top - 1) & mask] is the latest. */
struct flow_call_stack {
	uint64_t *at;
	uint32_t mask;
	uint32_t *top, *count;
	struct hs_call_marks *marks;
};

/* What a path does to the stack. */
struct flow_calls {
	uint32_t count;  /* if @exact: addresses that there have to be before */
	uint8_t pops;    /* addresses from before the path */
	uint8_t leaves;  /* addresses of its own that stay */
	uint8_t highest; /* how much deeper than before the stack was, at most */
	bool exact;
	uint64_t popped[HS_MEMO_CALLS], left[HS_MEMO_CALLS];
};

/* Blocks of memory for its addresses, two in each. */
static inline uint32_t flow_calls_blocks(const struct flow_calls *c)
{
	return (c->pops + c->leaves + 1u) / 2;
}

/* A message that is in no path begins: note the stack. */
void flow_calls_begin(struct hs_memo_pending *p, const struct flow_call_stack *s);

/* It was decoded: what it did to the stack.  @exact: where it leads depends on how deep the stack
 * is. False: it used too many addresses to be kept. */
bool flow_calls_end(const struct hs_memo_pending *p, const struct flow_call_stack *s, bool exact,
                    struct flow_calls *c);

/* As flow_memo_add(), with what the path does to the stack. */
void flow_calls_add(struct hs_memo *m, const struct hs_memo_path *path,
                    const struct hs_memo_pending *p, uint64_t next, uint64_t priv,
                    const struct flow_calls *c, const struct flow_own *own);

/* The words that the protocol keeps, after the calls. */
static inline const void *flow_calls_own(const struct hs_block *tail)
{
	const uint64_t word = img_word(tail);
	const unsigned calls = (uint8_t)word + (unsigned)(uint8_t)(word >> CALLS_LEAVES_SHIFT);

	return tail + 1 + (calls + 1) / 2;
}

/* The address that the next return pops; 0: the stack is empty. */
static inline uint64_t flow_calls_latest(const struct flow_call_stack *s)
{
	return *s->count ? s->at[(*s->top - 1) & s->mask] : 0;
}

/* The hash of a path that pops addresses has the first of them, too: so a function that is called
 * from two places has a path for each. */
static inline uint64_t flow_calls_mix(uint64_t mix, uint64_t latest)
{
	return mix + latest * UINT64_C(0x9fb21c651e98df25);
}

/* Address @i of those that begin at @b: two in each block. */
static inline uint64_t flow_calls_address(const struct hs_block *b, unsigned i)
{
	return i % 2 ? img_word(&b[i / 2]) : b[i / 2].iaddr;
}

/* Is the stack as it was when the path was added, as far as that matters? */
static inline bool flow_calls_fit(const struct hs_memo *m, const struct hs_memo_path *path,
                                  const struct flow_call_stack *s)
{
	const struct hs_block *b = flow_memo_tail(m, path);
	const uint64_t word = img_word(b);
	const unsigned pops = (uint8_t)word;
	const uint64_t differs = (word >> CALLS_COUNT_SHIFT ^ *s->count) << (64 - CALLS_COUNT_BITS);

	if (*s->count < pops || ((word >> CALLS_EXACT_SHIFT & 1) && differs))
		return false;
	for (unsigned i = 0; i < pops; i++)
		if (s->at[(*s->top - 1 - i) & s->mask] != flow_calls_address(b + 1, i))
			return false;
	return true;
}

/* Do with the stack what the path did. */
static inline void flow_calls_follow(const struct hs_memo *m, const struct hs_memo_path *path,
                                     const struct flow_call_stack *s)
{
	const struct hs_block *b = flow_memo_tail(m, path);
	const uint64_t word = img_word(b);
	const unsigned pops = (uint8_t)word, leaves = (uint8_t)(word >> CALLS_LEAVES_SHIFT);
	const uint32_t highest = (uint8_t)(word >> CALLS_HIGHEST_SHIFT), room = s->mask + 1;
	const uint32_t count = *s->count < room - highest ? *s->count : room - highest;

	*s->top -= pops;
	for (unsigned i = 0; i < leaves; i++)
		s->at[(*s->top)++ & s->mask] = flow_calls_address(b + 1, pops + i);
	*s->count = count + leaves - pops; /* a full stack forgot its oldest */
}

/* Is path @i that of a key and of the stack? */
static inline bool flow_calls_is(const struct hs_memo *m, uint32_t i, const struct hs_memo_key *k,
                                 const struct flow_call_stack *s)
{
	return flow_memo_is(&m->paths[i], k) && flow_calls_fit(m, &m->paths[i], s);
}

/* As flow_memo_find(), where several paths may have the same key: the one that fits the stack. */
static inline __attribute__((always_inline)) struct hs_memo_path *flow_calls_find(
	const struct hs_memo *m, const struct hs_memo_key *k, const struct flow_call_stack *s,
	uint64_t *latest)
{
	const uint64_t mix = flow_memo_mix(k);

	*latest = *latest >> 12 ^ mix;
	uint32_t *guess = &m->guesses[*latest >> m->shift];

	if (likely(flow_calls_is(m, *guess, k, s)))
		return &m->paths[*guess];
	uint32_t i = flow_memo_slot(m, k, mix);

	if (!flow_calls_is(m, i, k, s))
		i = flow_memo_slot(m, k, flow_calls_mix(mix, flow_calls_latest(s)));
	if (!flow_calls_is(m, i, k, s))
		return NULL;
	*guess = i;
	return &m->paths[i];
}

#endif
