/* Jobs of a pool: which run at once, in which order they are taken, and on whose threads. */
#include "cases.h"
#include "support/pool.h"

#include <pthread.h>
#include <signal.h>

#define STRANDS_MOST 8u
#define ROUNDS 50u

static const struct row {
	const char *name;
	uint32_t threads, strands, ahead; /* ahead: jobs of a strand that wait */
} rows[] = {
	{ "one thread", 1, 3, 2 },
	{ "two threads, one strand", 2, 1, 4 },
	{ "a strand for each thread", 3, 3, 1 },
	{ "more strands than threads", 2, 8, 3 },
	{ "more threads than strands", 6, 2, 2 },
	{ "more threads than there may be", 100, 4, 2 },
};

struct work {
	const struct row *row;
	uint32_t begun[STRANDS_MOST], done[STRANDS_MOST]; /* jobs, by the strand alone */
	uint64_t value[STRANDS_MOST];
	uint32_t wrong; /* atomic */
};

/* Numbers that depend on the order of a strand's jobs. */
static uint64_t next_value(uint64_t value, uint32_t number)
{
	return value * 31 + number + 1;
}

static void job(void *to, uint32_t strand, uint32_t thread)
{
	struct work *w = to;
	const uint32_t number = w->begun[strand]++;

	if (number != w->done[strand] || thread >= w->row->threads || thread > 64)
		__atomic_fetch_add(&w->wrong, 1, __ATOMIC_RELAXED);
	w->value[strand] = next_value(w->value[strand], number);
	w->done[strand]++;
}

/* Give each strand so many jobs ahead, take one of each in turn and give it another one. */
TEST_ROWS(in_turn, rows, row)
{
	const uint32_t jobs = row->ahead + ROUNDS;
	struct work w = { .row = row };
	struct hs_pool *pool;
	uint64_t want = 0;

	assert_int_equal(hs_pool_new(&pool, row->threads, row->strands, job, &w), HS_OK);
	for (uint32_t i = 0; i < row->strands * row->ahead; i++)
		hs_pool_give(pool, i % row->strands);
	for (uint32_t i = 0; i < row->strands * ROUNDS; i++) {
		assert_true(hs_pool_take(pool, i % row->strands));
		hs_pool_give(pool, i % row->strands);
	}
	for (uint32_t s = 0; s < row->strands; s++)
		for (uint32_t i = 0; i <= row->ahead; i++)
			assert_int_equal(hs_pool_take(pool, s), i < row->ahead);
	hs_pool_free(pool);
	for (uint32_t i = 0; i < jobs; i++)
		want = next_value(want, i);
	for (uint32_t s = 0; s < row->strands; s++) {
		assert_int_equal(w.done[s], jobs);
		assert_int_equal(w.value[s], want);
	}
	assert_int_equal(w.wrong, 0);
}

struct seen {
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	uint32_t jobs;
	bool takes[64], waits; /* waits: each job until two run */
	uint32_t threads;      /* that are not the caller's */
};

/* Which signals the thread of a job takes. */
static void look(void *to, uint32_t strand, uint32_t thread)
{
	struct seen *s = to;
	sigset_t blocked;

	(void)strand;
	pthread_mutex_lock(&s->lock);
	s->jobs++;
	pthread_cond_broadcast(&s->changed);
	while (s->waits && s->jobs < 2)
		pthread_cond_wait(&s->changed, &s->lock);
	s->threads += thread != 0;
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	for (int i = 1; i < 32 && thread; i++)
		s->takes[i] |= !sigismember(&blocked, i);
	pthread_mutex_unlock(&s->lock);
}

/* Two jobs that wait for each other run at the same time, one of them on the pool's thread: of the
 * process that thread takes no signals, of its own it does. */
TEST(the_threads_take_no_signals)
{
	struct seen s = { .lock = PTHREAD_MUTEX_INITIALIZER,
		          .changed = PTHREAD_COND_INITIALIZER,
		          .waits = true };
	sigset_t before, after;
	struct hs_pool *pool;

	pthread_sigmask(SIG_SETMASK, NULL, &before);
	assert_int_equal(hs_pool_new(&pool, 2, 2, look, &s), HS_OK);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	hs_pool_give(pool, 0);
	hs_pool_give(pool, 1);
	assert_true(hs_pool_take(pool, 1));
	assert_true(hs_pool_take(pool, 0));
	hs_pool_free(pool);
	assert_int_equal(s.threads, 1);
	assert_int_equal(sigismember(&after, SIGINT), sigismember(&before, SIGINT));
	assert_false(s.takes[SIGINT]);
	assert_false(s.takes[SIGTERM]);
	assert_false(s.takes[SIGALRM]);
	assert_true(s.takes[SIGPIPE]);
	assert_true(s.takes[SIGSEGV]);
}

/* Jobs that nobody has begun are not done when a pool ends: with one thread, none of them. */
TEST(jobs_that_nobody_began_are_dropped)
{
	const struct row row = { "", 1, 2, 1 };
	struct work w = { .row = &row };
	struct hs_pool *pool;

	assert_int_equal(hs_pool_new(&pool, 1, 2, job, &w), HS_OK);
	hs_pool_give(pool, 0);
	hs_pool_give(pool, 1);
	hs_pool_free(pool);
	hs_pool_free(NULL);
	assert_int_equal(w.begun[0] + w.begun[1], 0);
}
