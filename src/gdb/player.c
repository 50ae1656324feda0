/* A hart's flow, forwards and backwards (player.h).
 *
 * Blocks are read forwards only.  The newest are kept; what is older is read again, from the last
 * point at which reading can begin. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/search.h"
#include "gdb/player.h"
#include "calls/calls.h"
#include "source/source.h"
#include "support/grow.h"

#define BATCH 4096u

/* ---- points --------------------------------------------------------------------------- */

static enum hs_status add_point(struct gdb_player *p, const struct hs_source_place *place)
{
	if (!support_grow(&p->points.at, &p->points.room, p->points.n + 1, sizeof(*p->points.at)))
		return HS_E_MEMORY;
	struct gdb_point *point = &p->points.at[p->points.n];

	*point = (struct gdb_point){ .first = p->at, .place = *place };
	if (hs_source_get_state(p->source, &point->state, &point->words) == HS_OK)
		p->points.n++;
	return HS_OK;
}

/* The last point before instruction @n; NULL: the start. */
static const struct gdb_point *find_point(const struct gdb_player *p, uint64_t n)
{
	const size_t low = base_count_leading(p->points.n, i, p->points.at[i].first <= n);

	return low ? &p->points.at[low - 1] : NULL;
}

/* The same in the index; its words are freed by the caller. */
static bool find_in_index(const struct gdb_player *p, uint64_t n, struct gdb_point *point)
{
	struct hs_trace_index_entry e;

	if (!p->index || hs_trace_index_find(p->index, p->fingerprint, HS_TRACE_INDEX_INSTRUCTIONS,
	                                     n, &e, NULL) != HS_OK)
		return false;
	*point = (struct gdb_point){ .first = e.instructions,
		                     .place = e.place,
		                     .words = e.state.n / 4 };
	point->state = calloc(point->words + 1, sizeof(*point->state));
	for (size_t i = 0; point->state && i < 4 * point->words; i++)
		point->state[i / 4] |= (uint32_t)e.state.p[i] << i % 4 * 8;
	return point->state != NULL;
}

/* ---- reading ---------------------------------------------------------------------------- */

static enum hs_status start_reading(struct gdb_player *p)
{
	enum hs_status s;

	if (p->selecting)
		program_select_end(&p->select);
	program_select_start(&p->select, hs_source_program(p->source),
	                     hs_source_programs(p->source));
	p->selecting = true;
	s = program_select_hart(&p->select, p->hart);
	hs_stacks_free(p->followed.stacks);
	p->followed.stacks = NULL;
	if (s == HS_OK && p->followed.wants_stacks) {
		const struct hs_stacks_options so = { .size = sizeof(so),
			                              .program = hs_source_program(p->source),
			                              .programs = hs_source_programs(p->source),
			                              .guest = hs_source_guest(p->source) };

		s = hs_stacks_new(&so, &p->followed.stacks);
	}
	p->followed.stacks_from = p->at;
	p->run_count = 0;
	p->ended = false;
	return s;
}

/* Read on from the last point before instruction @n, or from the start. */
static enum hs_status seek(struct gdb_player *p, uint64_t n)
{
	struct gdb_point own = { 0 };
	const struct gdb_point *point = find_point(p, n);
	enum hs_status s = HS_END;

	if (find_in_index(p, n, &own) && (!point || own.first > point->first))
		point = &own;
	if (point && point->first)
		s = hs_source_seek(p->source, &point->place, point->state, point->words, NULL);
	p->at = s == HS_OK ? point->first : 0;
	free(own.state);
	if (s != HS_OK)
		s = hs_source_rewind(p->source, NULL);
	return s == HS_OK ? start_reading(p) : s;
}

/* What is read from here on is far from where it will stop. */
static void stop_stacks(struct gdb_player *p)
{
	hs_stacks_free(p->followed.stacks);
	p->followed.stacks = NULL;
	p->followed.wants_stacks = false;
}

/* Have room for one more run: at most GDB_RUNS are kept, then the older half is forgotten. */
static enum hs_status make_room(struct gdb_player *p)
{
	const uint32_t kept = GDB_RUNS / 2;

	if (p->run_count == GDB_RUNS) {
		memmove(p->runs, p->runs + kept, kept * sizeof(*p->runs));
		p->run_count = kept;
		return HS_OK;
	}
	return support_grow(&p->runs, &p->run_room, p->run_count + (size_t)1, sizeof(*p->runs))
	               ? HS_OK
	               : HS_E_MEMORY;
}

static enum hs_status add_block(struct gdb_player *p, const struct hs_block *b)
{
	struct hs_stack_step step = { 0 };
	size_t depth = 0;
	uint32_t count;

	if (p->followed.stacks && hs_stacks_follow(p->followed.stacks, b, &step) != HS_OK)
		return HS_E_MEMORY;
	if (b->kind != HS_KIND_BLOCK)
		return program_select_event(&p->select, b);
	if (program_count_block(&p->counts, &p->select, b, &count) != HS_OK)
		return HS_E_MEMORY;
	if (!count)
		return HS_OK;
	if (p->followed.stacks)
		hs_stacks_frames(p->followed.stacks, &depth);
	if (make_room(p) != HS_OK)
		return HS_E_MEMORY;
	p->runs[p->run_count++] = (struct gdb_run){
		.iaddr = b->iaddr,
		.first = p->at,
		.hwords = b->iretire,
		.depth = (uint32_t)depth,
		.priv = b->priv,
		.stack_begins = step.move == HS_STACK_SWITCH || step.move == HS_STACK_START,
	};
	p->at += count;
	return HS_OK;
}

/* The signal that ended the recorded program; 0: none did, or a part of it is read. */
static unsigned end_signal(const struct hs_source *source)
{
	const struct hs_rec_info *info = hs_source_info(source);
	struct hs_range_found found;
	unsigned signal = 0;

	return info && !hs_source_get_range(source, &found) &&
	                       sscanf(info->end, "signal %u", &signal) == 1
	               ? signal
	               : 0;
}

/* At the end: the instruction that ended the program did not retire, but the hart is there. */
static enum hs_status add_fault(struct gdb_player *p)
{
	const struct hs_image *image = program_select_image(&p->select);
	struct hs_block b = { .iaddr = hs_block_end(&p->last), .priv = p->last.priv };
	struct hs_insn insn;

	if (p->last.kind != HS_KIND_BLOCK || !p->run_count || !end_signal(p->source) ||
	    (p->last.itype != HS_ITYPE_EXCEPTION && p->last.itype != HS_ITYPE_NONE) ||
	    hs_block_at_ecall(image, &p->last) || hs_img_insn(image, b.iaddr, &insn) != HS_OK)
		return HS_OK;
	b.iretire = b.ilast = insn.hwords;
	return add_block(p, &b);
}

/* Read some items.  HS_END: there are none. */
static enum hs_status read_some(struct gdb_player *p)
{
	struct hs_block items[BATCH];
	struct hs_source_place place;
	enum hs_status s = HS_OK, status = HS_OK;
	size_t n = 0;

	while (!n && s != HS_END) { /* damage is where a block is missing */
		struct hs_error e = { 0 };

		s = hs_source_next(p->source, items, BATCH, &n, &e);
		if (s != HS_OK && s != HS_END && p->o->damaged && p->at >= p->frontier)
			p->o->damaged(p->o->context, &e, p->source);
	}
	for (size_t i = 0; i < n && status == HS_OK; i++) {
		p->has_data |= items[i].kind == HS_KIND_DATA;
		if (p->reader.look)
			p->reader.look(p->reader.to, p, &items[i], p->at);
		status = add_block(p, &items[i]);
	}
	if (n)
		p->last = items[n - 1];
	if (status == HS_OK && s == HS_END)
		status = add_fault(p);
	if (status != HS_OK)
		return status;
	if (s == HS_END) {
		p->ended = true;
		p->total = p->at;
	}
	if (p->at > p->frontier) {
		p->frontier = p->at;
		if (!p->index && s == HS_OK && hs_source_get_place(p->source, &place))
			status = add_point(p, &place);
	}
	return status == HS_OK && s == HS_END ? HS_END : status;
}

/* ---- where it is ------------------------------------------------------------------------ */

/* The run that has instruction @n, which is among those that are kept. */
static uint32_t find_run(const struct gdb_player *p, uint64_t n)
{
	const uint32_t up = base_count_leading(p->run_count, i, p->runs[i].first <= n);
	const uint32_t low = up ? up - 1 : 0;

	return low;
}

static bool is_kept(const struct gdb_player *p, uint64_t n)
{
	return p->run_count && n >= p->runs[0].first && n < p->at;
}

/* Stand at instruction @n of those that are kept. */
static void stand_at(struct gdb_player *p, uint64_t n)
{
	const struct hs_image *image = program_select_image(&p->select);
	struct hs_insn insn;

	p->run = find_run(p, n);
	p->now = n;
	p->pc = p->runs[p->run].iaddr;
	for (uint64_t i = p->runs[p->run].first; i < n; i++) {
		if (hs_img_insn(image, p->pc, &insn) != HS_OK)
			return;
		p->pc += 2u * insn.hwords;
	}
}

/* Have instruction @n among those that are kept.  HS_OK, or HS_END: it is past the last one. */
static enum hs_status have(struct gdb_player *p, uint64_t n)
{
	enum hs_status s = HS_OK;

	if (is_kept(p, n))
		return HS_OK;
	if (p->total != UINT64_MAX && n >= p->total)
		return HS_END;
	if (n < p->at || n - p->at > 2 * GDB_LEAD)
		s = seek(p, n);
	while (s == HS_OK && p->at <= n)
		s = read_some(p);
	return s == HS_END && is_kept(p, n) ? HS_OK : s;
}

enum gdb_stop gdb_player_go(struct gdb_player *p, uint64_t n)
{
	const enum hs_status s = have(p, n);

	if (s == HS_OK) {
		stand_at(p, n);
		return GDB_STEPPED;
	}
	if (s != HS_END || !p->total || p->total == UINT64_MAX || have(p, p->total - 1) != HS_OK)
		return GDB_FAILED;
	stand_at(p, p->total - 1);
	return GDB_END;
}

enum gdb_stop gdb_player_step(struct gdb_player *p, bool back)
{
	if (back && !p->now)
		return GDB_BEGIN;
	return gdb_player_go(p, back ? p->now - 1 : p->now + 1);
}

bool gdb_player_look(struct gdb_player *p,
                     void (*look)(void *to, const struct gdb_player *p, const struct hs_block *item,
                                  uint64_t first),
                     void *to)
{
	const uint64_t now = p->now;
	bool stop = false;

	stop_stacks(p);
	enum hs_status s = seek(p, 0);

	p->reader.look = look;
	p->reader.to = to;
	while (s == HS_OK && !stop) {
		s = read_some(p);
		stop = p->o->interrupted && p->o->interrupted(p->o->context);
	}
	p->reader.look = NULL;
	return gdb_player_go(p, now) == GDB_STEPPED && s == HS_END && !stop;
}

/* ---- running ------------------------------------------------------------------------------ */

/* The instruction of a run that a breakpoint is at: of those from number @from up to @to the first,
 * or the last one.  UINT64_MAX: none. */
static uint64_t find_in_run(const struct gdb_player *p, const struct gdb_run *r,
                            const struct gdb_stops *stops, uint64_t from, uint64_t to, bool last)
{
	const struct hs_image *image = program_select_image(&p->select);
	const uint64_t end = r->iaddr + 2u * (uint64_t)r->hwords;
	uint64_t found = UINT64_MAX, n = r->first, at = r->iaddr;
	struct hs_insn insn;
	size_t i = 0;

	while (i < stops->count && stops->breaks[i] < r->iaddr)
		i++;
	while (i < stops->count && stops->breaks[i] < end && at < end && n < to) {
		if (at == stops->breaks[i] && n >= from) {
			found = n;
			if (!last)
				return n;
		}
		if (hs_img_insn(image, at, &insn) != HS_OK)
			break;
		at += 2u * insn.hwords;
		n++;
		while (i < stops->count && stops->breaks[i] < at)
			i++;
	}
	return found;
}

static bool may_hit(const struct gdb_run *r, const struct gdb_stops *stops)
{
	const uint64_t size = 2u * (uint64_t)r->hwords;

	if (!stops->count || stops->breaks[stops->count - 1] < r->iaddr ||
	    stops->breaks[0] >= r->iaddr + size)
		return false;
	for (size_t i = 0; i < stops->count; i++)
		if (stops->breaks[i] - r->iaddr < size)
			return true;
	return false;
}

/* The first instruction from @from on that a breakpoint is at, of those that are kept. */
static uint64_t find_first(const struct gdb_player *p, const struct gdb_stops *stops, uint64_t from)
{
	for (uint32_t i = find_run(p, from); i < p->run_count; i++) {
		const uint64_t n = may_hit(&p->runs[i], stops)
		                           ? find_in_run(p, &p->runs[i], stops, from, p->at, false)
		                           : UINT64_MAX;

		if (n != UINT64_MAX)
			return n;
	}
	return UINT64_MAX;
}

/* The last one from @from on and before @to. */
static uint64_t find_last(const struct gdb_player *p, const struct gdb_stops *stops, uint64_t from,
                          uint64_t to)
{
	for (uint32_t i = find_run(p, to - 1) + 1; i-- > 0;) {
		const struct gdb_run *r = &p->runs[i];
		const uint64_t n =
			may_hit(r, stops) ? find_in_run(p, r, stops, from, to, true) : UINT64_MAX;

		if (n != UINT64_MAX || r->first <= from)
			return n;
	}
	return UINT64_MAX;
}

static bool is_interrupted(const struct gdb_stops *stops)
{
	return stops->interrupted && stops->interrupted(stops->context);
}

static enum gdb_stop run_forwards(struct gdb_player *p, const struct gdb_stops *stops)
{
	uint64_t from = p->now + 1;
	enum hs_status s = HS_OK;

	if (!stops->count && p->total != UINT64_MAX)
		return gdb_player_go(p, p->total);
	while (s == HS_OK) {
		if (from - p->now > GDB_LEAD)
			stop_stacks(p);
		s = have(p, from);
		if (s != HS_OK)
			break;
		const uint64_t n = find_first(p, stops, from);

		if (n != UINT64_MAX) {
			stand_at(p, n);
			return GDB_BREAKPOINT;
		}
		from = p->at;
		if (is_interrupted(stops)) {
			stand_at(p, p->at - 1);
			return GDB_INTERRUPT;
		}
	}
	if (s != HS_END)
		return GDB_FAILED;
	gdb_player_go(p, p->total - 1);
	return GDB_END;
}

/* Where the reading of what is before @to begins. */
static uint64_t point_before(const struct gdb_player *p, uint64_t to)
{
	const struct gdb_point *point = find_point(p, to - 1);
	struct gdb_point own = { 0 };
	uint64_t first = point ? point->first : 0;

	if (find_in_index(p, to, &own) && own.first > first)
		first = own.first;
	free(own.state);
	return first;
}

/* The last instruction before @to that a breakpoint is at, in blocks that are not kept.  *low: from
 * where on it was looked for. */
static enum gdb_stop search_back(struct gdb_player *p, const struct gdb_stops *stops, uint64_t to,
                                 uint64_t *low, uint64_t *found)
{
	enum hs_status s;
	uint64_t from;

	*low = from = point_before(p, to);
	*found = UINT64_MAX;
	s = seek(p, to - 1);
	if (s == HS_OK && p->at > from) /* another point than was thought */
		*low = from = p->at;
	while (s == HS_OK && from < to) {
		s = read_some(p);
		if (s != HS_OK && s != HS_END)
			return GDB_FAILED;
		const uint64_t end = p->at < to ? p->at : to;

		if (end > from && p->run_count) {
			const uint64_t n = find_last(p, stops, from, end);

			*found = n != UINT64_MAX ? n : *found;
		}
		from = end;
		if (is_interrupted(stops))
			return GDB_INTERRUPT;
		if (s == HS_END)
			break;
	}
	return GDB_STEPPED;
}

static enum gdb_stop go_back_to(struct gdb_player *p, uint64_t n, enum gdb_stop why)
{
	return gdb_player_go(p, n) == GDB_STEPPED ? why : GDB_FAILED;
}

static enum gdb_stop run_backwards(struct gdb_player *p, const struct gdb_stops *stops)
{
	uint64_t to = p->now, found = UINT64_MAX, low = 0;

	if (!to)
		return GDB_BEGIN;
	if (!stops->count)
		return go_back_to(p, 0, GDB_BEGIN);
	found = find_last(p, stops, 0, to);
	to = p->runs[0].first;
	if (found == UINT64_MAX)
		stop_stacks(p);
	while (found == UINT64_MAX && to) {
		const enum gdb_stop stop = search_back(p, stops, to, &low, &found);

		if (stop == GDB_INTERRUPT)
			return go_back_to(p, to, GDB_INTERRUPT);
		if (stop == GDB_FAILED || low >= to)
			return GDB_FAILED;
		to = low;
	}
	return found == UINT64_MAX ? go_back_to(p, 0, GDB_BEGIN)
	                           : go_back_to(p, found, GDB_BREAKPOINT);
}

/* Step while pc is in the range and no breakpoint is there. */
static enum gdb_stop step_range(struct gdb_player *p, bool back, const struct gdb_stops *stops)
{
	enum gdb_stop stop;

	do {
		stop = gdb_player_step(p, back);
		for (size_t i = 0; i < stops->count && stop == GDB_STEPPED; i++)
			if (stops->breaks[i] == p->pc)
				return GDB_BREAKPOINT;
	} while (stop == GDB_STEPPED && p->pc >= stops->low && p->pc < stops->high);
	return stop;
}

enum gdb_stop gdb_player_run(struct gdb_player *p, bool back, const struct gdb_stops *stops)
{
	if (stops->low || stops->high)
		return step_range(p, back, stops);
	return back ? run_backwards(p, stops) : run_forwards(p, stops);
}

/* ---- the object --------------------------------------------------------------------------- */

enum hs_status gdb_player_open(struct gdb_player *p)
{
	struct hs_trace_index_entry e;

	p->total = UINT64_MAX;
	p->fingerprint = p->index ? hs_source_fingerprint(p->source) : 0;
	if (!p->fingerprint ||
	    hs_trace_index_find(p->index, p->fingerprint, HS_TRACE_INDEX_INSTRUCTIONS, UINT64_MAX,
	                        &e, &p->total) != HS_OK) {
		p->index = NULL;
		p->total = UINT64_MAX;
	}
	if (start_reading(p) != HS_OK)
		return HS_E_MEMORY;
	const enum gdb_stop stop = gdb_player_go(p, 0);

	return stop == GDB_STEPPED ? HS_OK : HS_E_NOCODE;
}

void gdb_player_close(struct gdb_player *p)
{
	if (p->selecting)
		program_select_end(&p->select);
	program_counts_free(&p->counts);
	hs_stacks_free(p->followed.stacks);
	for (size_t i = 0; i < p->points.n; i++)
		free(p->points.at[i].state);
	free(p->points.at);
	free(p->runs);
}
