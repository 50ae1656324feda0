/* Stacks that wait at one address: which one went on shows when it returns. */
#include <stdlib.h>
#include <string.h>

#include "calls/stacks_private.h"

#define SAVED_MAX 256u /* frames after whose return there is no doubt any more */

enum hs_status stacks_doubt(struct stack *t, uint64_t since, bool several)
{
	struct stacks_doubt *d = &t->doubt;
	const uint32_t n = t->depth < SAVED_MAX ? t->depth : SAVED_MAX;

	if (!d->saved)
		d->saved = malloc(SAVED_MAX * sizeof(*d->saved));
	if (!d->saved)
		return HS_E_MEMORY;
	d->addr = stacks_top(t)->resume;
	d->since = since;
	d->several = several;
	d->assumed = t->assumed;
	d->first = t->depth - n;
	d->count = n;
	d->low = t->depth;
	memcpy(d->saved, t->frames + d->first, n * sizeof(*d->saved));
	return HS_OK;
}

/* Does @f end when control comes to @to by a return, of a call or of a trap? */
static bool ends_at(const struct hs_stack_frame *f, const struct hs_block *to)
{
	return f->how == HS_FRAME_CALL ? f->has_resume && f->resume == to->iaddr
	                               : stacks_struck_at(f, to);
}

/* Does @c return as @t did, and then to @to?  @left: the frames that it has then. */
static bool fits(const struct stack *t, const struct stack *c, const struct hs_block *to,
                 uint32_t *left)
{
	const struct stacks_doubt *d = &t->doubt;
	const uint32_t closed = d->first + d->count - t->depth;

	if (c->depth <= closed || !stacks_top(c)->has_resume || stacks_top(c)->resume != d->addr)
		return false;
	for (uint32_t i = 1; i <= closed; i++) {
		const struct hs_stack_frame *a = &c->frames[c->depth - i];
		const struct hs_stack_frame *b = &d->saved[d->count - i];

		if (a->resume != b->resume || a->start != b->start)
			return false;
	}
	*left = c->depth - closed - 1;
	return ends_at(&c->frames[*left], to);
}

/* As it waited. */
static void restore(struct stack *t)
{
	const struct stacks_doubt *d = &t->doubt;

	memcpy(t->frames + d->first, d->saved, d->count * sizeof(*d->saved));
	t->depth = d->first + d->count;
	t->waits_since = d->since;
	t->assumed = d->assumed;
	t->doubt.count = 0;
}

/* The frame that returns to @addr is one of those that waited. */
static bool is_in_doubt(const struct stack *t)
{
	return t->doubt.count && t->depth == t->doubt.low && t->depth > t->doubt.first;
}

/* The stack from number @from on that fits; the count of them: none. */
static size_t find_other(const struct hs_stacks *s, size_t from, const struct hs_block *to,
                         uint32_t *left)
{
	size_t i = from;

	while (i < s->waiting_count &&
	       (!stacks_may_run(s, s->waiting[i]) ||
	        !fits(stacks_hart(s)->stack, s->waiting[i], to, left) || *left == 0))
		i++;
	return i;
}

bool stacks_correct(struct hs_stacks *s, const struct hs_block *to, enum hs_status *status)
{
	struct stacks_hart *h = stacks_hart(s);
	struct stack *t = h->stack;
	uint32_t left, other;
	const size_t i = is_in_doubt(t) ? find_other(s, 0, to, &left) : s->waiting_count;

	*status = HS_OK;
	if (i == s->waiting_count)
		return false;
	struct stack *next = s->waiting[i];
	const bool several = find_other(s, i + 1, to, &other) < s->waiting_count;

	if (several || s->partial)
		*status = stacks_doubt(next, next->waits_since, several);
	restore(t);
	s->waiting[i] = t;
	h->stack = next;
	next->waits_since = 0;
	stacks_close(next, next->depth - left);
	if (several || s->partial)
		stacks_assume(next);
	return true;
}

bool stacks_put_back(struct hs_stacks *s)
{
	struct stack *t = stacks_hart(s)->stack;

	if (!s->partial || !is_in_doubt(t))
		return false;
	restore(t);
	return true;
}

void stacks_confirm(struct hs_stacks *s, const struct hs_block *to)
{
	struct stack *t = stacks_hart(s)->stack;
	uint32_t left;

	if (!is_in_doubt(t) || !t->doubt.several || find_other(s, 0, to, &left) < s->waiting_count)
		return;
	t->doubt.several = false;
	if (s->partial)
		return;
	t->doubt.count = 0;
	t->assumed = t->doubt.assumed < t->depth ? t->doubt.assumed : t->depth - 1;
}
