/* hs_recorder_options.take: words to blocks while they are recorded, in place of files
 * (design/recorder). */
#include <stdlib.h>

#include "recorder/private.h"
#include "recording/live.h"
#include "recording/recording.h"

#define BATCH 4096u

struct recorder_live {
	struct recorder_process *process;
	struct hs_rec *rec;
	hs_recorder_take_fn take;
	void *to;
	bool stopped;         /* it wants no more */
	pthread_mutex_t lock; /* of all of this, and of streams: one hart at a time */
	struct hs_block items[BATCH];
};

/* What of the process's log @log does not have. */
static enum hs_status copy_log(void *live, struct rec_log *log)
{
	struct recorder_process *p = ((struct recorder_live *)live)->process;
	enum hs_status status;

	pthread_mutex_lock(&p->store.lock);
	status = recorder_log_read(p, log->size, recorder_store_size(&p->store.records), log, NULL,
	                           NULL);
	pthread_mutex_unlock(&p->store.lock);
	return status;
}

enum hs_status recorder_live_open(struct recorder_process *p, hs_recorder_take_fn take, void *to)
{
	struct recorder_live *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return HS_E_MEMORY;
	l->process = p;
	l->take = take;
	l->to = to;
	pthread_mutex_init(&l->lock, NULL);
	p->live = l;
	return HS_OK;
}

void recorder_live_close(struct recorder_process *p)
{
	if (p->live == NULL)
		return;
	hs_rec_close(p->live->rec);
	pthread_mutex_destroy(&p->live->lock);
	free(p->live);
	p->live = NULL;
}

/* Give what can be read by now. */
static void give(struct recorder_live *l, struct recorder_hart *h)
{
	struct hs_error error;
	enum hs_status status = HS_OK;
	size_t n;

	while (!l->stopped && status == HS_OK) {
		status = hs_rec_stream_next(h->stream, l->items, BATCH, &n, &error);
		if (n > 0 && !l->take(l->to, l->rec, h->number, l->items, n))
			l->stopped = true;
	}
	h->process->is.damaged |= status != HS_OK && status != HS_MORE && status != HS_END;
}

static bool open_stream(struct recorder_live *l, struct recorder_hart *h)
{
	if (l->rec == NULL && rec_live_open(copy_log, l, &l->rec) != HS_OK)
		return false;
	return rec_live_stream(l->rec, h->number, &h->stream) == HS_OK;
}

void recorder_live_begin(struct recorder_hart *h)
{
	struct recorder_live *l = h->process->live;

	if (h->stream != NULL)
		return;
	pthread_mutex_lock(&l->lock);
	if (!l->stopped && !open_stream(l, h))
		h->process->is.damaged = l->stopped = true;
	pthread_mutex_unlock(&l->lock);
}

void recorder_live_words(struct recorder_hart *h, const uint32_t *words, size_t n)
{
	struct recorder_live *l = h->process->live;

	pthread_mutex_lock(&l->lock);
	if (!l->stopped && rec_live_feed(h->stream, words, n) == HS_OK)
		give(l, h);
	else if (!l->stopped)
		h->process->is.damaged = l->stopped = true;
	pthread_mutex_unlock(&l->lock);
}

void recorder_live_resume(struct recorder_hart *h, const struct hs_rec_log_resume *r)
{
	if (h->stream != NULL && rec_live_resume(h->stream, r) != HS_OK)
		h->process->is.damaged = true;
}

void recorder_live_end(struct recorder_hart *h)
{
	struct recorder_live *l = h->process->live;

	pthread_mutex_lock(&l->lock);
	if (h->stream != NULL) {
		rec_live_end(h->stream);
		give(l, h);
		if (!l->stopped)
			l->stopped = !l->take(l->to, l->rec, h->number, NULL, 0);
		rec_live_close_stream(h->stream);
		h->stream = NULL;
	}
	pthread_mutex_unlock(&l->lock);
}
