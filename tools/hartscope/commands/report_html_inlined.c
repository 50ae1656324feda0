/* Inlined functions in the timeline of a page (report_html.h).
 *
 * What a call has of its own instructions is drawn in the row below it, where what it calls is at
 * other times: so nothing overlaps, and rows have the depths that they have without it. */
#include <stdlib.h>

#include "commands/report_html.h"

#define ALL_DEPTHS UINT32_MAX

/* ---- nodes ------------------------------------------------------------------------------ */

static size_t slot_of(const struct inlined_runs *r, const char *function, uint32_t depth)
{
	const uint64_t hash =
		((uintptr_t)function ^ (uint64_t)depth << 48) * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(hash >> 32) & (r->slot_count - 1);

	while (r->slots[i]) {
		const struct inlined_node *n = &r->nodes[r->slots[i] - 1];

		if (n->function == function && n->depth == depth)
			break;
		i = (i + 1) & (r->slot_count - 1);
	}
	return i;
}

/* Room for one more node.  False: no memory. */
static bool have_room(struct inlined_runs *r)
{
	if (r->count < r->room)
		return true;
	const uint32_t room = 2 * r->room + 512;
	struct inlined_node *more = reallocarray(r->nodes, room, sizeof(*more));
	uint32_t *slots = calloc(2 * (size_t)(room + 512), sizeof(*slots));

	r->nodes = more ? more : r->nodes;
	if (!more || !slots) {
		free(slots);
		return false;
	}
	free(r->slots);
	r->slots = slots;
	r->room = room;
	r->slot_count = 2 * (room + 512); /* a power of two */
	for (uint32_t i = 0; i < r->count; i++)
		r->slots[slot_of(r, r->nodes[i].function, r->nodes[i].depth)] = i + 1;
	return true;
}

/* The number of a node; UINT32_MAX: no memory. */
static uint32_t node_of(struct inlined_runs *r, const char *function, uint32_t depth)
{
	if (!have_room(r))
		return UINT32_MAX;
	const size_t i = slot_of(r, function, depth);

	if (r->slots[i])
		return r->slots[i] - 1;
	const uint32_t n = r->count++;

	r->nodes[n] = (struct inlined_node){ function, depth, r->name_count };
	r->slots[i] = n + 1;
	if (depth == ALL_DEPTHS) {
		r->name_count++;
		return n;
	}
	const uint32_t all = node_of(r, function, ALL_DEPTHS);

	if (all != UINT32_MAX)
		r->nodes[n].name = r->nodes[all].name;
	return all == UINT32_MAX ? all : n;
}

void inlined_take(void *runs, const struct hs_inlined_run *run)
{
	struct inlined_runs *r = runs;
	const struct hs_call c = { .start = run->start,
		                   .end = run->end,
		                   .node = node_of(r, run->function, run->depth + 1),
		                   .depth = run->depth + 1,
		                   .hart = run->hart,
		                   .mode = run->mode,
		                   .again = true };

	r->runs.failed |= c.node == UINT32_MAX;
	if (!r->runs.failed)
		timeline_take(&r->runs, &c);
}

/* ---- writing ---------------------------------------------------------------------------- */

bool inlined_finish(struct inlined_runs *r)
{
	r->function_of = calloc(r->count + 1u, sizeof(*r->function_of));
	r->depth_of = calloc(r->count + 1u, sizeof(*r->depth_of));
	r->shown = timeline_show(&r->runs, &r->shown_count);
	if (!r->function_of || !r->depth_of || !r->shown)
		return false;
	for (uint32_t i = 0; i < r->count; i++) {
		r->function_of[i] = r->nodes[i].name;
		r->depth_of[i] = r->nodes[i].depth;
	}
	return true;
}

bool inlined_write(struct html_out *o, struct inlined_runs *r, const struct sums *calls,
                   const struct time_tree *tree)
{
	const struct time_tree own = { .function_of = r->function_of, .depth_of = r->depth_of };
	struct sums *s = NULL;

	for (uint32_t i = 0; i < r->runs.sums_count && !s; i++)
		s = r->runs.sums[i].hart == calls->hart ? &r->runs.sums[i] : NULL;
	if (!s)
		return true;
	while (r->at < r->shown_count && r->shown[r->at].call->hart < s->hart)
		r->at++;
	fputs(",\n\"inlined\":{", o->f);
	if (s->hidden_from < s->hidden_to)
		fprintf(o->f, "\"hidden\":[%llu,%llu],", (unsigned long long)s->hidden_from,
		        (unsigned long long)s->hidden_to);
	timeline_write_levels(o, r->shown + r->at, r->shown_count - r->at, s->hart, &own);
	fputc(',', o->f);
	if (!sums_finish(s))
		return false;
	sums_widen(s, calls->shift);
	const bool good = sums_write_inlined(o, r->runs.sums_count, s, &own, calls, tree);

	fputc('}', o->f);
	return good;
}

void inlined_write_names(struct html_out *o, const struct inlined_runs *r)
{
	uint32_t n = 0;

	fprintf(o->f, ",\"inlinedRuns\":%llu,\"inlinedShown\":%zu,\"inlinedNames\":[",
	        (unsigned long long)r->runs.seen, r->shown_count);
	for (uint32_t i = 0; i < r->count; i++) {
		if (r->nodes[i].depth != ALL_DEPTHS)
			continue;
		fputs(n++ ? ",\n" : "", o->f);
		html_string(o, r->nodes[i].function);
	}
	fputc(']', o->f);
}

void inlined_free(struct inlined_runs *r)
{
	timeline_close(&r->runs);
	free(r->nodes);
	free(r->slots);
	free(r->function_of);
	free(r->depth_of);
	free(r->shown);
}
