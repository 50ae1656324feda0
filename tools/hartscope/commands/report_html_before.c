/* diff --html: the functions and the tree of calls of the run before, next to those of the page's
 * run.  A path of calls is the same in both by the names of its functions. */
#include <stdlib.h>
#include <string.h>

#include "commands/report_html.h"

/* ---- functions ------------------------------------------------------------------------ */

/* A function of one of the runs, by its name. */
struct named {
	const struct hs_counts_function *f;
	uint32_t number; /* in its run */
};

static const char *file_of(const struct hs_counts_function *f)
{
	const char *file = f->own ? f->own->file : f->called->file;

	return file ? path_base(file) : "";
}

static int compare_functions(const struct hs_counts_function *a, const struct hs_counts_function *b)
{
	const int name = strcmp(a->name ? a->name : "", b->name ? b->name : "");

	return name ? name : strcmp(file_of(a), file_of(b));
}

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	const int order = compare_functions(x->f, y->f);

	return order ? order : (x->number > y->number) - (x->number < y->number);
}

static struct named *sort_functions(const struct hs_counts_function *f, size_t n)
{
	struct named *v = calloc(n + 1, sizeof(*v));

	for (size_t i = 0; v && i < n; i++)
		v[i] = (struct named){ &f[i], (uint32_t)i };
	if (v && n)
		qsort(v, n, sizeof(*v), by_name);
	return v;
}

/* The row of each function of the run before: that of the same name, or one more. */
static void match_rows(struct html_before *b, const struct named *x, size_t n, uint32_t most)
{
	const size_t count = b->run->function_count;
	struct named *y = sort_functions(b->run->functions, count);
	size_t k = 0;

	b->failed = !y;
	for (size_t i = 0; y && i < count; i++) {
		while (k < n && compare_functions(x[k].f, y[i].f) < 0)
			k++;
		if (k < n && compare_functions(x[k].f, y[i].f) == 0)
			b->row_of[y[i].number] = x[k++].number;
		else if (b->rows < most)
			b->row_of[y[i].number] = b->rows++;
		else
			b->row_of[y[i].number] = UINT32_MAX;
	}
	free(y);
}

bool before_functions(struct html_before *b, const struct run *page, uint32_t rows, uint32_t most)
{
	struct named *x = sort_functions(page->functions, rows);

	b->own_rows = b->rows = rows;
	b->row_of = calloc(b->run->function_count + 1, sizeof(*b->row_of));
	if (x && b->row_of)
		match_rows(b, x, rows, most);
	free(x);
	return x && b->row_of && !b->failed;
}

void before_free(struct html_before *b)
{
	free(b->row_of);
	free(b->nodes);
	free(b->slots);
	free(b->order);
}

/* ---- the tree ------------------------------------------------------------------------- */

static size_t slot_of(const struct html_before *b, uint32_t parent, uint64_t what)
{
	const uint64_t hash =
		(parent * UINT64_C(0x9e3779b97f4a7c15)) ^ (what * UINT64_C(0xc2b2ae3d27d4eb4f));

	return (size_t)(hash >> 20) & (b->slot_count - 1);
}

/* The node of a function below another one, of either run; a new one if there is none. */
static uint32_t find_node(struct html_before *b, uint32_t parent, uint64_t what)
{
	size_t at = slot_of(b, parent, what);

	for (; b->slots[at]; at = (at + 1) & (b->slot_count - 1)) {
		const struct before_node *n = &b->nodes[b->slots[at] - 1];

		if (n->parent == parent && n->what == what)
			return b->slots[at] - 1;
	}
	b->nodes[b->count] = (struct before_node){ .parent = parent, .what = what };
	b->slots[at] = ++b->count;
	return b->count - 1;
}

/* Add the nodes of a run; @row: of its graph's functions. */
static bool add_tree(struct html_before *b, const struct run *r, const uint32_t *row, unsigned run)
{
	const struct hs_call_tree_result *t = &r->calls;
	uint32_t *place = calloc(t->count + 1, sizeof(*place));

	for (size_t i = 0; place && i < t->count; i++) {
		const struct hs_call_node *n = &t->nodes[i];
		const uint64_t what = (uint64_t)row[r->edges.function_of[i]] << 3 | n->how;
		struct before_node *node;

		place[i] =
			find_node(b, n->parent == UINT32_MAX ? UINT32_MAX : place[n->parent], what);
		node = &b->nodes[place[i]];
		node->self[run] += n->self;
		node->total[run] += n->total;
		node->calls[run] += n->calls;
	}
	free(place);
	return place != NULL;
}

/* The row of each function of the graph of the run before. */
static uint32_t *rows_of_graph(const struct html_before *b)
{
	const struct run *r = b->run;
	uint32_t *row = calloc(r->edges.function_count + 1, sizeof(*row));

	for (size_t i = 0; row && i < r->edges.function_count; i++)
		row[i] = b->rows;
	for (size_t i = 0; row && i < r->function_count; i++)
		if (r->functions[i].called && b->row_of[i] != UINT32_MAX)
			row[r->functions[i].called - r->edges.functions] = b->row_of[i];
	return row;
}

static uint64_t larger(const struct before_node *n)
{
	return n->total[0] > n->total[1] ? n->total[0] : n->total[1];
}

/* ---- what is drawn -------------------------------------------------------------------- */

/* A node that is drawn, next to the others of its caller. */
struct place {
	uint32_t node, parent; /* 1 and the caller's number; 0: none */
	uint64_t larger, what;
};

/* By the caller; of one caller those with the most instructions first. */
static int by_parent(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->larger != y->larger)
		return x->larger > y->larger ? -1 : 1;
	return (x->what > y->what) - (x->what < y->what);
}

/* Instructions that a node needs in one of the runs, so that not too many are drawn. */
static uint64_t find_least(const struct html_before *b)
{
	uint64_t least = 1;
	size_t n;

	do {
		n = 0;
		for (uint32_t i = 0; i < b->count; i++)
			n += larger(&b->nodes[i]) >= least;
		least *= n > FLAME_MAX ? 2 : 1;
	} while (n > FLAME_MAX);
	return least;
}

static uint32_t sort_places(struct html_before *b, struct place *v)
{
	uint32_t n = 0;

	b->least = find_least(b);
	for (uint32_t i = 0; i < b->count; i++) {
		const struct before_node *node = &b->nodes[i];

		if (larger(node) >= b->least)
			v[n++] = (struct place){ i, node->parent + 1u, larger(node), node->what };
	}
	if (n)
		qsort(v, n, sizeof(*v), by_parent);
	return n;
}

/* Nodes of one caller that are to be put. */
struct level {
	uint32_t next, parent;
};

/* Each node before what it called.  @first: of each caller 1 and where its own begin in @v. */
static void put_places(struct html_before *b, const struct place *v, uint32_t count,
                       const uint32_t *first, struct level *left)
{
	uint32_t depth = 1;

	left[0] = (struct level){ 0, 0 };
	while (depth) {
		struct level *l = &left[depth - 1];

		if (l->next == count || v[l->next].parent != l->parent) {
			depth--;
			continue;
		}
		const uint32_t node = v[l->next++].node;

		b->order[b->order_count++] = (struct before_place){ node, depth - 1 };
		if (first[node + 1])
			left[depth++] = (struct level){ first[node + 1] - 1, node + 1 };
	}
}

/* Put the nodes that are drawn in the order of the page. */
static bool order_nodes(struct html_before *b)
{
	struct place *v = calloc(b->count + (size_t)1, sizeof(*v));
	uint32_t *first = calloc(b->count + (size_t)2, sizeof(*first));
	struct level *left = calloc(b->count + (size_t)1, sizeof(*left));
	const uint32_t count = v && first && left ? sort_places(b, v) : 0;

	b->order = calloc(count + (size_t)1, sizeof(*b->order));
	for (uint32_t i = count; i-- > 0;)
		first[v[i].parent] = i + 1;
	const bool good = b->order && v && first && left;

	if (good)
		put_places(b, v, count, first, left);
	free(v);
	free(first);
	free(left);
	return good;
}

bool before_tree(struct html_before *b, const struct run *page, const uint32_t *row_of)
{
	const size_t count = page->calls.count + b->run->calls.count;
	uint32_t *rows = rows_of_graph(b);

	b->slot_count = 16;
	while (b->slot_count < 2 * count)
		b->slot_count *= 2;
	b->slots = calloc(b->slot_count, sizeof(*b->slots));
	b->nodes = calloc(count + 1, sizeof(*b->nodes));
	const bool good = rows && b->slots && b->nodes && add_tree(b, page, row_of, 0) &&
	                  add_tree(b, b->run, rows, 1) && order_nodes(b);

	free(rows);
	return good;
}

/* ---- members ---------------------------------------------------------------------------- */

/* Self, total and calls of each row in the run before. */
static bool write_counts(struct html_out *o, const struct html_before *b)
{
	uint64_t(*v)[3] = calloc(b->rows + (size_t)1, sizeof(*v));

	for (size_t i = 0; v && i < b->run->function_count; i++) {
		const struct hs_counts_function *f = &b->run->functions[i];
		const uint32_t row = b->row_of[i] == UINT32_MAX ? b->rows : b->row_of[i];

		v[row][0] += f->self;
		v[row][1] += f->total;
		v[row][2] += f->calls;
	}
	html_key(o, "functionsBefore");
	html_pack(o);
	for (uint32_t i = 0; v && i < b->rows; i++)
		for (unsigned k = 0; k < 3; k++)
			html_put(o, v[i][k]);
	html_pack_end(o);
	free(v);
	return v != NULL;
}

void before_write_names(struct html_out *o, const struct html_before *b)
{
	for (size_t i = 0; i < b->run->function_count; i++) {
		const struct hs_counts_function *f = &b->run->functions[i];

		if (b->row_of[i] < b->own_rows || b->row_of[i] == UINT32_MAX)
			continue;
		fputs(b->row_of[i] ? ",\n[" : "\n[", o->f);
		html_string(o, f->name ? f->name : "(no symbol)");
		fputc(',', o->f);
		html_string(o, file_of(f));
		fputs(",0,0,0,0,0,\"\"]", o->f);
	}
}

void before_write_flame(struct html_out *o, const struct html_before *b)
{
	html_number(o, "flameLeast", b->least);
	html_key(o, "flame");
	html_pack(o);
	for (uint32_t i = 0; i < b->order_count; i++) {
		const struct before_node *n = &b->nodes[b->order[i].node];

		html_put(o, b->order[i].depth);
		html_put(o, n->what);
		html_put(o, n->self[0]);
		html_put(o, n->total[0]);
		html_put(o, n->calls[0]);
	}
	html_pack_end(o);
	html_key(o, "flameBefore");
	html_pack(o);
	for (uint32_t i = 0; i < b->order_count; i++) {
		const struct before_node *n = &b->nodes[b->order[i].node];

		html_put(o, n->self[1]);
		html_put(o, n->total[1]);
		html_put(o, n->calls[1]);
	}
	html_pack_end(o);
}

bool before_write(struct html_out *o, const struct html_before *b)
{
	html_key(o, "before");
	fputs("{\"title\":", o->f);
	html_string(o, path_base(b->name));
	html_number(o, "instructions", b->run->counts.instructions);
	fputc('}', o->f);
	return write_counts(o, b);
}
