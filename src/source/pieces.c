/* A trace in pieces (pieces.h): the caller's thread reads and cuts, threads make, and the caller's
 * thread joins what they made, in order, while it has nothing to cut. */
#include <stdlib.h>
#include <string.h>

#include "source/pieces.h"
#include "source/source.h"
#include "support/pool.h"

#define EACH 3u         /* pieces for each thread */
#define READ_ROOM 4096u /* as hs_source_read() needs it */

struct pieces {
	struct hs_source *source;
	const struct source_pieces_work *work;
	void *to;
	char *list; /* a ring: each piece is a strand */
	uint32_t count;
	struct hs_pool *pool;
	uint64_t given, taken; /* pieces */
	uint8_t *rest;         /* bytes of the next piece */
	size_t rest_n;
	uint64_t offset; /* of the next piece */
};

static void *piece_at(const struct pieces *p, uint64_t number)
{
	return p->list + p->work->size * (number % p->count);
}

static void make_piece(void *pieces, uint32_t piece, uint32_t thread)
{
	const struct pieces *p = pieces;

	p->work->make(p->to, piece_at(p, piece), thread);
}

static void fill_piece(struct pieces *p, struct source_piece *at)
{
	memcpy(at->bytes, p->rest, p->rest_n);
	at->n = p->rest_n;
	at->end = HS_OK;
	while (at->end == HS_OK && at->n + READ_ROOM <= p->work->bytes) {
		size_t n;

		at->end = hs_source_read(p->source, at->bytes + at->n, p->work->bytes - at->n, &n,
		                         &at->error);
		at->n += n;
	}
	at->last = at->end == HS_END || at->end == HS_E_SYSTEM;
	at->offset = p->offset;
}

static void cut_piece(struct pieces *p, struct source_piece *at)
{
	fill_piece(p, at);
	const size_t n = p->work->cut(p->to, at);

	p->rest_n = at->n - n;
	memcpy(p->rest, at->bytes + n, p->rest_n);
	at->n = n;
	p->offset += n;
}

static void run(struct pieces *p)
{
	bool cut_all = false, more = true;

	while (more) {
		if (!cut_all && p->given - p->taken < p->count) {
			struct source_piece *next = piece_at(p, p->given);

			cut_piece(p, next);
			cut_all = next->last;
			hs_pool_give(p->pool, (uint32_t)(p->given++ % p->count));
			continue;
		}
		struct source_piece *at = piece_at(p, p->taken);

		hs_pool_take(p->pool, (uint32_t)(p->taken++ % p->count));
		more = p->work->take(p->to, at) && !at->last;
	}
}

static bool allocate(struct pieces *p, uint32_t count)
{
	p->list = calloc(count, p->work->size);
	p->rest = malloc(p->work->bytes);
	if (!p->list || !p->rest)
		return false;
	for (; p->count < count; p->count++) {
		struct source_piece *at = (void *)(p->list + p->work->size * p->count);

		at->bytes = malloc(p->work->bytes);
		if (!at->bytes || (p->work->init && !p->work->init(p->to, at))) {
			p->count++; /* it is freed with the others */
			return false;
		}
	}
	return true;
}

static void free_all(struct pieces *p)
{
	for (uint32_t i = 0; i < p->count; i++) {
		struct source_piece *at = piece_at(p, i);

		p->work->free(p->to, at);
		free(at->bytes);
	}
	free(p->list);
	free(p->rest);
}

enum hs_status source_pieces_run(struct hs_source *source, uint32_t threads,
                                 const struct source_pieces_work *work, void *to)
{
	const uint32_t count = threads > 1 ? EACH * threads : 1;
	struct pieces p = { .source = source, .work = work, .to = to };
	enum hs_status s = HS_E_MEMORY;

	if (allocate(&p, count))
		s = hs_pool_new(&p.pool, threads, count, make_piece, &p);
	if (s == HS_OK)
		run(&p);
	hs_pool_free(p.pool);
	free_all(&p);
	return s;
}
