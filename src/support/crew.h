/* Threads that work for one object until it stops them, its lock, and what says that something
 * changed. */
#ifndef HS_SUPPORT_CREW_H
#define HS_SUPPORT_CREW_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#define SUPPORT_CREW_MAX 64u

/* A thread looks for a while before it sleeps (design/pool). */
struct support_spin {
	struct timespec from;
};

void support_spin_start(struct support_spin *s);
/* May it look once more? */
bool support_spin_on(const struct support_spin *s);
/* Take a lock that is held for less time than sleeping and waking take. */
void support_spin_lock(pthread_mutex_t *lock);
/* The same for one that another thread soon takes again and again, where there is a core for each:
 * who sleeps costs that thread a call of the kernel each time. */
void support_spin_lock_long(pthread_mutex_t *lock);

/* Is there a core for each of so many threads?  Else who looks takes it from one that works. */
bool support_spin_helps(unsigned threads);

struct support_crew {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool stop;      /* with the lock */
	bool spins;     /* there is a core for each thread: atomic */
	unsigned changes; /* as many as there were, modulo 2^32: atomic */
	unsigned count; /* threads */
	pthread_t threads[SUPPORT_CREW_MAX];
};

/* No threads yet. */
void support_crew_init(struct support_crew *c);
/* Start one more, which takes no signals of the process.  False: there are SUPPORT_CREW_MAX, or the
 * system gives none. */
bool support_crew_add(struct support_crew *c, void *(*run)(void *), void *of);
/* support_crew_init(), and start one.  False: there is none, and nothing to end. */
bool support_crew_start(struct support_crew *c, void *(*run)(void *), void *of);
/* What a thread does: @one again and again, with the lock, and wait for a change where it returns
 * false; until the crew stops. */
void support_crew_work(struct support_crew *c, bool (*one)(void *of), void *of);
/* Stop all threads and wait for their ends; they see @stop with the lock. */
void support_crew_stop(struct support_crew *c);
/* The same, and free what support_crew_init() made. */
void support_crew_end(struct support_crew *c);

static inline bool support_crew_spins(const struct support_crew *c)
{
	return __atomic_load_n(&c->spins, __ATOMIC_RELAXED);
}

static inline void support_crew_lock(struct support_crew *c)
{
	if (support_crew_spins(c))
		support_spin_lock(&c->lock);
	else
		pthread_mutex_lock(&c->lock);
}

static inline void support_crew_unlock(struct support_crew *c)
{
	pthread_mutex_unlock(&c->lock);
}

/* As many changes as there were. */
static inline unsigned support_crew_seen(const struct support_crew *c)
{
	return __atomic_load_n(&c->changes, __ATOMIC_ACQUIRE);
}

/* Wait, with the lock, for a change after @seen, which support_crew_seen() gave before the caller
 * looked for what it waits for.  It may return without one. */
void support_crew_wait_since(struct support_crew *c, unsigned seen);

/* The same for what changes with the lock only. */
static inline void support_crew_wait(struct support_crew *c)
{
	support_crew_wait_since(c, support_crew_seen(c));
}

/* Something changed; with the lock. */
static inline void support_crew_wake(struct support_crew *c)
{
	__atomic_fetch_add(&c->changes, 1, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&c->changed);
}

#endif
