/* Jobs on several threads, whose results are taken in order (pool.h).
 *
 * A thread that is free takes a job of the strand of which the fewest results wait to be taken,
 * and of these the one that is next in turn after the strand that was taken last: where the caller
 * goes round, that is the oldest. */
#include <stdlib.h>

#include "support/crew.h"
#include "support/pool.h"

struct pool_strand {
	uint64_t given, done, taken; /* jobs */
	bool busy;                   /* one of them runs */
};

struct pool_thread {
	struct hs_pool *pool;
	uint32_t number;
};

struct hs_pool {
	hs_pool_job *job;
	void *to;
	uint32_t strand_count;
	struct support_crew crew; /* its lock is of what follows, and of strands */
	uint32_t turn;            /* the strand that is looked at first */
	uint64_t waiting;         /* jobs that no thread has begun */
	struct pool_thread threads[SUPPORT_CREW_MAX];
	struct pool_strand strands[];
};

/* Has it a job that can begin? */
static bool is_ready(const struct pool_strand *s)
{
	return !s->busy && s->given > s->done;
}

/* The strand whose job is to run next; NULL: there is none. */
static struct pool_strand *choose_strand(struct hs_pool *p)
{
	struct pool_strand *best = NULL;

	for (uint32_t i = 0; i < p->strand_count && p->waiting; i++) {
		struct pool_strand *s = &p->strands[(p->turn + i) % p->strand_count];

		if (is_ready(s) && (!best || s->done - s->taken < best->done - best->taken))
			best = s;
		if (best && best->done == best->taken)
			break;
	}
	return best;
}

/* Do a job, with the lock.  False: there is nothing to do now. */
static bool run_one(struct hs_pool *p, uint32_t thread)
{
	struct pool_strand *s = choose_strand(p);

	if (!s)
		return false;
	s->busy = true;
	p->waiting--;
	support_crew_unlock(&p->crew);
	p->job(p->to, (uint32_t)(s - p->strands), thread);
	support_crew_lock(&p->crew);
	s->busy = false;
	s->done++;
	support_crew_wake(&p->crew);
	return true;
}

static bool run_of_thread(void *thread)
{
	const struct pool_thread *t = thread;

	return run_one(t->pool, t->number);
}

static void *run_thread(void *thread)
{
	struct pool_thread *t = thread;

	support_crew_work(&t->pool->crew, run_of_thread, t);
	return NULL;
}

static bool add_thread(struct hs_pool *p)
{
	const uint32_t n = p->crew.count;

	if (n == SUPPORT_CREW_MAX)
		return false;
	p->threads[n] = (struct pool_thread){ p, n + 1 };
	return support_crew_add(&p->crew, run_thread, &p->threads[n]);
}

enum hs_status hs_pool_new(struct hs_pool **pool, uint32_t threads, uint32_t strands,
                           hs_pool_job *job, void *to)
{
	struct hs_pool *p = calloc(1, sizeof(*p) + strands * sizeof(*p->strands));

	*pool = p;
	if (!p)
		return HS_E_MEMORY;
	p->job = job;
	p->to = to;
	p->strand_count = strands;
	support_crew_init(&p->crew);
	while (p->crew.count + 1 < threads && add_thread(p))
		;
	return HS_OK;
}

void hs_pool_give(struct hs_pool *p, uint32_t strand)
{
	support_crew_lock(&p->crew);
	p->strands[strand].given++;
	p->waiting++;
	support_crew_wake(&p->crew);
	support_crew_unlock(&p->crew);
}

bool hs_pool_take(struct hs_pool *p, uint32_t strand)
{
	struct pool_strand *s = &p->strands[strand];

	support_crew_lock(&p->crew);
	const bool any = s->taken < s->given;

	p->turn = strand;
	while (any && s->done == s->taken)
		if (!run_one(p, 0))
			support_crew_wait(&p->crew);
	s->taken += any;
	p->turn = (strand + 1) % p->strand_count;
	support_crew_unlock(&p->crew);
	return any;
}

void hs_pool_free(struct hs_pool *p)
{
	if (!p)
		return;
	support_crew_end(&p->crew);
	free(p);
}
