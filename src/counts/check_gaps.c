/* hs_check() with gaps: what stands between two gaps or stops of the subject is looked for in the
 * reference, in its order (design/check-diff).
 *
 * A segment is found as a word is in a text that is read once (Knuth, Morris and Pratt); it is read
 * itself while it is looked for.  Its first block may be the end of one of the reference, its last
 * one the beginning.
 */
#include <stdlib.h>
#include <string.h>

#include "counts/check.h"
#include "core/core.h"
#include "ingress/ingress.h"
#include "source/source.h"

#define SEGMENT_MAX ((size_t)1 << 20) /* blocks after which its place is certain */

static bool fits(const struct hs_block *part, const struct hs_block *whole, bool first, bool last)
{
	const uint64_t end = hs_block_end(part), whole_end = hs_block_end(whole);

	if (hs_block_same(part, whole))
		return true;
	if (part->iaddr < whole->iaddr || end > whole_end)
		return false;
	return (first || part->iaddr == whole->iaddr) &&
	       (last || (end == whole_end && part->itype == whole->itype));
}

/* Does block @i of the segment stand at @whole? */
static bool fits_at(const struct check_gaps *g, size_t i, const struct hs_block *whole)
{
	return fits(&g->segment[i], whole, i == 0, g->whole && i + 1 == g->n);
}

/* Texts differ about whether an ecall or ebreak retires (design/nt-dialects): a block as it is
 * where none does.  It may then be empty.  A trace that stops there does not show that it trapped:
 * neither block has to say so. */
static struct hs_block without_ecall(const struct check *c, const struct check_context *context,
                                     const struct hs_block *b)
{
	const struct hs_image *image = compare_image(c->reference, context);
	struct hs_block own = *b;

	if (own.itype == HS_ITYPE_NONE)
		own.itype = HS_ITYPE_EXCEPTION;
	hs_block_drop_ecall(image, &own);
	if (own.iretire != b->iretire ||
	    (own.itype == HS_ITYPE_EXCEPTION && hs_block_at_ecall(image, &own)))
		own.itype = HS_ITYPE_NONE;
	else
		own.itype = b->itype;
	return own;
}

/* The next block of the reference; NULL: there are no more. */
static enum hs_status peek(struct check *c, struct check_hart *h, const struct hs_block **b)
{
	struct check_gaps *g = &h->gaps;
	enum hs_status s = compare_peek(c, h, b);

	for (; s == HS_OK && *b; s = compare_peek(c, h, b)) {
		g->reference = **b;
		if ((*b)->kind == HS_KIND_BLOCK)
			g->reference = without_ecall(c, &h->context[CHECK_REFERENCE], *b);
		if (g->reference.kind == HS_KIND_BLOCK && g->reference.iretire)
			break;
		h->counted = ++h->at;
	}
	*b = *b ? &g->reference : NULL;
	return s;
}

static void pass(struct check_hart *h, const struct hs_block *b)
{
	h->gaps.all += b->iretire;
	h->counted = ++h->at;
}

/* It is found: it is equal. */
static void take_segment(struct check_hart *h)
{
	struct check_gaps *g = &h->gaps;

	for (size_t i = 0; i < g->n; i++)
		g->equal += g->segment[i].iretire;
	h->blocks += g->n;
	g->n = g->at = 0;
	g->seeks = false;
}

/* Read the reference as far as the segment that is known needs. */
static enum hs_status seek(struct check *c, struct check_hart *h)
{
	struct check_gaps *g = &h->gaps;
	const struct hs_block *b;

	while (g->at < g->n) {
		const enum hs_status s = peek(c, h, &b);

		if (s != HS_OK)
			return s;
		if (!b) {
			compare_set_difference(h, &g->segment[0], NULL);
			return HS_OK;
		}
		if (fits_at(g, g->at, b)) {
			if (hs_block_end(&g->segment[g->at++]) == hs_block_end(b))
				pass(h, b);
		} else if (g->at) {
			g->at = g->back[g->at - 1];
		} else {
			pass(h, b);
		}
	}
	if (g->n == SEGMENT_MAX)
		take_segment(h);
	return HS_OK;
}

static bool make_room(struct check_gaps *g)
{
	const size_t room = g->room ? 2 * g->room : 256;

	if (g->n < g->room)
		return true;
	struct hs_block *segment = reallocarray(g->segment, room, sizeof(*segment));

	if (segment)
		g->segment = segment;
	size_t *back = reallocarray(g->back, room, sizeof(*back));

	if (back)
		g->back = back;
	if (segment && back)
		g->room = room;
	return segment && back;
}

/* Add a block to the segment, and how many blocks of its beginning end with it. */
static enum hs_status extend(struct check *c, struct check_hart *h, const struct hs_block *b)
{
	struct check_gaps *g = &h->gaps;
	size_t len = g->n ? g->back[g->n - 1] : 0;

	if (!make_room(g))
		return compare_no_memory(c);
	g->segment[g->n] = *b;
	while (len && !fits(&g->segment[len], b, false, false))
		len = g->back[len - 1];
	if (g->n && fits(&g->segment[len], b, len == 0, false))
		len++;
	g->back[g->n++] = len;
	return seek(c, h);
}

/* The block before a gap may be less than that of the reference, which is read again after it.  A
 * trace that was switched on later begins there. */
static enum hs_status compare_next(struct check *c, struct check_hart *h, const struct hs_block *b)
{
	const struct hs_block *reference;
	const enum hs_status s = peek(c, h, &reference);

	if (s != HS_OK)
		return s;
	if (!reference || !fits(b, reference, false, h->gaps.whole)) {
		h->gaps.seeks = reference && !h->before_count && !h->gaps.count;
		if (h->gaps.seeks)
			return extend(c, h, b);
		compare_set_difference(h, b, reference);
		return s;
	}
	h->before[h->before_count++ % HS_CHECK_BEFORE] = *reference;
	h->blocks++;
	h->gaps.equal += b->iretire;
	if (hs_block_end(b) == hs_block_end(reference))
		pass(h, reference);
	return s;
}

/* Compare the block that waits; @last: a gap follows. */
static enum hs_status flush(struct check *c, struct check_hart *h, bool last)
{
	struct check_gaps *g = &h->gaps;
	const struct hs_block b = g->waiting;

	if (!g->waits)
		return HS_OK;
	g->waits = false;
	g->whole = last;
	return g->seeks ? extend(c, h, &b) : compare_next(c, h, &b);
}

enum hs_status compare_gaps_take(struct check *c, struct check_hart *h, const struct hs_block *b)
{
	struct check_gaps *g = &h->gaps;
	const bool gap = hs_event_breaks(b);

	if (!gap && b->kind != HS_KIND_BLOCK) {
		compare_pass(&h->context[CHECK_SUBJECT], b);
		return HS_OK;
	}
	const enum hs_status s = flush(c, h, gap);

	if (s != HS_OK || h->differs)
		return s;
	if (gap) {
		take_segment(h);
		g->whole = false;
		g->seeks = true;
		g->count += b->kind == HS_KIND_GAP;
		return HS_OK;
	}
	g->waiting = without_ecall(c, &h->context[CHECK_SUBJECT], b);
	g->waits = g->waiting.iretire;
	return HS_OK;
}

enum hs_status compare_gaps_end(struct check *c, struct check_hart *h)
{
	struct check_gaps *g = &h->gaps;
	const struct hs_block *b = NULL;
	enum hs_status s = flush(c, h, false);
	const bool in_gap = g->seeks && !g->n;

	if (s != HS_OK || h->differs)
		return s;
	take_segment(h);
	s = peek(c, h, &b);
	if (s == HS_OK && b && !in_gap)
		compare_set_difference(h, NULL, b);
	while (s == HS_OK && b) {
		pass(h, b);
		s = peek(c, h, &b);
	}
	return s;
}

void compare_gaps_free(struct check_gaps *g)
{
	free(g->segment);
	free(g->back);
}
