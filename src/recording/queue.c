/* Frames that a thread compresses and writes (queue.h). */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "recording/queue.h"

#define SLOTS 4u

struct slot {
	struct rec_out *out;
	uint8_t *bytes;
	size_t n, cap;
};

struct rec_queue {
	struct rec_zip *zip;
	pthread_mutex_t lock; /* of what follows, but slots that are in turn */
	pthread_cond_t changed;
	struct slot slots[SLOTS];
	uint64_t put, done;
	bool failed, stop;
	pthread_t thread;
};

static void *write_frames(void *queue)
{
	struct rec_queue *q = queue;

	pthread_mutex_lock(&q->lock);
	while (!q->stop || q->done < q->put) {
		const struct slot *s = &q->slots[q->done % SLOTS];

		if (q->done == q->put) {
			pthread_cond_wait(&q->changed, &q->lock);
			continue;
		}
		if (!q->failed) {
			pthread_mutex_unlock(&q->lock);
			const bool good = rec_out_frame(s->out, q->zip, s->bytes, s->n);

			pthread_mutex_lock(&q->lock);
			q->failed = !good;
		}
		q->done++;
		pthread_cond_broadcast(&q->changed);
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

struct rec_queue *rec_queue_new(struct rec_zip *zip)
{
	struct rec_queue *q = calloc(1, sizeof(*q));

	if (!q)
		return NULL;
	q->zip = zip;
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->changed, NULL);
	if (pthread_create(&q->thread, NULL, write_frames, q) == 0)
		return q;
	pthread_mutex_destroy(&q->lock);
	pthread_cond_destroy(&q->changed);
	free(q);
	return NULL;
}

void rec_queue_drain(struct rec_queue *q)
{
	pthread_mutex_lock(&q->lock);
	while (q->done < q->put)
		pthread_cond_wait(&q->changed, &q->lock);
	pthread_mutex_unlock(&q->lock);
}

void rec_queue_free(struct rec_queue *q)
{
	if (!q)
		return;
	pthread_mutex_lock(&q->lock);
	q->stop = true;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
	pthread_join(q->thread, NULL);
	pthread_mutex_destroy(&q->lock);
	pthread_cond_destroy(&q->changed);
	for (unsigned i = 0; i < SLOTS; i++)
		free(q->slots[i].bytes);
	free(q);
}

/* Wait for a slot.  False: a file failed, and no frame is being written. */
static bool wait_for_slot(struct rec_queue *q)
{
	pthread_mutex_lock(&q->lock);
	while (q->put - q->done == SLOTS || (q->failed && q->done < q->put))
		pthread_cond_wait(&q->changed, &q->lock);
	const bool good = !q->failed;

	pthread_mutex_unlock(&q->lock);
	return good;
}

static bool fill_slot(struct slot *s, const void *bytes, size_t n)
{
	uint8_t *more = n <= s->cap ? s->bytes : realloc(s->bytes, n);

	if (!more)
		return false;
	s->cap = n <= s->cap ? s->cap : n;
	s->bytes = more;
	s->n = n;
	memcpy(s->bytes, bytes, n);
	return true;
}

bool rec_queue_frame(struct rec_queue *q, struct rec_out *out, const void *bytes, size_t n)
{
	struct slot *s = &q->slots[q->put % SLOTS];

	if (!n || !wait_for_slot(q))
		return !n;
	if (!fill_slot(s, bytes, n)) { /* without memory: on this thread */
		rec_queue_drain(q);
		return rec_out_frame(out, q->zip, bytes, n);
	}
	s->out = out;
	pthread_mutex_lock(&q->lock);
	q->put++;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
	return true;
}
