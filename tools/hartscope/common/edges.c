/* Edges of jumps (edges.h). */
#include <stdlib.h>

#include "common/edges.h"

/* Ends whose target is not in the code: jumps and calls, without returns. */
#define JUMPS \
	(1u << HS_ITYPE_UNINFERABLE | 1u << HS_ITYPE_CALL_UNINF | 1u << HS_ITYPE_TAIL_UNINF | \
	 1u << HS_ITYPE_JUMP_UNINF)

static struct edge *slot_of(const struct edge_table *t, uint64_t from, uint64_t to)
{
	size_t i = (size_t)((from ^ to << 24) * UINT64_C(0x9e3779b97f4a7c15) >> 24);

	for (i &= t->room - 1; t->slots[i].count; i = (i + 1) & (t->room - 1))
		if (t->slots[i].from == from && t->slots[i].to == to)
			break;
	return &t->slots[i];
}

static bool make_room(struct edge_table *t)
{
	struct edge_table more = { .room = t->room ? 2 * t->room : 1024 };

	if (2 * t->count < t->room)
		return true;
	more.slots = calloc(more.room, sizeof(*more.slots));
	if (!more.slots)
		return false;
	for (size_t i = 0; i < t->room; i++)
		if (t->slots[i].count)
			*slot_of(&more, t->slots[i].from, t->slots[i].to) = t->slots[i];
	free(t->slots);
	t->slots = more.slots;
	t->room = more.room;
	return true;
}

static bool add_edge(struct edge_table *t, uint64_t to)
{
	const uint64_t from = hs_block_end(&t->last) - 2u * (uint64_t)t->last.ilast;

	if (!make_room(t))
		return false;
	struct edge *e = slot_of(t, from, to);

	t->count += e->count == 0;
	*e = (struct edge){ from, to, e->count + 1 };
	return true;
}

bool edges_add(struct edge_table *t, const struct hs_block *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (b[i].kind != HS_KIND_BLOCK) {
			t->has_last &= !hs_event_breaks(&b[i]) && b[i].kind != HS_KIND_HART;
			continue;
		}
		if (t->has_last && (JUMPS >> t->last.itype & 1u) && !add_edge(t, b[i].iaddr))
			return false;
		t->last = b[i];
		t->has_last = true;
	}
	return true;
}

static int by_jump(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

void edges_sort(struct edge_table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->room; i++)
		if (t->slots[i].count)
			t->slots[n++] = t->slots[i];
	if (n)
		qsort(t->slots, n, sizeof(*t->slots), by_jump);
}

const struct edge *edges_find(const struct edge_table *t, uint64_t from)
{
	size_t low = 0, high = t->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (t->slots[middle].from < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->count && t->slots[low].from == from ? &t->slots[low] : NULL;
}

void edges_free(struct edge_table *t)
{
	free(t->slots);
}
