/* Instructions of a damaged trace that nothing confirms (counts.h).
 *
 * A decoder notices damage later than it happened: what it wrote since the last message that said
 * where the hart was, it may have written of another flow.  So the trace is read once more, in
 * order and with each synchronisation as an item, and what is between the last one of a hart and a
 * gap is counted.  Only a trace with such gaps is read twice, and up to the last of them.
 *
 *     SYNC  block  block  SYNC  block  GAP        the last block is not confirmed */
#include <stdlib.h>

#include "counts/private.h"
#include "program/block_count.h"
#include "source/source.h"
#include "support/grow.h"

#define SYNC_NOTIFIES 6u /* NT Table 25; of E-Trace an address that is relative */

struct unproven {
	struct program_select select;
	struct program_counts counts;
	uint64_t *since; /* by select.index: instructions since the hart was synchronised */
	size_t room, harts;
	uint64_t gaps; /* that are still to come */
	uint64_t sum;
	enum hs_status status;
};

bool counts_gap_doubts(const struct hs_block *gap)
{
	return gap->arg != HS_E_LOST && gap->arg != HS_E_TRUNCATED && gap->arg != HS_E_CUT;
}

/* The count of the current hart; NULL: no memory. */
static uint64_t *since(struct unproven *u)
{
	if (!support_grow(&u->since, &u->room, (size_t)u->select.index + 1, sizeof(*u->since))) {
		u->status = HS_E_MEMORY;
		return NULL;
	}
	while (u->harts <= u->select.index)
		u->since[u->harts++] = 0;
	return &u->since[u->select.index];
}

static void take_block(struct unproven *u, const struct hs_block *b)
{
	uint64_t *n = since(u);
	uint32_t more = 0;

	if (n)
		u->status = program_count_block(&u->counts, &u->select, b, &more);
	if (n)
		*n += more;
}

static void take_event(struct unproven *u, const struct hs_block *b)
{
	u->status = program_select_event(&u->select, b);
	uint64_t *n = u->status == HS_OK ? since(u) : NULL;

	if (!n)
		return;
	if (b->kind == HS_KIND_GAP && counts_gap_doubts(b)) {
		u->sum += *n;
		u->gaps--;
	}
	if (b->kind == HS_KIND_GAP || (b->kind == HS_KIND_SYNC && b->itype != SYNC_NOTIFIES))
		*n = 0;
}

static bool take_items(void *to, const struct hs_block *items, size_t n)
{
	struct unproven *u = to;

	for (size_t i = 0; i < n && u->gaps && u->status == HS_OK; i++) {
		if (items[i].kind == HS_KIND_BLOCK)
			take_block(u, &items[i]);
		else
			take_event(u, &items[i]);
	}
	return u->gaps && u->status == HS_OK;
}

static enum hs_status read_again(struct hs_source *source, struct unproven *u)
{
	const struct hs_taker each = { .to = u, .take = take_items };
	struct hs_error e;
	const enum hs_status s = hs_source_rewind(source, &e);

	return s == HS_OK ? hs_source_follow(source, &each) : s;
}

enum hs_status hs_counts_get_unproven(struct hs_counts *c, uint64_t *instructions)
{
	struct unproven u = { .gaps = c->blocks.doubts };
	enum hs_status s = HS_OK;

	if (!c->has_blocks || !c->o.source)
		return HS_E_ARG;
	if (u.gaps && !source_show_syncs(c->o.source))
		return HS_E_UNSUPPORTED;
	program_select_start(&u.select, c->o.program, c->o.programs);
	u.status = program_select_hart(&u.select, 0);
	if (u.gaps && u.status == HS_OK)
		s = read_again(c->o.source, &u);
	program_select_end(&u.select);
	program_counts_free(&u.counts);
	free(u.since);
	if (u.status == HS_OK && (s == HS_OK || s == HS_MORE))
		*instructions = u.sum;
	return u.status != HS_OK ? u.status : s == HS_MORE ? HS_OK : s;
}
