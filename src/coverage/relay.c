/* Functions that another thread works out (private.h).
 *
 * A program is for one thread, and so is finding the instructions of functions and their lines.
 * What follows from these uses neither the program nor the files that were found: another thread
 * does it for each function, in the order in which they were found, so that the result is that of
 * one thread.  Basic blocks depend on the function only: where the other thread has enough to do,
 * they are found before. */
#include <stdlib.h>

#include "coverage/private.h"
#include "support/crew.h"

#define SLOTS 32u

struct coverage_relay {
	struct hs_coverage *c;
	struct support_crew crew; /* its lock is of what follows, but slots that are in turn */
	struct coverage_found slots[SLOTS];
	uint64_t put, done;
	bool failed;
};

/* Work out the next function, with the lock but while that is done.  False: there is none. */
static bool work_out_next(void *relay)
{
	struct coverage_relay *r = relay;
	struct coverage_found *f = &r->slots[r->done % SLOTS];

	if (r->done == r->put)
		return false;
	support_crew_unlock(&r->crew);
	const bool good = coverage_work_out(r->c, f);

	support_crew_lock(&r->crew);
	r->failed |= !good;
	r->done++;
	support_crew_wake(&r->crew);
	return true;
}

static void *run_thread(void *relay)
{
	struct coverage_relay *r = relay;

	support_crew_work(&r->crew, work_out_next, r);
	return NULL;
}

struct coverage_relay *coverage_relay_new(struct hs_coverage *c)
{
	struct coverage_relay *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->c = c;
	support_crew_init(&r->crew);
	if (support_crew_add(&r->crew, run_thread, r))
		return r;
	support_crew_end(&r->crew);
	free(r);
	return NULL;
}

/* Does the thread have work for a while? */
static bool has_enough(struct coverage_relay *r)
{
	support_crew_lock(&r->crew);
	const bool enough = r->put - r->done > SLOTS / 2;

	support_crew_unlock(&r->crew);
	return enough;
}

bool coverage_relay_put(struct coverage_relay *r, struct coverage_found *f)
{
	if (has_enough(r) && !coverage_graph_link(&f->graph, f->counts)) {
		coverage_graph_free(&f->graph);
		return false;
	}
	support_crew_lock(&r->crew);
	while (r->put - r->done == SLOTS)
		support_crew_wait(&r->crew);
	r->slots[r->put % SLOTS] = *f;
	r->put++;
	const bool good = !r->failed;

	support_crew_wake(&r->crew);
	support_crew_unlock(&r->crew);
	return good;
}

bool coverage_relay_end(struct coverage_relay *r)
{
	support_crew_lock(&r->crew);
	while (r->done < r->put)
		support_crew_wait(&r->crew);
	support_crew_unlock(&r->crew);
	support_crew_end(&r->crew);
	const bool good = !r->failed;

	free(r);
	return good;
}
