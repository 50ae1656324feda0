/* A hash table of the hosted rooms: open addressing over items that lie one after another.
 *
 * Items have one size and keep the number under which they were added, 0, 1, 2 and so on, so that a
 * caller may walk over @items as over an array.  The table knows hashes; what makes two keys equal
 * is the caller's function, which the compiler expands in place.
 */
#ifndef HS_SUPPORT_HASH_H
#define HS_SUPPORT_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the sizes of items are multiples of: a host of 32 bits may align structures to 4. */
#define SUPPORT_HASH_UNIT sizeof(void *)

struct support_hash_slot {
	uint32_t hash;
	uint32_t item; /* 1 + its offset in units; 0: the slot is free */
};

/* Zero but for item_size is an empty table. */
struct support_hash {
	size_t item_size; /* a multiple of SUPPORT_HASH_UNIT */
	void *items;
	uint32_t count, capacity; /* items */
	uint32_t slot_count;      /* a power of two, at least twice count; or 0 */
	struct support_hash_slot *slots;
};

typedef bool (*support_same_fn)(const void *item, const void *key);

/* The hash of a key of two words. */
static inline uint32_t support_hash_of(uint64_t a, uint64_t b)
{
	return (uint32_t)((a ^ (b << 32 | b >> 32)) * 0x9e3779b97f4a7c15ull >> 32);
}

/* The hash of a key of text. */
static inline uint32_t support_hash_text(const char *text)
{
	uint64_t h = 1469598103934665603u; /* FNV-1a */

	for (const char *p = text; *p; p++)
		h = (h ^ (unsigned char)*p) * 1099511628211u;
	return (uint32_t)(h >> 32 ^ h);
}

/* The item with a number below @t->count. */
static inline void *support_hash_item(const struct support_hash *t, uint32_t number)
{
	return (char *)t->items + number * t->item_size;
}

/* The item that is @same as @key; NULL: there is none.  Valid until the next support_hash_add(). */
static inline void *support_hash_find(const struct support_hash *t, uint32_t hash,
                                      support_same_fn same, const void *key)
{
	const uint32_t mask = t->slot_count - 1;

	if (!t->count)
		return NULL;
	for (uint32_t i = hash & mask; t->slots[i].item; i = (i + 1) & mask) {
		void *item = (char *)t->items + SUPPORT_HASH_UNIT * ((size_t)t->slots[i].item - 1);

		if (t->slots[i].hash == hash && same(item, key))
			return item;
	}
	return NULL;
}

/* A new item, all zero, for a key that is not in the table.  NULL: no memory, or too many items. */
void *support_hash_add(struct support_hash *t, uint32_t hash);

/* Remove all items; their memory is kept for the next ones. */
void support_hash_clear(struct support_hash *t);

/* Remove all items and free their memory. */
void support_hash_free(struct support_hash *t);

#endif
