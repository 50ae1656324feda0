/* The sums of a hart on the page (report_html.h): of each depth the function that has most of the
 * instructions of a span, in levels of which each has spans twice as long as the one before; and
 * of each span what every function ran.
 *
 * What does not fit has longer spans, never less of them. */
#include <stdlib.h>
#include <string.h>

#include "commands/report_html.h"

#define LEVELS_MAX 8u
#define LEAST_SPANS 256u               /* a level with fewer is not needed */
#define LEVELS_BYTES ((size_t)1 << 20) /* of all harts, as they are written */
#define INLINED_BYTES ((size_t)256 << 10)
#define TABLE_BYTES ((size_t)700 << 10)
#define DEPTH_MAX 200u /* as the page draws */

/* ---- levels ----------------------------------------------------------------------------- */

/* A function at a depth in a span. */
struct cell {
	uint32_t depth, span, what; /* number of the function << 4 | mode */
	uint64_t inside;
};

static int by_depth(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	if (x->span != y->span)
		return x->span < y->span ? -1 : 1;
	return (x->what > y->what) - (x->what < y->what);
}

/* Equal cells become one.  How many are left. */
static size_t join(struct cell *v, size_t n)
{
	size_t left = 0;

	qsort(v, n, sizeof(*v), by_depth);
	for (size_t i = 0; i < n; i++)
		if (left && by_depth(&v[left - 1], &v[i]) == 0)
			v[left - 1].inside += v[i].inside;
		else
			v[left++] = v[i];
	return left;
}

/* Cells of a level; those of calls, or of inlined functions. */
struct cells {
	struct cell *v;
	size_t n;
};

static size_t make_cells(const struct sums *s, const struct time_tree *t, struct cell *v)
{
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++) {
		const struct sum *r = &s->rows[i];
		const uint32_t depth = t->depth_of ? t->depth_of[r->node]
		                                   : t->tree->nodes[t->tree->place[r->node]].depth;

		if (r->inside && depth < DEPTH_MAX)
			v[n++] =
				(struct cell){ depth, r->span,
				               t->function_of[r->node] << 4 | s->open[r->node].mode,
				               r->inside };
	}
	return n ? join(v, n) : 0;
}

/* The function that has most of the cells of a depth and span, of which @v is the first of *n, and
 * how many instructions. */
static uint32_t winner(const struct cell *v, size_t all, size_t *n, uint64_t *has)
{
	uint64_t most = 0;
	uint32_t what = 0;
	size_t i = 0;

	while (i < all && v[i].depth == v->depth && v[i].span == v->span) {
		const struct cell *first = &v[i];
		uint64_t inside = 0;

		for (; i < all && v[i].depth == v->depth && v[i].span == v->span &&
		       v[i].what >> 4 == first->what >> 4;
		     i++)
			inside += v[i].inside;
		if (inside > most)
			what = first->what;
		most = inside > most ? inside : most;
	}
	*n = i;
	*has = most;
	return what;
}

/* What the function has that has most of the cells there; they are passed. */
static uint64_t most_at(const struct cells *c, uint32_t depth, uint32_t span, size_t *at)
{
	const struct cell key = { .depth = depth, .span = span };
	uint64_t most = 0;

	while (c->n > *at && by_depth(&c->v[*at], &key) < 0)
		(*at)++;
	if (c->n > *at && c->v[*at].depth == depth && c->v[*at].span == span) {
		size_t n;

		(void)winner(&c->v[*at], c->n - *at, &n, &most);
		*at += n;
	}
	return most;
}

/* Spans of a depth in which one function has most. */
struct series {
	uint32_t depth, start, end, what;
};

/* Depth less that of the one before; spans after it, at a new depth after 0; spans; function. */
static void put_series(struct html_out *o, const struct series *r, struct series *before)
{
	const bool same = r->depth == before->depth;

	html_put(o, r->depth - before->depth);
	html_put(o, r->start - (same ? before->end : 0));
	html_put(o, r->end - r->start);
	html_put(o, r->what);
	*before = *r;
}

/* The spans of a level, in which no function of @others has more. */
static void write_runs(struct html_out *o, const struct cells *c, const struct cells *others)
{
	struct series before = { .depth = 0 }, now = { .end = 0 };
	const struct cell *v = c->v;
	size_t other = 0;

	html_pack(o);
	for (size_t i = 0, n; i < c->n; i += n) {
		uint64_t has;
		const uint32_t what = winner(&v[i], c->n - i, &n, &has);

		if (has < most_at(others, v[i].depth, v[i].span, &other))
			continue;
		if (now.end && v[i].depth == now.depth && v[i].span == now.end &&
		    what == now.what) {
			now.end++;
			continue;
		}
		if (now.end)
			put_series(o, &now, &before);
		now = (struct series){ v[i].depth, v[i].span, v[i].span + 1, what };
	}
	if (now.end)
		put_series(o, &now, &before);
	html_pack_end(o);
}

/* Spans twice as long. */
static void halve(struct cells *c)
{
	for (size_t i = 0; i < c->n; i++)
		c->v[i].span >>= 1;
	c->n = c->n ? join(c->v, c->n) : 0;
}

/* Levels as text, those with the shortest spans first. */
struct levels {
	char *text[LEVELS_MAX];
	size_t size[LEVELS_MAX];
	unsigned count;
};

static bool make_levels(struct levels *l, struct cells *c, struct cells *others, uint64_t end,
                        unsigned shift)
{
	while (l->count < LEVELS_MAX) {
		struct html_out o = { .f = open_memstream(&l->text[l->count], &l->size[l->count]) };

		if (!o.f)
			return false;
		fprintf(o.f, "{\"shift\":%u,\"runs\":", shift + l->count);
		write_runs(&o, c, others);
		fputc('}', o.f);
		if (fclose(o.f) != 0)
			return false;
		l->count++;
		if (end >> (shift + l->count) < LEAST_SPANS)
			break;
		halve(c);
		halve(others);
	}
	return true;
}

/* As many as there is room for, from the one with the longest spans on. */
static void put_levels(struct html_out *o, const struct levels *l, size_t room)
{
	unsigned first = l->count - 1;
	size_t size = l->size[first];

	while (first && size + l->size[first - 1] <= room)
		size += l->size[--first];
	for (unsigned i = first; i < l->count; i++)
		fprintf(o->f, "%s%s", i == first ? "" : ",\n", l->text[i]);
}

/* The levels that have @room.  False: no memory. */
static bool write_levels(struct html_out *o, struct cells *c, struct cells *others, uint64_t end,
                         unsigned shift, size_t room)
{
	struct levels l = { .count = 0 };
	const bool good = make_levels(&l, c, others, end, shift);

	fputs("\"spans\":[", o->f);
	if (good)
		put_levels(o, &l, room);
	fputc(']', o->f);
	for (unsigned i = 0; i < LEVELS_MAX; i++)
		free(l.text[i]);
	return good;
}

/* The cells of a hart.  False: no memory. */
static bool cells_of(struct cells *c, const struct sums *s, const struct time_tree *tree)
{
	c->v = calloc(s->count + 1, sizeof(*c->v));
	c->n = c->v ? make_cells(s, tree, c->v) : 0;
	return c->v != NULL;
}

static bool write_calls(struct html_out *o, const struct timeline *t, const struct sums *s,
                        const struct time_tree *tree)
{
	struct cells c = { .n = 0 }, none = { .n = 0 };
	const bool good = cells_of(&c, s, tree) && write_levels(o, &c, &none, s->end, s->shift,
	                                                        LEVELS_BYTES / t->sums_count);

	free(c.v);
	return good;
}

bool sums_write_inlined(struct html_out *o, uint32_t harts, const struct sums *inlined,
                        const struct time_tree *runs, const struct sums *calls,
                        const struct time_tree *tree)
{
	struct cells c = { .n = 0 }, others = { .n = 0 };
	bool good = cells_of(&c, inlined, runs) && cells_of(&others, calls, tree);

	for (unsigned shift = calls->shift; good && shift < inlined->shift; shift++)
		halve(&others);
	good = good &&
	       write_levels(o, &c, &others, calls->end, inlined->shift, INLINED_BYTES / harts);
	free(c.v);
	free(others.v);
	return good;
}

/* ---- the table of spans ------------------------------------------------------------------- */

/* Of a function in a span. */
struct part {
	uint64_t self, total, calls; /* self: modulo 2^64 until all of the span is added */
	bool used;
};

struct table {
	const struct sums *s;
	const struct hs_call_tree_result *tree;
	uint32_t *function; /* of nodes by place */
	bool *outermost;    /* the same: no caller is the same function */
	struct part *parts; /* by function of the page, with the others */
	uint32_t *used;     /* functions of the span */
	uint32_t used_count;
	unsigned more; /* by which its spans are longer than those of the sums */
};

static bool is_outermost(const struct table *b, uint32_t place)
{
	uint32_t up = b->tree->nodes[place].parent;

	while (up != UINT32_MAX && b->function[up] != b->function[place])
		up = b->tree->nodes[up].parent;
	return up == UINT32_MAX;
}

static bool table_open(struct table *b, const struct time_tree *t)
{
	const size_t n = b->tree->count;

	b->function = calloc(n + 1, sizeof(*b->function));
	b->outermost = calloc(n + 1, sizeof(*b->outermost));
	b->parts = calloc(t->functions + (size_t)1, sizeof(*b->parts));
	b->used = calloc(t->functions + (size_t)1, sizeof(*b->used));
	if (!b->function || !b->outermost || !b->parts || !b->used)
		return false;
	for (size_t i = 0; i < n; i++)
		b->function[b->tree->place[i]] = t->function_of[i];
	for (uint32_t i = 0; i < n; i++)
		b->outermost[i] = is_outermost(b, i);
	return true;
}

static void table_close(struct table *b)
{
	free(b->function);
	free(b->outermost);
	free(b->parts);
	free(b->used);
}

static struct part *part_of(struct table *b, uint32_t function)
{
	struct part *p = &b->parts[function];

	if (!p->used)
		b->used[b->used_count++] = function;
	p->used = true;
	return p;
}

static void add_sum(struct table *b, const struct sum *r)
{
	const uint32_t place = b->tree->place[r->node], up = b->tree->nodes[place].parent;
	struct part *p = part_of(b, b->function[place]);

	p->self += r->inside;
	p->total += b->outermost[place] ? r->inside : 0;
	p->calls += b->tree->nodes[place].how == HS_FRAME_FOUND ? 0 : r->calls;
	if (up != UINT32_MAX)
		part_of(b, b->function[up])->self -= r->inside;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Functions of the span: how many; each as its number less the one before, self, total, calls. */
static void put_parts(struct html_out *o, struct table *b)
{
	uint32_t last = 0;

	if (b->used_count)
		qsort(b->used, b->used_count, sizeof(*b->used), by_number);
	html_put(o, b->used_count);
	for (uint32_t i = 0; i < b->used_count; i++) {
		struct part *p = &b->parts[b->used[i]];

		html_put(o, b->used[i] - last);
		html_put(o, p->self);
		html_put(o, p->total);
		html_put(o, p->calls);
		last = b->used[i];
		*p = (struct part){ .used = false };
	}
	b->used_count = 0;
}

/* All spans: traps, gaps, functions. */
static void put_spans(struct html_out *o, struct table *b)
{
	const uint32_t last = (uint32_t)(b->s->end >> b->s->shift), each = 1u << b->more;
	size_t i = 0;

	html_pack(o);
	for (uint32_t span = 0; span <= last; span += each) {
		uint64_t traps = 0, gaps = 0;

		for (uint32_t k = span; k < span + each && k < SPANS; k++) {
			traps += b->s->traps[k];
			gaps += b->s->gaps[k];
		}
		html_put(o, traps);
		html_put(o, gaps);
		for (; i < b->s->count && b->s->rows[i].span < span + each; i++)
			add_sum(b, &b->s->rows[i]);
		put_parts(o, b);
	}
	html_pack_end(o);
}

/* The table with the shortest spans that has room. */
static bool write_table(struct html_out *o, const struct timeline *t, const struct sums *s,
                        const struct time_tree *tree)
{
	struct table b = { .s = s, .tree = tree->tree };
	bool good = table_open(&b, tree), fits = false;

	while (good && !fits) {
		char *text = NULL;
		size_t size = 0;
		struct html_out m = { .f = open_memstream(&text, &size) };

		good = m.f != NULL;
		if (good)
			put_spans(&m, &b);
		good = good && fclose(m.f) == 0;
		fits = good && (size <= TABLE_BYTES / t->sums_count || 1u << b.more >= SPANS);
		if (fits)
			fprintf(o->f, "{\"shift\":%u,\"spans\":%s}", s->shift + b.more, text);
		free(text);
		b.more++;
	}
	table_close(&b);
	return good;
}

bool sums_write(struct html_out *o, const struct timeline *t, const struct sums *s,
                const struct time_tree *tree)
{
	fputs(",\n", o->f);
	if (!write_calls(o, t, s, tree))
		return false;
	fputs(",\n\"table\":", o->f);
	return write_table(o, t, s, tree);
}
