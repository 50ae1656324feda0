/* Runs where the trace leaves out the targets of returns (memo_calls.h). */
#include "flow/memo_calls.h"

#define LEAVES_SHIFT 8
#define HIGHEST_SHIFT 16
#define EXACT_SHIFT 24
#define COUNT_SHIFT 32

/* ---- adding a run ---------------------------------------------------------------- */

void flow_calls_begin(struct hs_memo_pending *p, const struct flow_call_stack *s)
{
	p->top = *s->top;
	p->count = *s->count;
	p->latest = flow_calls_latest(s);
	for (unsigned i = 0; i < HS_MEMO_CALLS; i++)
		p->calls[i] = s->at[(p->top - 1 - i) & s->mask];
	*s->marks = (struct hs_call_marks){ .lowest = p->top, .highest = p->top };
}

bool flow_calls_end(const struct hs_memo_pending *p, const struct flow_call_stack *s, bool exact,
                    struct flow_calls *c)
{
	const uint32_t pops = p->top - s->marks->lowest, leaves = *s->top - s->marks->lowest,
		       highest = s->marks->highest - p->top;

	if (pops > HS_MEMO_CALLS || leaves > HS_MEMO_CALLS || pops + highest > s->mask)
		return false;
	*c = (struct flow_calls){ .count = p->count,
		                  .pops = (uint8_t)pops,
		                  .leaves = (uint8_t)leaves,
		                  .highest = (uint8_t)highest,
		                  .exact = exact || s->marks->dry };
	for (unsigned i = 0; i < pops; i++)
		c->popped[i] = p->calls[i];
	for (unsigned i = 0; i < leaves; i++)
		c->left[i] = s->at[(s->marks->lowest + i) & s->mask];
	return highest <= UINT8_MAX;
}

static uint64_t pack(const struct flow_calls *c)
{
	return c->pops | (uint64_t)c->leaves << LEAVES_SHIFT |
	       (uint64_t)c->highest << HIGHEST_SHIFT | (uint64_t)c->exact << EXACT_SHIFT |
	       (uint64_t)c->count << COUNT_SHIFT;
}

/* Two addresses a block. */
static uint64_t address_at(const struct hs_block *b, unsigned i)
{
	return i % 2 ? img_word(&b[i / 2]) : b[i / 2].iaddr;
}

static void put_calls(struct hs_block *to, const struct flow_calls *c)
{
	uint64_t all[2 * HS_MEMO_CALLS + 1] = { 0 };

	for (unsigned i = 0; i < c->pops; i++)
		all[i] = c->popped[i];
	for (unsigned i = 0; i < c->leaves; i++)
		all[c->pops + i] = c->left[i];
	for (unsigned i = 0; i < flow_calls_blocks(c); i++)
		img_put_block(&to, all[2 * i], all[2 * i + 1]);
}

void flow_calls_add(struct hs_memo *m, const struct hs_memo_run *r, const struct hs_memo_pending *p,
                    uint64_t next, uint64_t priv, const struct flow_calls *c)
{
	const uint64_t mix = flow_memo_mix(&r->key);
	const struct flow_memo_more more = { .blocks = flow_calls_blocks(c),
		                             .word = pack(c),
		                             .mix = c->pops ? flow_calls_mix(mix, p->latest)
		                                            : mix };
	struct hs_block *to = flow_memo_add_more(m, r, p, next, priv, &more);

	if (to)
		put_calls(to, c);
}

/* ---- following runs -------------------------------------------------------------- */

bool flow_calls_fit(const struct hs_memo *m, const struct hs_memo_run *r,
                    const struct flow_call_stack *s)
{
	const struct hs_block *b = m->blocks + r->first + r->blocks;
	const uint64_t word = img_word(b);
	const unsigned pops = (uint8_t)word;

	if (*s->count < pops || ((word >> EXACT_SHIFT & 1) && *s->count != word >> COUNT_SHIFT))
		return false;
	for (unsigned i = 0; i < pops; i++)
		if (s->at[(*s->top - 1 - i) & s->mask] != address_at(b + 1, i))
			return false;
	return true;
}

void flow_calls_follow(const struct hs_memo *m, const struct hs_memo_run *r,
                       const struct flow_call_stack *s)
{
	const struct hs_block *b = m->blocks + r->first + r->blocks;
	const uint64_t word = img_word(b);
	const unsigned pops = (uint8_t)word, leaves = (uint8_t)(word >> LEAVES_SHIFT);
	const uint32_t highest = (uint8_t)(word >> HIGHEST_SHIFT), room = s->mask + 1;
	const uint32_t count = *s->count < room - highest ? *s->count : room - highest;

	*s->top -= pops;
	for (unsigned i = 0; i < leaves; i++)
		s->at[(*s->top)++ & s->mask] = address_at(b + 1, pops + i);
	*s->count = count + leaves - pops; /* a full stack forgot its oldest */
}

static bool is_run(const struct hs_memo *m, uint32_t i, const struct hs_memo_key *k,
                   const struct flow_call_stack *s)
{
	return flow_memo_is(&m->runs[i], k) && flow_calls_fit(m, &m->runs[i], s);
}

struct hs_memo_run *flow_calls_find(const struct hs_memo *m, const struct hs_memo_key *k,
                                    const struct flow_call_stack *s, uint64_t *latest)
{
	const uint64_t mix = flow_memo_mix(k);

	*latest = *latest >> 12 ^ mix;
	uint32_t *guess = &m->guesses[*latest >> m->shift];

	if (likely(is_run(m, *guess, k, s)))
		return &m->runs[*guess];
	uint32_t i = flow_memo_slot(m, k, mix);

	if (!is_run(m, i, k, s))
		i = flow_memo_slot(m, k, flow_calls_mix(mix, flow_calls_latest(s)));
	if (!is_run(m, i, k, s))
		return NULL;
	*guess = i;
	return &m->runs[i];
}
