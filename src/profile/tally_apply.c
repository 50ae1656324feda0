/* Tallies (tally.h): what was counted as a profile and as calls. */
#include "profile/tally.h"
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

/* ---- a profile -------------------------------------------------------------------- */

/* Bring the profile to the hart and context of a block without counting anything. */
static enum hs_status stand_profile(struct hs_profile *p, const struct tally_key *k)
{
	const struct hs_block hart = hart_item(k->hart), context = context_item(k->context);
	enum hs_status s = hs_profile_add_times(p, &hart, 0);

	if (s == HS_OK && (k->flags & TALLY_CONTEXT))
		s = hs_profile_add_times(p, &context, 0);
	return s;
}

static enum hs_status give_profile(struct hs_profile *p, const struct tally_entry *e)
{
	const struct hs_block item = tally_item(&e->key);
	const bool context = item.kind == HS_KIND_CONTEXT && item.arg == PROGRAM_SCONTEXT;
	const struct hs_block before =
		context_item(e->key.flags & TALLY_CHANGE ? item.value + 1 : item.value);
	enum hs_status s = stand_profile(p, &e->key);

	if (s == HS_OK && context)
		s = hs_profile_add_times(p, &before, 0);
	return s == HS_OK ? hs_profile_add_times(p, &item, e->count) : s;
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

enum hs_status hs_tally_apply(const struct hs_tally *t, struct hs_profile *profile,
                              struct hs_calls *calls)
{
	const struct tally_entry *e = t->entries.items;
	enum hs_status s = HS_OK;

	for (uint32_t i = 0; i < t->entries.count && s == HS_OK; i++) {
		if (profile)
			s = give_profile(profile, &e[i]);
		if (s == HS_OK && calls)
			s = give_calls(calls, &e[i]);
	}
	return s;
}
