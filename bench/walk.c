/* The bare walk: prepared from blocks outside the time that is measured. */
#include "core/image.h"
#include "walk.h"

#include <stdlib.h>
#include <time.h>

#define TABLE_BLOCKS (1u << 19)
#define STEPS (1u << 18) /* of one piece; a block has one, or more where it is long */
#define WORD 64u

struct walk {
	struct hs_bb_table table;
	void *memory;
	struct hs_block *out;
	uint64_t *bits;    /* which edge, lowest bit first */
	uint32_t *targets; /* entries where the program does not say which */
	uint32_t *entries; /* what the walk has to find */
	size_t count, target_count;
	uint64_t steps;
	double seconds;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct walk *walk_new(const struct hs_image *image)
{
	struct walk *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->memory = malloc(hs_bb_memory(TABLE_BLOCKS));
	w->out = malloc(STEPS * sizeof(*w->out));
	w->bits = malloc(STEPS / 8);
	w->targets = malloc(STEPS * sizeof(*w->targets));
	w->entries = malloc(STEPS * sizeof(*w->entries));
	if (w->memory && w->out && w->bits && w->targets && w->entries &&
	    hs_bb_init(&w->table, image, w->memory, TABLE_BLOCKS) == HS_OK)
		return w;
	walk_free(w);
	return NULL;
}

void walk_free(struct walk *w)
{
	if (!w)
		return;
	free(w->memory);
	free(w->out);
	free(w->bits);
	free(w->targets);
	free(w->entries);
	free(w);
}

/* ---- what is prepared -------------------------------------------------------------- */

/* The entries that a block consists of. */
static void add_entries(struct walk *w, const struct hs_block *b)
{
	uint64_t at = b->iaddr;

	while (b->kind == HS_KIND_BLOCK && at < hs_block_end(b) && w->count < STEPS) {
		const uint32_t i = hs_bb_at(&w->table, at);

		if (i < HS_BB_FIRST)
			return;
		w->entries[w->count++] = i;
		at += 2u * (uint64_t)w->table.bbs[i].hwords;
	}
}

/* The edge from step @i to the next one, and its target where no edge leads there. */
static void add_edge(struct walk *w, size_t i)
{
	const uint32_t from = w->entries[i], to = w->entries[i + 1];
	const uint64_t bit = (uint64_t)1 << i % WORD;
	const struct hs_bb *b = &w->table.bbs[from];

	for (unsigned which = 0; which < 2; which++)
		hs_bb_edge(&w->table, from, which);
	w->bits[i / WORD] &= ~bit;
	if (b->edge[0] != to)
		w->bits[i / WORD] |= bit;
	if (b->edge[0] != to && b->edge[1] != to)
		w->targets[w->target_count++] = to;
}

static void prepare(struct walk *w, const struct hs_block *b, size_t n)
{
	w->count = 0;
	w->target_count = 0;
	for (size_t i = 0; i < n; i++)
		add_entries(w, &b[i]);
	for (size_t i = 0; i + 1 < w->count; i++)
		add_edge(w, i);
}

/* ---- what is measured -------------------------------------------------------------- */

static inline void put_entry(struct hs_block *out, const struct hs_bb *b)
{
	uint64_t *words = (uint64_t *)out;

	words[0] = b->start;
	words[1] = b->word;
}

static __attribute__((noinline)) uint32_t follow(const struct walk *w, size_t steps)
{
	const struct hs_bb *bbs = w->table.bbs;
	const uint32_t *target = w->targets;
	struct hs_block *out = w->out;
	uint32_t cur = w->entries[0];
	uint64_t bits = 0;

	for (size_t i = 0; i < steps; i++, bits >>= 1) {
		const struct hs_bb *b = &bbs[cur];

		if (i % WORD == 0)
			bits = w->bits[i / WORD];
		put_entry(out++, b);
		cur = b->edge[bits & 1];
		if (cur < HS_BB_FIRST)
			cur = *target++;
	}
	return cur;
}

bool walk_blocks(struct walk *w, const struct hs_block *b, size_t n)
{
	prepare(w, b, n);
	if (w->count < 2)
		return true;
	const size_t steps = w->count - 1;
	const double start = now();
	const uint32_t end = follow(w, steps);

	w->seconds += now() - start;
	w->steps += steps;
	return end == w->entries[steps];
}

uint64_t walk_steps(const struct walk *w)
{
	return w->steps;
}

double walk_seconds(const struct walk *w)
{
	return w->seconds;
}
