/* Comparing on a thread of its own, while the caller's decodes (ADR-0310). */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "commands/check_compare.h"

#define ROOMS 8u
#define ROOM 2048u /* items: of runs, some 15,000 blocks */

struct room {
	struct hs_block items[ROOM];
	size_t n;
};

struct lane {
	struct comparison *c;
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows, down to @decided */
	pthread_cond_t changed;
	uint64_t filled, taken; /* rooms */
	bool waits;             /* the caller's thread does, until at most so many are filled: */
	uint64_t most;
	bool ended;   /* there are no more items */
	bool decided; /* no more are of use */
	struct room rooms[ROOMS];
};

/* The next room that is filled; NULL: there are no more. */
static const struct room *wait_for_room(struct lane *l)
{
	const struct room *r;

	pthread_mutex_lock(&l->lock);
	while (l->filled == l->taken && !l->ended)
		pthread_cond_wait(&l->changed, &l->lock);
	r = l->filled == l->taken ? NULL : &l->rooms[l->taken % ROOMS];
	pthread_mutex_unlock(&l->lock);
	return r;
}

static void give_back(struct lane *l, bool decided)
{
	pthread_mutex_lock(&l->lock);
	l->taken++;
	l->decided = decided;
	if (l->waits && l->filled - l->taken <= l->most)
		pthread_cond_signal(&l->changed);
	pthread_mutex_unlock(&l->lock);
}

static void *compare(void *lane)
{
	struct lane *l = lane;
	const struct room *r = wait_for_room(l);

	for (bool decided = false; r; r = wait_for_room(l)) {
		decided = decided || !compare_batch(l->c, r->items, r->n);
		give_back(l, decided);
	}
	return NULL;
}

/* Until at most so many rooms are filled.  Returns whether more items are of use. */
static bool wait_until(struct lane *l, uint64_t most)
{
	bool decided;

	pthread_mutex_lock(&l->lock);
	l->most = most;
	l->waits = true;
	while (l->filled - l->taken > most)
		pthread_cond_wait(&l->changed, &l->lock);
	l->waits = false;
	decided = l->decided;
	pthread_mutex_unlock(&l->lock);
	return !decided;
}

static bool fill_room(struct lane *l, const struct hs_block *items, size_t n)
{
	struct room *r = &l->rooms[l->filled % ROOMS]; /* only this thread changes @filled */
	bool full, decided;

	memcpy(r->items, items, n * sizeof(*items));
	r->n = n;
	pthread_mutex_lock(&l->lock);
	l->filled++;
	if (l->filled - l->taken == 1)
		pthread_cond_signal(&l->changed);
	full = l->filled - l->taken == ROOMS;
	decided = l->decided;
	pthread_mutex_unlock(&l->lock);
	return full ? wait_until(l, ROOMS / 2) : !decided;
}

/* Does the decoder forget its runs after these items? */
static bool ends_runs(const struct hs_block *items, size_t n)
{
	bool ends = false;

	for (size_t i = 0; i < n; i++)
		ends |= items[i].kind == HS_KIND_RUN && !items[i].ilast;
	return ends;
}

static bool hand_over(void *lane, const struct hs_block *items, size_t n)
{
	struct lane *l = lane;
	bool more = true;

	for (size_t at = 0; at < n && more; at += ROOM)
		more = fill_room(l, items + at, n - at < ROOM ? n - at : ROOM);
	return more && (!ends_runs(items, n) || wait_until(l, 0));
}

static void end(struct lane *l)
{
	pthread_mutex_lock(&l->lock);
	l->ended = true;
	pthread_cond_signal(&l->changed);
	pthread_mutex_unlock(&l->lock);
	pthread_join(l->thread, NULL);
	pthread_mutex_destroy(&l->lock);
	pthread_cond_destroy(&l->changed);
}

bool check_in_lane(struct comparison *c, bool *whole)
{
	struct lane *l = malloc(sizeof(*l));
	const struct block_taker taker = { "comparing", c->quiet, hand_over, l, false };

	if (!l)
		return false;
	memset(l, 0, offsetof(struct lane, rooms));
	l->c = c;
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->changed, NULL);
	if (pthread_create(&l->thread, NULL, compare, l) != 0) {
		pthread_mutex_destroy(&l->lock);
		pthread_cond_destroy(&l->changed);
		free(l);
		return false;
	}
	*whole = read_blocks(&taker, c->subject, &c->damage);
	end(l);
	*whole &= !l->decided;
	free(l);
	return true;
}
