/* Threads that share pieces of work (team.h). */
#include "common/team.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct member {
	struct team *team;
	pthread_t thread;
	unsigned number;
};

struct team {
	pthread_mutex_t lock; /* of what follows, down to @stop */
	pthread_cond_t begun, ended;
	team_work *work;
	void *to;
	unsigned count, next; /* pieces, and the next one that nobody does */
	unsigned running;     /* pieces that somebody does */
	bool stop;
	unsigned member_count;
	struct member members[];
};

/* Do pieces as long as there are any; with the lock. */
static void do_pieces(struct team *t, unsigned thread)
{
	while (t->next < t->count) {
		const unsigned piece = t->next++;

		t->running++;
		pthread_mutex_unlock(&t->lock);
		t->work(t->to, piece, thread);
		pthread_mutex_lock(&t->lock);
		t->running--;
	}
	if (!t->running)
		pthread_cond_signal(&t->ended);
}

static void *run_member(void *member)
{
	const struct member *m = member;
	struct team *t = m->team;

	pthread_mutex_lock(&t->lock);
	while (!t->stop) {
		if (t->next < t->count)
			do_pieces(t, m->number);
		else
			pthread_cond_wait(&t->begun, &t->lock);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

struct team *team_new(uint32_t threads)
{
	struct team *t = calloc(1, sizeof(*t) + threads * sizeof(*t->members));

	if (!t)
		return NULL;
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->begun, NULL);
	pthread_cond_init(&t->ended, NULL);
	while (t->member_count + 1 < threads) {
		struct member *m = &t->members[t->member_count];

		m->team = t;
		m->number = t->member_count + 1;
		if (pthread_create(&m->thread, NULL, run_member, m) != 0)
			break;
		t->member_count++;
	}
	return t;
}

void team_free(struct team *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->stop = true;
	pthread_cond_broadcast(&t->begun);
	pthread_mutex_unlock(&t->lock);
	while (t->member_count)
		pthread_join(t->members[--t->member_count].thread, NULL);
	pthread_mutex_destroy(&t->lock);
	pthread_cond_destroy(&t->begun);
	pthread_cond_destroy(&t->ended);
	free(t);
}

void team_run(struct team *t, team_work *work, void *to, unsigned count)
{
	if (!t) {
		for (unsigned i = 0; i < count; i++)
			work(to, i, 0);
		return;
	}
	pthread_mutex_lock(&t->lock);
	t->work = work;
	t->to = to;
	t->count = count;
	t->next = 0;
	pthread_cond_broadcast(&t->begun);
	do_pieces(t, 0);
	while (t->running)
		pthread_cond_wait(&t->ended, &t->lock);
	pthread_mutex_unlock(&t->lock);
}
