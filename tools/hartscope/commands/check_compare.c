/* Comparing a source with a recording in one pass over each (ADR-0030). */
#include <stdlib.h>
#include <string.h>

#include "commands/check_compare.h"

#define FETCHED 4u /* items ahead */

/* ---- the reference ------------------------------------------------------------ */

static enum hs_status open_hart(struct comparison *c, struct check_hart *h)
{
	/* each error of a trace is in the items of each hart */
	h->reader = (struct block_reader){ .damage = c->trace && h != c->harts ? &c->silent
		                                                               : &c->damage };
	enum hs_status s =
		c->trace ? open_source_hart(c->options, c->trace, h->number, &h->source, &c->error)
			 : hs_source_open_hart(c->reference, h->number, &h->source, &c->error);

	if (s == HS_OK && c->trace && c->options->range.given)
		s = hs_source_take_range(h->source, c->reference, &c->error);
	h->reader.source = h->source;
	return s;
}

/* Count the items that were compared since the last call. */
static enum hs_status count_compared(struct comparison *c, struct check_hart *h)
{
	const struct hs_block hart = { .kind = HS_KIND_HART, .arg = h->number };
	enum hs_status s = HS_OK;

	if (h->counted == h->at)
		return HS_OK;
	if (c->count > 1)
		s = hs_profile_add(c->profile, &hart, 1);
	if (s == HS_OK)
		s = hs_profile_add(c->profile, h->reader.items + h->counted, h->at - h->counted);
	h->counted = h->at;
	return s == HS_OK ? s : hs_error_set(&c->error, s, "out of memory");
}

static bool is_compared(const struct hs_block *b)
{
	return b->kind == HS_KIND_BLOCK || b->kind == HS_KIND_TRAP || b->kind == HS_KIND_GAP;
}

enum hs_status peek_reference(struct comparison *c, struct check_hart *h,
                              const struct hs_block **item)
{
	enum hs_status s = h->source ? HS_OK : open_hart(c, h);

	*item = NULL;
	while (s == HS_OK) {
		while (h->at < h->reader.n && !is_compared(&h->reader.items[h->at]))
			h->at++;
		if (h->at < h->reader.n) {
			*item = &h->reader.items[h->at];
			return HS_OK;
		}
		s = count_compared(c, h);
		h->at = h->counted = 0;
		if (s == HS_OK && !reader_fill(&h->reader))
			return HS_OK;
	}
	return s;
}

/* ---- comparing ---------------------------------------------------------------- */

static void add_equal(struct check_hart *h, const struct hs_block *b)
{
	h->before[h->before_count++ % CHECK_CONTEXT] = *b;
	h->at++;
	if (b->kind != HS_KIND_BLOCK)
		return;
	h->blocks++;
	h->traps += b->itype == HS_ITYPE_EXCEPTION || b->itype == HS_ITYPE_INTERRUPT;
}

void check_set_difference(struct check_hart *h, const struct hs_block *subject,
                          const struct hs_block *reference)
{
	h->differs = true;
	h->ended[CHECK_SUBJECT] = !subject;
	h->ended[CHECK_REFERENCE] = !reference;
	if (subject)
		h->items[CHECK_SUBJECT] = *subject;
	if (reference)
		h->items[CHECK_REFERENCE] = *reference;
}

/* Texts differ about whether an ecall or ebreak retires (ADR-0066): the same block all the same?
 * Where it does not, a trace that stops before the handler does not show that it trapped. */
static bool same_but_ecall(const struct check_hart *h, const struct hs_block *a,
                           const struct hs_block *b)
{
	const struct hs_image *image = hs_program_image(hs_source_program(h->source));
	const struct hs_block *shorter = a->iretire > b->iretire ? b : a;
	struct hs_block dropped = shorter == a ? *b : *a;

	hs_block_drop_ecall(image, &dropped);
	if (shorter->itype == HS_ITYPE_NONE)
		dropped.itype = HS_ITYPE_NONE;
	return a->iretire != b->iretire && hs_block_same(&dropped, shorter);
}

static bool is_trap(const struct hs_block *b)
{
	return b && b->kind == HS_KIND_TRAP;
}

/* Compare one item of the subject, or NULL for its end.  A side may lack trap events. */
static enum hs_status compare_item(struct comparison *c, struct check_hart *h,
                                   const struct hs_block *subject)
{
	const struct hs_block *reference;
	enum hs_status s;

	for (;;) {
		s = peek_reference(c, h, &reference);
		if (s != HS_OK || (!subject && !reference))
			return s;
		if (subject && reference && hs_block_same(subject, reference)) {
			add_equal(h, reference);
			return HS_OK;
		}
		if (subject && reference && same_but_ecall(h, subject, reference)) {
			h->ecalls++;
			add_equal(h, reference);
			return HS_OK;
		}
		if (is_trap(subject) && !is_trap(reference))
			return HS_OK;
		if (!is_trap(reference) || is_trap(subject)) {
			check_set_difference(h, subject, reference);
			return HS_OK;
		}
		h->at++;
	}
}

/* The subject says whose items follow.  If both have one hart, its numbers mean nothing. */
static void select_hart(struct comparison *c, uint32_t number)
{
	const bool first = !c->named;

	c->named = true;
	c->current = NULL;
	if (c->count == 1 && first)
		c->only = number;
	if (c->count == 1 && number == c->only)
		c->current = &c->harts[0];
	for (uint32_t i = 0; i < c->count && !c->current; i++)
		if (c->harts[i].number == number)
			c->current = &c->harts[i];
	if (c->current)
		return;
	c->foreign = true;
	c->foreign_hart = number;
}

/* The items of a recording of one hart do not name it. */
static enum hs_status select_only_hart(struct comparison *c)
{
	const uint32_t *numbers;
	uint32_t count;
	const enum hs_status s = hs_source_get_harts(c->subject, &numbers, &count, &c->error);

	if (s == HS_OK && count == 1)
		select_hart(c, numbers[0]);
	return s;
}

/* Can the rest of the subject change the result? */
static bool decided(const struct comparison *c)
{
	return c->count && c->harts[0].differs;
}

/* Blocks that are the same on both sides, as hs_block_same() says of blocks, from the next ones of
 * a hart on and in one batch of the reference; @traps: how many of them end in one. */
static size_t same_blocks(const struct check_hart *h, const struct hs_block *b, size_t n,
                          uint64_t *traps)
{
	const struct hs_block *r = h->reader.items + h->at;
	const size_t left = h->reader.n - h->at, most = n < left ? n : left;
	uint64_t trapped = 0;
	size_t i;

	for (i = 0; i < most; i++) {
		prefetch_item(&b[i]);
		prefetch_item(&r[i]);
		const bool other = b[i].priv != r[i].priv && b[i].priv != HS_PRIV_UNKNOWN &&
		                   r[i].priv != HS_PRIV_UNKNOWN;

		if ((b[i].iaddr ^ r[i].iaddr) | (b[i].iretire ^ r[i].iretire) | b[i].kind |
		    r[i].kind | (b[i].ilast ^ r[i].ilast) | (b[i].itype ^ r[i].itype) | other)
			break;
		trapped += hs_itype_is_trap(b[i].itype);
	}
	*traps = trapped;
	return i;
}

/* The next @same blocks of the reference are equal. */
static void add_same(struct check_hart *h, size_t same, uint64_t traps)
{
	const struct hs_block *r = h->reader.items + h->at;

	for (size_t i = same > CHECK_CONTEXT ? same - CHECK_CONTEXT : 0; i < same; i++)
		h->before[(h->before_count + i) % CHECK_CONTEXT] = r[i];
	h->before_count += same;
	h->at += same;
	h->blocks += same;
	h->traps += traps;
}

/* Take these, as compare_item() does one by one.  Returns how many. */
static size_t take_same(struct check_hart *h, const struct hs_block *b, size_t n)
{
	uint64_t traps;
	const size_t same = same_blocks(h, b, n, &traps);

	add_same(h, same, traps);
	return same;
}

/* ---- runs of the subject's decoder --------------------------------------------- */

static const struct hs_block *blocks_of(const struct hs_block *run)
{
	return (const struct hs_block *)(uintptr_t)run->value;
}

/* A block in one register, where the processor has such ones. */
typedef uint64_t words __attribute__((vector_size(16), aligned(8), may_alias));

_Static_assert(sizeof(words) == sizeof(struct hs_block), "both are two words");

/* What hs_block_same() compares of blocks, but for their privilege. */
static words compared(void)
{
	const struct hs_block all = { .iaddr = UINT64_MAX,
		                      .iretire = UINT32_MAX,
		                      .ilast = UINT8_MAX,
		                      .itype = UINT8_MAX,
		                      .kind = UINT8_MAX };
	words mask;

	memcpy(&mask, &all, sizeof(mask));
	return mask;
}

/* Is a run, whose blocks know no privilege, in that of the reference?  @any, @all: each bit that
 * any, or each, of its blocks has there. */
static bool same_mode(const struct check_hart *h, const struct hs_block *run, words any, words all)
{
	const struct hs_block *r = h->reader.items + h->at;
	struct hs_block some, each;
	bool same = true;

	memcpy(&some, &any, sizeof(some));
	memcpy(&each, &all, sizeof(each));
	if (some.priv == each.priv)
		return some.priv == run->priv || some.priv == HS_PRIV_UNKNOWN;
	for (unsigned i = 0; i < run->ilast; i++)
		same &= r[i].priv == run->priv || r[i].priv == HS_PRIV_UNKNOWN;
	return same;
}

/* Are the next blocks of the reference those of a run, as hs_block_same() says?  Without branches:
 * they nearly always are. */
static bool same_run(const struct check_hart *h, const struct hs_block *run)
{
	const words *r = (const void *)(h->reader.items + h->at);
	const words *b = (const void *)blocks_of(run);
	words differ = { 0, 0 }, any = { 0, 0 }, all = ~any;

	for (unsigned i = 0; i < run->ilast; i++) {
		differ |= b[i] ^ r[i];
		any |= r[i];
		all &= r[i];
	}
	differ &= compared();
	return !(differ[0] | differ[1]) &&
	       (run->priv == HS_PRIV_UNKNOWN || same_mode(h, run, any, all));
}

/* Have the blocks of a later run come to the cache, and its count. */
static void fetch_run(const struct comparison *c, const struct hs_block *run)
{
	if (run->kind != HS_KIND_RUN || run->arg >= c->run_room)
		return;
	__builtin_prefetch(blocks_of(run));
	__builtin_prefetch(blocks_of(run) + 4);
	__builtin_prefetch(&c->run_times[run->arg]);
}

static enum hs_status grow_runs(struct comparison *c, size_t number)
{
	const size_t room = 2 * (number + 1);
	uint32_t *times = reallocarray(c->run_times, room, sizeof(*times));
	uint8_t *sizes;

	if (!times)
		return hs_error_set(&c->error, HS_E_MEMORY, "out of memory");
	c->run_times = times;
	sizes = realloc(c->run_sizes, room);
	if (!sizes)
		return hs_error_set(&c->error, HS_E_MEMORY, "out of memory");
	c->run_sizes = sizes;
	memset(times + c->run_room, 0, (room - c->run_room) * sizeof(*times));
	c->run_room = room;
	return HS_OK;
}

/* Give a run to the profile, so often; its blocks may go. */
static enum hs_status end_run(struct comparison *c, size_t number)
{
	const struct hs_run_count run = { .blocks = c->run_blocks + number,
		                          .n = c->run_sizes[number],
		                          .times = c->run_times[number] };
	const enum hs_status s = hs_profile_add_run(c->profile, &run);

	c->run_times[number] = 0;
	return s == HS_OK ? s : hs_error_set(&c->error, s, "out of memory");
}

static enum hs_status end_runs(struct comparison *c)
{
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < c->run_room && s == HS_OK; i++)
		if (c->run_times[i])
			s = end_run(c, i);
	return s;
}

static enum hs_status count_run(struct comparison *c, const struct hs_block *run)
{
	enum hs_status s = HS_OK;

	if (run->arg >= c->run_room)
		s = grow_runs(c, run->arg);
	else if (c->run_times[run->arg] == UINT32_MAX)
		s = end_run(c, run->arg);
	if (s != HS_OK)
		return s;
	c->run_blocks = blocks_of(run) - run->arg;
	if (!c->run_times[run->arg]++)
		c->run_sizes[run->arg] = run->ilast;
	return HS_OK;
}

/* Compare a run: at once, if the reference's batch has the same blocks. */
static enum hs_status compare_run(struct comparison *c, struct check_hart *h,
                                  const struct hs_block *run)
{
	enum hs_status s = HS_OK;

	if (!run->ilast)
		return end_runs(c);
	if (h->reader.n - h->at >= run->ilast && same_run(h, run)) {
		if (h->counted != h->at)
			s = count_compared(c, h);
		add_same(h, run->ilast, 0);
		h->counted = h->at;
		return s == HS_OK ? count_run(c, run) : s;
	}
	for (unsigned i = 0; i < run->ilast && s == HS_OK && !h->differs; i++) {
		struct hs_block b = blocks_of(run)[i];

		b.priv = run->priv & 7u;
		s = compare_item(c, h, &b);
	}
	return s;
}

bool compare_batch(void *comparison, const struct hs_block *b, size_t n)
{
	struct comparison *c = comparison;
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < n && s == HS_OK && !decided(c); i++) {
		struct check_hart *h = c->current;

		if (i + FETCHED < n)
			fetch_run(c, &b[i + FETCHED]);
		if (h && !h->differs && !c->gaps && b[i].kind != HS_KIND_RUN)
			i += take_same(h, b + i, n - i);
		if (i == n)
			break;
		if (b[i].kind == HS_KIND_HART) {
			if (h)
				s = count_compared(c, h);
			select_hart(c, b[i].arg);
		} else if (h && !h->differs && b[i].kind == HS_KIND_RUN) {
			s = compare_run(c, h, &b[i]);
		} else if (h && !h->differs && is_compared(&b[i])) {
			s = c->gaps ? check_gaps_take(c, h, &b[i]) : compare_item(c, h, &b[i]);
		}
	}
	c->error.status = s;
	return s == HS_OK && !decided(c);
}

/* ---- both sides --------------------------------------------------------------- */

static enum hs_status list_harts(struct comparison *c)
{
	const uint32_t *numbers;
	enum hs_status s = HS_OK;

	if (c->trace)
		s = read_harts(c->reference, &c->trace_harts, &c->error);
	else
		s = hs_source_get_harts(c->reference, &numbers, &c->count, &c->error);
	if (c->trace) {
		numbers = c->trace_harts.numbers;
		c->count = c->trace_harts.count;
	}
	if (s != HS_OK)
		return s;
	c->harts = calloc((size_t)c->count + 1, sizeof(*c->harts));
	if (!c->harts)
		return hs_error_set(&c->error, HS_E_MEMORY, "out of memory");
	for (uint32_t i = 0; i < c->count; i++)
		c->harts[i].number = numbers[i];
	c->current = c->count ? &c->harts[0] : NULL;
	return c->count > 1 ? select_only_hart(c) : HS_OK;
}

enum hs_status compare_begin(struct comparison *c)
{
	const enum hs_status s = list_harts(c);

	if (s != HS_OK)
		return s;
	if (hs_profile_new(hs_source_program(c->reference), hs_source_programs(c->reference),
	                   &c->profile) != HS_OK)
		return hs_error_set(&c->error, HS_E_MEMORY, "out of memory");
	return HS_OK;
}

enum hs_status compare_skip(struct comparison *c, struct check_hart *h, uint64_t items,
                            uint64_t traps)
{
	const struct hs_block *item;
	enum hs_status s = HS_OK;

	while (s == HS_OK && (items || traps)) {
		s = peek_reference(c, h, &item);
		if (s != HS_OK || !item || (!items && !is_trap(item)))
			break;
		if (!is_trap(item))
			items--;
		else if (!items)
			traps--;
		h->counted = ++h->at; /* not in this profile */
	}
	return s;
}

enum hs_status compare_end(struct comparison *c, bool whole)
{
	enum hs_status s = c->error.status;
	struct hs_profile_result t;

	for (uint32_t i = 0; i < c->count && whole && s == HS_OK; i++)
		if (!c->harts[i].differs)
			s = c->gaps ? check_gaps_end(c, &c->harts[i])
			            : compare_item(c, &c->harts[i], NULL);
	if (s == HS_OK)
		s = end_runs(c);
	for (uint32_t i = 0; i < c->count && s == HS_OK; i++)
		s = count_compared(c, &c->harts[i]);
	if (s == HS_OK)
		s = hs_profile_get_result(c->profile, &t);
	if (s != HS_OK)
		return c->error.status ? s : hs_error_set(&c->error, s, "out of memory");
	c->instructions = t.instructions;
	c->unmapped = t.unmapped;
	return HS_OK;
}

/* Is it worth having the subject's decoder refer to runs, and does code alone decide how many
 * instructions a block has?  Of two traces each has enough to do for a thread. */
static bool may_refer(const struct comparison *c)
{
	return !c->gaps && c->count == 1 && !hs_source_programs(c->reference)->count &&
	       (!c->trace || c->options->jobs < 2);
}

/* Where the subject's decoder refers to runs, what it gives is little, and comparing with a
 * recording can be done elsewhere.  Of two threads it is the one that reads the recording. */
static bool compares_elsewhere(struct comparison *c, bool *whole)
{
	if (c->trace || c->options->jobs < 2)
		return false;
	if (c->options->jobs == 2)
		hs_source_limit_readers(c->reference, 0);
	return check_in_lane(c, whole);
}

enum hs_status compare_sources(struct comparison *c)
{
	const struct block_taker taker = { "comparing", c->quiet, compare_batch, c, false };
	const enum hs_status s = compare_begin(c);
	bool whole;

	if (s != HS_OK)
		return s;
	if (!may_refer(c) || !hs_source_refer_runs(c->subject) || !compares_elsewhere(c, &whole))
		whole = read_blocks(&taker, c->subject, &c->damage);
	return compare_end(c, whole);
}

void comparison_free(struct comparison *c)
{
	free(c->run_times);
	free(c->run_sizes);
	for (uint32_t i = 0; c->harts && i < c->count; i++) {
		hs_source_close(c->harts[i].source);
		check_gaps_free(&c->harts[i].gaps);
	}
	free(c->harts);
	free(c->trace_harts.numbers);
	hs_profile_free(c->profile);
}

const struct check_hart *first_difference(const struct comparison *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (c->harts[i].differs)
			return &c->harts[i];
	return NULL;
}
