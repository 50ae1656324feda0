/* Threads by the switches of the guest's scheduler: their times are perf's, which a conversion of
 * perf (struct perf_event_mmap_page: time_shift, time_mult, time_zero) makes those of the trace. */
#include <stdlib.h>
#include <string.h>

#include "core/search.h"
#include "guest/private.h"
#include "support/grow.h"

void guest_free_threads(struct guest_threads *t)
{
	free(t->items);
	free(t->switches);
	support_hash_free(&t->votes);
}

/* ---- records ------------------------------------------------------------------------------- */

static struct guest_thread *add_thread(struct guest_threads *t, const struct hs_guest_record *r)
{
	if (!support_grow(&t->items, &t->room, t->count + 1, sizeof(*t->items)))
		return NULL;
	struct guest_thread *one = &t->items[t->count];

	*one = (struct guest_thread){ .task = { .pid = r->pid, .tid = r->tid },
		                      .from = r->has_time ? r->time : 0,
		                      .order = (uint32_t)t->count };
	t->count++;
	return one;
}

/* The last thread of a number; NULL: none. */
static struct guest_thread *last_thread(const struct guest_threads *t, uint32_t tid)
{
	for (size_t i = t->count; i > 0; i--)
		if (t->items[i - 1].task.tid == tid)
			return &t->items[i - 1];
	return NULL;
}

static enum hs_status add_switch(struct guest_threads *t, const struct hs_guest_record *r)
{
	if (!support_grow(&t->switches, &t->switch_room, t->switch_count + 1, sizeof(*t->switches)))
		return HS_E_MEMORY;
	t->switches[t->switch_count] = (struct guest_switch){
		.moment = r->has_time ? r->time : 0, .hart = r->hart, .pid = r->pid,
		.tid = r->tid, .order = (uint32_t)t->switch_count,
		.exec = r->event == HS_GUEST_EXEC };
	t->switch_count++;
	return HS_OK;
}

/* The name of a new thread is its parent's. */
static const char *inherited(const struct guest_threads *t, const struct hs_guest_record *r)
{
	const struct guest_thread *parent =
		last_thread(t, r->parent_tid ? r->parent_tid : r->parent);

	return parent ? parent->task.name : NULL;
}

enum hs_status guest_take_thread(struct hs_guest *g, const struct hs_guest_record *r)
{
	struct guest_threads *t = &g->threads;
	struct guest_thread *one = r->tid ? last_thread(t, r->tid) : NULL;
	const char *name = r->name ? guest_keep(g, "%s", r->name) : NULL;

	if (r->name && !name)
		return HS_E_MEMORY;
	if (r->event == HS_GUEST_FORK && !name)
		name = inherited(t, r);
	if (r->tid && (!one || r->event == HS_GUEST_EXEC || r->event == HS_GUEST_FORK)) {
		one = add_thread(t, r);
		if (!one)
			return HS_E_MEMORY;
	}
	if (one && name)
		one->task.name = name;
	if (one && r->pid)
		one->task.pid = r->pid;
	/* the program of a thread changes while it runs */
	if (r->event == HS_GUEST_SWITCH || (r->event == HS_GUEST_EXEC && r->has_hart))
		return add_switch(t, r);
	return HS_OK;
}

/* ---- the clock ------------------------------------------------------------------------------- */

enum hs_status hs_guest_set_clock(struct hs_guest *g, const struct hs_guest_clock *clock)
{
	if (!clock->multiplier || clock->shift > 31)
		return HS_E_ARG;
	g->threads.clock = *clock;
	g->threads.has_clock = true;
	return HS_OK;
}

/* The first tick t with zero + (t * multiplier >> shift) >= time. */
bool guest_moment_of(const struct hs_guest *g, uint64_t time, uint64_t *moment)
{
	const struct hs_guest_clock *c = &g->threads.clock;

	if (!g->threads.has_clock)
		return false;
	*moment = 0;
	if (time <= c->zero)
		return true;
	const uint64_t whole = (time - c->zero) / c->multiplier;
	const uint64_t rest = (time - c->zero) % c->multiplier << c->shift;

	*moment = UINT64_MAX;
	if (whole < UINT64_MAX >> c->shift)
		*moment = (whole << c->shift) + (rest + c->multiplier - 1) / c->multiplier;
	return true;
}

/* ---- when all are known ---------------------------------------------------------------------- */

static int by_hart(const void *a, const void *b)
{
	const struct guest_switch *x = a, *y = b;

	if (x->hart != y->hart)
		return x->hart < y->hart ? -1 : 1;
	if (x->moment != y->moment)
		return x->moment < y->moment ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static int by_number(const void *a, const void *b)
{
	const struct guest_thread *x = a, *y = b;

	if (x->task.tid != y->task.tid)
		return x->task.tid < y->task.tid ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static bool began_by(const struct guest_thread *t, uint32_t tid, uint64_t moment)
{
	return t->task.tid < tid || (t->task.tid == tid && t->from <= moment);
}

/* The thread of a number at a moment: the first one also before it is known to exist. */
static const struct guest_thread *find_thread(const struct guest_threads *t, uint32_t tid,
                                              uint64_t moment)
{
	const size_t low = base_count_leading(t->count, i, began_by(&t->items[i], tid, moment));

	if (low && t->items[low - 1].task.tid == tid)
		return &t->items[low - 1];
	return low < t->count && t->items[low].task.tid == tid ? &t->items[low] : NULL;
}

const struct hs_guest_task *guest_thread(const struct hs_guest *g, uint32_t tid)
{
	const struct guest_thread *t = find_thread(&g->threads, tid, UINT64_MAX);

	return t ? &t->task : NULL;
}

/* Times of perf as those of the trace; what has none is from the start on. */
static void convert(struct hs_guest *g)
{
	struct guest_threads *t = &g->threads;
	size_t kept = 0;

	for (size_t i = 0; i < t->count; i++)
		if (!guest_moment_of(g, t->items[i].from, &t->items[i].from))
			t->items[i].from = 0;
	for (size_t i = 0; i < t->switch_count; i++) {
		struct guest_switch *s = &t->switches[i];

		if (!s->moment || guest_moment_of(g, s->moment, &s->moment))
			t->switches[kept++] = *s;
		else
			t->unplaced += !s->exec;
	}
	t->switch_count = kept;
}

void guest_settle_threads(struct hs_guest *g)
{
	struct guest_threads *t = &g->threads;

	if (t->settled)
		return;
	t->settled = true;
	t->votes.item_size = sizeof(struct guest_vote);
	convert(g);
	if (t->count)
		qsort(t->items, t->count, sizeof(*t->items), by_number);
	if (t->switch_count)
		qsort(t->switches, t->switch_count, sizeof(*t->switches), by_hart);
	for (size_t i = 0; i < t->switch_count; i++) {
		struct guest_switch *s = &t->switches[i];
		const struct guest_thread *one =
			s->tid ? find_thread(t, s->tid, s->moment) : NULL;

		s->task = one ? &one->task : NULL;
		if (one && !s->pid)
			s->pid = one->task.pid;
	}
}

static bool is_up_to(const struct guest_switch *s, uint32_t hart, uint64_t moment)
{
	return s->hart < hart || (s->hart == hart && s->moment <= moment);
}

const struct guest_switch *guest_find_switch(const struct hs_guest *g, uint32_t hart,
                                             uint64_t moment)
{
	const struct guest_threads *t = &g->threads;
	const size_t low =
		base_count_leading(t->switch_count, i, is_up_to(&t->switches[i], hart, moment));

	return low && t->switches[low - 1].hart == hart ? &t->switches[low - 1] : NULL;
}

/* ---- which process a context is -------------------------------------------------------------- */

static bool same_vote(const void *item, const void *key)
{
	const struct guest_vote *a = item, *b = key;

	return a->context == b->context && a->pid == b->pid;
}

enum hs_status guest_vote_for(struct hs_guest *g, uint32_t hart, uint64_t moment, uint64_t context)
{
	const struct guest_switch *s = guest_find_switch(g, hart, moment);
	const struct guest_vote key = { .context = context, .pid = s ? s->pid : 0 };
	const uint32_t hash = support_hash_of(context, key.pid);

	if (!key.pid)
		return HS_OK;
	struct guest_vote *v = support_hash_find(&g->threads.votes, hash, same_vote, &key);

	if (!v) {
		v = support_hash_add(&g->threads.votes, hash);
		if (!v)
			return HS_E_MEMORY;
		*v = key;
	}
	v->count++;
	v->last = moment;
	return HS_OK;
}

uint32_t guest_voted_pid(const struct hs_guest *g, uint64_t context, uint64_t *moment)
{
	const struct guest_vote *best = NULL;
	uint64_t all = 0;

	for (uint32_t i = 0; i < g->threads.votes.count; i++) {
		const struct guest_vote *v = support_hash_item(&g->threads.votes, i);

		if (v->context != context)
			continue;
		all += v->count;
		if (!best || v->count > best->count)
			best = v;
	}
	if (!best || best->count <= all / 4 * 3)
		return 0;
	*moment = best->last;
	return best->pid;
}

/* ---- the question ---------------------------------------------------------------------------- */

const struct hs_guest_task *hs_guest_find_thread(struct hs_guest *g, const struct hs_guest_at *at)
{
	const uint64_t moment = at->has_moment ? at->moment : 0;
	const struct guest_switch *s =
		at->has_hart ? guest_find_switch(g, at->hart, moment) : NULL;

	if (s && s->task)
		return s->task;
	const struct hs_guest_task *task = hs_guest_find_task(g, at);
	const struct guest_thread *one =
		at->has_context && at->context && at->context <= UINT32_MAX
			? find_thread(&g->threads, (uint32_t)at->context,
	                              at->has_moment ? at->moment : UINT64_MAX)
			: NULL;
	const bool same =
		!task || (one && one->task.pid == task->pid && one->task.tid != task->pid);

	return one && same ? &one->task : task;
}
