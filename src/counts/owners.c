/* Whose the counted blocks are (owners.h). */
#include <stdlib.h>
#include <string.h>

#include "guest/guest.h"
#include "counts/owners.h"

static bool same_owner(const void *item, const void *key)
{
	const struct owner *a = item, *b = key;

	return a->at.context == b->at.context && a->at.has_context == b->at.has_context &&
	       a->hart == b->hart && a->task == b->task;
}

static bool same_group(const void *item, const void *key)
{
	const struct hs_profile_group *a = item, *b = key;

	return a->task == b->task && a->hart == b->hart &&
	       (a->task || (a->context == b->context && a->has_context == b->has_context));
}

static enum hs_status number_group(struct support_hash *groups, const struct hs_profile_group *key,
                                   uint32_t *number)
{
	const uint32_t hash = support_hash_of((uintptr_t)key->task, key->task ? 0 : key->context);
	struct hs_profile_group *known = support_hash_find(groups, hash, same_group, key);

	if (!known) {
		known = support_hash_add(groups, hash);
		if (!known)
			return HS_E_MEMORY;
		*known = *key;
	}
	*number = (uint32_t)(known - (struct hs_profile_group *)groups->items);
	return HS_OK;
}

/* The group of an owner: its process, or its context where that is not known; its hart. */
static enum hs_status find_groups(struct owners *o, struct owner *owner)
{
	const bool process = profile_by_task(o);
	const struct hs_profile_group hart = { .hart = owner->hart };
	const struct hs_profile_group key = {
		.hart = o->by == HS_PROFILE_BY_HART ? owner->hart : 0,
		.task = process ? owner->task : NULL,
		.context = process ? owner->at.context : 0,
		.has_context = process && owner->at.has_context,
	};
	const enum hs_status s = number_group(&o->groups, &key, &owner->group);

	return s == HS_OK && o->has_harts ? number_group(&o->harts, &hart, &owner->hart_group) : s;
}

/* The number of an owner, a new one the first time. */
static enum hs_status number_owner(struct owners *o, const struct owner *key, uint32_t *number)
{
	const uint32_t hash =
		support_hash_of(key->at.context ^ (uint64_t)key->hart << 48, (uintptr_t)key->task);
	struct owner *known = support_hash_find(&o->all, hash, same_owner, key);

	if (!known) {
		known = support_hash_add(&o->all, hash);
		if (!known)
			return HS_E_MEMORY;
		*known = *key;
		if (find_groups(o, known) != HS_OK)
			return HS_E_MEMORY;
	}
	*number = (uint32_t)(known - (struct owner *)o->all.items);
	return HS_OK;
}

enum hs_status profile_owners_start(struct owners *o, struct hs_guest *guest, enum hs_profile_by by,
                                    bool harts)
{
	const struct owner nobody = { .at.has_context = false };

	*o = (struct owners){ .guest = guest,
		              .by = by,
		              .has_harts = harts,
		              .all.item_size = sizeof(struct owner),
		              .groups.item_size = sizeof(struct hs_profile_group),
		              .harts.item_size = sizeof(struct hs_profile_group) };
	return number_owner(o, &nobody, &o->now);
}

void profile_owners_end(struct owners *o)
{
	support_hash_free(&o->all);
	support_hash_free(&o->groups);
	support_hash_free(&o->harts);
}

static const struct hs_guest_task *find_task(const struct owners *o, const struct owner *key,
                                             uint32_t hart)
{
	struct hs_guest_at at = key->at;

	if (o->by != HS_PROFILE_BY_THREAD)
		return at.has_context ? hs_guest_find_task(o->guest, &at) : NULL;
	at.has_hart = true;
	at.hart = hart;
	return hs_guest_find_thread(o->guest, &at);
}

enum hs_status profile_owners_follow(struct owners *o, const struct program_select *select,
                                     uint64_t switches)
{
	struct owner key = { .at.has_context = false };

	if (o->by == HS_PROFILE_BY_HART || o->has_harts)
		key.hart = select->hart;
	if (number_owner(o, &key, &o->shared) != HS_OK)
		return HS_E_MEMORY;
	if (o->guest || profile_by_task(o)) {
		key.at.context = select->at.context;
		key.at.has_context = select->at.has_context;
		key.at.moment = select->at.moment;
		key.at.has_moment = select->at.has_moment;
	}
	if (o->guest)
		key.task = find_task(o, &key, select->hart);
	const uint32_t before = o->now;

	if (number_owner(o, &key, &o->now) != HS_OK)
		return HS_E_MEMORY;
	if (!profile_by_task(o))
		return HS_OK;
	o->shared = o->now;
	if (o->by == HS_PROFILE_BY_THREAD)
		switches = key.task ? profile_owner(o, before)->task != key.task : switches;
	profile_group(o, profile_owner(o, o->now)->group)->switches += switches;
	return HS_OK;
}

/* ---- the result --------------------------------------------------------------- */

static int hottest_first(const void *a, const void *b)
{
	const struct hs_profile_group *x = a, *y = b;

	if (x->instructions != y->instructions)
		return x->instructions > y->instructions ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static bool is_empty(const struct hs_profile_group *g)
{
	return !g->blocks && !g->switches;
}

/* The modes that ran, as groups. */
static size_t fill_modes(const struct hs_profile_result *r, struct hs_profile_group *to)
{
	size_t n = 0;

	for (unsigned priv = 0; priv < 8; priv++) {
		struct hs_profile_group g = { .number = priv,
			                      .priv = (uint8_t)priv,
			                      .instructions = r->modes[priv].instructions };

		for (unsigned i = 0; i < 16; i++) {
			g.ends[i] = r->modes[priv].ends[i];
			g.blocks += g.ends[i];
		}
		if (!is_empty(&g))
			to[n++] = g;
	}
	return n;
}

struct hs_profile_group *profile_groups(const struct owners *o, struct hs_profile_result *result)
{
	struct hs_profile_group *to = calloc(o->groups.count + 8u, sizeof(*to));
	size_t n = 0;

	if (!to)
		return NULL;
	if (o->by == HS_PROFILE_BY_MODE)
		n = fill_modes(result, to);
	for (uint32_t i = 0;
	     i < o->groups.count && (profile_by_task(o) || o->by == HS_PROFILE_BY_HART); i++) {
		to[n] = *profile_group(o, i);
		to[n].number = i;
		n += !is_empty(&to[n]);
	}
	qsort(to, n, sizeof(*to), hottest_first);
	result->groups = to;
	result->group_count = n;
	return to;
}

struct hs_profile_group *profile_harts(const struct owners *o, struct hs_profile_result *result)
{
	struct hs_profile_group *to = calloc(o->harts.count + 1u, sizeof(*to));
	size_t n = 0;

	if (!to)
		return NULL;
	for (uint32_t i = 0; i < o->harts.count; i++) {
		to[n] = *profile_hart(o, i);
		to[n].number = i;
		n += i || o->harts.count < 2 || to[n].instructions;
	}
	qsort(to, n, sizeof(*to), hottest_first);
	result->groups = to;
	result->group_count = n;
	return to;
}
