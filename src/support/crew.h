/* Threads that work for one object until it stops them, its lock, and what says that something
 * changed. */
#ifndef HS_SUPPORT_CREW_H
#define HS_SUPPORT_CREW_H

#include <pthread.h>
#include <stdbool.h>

#define SUPPORT_CREW_MAX 64u

struct support_crew {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool stop;      /* with the lock */
	unsigned count; /* threads */
	pthread_t threads[SUPPORT_CREW_MAX];
};

/* No threads yet. */
void support_crew_init(struct support_crew *c);
/* Start one more.  False: there are SUPPORT_CREW_MAX, or the system gives none. */
bool support_crew_add(struct support_crew *c, void *(*run)(void *), void *of);
/* What a thread does: @one again and again, with the lock, and wait for a change where it returns
 * false; until the crew stops. */
void support_crew_work(struct support_crew *c, bool (*one)(void *of), void *of);
/* Stop all threads and wait for their ends; they see @stop with the lock. */
void support_crew_stop(struct support_crew *c);
/* The same, and free what support_crew_init() made. */
void support_crew_end(struct support_crew *c);

static inline void support_crew_lock(struct support_crew *c)
{
	pthread_mutex_lock(&c->lock);
}

static inline void support_crew_unlock(struct support_crew *c)
{
	pthread_mutex_unlock(&c->lock);
}

/* Wait for a change, with the lock. */
static inline void support_crew_wait(struct support_crew *c)
{
	pthread_cond_wait(&c->changed, &c->lock);
}

/* Something changed; with the lock. */
static inline void support_crew_wake(struct support_crew *c)
{
	pthread_cond_broadcast(&c->changed);
}

#endif
