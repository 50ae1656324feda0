/* Trees and graphs of calls, by hand. */
#include "cases.h"

#include "calls/tree.h"

#include "call_items.h"

#define NONE UINT32_MAX

/* a() calls b(), which calls a() again, and c() twice: recursion counts once. */
static const struct hs_call_node nodes[] = {
	{ "a", "x", 0x10, 1, 10, 100, 1, 10, NONE, 0, HS_FRAME_START, true },
	{ "b", "x", 0x20, 2, 20, 90, 2, 9, 0, 1, HS_FRAME_CALL, true },
	{ "a", "x", 0x10, 3, 30, 50, 3, 5, 1, 2, HS_FRAME_CALL, true },
	{ "b", "x", 0x20, 4, 20, 20, 2, 2, 2, 3, HS_FRAME_CALL, true },
	{ "c", "y", 0x30, 5, 20, 20, 2, 2, 1, 2, HS_FRAME_CALL, false },
};

TEST(recursion_counts_once)
{
	static const struct hs_call_function functions[] = {
		{ "a", "x", 0x10, 4, 40, 100, 4, 10, true, true },
		{ "b", "x", 0x20, 6, 40, 90, 4, 9, true, true },
		{ "c", "y", 0x30, 5, 20, 20, 2, 2, false, false },
	};
	static const struct hs_call_edge edges[] = {
		{ NONE, 0, 1, 100, 10 }, { 0, 1, 6, 90, 9 }, { 1, 0, 3, 50, 5 },
		{ 1, 2, 5, 20, 2 },
	};
	const struct hs_call_tree_result tree = { .nodes = nodes, .count = 5 };
	struct hs_call_graph_result r;
	struct hs_call_graph *g;

	assert_int_equal(hs_call_graph_new(&tree, &g), HS_OK);
	hs_call_graph_get_result(g, &r);
	assert_int_equal(r.function_count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(r.functions[i].name, functions[i].name);
		assert_string_equal(r.functions[i].file, functions[i].file);
		assert_int_equal(r.functions[i].own_file, functions[i].own_file);
		assert_int_equal(r.functions[i].calls, functions[i].calls);
		assert_int_equal(r.functions[i].self, functions[i].self);
		assert_int_equal(r.functions[i].total, functions[i].total);
		assert_int_equal(r.functions[i].self_time, functions[i].self_time);
		assert_int_equal(r.functions[i].total_time, functions[i].total_time);
		assert_int_equal(r.functions[i].recursive, functions[i].recursive);
	}
	assert_int_equal(r.edge_count, 4);
	assert_memory_equal(r.edges, edges, sizeof(edges));
	assert_int_equal(r.function_of[3], 1);
	hs_call_graph_free(g);
	hs_call_graph_free(NULL);
}

/* A stack that was not followed goes on nine times inside of b(), as goroutines do: b() was called
 * four times. */
TEST(found_is_no_call)
{
	static const struct hs_call_node found[] = {
		{ "a", "x", 0x10, 1, 10, 30, 0, 0, NONE, 0, HS_FRAME_START, true },
		{ "b", "x", 0x20, 4, 20, 20, 0, 0, 0, 1, HS_FRAME_CALL, true },
		{ "b", "x", 0x20, 9, 30, 30, 0, 0, NONE, 0, HS_FRAME_FOUND, true },
	};
	const struct hs_call_tree_result tree = { .nodes = found, .count = 3 };
	struct hs_call_graph_result r;
	struct hs_call_graph *g;

	assert_int_equal(hs_call_graph_new(&tree, &g), HS_OK);
	hs_call_graph_get_result(g, &r);
	assert_int_equal(r.function_count, 2);
	assert_int_equal(r.functions[0].calls, 1);
	assert_int_equal(r.functions[1].calls, 4);
	assert_int_equal(r.functions[1].total, 50);
	assert_int_equal(r.edge_count, 3);
	assert_int_equal(r.edges[2].calls, 0);
	assert_int_equal(r.edges[2].total, 30);
	hs_call_graph_free(g);
}

TEST(no_nodes)
{
	const struct hs_call_tree_result tree = { .count = 0 };
	struct hs_call_graph_result r;
	struct hs_call_graph *g;

	assert_int_equal(hs_call_graph_new(&tree, &g), HS_OK);
	hs_call_graph_get_result(g, &r);
	assert_int_equal(r.function_count + r.edge_count, 0);
	hs_call_graph_free(g);
}

#define BLOCK(a, t) { .iaddr = (a), .iretire = 2, .ilast = 2, .itype = HS_ITYPE_##t }
#define TIME(v, i) { .kind = HS_KIND_TIME, .value = (v), .itype = (i) }

struct given {
	struct hs_call calls[8];
	size_t n;
};

static void take_call(void *to, const struct hs_call *call)
{
	struct given *g = to;

	assert_in_range(g->n, 0, 7);
	g->calls[g->n++] = *call;
}

/* main() calls f(), which returns, and again, until the end; times come at blocks and before. */
TEST(calls_and_times)
{
	static const struct hs_block items[] = {
		TIME(100, 0), BLOCK(MAIN, CALL_INF), TIME(110, 0), BLOCK(F, RETURN),
		TIME(125, HS_CLOCK_TIME), BLOCK(MAIN + 4, CALL_INF), BLOCK(F, NONE),
		TIME(127, 0),
	};
	struct hs_program *p = call_items_program();
	const struct hs_stacks_options o = { .size = sizeof(o), .program = p };
	struct given given = { .n = 0 };
	struct hs_call_tree_result r;
	struct hs_call_tree *t;

	assert_int_equal(hs_call_tree_new(&o, &t), HS_OK);
	hs_call_tree_set_each(t, take_call, &given);
	assert_int_equal(hs_call_tree_add(t, items, sizeof(items) / sizeof(*items)), HS_OK);
	assert_int_equal(given.n, 1);
	hs_call_tree_end_calls(t);
	assert_int_equal(given.n, 3);
	assert_int_equal(hs_call_tree_get_result(t, &r), HS_OK);
	assert_int_equal(r.count, 2);
	assert_int_equal(r.instructions, 8);
	for (size_t i = 0; i < 3; i++) { /* f() twice, then main() */
		static const struct hs_call want[] = { { 2, 4, 1, 1, 0, 0, false },
			                               { 6, 8, 1, 1, 0, 0, false },
			                               { 0, 8, 0, 0, 0, 0, false } };

		assert_int_equal(given.calls[i].start, want[i].start);
		assert_int_equal(given.calls[i].end, want[i].end);
		assert_int_equal(r.place[given.calls[i].node], want[i].node);
		assert_int_equal(given.calls[i].depth, want[i].depth);
	}
	assert_int_equal(r.time, 27);
	assert_int_equal(r.nodes[0].self_time, 25); /* 100 to 110, and 110 to 125: the next block */
	assert_int_equal(r.nodes[1].self_time, 2);
	assert_int_equal(r.nodes[0].total_time, 27);
	assert_false(r.full);
	hs_call_tree_free(t);
	hs_program_free(p);
}

struct all {
	struct hs_call calls[8 * ITEMS];
	size_t n;
};

static void take_all(void *to, const struct hs_call *call)
{
	struct all *a = to;

	assert_in_range(a->n, 0, 8 * ITEMS - 1);
	a->calls[a->n++] = *call;
}

/* What calls took is what the nodes of the tree have, and the calls that began are theirs. */
static void calls_add_up_of(struct hs_program *p, const struct hs_block *items, size_t n)
{
	static struct all all;
	static uint64_t self[ITEMS], calls[ITEMS];
	const struct hs_stacks_options o = { .size = sizeof(o), .program = p };
	struct hs_call_tree_result r;
	struct hs_call_tree *t;

	all.n = 0;
	memset(self, 0, sizeof(self));
	memset(calls, 0, sizeof(calls));
	assert_int_equal(hs_call_tree_new(&o, &t), HS_OK);
	hs_call_tree_set_each(t, take_all, &all);
	assert_int_equal(hs_call_tree_add(t, items, n), HS_OK);
	hs_call_tree_end_calls(t);
	assert_int_equal(hs_call_tree_get_result(t, &r), HS_OK);
	assert_in_range(r.count, 1, ITEMS);
	for (size_t i = 0; i < all.n; i++) {
		const struct hs_call *c = &all.calls[i];
		const uint32_t node = r.place[c->node];

		self[node] += c->end - c->start;
		calls[node] += !c->again;
		if (r.nodes[node].parent != NONE)
			self[r.nodes[node].parent] -= c->end - c->start;
	}
	for (size_t i = 0; i < r.count; i++) {
		assert_int_equal(self[i], r.nodes[i].self);
		assert_int_equal(calls[i], r.nodes[i].calls);
	}
	hs_call_tree_free(t);
}

TEST(calls_add_up)
{
	static const struct hs_block coroutines[] = {
		BLOCK(MAIN, CALL_INF),    BLOCK(SWAP, TAIL_UNINF), BLOCK(START, CALL_INF),
		BLOCK(F, CALL_INF),       BLOCK(G, CALL_INF),      BLOCK(SWAP, TAIL_UNINF),
		BLOCK(START, CALL_INF),   BLOCK(OTHER, CALL_INF),  BLOCK(G, CALL_INF),
		BLOCK(SWAP, TAIL_UNINF),  BLOCK(MAIN + 4, CALL_INF), BLOCK(SWAP, TAIL_UNINF),
		BLOCK(G + 4, RETURN),     BLOCK(OTHER + 4, RETURN), BLOCK(START + 4, CALL_INF),
		BLOCK(SWAP, TAIL_UNINF),  BLOCK(G + 4, RETURN),    BLOCK(F + 4, NONE),
	};
	static const struct hs_block tail[] = { BLOCK(MAIN, CALL_INF), BLOCK(F, TAIL_INF),
		                                BLOCK(F, RETURN), BLOCK(MAIN + 4, NONE) };
	static struct hs_block items[ITEMS];
	struct hs_program *p = call_items_program();

	call_items_make(items);
	calls_add_up_of(p, coroutines, sizeof(coroutines) / sizeof(*coroutines));
	calls_add_up_of(p, tail, sizeof(tail) / sizeof(*tail));
	calls_add_up_of(p, items, ITEMS);
	hs_program_free(p);
}

/* ---- scans --------------------------------------------------------------------------- */

/* A hash of everything that was given, in order; and how many items were counted of each kind of
 * end, which has no order. */
struct seen {
	uint64_t hash;
	uint64_t ends[17];
};

static void mix(struct seen *s, uint64_t word)
{
	s->hash = (s->hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	s->hash ^= s->hash >> 29;
}

static void mix_call(void *to, const struct hs_call *c)
{
	mix(to, c->start);
	mix(to, c->end);
	mix(to, (uint64_t)c->node << 32 | c->depth);
	mix(to, (uint64_t)c->hart << 8 | c->mode);
}

static void mix_event(void *to, const struct hs_block *item, uint32_t hart, uint64_t retired)
{
	mix(to, item->value ^ (uint64_t)hart << 32);
	mix(to, retired);
}

static bool count_ends(void *to, const struct hs_block *b, uint64_t times)
{
	struct seen *s = to;

	s->ends[b->kind == HS_KIND_BLOCK ? b->itype : 16] += times;
	return true;
}

static void make_tree(struct hs_program *p, struct hs_call_tree **t, struct seen *seen)
{
	const struct hs_stacks_options o = { .size = sizeof(o), .program = p };

	assert_int_equal(hs_call_tree_new(&o, t), HS_OK);
	hs_call_tree_set_each(*t, mix_call, seen);
	hs_call_tree_set_event(*t, mix_event, seen);
}

struct scanned {
	struct hs_call_tree *tree;
	struct seen *seen;
};

static void add_items(void *to, const struct hs_block *items, size_t n)
{
	const struct scanned *s = to;

	assert_int_equal(hs_call_tree_add(s->tree, items, n), HS_OK);
	for (size_t i = 0; i < n; i++)
		count_ends(s->seen, &items[i], 1);
}

static void add_scan(void *to, struct hs_call_scanner *k, const struct hs_call_scan *scan)
{
	const struct scanned *s = to;

	assert_int_equal(hs_call_tree_add_scan(s->tree, k, scan), HS_OK);
	assert_true(hs_call_scan_count(k, scan, count_ends, s->seen));
}

static void end_scans(void *to, struct hs_call_scanner *k)
{
	const struct scanned *s = to;

	assert_true(hs_call_scanner_flush(k, count_ends, s->seen));
	assert_true(hs_call_scanner_flush(k, count_ends, s->seen)); /* nothing more */
}

/* What other threads scanned is followed as if it had been added item by item. */
TEST(scans_are_items)
{
	static const struct call_items_taker taker = { add_items, add_scan, end_scans };
	static struct hs_block items[ITEMS];
	struct hs_program *p = call_items_program();

	call_items_make(items);
	for (uint32_t most = 1; most < ITEMS; most *= 3) {
		struct seen one = { 0 }, other = { 0 };
		struct hs_call_tree *a, *b;
		struct hs_call_tree_result x, y;

		make_tree(p, &a, &one);
		make_tree(p, &b, &other);
		assert_int_equal(hs_call_tree_add(a, items, ITEMS), HS_OK);
		for (size_t i = 0; i < ITEMS; i++)
			count_ends(&one, &items[i], 1);
		call_items_scan(p, items, most, &taker, &(struct scanned){ b, &other });
		hs_call_tree_end_calls(a);
		hs_call_tree_end_calls(b);
		assert_int_equal(hs_call_tree_get_result(a, &x), HS_OK);
		assert_int_equal(hs_call_tree_get_result(b, &y), HS_OK);
		assert_memory_equal(&one, &other, sizeof(one));
		assert_true(x.count > 100 && x.instructions > ITEMS && x.time);
		assert_int_equal(x.count, y.count);
		assert_int_equal(x.instructions, y.instructions);
		assert_int_equal(x.unsure, y.unsure);
		assert_int_equal(x.time, y.time);
		for (size_t i = 0; i < x.count; i++)
			assert_memory_equal(&x.nodes[i], &y.nodes[i], sizeof(*x.nodes));
		hs_call_tree_free(a);
		hs_call_tree_free(b);
	}
	hs_program_free(p);
}
