/* --keep-last: the compressed streams of a session in memory, of which the oldest parts go when
 * there is enough without them (design/recorder).
 *
 * A stream consists of segments.  Each but a hart's first begins with HS_REC_ESCAPE_ANEW, so that
 * reading may begin there; the plugin writes one when hs_wire_hart.anews asks for it.  Segments
 * that have ended are in one list for all harts, in the order in which they ended: what is kept of
 * several harts is of the same time. */
#include <stdlib.h>
#include <string.h>

#include "recorder/private.h"

#define PARTS 8u /* segments of one size of the ring */
#define LEAST 16384u

/* A frame. */
struct piece {
	struct piece *next;
	size_t size;
	uint8_t bytes[];
};

struct recorder_segment {
	struct recorder_segment *newer; /* of all harts, where it has ended */
	struct recorder_segment *next;  /* of this hart */
	struct recorder_hart *hart;
	struct piece *first, **last;
	uint64_t bytes;
	uint64_t before;  /* instructions of the hart before it */
	uint32_t signals; /* the same */
};

static void free_segment(struct recorder_segment *s)
{
	for (struct piece *p = s->first, *next; p != NULL; p = next) {
		next = p->next;
		free(p);
	}
	free(s);
}

/* Take the oldest one out of the list; its hart has newer ones, or has ended. */
static void drop_oldest(struct recorder_keep *k)
{
	struct recorder_segment *s = k->oldest;

	k->oldest = s->newer;
	if (k->oldest == NULL)
		k->newest = &k->oldest;
	k->bytes -= s->bytes;
	s->hart->keep.kept = s->next;
	free_segment(s);
}

void recorder_keep_init(struct recorder_keep *k, uint64_t limit)
{
	*k = (struct recorder_keep){ .limit = limit, .lock = PTHREAD_MUTEX_INITIALIZER };
	k->newest = &k->oldest;
}

static void end_segment(struct recorder_keep *k, struct recorder_segment *s)
{
	*k->newest = s;
	k->newest = &s->newer;
}

/* The words that follow are a segment of their own. */
bool recorder_keep_begin(struct recorder_hart *h)
{
	struct recorder_keep *k = h->process->keep;
	struct recorder_segment *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return false;
	*s = (struct recorder_segment){ .hart = h,
		                        .signals = h->handlers.signals,
		                        .last = &s->first };
	pthread_mutex_lock(&k->lock);
	if (h->keep.keeping != NULL) {
		h->keep.keeping->next = s;
		end_segment(k, h->keep.keeping);
	} else {
		h->keep.kept = s;
		k->harts++;
	}
	h->keep.keeping = s;
	h->keep.asked = false;
	pthread_mutex_unlock(&k->lock);
	return true;
}

/* The hart has ended: what there is of it may go when it is the oldest. */
void recorder_keep_end(struct recorder_hart *h)
{
	struct recorder_keep *k = h->process->keep;

	if (h->keep.keeping == NULL)
		return;
	pthread_mutex_lock(&k->lock);
	end_segment(k, h->keep.keeping);
	h->keep.keeping = NULL;
	k->harts--;
	pthread_mutex_unlock(&k->lock);
}

void recorder_keep_before(struct recorder_hart *h, uint64_t instructions)
{
	if (h->keep.keeping != NULL)
		h->keep.keeping->before = instructions;
}

/* Ask for the next segment when this one is large enough. */
static void ask(struct recorder_hart *h, uint64_t limit, uint32_t harts)
{
	const uint64_t share = limit / PARTS / harts;

	if (h->keep.asked || h->keep.keeping->bytes < (share < LEAST ? LEAST : share))
		return;
	h->keep.asked = true;
	__atomic_add_fetch(&h->wire->anews, 1, __ATOMIC_RELAXED);
}

/* Count bytes of the segment that grows; the oldest go for them. */
static void add_bytes(struct recorder_hart *h, size_t n)
{
	struct recorder_keep *k = h->process->keep;

	pthread_mutex_lock(&k->lock);
	h->keep.keeping->bytes += n;
	k->bytes += n;
	while (k->oldest != NULL && k->bytes - k->oldest->bytes >= k->limit)
		drop_oldest(k);
	ask(h, k->limit, k->harts);
	pthread_mutex_unlock(&k->lock);
}

bool recorder_keep_frame(struct recorder_hart *h, const void *bytes, size_t n)
{
	struct piece *p = malloc(sizeof(*p) + n);

	if (p == NULL)
		return false;
	p->next = NULL;
	p->size = n;
	memcpy(p->bytes, bytes, n);
	*h->keep.keeping->last = p;
	h->keep.keeping->last = &p->next;
	add_bytes(h, n);
	return true;
}

/* Take a hart's segments out of the list of those that may go. */
static struct recorder_segment *take_segments(struct recorder_hart *h)
{
	struct recorder_keep *k = h->process->keep;
	struct recorder_segment *first;

	pthread_mutex_lock(&k->lock);
	for (struct recorder_segment **s = &k->oldest; *s != NULL;)
		if ((*s)->hart == h)
			*s = (*s)->newer;
		else
			s = &(*s)->newer;
	for (k->newest = &k->oldest; *k->newest != NULL;)
		k->newest = &(*k->newest)->newer;
	first = h->keep.kept;
	for (struct recorder_segment *s = first; s != NULL; s = s->next)
		k->bytes -= s->bytes;
	h->keep.kept = NULL;
	pthread_mutex_unlock(&k->lock);
	return first;
}

/* The hart has ended: write what there is of it. */
void recorder_keep_write(struct recorder_hart *h)
{
	struct recorder_segment *s = take_segments(h);

	h->keep.skipped = s == NULL ? h->at.instructions : s->before;
	h->keep.skipped_signals = s == NULL ? h->handlers.signals : s->signals;
	for (struct recorder_segment *next; s != NULL; s = next) {
		next = s->next;
		for (const struct piece *p = s->first; p != NULL; p = p->next)
			rec_out_bytes(&h->out, p->bytes, p->size);
		free_segment(s);
	}
}

/* The signals before the first segment that is kept. */
static uint32_t first_signal(struct recorder_hart *h)
{
	struct recorder_keep *k = h->process->keep;
	uint32_t n;

	pthread_mutex_lock(&k->lock);
	n = h->keep.kept == NULL ? 0 : h->keep.kept->signals;
	pthread_mutex_unlock(&k->lock);
	return n;
}

/* Make room for a resume: those of signals that are not kept go. */
static bool make_room(struct recorder_hart *h)
{
	const uint32_t first = first_signal(h);
	uint32_t n = 0, room = h->keep.resume_room == 0 ? 64 : 2 * h->keep.resume_room;
	struct hs_rec_log_resume *more;

	for (uint32_t i = 0; i < h->keep.resume_count; i++)
		if (h->keep.resumes[i].signal >= first)
			h->keep.resumes[n++] = h->keep.resumes[i];
	h->keep.resume_count = n;
	if (h->keep.resume_room != 0 && n < h->keep.resume_room / 2)
		return true;
	more = realloc(h->keep.resumes, room * sizeof(*more));
	if (more == NULL)
		return false;
	h->keep.resumes = more;
	h->keep.resume_room = room;
	return true;
}

/* Keep where a handler returned to.  A program may do nothing but take signals, of which a segment
 * of words, compressed, can have a million: they count, too. */
bool recorder_keep_resume(struct recorder_hart *h, const struct hs_rec_log_resume *r)
{
	if (h->keep.resume_count == h->keep.resume_room && !make_room(h))
		return false;
	h->keep.resumes[h->keep.resume_count++] = *r;
	add_bytes(h, sizeof(*r));
	return true;
}

/* Write them, by the signals of the stream as it is written. */
void recorder_keep_write_resumes(struct recorder_hart *h)
{
	for (uint32_t i = 0; i < h->keep.resume_count; i++) {
		struct hs_rec_log_resume r = h->keep.resumes[i];

		if (r.signal < h->keep.skipped_signals)
			continue;
		r.signal -= h->keep.skipped_signals;
		recorder_log_resume(h->process, &r);
	}
	free(h->keep.resumes);
	h->keep.resumes = NULL;
	h->keep.resume_count = h->keep.resume_room = 0;
}
