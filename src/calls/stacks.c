/* Call stacks (stacks.h): what each block does to the stack of its hart. */
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "calls/stacks_private.h"
#include "calls/stacks.h"

/* ---- the object ----------------------------------------------------------------------- */

static enum hs_status select_hart(struct hs_stacks *s, uint32_t hart)
{
	const enum hs_status status = program_select_hart(&s->select, hart);
	const size_t count = s->select.harts.count;

	if (status != HS_OK || count == s->hart_count)
		return status;
	struct stacks_hart *more = realloc(s->harts, count * sizeof(*more));

	if (!more)
		return HS_E_MEMORY;
	s->harts = more;
	while (s->hart_count < count)
		more[s->hart_count++] = (struct stacks_hart){ .stack = NULL };
	return HS_OK;
}

enum hs_status hs_stacks_new(const struct hs_stacks_options *options, struct hs_stacks **stacks)
{
	struct hs_stacks_options o;

	if (base_take_config(&o, sizeof(o), options) != HS_OK || !o.program)
		return HS_E_CONFIG;
	struct hs_stacks *s = calloc(1, sizeof(*s));

	if (!s)
		return HS_E_MEMORY;
	s->guest = o.guest;
	s->known = calloc(STACKS_KNOWN, sizeof(*s->known));
	program_select_start(&s->select, o.program, o.programs);
	if (!s->known || select_hart(s, 0) != HS_OK) {
		hs_stacks_free(s);
		return HS_E_MEMORY;
	}
	*stacks = s;
	return HS_OK;
}

void hs_stacks_free(struct hs_stacks *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->hart_count; i++)
		stacks_free_stack(s->harts[i].stack);
	for (size_t i = 0; i < s->waiting_count; i++)
		stacks_free_stack(s->waiting[i]);
	program_select_end(&s->select);
	free(s->harts);
	free(s->waiting);
	free(s->known);
	free(s);
}

struct hs_stack_frame *hs_stacks_frames(struct hs_stacks *s, size_t *count)
{
	struct stack *t = stacks_hart(s)->stack;

	*count = t ? t->depth : 0;
	return t ? t->frames : NULL;
}

bool hs_stacks_are_sure(const struct hs_stacks *s)
{
	const struct stack *t = stacks_hart(s)->stack;

	return !t || !t->assumed;
}

size_t hs_stacks_count_sure(const struct hs_stacks *s)
{
	const struct stack *t = stacks_hart(s)->stack;

	return t ? t->depth - t->assumed : 0;
}

uint64_t hs_stacks_count_forgotten(const struct hs_stacks *s)
{
	return s->forgotten;
}

/* ---- blocks --------------------------------------------------------------------------- */

static enum hs_status open_call(struct hs_stacks *s, const struct hs_block *to,
                                struct hs_stack_step *step)
{
	const struct stacks_function f = stacks_function_at(s, to->iaddr, to->priv);
	const struct stacks_hart *h = stacks_hart(s);
	const uint64_t resume = hs_block_end(&h->last);
	const bool away =
		stacks_top(h->stack)->role == ROLE_AWAY && h->last.itype == HS_ITYPE_CALL_UNINF;

	step->opened = 1;
	if (away || f.role == ROLE_OTHER) {
		step->move = HS_STACK_START;
		return stacks_begin(s, &f, HS_FRAME_START, true);
	}
	step->move = HS_STACK_CALL;
	return stacks_open(s, &f, HS_FRAME_CALL, &resume);
}

/* The innermost frame returned to where it was expected. */
static enum hs_status close_call(struct hs_stacks *s, const struct hs_block *to,
                                 struct hs_stack_step *step)
{
	struct stack *t = stacks_hart(s)->stack;
	const bool marks = stacks_top(t)->role == ROLE_MARK;

	step->move = HS_STACK_RETURN;
	step->closed = 1;
	stacks_confirm(s, to);
	stacks_close(t, 1);
	return marks ? stacks_mark(t, to->iaddr) : HS_OK;
}

static bool is_expected(const struct hs_stacks *s, const struct hs_block *to)
{
	const struct stack *t = stacks_hart(s)->stack;
	const struct hs_stack_frame *top = stacks_top(t);

	return t->depth > 1 && top->has_resume && top->resume == to->iaddr &&
	       top->how == HS_FRAME_CALL && !stacks_leaves(top->role);
}

static enum hs_status take_transfer(struct hs_stacks *s, const struct hs_block *to,
                                    struct hs_stack_step *step)
{
	const struct stacks_hart *h = stacks_hart(s);
	const struct hs_stack_frame *top = stacks_top(h->stack);
	const bool inside = to->iaddr - top->start < top->size || to->iaddr == top->start;

	switch (h->last.itype) {
	case HS_ITYPE_CALL_INF:
	case HS_ITYPE_CALL_UNINF:
		return open_call(s, to, step);
	case HS_ITYPE_SWAP:
		return is_expected(s, to) ? close_call(s, to, step) : open_call(s, to, step);
	case HS_ITYPE_RETURN:
		return is_expected(s, to) ? close_call(s, to, step) : stacks_arrive(s, to, step);
	case HS_ITYPE_EXCEPTION:
	case HS_ITYPE_INTERRUPT:
		return stacks_take_trap(s, to, step);
	case HS_ITYPE_XRET:
		return stacks_return_from_trap(s, to, step);
	default:
		return inside ? HS_OK : stacks_arrive(s, to, step);
	}
}

/* Does a hart's flow begin with @b at the start: of a machine, of a program?  Then no stack waits
 * yet of which it has nothing.  A further hart may be a thread, too. */
static bool begins_at(const struct hs_stacks *s, const struct stacks_function *f,
                      const struct hs_block *b)
{
	const bool further = s->breaks > 0;

	if (stacks_hart(s)->stack || stacks_hart(s)->cut)
		return false;
	if (further && f->name && strstr(f->name, "clone"))
		return true;
	if (b->iaddr != f->start)
		return false;
	return further || b->iaddr == hs_program_entry(s->select.program) ||
	       stacks_is_entry(f, b->priv);
}

static enum hs_status follow_block(struct hs_stacks *s, const struct hs_block *b,
                                   struct hs_stack_step *step)
{
	struct stacks_hart *h = stacks_hart(s);
	enum hs_status status;

	if (stacks_stays(h, b)) {
		status = HS_OK;
	} else if (h->has_last && h->lone_trap) {
		status = stacks_take_trap(s, b, step);
	} else if (h->has_last) {
		status = take_transfer(s, b, step);
	} else {
		const struct stacks_function f = stacks_function_at(s, b->iaddr, b->priv);
		const bool starts = b->iaddr == f.start && !h->stack;

		step->move = HS_STACK_START;
		step->opened = 1;
		s->partial |= !begins_at(s, &f, b);
		s->breaks++;
		status = stacks_begin(s, &f, starts ? HS_FRAME_START : HS_FRAME_FOUND, false);
	}
	h->last = *b;
	h->has_last = true;
	h->lone_trap = h->signal = false;
	return status;
}

/* ---- events --------------------------------------------------------------------------- */

static enum hs_status follow_event(struct hs_stacks *s, const struct hs_block *b)
{
	struct stacks_hart *h = stacks_hart(s);

	switch (b->kind) {
	case HS_KIND_HART:
		return select_hart(s, b->arg);
	case HS_KIND_TRAP:
		h->lone_trap = hs_itype_is_trap(b->itype);
		break;
	case HS_KIND_SYNC:
		h->has_last &= b->itype != 1; /* exit from reset (NT Table 25) */
		break;
	case HS_KIND_NOTE:
		h->signal |= b->arg == HS_NOTE_SIGNAL;
		h->has_last &= b->arg != HS_NOTE_LEFT_OUT;
		h->cut |= b->arg == HS_NOTE_LEFT_OUT || b->arg == HS_NOTE_NOT_KEPT;
		break;
	case HS_KIND_GAP:
		h->cut = true;
		h->has_last = false;
		break;
	case HS_KIND_STOP:
		h->has_last &= hs_event_waits(b);
		break;
	default:
		break;
	}
	return program_select_event(&s->select, b);
}

enum hs_status hs_stacks_follow(struct hs_stacks *s, const struct hs_block *b,
                                struct hs_stack_step *step)
{
	*step = (struct hs_stack_step){ .sure = true };
	return b->kind == HS_KIND_BLOCK ? follow_block(s, b, step) : follow_event(s, b);
}
