/* Runs of messages that were decoded before. */
#include "flow/memo.h"

/* Blocks of memory for each run. */
#define BLOCKS_EACH 8u

static uint32_t block_capacity(uint32_t runs)
{
	return runs * BLOCKS_EACH + MEMO_ROOM;
}

size_t hs_memo_memory(uint32_t runs)
{
	return (size_t)runs * sizeof(struct hs_memo_run) +
	       (size_t)block_capacity(runs) * sizeof(struct hs_block);
}

static void start_afresh(struct hs_memo *m)
{
	memset(m->runs, 0, ((size_t)m->mask + 1) * sizeof *m->runs);
	m->count = 0;
	m->stats.emptied++;
}

enum hs_status hs_memo_init(struct hs_memo *m, void *memory, uint32_t runs)
{
	if (!memory || (uintptr_t)memory % sizeof(uint64_t) || runs < HS_MEMO_RUNS_MIN ||
	    runs > HS_MEMO_RUNS_MAX || runs & (runs - 1))
		return HS_E_ARG;
	memset(m, 0, sizeof *m);
	m->runs = memory;
	m->blocks = (struct hs_block *)(void *)(m->runs + runs);
	m->capacity = block_capacity(runs);
	m->mask = runs - 1;
	m->shift = 64;
	for (uint32_t n = runs; n > 1; n /= 2)
		m->shift--;
	start_afresh(m);
	m->stats.emptied = 0;
	return HS_OK;
}

const struct hs_memo_stats *hs_memo_get_stats(const struct hs_memo *m)
{
	return &m->stats;
}

void flow_memo_check(struct hs_memo *m, const struct hs_bb_table *t)
{
	if (m->table == t && m->version == t->version)
		return;
	m->table = t;
	m->version = t->version;
	start_afresh(m);
}

/* Copy blocks, as in unknown privilege.  False: one of them is no block. */
static bool take_blocks(struct hs_block *to, const struct hs_block *from, unsigned n, uint64_t priv)
{
	for (unsigned i = 0; i < n; i++) {
		if (from[i].kind != HS_KIND_BLOCK)
			return false;
		img_put_block(&to, from[i].iaddr, img_word(&from[i]) ^ priv);
	}
	return true;
}

bool flow_memo_add(struct hs_memo *m, const struct hs_memo_run *r, const struct hs_block *from,
                   uint64_t priv)
{
	if (m->count + r->blocks + MEMO_GROUP > m->capacity)
		start_afresh(m);
	if (!take_blocks(m->blocks + m->count, from, r->blocks, priv))
		return false;
	struct hs_memo_run *to = &m->runs[flow_memo_slot(m, &r->key)];

	*to = *r;
	to->first = m->count;
	m->count += r->blocks;
	m->stats.kept++;
	return true;
}
