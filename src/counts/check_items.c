/* hs_check(): a source with another one in one pass over each (design/compare). */
#include <string.h>

#include "counts/check.h"
#include "core/core.h"
#include "ingress/ingress.h"
#include "source/source.h"

#define FETCHED 4u /* items ahead */

static void add_equal(struct check_hart *h, const struct hs_block *b)
{
	h->before[h->before_count++ % HS_CHECK_BEFORE] = *b;
	h->at++;
	if (b->kind != HS_KIND_BLOCK)
		return;
	h->blocks++;
	h->traps += b->itype == HS_ITYPE_EXCEPTION || b->itype == HS_ITYPE_INTERRUPT;
}

void compare_set_difference(struct check_hart *h, const struct hs_block *subject,
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

/* Texts differ about whether an ecall or ebreak retires (design/nt-dialects): the same block all
 * the same? Where it does not, a trace that stops before the handler does not show that it
 * trapped. */
static bool same_but_ecall(const struct check_hart *h, const struct hs_block *a,
                           const struct hs_block *b)
{
	const struct hs_image *image =
		compare_image(h->reader.source, &h->context[CHECK_REFERENCE]);
	const struct hs_block *shorter = a->iretire > b->iretire ? b : a;
	struct hs_block dropped = shorter == a ? *b : *a;

	hs_block_drop_ecall(image, &dropped);
	if (shorter->itype == HS_ITYPE_NONE)
		dropped.itype = HS_ITYPE_NONE;
	return a->iretire != b->iretire && hs_block_same(&dropped, shorter);
}

/* A side may lack trap events. */
enum hs_status compare_item(struct check *c, struct check_hart *h, const struct hs_block *subject)
{
	const struct hs_block *reference;
	enum hs_status s;

	for (;;) {
		s = compare_peek(c, h, &reference);
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
		if (check_is_trap(subject) && !check_is_trap(reference))
			return HS_OK;
		if (!check_is_trap(reference) || check_is_trap(subject)) {
			compare_set_difference(h, subject, reference);
			return HS_OK;
		}
		h->at++;
	}
}

/* If both have one hart, its numbers mean nothing. */
void compare_select_hart(struct check *c, uint32_t number)
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

/* Can the rest of the subject change the result? */
static bool decided(const struct check *c)
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
		check_prefetch(&b[i]);
		check_prefetch(&r[i]);
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

void compare_add_same(struct check_hart *h, size_t same, uint64_t traps)
{
	const struct hs_block *r = h->reader.items + h->at;

	for (size_t i = same > HS_CHECK_BEFORE ? same - HS_CHECK_BEFORE : 0; i < same; i++)
		h->before[(h->before_count + i) % HS_CHECK_BEFORE] = r[i];
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

	compare_add_same(h, same, traps);
	return same;
}

bool compare_batch(void *check, const struct hs_block *b, size_t n)
{
	struct check *c = check;
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < n && s == HS_OK && !decided(c); i++) {
		struct check_hart *h = c->current;

		if (i + FETCHED < n)
			compare_fetch_path(c, &b[i + FETCHED]);
		if (h && !h->differs && !c->options.gaps && b[i].kind != HS_KIND_PATH)
			i += take_same(h, b + i, n - i);
		if (i == n)
			break;
		if (b[i].kind == HS_KIND_HART) {
			if (h)
				s = compare_count(c, h);
			compare_select_hart(c, b[i].arg);
		} else if (h && !h->differs && b[i].kind == HS_KIND_PATH) {
			s = compare_path(c, h, &b[i]);
		} else if (h && !h->differs && c->options.gaps) {
			s = compare_gaps_take(c, h, &b[i]);
		} else if (h && !h->differs && compare_is_compared(&b[i])) {
			s = compare_item(c, h, &b[i]);
		}
	}
	c->error.status = s;
	return s == HS_OK && !decided(c);
}
