/* Runs where the trace leaves out the targets of returns: what they do to the stack of return
 * addresses (design/memo).
 *
 * Where a message leads also depends on the calls before it, then: on the addresses that it pops,
 * and on how deep the stack is, where it finds it empty or the trace names a depth.  A run has the
 * addresses that it pops, which are compared at each hit, and those that it leaves on the stack.
 * They are after its blocks:
 *
 *   hs_memo.blocks[first + blocks]  where the run led, and a word as pack() makes it
 *   the blocks after it             addresses that it pops, the latest first; those that it leaves;
 *                                   what the protocol keeps (struct flow_own)
 */
#ifndef HS_FLOW_MEMO_CALLS_H
#define HS_FLOW_MEMO_CALLS_H

#include "flow/memo.h"

/* In the word of a run: pops, and these. */
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

/* As flow_memo_add(), with @c. */
void flow_calls_add(struct hs_memo *m, const struct hs_memo_run *r, const struct hs_memo_pending *p,
                    uint64_t next, uint64_t priv, const struct flow_calls *c,
                    const struct flow_own *own);

/* What the protocol keeps of the run that led there. */
static inline const void *flow_calls_own(const struct hs_block *led)
{
	const uint64_t word = img_word(led);
	const unsigned calls = (uint8_t)word + (unsigned)(uint8_t)(word >> CALLS_LEAVES_SHIFT);

	return led + 1 + (calls + 1) / 2;
}

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

/* Address @i after @b: there are two in a block. */
static inline uint64_t flow_calls_address(const struct hs_block *b, unsigned i)
{
	return i % 2 ? img_word(&b[i / 2]) : b[i / 2].iaddr;
}

/* Is the stack as it was when the run was added, as far as that matters? */
static inline bool flow_calls_fit(const struct hs_memo *m, const struct hs_memo_run *r,
                                  const struct flow_call_stack *s)
{
	const struct hs_block *b = flow_memo_led(m, r);
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

/* Do with the stack what the run did. */
static inline void flow_calls_follow(const struct hs_memo *m, const struct hs_memo_run *r,
                                     const struct flow_call_stack *s)
{
	const struct hs_block *b = flow_memo_led(m, r);
	const uint64_t word = img_word(b);
	const unsigned pops = (uint8_t)word, leaves = (uint8_t)(word >> CALLS_LEAVES_SHIFT);
	const uint32_t highest = (uint8_t)(word >> CALLS_HIGHEST_SHIFT), room = s->mask + 1;
	const uint32_t count = *s->count < room - highest ? *s->count : room - highest;

	*s->top -= pops;
	for (unsigned i = 0; i < leaves; i++)
		s->at[(*s->top)++ & s->mask] = flow_calls_address(b + 1, pops + i);
	*s->count = count + leaves - pops; /* a full stack forgot its oldest */
}

/* Is run @i that of a key and of the stack? */
static inline bool flow_calls_is(const struct hs_memo *m, uint32_t i, const struct hs_memo_key *k,
                                 const struct flow_call_stack *s)
{
	return flow_memo_is(&m->runs[i], k) && flow_calls_fit(m, &m->runs[i], s);
}

/* As flow_memo_find(): of the runs of a key one that fits the stack. */
static inline struct hs_memo_run *flow_calls_find(const struct hs_memo *m,
                                                  const struct hs_memo_key *k,
                                                  const struct flow_call_stack *s, uint64_t *latest)
{
	const uint64_t mix = flow_memo_mix(k);

	*latest = *latest >> 12 ^ mix;
	uint32_t *guess = &m->guesses[*latest >> m->shift];

	if (likely(flow_calls_is(m, *guess, k, s)))
		return &m->runs[*guess];
	uint32_t i = flow_memo_slot(m, k, mix);

	if (!flow_calls_is(m, i, k, s))
		i = flow_memo_slot(m, k, flow_calls_mix(mix, flow_calls_latest(s)));
	if (!flow_calls_is(m, i, k, s))
		return NULL;
	*guess = i;
	return &m->runs[i];
}

#endif
