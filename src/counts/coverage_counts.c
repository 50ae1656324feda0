/* How often each address was executed: blocks laid over each other. */
#include <stdlib.h>
#include <string.h>

#include "core/search.h"
#include "counts/coverage_private.h"

static struct hs_block block_of(const struct coverage_block *c)
{
	const uint64_t words[2] = { c->iaddr, c->shape };
	struct hs_block b;

	memcpy(&b, words, sizeof(b));
	return b;
}

static bool is_branch(const struct hs_block *b)
{
	return b->iretire && (b->itype == HS_ITYPE_TAKEN || b->itype == HS_ITYPE_NOT_TAKEN);
}

static int by_step(const void *a, const void *b)
{
	const struct coverage_step *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static int by_end(const void *a, const void *b)
{
	const struct coverage_end *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* Changes by address become counts by address. */
static void sum_steps(struct coverage_counts *c)
{
	uint64_t count = 0;
	size_t n = 0;

	if (c->step_count)
		qsort(c->steps, c->step_count, sizeof(*c->steps), by_step);
	for (size_t i = 0; i < c->step_count; i++) {
		count += c->steps[i].count;
		if (!n || c->steps[n - 1].addr != c->steps[i].addr)
			n++;
		c->steps[n - 1] = (struct coverage_step){ c->steps[i].addr, count };
	}
	c->step_count = n;
}

static void sum_ends(struct coverage_counts *c)
{
	size_t n = 0;

	if (c->end_count)
		qsort(c->ends, c->end_count, sizeof(*c->ends), by_end);
	for (size_t i = 0; i < c->end_count; i++) {
		const struct coverage_end e = c->ends[i];

		if (!n || c->ends[n - 1].addr != e.addr) {
			c->ends[n++] = e;
			continue;
		}
		c->ends[n - 1].taken += e.taken;
		c->ends[n - 1].not_taken += e.not_taken;
	}
	c->end_count = n;
}

static void add_block(struct coverage_counts *c, const struct coverage_block *counted)
{
	const struct hs_block b = block_of(counted);
	const uint64_t times = counted->count, end = hs_block_end(&b);
	const bool taken = b.itype == HS_ITYPE_TAKEN;

	c->steps[c->step_count++] = (struct coverage_step){ b.iaddr, times };
	c->steps[c->step_count++] = (struct coverage_step){ end, -times };
	if (is_branch(&b))
		c->ends[c->end_count++] = (struct coverage_end){
			.addr = end,
			.taken = taken ? times : 0,
			.not_taken = taken ? 0 : times,
		};
}

bool coverage_counts_make(const struct coverage_block *blocks, size_t n,
                          const struct hs_program *program, struct coverage_counts *c)
{
	*c = (struct coverage_counts){ .steps = calloc(2 * n + 1, sizeof(*c->steps)),
		                       .ends = calloc(n + 1, sizeof(*c->ends)) };
	if (!c->steps || !c->ends)
		return false;
	for (size_t i = 0; i < n; i++)
		if (blocks[i].program == program && !blocks[i].foreign)
			add_block(c, &blocks[i]);
	sum_steps(c);
	sum_ends(c);
	return true;
}

void coverage_counts_free(struct coverage_counts *c)
{
	free(c->steps);
	free(c->ends);
}

size_t coverage_steps_before(const struct coverage_counts *c, uint64_t addr)
{
	return base_count_leading(c->step_count, i, c->steps[i].addr <= addr);
}

uint64_t coverage_count_at(const struct coverage_counts *c, uint64_t addr, size_t *step)
{
	while (*step < c->step_count && c->steps[*step].addr <= addr)
		++*step;
	return *step ? c->steps[*step - 1].count : 0;
}

const struct coverage_end *coverage_end_at(const struct coverage_counts *c, uint64_t addr)
{
	const struct coverage_end key = { .addr = addr };

	return c->end_count ? bsearch(&key, c->ends, c->end_count, sizeof(key), by_end) : NULL;
}
