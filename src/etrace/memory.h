/* Tables in the caller's memory: return addresses, jump target cache, branch predictor. */
#ifndef HS_ETRACE_MEMORY_H
#define HS_ETRACE_MEMORY_H

#include <stddef.h>

#include <hartscope/etrace.h>

/* Bytes that the tables of one hart need. */
size_t et_memory(const struct hs_et_resolved *c);

/* The same for one of several sources: tables stay aligned. */
static inline size_t et_source_stride(const struct hs_et_resolved *c)
{
	return (et_memory(c) + 7) / 8 * 8;
}

/* Lay out empty tables in @memory, et_memory() bytes. */
void et_tables_init(struct hs_et_tables *t, const struct hs_et_resolved *c, void *memory);

/* Empty the jump target cache. */
void et_cache_clear(struct hs_et_tables *t);

/* Put a target into the cache. */
static inline void et_fill(struct hs_et_tables *t, unsigned index, uint64_t target)
{
	t->cache[index] = target + 1;
	t->cached = true;
	if (t->fills < HS_ET_FILLS)
		t->filled[t->fills] = target;
	t->fills++;
}

/* How many calls encoder and decoder remember; of two sizes the stack's counts (ET Decoder,
 * push_return_stack). */
static inline uint32_t et_calls(const struct hs_et_resolved *c)
{
	unsigned n = c->return_stack_size ? c->return_stack_size : c->call_counter_size;

	if (n && !c->return_stack_size && c->counter_bits) /* no program has more than 2^16 */
		n = n < 4 ? 1u << n : 16;
	return n ? (uint32_t)1 << n : 0;
}

/* Push and pop need a table: implicit return mode has one. */
static inline void et_push_return(struct hs_et_tables *t, uint64_t addr)
{
	t->returns[t->top++ & t->mask] = addr;
	if (t->count < t->most)
		t->count++;
}

static inline bool et_pop_return(struct hs_et_tables *t, uint64_t *addr)
{
	if (t->count == 0)
		return false;
	t->count--;
	*addr = t->returns[--t->top & t->mask];
	return true;
}

/* Where the next return should lead, if that is known. */
static inline bool et_peek_return(const struct hs_et_tables *t, uint64_t *addr)
{
	if (t->count == 0)
		return false;
	*addr = t->returns[(t->top - 1) & t->mask];
	return true;
}

#endif
