/* Two runs: the blocks of a hart of both, one by one, up to where they part. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/diff.h>

#include "program/block_count.h"
#include "program/select.h"

/* One of the runs. */
struct run {
	struct hs_source *source; /* NULL: it does not have the hart */
	struct program_select select;
	const struct hs_block *items;
	size_t n, next;
	struct hs_block before; /* the last block that both had */
	bool began;
};

struct hs_diff {
	struct run run[2];
	struct hs_stacks *stacks; /* of the first run; NULL: it is not there */
	struct program_counts counts;
	uint64_t blocks, instructions;
	bool parted; /* the stacks stay as they are */
	enum hs_status status;
};

void hs_diff_free(struct hs_diff *d)
{
	if (!d)
		return;
	for (unsigned i = 0; i < 2; i++)
		program_select_end(&d->run[i].select);
	program_counts_free(&d->counts);
	hs_stacks_free(d->stacks);
	free(d);
}

static enum hs_status open_stacks(struct hs_diff *d)
{
	struct hs_source *source = d->run[0].source;

	if (!source)
		return HS_OK;
	const struct hs_stacks_options so = { .size = sizeof(so),
		                              .program = hs_source_program(source),
		                              .programs = hs_source_programs(source),
		                              .guest = hs_source_guest(source) };

	return hs_stacks_new(&so, &d->stacks);
}

enum hs_status hs_diff_new(struct hs_source *const source[2], struct hs_diff **diff)
{
	struct hs_diff *d;

	if (!source[0] && !source[1])
		return HS_E_ARG;
	d = calloc(1, sizeof(*d));
	if (!d)
		return HS_E_MEMORY;
	for (unsigned i = 0; i < 2; i++) {
		struct run *r = &d->run[i];

		r->source = source[i];
		if (!r->source)
			continue;
		program_select_start(&r->select, hs_source_program(r->source),
		                     hs_source_programs(r->source));
		if (d->status == HS_OK)
			d->status = program_select_hart(&r->select, 0);
	}
	if (d->status != HS_OK || open_stacks(d) != HS_OK) {
		hs_diff_free(d);
		return HS_E_MEMORY;
	}
	*diff = d;
	return HS_OK;
}

/* ---- reading ------------------------------------------------------------------------ */

/* Read items until there are some.  False: there are no more. */
static bool fill(struct hs_diff *d, struct run *r)
{
	enum hs_status s = HS_OK;

	r->n = r->next = 0;
	while (!r->n && s != HS_END) {
		s = hs_source_view(r->source, &r->items, &r->n, NULL);
		if (s == HS_E_SYSTEM || s == HS_E_MEMORY) { /* no damage of the run */
			d->status = s;
			return false;
		}
	}
	return r->n;
}

/* The stacks of the first run see all of its items. */
static void follow(struct hs_diff *d, const struct run *r, const struct hs_block *b)
{
	struct hs_stack_step step;

	if (r == &d->run[0] && d->status == HS_OK && !d->parted)
		d->status = hs_stacks_follow(d->stacks, b, &step);
}

/* The next block; events before it are passed.  NULL: there are no more, or no memory. */
static const struct hs_block *peek(struct hs_diff *d, struct run *r)
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

/* ---- places ------------------------------------------------------------------------- */

static void find_place(const struct run *r, uint64_t addr, uint8_t priv, struct hs_diff_place *p)
{
	const struct program_at *now = &r->select.at;
	const struct hs_guest_at at = { .context = now->context,
		                        .has_context = now->has_context,
		                        .moment = now->moment,
		                        .has_moment = now->has_moment,
		                        .priv = priv };

	*p = (struct hs_diff_place){ .addr = addr };
	hs_guest_name(hs_source_guest(r->source), r->select.program, &at, addr, &p->name);
	hs_program_find_place(r->select.program, addr, &p->source);
}

/* Is it the same code: at one address, or at one place of a function? */
static bool same_start(const struct hs_diff *d, const struct hs_block *const now[2])
{
	struct hs_diff_place p[2];

	if (now[0]->iaddr == now[1]->iaddr)
		return true;
	for (unsigned i = 0; i < 2; i++)
		find_place(&d->run[i], now[i]->iaddr, now[i]->priv, &p[i]);
	return p[0].name.label && p[1].name.label &&
	       strcmp(p[0].name.label, p[1].name.label) == 0 &&
	       p[0].name.offset == p[1].name.offset;
}

static bool same_block(const struct hs_diff *d, const struct hs_block *const now[2])
{
	return now[0]->iretire == now[1]->iretire && now[0]->itype == now[1]->itype &&
	       same_start(d, now);
}

/* Count a block that both have, and go on to the next one. */
static void pass(struct hs_diff *d, const struct hs_block *const now[2])
{
	uint32_t n = 0;

	follow(d, &d->run[0], now[0]);
	if (d->status == HS_OK)
		d->status = program_count_block(&d->counts, &d->run[0].select, now[0], &n);
	d->blocks++;
	d->instructions += n;
	for (unsigned i = 0; i < 2; i++) {
		d->run[i].before = *now[i];
		d->run[i].began = true;
		d->run[i].next++;
	}
}

/* ---- where they part ------------------------------------------------------------------ */

/* Where the instruction is that both have last.  *inside: it is in the blocks that differ. */
static bool last_common(const struct hs_diff *d, const struct hs_block *const now[2], bool *inside,
                        uint64_t *at, uint8_t *priv)
{
	const struct hs_block *before = &d->run[0].before;

	*inside = now[0] && now[1] && same_start(d, now);
	if (*inside) {
		const struct hs_block *b = now[now[0]->iretire > now[1]->iretire];

		*priv = b->priv;
		*at = b->iretire ? hs_block_end(b) - 2u * b->ilast : b->iaddr;
		*at = b == now[1] ? now[0]->iaddr + (*at - now[1]->iaddr) : *at;
		return true;
	}
	*priv = before->priv;
	*at = hs_block_end(before) - 2u * before->ilast;
	return d->run[0].began;
}

/* How a run goes on.  @inside: its current block began as the other one's. */
static void find_end(struct hs_diff *d, struct run *r, const struct hs_block *now, bool inside,
                     struct hs_diff_end *end)
{
	end->ended = !now;
	end->began = r->began || inside;
	if (!now)
		return;
	end->itype = inside ? now->itype : r->before.itype;
	if (inside) {
		r->next++;
		now = peek(d, r);
	}
	end->has_next = now != NULL;
	if (now)
		find_place(r, now->iaddr, now->priv, &end->next);
}

static void describe(struct hs_diff *d, const struct hs_block *const now[2],
                     struct hs_diff_parting *out)
{
	uint64_t at;
	uint8_t priv;
	bool inside;

	out->parted = true;
	out->blocks = d->blocks;
	out->instructions = d->instructions;
	out->has_last = last_common(d, now, &inside, &at, &priv);
	if (out->has_last)
		find_place(&d->run[0], at, priv, &out->last);
	if (inside)
		follow(d, &d->run[0], now[0]);
	d->parted = true;
	for (unsigned i = 0; i < 2; i++)
		find_end(d, &d->run[i], now[i], inside, &out->end[i]);
	if (d->stacks && out->has_last)
		out->frames = hs_stacks_frames(d->stacks, &out->depth);
}

enum hs_status hs_diff_find_parting(struct hs_diff *d, struct hs_diff_parting *out)
{
	const struct hs_block *now[2];

	*out = (struct hs_diff_parting){ .parted = false };
	for (;;) {
		now[0] = peek(d, &d->run[0]);
		now[1] = peek(d, &d->run[1]);
		if (d->status != HS_OK || !now[0] || !now[1] ||
		    !same_block(d, (const struct hs_block *const *)now))
			break;
		pass(d, (const struct hs_block *const *)now);
	}
	if (d->status == HS_OK && (now[0] || now[1]))
		describe(d, (const struct hs_block *const *)now, out);
	return d->status;
}
