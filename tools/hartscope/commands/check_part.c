/* hartscope check: a part of a trace, and the parts together. */
#include <stdlib.h>
#include <string.h>

#include "commands/check.h"
#include "common/job_part.h"

/* The results of the harts, as a part has them. */
struct part_harts {
	struct check_work work; /* first: as hs_check_options.to */
	unsigned reference;     /* the side that is no trace */
	struct hs_part_hart *v;
	size_t n;
	bool good; /* there was memory */
};

/* The side that is no trace. */
static unsigned reference_of(const struct check_work *w)
{
	return hs_source_known(w->side[0].source)->info == NULL;
}

/* ---- a part ------------------------------------------------------------------------- */

static void put_hart(struct part_harts *p, const struct hs_part_hart *h)
{
	struct hs_part_hart *more = reallocarray(p->v, p->n + 1, sizeof(*more));

	p->good &= more != NULL;
	if (!more)
		return;
	p->v = more;
	p->v[p->n++] = *h;
}

static void add_hart(void *harts, const struct hs_check_hart *h)
{
	struct part_harts *p = harts;
	const unsigned subject = !p->reference;
	struct hs_part_hart out = { .number = h->number,
		                    .differs = h->differs,
		                    .ended = { h->ended[subject], h->ended[!subject] },
		                    .blocks = h->blocks,
		                    .traps = h->traps,
		                    .ecalls = h->ecalls,
		                    .before_count = h->items,
		                    .items = { h->next[subject], h->next[!subject] } };

	memcpy(out.before, h->before, sizeof(out.before));
	put_hart(p, &out);
}

static int write_result(struct job_part *j, struct part_harts *p,
                        const struct hs_check_result *result)
{
	const struct hs_part_hart foreign = { .number = result->missing_hart };

	if (p->n) {
		p->v[0].instructions = result->instructions;
		p->v[0].unmapped = result->unmapped;
	}
	if (result->missing)
		put_hart(p, &foreign);
	uint8_t *bytes = p->good ? calloc(p->n + 1, HS_PART_HART) : NULL;

	if (!bytes) {
		complain("out of memory");
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < p->n; i++)
		hs_part_put_hart(&p->v[i], bytes + i * HS_PART_HART);
	const int status = job_part_finish(j, bytes, p->n * HS_PART_HART);

	free(bytes);
	return status;
}

/* What was compared elsewhere: the parts before. */
static bool skip_parts(const struct hs_tally *before, struct hs_check_options *co)
{
	const struct hs_tally_hart *h = before ? hs_tally_harts(before, &co->skip_count) : NULL;
	struct hs_check_skip *skip = calloc(co->skip_count + 1, sizeof(*skip));

	for (size_t i = 0; skip && i < co->skip_count; i++)
		skip[i] = (struct hs_check_skip){ h[i].number, h[i].items, h[i].traps };
	co->skip = skip;
	if (!skip)
		complain("out of memory");
	return skip;
}

static int compare_slice(struct job_part *j, struct check_work *w, const struct hs_tally *before)
{
	struct part_harts p = { .work = *w, .reference = reference_of(w), .good = true };
	struct hs_check_options co = { .hart = add_hart };
	struct hs_check_result result;
	struct hs_error e = { 0 };
	int status = EXIT_USAGE;

	p.work.damage.silent = true;
	if (!skip_parts(before, &co))
		return status;
	if (check_compare(&p.work, &co, &result, &e) != HS_OK) {
		status = fail(&e);
	} else {
		job_part_add(j, &p.work.damage);
		if (!result.whole) /* a difference decides it */
			j->part.slice.next = 0;
		status = write_result(j, &p, &result);
	}
	free((void *)(uintptr_t)co.skip);
	free(p.v);
	return status;
}

int check_part(struct check_work *w, struct hs_source *trace)
{
	const struct options *o = w->o;
	struct job_sum before = { .any = false };
	struct job_part j;
	int status;

	if (job_part_begin(&j, "check", HS_PART_CHECK, o, trace, &status)) {
		status = EXIT_USAGE;
		if (job_parts_add(&before, "stat", HS_PART_TALLY, o, trace, o->job.part))
			/* or it is part of the one before */
			status = !before.any || before.part.slice.next == o->job.part
			                 ? compare_slice(&j, w, before.tally)
			                 : EXIT_GOOD;
	}
	job_sum_free(&before);
	job_part_end(&j);
	return status;
}

/* ---- the parts together ------------------------------------------------------------- */

static void set_difference(struct hs_check_result *r, const struct hs_part_hart *from)
{
	struct hs_check_hart *h = &r->difference;
	const unsigned subject = !r->reference;

	r->differs = true;
	*h = (struct hs_check_hart){ .number = from->number,
		                     .blocks = from->blocks,
		                     .items = from->before_count,
		                     .differs = true };
	memcpy(h->before, from->before, sizeof(h->before));
	for (unsigned i = 0; i < 2; i++) {
		h->ended[i] = from->ended[i != subject];
		h->next[i] = from->items[i != subject];
	}
}

static bool is_known(uint32_t number, const uint32_t *harts, uint32_t count)
{
	return hart_index(harts, count, number) < count;
}

/* @harts: of the reference. */
static void set_result(struct check_work *w, const struct job_sum *sum, const uint32_t *harts,
                       uint32_t count, struct hs_check_result *r)
{
	*r = (struct hs_check_result){ .reference = reference_of(w), .compared = true };
	for (size_t i = 0; i < sum->hart_count; i++) {
		const struct hs_part_hart *from = &sum->harts[i];

		r->instructions += from->instructions;
		r->unmapped += from->unmapped;
		r->blocks += from->blocks;
		r->traps += from->traps;
		r->ecalls += from->ecalls;
		if (from->differs && !r->differs)
			set_difference(r, from);
		if (is_known(from->number, harts, count))
			continue;
		r->missing = true;
		r->missing_hart = from->number;
		r->missing_in = r->reference;
	}
	job_sum_damage(sum, &w->damage);
	if (!r->differs) /* the comparison stops there, and nothing more is read */
		verify_merged();
}

int check_parts(struct check_work *w, struct hs_source *trace, struct hs_check_result *result)
{
	struct job_sum sum = { .any = false };
	const uint32_t *harts;
	struct hs_error e = { 0 };
	uint32_t count;
	int status = EXIT_USAGE;

	if (hs_source_get_harts(w->side[reference_of(w)].source, &harts, &count, &e) != HS_OK) {
		status = fail(&e);
	} else if (job_parts_add(&sum, "check", HS_PART_CHECK, w->o, trace, 0)) {
		set_result(w, &sum, harts, count, result);
		status = EXIT_GOOD;
	}
	job_sum_free(&sum);
	return status;
}
