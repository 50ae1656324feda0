/* Two runs: the blocks of a hart of both, one by one, up to where they part. */
#include <stdlib.h>
#include <string.h>

#include "counts/runs.h"
#include "source/source.h"

void diff_pair_free(struct diff_pair *d)
{
	if (!d)
		return;
	for (unsigned i = 0; i < 2; i++) {
		program_select_end(&d->run[i].select);
		free(d->run[i].kept);
	}
	free(d->frames);
	program_counts_free(&d->counts);
	hs_stacks_free(d->stacks);
	free(d);
}

static enum hs_status open_stacks(struct diff_pair *d)
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

enum hs_status diff_pair_new(struct hs_source *const source[2], struct diff_pair **pair)
{
	struct diff_pair *d;

	d = calloc(1, sizeof(*d));
	if (!d)
		return HS_E_MEMORY;
	for (unsigned i = 0; i < 2; i++) {
		struct diff_run *r = &d->run[i];

		r->source = source[i];
		if (!r->source)
			continue;
		program_select_start(&r->select, hs_source_program(r->source),
		                     hs_source_programs(r->source));
		if (d->status == HS_OK)
			d->status = program_select_hart(&r->select, 0);
	}
	if (d->status != HS_OK || open_stacks(d) != HS_OK) {
		diff_pair_free(d);
		return HS_E_MEMORY;
	}
	*pair = d;
	return HS_OK;
}

/* Is it the same code: at one address, or at one place of a function? */
static bool same_start(const struct diff_pair *d, const struct hs_block *const now[2])
{
	struct hs_guest_place p[2];

	if (now[0]->iaddr == now[1]->iaddr)
		return true;
	for (unsigned i = 0; i < 2; i++) {
		p[i] = (struct hs_guest_place){ .label = NULL };
		diff_find_name(&d->run[i], now[i]->iaddr, now[i]->priv, &p[i]);
	}
	return p[0].label && p[1].label && strcmp(p[0].label, p[1].label) == 0 &&
	       p[0].offset == p[1].offset;
}

static bool same_block(const struct diff_pair *d, const struct hs_block *const now[2])
{
	return now[0]->iretire == now[1]->iretire && now[0]->itype == now[1]->itype &&
	       same_start(d, now);
}

/* ---- where they part ------------------------------------------------------------------ */

/* The last instruction that both have in blocks that begin alike: the end of the shorter one, in
 * the first run. */
static uint64_t last_inside(const struct hs_block *const now[2], uint8_t *priv)
{
	const struct hs_block *b = now[now[0]->iretire > now[1]->iretire];
	const uint64_t at = b->iretire ? hs_block_end(b) - 2u * b->ilast : b->iaddr;

	*priv = b->priv;
	return now[0]->iaddr + (at - b->iaddr);
}

static void find_last(struct diff_pair *d, const struct hs_block *const now[2], bool inside,
                      struct hs_diff_parting *out)
{
	const struct hs_block *before = &d->run[0].before;
	uint64_t at = hs_block_end(before) - 2u * before->ilast;
	uint8_t priv = before->priv;

	if (inside)
		at = last_inside(now, &priv);
	out->has_last = inside || d->run[0].began;
	if (out->has_last)
		diff_find_place(&d->run[0], at, priv, &out->last);
}

/* Pass the blocks in which they part; what is longer in one of them is its own. */
static void pass_inside(struct diff_pair *d, const struct hs_block *const now[2])
{
	const bool longer[2] = { now[0]->iretire > now[1]->iretire,
		                 now[1]->iretire > now[0]->iretire };
	uint32_t n[2];

	for (unsigned i = 0; i < 2; i++) {
		d->run[i].calls = diff_calls(now[i]);
		n[i] = diff_pass(d, &d->run[i], now[i]);
	}
	for (unsigned i = 0; i < 2; i++)
		if (longer[i] && n[i] > n[!i])
			d->run[i].own = n[i] - n[!i];
}

/* How a run goes on. */
static void find_end(struct diff_pair *d, struct diff_run *r, bool inside, struct hs_diff_end *end)
{
	const struct hs_block *now = diff_peek(d, r);

	end->ended = !now && !inside;
	end->began = r->began;
	if (!end->ended)
		end->itype = r->before.itype;
	end->has_next = now != NULL;
	if (now)
		diff_find_place(r, now->iaddr, now->priv, &end->next);
}

/* The frames of the moment: reading on changes those of the stacks. */
static void copy_frames(struct diff_pair *d, struct hs_diff_parting *out)
{
	const struct hs_stack_frame *now = hs_stacks_frames(d->stacks, &out->depth);

	if (out->depth > d->frame_room) {
		free(d->frames);
		d->frame_room = 2 * out->depth;
		d->frames = malloc(d->frame_room * sizeof(*d->frames));
	}
	if (!d->frames) {
		d->frame_room = out->depth = 0;
		d->status = HS_E_MEMORY;
		return;
	}
	memcpy(d->frames, now, out->depth * sizeof(*now));
	out->frames = d->frames;
}

static void describe(struct diff_pair *d, const struct hs_block *const now[2],
                     struct hs_diff_parting *out)
{
	const bool inside = now[0] && now[1] && same_start(d, now);

	out->blocks = d->blocks;
	out->instructions = d->instructions;
	for (unsigned i = 0; i < 2; i++) {
		d->run[i].own = 0;
		d->run[i].calls = 0;
	}
	find_last(d, now, inside, out);
	if (inside)
		pass_inside(d, now);
	if (d->stacks && out->has_last)
		copy_frames(d, out);
	for (unsigned i = 0; i < 2; i++)
		find_end(d, &d->run[i], inside, &out->end[i]);
}

enum hs_status diff_find_parting(struct diff_pair *d, struct hs_diff_parting *out)
{
	const struct hs_block *now[2];

	*out = (struct hs_diff_parting){ .blocks = 0 };
	for (;;) {
		now[0] = diff_peek(d, &d->run[0]);
		now[1] = diff_peek(d, &d->run[1]);
		if (d->status != HS_OK || !now[0] || !now[1] ||
		    !same_block(d, (const struct hs_block *const *)now))
			break;
		d->instructions += diff_pass(d, &d->run[0], now[0]);
		d->blocks++;
		diff_skip(&d->run[1], now[1]);
	}
	if (d->status == HS_OK && !now[0] && !now[1])
		return HS_END;
	if (d->status == HS_OK)
		describe(d, (const struct hs_block *const *)now, out);
	return d->status;
}
