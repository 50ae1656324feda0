/* Functions that another thread works out (private.h).
 *
 * A program is for one thread, and so is finding the instructions of functions and their lines.
 * What follows from these uses neither the program nor the files that were found: another thread
 * does it for each function, in the order in which they were found, so that the result is that of
 * one thread.  Basic blocks depend on the function only: where the other thread has enough to do,
 * they are found before. */
#include <stdlib.h>

#include "counts/coverage_private.h"
#include "support/pool.h"

#define SLOTS 32u

struct coverage_relay {
	struct hs_coverage *c;
	struct hs_pool *pool; /* the functions are the jobs of one strand */
	struct coverage_found slots[SLOTS];
	uint64_t put, taken;
	uint64_t done; /* atomic */
	bool failed;   /* atomic */
};

static void work_out_next(void *relay, uint32_t strand, uint32_t thread)
{
	struct coverage_relay *r = relay;
	const uint64_t done = __atomic_load_n(&r->done, __ATOMIC_RELAXED);

	(void)strand;
	(void)thread;
	if (!coverage_work_out(r->c, &r->slots[done % SLOTS]))
		__atomic_store_n(&r->failed, true, __ATOMIC_RELAXED);
	__atomic_store_n(&r->done, done + 1, __ATOMIC_RELAXED);
}

struct coverage_relay *coverage_relay_new(struct hs_coverage *c)
{
	struct coverage_relay *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->c = c;
	if (hs_pool_new(&r->pool, 2, 1, work_out_next, r) == HS_OK)
		return r;
	free(r);
	return NULL;
}

/* Wait until at most so many functions are not worked out. */
static void wait_until(struct coverage_relay *r, uint64_t most)
{
	for (; r->put - r->taken > most; r->taken++)
		hs_pool_take(r->pool, 0);
}

/* Does the thread have work for a while? */
static bool has_enough(const struct coverage_relay *r)
{
	return r->put - __atomic_load_n(&r->done, __ATOMIC_RELAXED) > SLOTS / 2;
}

bool coverage_relay_put(struct coverage_relay *r, struct coverage_found *f)
{
	if (has_enough(r) && !coverage_graph_link(&f->graph, f->counts)) {
		coverage_graph_free(&f->graph);
		return false;
	}
	wait_until(r, SLOTS - 1);
	r->slots[r->put++ % SLOTS] = *f;
	hs_pool_give(r->pool, 0);
	return !__atomic_load_n(&r->failed, __ATOMIC_RELAXED);
}

bool coverage_relay_end(struct coverage_relay *r)
{
	wait_until(r, 0);
	hs_pool_free(r->pool);
	const bool good = !r->failed;

	free(r);
	return good;
}
