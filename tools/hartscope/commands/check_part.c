/* hartscope check: a part of a trace, and the parts together. */
#include <stdlib.h>
#include <string.h>

#include "commands/check_compare.h"
#include "common/job_part.h"

/* ---- a part ------------------------------------------------------------------------- */

/* The hart of the reference that is compared with one of the subject. */
static struct check_hart *hart_of(struct comparison *c, uint32_t number)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (c->harts[i].number == number || (c->count == 1 && c->only == number))
			return &c->harts[i];
	return NULL;
}

/* What was compared elsewhere: the parts before. */
static enum hs_status skip_parts(struct comparison *c, const struct hs_tally *before)
{
	size_t n;
	const struct hs_tally_hart *h = hs_tally_harts(before, &n);
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < n && c->count == 1 && !c->named; i++)
		if (h[i].items || h[i].traps) {
			c->only = h[i].number;
			c->named = true;
		}
	for (size_t i = 0; i < n && s == HS_OK; i++) {
		struct check_hart *own = hart_of(c, h[i].number);

		if (own)
			s = compare_skip(c, own, h[i].items, h[i].traps);
	}
	return s;
}

/* The hart that the trace is in where the part begins. */
static void select_first(struct comparison *c)
{
	struct hs_block lead[HS_SOURCE_LEAD];
	const size_t n = hs_source_slice_lead(c->subject, lead);

	if (n && lead[n - 1].kind == HS_KIND_HART)
		compare_batch(c, &lead[n - 1], 1);
}

static struct hs_part_hart result_of(const struct check_hart *h)
{
	struct hs_part_hart out = { .number = h->number,
		                    .differs = h->differs,
		                    .ended = { h->ended[0], h->ended[1] },
		                    .blocks = h->blocks,
		                    .traps = h->traps,
		                    .ecalls = h->ecalls,
		                    .before_count = h->before_count,
		                    .items = { h->items[0], h->items[1] } };

	for (unsigned i = 0; i < CHECK_CONTEXT && i < h->before_count; i++)
		out.before[CHECK_CONTEXT - 1 - i] =
			h->before[(h->before_count - 1 - i) % CHECK_CONTEXT];
	return out;
}

static int write_result(struct job_part *j, const struct comparison *c)
{
	const size_t n = (size_t)c->count + c->foreign;
	uint8_t *bytes = calloc(n + 1, HS_PART_HART);
	const struct hs_part_hart foreign = { .number = c->foreign_hart };

	if (!bytes) {
		complain("out of memory");
		return EXIT_USAGE;
	}
	for (uint32_t i = 0; i < c->count; i++) {
		struct hs_part_hart h = result_of(&c->harts[i]);

		h.instructions = i ? 0 : c->instructions;
		h.unmapped = i ? 0 : c->unmapped;
		hs_part_put_hart(&h, bytes + i * HS_PART_HART);
	}
	if (c->foreign)
		hs_part_put_hart(&foreign, bytes + c->count * HS_PART_HART);
	const int status = job_part_finish(j, bytes, n * HS_PART_HART);

	free(bytes);
	return status;
}

static int compare_slice(struct job_part *j, struct comparison *c, const struct hs_tally *before)
{
	const struct block_taker taker = { "comparing", c->quiet, compare_batch, c, false };

	if (compare_begin(c) != HS_OK || (before && skip_parts(c, before) != HS_OK))
		return fail(&c->error);
	select_first(c);
	const bool whole = job_part_read(j, &taker);

	if (c->error.status == HS_OK && !whole) /* a difference decides it */
		j->part.slice.next = 0;
	if (compare_end(c, whole && !j->part.slice.next) != HS_OK)
		return fail(&c->error);
	return write_result(j, c);
}

int check_part(struct comparison *c, const struct options *o)
{
	struct job_sum before = { .any = false };
	struct job_part j;
	int status;

	if (job_part_begin(&j, "check", HS_PART_CHECK, o, c->subject, &status)) {
		status = EXIT_USAGE;
		if (job_parts_add(&before, "stat", HS_PART_TALLY, o, c->subject, o->job.part))
			/* or it is part of the one before */
			status = !before.any || before.part.slice.next == o->job.part
			                 ? compare_slice(&j, c, before.tally)
			                 : EXIT_GOOD;
	}
	job_sum_free(&before);
	job_part_end(&j);
	return status;
}

/* ---- the parts together ------------------------------------------------------------- */

static void set_hart(struct check_hart *h, const struct hs_part_hart *from)
{
	h->blocks = from->blocks;
	h->traps = from->traps;
	h->ecalls = from->ecalls;
	h->differs = from->differs;
	h->before_count = from->before_count;
	memcpy(h->ended, from->ended, sizeof(h->ended));
	memcpy(h->items, from->items, sizeof(h->items));
	for (unsigned i = 0; i < CHECK_CONTEXT && i < from->before_count; i++)
		h->before[(from->before_count - 1 - i) % CHECK_CONTEXT] =
			from->before[CHECK_CONTEXT - 1 - i];
}

static void set_result(struct comparison *c, const struct job_sum *sum)
{
	for (size_t i = 0; i < sum->hart_count; i++) {
		const struct hs_part_hart *from = &sum->harts[i];
		bool known = false;

		c->instructions += from->instructions;
		c->unmapped += from->unmapped;
		for (uint32_t k = 0; k < c->count && !known; k++) {
			known = c->harts[k].number == from->number;
			if (known)
				set_hart(&c->harts[k], from);
		}
		c->foreign |= !known;
		c->foreign_hart = known ? c->foreign_hart : from->number;
	}
	job_sum_damage(sum, &c->damage);
	if (!first_difference(c)) /* the comparison stops there, and nothing more is read */
		verify_merged();
}

int check_parts(struct comparison *c, const struct options *o)
{
	struct job_sum sum = { .any = false };
	int status = EXIT_USAGE;

	if (compare_begin(c) != HS_OK) {
		status = fail(&c->error);
	} else if (job_parts_add(&sum, "check", HS_PART_CHECK, o, c->subject, 0)) {
		set_result(c, &sum);
		status = EXIT_GOOD;
	}
	job_sum_free(&sum);
	return status;
}
