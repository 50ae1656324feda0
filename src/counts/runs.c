/* Two runs: their items, what is read ahead, and names of places. */
#include <stdlib.h>
#include <string.h>

#include "counts/runs.h"
#include "source/source.h"

/* The next items, in the source's memory.  False: there are no more, or an error. */
static bool view(struct diff_pair *d, struct diff_run *r, const struct hs_block **items, size_t *n)
{
	enum hs_status s = HS_OK;

	*n = 0;
	while (!*n && s != HS_END) {
		s = hs_source_view(r->source, items, n, NULL);
		if (s == HS_E_SYSTEM || s == HS_E_MEMORY) { /* no damage of the run */
			d->status = s;
			return false;
		}
	}
	return *n;
}

static bool fill(struct diff_pair *d, struct diff_run *r)
{
	r->next = 0;
	return view(d, r, &r->items, &r->n);
}

/* The stacks of the first run see all of its items. */
static void follow(struct diff_pair *d, const struct diff_run *r, const struct hs_block *b)
{
	struct hs_stack_step step;

	if (r == &d->run[0] && d->status == HS_OK)
		d->status = hs_stacks_follow(d->stacks, b, &step);
}

const struct hs_block *diff_peek(struct diff_pair *d, struct diff_run *r)
{
	while (r->source && d->status == HS_OK && (r->next < r->n || fill(d, r))) {
		const struct hs_block *b = &r->items[r->next];

		if (b->kind == HS_KIND_BLOCK)
			return b;
		d->status = program_select_event(&r->select, b);
		follow(d, r, b);
		r->next++;
	}
	return NULL;
}

uint32_t diff_pass(struct diff_pair *d, struct diff_run *r, const struct hs_block *b)
{
	uint32_t n = 0;

	follow(d, r, b);
	if (d->status == HS_OK)
		d->status = program_count_block(&d->counts, &r->select, b, &n);
	diff_skip(r, b);
	return n;
}

/* ---- reading ahead ------------------------------------------------------------------ */

/* Room for @more items after those that wait, which are moved to its start. */
static bool make_room(struct diff_run *r, size_t more)
{
	const size_t waiting = r->n - r->next, need = waiting + more;

	if (r->items == r->kept && r->n + more <= r->room)
		return true;
	if (need > r->room / 2) {
		struct hs_block *kept = malloc(2 * need * sizeof(*kept));

		if (!kept)
			return false;
		if (waiting)
			memcpy(kept, &r->items[r->next], waiting * sizeof(*kept));
		free(r->kept);
		r->kept = kept;
		r->room = 2 * need;
	} else if (waiting) {
		memmove(r->kept, &r->items[r->next], waiting * sizeof(*r->kept));
	}
	r->items = r->kept;
	r->n = waiting;
	r->next = 0;
	return true;
}

/* What waits is kept before the source's memory has other items. */
static bool read_ahead(struct diff_pair *d, struct diff_run *r)
{
	const struct hs_block *items;
	size_t n;

	if (!make_room(r, 0)) {
		d->status = HS_E_MEMORY;
		return false;
	}
	if (!view(d, r, &items, &n))
		return false;
	if (!make_room(r, n)) {
		d->status = HS_E_MEMORY;
		return false;
	}
	memcpy(&r->kept[r->n], items, n * sizeof(*items));
	r->n += n;
	return true;
}

const struct hs_block *diff_look_ahead(struct diff_pair *d, struct diff_run *r, size_t i)
{
	while (d->status == HS_OK && r->n - r->next <= i)
		if (!r->source || !read_ahead(d, r))
			return NULL;
	return d->status == HS_OK ? &r->items[r->next + i] : NULL;
}

/* ---- places ------------------------------------------------------------------------- */

void diff_find_name(const struct diff_run *r, uint64_t addr, uint8_t priv,
                    struct hs_guest_place *name)
{
	const struct program_at *now = &r->select.at;
	const struct hs_guest_at at = { .context = now->context,
		                        .has_context = now->has_context,
		                        .moment = now->moment,
		                        .has_moment = now->has_moment,
		                        .priv = priv };

	hs_guest_name(hs_source_guest(r->source), r->select.program, &at, addr, name);
}

void diff_find_place(const struct diff_run *r, uint64_t addr, uint8_t priv, struct hs_diff_place *p)
{
	*p = (struct hs_diff_place){ .addr = addr };
	diff_find_name(r, addr, priv, &p->name);
	hs_program_find_place(r->select.program, addr, &p->source);
}
