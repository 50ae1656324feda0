/* Frames that a thread compresses and writes (transport.h). */
#include <stdlib.h>
#include <string.h>

#include "recording/queue.h"
#include "support/crew.h"
#include "support/grow.h"

#define SLOTS 4u

struct slot {
	struct rec_out *out;
	uint8_t *bytes;
	size_t n, cap;
};

struct rec_queue {
	struct rec_zip *zip;
	struct support_crew crew; /* its lock is of what follows, but slots that are in turn */
	struct slot slots[SLOTS];
	uint64_t put, done;
	bool failed;
};

static void *write_frames(void *queue)
{
	struct rec_queue *q = queue;

	support_crew_lock(&q->crew);
	while (!q->crew.stop || q->done < q->put) {
		const struct slot *s = &q->slots[q->done % SLOTS];

		if (q->done == q->put) {
			support_crew_wait(&q->crew);
			continue;
		}
		if (!q->failed) {
			support_crew_unlock(&q->crew);
			const bool good = rec_out_frame(s->out, q->zip, s->bytes, s->n);

			support_crew_lock(&q->crew);
			q->failed = !good;
		}
		q->done++;
		support_crew_wake(&q->crew);
	}
	support_crew_unlock(&q->crew);
	return NULL;
}

struct rec_queue *rec_queue_new(struct rec_zip *zip)
{
	struct rec_queue *q = calloc(1, sizeof(*q));

	if (!q)
		return NULL;
	q->zip = zip;
	if (support_crew_start(&q->crew, write_frames, q))
		return q;
	free(q);
	return NULL;
}

void rec_queue_drain(struct rec_queue *q)
{
	support_crew_lock(&q->crew);
	while (q->done < q->put)
		support_crew_wait(&q->crew);
	support_crew_unlock(&q->crew);
}

void rec_queue_free(struct rec_queue *q)
{
	if (!q)
		return;
	support_crew_end(&q->crew);
	for (unsigned i = 0; i < SLOTS; i++)
		free(q->slots[i].bytes);
	free(q);
}

/* Wait for a slot.  False: a file failed, and no frame is being written. */
static bool wait_for_slot(struct rec_queue *q)
{
	support_crew_lock(&q->crew);
	while (q->put - q->done == SLOTS || (q->failed && q->done < q->put))
		support_crew_wait(&q->crew);
	const bool good = !q->failed;

	support_crew_unlock(&q->crew);
	return good;
}

static bool fill_slot(struct slot *s, const void *bytes, size_t n)
{
	if (!support_grow(&s->bytes, &s->cap, n, 1))
		return false;
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
	support_crew_lock(&q->crew);
	q->put++;
	support_crew_wake(&q->crew);
	support_crew_unlock(&q->crew);
	return true;
}
