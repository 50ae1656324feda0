/* The return addresses that an encoder keeps (NT 9.2). */
#ifndef HS_NTRACE_CALL_STACK_H
#define HS_NTRACE_CALL_STACK_H

#include <hartscope/ntrace.h>

#include "flow/returns.h"
#include "ntrace/tables.h"

/* The stack of dialects that skip places: a ring of @depth places and one that only pushes use. */
static inline void skipping_push(struct hs_returns *r, uint64_t addr, uint32_t depth)
{
	r->top = r->top >= depth ? 0 : r->top + 1;
	r->at[r->top] = addr;
	r->count += r->count < depth;
}

static inline bool skipping_pop(struct hs_returns *r, uint64_t *addr, uint32_t depth)
{
	if (r->count == 0)
		return false;
	r->count--;
	*addr = r->at[r->top];
	r->top = r->top ? r->top - 1 : depth - 1;
	return true;
}

/* A ring that has its one more place. */
static inline bool stack_skips(const struct hs_nt_encoder *e)
{
	return e->dialect->stack_skips && e->config.call_stack < NT_CALL_STACK;
}

static inline bool nt_pop_return(struct hs_nt_encoder *e)
{
	return stack_skips(e) ? skipping_pop(&e->returns, &e->predicted, e->config.call_stack)
	                      : returns_pop(&e->returns, &e->predicted);
}

static inline void nt_push_return(struct hs_nt_encoder *e, uint64_t addr)
{
	if (stack_skips(e))
		skipping_push(&e->returns, addr, e->config.call_stack);
	else
		returns_push(&e->returns, addr, e->config.call_stack);
}

#endif
