/* Sampling: each hart has a counter that overflows after a period, as a supervisor's profiler
 * sets it up.  The instruction that made it overflow is the sample. */
#include <stdlib.h>

#include "commands/pmu.h"

static const struct hs_pmu_counter counters[] = { { 0xc03, 64 } };
static const struct hs_pmu_event_row event_rows[] = { { 2, 2, 1, 0 }, { 5, 5, 1, 0 } };
static const struct hs_pmu_raw_row raw_rows[] = { { 0x100, ~(uint64_t)0xff, 1 } };

struct sampled_hart {
	uint32_t number;
	struct hs_program *program;
	struct hs_pmu_hart hart;
	struct hs_pmu_soft soft;
};

struct pmu_samples {
	const struct pmu_event *event;
	uint64_t period;
	struct hs_program *program;
	const struct hs_program_set *programs; /* or NULL */
	struct hs_code_view *view;             /* of the first program */
	struct hs_counts *counts;              /* of samples: blocks of one instruction */
	struct hs_pmu pmu;
	struct sampled_hart **harts;
	size_t hart_count;
	struct sampled_hart *now;
};

/* ---- harts ------------------------------------------------------------------------ */

static struct hs_program *first_program(const struct pmu_samples *s)
{
	return s->programs ? s->programs->first : s->program;
}

static bool start_hart(struct pmu_samples *s, struct sampled_hart *h)
{
	h->program = first_program(s);
	if (hs_pmu_soft_init(&h->soft, &s->pmu, NULL, NULL) != HS_OK)
		return false;
	hs_pmu_hart_init(&s->pmu, &h->hart, &h->soft);
	return pmu_start_event(&s->pmu, &h->hart, 0, s->event, 0, 0 - s->period);
}

/* Go to a hart, a new one where it is the first time. */
static bool select_hart(struct pmu_samples *s, uint32_t number)
{
	if (hs_code_view_select_hart(s->view, number) != HS_OK)
		return false;
	for (size_t i = 0; i < s->hart_count; i++)
		if (s->harts[i]->number == number) {
			s->now = s->harts[i];
			return true;
		}
	struct sampled_hart **harts = realloc(s->harts, (s->hart_count + 1) * sizeof(*harts));

	if (!harts)
		return false;
	s->harts = harts;
	s->now = calloc(1, sizeof(*s->now));
	if (!s->now)
		return false;
	s->now->number = number;
	harts[s->hart_count++] = s->now;
	return start_hart(s, s->now);
}

static void select_program(struct pmu_samples *s, uint64_t context)
{
	for (size_t i = 0; s->programs && i < s->programs->count; i++)
		if (s->programs->contexts[i] == context)
			s->now->program = s->programs->programs[i];
}

/* ---- samples ---------------------------------------------------------------------- */

/* The handler of the interrupt: take the sample, and start with the next period. */
static bool take_sample(struct pmu_samples *s, const struct hs_block *b, uint64_t pc,
                        unsigned hwords)
{
	const uint64_t stop[HS_PMU_ARGS] = { 0, 1, HS_PMU_STOP_RESET };
	const struct hs_block one = { .iaddr = pc, .iretire = hwords, .ilast = (uint8_t)hwords,
		                      .priv = b->priv };
	struct sampled_hart *h = s->now;

	h->soft.lcofi = false;
	hs_pmu_ecall(&s->pmu, &h->hart, HS_PMU_COUNTER_STOP, stop);
	return pmu_start_event(&s->pmu, &h->hart, 0, s->event, 0, 0 - s->period) &&
	       hs_counts_add(s->counts, &one, 1) == HS_OK;
}

static bool count_one(struct pmu_samples *s, const struct hs_block *b, uint64_t pc, unsigned hwords)
{
	hs_pmu_soft_count(&s->now->soft, b->priv, s->event->number, 1);
	return !s->now->soft.lcofi || take_sample(s, b, pc, hwords);
}

static const struct hs_image *image_of(const struct pmu_samples *s)
{
	struct hs_program *p = s->now->program;

	return p == first_program(s) ? hs_code_view_image(s->view) : hs_program_image(p);
}

/* Count the block's instructions, or the event at its end. */
static bool count_block(struct pmu_samples *s, const struct hs_block *b)
{
	const struct hs_image *image = image_of(s);
	const uint64_t end = hs_block_end(b);
	uint64_t at = b->iaddr;
	struct hs_insn insn;

	if (s->event->ends) {
		if (!(s->event->ends >> b->itype & 1))
			return true;
		return count_one(s, b, end - 2u * b->ilast, b->ilast ? b->ilast : 1);
	}
	while (at < end && hs_img_insn(image, at, &insn) == HS_OK && insn.hwords) {
		if (!count_one(s, b, at, insn.hwords))
			return false;
		at += 2u * insn.hwords;
	}
	return true;
}

static bool add_one(struct pmu_samples *s, const struct hs_block *b)
{
	switch (b->kind) {
	case HS_KIND_BLOCK: return count_block(s, b);
	case HS_KIND_HART:
		if (!select_hart(s, b->arg))
			return false;
		break;
	case HS_KIND_CONTEXT: select_program(s, b->value); break;
	case HS_KIND_VERSION:
		if (hs_code_view_change(s->view, b->arg) == HS_E_MEMORY)
			return false;
		break;
	default: return true;
	}
	return hs_counts_add(s->counts, b, 1) == HS_OK;
}

bool pmu_samples_add(struct pmu_samples *s, const struct hs_block *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!add_one(s, &b[i]))
			return false;
	return true;
}

enum hs_status pmu_samples_get(struct pmu_samples *s, struct hs_profile_result *result)
{
	return hs_counts_get_profile(s->counts, result);
}

struct pmu_samples *pmu_samples_new(struct hs_source *source, const struct pmu_event *event,
                                    uint64_t period)
{
	const struct hs_pmu_config config = {
		.size = sizeof(config), .sscofpmf = true, .hw_counters = 1, .event_rows = 2,
		.raw_rows = 1, .fw_counters = HS_PMU_NO_FW_COUNTERS, .hw = counters,
		.events = event_rows, .raws = raw_rows, .ops = hs_pmu_soft_ops(),
	};
	struct pmu_samples *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->event = event;
	s->period = period;
	s->program = hs_source_known(source)->program;
	s->programs = hs_source_known(source)->programs;
	const struct hs_counts_options co = { .size = sizeof(co), .source = source };

	if (hs_pmu_init(&s->pmu, &config) != HS_OK || hs_counts_new(&co, &s->counts) != HS_OK ||
	    hs_code_view_new(first_program(s), &s->view) != HS_OK || !select_hart(s, 0)) {
		pmu_samples_free(s);
		return NULL;
	}
	return s;
}

void pmu_samples_free(struct pmu_samples *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->hart_count; i++)
		free(s->harts[i]);
	free(s->harts);
	hs_counts_free(s->counts);
	hs_code_view_free(s->view);
	free(s);
}
