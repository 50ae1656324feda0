/* Pieces that threads make, in their order (ordered.h). */
#include "common/ordered.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct ordered_thread {
	struct ordered *of;
	pthread_t thread;
	unsigned number;
};

struct ordered {
	ordered_make *make;
	void *to;
	char *pieces;
	size_t size;
	unsigned count;
	uint64_t taken;       /* pieces before it are done with */
	pthread_mutex_t lock; /* of what follows, down to @stop */
	pthread_cond_t given_one, made_one;
	uint64_t given, begun; /* pieces before them */
	bool *made;
	bool stop;
	unsigned thread_count;
	struct ordered_thread threads[];
};

static void *piece_at(const struct ordered *o, uint64_t number)
{
	return o->pieces + o->size * (number % o->count);
}

/* Make the next piece that nobody has begun; with the lock. */
static void make_one(struct ordered *o, unsigned thread)
{
	const uint64_t number = o->begun++;

	pthread_mutex_unlock(&o->lock);
	o->make(o->to, piece_at(o, number), thread);
	pthread_mutex_lock(&o->lock);
	o->made[number % o->count] = true;
	pthread_cond_signal(&o->made_one);
}

static void *run_thread(void *thread)
{
	const struct ordered_thread *t = thread;
	struct ordered *o = t->of;

	pthread_mutex_lock(&o->lock);
	while (!o->stop) {
		if (o->begun < o->given)
			make_one(o, t->number);
		else
			pthread_cond_wait(&o->given_one, &o->lock);
	}
	pthread_mutex_unlock(&o->lock);
	return NULL;
}

static bool add_thread(struct ordered *o)
{
	struct ordered_thread *t = &o->threads[o->thread_count];

	*t = (struct ordered_thread){ .of = o, .number = o->thread_count + 1 };
	if (pthread_create(&t->thread, NULL, run_thread, t) != 0)
		return false;
	o->thread_count++;
	return true;
}

struct ordered *ordered_new(uint32_t threads, void *pieces, size_t size, unsigned count,
                            ordered_make *make, void *to)
{
	struct ordered *o = calloc(1, sizeof(*o) + threads * sizeof(*o->threads));

	if (!o)
		return NULL;
	*o = (struct ordered){
		.make = make, .to = to, .pieces = pieces, .size = size, .count = count
	};
	o->made = calloc(count, sizeof(*o->made));
	if (!o->made) {
		free(o);
		return NULL;
	}
	pthread_mutex_init(&o->lock, NULL);
	pthread_cond_init(&o->given_one, NULL);
	pthread_cond_init(&o->made_one, NULL);
	while (o->thread_count + 1 < threads && add_thread(o))
		;
	return o;
}

void ordered_free(struct ordered *o)
{
	if (!o)
		return;
	pthread_mutex_lock(&o->lock);
	o->stop = true;
	pthread_cond_broadcast(&o->given_one);
	pthread_mutex_unlock(&o->lock);
	while (o->thread_count)
		pthread_join(o->threads[--o->thread_count].thread, NULL);
	pthread_mutex_destroy(&o->lock);
	pthread_cond_destroy(&o->given_one);
	pthread_cond_destroy(&o->made_one);
	free(o->made);
	free(o);
}

/* Only the caller's thread changes @given and @taken. */
void *ordered_room(const struct ordered *o)
{
	return o->given - o->taken < o->count ? piece_at(o, o->given) : NULL;
}

void ordered_give(struct ordered *o)
{
	pthread_mutex_lock(&o->lock);
	o->given++;
	pthread_cond_signal(&o->given_one);
	pthread_mutex_unlock(&o->lock);
}

void *ordered_take(struct ordered *o)
{
	if (o->taken == o->given)
		return NULL;
	pthread_mutex_lock(&o->lock);
	while (!o->made[o->taken % o->count]) {
		if (o->begun < o->given)
			make_one(o, 0);
		else
			pthread_cond_wait(&o->made_one, &o->lock);
	}
	pthread_mutex_unlock(&o->lock);
	return piece_at(o, o->taken);
}

void ordered_done(struct ordered *o)
{
	pthread_mutex_lock(&o->lock);
	o->made[o->taken % o->count] = false;
	o->taken++;
	pthread_mutex_unlock(&o->lock);
}

void ordered_all(struct ordered *o)
{
	for (unsigned i = 0; i < o->count; i++)
		ordered_give(o);
	for (unsigned i = 0; i < o->count; i++) {
		ordered_take(o);
		ordered_done(o);
	}
}
