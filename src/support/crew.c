/* Threads that work for one object (crew.h). */
#include "support/crew.h"

void support_crew_init(struct support_crew *c)
{
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->changed, NULL);
	c->stop = false;
	c->count = 0;
}

bool support_crew_add(struct support_crew *c, void *(*run)(void *), void *of)
{
	if (c->count == SUPPORT_CREW_MAX || pthread_create(&c->threads[c->count], NULL, run, of))
		return false;
	c->count++;
	return true;
}

void support_crew_work(struct support_crew *c, bool (*one)(void *of), void *of)
{
	support_crew_lock(c);
	while (!c->stop)
		if (!one(of))
			support_crew_wait(c);
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
