/* Paths where the trace leaves out the targets of returns (memo_calls.h). */
#include "flow/memo_calls.h"

/* ---- adding a path ---------------------------------------------------------------- */

void flow_calls_begin(struct hs_memo_pending *p, const struct flow_call_stack *s)
{
	p->top = *s->top;
	p->count = *s->count;
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
	return c->pops | (uint64_t)c->leaves << CALLS_LEAVES_SHIFT |
	       (uint64_t)c->highest << CALLS_HIGHEST_SHIFT |
	       (uint64_t)c->exact << CALLS_EXACT_SHIFT | (uint64_t)c->count << CALLS_COUNT_SHIFT;
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

void flow_calls_add(struct hs_memo *m, const struct hs_memo_path *path,
                    const struct hs_memo_pending *p, uint64_t next, uint64_t priv,
                    const struct flow_calls *c, const struct flow_own *own)
{
	const uint64_t mix = flow_memo_mix(&path->key);
	const struct flow_memo_more more = { .blocks = flow_calls_blocks(c),
		                             .word = pack(c),
		                             .mix = c->pops ? flow_calls_mix(mix, c->popped[0])
		                                            : mix,
		                             .own = own };
	struct hs_block *to = flow_memo_add_more(m, path, p, next, priv, &more);

	if (to)
		put_calls(to, c);
}
