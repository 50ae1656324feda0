/* hs_check(): paths of the subject's decoder, which are compared and counted as a whole. */
#include <stdlib.h>
#include <string.h>

#include "counts/check.h"
#include "ingress/ingress.h"

static const struct hs_block *blocks_of(const struct hs_block *path)
{
	return (const struct hs_block *)(uintptr_t)path->value;
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

/* Is a path, whose blocks know no privilege, in that of the reference?  @any, @all: each bit of the
 * privilege that any, or each, of its blocks has there. */
static bool same_mode(const struct check_hart *h, const struct hs_block *path, unsigned any,
                      unsigned all)
{
	const struct hs_block *r = h->reader.items + h->at;
	bool same = true;

	if (any == all)
		return any == path->priv || any == HS_PRIV_UNKNOWN;
	for (unsigned i = 0; i < path->ilast; i++)
		same &= r[i].priv == path->priv || r[i].priv == HS_PRIV_UNKNOWN;
	return same;
}

/* Are the next blocks of the reference those of a path, as hs_block_same() says?  Without branches:
 * they nearly always are. */
static bool same_path(const struct check_hart *h, const struct hs_block *path)
{
	const words *r = (const void *)(h->reader.items + h->at);
	const words *b = (const void *)blocks_of(path);
	words differ = { 0, 0 }, any = { 0, 0 }, all = ~any;

	for (unsigned i = 0; i < path->ilast; i++) {
		differ |= b[i] ^ r[i];
		any |= r[i];
		all &= r[i];
	}
	differ &= compared();
	return !(differ[0] | differ[1]) &&
	       (path->priv == HS_PRIV_UNKNOWN ||
	        same_mode(h, path, privilege_of(&any), privilege_of(&all)));
}

void compare_fetch_path(const struct check *c, const struct hs_block *path)
{
	if (path->kind != HS_KIND_PATH || path->arg >= c->paths.room)
		return;
	__builtin_prefetch(blocks_of(path));
	__builtin_prefetch(blocks_of(path) + 4);
	__builtin_prefetch(&c->paths.times[path->arg]);
}

static enum hs_status grow_paths(struct check *c, size_t number)
{
	const size_t room = 2 * (number + 1);
	uint32_t *times = reallocarray(c->paths.times, room, sizeof(*times));
	uint8_t *sizes;

	if (!times)
		return compare_no_memory(c);
	c->paths.times = times;
	sizes = realloc(c->paths.sizes, room);
	if (!sizes)
		return compare_no_memory(c);
	c->paths.sizes = sizes;
	memset(times + c->paths.room, 0, (room - c->paths.room) * sizeof(*times));
	c->paths.room = room;
	return HS_OK;
}

/* Give a path to the profile, so often; its blocks may go. */
static enum hs_status end_path(struct check *c, size_t number)
{
	const struct hs_path_count path = { .blocks = c->paths.blocks + number,
		                            .n = c->paths.sizes[number],
		                            .times = c->paths.times[number] };
	const enum hs_status s = hs_profile_add_path(c->profile, &path);

	c->paths.times[number] = 0;
	return s == HS_OK ? s : compare_no_memory(c);
}

enum hs_status compare_end_paths(struct check *c)
{
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < c->paths.room && s == HS_OK; i++)
		if (c->paths.times[i])
			s = end_path(c, i);
	return s;
}

static enum hs_status count_path(struct check *c, const struct hs_block *path)
{
	enum hs_status s = HS_OK;

	if (path->arg >= c->paths.room)
		s = grow_paths(c, path->arg);
	else if (c->paths.times[path->arg] == UINT32_MAX)
		s = end_path(c, path->arg);
	if (s != HS_OK)
		return s;
	c->paths.blocks = blocks_of(path) - path->arg;
	if (!c->paths.times[path->arg]++)
		c->paths.sizes[path->arg] = path->ilast;
	return HS_OK;
}

/* Compare a path: at once, if the reference's batch has the same blocks. */
enum hs_status compare_path(struct check *c, struct check_hart *h, const struct hs_block *path)
{
	enum hs_status s = HS_OK;

	if (!path->ilast)
		return compare_end_paths(c);
	if (h->reader.n - h->at >= path->ilast && same_path(h, path)) {
		if (h->counted != h->at)
			s = compare_count(c, h);
		compare_add_same(h, path->ilast, 0);
		h->counted = h->at;
		return s == HS_OK ? count_path(c, path) : s;
	}
	for (unsigned i = 0; i < path->ilast && s == HS_OK && !h->differs; i++) {
		struct hs_block b = blocks_of(path)[i];

		b.priv = path->priv & 7u;
		s = compare_item(c, h, &b);
	}
	return s;
}

void compare_free_paths(struct check_paths *r)
{
	free(r->times);
	free(r->sizes);
}
