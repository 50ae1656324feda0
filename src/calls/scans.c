/* Blocks that are counted by number, and blocks that another thread scanned (call_tree.h,
 * design/scans): those that stay in their function are taken together. */
#include <stdlib.h>
#include <string.h>

#include "calls/exports_private.h"
#include "calls/scan.h"

/* ---- counting --------------------------------------------------------------------------- */

/* Where a block of a function is kept, which is found again without the format's table. */
static struct exports_counted *slot_of(const struct hs_export *x, const struct hs_block *b,
                                       uint32_t function)
{
	const uint64_t hash = (b->iaddr ^ (uint64_t)b->iretire << 40 ^ (uint64_t)function << 20) *
	                      UINT64_C(0x9e3779b97f4a7c15);

	return &x->counted[hash >> 32 & (EXPORTS_COUNTED - 1)];
}

static bool is_there(const struct hs_export *x, const struct exports_counted *c,
                     const struct hs_block *b, uint32_t function)
{
	return c->iaddr == b->iaddr && c->iretire == b->iretire && c->function == function &&
	       c->program == x->select.program;
}

/* Room to count what has @number. */
static bool reach(struct hs_export *x, uint32_t number)
{
	const uint32_t room = 2 * number + 1024;
	uint64_t *more = reallocarray(x->times, room, sizeof(*more));

	if (!more)
		return false;
	memset(more + x->times_room, 0, (room - x->times_room) * sizeof(*more));
	x->times = more;
	x->times_room = room;
	return true;
}

/* Count a block that was counted before.  False: it is not known. */
static bool count_again(const struct hs_export *x, const struct exports_span *s,
                        const struct hs_block *b)
{
	if (!x->counted || !s->function || x->select.view)
		return false;
	const struct exports_counted *c = slot_of(x, b, s->function);

	if (!is_there(x, c, b, s->function))
		return false;
	x->times[c->number]++;
	return true;
}

enum hs_status exports_count(struct hs_export *x, struct exports_span *s, const struct hs_block *b,
                             uint32_t count)
{
	if (count_again(x, s, b))
		return HS_OK;
	const uint32_t number = x->format->number(x, s, b, count);

	if (number == EXPORTS_UNCOUNTED)
		return HS_OK;
	if (number == EXPORTS_FAILED || (number >= x->times_room && !reach(x, number)))
		return HS_E_MEMORY;
	x->times[number]++;
	if (x->select.view || !s->function)
		return HS_OK;
	if (!x->counted)
		x->counted = calloc(EXPORTS_COUNTED, sizeof(*x->counted));
	if (!x->counted)
		return HS_E_MEMORY;
	*slot_of(x, b, s->function) = (struct exports_counted){
		.iaddr = b->iaddr,
		.program = x->select.program,
		.iretire = b->iretire,
		.function = s->function,
		.number = number,
	};
	return HS_OK;
}

/* ---- blocks that were scanned ----------------------------------------------------------- */

/* A block that stays in the function of the one before. */
static enum hs_status count_one(struct hs_export *x, struct exports_span *s,
                                const struct hs_block *b)
{
	uint32_t count = 0;
	enum hs_status status = HS_OK;

	if (!count_again(x, s, b)) {
		status = program_count_block(&x->counts, &x->select, b, &count);
		if (status == HS_OK)
			status = exports_count(x, s, b, count);
	}
	return status;
}

/* The blocks of a stretch after the first one, which stay in its function.  Only the last one may
 * end with a trap. */
static enum hs_status add_rest(struct hs_export *x, const struct hs_call_scanner *k,
                               const struct scan_stretch *v, const uint32_t *words)
{
	const struct hs_block *last = support_numbers_block(&k->numbers, words[v->n - 1]);
	struct exports_span *s = exports_span_now(x);
	enum hs_status status = HS_OK;

	exports_retire(x, s, v->instructions);
	stacks_hart(x->stacks)->last = *last;
	for (uint32_t i = 1; i < v->n && status == HS_OK && x->format->number; i++)
		status = count_one(x, s, support_numbers_block(&k->numbers, words[i]));
	if (status == HS_OK && x->format->block && hs_itype_is_trap(last->itype))
		status = x->format->block(x, s, last, 0);
	return status;
}

static enum hs_status add_stretch(struct hs_export *x, const struct hs_call_scanner *k,
                                  const struct scan_stretch *v, const uint32_t *words)
{
	enum hs_status s = exports_add_item(x, support_numbers_block(&k->numbers, words[0]));

	if (s != HS_OK || v->n == 1)
		return s;
	if (!x->format->item && scan_stays(x->stacks, k, v))
		return add_rest(x, k, v, words);
	for (uint32_t i = 1; i < v->n && s == HS_OK; i++)
		s = exports_add_item(x, support_numbers_block(&k->numbers, words[i]));
	return s;
}

enum hs_status hs_export_add_scan(struct hs_export *x, const struct hs_call_scanner *k,
                                  const struct hs_call_scan *scan)
{
	enum hs_status s = HS_OK;

	if (x->format->scan)
		s = x->format->scan(x, k, scan);
	for (size_t i = 0; i < scan->stretch_count && s == HS_OK && !x->format->scan; i++) {
		const struct scan_stretch *v = &scan->stretches[i];

		s = v->n ? add_stretch(x, k, v, scan->words + v->first)
		         : exports_add_item(x, &scan->events[v->first]);
	}
	return s == HS_OK ? x->out.status : s;
}
