/* The stack of return addresses, for N-Trace's decoder and encoder (NT 9.2). */
#ifndef HS_FLOW_RETURNS_H
#define HS_FLOW_RETURNS_H

#include <stdbool.h>

#include <hartscope/memo.h>

/* The stack of a walk. */
static inline struct hs_returns *returns_of(struct hs_walk *w)
{
	return (struct hs_returns *)(void *)((unsigned char *)w + w->returns);
}

/* The top of a stack moved up. */
static inline void returns_mark_push(struct hs_call_marks *m, uint32_t top)
{
	if ((int32_t)(top - m->highest) > 0)
		m->highest = top;
}

/* The same, down. */
static inline void returns_mark_pop(struct hs_call_marks *m, uint32_t top)
{
	if ((int32_t)(top - m->lowest) < 0)
		m->lowest = top;
}

static inline void returns_push(struct hs_returns *r, uint64_t addr, uint32_t depth)
{
	r->at[r->top++ % HS_RETURNS] = addr;
	returns_mark_push(&r->marks, r->top);
	if (r->count < depth)
		r->count++;
}

static inline bool returns_pop(struct hs_returns *r, uint64_t *addr)
{
	r->marks.dry |= r->count == 0;
	if (r->count == 0)
		return false;
	r->count--;
	*addr = r->at[--r->top % HS_RETURNS];
	returns_mark_pop(&r->marks, r->top);
	return true;
}

#endif
