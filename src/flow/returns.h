/* The stack of return addresses, for N-Trace's decoder and encoder (NT 9.2). */
#ifndef HS_FLOW_RETURNS_H
#define HS_FLOW_RETURNS_H

#include <stdbool.h>

#include <hartscope/private/flow.h>

static inline void returns_push(struct hs_returns *r, uint64_t addr, uint32_t depth)
{
	r->at[r->top++ % HS_RETURNS] = addr;
	if (r->count < depth)
		r->count++;
}

static inline bool returns_pop(struct hs_returns *r, uint64_t *addr)
{
	if (r->count == 0)
		return false;
	r->count--;
	*addr = r->at[--r->top % HS_RETURNS];
	return true;
}

#endif
