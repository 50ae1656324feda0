/* A trace that several threads decode: the chunks in their order (parallel.h). */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "flow/flow.h"
#include "source/parallel.h"
#include "support/crew.h"
#include "support/large.h"
#include "support/sum.h"

#define THREADS_MAX SUPPORT_CREW_MAX
#define CHUNK_BYTES \
	((size_t)1 << 17)           /* by default: places are not wanted, and all bytes are there */
#define SHARED_BYTES ((size_t)1 << 18) /* the same, where threads take shares of the work */
#define COUNTED_BYTES ((size_t)1 << 21) /* the same, at most, where paths are counted */
#define COUNTED_EACH 8u                 /* chunks for each thread, where there may be as many */
#define SYNC_BYTES ((size_t)1 << 16)    /* in which the last synchronisation is looked for first */
#define SYNCS 1u                    /* of a chunk, in which joins are looked for */
#define READ_ROOM ((size_t)1 << 12) /* as hs_capture_read() needs it */
#define EARLY_LOST \
	8u          /* if more than one in so many chunks is of no use, joins are looked for late */
#define IN_VAIN 16u /* chunks without a join, one after the other, after which one thread goes on */

/* A thread has one decoder for all its chunks, so that it learns the program once. */
struct parallel_thread {
	struct source_parallel *p;
	struct chunk_decoder by;
};

struct source_parallel {
	struct source_trace *t;
	struct hs_source *source;
	/* its lock is of all down to @at; of the capture, too, but while @cutter.cutting */
	struct support_crew crew;
	struct chunk *ring;
	struct {
		uint64_t cut;  /* chunks so far that are cut */
		bool cutting;  /* a thread reads the bytes of the next one, without the lock */
		size_t size;   /* bytes of a chunk, at most */
		uint8_t *rest; /* bytes that were read for the next chunk */
		size_t rest_n;
		bool cut_all;
		bool pipe; /* the bytes are not in a file or in memory */
	} cutter;
	uint64_t at;   /* chunks so far that are given out, or being given out */
	unsigned room; /* of the ring */
	struct parallel_thread threads[THREADS_MAX];
	unsigned thread_count;
	unsigned in_vain; /* chunks that were of no use, since the last one that was */
	uint64_t lost;    /* all that were */
	/* of the caller's thread: */
	struct chunk_decoder own; /* t->decoder */
	size_t item, error, path; /* of the current chunk, that are given out */
	unsigned share;
	struct counted_sums sums;
	bool joining;       /* its decoder is decoding the next one */
	bool full;
	size_t in; /* bytes of the next one that it has decoded */
	unsigned join;
	struct hs_source_place place; /* of the next item, with @placed */
	bool placed;
};

/* ---- the threads ---------------------------------------------------------------- */

static struct chunk *chunk_of(struct source_parallel *p, uint64_t number)
{
	return &p->ring[number % p->room];
}

/* Where the last synchronisation of a chunk is seen; c->n: nowhere.  First at its end: that does
 * not begin with a packet, but lengths of packets that are followed from a wrong byte soon lead to
 * a right one, and what is seen is a hint. */
static size_t find_last_sync(const struct source_parallel *p, const struct chunk *c)
{
	static const unsigned parts[] = { 16, 4, 1 };
	size_t at = c->n;

	for (unsigned i = 0; i < sizeof(parts) / sizeof(*parts) && at == c->n; i++) {
		const size_t part = c->n / parts[i];
		const size_t n = part < SYNC_BYTES || parts[i] == 1 ? part : SYNC_BYTES;
		const struct hs_span last = { c->bytes + c->n - n, n };

		at = c->n - n + p->t->protocol->codec->find_cut(p->t->config, &last, true);
	}
	return at;
}

/* Cut a chunk before the last synchronisation of its second half: there the next one begins, and
 * its decoder knows at once where it is. */
static void leave_rest(struct source_parallel *p, struct chunk *c)
{
	const size_t at = find_last_sync(p, c);

	if (at < c->n / 2 || at == c->n || c->n - at > p->cutter.size / 2)
		return;
	p->cutter.rest_n = c->n - at;
	memcpy(p->cutter.rest, c->bytes + at, p->cutter.rest_n);
	c->n = at;
}

/* Read the bytes of a chunk. */
static void cut_chunk(struct source_parallel *p, struct chunk *c, uint64_t offset)
{
	struct hs_error *error = &c->end_error;

	c->end = HS_OK;
	*error = (struct hs_error){ .status = HS_OK };
	if (c->bytes) {
		memcpy(c->bytes + c->n, p->cutter.rest, p->cutter.rest_n);
		c->n += p->cutter.rest_n;
		p->cutter.rest_n = 0;
	}
	while (c->bytes && c->end == HS_OK && c->n + READ_ROOM <= p->cutter.size) {
		size_t n;

		c->end = source_read_bytes(p->t, c->bytes + c->n, p->cutter.size - c->n, &n, error);
		c->n += n;
	}
	c->offset = offset;
	c->last = c->end != HS_OK || !c->bytes;
	if (!c->last)
		leave_rest(p, c);
}

/* Is there a next chunk, and room for it?  With the lock. */
static bool may_cut(const struct source_parallel *p)
{
	return !p->cutter.cut_all && !p->crew.stop && !p->cutter.cutting &&
	       p->cutter.cut - p->at < p->room;
}

/* Rooms of a chunk that has none yet: those of the one that was given out last, if any.  Fewer are
 * in use at a time than there are chunks.  With the lock. */
static void take_rooms(struct source_parallel *p, struct chunk *c)
{
	struct chunk *last = p->at ? chunk_of(p, p->at - 1) : c;

	if (c->bytes || last == c)
		return;
	free(c->items);
	c->bytes = last->bytes;
	c->items = last->items;
	c->cap = last->cap;
	last->bytes = NULL;
	last->items = NULL;
	last->cap = last->count = 0;
}

/* Take the next chunk and decode it; with the lock.  False: there is none. */
static bool run_one(struct source_parallel *p, const struct chunk_decoder *by)
{
	if (!may_cut(p))
		return false;
	struct chunk *c = chunk_of(p, p->cutter.cut);
	const struct chunk *before = chunk_of(p, p->cutter.cut - 1);

	p->cutter.cutting = true;
	c->early = p->lost <= 1 + p->cutter.cut / EARLY_LOST; /* the first one is none */
	take_rooms(p, c);
	support_crew_unlock(&p->crew);
	source_chunk_clear(p->t, c);
	c->n = 0;
	c->syncs = SYNCS;
	if (!c->bytes)
		c->bytes = support_large(p->cutter.size);
	cut_chunk(p, c, before->offset + before->n);
	support_crew_lock(&p->crew);
	p->cutter.cutting = false;
	p->cutter.cut_all = c->last;
	c->by = p->in_vain < IN_VAIN ? *by : (struct chunk_decoder){ 0 };
	c->state = CHUNK_RUNNING;
	p->cutter.cut++;
	support_crew_wake(&p->crew); /* the next one may be cut */
	support_crew_unlock(&p->crew);
	if (c->by.decoder && c->bytes)
		source_chunk_run(p->t, c);
	else
		c->failed = true;
	support_crew_lock(&p->crew);
	c->state = CHUNK_DONE;
	support_crew_wake(&p->crew);
	return true;
}

static bool run_of_thread(void *thread)
{
	const struct parallel_thread *self = thread;

	return run_one(self->p, &self->by);
}

static void *run_thread(void *thread)
{
	struct parallel_thread *self = thread;
	struct source_parallel *p = self->p;

	if (source_chunk_decoder(p->source, &self->by) && !source_chunk_equip(p->t, &self->by))
		source_chunk_free_decoder(p->t, &self->by);
	support_crew_work(&p->crew, run_of_thread, self);
	return NULL;
}

/* The caller's thread decodes a chunk, too: its decoder comes back to where it stands.  Not where
 * bytes may come late: it has items to give out until then.  With the lock. */
static bool run_one_here(struct source_parallel *p)
{
	if (!may_cut(p) || (p->cutter.pipe && p->thread_count))
		return false;
	void *state = malloc(machine_size(p->own.decoder));

	if (!state)
		return false;
	if (p->t->counted.memo)
		hs_memo_flush(p->t->counted.memo);
	machine_save(p->own.decoder, state);
	const bool ran = run_one(p, &p->own);

	if (p->t->counted.memo) {
		source_chunk_count_for(&p->own, NULL);
		hs_memo_count(p->t->counted.memo, p->t->counted.take, p->t->counted.take_to);
	}
	machine_restore(p->own.decoder, state);
	free(state);
	return ran;
}

/* The chunk with a number, once it is decoded. */
static struct chunk *wait_for(struct source_parallel *p, uint64_t number)
{
	struct chunk *c = chunk_of(p, number);

	support_crew_lock(&p->crew);
	while (number >= p->cutter.cut || c->state != CHUNK_DONE)
		if (!run_one_here(p))
			support_crew_wait(&p->crew);
	support_crew_unlock(&p->crew);
	return c;
}

/* ---- giving out ----------------------------------------------------------------- */

/* The current chunk is done with: the next one is. */
static void advance(struct source_parallel *p, bool in_vain)
{
	support_crew_lock(&p->crew);
	p->at++;
	p->in_vain = in_vain ? p->in_vain + 1 : 0;
	p->lost += in_vain;
	support_crew_wake(&p->crew);
	support_crew_unlock(&p->crew);
}

/* Continue with the next chunk's own items. */
static void adopt(struct source_parallel *p, struct source_trace *t, struct chunk *next)
{
	const struct chunk_join *j = &next->joins[p->join];

	p->place = (struct hs_source_place){ next->offset, j->in,
		                             support_sum(SUPPORT_SUM_START, next->bytes, j->in) };
	p->placed = true;
	if (t->counted.memo)
		hs_memo_flush(t->counted.memo);
	machine_advance(t->decoder, next->by.decoder, j->state, next->after);
	p->item = j->item;
	p->error = j->error;
	p->path = j->path;
	p->share = 0;
	p->joining = false;
	advance(p, false);
}

/* Nothing in the next chunk is of use: its bytes are decoded. */
static void pass_over(struct source_parallel *p, struct chunk *next)
{
	p->item = next->count;
	p->error = next->error_count;
	p->path = next->counted.path_count;
	p->share = next->apart.share_count;
	p->joining = false;
	advance(p, true);
}

/* Add up the paths that were counted before the next item of the current chunk.  Returns up to
 * which item there are no others. */
static size_t take_paths(struct source_parallel *p, const struct chunk *c)
{
	while (p->path < c->counted.path_count && c->counted.paths[p->path].item <= p->item)
		source_sums_add(&p->sums, &c->counted.paths[p->path++], p->t);
	return p->path < c->counted.path_count ? c->counted.paths[p->path].item : c->count;
}

/* What was counted belongs to the hart, context and moment that these items may end. */
static void give_paths(struct source_parallel *p, const struct hs_block *items, size_t n)
{
	bool divided = false;

	for (size_t i = 0; i < n && p->sums.count && !divided; i++)
		divided = hs_memo_divides(&items[i]) &&
		          !(p->t->counted.passes_times && items[i].kind == HS_KIND_TIME);
	if (divided)
		source_sums_give(&p->sums, p->t);
}

static void take_share(struct source_parallel *p, struct source_trace *t, const struct chunk *c)
{
	const struct chunk_share *s = &c->apart.shares[p->share++];

	t->pool.work->take(t->pool.work->to, c->by.worker, s->share);
	t->items += s->items;
	t->begun |= s->begun;
}

/* Is there more of a chunk to give out? */
static bool has_more(const struct source_parallel *p, const struct chunk *c)
{
	return p->item < c->count || p->error < c->error_count || p->path < c->counted.path_count ||
	       p->share < c->apart.share_count;
}

/* Items of the current chunk, at *v. */
static enum hs_status give_items(struct source_parallel *p, struct source_trace *t,
                                 const struct chunk *c, struct source_room *v, size_t *n,
                                 struct hs_error *error)
{
	const struct chunk_error *e = p->error < c->error_count ? &c->errors[p->error] : NULL;
	const size_t counted = take_paths(p, c), to = e && e->item < counted ? e->item : counted;
	const size_t left = to - p->item;

	*n = left < v->cap ? left : v->cap; /* a piece of which all passes are in the cache */
	v->items = c->items + p->item;
	p->item += *n;
	if (!e || p->item < e->item || p->share < e->share) {
		if (p->item == c->count && p->share < c->apart.share_count && !*n)
			take_share(p, t, c);
		return HS_OK;
	}
	p->error++;
	source_take_fault(t, &e->fault, error);
	return e->status;
}

/* Bytes of the next chunk, up to where it may be joined. */
static enum hs_status decode_on(struct source_parallel *p, struct source_trace *t,
                                struct chunk *next, const struct source_room *v, size_t *n,
                                struct hs_error *error)
{
	const bool joins = !next->failed && p->join < next->join_count;
	const size_t to = joins ? next->joins[p->join].in : next->n;
	struct hs_span in = { next->bytes + p->in, to - p->in };

	if (!in.n && !p->full) {
		if (!joins)
			pass_over(p, next);
		else if (machine_alike(t->decoder, next->by.decoder, next->joins[p->join].state))
			adopt(p, t, next);
		else
			p->join++;
		return HS_OK;
	}
	const enum hs_status s = hs_decode(t->decoder, &in, v->room, v->cap, n);

	p->in = to - in.n;
	p->full = s != HS_MORE;
	if (s == HS_OK || s == HS_MORE || s == HS_FULL)
		return HS_OK;
	source_set_fault(t, s, error);
	return s;
}

bool source_parallel_next(struct source_trace *t, struct source_room *v, size_t *n,
                          enum hs_status *status, struct hs_error *error)
{
	struct source_parallel *p = t->pool.parallel;
	struct chunk *c = wait_for(p, p->at);

	*n = 0;
	*status = HS_OK;
	t->diag.reason = HS_REASON_NONE;
	p->placed = false;
	if (p->joining) {
		*status = decode_on(p, t, chunk_of(p, p->at + 1), v, n, error);
	} else if (has_more(p, c)) {
		*status = give_items(p, t, c, v, n, error);
	} else if (c->last) {
		source_sums_give(&p->sums, t);
		return false;
	} else {
		wait_for(p, p->at + 1);
		p->joining = true;
		p->in = p->join = 0;
	}
	c = chunk_of(p, p->at);
	t->in.bytes = c->offset + c->n;
	give_paths(p, v->items, *n);
	source_count_items(t, v->items, *n, *status);
	return true;
}

bool source_parallel_place(const struct source_trace *t, struct hs_source_place *place)
{
	if (!t->pool.parallel || !t->pool.parallel->placed)
		return false;
	*place = t->pool.parallel->place;
	return true;
}

enum hs_status source_parallel_end(const struct source_trace *t, struct hs_error *error)
{
	const struct chunk *c = chunk_of(t->pool.parallel, t->pool.parallel->at);

	if (error && c->end != HS_END)
		*error = c->end_error;
	return c->end;
}

/* ---- beginning and ending ------------------------------------------------------- */

void source_parallel_stop(struct source_trace *t)
{
	struct source_parallel *p = t->pool.parallel;

	if (!p)
		return;
	support_crew_end(&p->crew);
	for (unsigned i = 0; i < p->thread_count; i++)
		source_chunk_free_decoder(t, &p->threads[i].by);
	for (unsigned i = 0; i < p->room && p->ring; i++)
		source_chunk_free(t, &p->ring[i]);
	free(p->ring);
	free(p->cutter.rest);
	if (p->own.worker)
		t->pool.work->end(p->own.worker);
	free(p->own.fresh);
	free(p->sums.paths);
	source_chunk_free_counter(p->own.counter);
	free(p);
	t->pool.parallel = NULL;
}

static bool allocate(struct source_parallel *p, unsigned threads)
{
	p->room = threads + 2;
	p->ring = calloc(p->room, sizeof(*p->ring));
	p->own.decoder = p->t->decoder;
	p->cutter.rest = malloc(p->cutter.size + p->t->in.left.n);
	return p->ring && p->cutter.rest && source_chunk_keep_fresh(&p->own) &&
	       source_chunk_equip(p->t, &p->own);
}

/* An empty chunk, and the first one, which the caller's thread decodes: it begins with what was
 * read to look for parameters. */
static void cut_first(struct source_parallel *p)
{
	struct source_trace *t = p->t;
	struct chunk *c = chunk_of(p, 1);

	chunk_of(p, 0)->state = c->state = CHUNK_DONE;
	c->bytes = support_large(t->in.left.n + p->cutter.size);
	c->n = c->bytes ? t->in.left.n : 0;
	if (c->n)
		memcpy(c->bytes, t->in.left.p, c->n);
	cut_chunk(p, c, 0);
	p->cutter.cut_all = c->last;
	c->failed = true;
	t->in.left.n = 0;
	p->cutter.cut = 2;
}

/* What is counted of a chunk costs the less, the larger it is. */
static size_t size_of_counted(const struct source_trace *t, unsigned threads)
{
	const uint64_t size = t->in.total / (COUNTED_EACH * threads);

	return size < CHUNK_BYTES     ? CHUNK_BYTES
	       : size < COUNTED_BYTES ? (size_t)size
	                              : COUNTED_BYTES;
}

bool source_parallel_start(struct hs_source *s, unsigned threads)
{
	struct source_trace *t = &s->trace;
	struct source_parallel *p = calloc(1, sizeof(*p));
	struct stat st;

	if (!p)
		return false;
	p->t = t;
	p->source = s;
	p->cutter.pipe = !t->in.memory.p && (fstat(t->in.fd, &st) < 0 || !S_ISREG(st.st_mode));
	p->cutter.size = s->thread_bytes;
	if (s->thread_bytes == SOURCE_THREAD_BYTES && !p->cutter.pipe && !s->marks)
		p->cutter.size = t->counted.memo ? size_of_counted(t, threads)
		                 : t->pool.work  ? SHARED_BYTES
		                                 : CHUNK_BYTES;
	support_crew_init(&p->crew);
	t->pool.parallel = p;
	threads = threads < THREADS_MAX ? threads : THREADS_MAX;
	if (!allocate(p, threads)) {
		source_parallel_stop(t);
		return false;
	}
	support_crew_lock(&p->crew); /* threads make their decoders meanwhile */
	for (; p->thread_count + 1 < threads; p->thread_count++) {
		struct parallel_thread *thread = &p->threads[p->thread_count];

		thread->p = p;
		if (!support_crew_add(&p->crew, run_thread, thread))
			break;
	}
	cut_first(p);
	support_crew_unlock(&p->crew);
	return true;
}
