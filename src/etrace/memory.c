/* Tables in the caller's memory (design/et-layouts). */
#include "etrace/memory.h"

#include "core/mem.h"

/* Sizes of tables are logarithms; 0: there is no table. */
static size_t entries(unsigned log2)
{
	return log2 ? (size_t)1 << log2 : 0;
}

size_t et_memory(const struct hs_et_resolved *c)
{
	return sizeof(uint64_t) * (entries(c->cache_size) + et_calls(c)) + entries(c->bpred_size);
}

void et_tables_init(struct hs_et_tables *t, const struct hs_et_resolved *c, void *memory)
{
	uint64_t *at = memory;

	memset(t, 0, sizeof *t);
	if (et_memory(c) == 0)
		return;
	memset(memory, 0, et_memory(c));
	t->cache = c->cache_size ? at : NULL;
	t->targets = (uint32_t)entries(c->cache_size);
	at += entries(c->cache_size);
	t->returns = et_calls(c) ? at : NULL;
	t->mask = et_calls(c) ? et_calls(c) - 1 : 0;
	/* a counter of n bits counts to 2^n - 1, one less than there are entries */
	t->most = et_calls(c) - (c->counter_bits && !c->return_stack_size && et_calls(c));
	at += et_calls(c);
	t->states = c->bpred_size ? (uint8_t *)at : NULL;
}

void et_cache_clear(struct hs_et_tables *t)
{
	if (t->cached)
		memset(t->cache, 0, sizeof(uint64_t) * t->targets);
	t->cached = false;
}
