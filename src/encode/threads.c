/* The harts of a recording, a batch of each in turn, on several threads (design/pool).
 *
 * A thread encodes the next batch of a hart and keeps its bytes.  The caller's thread puts batches
 * to the output in the order in which one thread encodes them, so that the trace is the same. */
#include <stdlib.h>
#include <string.h>

#include "encode/private.h"
#include "source/source.h"
#include "support/grow.h"
#include "support/pool.h"

#define AHEAD 4u /* batches of a hart that wait */

/* What happened in a batch, in its order. */
struct kept_step {
	bool change;     /* the code changes; else bytes are put */
	uint32_t number; /* of the code */
	uint64_t n;      /* bytes; of a change: blocks of the lane before it */
};

struct encode_batch {
	uint8_t *bytes;
	size_t n, cap;
	struct kept_step *steps;
	size_t step_count, step_cap;
	struct hs_encode_fault *faults;
	size_t fault_count, fault_cap;
	uint64_t time;   /* of its last HS_KIND_TIME */
	bool timed;      /* there is one */
	uint64_t blocks; /* that were encoded */
	bool ended;      /* nothing comes after it */
	bool failed;
};

/* The batches of a hart: the jobs of a strand. */
struct batches {
	uint64_t made; /* by the strand */
	uint64_t taken;
	bool ended; /* the last one was made */
	struct encode_batch batches[AHEAD];
};

struct lanes {
	struct hs_encode *e;
	struct hs_pool *pool;
	struct batches *lanes;
};

/* ---- a batch ------------------------------------------------------------------- */

static bool add_step(struct encode_batch *k, const struct kept_step *step)
{
	if (!support_grow(&k->steps, &k->step_cap, k->step_count + 1, sizeof(*k->steps)))
		return false;
	k->steps[k->step_count++] = *step;
	return true;
}

static bool fail_lane(struct encode_lane *l)
{
	hs_error_set(&l->error, HS_E_MEMORY, "out of memory");
	return false;
}

bool encode_keep_change(struct encode_lane *l, uint32_t number)
{
	const struct kept_step step = { true, number, l->blocks };

	return add_step(l->batch, &step) || fail_lane(l);
}

/* As encode_put(), into the batch. */
static bool keep_bytes(void *lane, const uint8_t *bytes, size_t n)
{
	struct encode_lane *l = lane;
	struct encode_batch *k = l->batch;
	const struct kept_step step = { false, 0, n };

	if (!support_grow(&k->bytes, &k->cap, k->n + n, 1))
		return fail_lane(l);
	if (n)
		memcpy(k->bytes + k->n, bytes, n);
	k->n += n;
	return add_step(k, &step) || fail_lane(l);
}

/* The same of what cannot be read or encoded. */
static void keep_fault(void *lane, const struct hs_encode_fault *fault)
{
	struct encode_lane *l = lane;
	struct encode_batch *k = l->batch;

	if (!support_grow(&k->faults, &k->fault_cap, k->fault_count + 1, sizeof(*k->faults))) {
		fail_lane(l);
		return;
	}
	k->faults[k->fault_count++] = *fault;
}

/* The time of the last block that was read. */
static bool last_time(const struct encode_lane *l, uint64_t *time)
{
	for (size_t i = l->n; i-- > 0;) {
		if (l->read[i].kind != HS_KIND_TIME)
			continue;
		*time = l->read[i].value;
		return true;
	}
	return false;
}

static void make_batch(const struct lanes *a, struct encode_lane *l, struct encode_batch *k)
{
	k->n = k->step_count = 0;
	k->fault_count = 0;
	l->batch = k;
	k->blocks = l->blocks;
	k->failed = !encode_lane_batch(a->e, l, &k->ended);
	k->blocks = l->blocks - k->blocks;
	k->timed = a->e->timed && last_time(l, &k->time);
	k->ended |= k->failed;
}

/* Put a batch to the output. */
static bool put_batch(struct hs_encode *e, struct encode_lane *l, const struct encode_batch *k)
{
	const uint8_t *bytes = k->bytes;
	bool good = true;

	for (size_t i = 0; e->faults.add && i < k->fault_count; i++)
		e->faults.add(e->faults.to, &k->faults[i]);
	for (size_t i = 0; good && i < k->step_count; i++) {
		const struct kept_step *s = &k->steps[i];

		good = s->change ? encode_note_change(e, l, s->number, s->n)
		                 : encode_put(l, bytes, (size_t)s->n);
		bytes += s->change ? 0 : s->n;
	}
	if (k->timed)
		l->time = k->time;
	l->ended = k->ended;
	if (l->error.status != HS_OK)
		e->error = l->error;
	return good && !k->failed && e->error.status == HS_OK;
}

/* ---- threads -------------------------------------------------------------------- */

static void encode_one(void *lanes, uint32_t lane, uint32_t thread)
{
	const struct lanes *a = lanes;
	struct batches *k = &a->lanes[lane];
	struct encode_batch *batch = &k->batches[k->made % AHEAD];

	(void)thread;
	if (k->ended)
		return;
	make_batch(a, &a->e->lanes[lane], batch);
	k->ended = batch->ended;
	k->made++;
}

/* ---- all harts ------------------------------------------------------------------- */

/* The lane that is next: without a clock each in turn, with one the earliest. */
static struct encode_lane *next_lane(struct hs_encode *e, uint32_t *turn)
{
	struct encode_lane *next = NULL;

	for (uint32_t i = 0; i < e->count; i++) {
		struct encode_lane *l = &e->lanes[e->timed ? i : (*turn + i) % e->count];

		if (!l->ended && (!next || (e->timed && l->time < next->time)))
			next = l;
	}
	*turn = (uint32_t)(next - e->lanes) + 1;
	return next;
}

/* The next batch of a lane to the output.  @done: blocks so far. */
static bool take_made(struct lanes *a, struct encode_lane *l, uint64_t *done)
{
	const uint32_t i = (uint32_t)(l - a->e->lanes);
	const struct encode_batch *k = &a->lanes[i].batches[a->lanes[i].taken++ % AHEAD];

	hs_pool_take(a->pool, i);
	const bool good = put_batch(a->e, l, k);

	*done += k->blocks;
	hs_pool_give(a->pool, i);
	return good;
}

/* The same, on the caller's thread. */
static bool take_turn(struct hs_encode *e, struct encode_lane *l, uint64_t *done)
{
	const bool good = encode_lane_batch(e, l, &l->ended);
	uint64_t time;

	*done = encode_count_blocks(e);
	if (e->timed && last_time(l, &time))
		l->time = time;
	return good;
}

/* The share of the recording that was read, or where that is not known the blocks. */
static void show_progress(const struct hs_encode *e, uint64_t blocks)
{
	uint64_t read = 0, total = 0;

	if (!e->o.progress)
		return;
	if (e->source && !e->transcodes)
		hs_source_bytes(e->source, &total);
	for (uint32_t i = 0; total && i < e->count; i++)
		read += hs_source_bytes(e->lanes[i].source, NULL);
	e->o.progress(e->o.to, read ? read : blocks, read ? total : 0);
}

static bool take_turns(struct hs_encode *e, struct lanes *a)
{
	uint32_t open = e->count, turn = 0;
	uint64_t done = 0;
	bool good = true;

	while (open && good) {
		struct encode_lane *l = next_lane(e, &turn);

		good = a ? take_made(a, l, &done) : take_turn(e, l, &done);
		open -= l->ended;
		show_progress(e, done);
	}
	return good;
}

/* Each lane writes into memory of its own. */
static bool prepare(struct lanes *a, uint32_t threads)
{
	bool good = true;

	a->lanes = calloc(a->e->count, sizeof(*a->lanes));
	for (uint32_t i = 0; a->lanes && i < a->e->count; i++) {
		struct encode_lane *l = &a->e->lanes[i];

		l->feed.put = keep_bytes;
		l->faults = l->feed.faults = (struct encode_faults){ keep_fault, l };
		l->feed.out = malloc(ENCODE_ROOM);
		good &= l->feed.out != NULL;
	}
	return a->lanes && good &&
	       hs_pool_new(&a->pool, threads, a->e->count, encode_one, a) == HS_OK;
}

static void finish(struct lanes *a)
{
	for (uint32_t i = 0; a->lanes && i < a->e->count; i++) {
		struct encode_lane *l = &a->e->lanes[i];

		for (unsigned k = 0; k < AHEAD; k++) {
			free(a->lanes[i].batches[k].bytes);
			free(a->lanes[i].batches[k].steps);
			free(a->lanes[i].batches[k].faults);
		}
		free(l->feed.out);
		l->feed.out = a->e->out;
		l->feed.put = encode_put;
		l->faults = l->feed.faults = a->e->faults;
		l->batch = NULL;
	}
	free(a->lanes);
}

static bool take_turns_with_threads(struct hs_encode *e, uint32_t threads)
{
	struct lanes a = { .e = e };
	bool good = prepare(&a, threads);

	if (!good)
		hs_error_set(&e->error, HS_E_MEMORY, "out of memory");
	for (uint32_t i = 0; good && i < AHEAD * e->count; i++)
		hs_pool_give(a.pool, i % e->count);
	good = good && take_turns(e, &a);
	hs_pool_free(a.pool);
	finish(&a);
	return good;
}

bool encode_all(struct hs_encode *e)
{
	const uint32_t threads = e->o.threads, most = e->count < threads ? e->count : threads;
	/* what a perf.data has of a hart depends on what others have encoded by then */
	const bool share = e->count > 1 && threads > 1 && !e->perf;

	if (share && e->source && !e->transcodes) /* who encodes reads, too */
		hs_source_limit_readers(e->source, threads - most);
	return share ? take_turns_with_threads(e, most) : take_turns(e, NULL);
}
