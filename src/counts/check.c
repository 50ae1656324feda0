/* hs_check(): two sources, hart by hart and block by block. */
#include <stdlib.h>

#include "core/config.h"
#include "counts/check.h"
#include "source/source.h"

static bool is_recorded(const struct hs_source *s)
{
	return hs_source_info(s) != NULL;
}

/* ---- harts that only one has ------------------------------------------------------------ */

struct harts {
	const uint32_t *numbers;
	uint32_t count;
};

/* Did a hart of a recording execute nothing?  No trace has it: the machine went off before. */
static bool executed_nothing(struct hs_source *recording, uint32_t hart)
{
	const struct hs_block *items;
	struct hs_source *source;
	bool nothing = true;
	size_t n = 1;

	if (hs_source_open_hart(recording, hart, &source, NULL) != HS_OK)
		return false;
	while (nothing && hs_source_view(source, &items, &n, NULL) == HS_OK)
		for (size_t i = 0; i < n; i++)
			nothing &= items[i].kind != HS_KIND_BLOCK && items[i].kind != HS_KIND_TRAP;
	hs_source_close(source);
	return nothing;
}

static bool has_hart(const struct harts *h, uint32_t number)
{
	for (uint32_t i = 0; i < h->count; i++)
		if (h->numbers[i] == number)
			return true;
	return false;
}

/* A hart that @recording executed, and that the other one does not have. */
static bool find_missing(struct hs_source *recording, const struct harts *own,
                         const struct harts *other, uint32_t *hart)
{
	for (uint32_t i = 0; i < own->count; i++) {
		*hart = own->numbers[i];
		if (!has_hart(other, *hart) && !executed_nothing(recording, *hart))
			return true;
	}
	return false;
}

/* Two recordings must have the same harts; the number of a single one means nothing. */
static enum hs_status compare_harts(struct check *c, struct hs_check_result *r)
{
	struct hs_source *const source[2] = { c->reference, c->subject };
	struct harts h[2];

	for (unsigned i = 0; i < 2; i++) {
		const enum hs_status s =
			hs_source_get_harts(source[i], &h[i].numbers, &h[i].count, &c->error);

		if (s != HS_OK)
			return s;
	}
	for (unsigned i = 0; i < 2 && !r->missing && (h[0].count != 1 || h[1].count != 1); i++) {
		r->missing = find_missing(source[i], &h[i], &h[!i], &r->missing_hart);
		r->missing_in = i ? r->reference : !r->reference;
	}
	return HS_OK;
}

/* ---- comparing -------------------------------------------------------------------------- */

/* The items of a recording of one hart do not name it. */
static enum hs_status select_only_hart(struct check *c)
{
	const uint32_t *numbers;
	uint32_t count;
	const enum hs_status s = hs_source_get_harts(c->subject, &numbers, &count, &c->error);

	if (s == HS_OK && count == 1)
		compare_select_hart(c, numbers[0]);
	return s;
}

static enum hs_status set_harts(struct check *c, const uint32_t *numbers, uint32_t count)
{
	c->harts = calloc((size_t)count + 1, sizeof(*c->harts));
	if (!c->harts)
		return compare_no_memory(c);
	c->count = count;
	for (uint32_t i = 0; i < count; i++)
		c->harts[i].number = numbers[i];
	c->current = count ? &c->harts[0] : NULL;
	return count > 1 ? select_only_hart(c) : HS_OK;
}

static enum hs_status begin(struct check *c)
{
	struct source_harts harts;
	enum hs_status s = source_read_harts(c->reference, &harts, &c->error);

	if (s == HS_OK)
		s = set_harts(c, harts.numbers, harts.count);
	free(harts.numbers);
	if (s == HS_OK && hs_profile_new(hs_source_program(c->reference),
	                                 hs_source_programs(c->reference), &c->profile) != HS_OK)
		s = compare_no_memory(c);
	return s;
}

/* Leave out of the reference what was compared elsewhere. */
static enum hs_status skip(struct check *c, struct check_hart *h, uint64_t items, uint64_t traps)
{
	const struct hs_block *item;
	enum hs_status s = HS_OK;

	while (s == HS_OK && (items || traps)) {
		s = compare_peek(c, h, &item);
		if (s != HS_OK || !item || (!items && !check_is_trap(item)))
			break;
		if (!check_is_trap(item))
			items--;
		else if (!items)
			traps--;
		h->counted = ++h->at; /* not in this profile */
	}
	return s;
}

/* The hart of the reference that is compared with one of the subject. */
static struct check_hart *hart_of(struct check *c, uint32_t number)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (c->harts[i].number == number || (c->count == 1 && c->only == number))
			return &c->harts[i];
	return NULL;
}

/* What was compared of the slices before; then the hart in which this one begins. */
static enum hs_status begin_slice(struct check *c)
{
	const struct hs_check_skip *v = c->options.skip;
	struct hs_block lead[HS_SOURCE_LEAD];
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < c->options.skip_count && c->count == 1 && !c->named; i++)
		if (v[i].items || v[i].traps) {
			c->only = v[i].hart;
			c->named = true;
		}
	for (size_t i = 0; i < c->options.skip_count && s == HS_OK; i++) {
		struct check_hart *own = hart_of(c, v[i].hart);

		if (own)
			s = skip(c, own, v[i].items, v[i].traps);
	}
	const size_t n = s == HS_OK ? hs_source_slice_lead(c->subject, lead) : 0;

	if (n && lead[n - 1].kind == HS_KIND_HART)
		compare_batch(c, &lead[n - 1], 1);
	return s;
}

/* Is it worth having the subject's decoder refer to paths, and does code alone decide how many
 * instructions a block has?  Of two traces each has enough to do for a thread. */
static bool may_refer(const struct check *c)
{
	return !c->options.gaps && c->count == 1 && !hs_source_programs(c->reference)->count &&
	       (!c->two_traces || c->options.threads < 2);
}

/* Where the subject's decoder refers to paths, what it gives is little, and comparing with a
 * recording can be done elsewhere.  Of two threads it is the one that reads the recording. */
static bool compares_elsewhere(struct check *c, bool *whole)
{
	if (c->two_traces || c->options.threads < 2)
		return false;
	if (c->options.threads == 2)
		hs_source_limit_readers(c->reference, 0);
	return compare_in_lane(c, whole);
}

/* The subject has no more: does the reference?  Then count what was compared. */
static enum hs_status end(struct check *c, bool whole, struct hs_check_result *r)
{
	enum hs_status s = c->error.status;
	struct hs_profile_result t;

	for (uint32_t i = 0; i < c->count && whole && s == HS_OK; i++)
		if (!c->harts[i].differs)
			s = c->options.gaps ? compare_gaps_end(c, &c->harts[i])
			                    : compare_item(c, &c->harts[i], NULL);
	if (s == HS_OK)
		s = compare_end_paths(c);
	for (uint32_t i = 0; i < c->count && s == HS_OK; i++)
		s = compare_count(c, &c->harts[i]);
	if (s == HS_OK)
		s = hs_profile_get_result(c->profile, &t);
	if (s != HS_OK)
		return c->error.status ? s : compare_no_memory(c);
	r->instructions = t.instructions;
	r->unmapped = t.unmapped;
	return HS_OK;
}

static enum hs_status compare(struct check *c, struct hs_check_result *r)
{
	struct hs_source_slice slice;
	const bool sliced = hs_source_get_slice(c->subject, &slice);
	enum hs_status s = begin(c);

	if (s == HS_OK && sliced)
		s = begin_slice(c);
	if (s != HS_OK)
		return s;
	r->compared = true;
	if (sliced || !may_refer(c) || !hs_source_refer_paths(c->subject) ||
	    !compares_elsewhere(c, &r->whole))
		r->whole = compare_read_subject(c, compare_batch, c);
	source_stop_paths(c->subject);
	/* in a slice, what the reference has after it is of the next one */
	const bool last = !sliced || (hs_source_get_slice(c->subject, &slice) && !slice.next);

	return end(c, r->whole && last, r);
}

/* ---- the result --------------------------------------------------------------------------- */

static void describe_hart(const struct check_hart *h, unsigned reference, struct hs_check_hart *out)
{
	const uint64_t n = h->before_count < HS_CHECK_BEFORE ? h->before_count : HS_CHECK_BEFORE;

	*out = (struct hs_check_hart){ .number = h->number,
		                       .blocks = h->blocks,
		                       .traps = h->traps,
		                       .ecalls = h->ecalls,
		                       .gaps = h->gaps.count,
		                       .equal_hwords = h->gaps.equal,
		                       .hwords = h->gaps.all,
		                       .items = h->before_count,
		                       .differs = h->differs };
	for (uint64_t i = 1; i <= n; i++)
		out->before[HS_CHECK_BEFORE - i] =
			h->before[(h->before_count - i) % HS_CHECK_BEFORE];
	for (unsigned i = 0; i < 2; i++) {
		const enum check_side side = i == reference ? CHECK_REFERENCE : CHECK_SUBJECT;

		out->ended[i] = h->ended[side];
		out->next[i] = h->items[side];
	}
}

static void describe(struct check *c, struct hs_check_result *r)
{
	for (uint32_t i = 0; i < c->count; i++) {
		struct hs_check_hart h;

		describe_hart(&c->harts[i], r->reference, &h);
		r->blocks += h.blocks;
		r->traps += h.traps;
		r->ecalls += h.ecalls;
		r->gaps += h.gaps;
		r->equal_hwords += h.equal_hwords;
		r->hwords += h.hwords;
		if (h.differs && !r->differs)
			r->difference = h;
		r->differs |= h.differs;
		if (c->options.hart)
			c->options.hart(c->options.to, &h);
	}
	if (c->foreign) {
		r->missing = true;
		r->missing_hart = c->foreign_hart;
		r->missing_in = r->reference;
	}
	r->equal = !r->differs && !r->missing;
}

static void free_check(struct check *c)
{
	compare_free_paths(&c->paths);
	for (uint32_t i = 0; i < c->count; i++) {
		hs_source_close(c->harts[i].reader.source);
		compare_gaps_free(&c->harts[i].gaps);
	}
	free(c->harts);
	hs_profile_free(c->profile);
}

enum hs_status hs_check(struct hs_source *a, struct hs_source *b,
                        const struct hs_check_options *options, struct hs_check_result *result,
                        struct hs_error *error)
{
	struct hs_check_result r = { .reference = !is_recorded(a) && is_recorded(b) };
	struct check c = { .reference = r.reference ? b : a,
		           .subject = r.reference ? a : b,
		           .two_traces = !is_recorded(a) && !is_recorded(b),
		           .reporting = PTHREAD_MUTEX_INITIALIZER };
	enum hs_status s = HS_OK;

	if (options && base_take_config(&c.options, sizeof(c.options), options) != HS_OK)
		return hs_error_set(error, HS_E_CONFIG,
		                    "hs_check_options: unknown members are set");
	if (c.options.gaps && c.two_traces)
		return hs_error_set(error, HS_E_CONFIG, "gaps: both are traces");
	if (is_recorded(c.subject))
		s = compare_harts(&c, &r);
	if (s == HS_OK && !r.missing)
		s = compare(&c, &r);
	if (s == HS_OK) {
		describe(&c, &r);
		*result = r;
	} else if (error) {
		*error = c.error;
	}
	free_check(&c);
	return s;
}
