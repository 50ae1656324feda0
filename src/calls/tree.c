/* The tree of calls (call_tree.h): each frame's tag is 1 + the number of its node. */
#include <stdlib.h>

#include "program/block_count.h"
#include "calls/inlined.h"
#include "calls/stacks_private.h"
#include "calls/scan.h"
#include "calls/stacks.h"
#include "support/grow.h"

#define NODES_MAX ((uint32_t)1 << 22)
#define NONE UINT32_MAX
#define CALLS_DEEP 4096u /* frames of a stack whose calls are given */

/* A frame that is open. */
struct tree_call {
	uint64_t start;
	uint32_t node;
	uint8_t mode;
	bool again;
};

/* The last time of a hart, and what was not given to a node yet. */
struct tree_hart {
	uint64_t time, due, retired;
	struct tree_call *calls; /* open ones, where each is given; outermost first */
	uint32_t depth;          /* of calls */
	size_t room;
	size_t frames; /* of its stack */
	uint32_t number;
	bool has_time;
	struct inlined_open inlined; /* in the innermost frame */
};

struct hs_call_tree {
	struct hs_stacks *stacks;
	struct program_counts counts;
	struct tree_hart *harts; /* by select.index */
	size_t hart_count;
	uint32_t now;              /* node of the last block, with nothing but times since; NONE */
	bool sure;                 /* with it: hs_stacks_are_sure() */
	struct support_hash nodes; /* of struct hs_call_node, each after its caller */
	struct hs_call_node *sorted;
	uint32_t *place; /* of nodes, in sorted */
	void (*each)(void *to, const struct hs_call *call);
	void *each_to;
	hs_call_event_fn event;
	void *event_to;
	struct calls_inlined inlined; /* each is NULL: it is not wanted */
	uint64_t instructions, unsure, time;
};

enum hs_status hs_call_tree_new(const struct hs_stacks_options *options, struct hs_call_tree **tree)
{
	struct hs_call_tree *t = calloc(1, sizeof(*t));

	if (!t)
		return HS_E_MEMORY;
	t->nodes.item_size = sizeof(struct hs_call_node);
	t->inlined.blocks.item_size = sizeof(struct inlined_block);
	t->inlined.names.item_size = sizeof(const char *);
	t->now = NONE;
	const enum hs_status s = hs_stacks_new(options, &t->stacks);

	if (s == HS_OK)
		*tree = t;
	else
		free(t);
	return s;
}

void hs_call_tree_free(struct hs_call_tree *t)
{
	if (!t)
		return;
	hs_stacks_free(t->stacks);
	program_counts_free(&t->counts);
	calls_inlined_free(&t->inlined);
	support_hash_free(&t->nodes);
	for (size_t i = 0; i < t->hart_count; i++)
		free(t->harts[i].calls);
	free(t->place);
	free(t->harts);
	free(t->sorted);
	free(t);
}

/* ---- nodes ---------------------------------------------------------------------------- */

static struct hs_call_node *node_of(const struct hs_call_tree *t, uint64_t tag)
{
	return support_hash_item(&t->nodes, (uint32_t)(tag - 1));
}

static bool same_node(const void *item, const void *key)
{
	const struct hs_call_node *a = item, *b = key;

	return a->parent == b->parent && a->name == b->name && a->how == b->how &&
	       (a->name ? a->start == b->start : a->file == b->file);
}

/* Control came to a frame by way of @parent.  @tag: that of its node. */
static enum hs_status enter(struct hs_call_tree *t, uint32_t parent, const struct hs_stack_frame *f,
                            uint64_t *tag)
{
	const struct hs_call_node key = { .name = f->name,
		                          .file = f->file,
		                          .own_file = f->own_file,
		                          .start = f->start,
		                          .parent = parent,
		                          .how = f->how };
	const uint32_t hash = support_hash_of(f->name ? f->start : (uintptr_t)f->file,
	                                      (uint64_t)parent << 8 | f->how);
	struct hs_call_node *n = support_hash_find(&t->nodes, hash, same_node, &key);

	if (!n && t->nodes.count == NODES_MAX && parent != NONE) {
		*tag = parent + 1;
		return HS_OK;
	}
	if (!n) {
		const uint32_t depth = parent == NONE ? 0 : node_of(t, parent + 1)->depth + 1;

		n = support_hash_add(&t->nodes, hash);
		if (!n)
			return HS_E_MEMORY;
		*n = key;
		n->depth = depth;
	}
	n->calls++;
	*tag = 1 + (uint64_t)(n - (struct hs_call_node *)t->nodes.items);
	return HS_OK;
}

/* The frames from the first one without a node on are new: *known of them are not. */
static enum hs_status enter_frames(struct hs_call_tree *t, struct hs_stack_frame *f, size_t n,
                                   size_t *known)
{
	enum hs_status s = HS_OK;
	size_t i = n;

	while (i > 0 && !f[i - 1].tag)
		i--;
	*known = i;
	for (; i < n && s == HS_OK; i++)
		s = enter(t, i ? (uint32_t)(f[i - 1].tag - 1) : NONE, &f[i], &f[i].tag);
	return s;
}

/* ---- blocks and times ----------------------------------------------------------------- */

/* What of a block was inlined, of which @at instructions are before it. */
static enum hs_status follow_inlined(struct hs_call_tree *t, struct tree_hart *h,
                                     const struct hs_block *b, uint64_t at)
{
	return t->inlined.each
	               ? calls_inlined_block(&t->inlined, &t->stacks->select, b, &h->inlined, &at)
	               : HS_OK;
}

static enum hs_status count_block(struct hs_call_tree *t, const struct hs_block *b)
{
	struct hs_call_node *node = node_of(t, t->now + 1u);
	struct tree_hart *h = &t->harts[t->stacks->select.index];
	uint32_t count = 0;

	if (program_count_block(&t->counts, &t->stacks->select, b, &count) != HS_OK ||
	    follow_inlined(t, h, b, h->retired) != HS_OK)
		return HS_E_MEMORY;
	node->self += count;
	node->self_time += h->due;
	t->time += h->due;
	h->due = 0;
	h->retired += count;
	t->instructions += count;
	t->unsure += t->sure ? 0 : count;
	return HS_OK;
}

/* The current hart's; NULL: no memory. */
static struct tree_hart *hart_of(struct hs_call_tree *t)
{
	const size_t count = t->stacks->hart_count;

	if (t->hart_count < count) {
		struct tree_hart *more = realloc(t->harts, count * sizeof(*more));

		if (!more)
			return NULL;
		t->harts = more;
		while (t->hart_count < count)
			more[t->hart_count++] = (struct tree_hart){ .has_time = false };
	}
	t->harts[t->stacks->select.index].number = t->stacks->select.hart;
	return &t->harts[t->stacks->select.index];
}

/* What time passed belongs to the innermost function. */
static void give_time(struct hs_call_tree *t, struct tree_hart *h)
{
	size_t n;
	const struct hs_stack_frame *f = hs_stacks_frames(t->stacks, &n);

	if (n && f[n - 1].tag) {
		node_of(t, f[n - 1].tag)->self_time += h->due;
		t->time += h->due;
	}
	h->due = 0;
}

static void take_time(struct tree_hart *h, const struct hs_block *b)
{
	h->due = h->has_time && b->value > h->time ? b->value - h->time : 0;
	h->due = h->has_time || b->itype != HS_CLOCK_TIME ? h->due : b->value;
	h->time = b->value;
	h->has_time = true;
}

static enum hs_status add_event(struct hs_call_tree *t, const struct hs_block *b)
{
	struct tree_hart *h = hart_of(t);

	t->now = NONE;
	if (!h)
		return HS_E_MEMORY;
	if (t->event && (b->kind == HS_KIND_TIME || b->kind == HS_KIND_GAP))
		t->event(t->event_to, b, h->number, h->retired);
	if (hs_event_breaks(b))
		h->has_time = false;
	if (b->kind != HS_KIND_TIME)
		return HS_OK;
	take_time(h, b);
	if (h->due && b->itype != HS_CLOCK_TIME) /* else it is the next block's */
		give_time(t, h);
	return HS_OK;
}

/* ---- calls ------------------------------------------------------------------------------ */

void hs_call_tree_set_each(struct hs_call_tree *t,
                           void (*each)(void *to, const struct hs_call *call), void *to)
{
	t->each = each;
	t->each_to = to;
}

void hs_call_tree_set_event(struct hs_call_tree *t, hs_call_event_fn event, void *to)
{
	t->event = event;
	t->event_to = to;
}

void hs_call_tree_set_inlined(struct hs_call_tree *t, hs_inlined_run_fn each, void *to)
{
	t->inlined.each = each;
	t->inlined.to = to;
}

/* The innermost calls of a hart end, until @depth are left. */
static void end_calls(const struct hs_call_tree *t, struct tree_hart *h, uint32_t depth)
{
	while (h->depth > depth) {
		const struct tree_call *c = &h->calls[--h->depth];

		t->each(t->each_to, &(struct hs_call){ .start = c->start,
		                                       .end = h->retired,
		                                       .node = c->node,
		                                       .depth = h->depth,
		                                       .hart = h->number,
		                                       .mode = c->mode,
		                                       .again = c->again });
	}
}

void hs_call_tree_end_calls(struct hs_call_tree *t)
{
	for (size_t i = 0; t->each && i < t->hart_count; i++) {
		calls_inlined_end(&t->inlined, &t->harts[i].inlined);
		end_calls(t, &t->harts[i], 0);
	}
}

static enum hs_status begin_call(struct tree_hart *h, uint64_t tag, uint8_t mode, bool again)
{
	if (!support_grow(&h->calls, &h->room, h->depth + 1, sizeof(*h->calls)))
		return HS_E_MEMORY;
	h->calls[h->depth++] = (struct tree_call){ h->retired, (uint32_t)(tag - 1), mode, again };
	return HS_OK;
}

/* The open calls of a hart become those of its @n frames, of which the outermost ones count and
 * @known were open before. */
static enum hs_status follow_calls(const struct hs_call_tree *t, struct tree_hart *h,
                                   const struct hs_stack_frame *f, size_t n, size_t known,
                                   const struct hs_stack_step *step, uint8_t mode)
{
	const bool plain = step->move != HS_STACK_SWITCH && step->move != HS_STACK_START &&
	                   step->opened + step->closed == 1 &&
	                   h->frames + step->opened - step->closed == n;
	const uint32_t end = n < CALLS_DEEP ? (uint32_t)n : CALLS_DEEP;
	uint32_t same = 0;
	enum hs_status s = HS_OK;

	h->frames = n;
	if (plain)
		same = end < h->depth ? end : h->depth;
	while (!plain && same < h->depth && same < end && same < known &&
	       h->calls[same].node + 1u == f[same].tag)
		same++;
	calls_inlined_end(&t->inlined, &h->inlined);
	h->inlined.depth = (uint32_t)n - 1u;
	h->inlined.hart = h->number;
	end_calls(t, h, same);
	for (size_t i = same; i < end && s == HS_OK; i++)
		s = begin_call(h, f[i].tag, mode, i < known);
	return s;
}

static enum hs_status add_block(struct hs_call_tree *t, const struct hs_block *b,
                                const struct hs_stack_step *step)
{
	size_t n, known;
	struct hs_stack_frame *f = hs_stacks_frames(t->stacks, &n);
	struct tree_hart *h = hart_of(t);

	if (step->move == HS_STACK_TAIL)
		f[n - 1].tag = 0;
	if (!h || enter_frames(t, f, n, &known) != HS_OK)
		return HS_E_MEMORY;
	if (t->each && step->move != HS_STACK_SAME &&
	    follow_calls(t, h, f, n, known, step, b->priv) != HS_OK)
		return HS_E_MEMORY;
	t->now = (uint32_t)(f[n - 1].tag - 1);
	t->sure = hs_stacks_are_sure(t->stacks);
	return count_block(t, b);
}

/* Most blocks stay in their function. */
static bool stays(struct hs_call_tree *t, const struct hs_block *b)
{
	struct stacks_hart *h = stacks_hart(t->stacks);

	if (t->now == NONE || b->kind != HS_KIND_BLOCK || !stacks_stays(h, b))
		return false;
	h->last = *b;
	return true;
}

/* The cycles of a clock, before a block of the same hart: the block takes them. */
static bool passes(struct hs_call_tree *t, const struct hs_block *b)
{
	if (t->now == NONE || b->kind != HS_KIND_TIME || b->itype != HS_CLOCK_TIME)
		return false;
	struct tree_hart *h = &t->harts[t->stacks->select.index];

	program_select_time(&t->stacks->select, b);
	if (t->event)
		t->event(t->event_to, b, h->number, h->retired);
	take_time(h, b);
	return true;
}

static inline enum hs_status add_item(struct hs_call_tree *t, const struct hs_block *b)
{
	struct hs_stack_step step;

	if (stays(t, b))
		return count_block(t, b);
	if (passes(t, b))
		return HS_OK;
	const enum hs_status s = hs_stacks_follow(t->stacks, b, &step);

	if (s != HS_OK)
		return s;
	return b->kind == HS_KIND_BLOCK ? add_block(t, b, &step) : add_event(t, b);
}

enum hs_status hs_call_tree_add(struct hs_call_tree *t, const struct hs_block *blocks, size_t n)
{
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < n && s == HS_OK; i++)
		s = add_item(t, &blocks[i]);
	return s;
}

/* ---- blocks that were scanned ----------------------------------------------------------- */

/* What the tree has after counting each of them but the first, which it has. */
static enum hs_status count_stretch(struct hs_call_tree *t, const struct hs_call_scanner *k,
                                    const struct scan_stretch *v, const uint32_t *words)
{
	struct tree_hart *h = &t->harts[t->stacks->select.index];
	uint64_t at = h->retired;

	for (uint32_t i = 1; i < v->n && t->inlined.each; i++)
		if (calls_inlined_block(&t->inlined, &t->stacks->select,
		                        support_numbers_block(&k->numbers, words[i]), &h->inlined,
		                        &at) != HS_OK)
			return HS_E_MEMORY;
	node_of(t, t->now + 1u)->self += v->instructions;
	h->retired += v->instructions;
	t->instructions += v->instructions;
	t->unsure += t->sure ? 0 : v->instructions;
	stacks_hart(t->stacks)->last = *support_numbers_block(&k->numbers, words[v->n - 1]);
	return HS_OK;
}

static enum hs_status add_stretch(struct hs_call_tree *t, const struct hs_call_scanner *k,
                                  const struct scan_stretch *v, const uint32_t *words)
{
	enum hs_status s = add_item(t, support_numbers_block(&k->numbers, words[0]));

	if (v->n == 1 || s != HS_OK)
		return s;
	if (t->now != NONE && scan_stays(t->stacks, k, v))
		return count_stretch(t, k, v, words);
	for (uint32_t i = 1; i < v->n && s == HS_OK; i++)
		s = add_item(t, support_numbers_block(&k->numbers, words[i]));
	return s;
}

enum hs_status hs_call_tree_add_scan(struct hs_call_tree *t, const struct hs_call_scanner *k,
                                     const struct hs_call_scan *scan)
{
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < scan->stretch_count && s == HS_OK; i++) {
		const struct scan_stretch *v = &scan->stretches[i];

		s = v->n ? add_stretch(t, k, v, scan->words + v->first)
		         : add_item(t, &scan->events[v->first]);
	}
	return s;
}

/* ---- the result ------------------------------------------------------------------------- */

/* A node while it is sorted; @at: its number. */
struct sorting {
	uint32_t parent, at;
	uint64_t total;
};

static int by_caller(const void *a, const void *b)
{
	const struct sorting *x = a, *y = b;

	if (x->parent != y->parent) /* NONE first */
		return x->parent + 1 < y->parent + 1 ? -1 : 1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static void add_up(const struct hs_call_tree *t)
{
	for (uint32_t i = 0; i < t->nodes.count; i++) {
		node_of(t, i + 1u)->total = node_of(t, i + 1u)->self;
		node_of(t, i + 1u)->total_time = node_of(t, i + 1u)->self_time;
	}
	for (uint32_t i = t->nodes.count; i-- > 0;) {
		const struct hs_call_node *n = node_of(t, i + 1u);

		if (n->parent == NONE)
			continue;
		node_of(t, n->parent + 1u)->total += n->total;
		node_of(t, n->parent + 1u)->total_time += n->total_time;
	}
}

/* The nodes in their order: rows @v by caller, of which those of a caller begin at first[1 + its
 * number]; a node without callees has a row of another's there. */
struct order {
	const struct sorting *v;
	const uint32_t *first;
	uint32_t *todo;  /* rows */
	uint32_t *place; /* of nodes in the order */
	uint32_t count, pending, written;
};

/* The callees of a node come next, the first one of them first. */
static void push_callees(struct order *o, uint32_t number)
{
	const uint32_t first = o->first[number + 1u];
	uint32_t end = first;

	while (end < o->count && o->v[end].parent == number)
		end++;
	while (end > first)
		o->todo[o->pending++] = --end;
}

static void write_order(const struct hs_call_tree *t, struct order *o)
{
	push_callees(o, NONE);
	while (o->pending) {
		const uint32_t number = o->v[o->todo[--o->pending]].at;
		struct hs_call_node *n = &t->sorted[o->written];

		*n = *node_of(t, number + 1u);
		n->parent = n->parent == NONE ? NONE : o->place[n->parent];
		o->place[number] = o->written++;
		push_callees(o, number);
	}
}

static void sort_rows(const struct hs_call_tree *t, struct sorting *v, uint32_t *first)
{
	const uint32_t count = t->nodes.count;

	for (uint32_t i = 0; i < count; i++)
		v[i] = (struct sorting){ node_of(t, i + 1u)->parent, i, node_of(t, i + 1u)->total };
	qsort(v, count, sizeof(*v), by_caller);
	for (uint32_t i = count; i-- > 0;)
		first[v[i].parent + 1u] = i;
}

enum hs_status hs_call_tree_get_result(struct hs_call_tree *t, struct hs_call_tree_result *result)
{
	const uint32_t count = t->nodes.count;
	struct sorting *v = calloc(count + 1u, sizeof(*v));
	uint32_t *numbers = calloc(2u * (count + 1u), sizeof(*numbers));

	free(t->sorted);
	free(t->place);
	t->sorted = calloc(count + 1u, sizeof(*t->sorted));
	t->place = calloc(count + 1u, sizeof(*t->place));
	if (!v || !numbers || !t->sorted || !t->place) {
		free(v);
		free(numbers);
		return HS_E_MEMORY;
	}
	add_up(t);
	sort_rows(t, v, numbers);
	struct order o = { .v = v,
		           .first = numbers,
		           .todo = numbers + count + 1,
		           .place = t->place,
		           .count = count };

	write_order(t, &o);
	free(v);
	free(numbers);
	*result = (struct hs_call_tree_result){ .nodes = t->sorted,
		                                .count = count,
		                                .instructions = t->instructions,
		                                .unsure = t->unsure,
		                                .time = t->time,
		                                .full = count == NODES_MAX,
		                                .place = t->place,
		                                .forgotten = t->stacks->forgotten };
	return HS_OK;
}
