/* Code that changes, as events among the items of a trace.
 *
 * The list says at how many blocks of a hart a change is.  Where blocks cannot be counted any more,
 * the guide of the decoder knows which changes it made (guide.h). */
#include <stdlib.h>
#include <string.h>

#include "source/private.h"
#include "source/source.h"

#define ITEMS 4096

/* A hart of the trace. */
struct lane {
	uint32_t hart;
	bool adrift;
	uint64_t blocks; /* so far */
	size_t next;     /* change that it has not reached */
};

struct source_changes {
	bool adrift; /* all harts, from the start */
	struct lane *lanes;
	size_t count, now; /* lanes; that of the current hart */
	struct hs_block items[ITEMS];
	size_t at, n;
	enum hs_status status; /* after the last item */
	struct hs_error error;
};

static enum hs_status select_lane(struct source_changes *c, uint32_t hart)
{
	for (c->now = 0; c->now < c->count; c->now++)
		if (c->lanes[c->now].hart == hart)
			return HS_OK;
	struct lane *more = realloc(c->lanes, (c->count + 1) * sizeof(*more));

	if (!more) {
		c->now = 0;
		return HS_E_MEMORY;
	}
	c->lanes = more;
	more[c->count++] = (struct lane){ .hart = hart, .adrift = c->adrift };
	return HS_OK;
}

enum hs_status source_changes_new(bool adrift, struct source_changes **events)
{
	struct source_changes *c = calloc(1, sizeof(*c));

	if (c)
		c->adrift = adrift;
	if (!c || select_lane(c, 0) != HS_OK) {
		free(c);
		return HS_E_MEMORY;
	}
	*events = c;
	return HS_OK;
}

void source_changes_free(struct source_changes *c)
{
	if (c)
		free(c->lanes);
	free(c);
}

/* The next change of a hart; the count of the list: none.  What is passed over is not looked at
 * again: this is asked before each block. */
static size_t next_change(const struct hs_code_changes *list, struct lane *l)
{
	if (hs_code_changes_harts(list) != 1)
		while (l->next < hs_code_changes_count(list) &&
		       hs_code_changes_get(list, l->next)->hart != l->hart)
			l->next++;
	return l->next;
}

/* Is change @i of the current hart before its next block? */
static bool is_due(const struct source_trace *t, const struct lane *l, size_t i)
{
	if (i >= hs_code_changes_count(t->code.changes))
		return false;
	return l->adrift ? i < source_guide_reached(t->code.guide, l->hart)
	                 : hs_code_changes_get(t->code.changes, i)->blocks <= l->blocks;
}

static bool put_change(struct source_trace *t, struct lane *l, struct hs_block *out)
{
	const size_t i = next_change(t->code.changes, l);

	if (!is_due(t, l, i))
		return false;
	*out = (struct hs_block){ .value = hs_code_changes_get(t->code.changes, i)->code.start,
		                  .arg = (uint32_t)i,
		                  .kind = HS_KIND_VERSION,
		                  .priv = HS_PRIV_UNKNOWN };
	l->next = i + 1;
	return true;
}

/* The next item, or a change before it. */
static enum hs_status put_item(struct source_trace *t, struct hs_block *out)
{
	struct source_changes *c = t->code.events;
	const struct hs_block *item = &c->items[c->at];

	if (item->kind == HS_KIND_HART && select_lane(c, item->arg) != HS_OK)
		return HS_E_MEMORY;
	struct lane *l = &c->lanes[c->now];

	if (item->kind == HS_KIND_BLOCK) {
		if (put_change(t, l, out))
			return HS_OK;
		l->blocks++;
	}
	l->adrift |= item->kind == HS_KIND_GAP;
	*out = *item;
	c->at++;
	return HS_OK;
}

/* Is a source adrift whose code changes again?  Then messages are decoded one by one. */
static bool is_adrift(const struct source_trace *t)
{
	const struct source_changes *c = t->code.events;

	for (size_t i = 0; c && i < c->count; i++)
		if (c->lanes[i].adrift && next_change(t->code.changes, &c->lanes[i]) <
		                                  hs_code_changes_count(t->code.changes))
			return true;
	return false;
}

/* Blocks before the next change, all at once.  Returns how many. */
static size_t put_blocks(const struct source_trace *t, struct hs_block *out, size_t cap)
{
	struct source_changes *c = t->code.events;
	struct lane *l = &c->lanes[c->now];
	const size_t i = next_change(t->code.changes, l), left = c->n - c->at;
	const bool comes = !l->adrift && i < hs_code_changes_count(t->code.changes);
	uint64_t most = left < cap ? left : cap;
	size_t n = 0;

	if (is_due(t, l, i))
		return 0;
	if (comes && hs_code_changes_get(t->code.changes, i)->blocks - l->blocks < most)
		most = hs_code_changes_get(t->code.changes, i)->blocks - l->blocks;
	while (n < most && c->items[c->at + n].kind == HS_KIND_BLOCK)
		n++;
	memcpy(out, c->items + c->at, n * sizeof(*out));
	c->at += n;
	l->blocks += n;
	return n;
}

enum hs_status source_next_changing(struct source_trace *t, struct hs_block *out, size_t cap,
                                    size_t *n, struct hs_error *error)
{
	struct source_changes *c = t->code.events;

	if (c->at == c->n) {
		c->at = 0;
		t->code.adrift = is_adrift(t);
		c->status = source_decode(t, c->items, ITEMS, &c->n, &c->error);
	}
	for (*n = 0; *n < cap && c->at < c->n;) {
		const size_t blocks = put_blocks(t, out + *n, cap - *n);

		*n += blocks;
		if (blocks)
			continue;
		if (put_item(t, &out[*n]) != HS_OK)
			return hs_error_set(error, HS_E_MEMORY, "out of memory");
		++*n;
	}
	if (c->at < c->n)
		return HS_OK;
	if (error && c->status != HS_OK)
		*error = c->error;
	return c->status;
}
