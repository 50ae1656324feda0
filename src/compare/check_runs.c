/* hs_check(): runs of the subject's decoder, which are compared and counted as a whole. */
#include <stdlib.h>
#include <string.h>

#include "compare/check.h"
#include "ingress/ingress.h"

static const struct hs_block *blocks_of(const struct hs_block *run)
{
	return (const struct hs_block *)(uintptr_t)run->value;
}

/* A block in one register, where the processor has such ones.  Not for parameters: GCC 14 for arm64
 * ends in an internal error there. */
typedef uint64_t words __attribute__((vector_size(16), aligned(8), may_alias));

_Static_assert(sizeof(words) == sizeof(struct hs_block), "both are two words");

/* What hs_block_same() compares of blocks, but for their privilege. */
static words compared(void)
{
	const struct hs_block all = { .iaddr = UINT64_MAX,
		                      .iretire = UINT32_MAX,
		                      .ilast = UINT8_MAX,
		                      .itype = UINT8_MAX,
		                      .kind = UINT8_MAX };
	words mask;

	memcpy(&mask, &all, sizeof(mask));
	return mask;
}

static unsigned privilege_of(const words *bits)
{
	struct hs_block block;

	memcpy(&block, bits, sizeof(block));
	return block.priv;
}

/* Is a run, whose blocks know no privilege, in that of the reference?  @any, @all: each bit of the
 * privilege that any, or each, of its blocks has there. */
static bool same_mode(const struct check_hart *h, const struct hs_block *run, unsigned any,
                      unsigned all)
{
	const struct hs_block *r = h->reader.items + h->at;
	bool same = true;

	if (any == all)
		return any == run->priv || any == HS_PRIV_UNKNOWN;
	for (unsigned i = 0; i < run->ilast; i++)
		same &= r[i].priv == run->priv || r[i].priv == HS_PRIV_UNKNOWN;
	return same;
}

/* Are the next blocks of the reference those of a run, as hs_block_same() says?  Without branches:
 * they nearly always are. */
static bool same_run(const struct check_hart *h, const struct hs_block *run)
{
	const words *r = (const void *)(h->reader.items + h->at);
	const words *b = (const void *)blocks_of(run);
	words differ = { 0, 0 }, any = { 0, 0 }, all = ~any;

	for (unsigned i = 0; i < run->ilast; i++) {
		differ |= b[i] ^ r[i];
		any |= r[i];
		all &= r[i];
	}
	differ &= compared();
	return !(differ[0] | differ[1]) &&
	       (run->priv == HS_PRIV_UNKNOWN ||
	        same_mode(h, run, privilege_of(&any), privilege_of(&all)));
}

void compare_fetch_run(const struct check *c, const struct hs_block *run)
{
	if (run->kind != HS_KIND_RUN || run->arg >= c->runs.room)
		return;
	__builtin_prefetch(blocks_of(run));
	__builtin_prefetch(blocks_of(run) + 4);
	__builtin_prefetch(&c->runs.times[run->arg]);
}

static enum hs_status grow_runs(struct check *c, size_t number)
{
	const size_t room = 2 * (number + 1);
	uint32_t *times = reallocarray(c->runs.times, room, sizeof(*times));
	uint8_t *sizes;

	if (!times)
		return compare_no_memory(c);
	c->runs.times = times;
	sizes = realloc(c->runs.sizes, room);
	if (!sizes)
		return compare_no_memory(c);
	c->runs.sizes = sizes;
	memset(times + c->runs.room, 0, (room - c->runs.room) * sizeof(*times));
	c->runs.room = room;
	return HS_OK;
}

/* Give a run to the profile, so often; its blocks may go. */
static enum hs_status end_run(struct check *c, size_t number)
{
	const struct hs_run_count run = { .blocks = c->runs.blocks + number,
		                          .n = c->runs.sizes[number],
		                          .times = c->runs.times[number] };
	const enum hs_status s = hs_profile_add_run(c->profile, &run);

	c->runs.times[number] = 0;
	return s == HS_OK ? s : compare_no_memory(c);
}

enum hs_status compare_end_runs(struct check *c)
{
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < c->runs.room && s == HS_OK; i++)
		if (c->runs.times[i])
			s = end_run(c, i);
	return s;
}

static enum hs_status count_run(struct check *c, const struct hs_block *run)
{
	enum hs_status s = HS_OK;

	if (run->arg >= c->runs.room)
		s = grow_runs(c, run->arg);
	else if (c->runs.times[run->arg] == UINT32_MAX)
		s = end_run(c, run->arg);
	if (s != HS_OK)
		return s;
	c->runs.blocks = blocks_of(run) - run->arg;
	if (!c->runs.times[run->arg]++)
		c->runs.sizes[run->arg] = run->ilast;
	return HS_OK;
}

/* Compare a run: at once, if the reference's batch has the same blocks. */
enum hs_status compare_run(struct check *c, struct check_hart *h, const struct hs_block *run)
{
	enum hs_status s = HS_OK;

	if (!run->ilast)
		return compare_end_runs(c);
	if (h->reader.n - h->at >= run->ilast && same_run(h, run)) {
		if (h->counted != h->at)
			s = compare_count(c, h);
		compare_add_same(h, run->ilast, 0);
		h->counted = h->at;
		return s == HS_OK ? count_run(c, run) : s;
	}
	for (unsigned i = 0; i < run->ilast && s == HS_OK && !h->differs; i++) {
		struct hs_block b = blocks_of(run)[i];

		b.priv = run->priv & 7u;
		s = compare_item(c, h, &b);
	}
	return s;
}

void compare_free_runs(struct check_runs *r)
{
	free(r->times);
	free(r->sizes);
}
