/* The format of callgrind: costs of lines, and calls from line to function with what they cost. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/status.h>

#include "calls/exports_private.h"
#include "support/grow.h"
#include "support/hash.h"

/* ---- what is counted ------------------------------------------------------------------- */

/* A name of a file; two with equal text are one. */
struct name {
	char *text;
	bool as_file, as_object; /* it was written with its number */
};

/* A line in a function. */
struct cost {
	uint32_t function, file;
	int line;
	uint64_t instructions;
};

/* Calls from a line of a function. */
struct edge {
	uint32_t caller, callee, file;
	int line;
	uint64_t calls, instructions;
};

/* How many instructions of a block are on a line: some of these belong to a block. */
struct share {
	uint32_t cost, count;
};

struct block {
	const struct hs_program *program;
	uint64_t iaddr, number;
	uint32_t function, iretire;
	uint32_t first, shares; /* of shares */
};

/* Calls of a function from one place, and their edge: found again without their lines. */
struct site {
	const struct hs_program *program;
	uint64_t addr;
	uint32_t caller, callee, edge; /* edge: 1 + its number; 0: nothing is here */
};

#define SITES ((size_t)1 << 14)

struct counted {
	struct site *sites;
	struct support_hash names, costs, edges, blocks;
	struct share *shares;
	uint32_t share_count;
	size_t share_room;
};

static enum hs_status begin(struct hs_export *x)
{
	struct counted *c = calloc(1, sizeof(*c));

	x->own = c;
	if (!c)
		return HS_E_MEMORY;
	c->sites = calloc(SITES, sizeof(*c->sites));
	c->names.item_size = sizeof(struct name);
	c->costs.item_size = sizeof(struct cost);
	c->edges.item_size = sizeof(struct edge);
	c->blocks.item_size = sizeof(struct block);
	return c->sites ? HS_OK : HS_E_MEMORY;
}

static void free_counted(struct hs_export *x)
{
	struct counted *c = x->own;

	for (uint32_t i = 0; i < c->names.count; i++)
		free(((struct name *)support_hash_item(&c->names, i))->text);
	support_hash_free(&c->names);
	support_hash_free(&c->costs);
	support_hash_free(&c->edges);
	support_hash_free(&c->blocks);
	free(c->shares);
	free(c->sites);
	free(c);
}

/* The number of an item; UINT32_MAX: no memory. */
static uint32_t number_of(const struct support_hash *t, const void *item)
{
	return item ? (uint32_t)((size_t)((const char *)item - (const char *)t->items) /
	                         t->item_size)
	            : UINT32_MAX;
}

static bool same_name(const void *item, const void *key)
{
	return strcmp(((const struct name *)item)->text, key) == 0;
}

static uint32_t find_name(struct counted *c, const char *text)
{
	const uint32_t hash = support_hash_text(text ? text : "???");
	struct name *n = support_hash_find(&c->names, hash, same_name, text ? text : "???");
	char *copy;

	if (!n) {
		copy = strdup(text ? text : "???");
		n = copy ? support_hash_add(&c->names, hash) : NULL;
		if (n)
			n->text = copy;
		else
			free(copy);
	}
	return number_of(&c->names, n);
}

/* ---- lines ------------------------------------------------------------------------------- */

static bool same_cost(const void *item, const void *key)
{
	const struct cost *a = item, *b = key;

	return a->function == b->function && a->file == b->file && a->line == b->line;
}

static uint32_t find_cost(struct hs_export *x, uint32_t function, uint64_t addr, uint8_t priv)
{
	struct counted *c = x->own;
	struct exports_place place;

	exports_find(x, addr, priv, &place);
	const struct cost key = { .function = function,
		                  .file = find_name(c, place.file),
		                  .line = place.line };
	const uint32_t hash =
		support_hash_of((uint64_t)function << 32 | key.file, (uint64_t)key.line);
	struct cost *found = support_hash_find(&c->costs, hash, same_cost, &key);

	if (key.file == UINT32_MAX)
		return UINT32_MAX;
	if (!found) {
		found = support_hash_add(&c->costs, hash);
		if (found)
			*found = key;
	}
	return number_of(&c->costs, found);
}

/* One more instruction of the block that was added last is at @cost. */
static enum hs_status add_share(struct counted *c, struct block *b, uint32_t cost)
{
	if (cost == UINT32_MAX)
		return HS_E_MEMORY;
	if (b->shares && c->shares[c->share_count - 1].cost == cost) {
		c->shares[c->share_count - 1].count++;
		return HS_OK;
	}
	if (!support_grow(&c->shares, &c->share_room, c->share_count + 1, sizeof(*c->shares)))
		return HS_E_MEMORY;
	c->shares[c->share_count++] = (struct share){ cost, 1 };
	b->shares++;
	return HS_OK;
}

static enum hs_status add_shares(struct hs_export *x, struct block *b, const struct hs_block *run)
{
	const struct hs_image *image = program_select_image(&x->select);
	const uint64_t end = hs_block_end(run);
	enum hs_status s = HS_OK;
	struct hs_insn insn;

	b->first = ((struct counted *)x->own)->share_count;
	for (uint64_t at = run->iaddr; at < end && s == HS_OK; at += 2u * insn.hwords) {
		if (hs_img_insn(image, at, &insn) != HS_OK)
			break;
		s = add_share(x->own, b, find_cost(x, b->function, at, run->priv));
	}
	return s;
}

static bool same_block(const void *item, const void *key)
{
	const struct block *a = item, *b = key;

	return a->iaddr == b->iaddr && a->iretire == b->iretire && a->function == b->function &&
	       a->number == b->number && a->program == b->program;
}

static uint32_t number_block(struct hs_export *x, struct exports_span *span,
                             const struct hs_block *run, uint32_t count)
{
	struct counted *c = x->own;
	struct block key = { .program = x->select.program,
		             .iaddr = run->iaddr,
		             .iretire = run->iretire,
		             .function = exports_function_of(x, span) };

	if (!count)
		return EXPORTS_UNCOUNTED;
	if (key.function == UINT32_MAX ||
	    program_select_number(&x->select, run->iaddr, 2u * (uint64_t)run->iretire,
	                          &key.number) != HS_OK)
		return EXPORTS_FAILED;
	const uint32_t hash = support_hash_of(run->iaddr, (uint64_t)run->iretire << 32 ^
	                                                          key.function ^ key.number << 16);
	struct block *b = support_hash_find(&c->blocks, hash, same_block, &key);

	if (!b) {
		b = support_hash_add(&c->blocks, hash);
		if (!b)
			return EXPORTS_FAILED;
		*b = key;
		if (add_shares(x, b, run) != HS_OK)
			return EXPORTS_FAILED;
	}
	return number_of(&c->blocks, b);
}

/* Each block as often as it retired. */
static void add_up(struct hs_export *x)
{
	struct counted *c = x->own;

	for (uint32_t n = 0; n < c->blocks.count; n++) {
		const struct block *b = support_hash_item(&c->blocks, n);

		for (uint32_t i = b->first; i < b->first + b->shares; i++) {
			struct cost *cost = support_hash_item(&c->costs, c->shares[i].cost);

			cost->instructions += c->shares[i].count * x->times[n];
		}
	}
}

/* ---- recursion --------------------------------------------------------------------------- */

/* How often a function is open on a track, by its number: OPEN_AGAIN is any number above one. */
enum { OPEN_NOT, OPEN_ONCE, OPEN_AGAIN };

static bool have_open(struct exports_track *t, uint32_t function)
{
	const uint32_t room = 2 * function + 64;

	if (function < t->open_room)
		return true;
	uint8_t *more = realloc(t->open, room);

	if (!more)
		return false;
	memset(more + t->open_room, OPEN_NOT, room - t->open_room);
	t->open = more;
	t->open_room = room;
	return true;
}

/* A function that is called while it is open is another one, NAME'2, as with Valgrind's
 * --separate-recs=2 (design/exports). */
static enum hs_status open_call(struct hs_export *x, struct exports_track *t,
                                struct exports_span *s)
{
	const uint32_t function = exports_function_of(x, s);

	if (function == UINT32_MAX || !have_open(t, function))
		return HS_E_MEMORY;
	s->own = t->open[function];
	if (s->own == OPEN_NOT) {
		t->open[function] = OPEN_ONCE;
		return HS_OK;
	}
	t->open[function] = OPEN_AGAIN;
	s->inner = true;
	s->function = 0;
	return HS_OK;
}

/* What is counted at the edge of a call: what a call of NAME'2 costs while another one is open is
 * a part of that one. */
static uint64_t close_recursion(struct hs_export *x, struct exports_track *t,
                                const struct exports_span *s)
{
	struct exports_span outermost = { .name = s->name, .start = s->start };
	const uint32_t function = s->inner ? exports_function_of(x, &outermost) : s->function - 1;

	t->open[function] = (uint8_t)s->own;
	return s->own == OPEN_AGAIN ? 0 : s->self + s->called;
}

/* ---- calls ------------------------------------------------------------------------------- */

static bool same_edge(const void *item, const void *key)
{
	const struct edge *a = item, *b = key;

	return a->caller == b->caller && a->callee == b->callee && a->file == b->file &&
	       a->line == b->line;
}

/* The edge from @caller to @callee of a call that is the span's; UINT32_MAX: no memory. */
static uint32_t find_edge(struct hs_export *x, uint32_t caller_number, uint32_t callee,
                          const struct exports_span *s)
{
	struct counted *c = x->own;
	struct exports_place place = { NULL, NULL, 0 };
	struct edge key = { .caller = caller_number, .callee = callee };
	const struct exports_function *caller = exports_function_at(x, key.caller);

	key.file = find_name(c, caller->place.file);
	key.line = caller->place.line;
	if (s->site)
		exports_find(x, s->site, HS_PRIV_UNKNOWN, &place);
	if (place.file) {
		key.file = find_name(c, place.file);
		key.line = place.line;
	}
	if (key.file == UINT32_MAX)
		return UINT32_MAX;
	const uint32_t hash = support_hash_of((uint64_t)key.caller << 32 | key.callee,
	                                      (uint64_t)key.file << 32 | (uint32_t)key.line);
	struct edge *e = support_hash_find(&c->edges, hash, same_edge, &key);

	if (!e) {
		e = support_hash_add(&c->edges, hash);
		if (e)
			*e = key;
	}
	return number_of(&c->edges, e);
}

/* The same, of calls that were met before.  A guest's lines depend on its context, too. */
static uint32_t find_site(struct hs_export *x, uint32_t caller, uint32_t callee,
                          const struct exports_span *s)
{
	struct counted *c = x->own;
	const struct site key = { x->select.program, s->site, caller, callee, 0 };
	struct site *site =
		&c->sites[support_hash_of(s->site, (uint64_t)caller << 32 | callee) % SITES];

	if (site->edge && site->addr == key.addr && site->caller == caller &&
	    site->callee == callee && site->program == key.program)
		return site->edge - 1;
	const uint32_t edge = find_edge(x, caller, callee, s);

	*site = key;
	site->edge = x->o.guest ? 0 : edge + 1; /* 0, too, where there is no memory */
	return edge;
}

static enum hs_status close_call(struct hs_export *x, struct exports_track *t,
                                 struct exports_span *s)
{
	struct counted *c = x->own;
	const uint32_t callee = exports_function_of(x, s);

	if (callee == UINT32_MAX)
		return HS_E_MEMORY;
	const uint64_t instructions = close_recursion(x, t, s);

	if (t->depth < 2)
		return HS_OK;
	const uint32_t caller = exports_function_of(x, s - 1);

	if (caller == UINT32_MAX)
		return HS_E_MEMORY;
	const uint32_t number = find_site(x, caller, callee, s);

	if (number == UINT32_MAX)
		return HS_E_MEMORY;
	struct edge *e = support_hash_item(&c->edges, number);

	e->calls += !s->again;
	e->instructions += instructions;
	return HS_OK;
}

/* ---- the file ------------------------------------------------------------------------------ */

/* "KEY=(NUMBER) NAME" and @suffix, without the name where it was there before. */
static void print_name(struct hs_export *x, const char *key, uint32_t number, const char *name,
                       const char *suffix, bool *written)
{
	if (*written) {
		support_out_print(&x->out, "%s=(%u)\n", key, number + 1);
		return;
	}
	support_out_print(&x->out, "%s=(%u) ", key, number + 1);
	support_out_as(&x->out, hs_text_escape, name);
	support_out_print(&x->out, "%s\n", suffix);
	*written = true;
}

static void print_file(struct hs_export *x, const char *key, uint32_t number)
{
	struct name *n = support_hash_item(&((struct counted *)x->own)->names, number);

	print_name(x, key, number, n->text, "", &n->as_file);
}

static void print_object(struct hs_export *x, const char *key, uint32_t number)
{
	struct name *n = support_hash_item(&((struct counted *)x->own)->names, number);

	print_name(x, key, number, n->text, "", &n->as_object);
}

static void print_function(struct hs_export *x, const char *key, uint32_t number)
{
	struct exports_function *f = exports_function_at(x, number);
	char text[32];

	print_name(x, key, number, exports_name(f->name, f->start, text), f->inner ? "'2" : "",
	           &f->written);
}

static void print_cost(struct hs_export *x, uint32_t own_file, const struct cost *c, uint32_t *file)
{
	if (c->file != *file)
		print_file(x, c->file == own_file ? "fe" : "fi", c->file);
	*file = c->file;
	support_out_print(&x->out, "%d %llu\n", c->line, (ull)c->instructions);
}

static void print_edge(struct hs_export *x, uint32_t own_file, const struct edge *e, uint32_t *file)
{
	const struct exports_function *to = exports_function_at(x, e->callee);

	if (e->file != *file)
		print_file(x, e->file == own_file ? "fe" : "fi", e->file);
	*file = e->file;
	print_object(x, "cob", find_name(x->own, to->place.object));
	print_file(x, "cfi", find_name(x->own, to->place.file));
	print_function(x, "cfn", e->callee);
	support_out_print(&x->out, "calls=%llu %d\n%d %llu\n", (ull)e->calls, to->place.line,
	                  e->line, (ull)e->instructions);
}

static int by_place(const void *a, const void *b)
{
	const struct cost *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static int by_caller(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->callee > y->callee) - (x->callee < y->callee);
}

/* Nothing is looked up by cost or edge after this: the tables become sorted arrays. */
static enum hs_status end(struct hs_export *x)
{
	struct counted *c = x->own;
	const struct cost *cost = c->costs.items;
	const struct edge *edge = c->edges.items;
	uint32_t i = 0, e = 0;

	add_up(x);
	if (c->costs.count)
		qsort(c->costs.items, c->costs.count, sizeof(*cost), by_place);
	if (c->edges.count)
		qsort(c->edges.items, c->edges.count, sizeof(*edge), by_caller);
	support_out_print(&x->out,
	                  "# callgrind format\nversion: 1\ncreator: hartscope %s\npid: 0\n"
	                  "cmd: ",
	                  hs_version_string());
	char title[1024];

	hs_text_escape(title, sizeof(title), x->o.title ? x->o.title : "");
	support_out_print(&x->out, "%s\npart: 1\n\npositions: line\nevents: Ir\nsummary: %llu\n",
	                  title, (ull)x->report.instructions);
	for (uint32_t n = 0; n < x->functions.count; n++) {
		const struct exports_function *f = exports_function_at(x, n);
		const uint32_t own_file = find_name(c, f->place.file);
		uint32_t file = own_file;

		support_out_print(&x->out, "\n");
		print_object(x, "ob", find_name(c, f->place.object));
		print_file(x, "fl", own_file);
		print_function(x, "fn", n);
		for (; i < c->costs.count && cost[i].function == n; i++)
			print_cost(x, own_file, &cost[i], &file);
		for (; e < c->edges.count && edge[e].caller == n; e++)
			print_edge(x, own_file, &edge[e], &file);
	}
	support_out_print(&x->out, "\ntotals: %llu\n", (ull)x->report.instructions);
	return x->out.status;
}

const struct exports_format exports_callgrind = { .begin = begin,
	                                          .open = open_call,
	                                          .close = close_call,
	                                          .number = number_block,
	                                          .end = end,
	                                          .free = free_counted };
