/* Where control arrived: by which frame, by which stack. */
#include "program/program.h"
#include "calls/stacks_private.h"
#include "calls/stacks.h"

#define FREE_LOOKS 256u /* frames that a search may always look at */
#define NOWHERE UINT32_MAX

static bool covers(const struct hs_stack_frame *f, uint64_t addr)
{
	return addr - f->start < f->size;
}

/* ---- searches in a stack ------------------------------------------------------------- */

/* A frame is what is looked for: number @i of @t. */
typedef bool (*frame_fn)(struct hs_stacks *s, const struct stack *t, uint32_t i,
                         const struct hs_block *to);

/* The innermost such frame; NOWHERE: none among those that may be looked at. */
static uint32_t find_frame(struct hs_stacks *s, struct stack *t, frame_fn is_it,
                           const struct hs_block *to)
{
	const uint32_t looks = t->credit + FREE_LOOKS;
	const uint32_t last = t->depth > looks ? t->depth - looks : 0;

	for (uint32_t i = t->depth; i-- > last;)
		if (is_it(s, t, i, to))
			return i;
	const uint32_t looked = t->depth - last;

	t->credit -= looked < t->credit ? looked : t->credit;
	return NOWHERE;
}

static bool resumes_at(struct hs_stacks *s, const struct stack *t, uint32_t i,
                       const struct hs_block *to)
{
	(void)s;
	return t->frames[i].has_resume && t->frames[i].resume == to->iaddr;
}

/* An exception lands in a frame whose pending call has this landing pad. */
static bool lands_at(struct hs_stacks *s, const struct stack *t, uint32_t i,
                     const struct hs_block *to)
{
	uint64_t landing;

	return i + 1 < t->depth && covers(&t->frames[i], to->iaddr) &&
	       t->frames[i + 1].has_resume &&
	       hs_program_find_landing(s->select.program, t->frames[i + 1].resume, &landing) &&
	       landing == to->iaddr;
}

static bool is_of_function(struct hs_stacks *s, const struct stack *t, uint32_t i,
                           const struct hs_block *to)
{
	(void)s;
	return covers(&t->frames[i], to->iaddr);
}

static bool struck_at(struct hs_stacks *s, const struct stack *t, uint32_t i,
                      const struct hs_block *to)
{
	(void)s;
	return stacks_struck_at(&t->frames[i], to);
}

static bool is_from_user(struct hs_stacks *s, const struct stack *t, uint32_t i,
                         const struct hs_block *to)
{
	const struct hs_stack_frame *f = &t->frames[i];

	(void)s;
	return f->how == HS_FRAME_TRAP && f->mode == to->priv;
}

/* The frame to whose setjmp() control came back. */
static uint32_t find_mark(const struct stack *t, uint64_t addr)
{
	for (uint32_t i = t->mark_count; i-- > 0;)
		if (t->marks[i].addr == addr)
			return t->marks[i].frame;
	return NOWHERE;
}

/* ---- what it does to the stack -------------------------------------------------------- */

static enum hs_status close_frames(struct stack *t, uint32_t left, uint32_t move,
                                   struct hs_stack_step *step)
{
	step->move = move;
	step->closed = t->depth - left;
	stacks_close(t, step->closed);
	return HS_OK;
}

/* The frame @i is the innermost one again. */
static enum hs_status unwind_to(struct stack *t, uint32_t i, struct hs_stack_step *step)
{
	return close_frames(t, i + 1, HS_STACK_UNWIND, step);
}

/* The frame @i returned, with all in it.  Of the outermost one the caller is new. */
static enum hs_status return_from(struct hs_stacks *s, struct stack *t, uint32_t i,
                                  const struct hs_block *to, uint32_t move,
                                  struct hs_stack_step *step)
{
	if (i > 0)
		return close_frames(t, i, move, step);
	const struct stacks_function f = stacks_function_at(s, to->iaddr, to->priv);

	close_frames(t, 0, move, step);
	step->opened = 1;
	return stacks_open(s, &f, HS_FRAME_FOUND, NULL);
}

static enum hs_status begin(struct hs_stacks *s, const struct stacks_function *f, uint8_t how,
                            bool park, struct hs_stack_step *step)
{
	step->move = HS_STACK_START;
	step->opened = 1;
	return stacks_begin(s, f, how, park);
}

/* ---- other stacks --------------------------------------------------------------------- */

static bool waits_at(const struct stack *t, uint64_t addr)
{
	return t->depth && stacks_top(t)->has_resume && stacks_top(t)->resume == addr;
}

/* The stack that waits longest at @addr; @count: how many do.  The count of stacks: none. */
static size_t find_waiting(const struct hs_stacks *s, uint64_t addr, unsigned *count)
{
	size_t best = s->waiting_count;

	*count = 0;
	for (size_t i = 0; i < s->waiting_count; i++) {
		const struct stack *t = s->waiting[i];

		if (!waits_at(t, addr) || !stacks_may_run(s, t))
			continue;
		++*count;
		if (best == s->waiting_count || t->waits_since < s->waiting[best]->waits_since)
			best = i;
	}
	return best;
}

/* Go on with a stack that waits at @to, whose innermost frame returns there.  False: none does. */
static bool go_on(struct hs_stacks *s, const struct hs_block *to, struct hs_stack_step *step,
                  enum hs_status *status)
{
	unsigned count;
	const size_t i = find_waiting(s, to->iaddr, &count);

	if (i == s->waiting_count)
		return false;
	const uint64_t since = s->waiting[i]->waits_since;

	*status = stacks_switch(s, i, stacks_top(stacks_hart(s)->stack)->role != ROLE_RESUME);
	if (*status == HS_OK && (count > 1 || s->partial))
		*status = stacks_doubt(stacks_hart(s)->stack, since, count > 1);
	if (*status != HS_OK)
		return true;
	struct stack *t = stacks_hart(s)->stack;

	step->sure = count == 1;
	*status = return_from(s, t, t->depth - 1, to, HS_STACK_SWITCH, step);
	if (count > 1 || s->partial)
		stacks_assume(t);
	return true;
}

/* ---- arrivals by returns and jumps ------------------------------------------------------ */

static enum hs_status replace_function(struct stack *t, const struct stacks_function *f,
                                       struct hs_stack_step *step)
{
	struct hs_stack_frame *top = stacks_top(t);

	top->name = f->name;
	top->start = f->start;
	top->size = f->size;
	top->file = f->file;
	top->own_file = f->own_file;
	top->tail = true;
	/* setjmp() and gogo() may end in another function */
	if (f->role != ROLE_NONE || (top->role != ROLE_MARK && top->role != ROLE_RESUME))
		top->role = (uint8_t)f->role;
	step->move = HS_STACK_TAIL;
	return HS_OK;
}

/* Go's scheduler led on: to a function that called newstack(), to a goroutine that waits, or to
 * where a new one begins.  Nothing returns to the scheduler's own frames. */
static enum hs_status resume(struct hs_stacks *s, const struct stacks_function *f,
                             const struct hs_block *to, struct hs_stack_step *step)
{
	enum hs_status status;

	if (go_on(s, to, step, &status))
		return status;
	return begin(s, f, to->iaddr == f->start ? HS_FRAME_START : HS_FRAME_FOUND, false, step);
}

/* Control left by a function that changes stacks. */
static enum hs_status leave_stack(struct hs_stacks *s, const struct stacks_function *f,
                                  const struct hs_block *to, struct hs_stack_step *step)
{
	struct stack *t = stacks_hart(s)->stack;
	enum hs_status status;

	if (go_on(s, to, step, &status))
		return status;
	const uint32_t i = find_mark(t, to->iaddr);

	if (i != NOWHERE)
		return unwind_to(t, i, step);
	return begin(s, f, f->role == ROLE_START ? HS_FRAME_START : HS_FRAME_FOUND, true, step);
}

/* Control returned to the middle of a function that no frame expected. */
static enum hs_status return_astray(struct hs_stacks *s, const struct stacks_function *f,
                                    const struct hs_block *to, struct hs_stack_step *step)
{
	struct stack *t = stacks_hart(s)->stack;

	step->sure = false;
	const uint32_t i = f->name ? find_frame(s, t, is_of_function, to) : NOWHERE;

	if (i != NOWHERE) {
		unwind_to(t, i, step);
		stacks_assume(t);
		return HS_OK;
	}
	return begin(s, f, HS_FRAME_FOUND, false, step);
}

/* The frames to which longjmp() and exceptions lead, then other stacks. */
static enum hs_status arrive_inside(struct hs_stacks *s, const struct stacks_function *f,
                                    const struct hs_block *to, struct hs_stack_step *step)
{
	struct stack *t = stacks_hart(s)->stack;
	const uint8_t how = stacks_top(t)->how;
	const bool is_return = stacks_hart(s)->last.itype == HS_ITYPE_RETURN;
	enum hs_status status;
	uint32_t i = find_mark(t, to->iaddr);

	if (i == NOWHERE)
		i = find_frame(s, t, lands_at, to);
	if (i != NOWHERE)
		return unwind_to(t, i, step);
	if (go_on(s, to, step, &status))
		return status;
	/* A handler returns to what calls rt_sigreturn. */
	if (!is_return || how == HS_FRAME_SIGNAL || how == HS_FRAME_TRAP ||
	    (f->name && to->iaddr == f->start))
		return replace_function(t, f, step);
	return return_astray(s, f, to, step);
}

enum hs_status stacks_arrive(struct hs_stacks *s, const struct hs_block *to,
                             struct hs_stack_step *step)
{
	struct stack *t = stacks_hart(s)->stack;
	const struct stacks_function f = stacks_function_at(s, to->iaddr, to->priv);
	const unsigned itype = stacks_hart(s)->last.itype;

	if (stacks_top(t)->role == ROLE_SWITCH && hs_itype_uninferable(itype))
		return leave_stack(s, &f, to, step);
	if (stacks_top(t)->role == ROLE_RESUME && hs_itype_uninferable(itype))
		return resume(s, &f, to, step);
	if (itype != HS_ITYPE_RETURN && !f.name && !stacks_top(t)->name)
		return HS_OK;
	if (itype != HS_ITYPE_RETURN && to->iaddr == f.start)
		return replace_function(t, &f, step);
	enum hs_status status;

	if (itype == HS_ITYPE_RETURN && stacks_correct(s, to, &status)) {
		step->move = HS_STACK_SWITCH;
		return status;
	}
	if (itype == HS_ITYPE_RETURN && stacks_put_back(s))
		return begin(s, &f, HS_FRAME_FOUND, true, step);
	const uint32_t i = find_frame(s, t, resumes_at, to);

	if (i != NOWHERE)
		return return_from(s, t, i, to,
		                   i + 1 == t->depth ? HS_STACK_RETURN : HS_STACK_UNWIND, step);
	if (itype == HS_ITYPE_RETURN && t->depth == 1 && !stacks_top(t)->has_resume)
		return return_from(s, t, 0, to, HS_STACK_RETURN, step);
	return arrive_inside(s, &f, to, step);
}

/* ---- traps ------------------------------------------------------------------------------ */

static bool is_user(unsigned mode)
{
	return mode == HS_PRIV_U || mode == HS_PRIV_VU;
}

static enum hs_status open_trap(struct hs_stacks *s, const struct hs_block *to, uint8_t how,
                                uint64_t resume, uint8_t mode, struct hs_stack_step *step)
{
	struct stack *t = stacks_hart(s)->stack;
	const struct stacks_function f = stacks_function_at(s, to->iaddr, to->priv);

	step->move = HS_STACK_TRAP;
	step->opened = 1;
	if (stacks_open(s, &f, how, &resume) != HS_OK)
		return HS_E_MEMORY;
	stacks_top(t)->mode = mode;
	if (is_user(mode) && !is_user(to->priv)) {
		t->context = s->select.at.context;
		t->has_context = s->select.at.has_context;
	}
	return HS_OK;
}

enum hs_status stacks_take_trap(struct hs_stacks *s, const struct hs_block *to,
                                struct hs_stack_step *step)
{
	const struct stacks_hart *h = stacks_hart(s);
	const uint64_t resume = hs_block_end(&h->last);
	const bool same_mode = h->last.priv == to->priv;

	if (h->signal)
		return open_trap(s, to, HS_FRAME_SIGNAL, resume, h->last.priv, step);
	/* What handled it is not in the flow: a system call, an emulated instruction. */
	if (same_mode && !h->lone_trap && stacks_near(resume, to->iaddr) && to->iaddr >= resume)
		return HS_OK;
	if (same_mode) { /* rt_sigreturn */
		const uint32_t i = find_frame(s, h->stack, struck_at, to);

		if (i != NOWHERE)
			return return_from(s, h->stack, i, to, HS_STACK_BACK, step);
	}
	return open_trap(s, to, HS_FRAME_TRAP, resume, h->last.priv, step);
}

/* A trap of another task ends here: its stack goes on.  False: there is none. */
static bool return_elsewhere(struct hs_stacks *s, const struct hs_block *to,
                             struct hs_stack_step *step, enum hs_status *status)
{
	for (size_t i = 0; i < s->waiting_count; i++) {
		struct stack *t = s->waiting[i];
		/* What waits in a switch goes on there, unless that is not in the flow. */
		const bool may_be =
			stacks_may_run(s, t) && (!t->in_switch || t->breaks != s->breaks);
		const uint32_t at = may_be ? find_frame(s, t, struck_at, to) : NOWHERE;

		if (at == NOWHERE)
			continue;
		*status = stacks_switch(s, i, true);
		if (*status == HS_OK)
			*status = return_from(s, t, at, to, HS_STACK_SWITCH, step);
		if (*status == HS_OK)
			stacks_assume(t);
		step->sure = false;
		return true;
	}
	return false;
}

enum hs_status stacks_return_from_trap(struct hs_stacks *s, const struct hs_block *to,
                                       struct hs_stack_step *step)
{
	struct stack *t = stacks_hart(s)->stack;
	const struct stacks_function f = stacks_function_at(s, to->iaddr, to->priv);
	enum hs_status status;
	uint32_t i = stacks_may_run(s, t) ? find_frame(s, t, struck_at, to) : NOWHERE;

	if (i != NOWHERE) {
		if (i + 1 == t->depth)
			stacks_confirm(s, to);
		return return_from(s, t, i, to, HS_STACK_BACK, step);
	}
	if (stacks_correct(s, to, &status)) {
		step->move = HS_STACK_SWITCH;
		return status;
	}
	if (to->iaddr == f.start && stacks_may_run(s, t))
		i = find_frame(s, t, is_from_user, to);
	if (i == NOWHERE && stacks_put_back(s))
		return begin(s, &f, HS_FRAME_FOUND, true, step);
	if (return_elsewhere(s, to, step, &status))
		return status;
	if (i == NOWHERE) { /* a new task, a new program, or the flow began inside of the trap */
		const bool parks = t->has_context && !stacks_may_run(s, t);

		return begin(s, &f, HS_FRAME_FOUND, parks, step);
	}
	/* The kernel led to a handler of a signal in place of where the trap struck. */
	const uint64_t resume = t->frames[i].resume;

	close_frames(t, i, HS_STACK_TRAP, step);
	step->opened = 1;
	return stacks_open(s, &f, HS_FRAME_SIGNAL, &resume);
}
