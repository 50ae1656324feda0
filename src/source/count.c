/* Runs that threads count (design/counting).
 *
 * What a decoder counts belongs to the chunk that it is decoding: it is given at the end of the
 * chunk and where the chunk may be joined, and is of use where the chunk is.  A run is kept once
 * for each decoder, so that a chunk has only a number for it, and the caller's thread adds numbers
 * up. */
#include <stdlib.h>
#include <string.h>

#include "source/parallel.h"
#include "support/hash.h"
#include "support/large.h"

#define PIECE_BLOCKS ((size_t)1 << 17) /* a large page */
#define PIECES_MAX 32u                 /* 64 MB */

/* A run, which stays where it is; @times is the caller's thread's. */
struct counted_run {
	uint64_t times;
	uint64_t next;
	uint32_t n;
	struct hs_block blocks[];
};

struct known_run {
	uint64_t id;
	struct counted_run *run;
};

/* The runs of a decoder. */
struct chunk_counter {
	struct chunk *chunk;
	struct support_hash known; /* of struct known_run */
	char *pieces[PIECES_MAX];  /* of PIECE_BLOCKS blocks each */
	size_t piece_count, used;  /* and bytes of the last one */
};

/* Room for a run; NULL: there is none. */
static struct counted_run *new_run(struct chunk_counter *k, size_t blocks)
{
	const size_t size = sizeof(struct counted_run) + blocks * sizeof(struct hs_block);
	const size_t room = PIECE_BLOCKS * sizeof(struct hs_block);

	if (!k->piece_count || room - k->used < size) {
		if (k->piece_count == PIECES_MAX || size > room)
			return NULL;
		k->pieces[k->piece_count] = support_large(room);
		if (!k->pieces[k->piece_count])
			return NULL;
		k->piece_count++;
		k->used = 0;
	}
	struct counted_run *run = (void *)(k->pieces[k->piece_count - 1] + k->used);

	k->used += size;
	return run;
}

static bool same_run(const void *item, const void *id)
{
	return ((const struct known_run *)item)->id == *(const uint64_t *)id;
}

/* The run that was kept of these blocks; NULL: no memory. */
static struct counted_run *keep_run(struct chunk_counter *k, const struct hs_run_count *run)
{
	const uint32_t hash = support_hash_of(run->id, 0);
	struct known_run *known = support_hash_find(&k->known, hash, same_run, &run->id);

	if (known)
		return known->run;
	struct counted_run *kept = new_run(k, run->n);

	known = kept ? support_hash_add(&k->known, hash) : NULL;
	if (!known)
		return NULL;
	*known = (struct known_run){ run->id, kept };
	*kept = (struct counted_run){ .next = run->next, .n = (uint32_t)run->n };
	memcpy(kept->blocks, run->blocks, run->n * sizeof(*run->blocks));
	return kept;
}

/* Without memory the chunk fails: the caller's thread decodes its bytes. */
static void take_run(void *counter, const struct hs_run_count *run)
{
	struct chunk_counter *k = counter;
	struct chunk *c = k->chunk;

	if (!c || c->failed)
		return;
	if (c->counted.run_count == c->counted.run_cap) {
		const size_t cap = c->counted.run_cap ? 2 * c->counted.run_cap : 1024;
		struct chunk_run *more = reallocarray(c->counted.runs, cap, sizeof(*more));

		c->failed = !more;
		if (!more)
			return;
		c->counted.runs = more;
		c->counted.run_cap = cap;
	}
	struct counted_run *kept = keep_run(k, run);

	c->failed = !kept;
	if (kept)
		c->counted.runs[c->counted.run_count++] =
			(struct chunk_run){ kept, run->times, c->count };
}

bool source_chunk_count(struct chunk_decoder *d, bool pass_times)
{
	if (!d->decoder->counted)
		return true;
	hs_memo_pass_times(d->decoder->counted, pass_times);
	d->counter = calloc(1, sizeof(*d->counter));
	if (d->counter)
		d->counter->known.item_size = sizeof(struct known_run);
	return d->counter;
}

void source_chunk_count_for(struct chunk_decoder *d, struct chunk *c)
{
	if (!d->counter)
		return;
	d->counter->chunk = NULL; /* what it counted of a chunk that failed is of no use */
	hs_memo_count(d->decoder->counted, take_run, d->counter);
	d->counter->chunk = c;
}

void source_chunk_count_flush(const struct chunk_decoder *d)
{
	if (d->counter)
		hs_memo_flush(d->decoder->counted);
}

void source_chunk_free_counter(struct chunk_counter *k)
{
	if (!k)
		return;
	while (k->piece_count)
		free(k->pieces[--k->piece_count]);
	support_hash_free(&k->known);
	free(k);
}

/* ---- sums ------------------------------------------------------------------------ */

static void give(const struct source_trace *t, const struct counted_run *run, uint64_t times)
{
	t->counted.take(t->counted.take_to, &(struct hs_run_count){ .blocks = run->blocks,
	                                                            .n = run->n,
	                                                            .times = times,
	                                                            .next = run->next });
}

void source_sums_add(struct counted_sums *s, const struct chunk_run *run,
                     const struct source_trace *t)
{
	if (!run->run->times && s->count == s->cap) {
		const size_t cap = s->cap ? 2 * s->cap : 1024;
		struct counted_run **more = reallocarray(s->runs, cap, sizeof(*more));

		if (!more) {
			give(t, run->run, run->times);
			return;
		}
		s->runs = more;
		s->cap = cap;
	}
	if (!run->run->times)
		s->runs[s->count++] = run->run;
	run->run->times += run->times;
}

void source_sums_give(struct counted_sums *s, const struct source_trace *t)
{
	for (size_t i = 0; i < s->count; i++) {
		give(t, s->runs[i], s->runs[i]->times);
		s->runs[i]->times = 0;
	}
	s->count = 0;
}
