/* Tallies (tally.h): what was counted, as counts (counts.h). */
#include "counts/private.h"
#include "counts/tally.h"
#include "program/select.h"

static struct hs_block context_item(uint64_t context)
{
	return (struct hs_block){ .value = context,
		                  .arg = PROGRAM_SCONTEXT,
		                  .kind = HS_KIND_CONTEXT };
}

static struct hs_block hart_item(uint32_t hart)
{
	return (struct hs_block){ .arg = hart, .kind = HS_KIND_HART };
}

/* ---- items ------------------------------------------------------------------------ */

static enum hs_status give_item(const struct tally_entry *e, struct hs_counts *to)
{
	const struct tally_key *k = &e->key;
	const struct hs_block item = tally_item(k), hart = hart_item(k->hart);
	const struct hs_block context = context_item(k->context);
	const bool changes = item.kind == HS_KIND_CONTEXT && item.arg == PROGRAM_SCONTEXT;
	const struct hs_block before =
		context_item(k->flags & TALLY_CHANGE ? item.value + 1 : item.value);
	enum hs_status s = counts_add_times(to, &hart, 0);

	if (s == HS_OK && (k->flags & TALLY_CONTEXT))
		s = counts_add_times(to, &context, 0);
	if (s == HS_OK && changes)
		s = counts_add_times(to, &before, 0);
	return s == HS_OK ? counts_add_times(to, &item, e->count) : s;
}

/* ---- calls ------------------------------------------------------------------------ */

static enum hs_status give_calls(struct hs_calls *c, const struct tally_entry *e)
{
	const struct tally_key *k = &e->key;
	const struct hs_block to = tally_item(k);
	const struct hs_block before[] = {
		hart_item(k->hart),
		{ .kind = HS_KIND_GAP }, /* what was before means nothing */
		context_item(k->from_context),
		{ .iaddr = k->from, .iretire = 1, .ilast = 1, .itype = k->from_itype },
		context_item(k->context),
	};
	enum hs_status s = HS_OK;

	if (to.kind != HS_KIND_BLOCK || !(k->flags & TALLY_FROM))
		return HS_OK;
	for (size_t i = 0; i < sizeof(before) / sizeof(*before) && s == HS_OK; i++) {
		if ((i == 2 && !(k->flags & TALLY_FROM_CONTEXT)) ||
		    (i == 4 && !(k->flags & TALLY_CONTEXT)))
			continue;
		s = hs_calls_add(c, &before[i], 1);
	}
	return s == HS_OK ? hs_calls_add_times(c, &to, e->count) : s;
}

enum hs_status hs_tally_apply(const struct hs_tally *t, struct hs_counts *counts)
{
	const struct tally_entry *e = t->entries.items;
	enum hs_status s = HS_OK;

	for (uint32_t i = 0; i < t->entries.count && s == HS_OK; i++)
		s = give_item(&e[i], counts);
	for (uint32_t i = 0; counts_wants(counts, HS_COUNTS_CALLS) && i < t->entries.count; i++)
		s = s == HS_OK ? give_calls(counts->calls, &e[i]) : s;
	return s;
}
