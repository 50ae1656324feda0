/* Paths that threads count (design/counting).
 *
 * What a decoder counts belongs to the chunk that it is decoding: it is given at the end of the
 * chunk and where the chunk may be joined, and is of use where the chunk is.  A path is kept once
 * for each decoder, so that a chunk has only a number for it, and the caller's thread adds numbers
 * up. */
#include <stdlib.h>
#include <string.h>

#include "source/parallel.h"
#include "support/hash.h"
#include "support/large.h"

#define PIECE_BLOCKS ((size_t)1 << 17) /* a large page */
#define PIECES_MAX 32u                 /* 64 MB */

/* A path, which stays where it is; @times is the caller's thread's. */
struct counted_path {
	uint64_t times;
	uint64_t next;
	uint32_t n;
	struct hs_block blocks[];
};

struct known_path {
	uint64_t id;
	struct counted_path *path;
};

/* The paths of a decoder. */
struct chunk_counter {
	struct chunk *chunk;
	struct support_hash known; /* of struct known_path */
	char *pieces[PIECES_MAX];  /* of PIECE_BLOCKS blocks each */
	size_t piece_count, used;  /* and bytes of the last one */
};

/* Room for a path; NULL: there is none. */
static struct counted_path *new_path(struct chunk_counter *k, size_t blocks)
{
	const size_t size = sizeof(struct counted_path) + blocks * sizeof(struct hs_block);
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
	struct counted_path *path = (void *)(k->pieces[k->piece_count - 1] + k->used);

	k->used += size;
	return path;
}

static bool same_path(const void *item, const void *id)
{
	return ((const struct known_path *)item)->id == *(const uint64_t *)id;
}

/* The path that was kept of these blocks; NULL: no memory. */
static struct counted_path *keep_path(struct chunk_counter *k, const struct hs_path_count *path)
{
	const uint32_t hash = support_hash_of(path->id, 0);
	struct known_path *known = support_hash_find(&k->known, hash, same_path, &path->id);

	if (known)
		return known->path;
	struct counted_path *kept = new_path(k, path->n);

	known = kept ? support_hash_add(&k->known, hash) : NULL;
	if (!known)
		return NULL;
	*known = (struct known_path){ path->id, kept };
	*kept = (struct counted_path){ .next = path->next, .n = (uint32_t)path->n };
	memcpy(kept->blocks, path->blocks, path->n * sizeof(*path->blocks));
	return kept;
}

/* Without memory the chunk fails: the caller's thread decodes its bytes. */
static void take_path(void *counter, const struct hs_path_count *path)
{
	struct chunk_counter *k = counter;
	struct chunk *c = k->chunk;

	if (!c || c->failed)
		return;
	if (c->counted.path_count == c->counted.path_cap) {
		const size_t cap = c->counted.path_cap ? 2 * c->counted.path_cap : 1024;
		struct chunk_path *more = reallocarray(c->counted.paths, cap, sizeof(*more));

		c->failed = !more;
		if (!more)
			return;
		c->counted.paths = more;
		c->counted.path_cap = cap;
	}
	struct counted_path *kept = keep_path(k, path);

	c->failed = !kept;
	if (kept)
		c->counted.paths[c->counted.path_count++] =
			(struct chunk_path){ kept, path->times, c->count };
}

bool source_chunk_count(struct chunk_decoder *d, bool pass_times)
{
	if (!d->decoder->counted)
		return true;
	hs_memo_pass_times(d->decoder->counted, pass_times);
	d->counter = calloc(1, sizeof(*d->counter));
	if (d->counter)
		d->counter->known.item_size = sizeof(struct known_path);
	return d->counter;
}

void source_chunk_count_for(struct chunk_decoder *d, struct chunk *c)
{
	if (!d->counter)
		return;
	d->counter->chunk = NULL; /* what it counted of a chunk that failed is of no use */
	hs_memo_count(d->decoder->counted, take_path, d->counter);
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

static void give(const struct source_trace *t, const struct counted_path *path, uint64_t times)
{
	t->counted.take(t->counted.take_to, &(struct hs_path_count){ .blocks = path->blocks,
	                                                             .n = path->n,
	                                                             .times = times,
	                                                             .next = path->next });
}

void source_sums_add(struct counted_sums *s, const struct chunk_path *path,
                     const struct source_trace *t)
{
	if (!path->path->times && s->count == s->cap) {
		const size_t cap = s->cap ? 2 * s->cap : 1024;
		struct counted_path **more = reallocarray(s->paths, cap, sizeof(*more));

		if (!more) {
			give(t, path->path, path->times);
			return;
		}
		s->paths = more;
		s->cap = cap;
	}
	if (!path->path->times)
		s->paths[s->count++] = path->path;
	path->path->times += path->times;
}

void source_sums_give(struct counted_sums *s, const struct source_trace *t)
{
	for (size_t i = 0; i < s->count; i++) {
		give(t, s->paths[i], s->paths[i]->times);
		s->paths[i]->times = 0;
	}
	s->count = 0;
}
