/* The graph of a tree of calls (call_tree.h). */
#include <stdlib.h>

#include "calls/tree.h"
#include "support/hash.h"

#define NONE UINT32_MAX

struct hs_call_graph {
	struct support_hash functions; /* of struct hs_call_function */
	struct support_hash edges;     /* of struct hs_call_edge */
	uint32_t *function_of;         /* of nodes */
};

/* The path to a node: functions and edges by depth, and how often each is open. */
struct graph_path {
	uint32_t *functions, *edges;
	uint32_t *open_functions, *open_edges;
	uint32_t depth;
};

static bool same_function(const void *item, const void *key)
{
	const struct hs_call_function *a = item, *b = key;

	return a->name == b->name && a->start == b->start && (a->name || a->file == b->file);
}

static bool same_edge(const void *item, const void *key)
{
	const struct hs_call_edge *a = item, *b = key;

	return a->caller == b->caller && a->callee == b->callee;
}

/* The number of the item that is @key, a new one where it is the first time; NONE: no memory. */
static uint32_t find_function(struct hs_call_graph *g, const struct hs_call_node *n)
{
	const struct hs_call_function key = { .name = n->name,
		                              .file = n->file,
		                              .own_file = n->own_file,
		                              .start = n->name ? n->start : 0 };
	const char *hashed = key.name ? key.name : key.file;
	const uint32_t hash = support_hash_of(key.start, (uintptr_t)hashed);
	struct hs_call_function *f = support_hash_find(&g->functions, hash, same_function, &key);

	if (!f) {
		f = support_hash_add(&g->functions, hash);
		if (!f)
			return NONE;
		*f = key;
	}
	return (uint32_t)(f - (struct hs_call_function *)g->functions.items);
}

static uint32_t find_edge(struct hs_call_graph *g, uint32_t caller, uint32_t callee)
{
	const struct hs_call_edge key = { .caller = caller, .callee = callee };
	const uint32_t hash = support_hash_of(caller, callee);
	struct hs_call_edge *e = support_hash_find(&g->edges, hash, same_edge, &key);

	if (!e) {
		e = support_hash_add(&g->edges, hash);
		if (!e)
			return NONE;
		*e = key;
	}
	return (uint32_t)(e - (struct hs_call_edge *)g->edges.items);
}

static void add_node(struct hs_call_graph *g, const struct hs_call_node *n, struct graph_path *p,
                     uint32_t function, uint32_t edge)
{
	struct hs_call_function *f = support_hash_item(&g->functions, function);
	struct hs_call_edge *e = support_hash_item(&g->edges, edge);
	/* Where control was only found in it, nothing led to it. */
	const uint64_t calls = n->how == HS_FRAME_FOUND ? 0 : n->calls;

	f->calls += calls;
	f->self += n->self;
	f->self_time += n->self_time;
	e->calls += calls;
	if (p->open_functions[function]++) {
		f->recursive = true;
	} else {
		f->total += n->total;
		f->total_time += n->total_time;
	}
	if (!p->open_edges[edge]++) {
		e->total += n->total;
		e->total_time += n->total_time;
	}
	p->functions[p->depth] = function;
	p->edges[p->depth++] = edge;
}

/* Nodes come after their callers, each with all that it called before the next one. */
static void add_nodes(struct hs_call_graph *g, const struct hs_call_tree_result *tree,
                      struct graph_path *p, const uint32_t *edge_of)
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct hs_call_node *n = &tree->nodes[i];

		while (p->depth > n->depth) {
			p->depth--;
			p->open_functions[p->functions[p->depth]]--;
			p->open_edges[p->edges[p->depth]]--;
		}
		add_node(g, n, p, g->function_of[i], edge_of[i]);
	}
}

/* Functions and edges of all nodes, without their counts. */
static enum hs_status number_nodes(struct hs_call_graph *g, const struct hs_call_tree_result *tree,
                                   uint32_t *edge_of, uint32_t *levels)
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct hs_call_node *n = &tree->nodes[i];
		const uint32_t callee = find_function(g, n);
		const uint32_t caller = n->parent == NONE ? NONE : g->function_of[n->parent];

		edge_of[i] = callee == NONE ? NONE : find_edge(g, caller, callee);
		if (edge_of[i] == NONE)
			return HS_E_MEMORY;
		g->function_of[i] = callee;
		*levels = n->depth >= *levels ? n->depth + 1 : *levels;
	}
	return HS_OK;
}

static enum hs_status make_graph(struct hs_call_graph *g, const struct hs_call_tree_result *tree)
{
	uint32_t *edge_of = calloc(tree->count + 1, sizeof(*edge_of)), levels = 0;
	enum hs_status s = HS_E_MEMORY;

	g->functions.item_size = sizeof(struct hs_call_function);
	g->edges.item_size = sizeof(struct hs_call_edge);
	g->function_of = calloc(tree->count + 1, sizeof(*g->function_of));
	if (edge_of && g->function_of)
		s = number_nodes(g, tree, edge_of, &levels);
	const size_t room = 2 * (size_t)levels + g->functions.count + g->edges.count + 1;
	uint32_t *numbers = s == HS_OK ? calloc(room, sizeof(*numbers)) : NULL;

	if (numbers) {
		struct graph_path p = { .functions = numbers,
			                .edges = numbers + levels,
			                .open_functions = numbers + 2 * (size_t)levels,
			                .open_edges =
			                        numbers + 2 * (size_t)levels + g->functions.count };

		add_nodes(g, tree, &p, edge_of);
	} else {
		s = HS_E_MEMORY;
	}
	free(numbers);
	free(edge_of);
	return s;
}

enum hs_status hs_call_graph_new(const struct hs_call_tree_result *tree,
                                 struct hs_call_graph **graph)
{
	struct hs_call_graph *g = calloc(1, sizeof(*g));

	if (!g)
		return HS_E_MEMORY;
	if (make_graph(g, tree) != HS_OK) {
		hs_call_graph_free(g);
		return HS_E_MEMORY;
	}
	*graph = g;
	return HS_OK;
}

void hs_call_graph_free(struct hs_call_graph *g)
{
	if (!g)
		return;
	support_hash_free(&g->functions);
	support_hash_free(&g->edges);
	free(g->function_of);
	free(g);
}

void hs_call_graph_get_result(const struct hs_call_graph *g, struct hs_call_graph_result *result)
{
	*result = (struct hs_call_graph_result){ g->functions.items, g->functions.count,
		                                 g->edges.items, g->edges.count, g->function_of };
}
