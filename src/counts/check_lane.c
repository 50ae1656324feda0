/* Comparing on a thread of its own, while the caller's decodes (design/compare). */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "counts/check.h"
#include "support/pool.h"

#define ROOMS 8u
#define ROOM 2048u /* items: of paths, some 15,000 blocks */

struct room {
	struct hs_block items[ROOM];
	size_t n;
};

struct lane {
	struct check *c;
	struct hs_pool *pool;   /* the rooms are the jobs of one strand */
	uint64_t filled, taken; /* rooms */
	uint64_t compared;      /* by the strand */
	bool decided;           /* no more items are of use: atomic */
	struct room rooms[ROOMS];
};

static bool is_decided(const struct lane *l)
{
	return __atomic_load_n(&l->decided, __ATOMIC_RELAXED);
}

static void compare(void *lane, uint32_t strand, uint32_t thread)
{
	struct lane *l = lane;
	const struct room *r = &l->rooms[l->compared++ % ROOMS];

	(void)strand;
	(void)thread;
	if (!is_decided(l) && !compare_batch(l->c, r->items, r->n))
		__atomic_store_n(&l->decided, true, __ATOMIC_RELAXED);
}

/* Wait until at most so many rooms are filled.  Returns whether more items are of use. */
static bool wait_until(struct lane *l, uint64_t most)
{
	for (; l->filled - l->taken > most; l->taken++)
		hs_pool_take(l->pool, 0);
	return !is_decided(l);
}

static bool fill_room(struct lane *l, const struct hs_block *items, size_t n)
{
	struct room *r = &l->rooms[l->filled++ % ROOMS];

	memcpy(r->items, items, n * sizeof(*items));
	r->n = n;
	hs_pool_give(l->pool, 0);
	return wait_until(l, l->filled - l->taken == ROOMS ? ROOMS / 2 : ROOMS);
}

/* Does the decoder forget its paths after these items? */
static bool ends_paths(const struct hs_block *items, size_t n)
{
	bool ends = false;

	for (size_t i = 0; i < n; i++)
		ends |= items[i].kind == HS_KIND_PATH && !items[i].ilast;
	return ends;
}

static bool hand_over(void *lane, const struct hs_block *items, size_t n)
{
	struct lane *l = lane;
	bool more = true;

	for (size_t at = 0; at < n && more; at += ROOM)
		more = fill_room(l, items + at, n - at < ROOM ? n - at : ROOM);
	return more && (!ends_paths(items, n) || wait_until(l, 0));
}

bool compare_in_lane(struct check *c, bool *whole)
{
	struct lane *l = malloc(sizeof(*l));

	if (!l)
		return false;
	memset(l, 0, offsetof(struct lane, rooms));
	l->c = c;
	if (hs_pool_new(&l->pool, 2, 1, compare, l) != HS_OK) {
		free(l);
		return false;
	}
	*whole = compare_read_subject(c, hand_over, l);
	*whole &= wait_until(l, 0);
	hs_pool_free(l->pool);
	free(l);
	return true;
}
