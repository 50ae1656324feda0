/* From blocks to CTR: blocks and events in their order, and the harts that they come from. */
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "ctr_host/replay_private.h"
#include "support/grow.h"

#define HARTS_MAX 4096u

/* ---- blocks -------------------------------------------------------------------------- */

static void retire_block(struct replay_track *t)
{
	t->hart.retired += t->hart.instructions;
	t->hart.instructions = 0;
}

static void run_block(const struct hs_ctr_replay *r, struct replay_track *t)
{
	const unsigned cycles = r->settings.cycles == HS_CTR_CYCLES_INSTRUCTIONS;

	if (t->code.changes)
		replay_run(t, t->code.instructions, cycles);
	else if (cycles)
		hs_ctr_tick(&t->hart.ctr, t->mode, t->code.instructions);
}

/* The last block is over; @next is NULL if the flow does not say what came. */
static void complete_block(struct hs_ctr_replay *r, struct replay_track *t,
                           const struct hs_block *next)
{
	if (!t->pending)
		return;
	t->pending = false;
	run_block(r, t);
	replay_transfer(r, t, next);
	retire_block(t);
}

static void pass_time(const struct hs_ctr_replay *r, struct replay_track *t, uint64_t time)
{
	if (r->settings.cycles == HS_CTR_CYCLES_TIME && t->have_time && time > t->time)
		hs_ctr_tick(&t->hart.ctr, t->mode, time - t->time);
	t->time = time;
	t->have_time = true;
}

/* The time of a block that now begins: its transfer comes at its end. */
static void pass_next_time(const struct hs_ctr_replay *r, struct replay_track *t)
{
	if (t->have_next)
		pass_time(r, t, t->next_time);
	t->have_next = false;
}

/* Its code changes where the next block begins: the last one may still be read. */
static enum hs_status note_change(struct replay_track *t, const struct hs_block *change)
{
	if (!support_grow(&t->code_changes.changes, &t->code_changes.change_room,
	                  t->code_changes.change_count + 1, sizeof(*t->code_changes.changes)))
		return HS_E_MEMORY;
	t->code_changes.changes[t->code_changes.change_count++] = *change;
	return HS_OK;
}

static enum hs_status change_code(struct hs_ctr_replay *r, struct replay_track *t)
{
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < t->code_changes.change_count && s == HS_OK; i++)
		s = program_select_event(&r->select, &t->code_changes.changes[i]);
	t->code_changes.change_count = 0;
	t->hart.image = program_select_image(&r->select);
	return s;
}

/* What the code of the new block of @t contains. */
static enum hs_status find_code(struct hs_ctr_replay *r, struct replay_track *t)
{
	const struct hs_block *b = &t->block;
	uint64_t number;
	const enum hs_status s =
		program_select_number(&r->select, b->iaddr, 2u * (uint64_t)b->iretire, &number);

	t->code = (struct replay_code){ .kind = HS_INSN_LINEAR, .program = t->hart.program };
	if (b->iretire && s == HS_OK)
		t->code = *replay_code_of(r, t, b, number);
	return s;
}

static enum hs_status begin_block(struct hs_ctr_replay *r, struct replay_track *t,
                                  const struct hs_block *b)
{
	complete_block(r, t, b);
	enum hs_status s = replay_switch(r, t);

	if (s == HS_OK)
		s = change_code(r, t);
	t->block = t->hart.block = *b;
	t->mode = replay_mode(r, t, b);
	t->hart.block.priv = t->mode & 7;
	pass_next_time(r, t);
	if (s == HS_OK)
		s = find_code(r, t);
	t->hart.instructions = t->code.instructions;
	t->hart.unmapped += b->iretire && !t->code.instructions;
	t->pending = true;
	t->have_cause = false;
	t->cause = 0;
	return s;
}

/* ---- events ------------------------------------------------------------------------------- */

static struct hs_ctr_predictor *new_predictor(unsigned misp)
{
	struct hs_ctr_predictor *p = calloc(1, sizeof(*p));
	const struct hs_ctr_predictor_config k = {
		.size = sizeof(k),
		.direction = misp == HS_CTR_MISP_GSHARE ? HS_CTR_GSHARE : HS_CTR_BIMODAL,
	};

	if (p)
		hs_ctr_predictor_init(p, &k);
	return p;
}

static void free_track(struct replay_track *t)
{
	free(t->predictor);
	replay_free_contexts(t);
	free(t->code_changes.changes);
	free(t);
}

static struct replay_track *new_track(const struct hs_ctr_replay *r)
{
	const unsigned misp = r->settings.misp;
	struct replay_track *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	if (misp == HS_CTR_MISP_BIMODAL || misp == HS_CTR_MISP_GSHARE) {
		t->predictor = new_predictor(misp);
		if (!t->predictor) {
			free(t);
			return NULL;
		}
	}
	t->context_mode = HS_PRIV_UNKNOWN;
	t->mode = r->settings.unknown_priv;
	t->hart.hart = r->select.hart;
	t->hart.program = r->select.program;
	t->hart.image = program_select_image(&r->select);
	t->hart.ctr = r->start;
	return t;
}

/* The current hart is a new one. */
static enum hs_status add_track(struct hs_ctr_replay *r)
{
	struct replay_track **more;

	if (r->count == HARTS_MAX)
		return HS_E_UNSUPPORTED;
	if (r->select.index != r->count) /* there was no memory for an earlier one */
		return HS_E_MEMORY;
	more = realloc(r->harts, (r->count + 1) * sizeof(struct replay_track *));
	if (!more)
		return HS_E_MEMORY;
	r->harts = more;
	r->harts[r->count] = new_track(r);
	if (!r->harts[r->count])
		return HS_E_MEMORY;
	r->count++;
	return HS_OK;
}

static enum hs_status change_hart(struct hs_ctr_replay *r, uint32_t hart)
{
	const enum hs_status s = program_select_hart(&r->select, hart);

	return s != HS_OK || r->select.index < r->count ? s : add_track(r);
}

/* The records change hands where the next block begins: the transfer that leads there is still one
 * of the context before. */
static void note_context(const struct hs_ctr_replay *r, struct replay_track *t, uint64_t context)
{
	if (t->hart.has_context && t->hart.context == context)
		return;
	if (!t->switches) {
		t->from_context = t->hart.context;
		t->had_context = t->hart.has_context;
	}
	t->switches = r->settings.contexts != HS_CTR_CONTEXTS_KEEP;
	t->hart.context = context;
	t->hart.has_context = true;
}

static enum hs_status change_context(struct hs_ctr_replay *r, struct replay_track *t,
                                     const struct hs_block *b)
{
	const enum hs_status s = program_select_event(&r->select, b);

	t->context_mode = b->priv;
	t->hart.program = r->select.program;
	if (b->arg == PROGRAM_SCONTEXT)
		note_context(r, t, b->value);
	return s;
}

/* A clock says when the next block ends, and a fast profile when the block at the next target
 * does.  A trace says when what it reported ended, so that the pending transfer comes after it. */
static void follow_time(struct hs_ctr_replay *r, struct replay_track *t, const struct hs_block *b)
{
	if (b->itype != HS_CLOCK_TIME && !t->have_source) {
		pass_time(r, t, b->value);
		return;
	}
	t->next_time = b->value;
	t->have_next = true;
}

/* Something is missing here: what comes next did not follow the last block. */
static void follow_gap(struct hs_ctr_replay *r, struct replay_track *t)
{
	complete_block(r, t, NULL);
	hs_ctr_invalidate_cc(&t->hart.ctr);
	t->have_time = t->have_next = t->have_source = false;
	t->context_mode = HS_PRIV_UNKNOWN;
	t->accesses = (struct replay_accesses){ 0 };
}

static void follow_note(struct hs_ctr_replay *r, struct replay_track *t, const struct hs_block *b)
{
	if (b->arg == HS_NOTE_LEFT_OUT) {
		const uint8_t mode = t->context_mode;

		follow_gap(r, t);
		t->context_mode = mode;
	} else if (b->arg == HS_NOTE_PARTIAL && t->pending) {
		t->pending = false;
		t->hart.lost++;
		retire_block(t);
	}
}

static enum hs_status follow_event(struct hs_ctr_replay *r, struct replay_track *t,
                                   const struct hs_block *b)
{
	switch (b->kind) {
	case HS_KIND_TRAP:
		t->have_cause = true;
		t->cause = b->arg;
		break;
	case HS_KIND_CONTEXT:
		return change_context(r, t, b);
	case HS_KIND_TIME:
		follow_time(r, t, b);
		break;
	case HS_KIND_DATA:
	case HS_KIND_VALUE:
		replay_access(r, t, b);
		break;
	case HS_KIND_SOURCE:
		t->source = b->value;
		t->have_source = true;
		break;
	case HS_KIND_TARGET:
		replay_target(r, t, b);
		pass_next_time(r, t);
		return replay_switch(r, t);
	case HS_KIND_CYCLES:
		if (r->settings.cycles == HS_CTR_CYCLES_COUNTS)
			hs_ctr_tick(&t->hart.ctr, t->mode, b->arg);
		break;
	case HS_KIND_GAP:
	case HS_KIND_STOP:
		if (!hs_event_waits(b))
			follow_gap(r, t);
		break;
	case HS_KIND_VERSION:
		return note_change(t, b);
	case HS_KIND_CODE:
		memset(r->cache, 0, sizeof(r->cache));
		break;
	case HS_KIND_NOTE:
		follow_note(r, t, b);
		break;
	default:
		break;
	}
	return HS_OK;
}

enum hs_status hs_ctr_replay_add(struct hs_ctr_replay *r, const struct hs_block *b)
{
	enum hs_status s = HS_OK;

	if (b->kind == HS_KIND_HART)
		return change_hart(r, b->arg);
	if (r->select.index >= r->count)
		s = change_hart(r, r->select.hart);
	if (s != HS_OK)
		return s;
	struct replay_track *t = r->harts[r->select.index];

	if (b->kind != HS_KIND_BLOCK)
		return follow_event(r, t, b);
	return begin_block(r, t, b);
}

void hs_ctr_replay_end(struct hs_ctr_replay *r)
{
	for (size_t i = 0; i < r->count; i++)
		complete_block(r, r->harts[i], NULL);
}

/* ---- the object ------------------------------------------------------------------------------ */

enum hs_status hs_ctr_replay_new(const struct hs_ctr_settings *s, struct hs_program *program,
                                 const struct hs_program_set *programs,
                                 struct hs_ctr_replay **replay, struct hs_error *error)
{
	struct hs_ctr_replay *r = calloc(1, sizeof(*r));
	const unsigned xlen = hs_program_image(program)->isa.xlen == 32 ? 32 : 64;
	enum hs_status status;

	if (!r)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	program_select_start(&r->select, program, programs);
	status = hs_ctr_settings_make(s, xlen, &r->start, error);
	if (status == HS_OK)
		status = base_take_config(&r->settings, sizeof(r->settings), s);
	if (status != HS_OK) {
		free(r);
		return status;
	}
	*replay = r;
	return HS_OK;
}

void hs_ctr_replay_free(struct hs_ctr_replay *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->count; i++)
		free_track(r->harts[i]);
	free(r->harts);
	program_select_end(&r->select);
	free(r);
}

void hs_ctr_replay_set_predictor(struct hs_ctr_replay *r, hs_ctr_missed_fn missed, void *context)
{
	r->missed = r->settings.misp == HS_CTR_MISP_CALLER ? missed : NULL;
	r->context = context;
}

const struct hs_ctr_replay_hart *hs_ctr_replay_now(const struct hs_ctr_replay *r)
{
	return hs_ctr_replay_at(r, r->select.index);
}

const struct hs_ctr_replay_hart *hs_ctr_replay_at(const struct hs_ctr_replay *r, size_t index)
{
	return index < r->count ? &r->harts[index]->hart : NULL;
}

const struct hs_ctr *hs_ctr_replay_within(const struct hs_ctr_replay_hart *h, uint64_t n,
                                          struct hs_ctr *room)
{
	struct replay_track t = *(const struct replay_track *)(const void *)h;

	if (!t.code.changes || !n)
		return &h->ctr;
	replay_run(&t, n, 0);
	*room = t.hart.ctr;
	return room;
}

enum hs_status hs_ctr_replay_step(const struct hs_ctr_replay_hart *h, uint64_t *pc, uint64_t n)
{
	const struct hs_image *image = h->image;
	const uint64_t end = hs_block_end(&h->block);
	struct hs_insn insn;
	uint64_t at = *pc;

	for (; n && at >= h->block.iaddr && at < end; n--) {
		if (hs_img_insn(image, at, &insn) != HS_OK)
			return HS_E_NOCODE;
		at += 2u * insn.hwords;
	}
	if (at < h->block.iaddr || at >= end)
		return HS_E_ARG;
	*pc = at;
	return HS_OK;
}
