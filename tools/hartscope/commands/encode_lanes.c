/* encode: the harts of a recording, a batch of each in turn, on several threads (ADR-0178).
 *
 * A thread encodes the next batch of a hart and keeps its bytes.  The caller's thread puts batches
 * to the output in the order in which one thread encodes them, so that the trace is the same. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/pool.h>

#include "commands/encode_job.h"

#define AHEAD 4u /* batches of a hart that wait */

/* What happened in a batch, in its order. */
struct kept_step {
	bool change;     /* the code changes; else bytes are put */
	uint32_t number; /* of the code */
	uint64_t n;      /* bytes; of a change: blocks of the lane before it */
};

struct encode_kept {
	uint8_t *bytes;
	size_t n, cap;
	struct kept_step *steps;
	size_t step_count, step_cap;
	struct damage damage;
	uint64_t time;   /* of its last HS_KIND_TIME */
	bool timed;      /* there is one */
	uint64_t blocks; /* that were encoded */
	bool ended;      /* nothing comes after it */
	bool failed;
};

/* The batches of a hart: the jobs of a strand. */
struct kept_lane {
	uint64_t made; /* by the strand */
	uint64_t taken;
	bool ended; /* the last one was made */
	struct encode_kept batches[AHEAD];
};

struct lanes {
	struct job *j;
	struct hs_pool *pool;
	struct kept_lane *lanes;
};

/* ---- a batch ------------------------------------------------------------------- */

static bool add_step(struct encode_kept *k, const struct kept_step *step)
{
	if (k->step_count == k->step_cap) {
		const size_t cap = k->step_cap ? 2 * k->step_cap : 64;
		void *more = reallocarray(k->steps, cap, sizeof(*k->steps));

		if (!more)
			return false;
		k->steps = more;
		k->step_cap = cap;
	}
	k->steps[k->step_count++] = *step;
	return true;
}

static bool fail_lane(struct lane *l)
{
	hs_error_set(&l->error, HS_E_MEMORY, "out of memory");
	return false;
}

bool encode_keep_change(struct lane *l, uint32_t number)
{
	const struct kept_step step = { true, number, l->blocks };

	return add_step(l->batch, &step) || fail_lane(l);
}

/* As encode_put(), into the batch. */
static bool keep_bytes(void *lane, const uint8_t *bytes, size_t n)
{
	struct lane *l = lane;
	struct encode_kept *k = l->batch;
	const struct kept_step step = { false, 0, n };

	if (k->cap - k->n < n) {
		const size_t cap = 2 * (k->n + n);
		uint8_t *more = realloc(k->bytes, cap);

		if (!more)
			return fail_lane(l);
		k->bytes = more;
		k->cap = cap;
	}
	if (n)
		memcpy(k->bytes + k->n, bytes, n);
	k->n += n;
	return add_step(k, &step) || fail_lane(l);
}

/* The time of the last block that was read. */
static bool last_time(const struct lane *l, uint64_t *time)
{
	for (size_t i = l->reader.n; i-- > 0;) {
		if (l->read[i].kind != HS_KIND_TIME)
			continue;
		*time = l->read[i].value;
		return true;
	}
	return false;
}

static void make_batch(const struct lanes *a, struct lane *l, struct encode_kept *k)
{
	k->n = k->step_count = 0;
	k->damage = (struct damage){ .silent = true };
	l->batch = k;
	l->reader.damage = l->feed.damage = &k->damage;
	k->blocks = l->blocks;
	k->failed = !encode_batch(a->j, l, &k->ended);
	k->blocks = l->blocks - k->blocks;
	k->timed = a->j->timed && last_time(l, &k->time);
	k->ended |= k->failed;
}

/* Put a batch to the output. */
static bool put_batch(struct job *j, struct lane *l, const struct encode_kept *k)
{
	const uint8_t *bytes = k->bytes;
	bool good = true;

	damage_join(&j->damage, &k->damage);
	for (size_t i = 0; good && i < k->step_count; i++) {
		const struct kept_step *s = &k->steps[i];

		good = s->change ? encode_note_change(j, l, s->number, s->n)
		                 : encode_put(l, bytes, (size_t)s->n);
		bytes += s->change ? 0 : s->n;
	}
	if (k->timed)
		l->time = k->time;
	l->ended = k->ended;
	if (l->error.status != HS_OK)
		j->error = l->error;
	return good && !k->failed;
}

/* ---- threads -------------------------------------------------------------------- */

static void encode_one(void *lanes, uint32_t lane, uint32_t thread)
{
	const struct lanes *a = lanes;
	struct kept_lane *k = &a->lanes[lane];
	struct encode_kept *batch = &k->batches[k->made % AHEAD];

	(void)thread;
	if (k->ended)
		return;
	make_batch(a, &a->j->lanes[lane], batch);
	k->ended = batch->ended;
	k->made++;
}

/* ---- all harts ------------------------------------------------------------------- */

/* The lane that is next: without a clock each in turn, with one the earliest. */
static struct lane *next_lane(struct job *j, uint32_t *turn)
{
	struct lane *next = NULL;

	for (uint32_t i = 0; i < j->count; i++) {
		struct lane *l = &j->lanes[j->timed ? i : (*turn + i) % j->count];

		if (!l->ended && (!next || (j->timed && l->time < next->time)))
			next = l;
	}
	*turn = (uint32_t)(next - j->lanes) + 1;
	return next;
}

/* The next batch of a lane to the output.  @done: blocks so far. */
static bool take_made(struct lanes *a, struct lane *l, uint64_t *done)
{
	const uint32_t i = (uint32_t)(l - a->j->lanes);
	const struct encode_kept *k = &a->lanes[i].batches[a->lanes[i].taken++ % AHEAD];

	hs_pool_take(a->pool, i);
	const bool good = put_batch(a->j, l, k);

	*done += k->blocks;
	hs_pool_give(a->pool, i);
	return good;
}

/* The same, on the caller's thread. */
static bool take_turn(struct job *j, struct lane *l, uint64_t *done)
{
	const bool good = encode_batch(j, l, &l->ended);
	uint64_t time;

	*done = encode_count_blocks(j);
	if (j->timed && last_time(l, &time))
		l->time = time;
	return good;
}

/* The share of the recording that was read, or where that is not known the blocks. */
static void show_progress(struct progress *p, const struct job *j, uint64_t blocks)
{
	uint64_t read = 0, total = 0;

	if (j->source && !j->transcodes)
		hs_source_bytes(j->source, &total);
	for (uint32_t i = 0; total && i < j->count; i++)
		read += hs_source_bytes(j->lanes[i].source, NULL);
	progress_show(p, read ? "encoding" : "encoding, blocks", read ? read : blocks,
	              read ? total : 0);
}

static bool take_turns(struct job *j, struct lanes *a, bool quiet)
{
	struct progress progress;
	uint32_t open = j->count, turn = 0;
	uint64_t done = 0;
	bool good = true;

	progress_start(&progress, quiet);
	while (open && good) {
		struct lane *l = next_lane(j, &turn);

		good = a ? take_made(a, l, &done) : take_turn(j, l, &done);
		open -= l->ended;
		show_progress(&progress, j, done);
	}
	progress_end(&progress);
	return good;
}

/* Each lane writes into memory of its own. */
static bool prepare(struct lanes *a, uint32_t threads)
{
	bool good = true;

	a->lanes = calloc(a->j->count, sizeof(*a->lanes));
	for (uint32_t i = 0; a->lanes && i < a->j->count; i++) {
		struct lane *l = &a->j->lanes[i];

		l->feed.put = keep_bytes;
		l->feed.out = malloc(FEED_ROOM);
		good &= l->feed.out != NULL;
	}
	return a->lanes && good &&
	       hs_pool_new(&a->pool, threads, a->j->count, encode_one, a) == HS_OK;
}

static void finish(struct lanes *a)
{
	for (uint32_t i = 0; a->lanes && i < a->j->count; i++) {
		struct lane *l = &a->j->lanes[i];

		for (unsigned k = 0; k < AHEAD; k++) {
			free(a->lanes[i].batches[k].bytes);
			free(a->lanes[i].batches[k].steps);
		}
		free(l->feed.out);
		l->feed.out = a->j->out;
		l->feed.put = encode_put;
		l->reader.damage = l->feed.damage = &a->j->damage;
		l->batch = NULL;
	}
	free(a->lanes);
}

static bool take_turns_with_threads(struct job *j, uint32_t threads, bool quiet)
{
	struct lanes a = { .j = j };
	bool good = prepare(&a, threads);

	if (!good)
		hs_error_set(&j->error, HS_E_MEMORY, "out of memory");
	for (uint32_t i = 0; good && i < AHEAD * j->count; i++)
		hs_pool_give(a.pool, i % j->count);
	good = good && take_turns(j, &a, quiet);
	hs_pool_free(a.pool);
	finish(&a);
	return good;
}

bool encode_all(struct job *j, const struct options *o)
{
	/* what a perf.data has of a hart depends on what others have encoded by then */
	const bool share = j->count > 1 && o->jobs > 1 && !j->perf;
	const uint32_t most = j->count < o->jobs ? j->count : (uint32_t)o->jobs;

	if (share && j->source && !j->transcodes) /* who encodes reads, too */
		hs_source_limit_readers(j->source, (uint32_t)o->jobs - most);
	return share ? take_turns_with_threads(j, most, o->quiet) : take_turns(j, NULL, o->quiet);
}
