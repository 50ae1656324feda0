/* Threads that work for one object (crew.h). */
#define _GNU_SOURCE /* sched_getaffinity() */
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "support/crew.h"

/* Nanoseconds for which a thread looks before it sleeps: what sleeping and waking cost, where it is
 * much.  So a wait costs at most twice as much as by the better way. */
#define SPIN 30000
#define LOOKS 100u /* for a lock that is taken again and again */

void support_spin_start(struct support_spin *s)
{
	clock_gettime(CLOCK_MONOTONIC, &s->from);
}

bool support_spin_on(const struct support_spin *s)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now); /* which takes as long as is good between two looks */
	return (int64_t)(now.tv_sec - s->from.tv_sec) * 1000000000 + now.tv_nsec - s->from.tv_nsec <
	       SPIN;
}

/* Look for a lock for a while. */
static bool look_for_lock(pthread_mutex_t *lock)
{
	struct support_spin spin;

	support_spin_start(&spin);
	while (support_spin_on(&spin))
		if (pthread_mutex_trylock(lock) == 0)
			return true;
	return false;
}

void support_spin_lock(pthread_mutex_t *lock)
{
	if (pthread_mutex_trylock(lock) != 0 && !look_for_lock(lock))
		pthread_mutex_lock(lock);
}

void support_spin_lock_long(pthread_mutex_t *lock)
{
	if (pthread_mutex_trylock(lock) == 0)
		return;
	for (unsigned i = 0; i < LOOKS; i++)
		if (look_for_lock(lock))
			return;
	pthread_mutex_lock(lock);
}

bool support_spin_helps(unsigned threads)
{
	cpu_set_t cpus;

	return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 &&
	       threads <= (unsigned)CPU_COUNT(&cpus);
}

void support_crew_init(struct support_crew *c)
{
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->changed, NULL);
	c->stop = c->spins = false;
	c->changes = 0;
	c->count = 0;
}

/* Signals of the process are for the threads of the caller, who may hold them for a while; what a
 * thread itself causes is for that thread. */
static void block_signals(sigset_t *before)
{
	static const int own[] = { SIGABRT, SIGBUS,  SIGFPE, SIGILL, SIGPIPE,
		                   SIGSEGV, SIGTRAP, SIGSYS, SIGXFSZ };
	sigset_t blocked;

	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		sigdelset(&blocked, own[i]);
	pthread_sigmask(SIG_BLOCK, &blocked, before);
}

static bool start_thread(pthread_t *thread, void *(*run)(void *), void *of)
{
	sigset_t before;

	block_signals(&before);
	const bool good = pthread_create(thread, NULL, run, of) == 0;

	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return good;
}

bool support_crew_add(struct support_crew *c, void *(*run)(void *), void *of)
{
	if (c->count == SUPPORT_CREW_MAX || !start_thread(&c->threads[c->count], run, of))
		return false;
	c->count++;
	__atomic_store_n(&c->spins, support_spin_helps(c->count + 1), __ATOMIC_RELAXED);
	return true;
}

bool support_crew_start(struct support_crew *c, void *(*run)(void *), void *of)
{
	support_crew_init(c);
	if (support_crew_add(c, run, of))
		return true;
	support_crew_end(c);
	return false;
}

/* Look for a change, without the lock; with it afterwards. */
static void look_for_change(struct support_crew *c, unsigned seen)
{
	struct support_spin spin;

	support_crew_unlock(c);
	support_spin_start(&spin);
	while (support_crew_seen(c) == seen && support_spin_on(&spin))
		;
	support_crew_lock(c);
}

void support_crew_wait_since(struct support_crew *c, unsigned seen)
{
	if (support_crew_spins(c))
		look_for_change(c, seen);
	if (support_crew_seen(c) == seen)
		pthread_cond_wait(&c->changed, &c->lock);
}

void support_crew_work(struct support_crew *c, bool (*one)(void *of), void *of)
{
	support_crew_lock(c);
	while (!c->stop) {
		const unsigned seen = support_crew_seen(c);

		if (!one(of) && !c->stop)
			support_crew_wait_since(c, seen);
	}
	support_crew_unlock(c);
}

void support_crew_stop(struct support_crew *c)
{
	support_crew_lock(c);
	c->stop = true;
	support_crew_wake(c);
	support_crew_unlock(c);
	while (c->count)
		pthread_join(c->threads[--c->count], NULL);
}

void support_crew_end(struct support_crew *c)
{
	support_crew_stop(c);
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->changed);
}
