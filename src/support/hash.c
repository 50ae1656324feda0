/* The hash table of the hosted rooms: how it grows. */
#include <stdlib.h>
#include <string.h>

#include "support/hash.h"

#define ITEMS_FIRST 256u
#define ITEMS_MAX (UINT32_C(1) << 30)
#define UNIT SUPPORT_HASH_UNIT

static void fill_slot(struct support_hash *t, uint32_t hash, uint32_t item)
{
	uint32_t i = hash & (t->slot_count - 1);

	while (t->slots[i].item)
		i = (i + 1) & (t->slot_count - 1);
	t->slots[i] = (struct support_hash_slot){ hash, item };
}

static bool grow_items(struct support_hash *t)
{
	const uint32_t capacity = t->capacity ? 2 * t->capacity : ITEMS_FIRST;
	void *items = reallocarray(t->items, capacity, t->item_size);

	if (!items)
		return false;
	t->items = items;
	t->capacity = capacity;
	return true;
}

/* Slots for twice as many items. */
static bool grow_slots(struct support_hash *t)
{
	struct support_hash_slot *old = t->slots;
	const uint32_t old_count = t->slot_count;
	const uint32_t slot_count = old_count ? 2 * old_count : 2 * ITEMS_FIRST;
	/* not calloc(): pages that are read before they are written have two faults, of which the
	 * second stops every other thread */
	struct support_hash_slot *slots = reallocarray(NULL, slot_count, sizeof(*slots));

	if (!slots)
		return false;
	memset(slots, 0, slot_count * sizeof(*slots));
	t->slots = slots;
	t->slot_count = slot_count;
	for (uint32_t i = 0; i < old_count; i++)
		if (old[i].item)
			fill_slot(t, old[i].hash, old[i].item);
	free(old);
	return true;
}

void *support_hash_add(struct support_hash *t, uint32_t hash)
{
	const uint64_t offset = (uint64_t)t->count * (t->item_size / UNIT);

	if (t->count == ITEMS_MAX || t->item_size % UNIT || offset >= UINT32_MAX)
		return NULL;
	if (t->count == t->capacity && !grow_items(t))
		return NULL;
	if (2 * (t->count + 1) > t->slot_count && !grow_slots(t))
		return NULL;
	void *item = support_hash_item(t, t->count++);

	memset(item, 0, t->item_size);
	fill_slot(t, hash, (uint32_t)offset + 1);
	return item;
}

void support_hash_clear(struct support_hash *t)
{
	t->count = 0;
	if (t->slots)
		memset(t->slots, 0, t->slot_count * sizeof(*t->slots));
}

void support_hash_free(struct support_hash *t)
{
	free(t->items);
	free(t->slots);
	*t = (struct support_hash){ .item_size = t->item_size };
}
