/* Ranges: the object, and what goes in and out. */
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "source/range_private.h"
#include "source/range.h"

/* ---- the object ------------------------------------------------------------------ */

static enum hs_status select_lane(struct hs_range *r, uint32_t hart)
{
	for (r->now = 0; r->now < r->lane_count; r->now++)
		if (r->lanes[r->now].hart == hart)
			return HS_OK;
	struct range_lane *more = realloc(r->lanes, (r->lane_count + 1) * sizeof(*more));

	if (!more) {
		r->now = 0;
		return HS_E_MEMORY;
	}
	r->lanes = more;
	more[r->lane_count++] = (struct range_lane){ .hart = hart };
	return HS_OK;
}

void hs_range_restart(struct hs_range *r, uint64_t before)
{
	program_select_end(&r->select);
	program_select_start(&r->select, r->program, r->programs);
	r->found = (struct hs_range_found){ .seen = before };
	r->lane_count = r->now = 0;
	r->several = r->hart_given = r->ended = false;
	r->task = NULL;
	r->byte = 0;
	r->queue.pending.n = r->queue.ready.n = r->queue.ready_at = 0;
	r->from.times = r->to.times = 0;
	r->from.unsure = r->to.unsure = 0;
	r->from.reached = r->from.at.kind == HS_POSITION_NONE;
	r->to.reached = false;
}

enum hs_status hs_range_new(const struct hs_range_options *options, struct hs_range **range)
{
	struct hs_range_options o;
	struct hs_range *r;

	if (base_take_config(&o, sizeof(o), options) != HS_OK || !o.program)
		return HS_E_CONFIG;
	r = calloc(1, sizeof(*r));
	if (!r)
		return HS_E_MEMORY;
	r->program = o.program;
	r->programs = o.programs;
	r->guest = o.guest;
	r->from.at = o.from;
	r->to.at = o.to;
	r->code.item_size = sizeof(struct range_code);
	r->labels.item_size = sizeof(const char *);
	r->function = o.function ? strdup(o.function) : NULL;
	hs_range_restart(r, 0);
	if (o.function && !r->function) {
		hs_range_free(r);
		return HS_E_MEMORY;
	}
	*range = r;
	return HS_OK;
}

void hs_range_free(struct hs_range *r)
{
	if (!r)
		return;
	program_select_end(&r->select);
	program_counts_free(&r->counts);
	support_hash_free(&r->code);
	support_hash_free(&r->labels);
	free(r->lanes);
	free(r->queue.pending.at);
	free(r->queue.ready.at);
	free(r->pieces);
	free(r->function);
	free(r);
}

/* ---- where it stands --------------------------------------------------------------- */

bool range_is_inside(const struct hs_range *r)
{
	const struct range_lane *l = &r->lanes[r->now];
	const bool began = r->from.at.kind == HS_POSITION_TIME ? l->began : r->from.reached;

	return began && !(r->to.at.kind == HS_POSITION_TIME ? l->ended : r->to.reached);
}

bool range_is_over(const struct hs_range *r)
{
	if (r->to.at.kind == HS_POSITION_TIME)
		return !r->several && r->lanes[r->now].ended;
	return r->to.reached;
}

void hs_range_set_byte(struct hs_range *r, uint64_t offset)
{
	r->byte = offset;
}

void hs_range_get_found(const struct hs_range *r, struct hs_range_found *found)
{
	*found = r->found;
}

bool hs_range_get_hart(const struct hs_range *r, uint32_t hart, struct hs_range_found *found)
{
	for (size_t i = 0; i < r->lane_count; i++)
		if (r->lanes[i].hart == hart && r->lanes[i].found.end) {
			*found = r->lanes[i].found;
			return true;
		}
	return false;
}

/* ---- items ------------------------------------------------------------------------- */

enum hs_status range_put(struct range_items *to, const struct hs_block *item)
{
	if (to->n == to->cap) {
		const size_t cap = to->cap ? 2 * to->cap : 64;
		struct hs_block *more = realloc(to->at, cap * sizeof(*more));

		if (!more)
			return HS_E_MEMORY;
		to->at = more;
		to->cap = cap;
	}
	to->at[to->n++] = *item;
	return HS_OK;
}

enum hs_status range_give(struct hs_range *r, const struct hs_block *item)
{
	const uint32_t hart = r->lanes[r->now].hart;

	if (r->several && !(r->hart_given && r->given_hart == hart)) {
		const struct hs_block name = { .arg = hart,
			                       .kind = HS_KIND_HART,
			                       .priv = HS_PRIV_UNKNOWN };
		const enum hs_status s = range_put(&r->queue.ready, &name);

		if (s != HS_OK)
			return s;
		r->hart_given = true;
		r->given_hart = hart;
	}
	return range_put(&r->queue.ready, item);
}

static enum hs_status change_hart(struct hs_range *r, const struct hs_block *b)
{
	enum hs_status s = range_settle(r, range_is_inside(r));

	r->several = true;
	if (s == HS_OK)
		s = select_lane(r, b->arg);
	return s == HS_OK ? program_select_event(&r->select, b) : s;
}

static enum hs_status take_item(struct hs_range *r, const struct hs_block *b)
{
	if (!r->lane_count &&
	    (select_lane(r, 0) != HS_OK || program_select_hart(&r->select, 0) != HS_OK))
		return HS_E_MEMORY;
	if (b->kind == HS_KIND_HART)
		return change_hart(r, b);
	if (b->kind == HS_KIND_BLOCK || b->kind == HS_KIND_TARGET)
		return range_take_block(r, b);
	return range_take_event(r, b);
}

static void drain(struct hs_range *r, struct hs_block *out, size_t cap, size_t *count)
{
	const size_t left = r->queue.ready.n - r->queue.ready_at, room = cap - *count;
	const size_t n = left < room ? left : room;

	if (n)
		memcpy(out + *count, r->queue.ready.at + r->queue.ready_at, n * sizeof(*out));
	*count += n;
	r->queue.ready_at += n;
	if (r->queue.ready_at == r->queue.ready.n)
		r->queue.ready_at = r->queue.ready.n = 0;
}

enum hs_status hs_range_take(struct hs_range *r, const struct hs_block *in, size_t n, size_t *used,
                             struct hs_block *out, size_t cap, size_t *count)
{
	enum hs_status s = HS_OK;

	*used = *count = 0;
	while (s == HS_OK) {
		drain(r, out, cap, count);
		if (r->queue.ready.n)
			return HS_FULL;
		if (r->ended)
			return HS_END;
		if (*used == n)
			return HS_OK;
		while (s == HS_OK && *used < n && !r->ended && r->queue.ready.n < cap - *count)
			s = take_item(r, &in[(*used)++]);
		if (*count == cap && s == HS_OK && *used < n && !r->queue.ready.n)
			return HS_FULL;
	}
	return s;
}

void hs_range_end(struct hs_range *r)
{
	if (r->lane_count && !r->ended)
		range_settle(r, range_is_inside(r));
	r->ended = true;
}
