/* What the files of call stacks share. */
#ifndef HS_STACKS_PRIVATE_H
#define HS_STACKS_PRIVATE_H

#include <hartscope/views.h>

#include "program/select.h"

#define STACKS_NEAR 4u /* bytes from where a trap struck to where its return leads, at most */

/* ---- functions ----------------------------------------------------------------------------- */

/* What a function's name says of how control leaves it. */
enum stacks_role {
	ROLE_NONE,
	ROLE_SWITCH, /* it leaves to another stack: swapcontext() */
	ROLE_MARK,   /* longjmp() leads to where it returned: setjmp() */
	ROLE_START,  /* a coroutine begins with it */
	ROLE_RESUME, /* it leaves to another stack, and its own is over: gogo() of Go */
	ROLE_AWAY,   /* what it calls by a register runs on another stack: mcall() of Go */
	ROLE_OTHER   /* called, it runs on another stack: newstack() of Go */
};

/* Does a function of this role leave to a stack that waits? */
static inline bool stacks_leaves(unsigned role)
{
	return role == ROLE_SWITCH || role == ROLE_RESUME;
}

struct stacks_function {
	const char *name;
	uint64_t start, size; /* of no name: the address that was asked for, 0 */
	const char *file;     /* that has it; NULL: not known */
	enum stacks_role role;
	bool own_file; /* that is the program's first, or the kernel */
};

#define STACKS_KNOWN 4096u /* addresses whose function is remembered */

struct stacks_known {
	const struct hs_program *program;
	uint64_t addr;
	struct stacks_function function;
};

/* The function at an address of the current hart, in mode @priv. */
struct stacks_function stacks_function_at(struct hs_stacks *s, uint64_t addr, uint8_t priv);

/* Does a machine, or a process, begin with @f: _start, a boot ROM, the dynamic linker? */
bool stacks_is_entry(const struct stacks_function *f, uint8_t priv);

/* ---- stacks -------------------------------------------------------------------------------- */

/* A place to which longjmp() may lead: while frame number @frame is open. */
struct stacks_mark {
	uint64_t addr;
	uint32_t frame;
};

/* The stack went on where others waited, too: what its innermost frames were.  If one of them does
 * not return to where it should, it was another stack. */
struct stacks_doubt {
	uint64_t addr;                /* where they waited */
	uint64_t since;               /* since when this one did */
	struct hs_stack_frame *saved; /* the innermost frames, as they waited */
	uint32_t first, count;        /* number of the first one; 0: no doubt */
	uint32_t assumed;             /* as it waited */
	bool several; /* others waited there, too, of which the flow has something */
	uint32_t low; /* how many frames were left at the least */
};

struct stack {
	struct hs_stack_frame *frames;
	struct stacks_mark *marks; /* of frames in their order */
	uint32_t depth;
	size_t room;
	uint32_t mark_count;
	size_t mark_room;
	uint32_t assumed; /* outer frames that may be those of another stack; less than depth */
	/* Frames that a search may look at in vain: what was opened since the last one.  So
	 * searches take no longer than what they search took to make. */
	uint32_t credit;
	struct stacks_doubt doubt;
	uint64_t waits_since; /* 0: it is the current one of a hart */
	uint64_t context;     /* in which it was in user mode, with has_context */
	bool has_context;
	bool in_switch;  /* it waits where a function that changes stacks left it */
	uint64_t breaks; /* of the flow, when it began to wait */
};

/* A hart: how its last block ended, and the stack that it is on. */
struct stacks_hart {
	struct stack *stack; /* NULL: none yet */
	struct hs_block last;
	bool has_last;          /* not after a gap */
	bool cut;               /* there was one */
	bool lone_trap, signal; /* events since the last block */
};

struct hs_stacks {
	struct program_select select;
	struct hs_guest *guest;
	struct stacks_hart *harts; /* by select.index */
	size_t hart_count;
	struct stack **waiting;
	size_t waiting_count, waiting_room;
	uint64_t clock;             /* counts parkings */
	uint64_t breaks;            /* counts places where the flow goes on after others */
	uint64_t forgotten;         /* frames that were dropped for want of room */
	bool partial;               /* stacks may wait of which the flow has nothing */
	struct stacks_known *known; /* functions by address */
};

static inline struct stacks_hart *stacks_hart(const struct hs_stacks *s)
{
	return &s->harts[s->select.index];
}

static inline struct hs_stack_frame *stacks_top(const struct stack *t)
{
	return &t->frames[t->depth - 1];
}

/* Ends after which control is in the same function, unless it left that by its address: none,
 * branches, jumps that are no calls (tail calls to itself, too). */
#define STACKS_STAYS 0xccf1u

/* Does control stay in the innermost frame's function before @to?  False: it may. */
static inline bool stacks_stays(const struct stacks_hart *h, const struct hs_block *to)
{
	if (!h->has_last || h->lone_trap || !(STACKS_STAYS >> h->last.itype & 1u))
		return false;
	const struct hs_stack_frame *top = stacks_top(h->stack);

	return to->iaddr - top->start < top->size;
}

static inline bool stacks_near(uint64_t a, uint64_t b)
{
	return a - b + STACKS_NEAR <= 2 * (uint64_t)STACKS_NEAR;
}

/* Is it the frame of a trap or a signal that struck at @to? */
static inline bool stacks_struck_at(const struct hs_stack_frame *f, const struct hs_block *to)
{
	return (f->how == HS_FRAME_TRAP || f->how == HS_FRAME_SIGNAL) && f->has_resume &&
	       stacks_near(f->resume, to->iaddr) &&
	       (f->mode == to->priv || f->mode == HS_PRIV_UNKNOWN || to->priv == HS_PRIV_UNKNOWN);
}

/* Is @t of the current context, as far as both are known? */
static inline bool stacks_may_run(const struct hs_stacks *s, const struct stack *t)
{
	const struct program_at *at = &s->select.at;

	return !t->has_context || !at->has_context || t->context == at->context;
}

/* Open a frame of @f on the hart's stack.  HS_OK or HS_E_MEMORY. */
enum hs_status stacks_open(struct hs_stacks *s, const struct stacks_function *f, uint8_t how,
                           const uint64_t *resume);
/* Close frames; at least one is left. */
void stacks_close(struct stack *t, uint32_t n);
/* Of the frames only the innermost function is known: the others may be those of another stack. */
static inline void stacks_assume(struct stack *t)
{
	t->assumed = t->depth - 1;
}
/* longjmp() may lead to @addr while the innermost frame is open.  HS_OK or HS_E_MEMORY. */
enum hs_status stacks_mark(struct stack *t, uint64_t addr);

/* Begin a stack with one frame; the hart leaves its own, which waits if @park.  HS_OK or
 * HS_E_MEMORY. */
enum hs_status stacks_begin(struct hs_stacks *s, const struct stacks_function *f, uint8_t how,
                            bool park);
/* Go on with a waiting stack; the hart's own waits, if @park.  HS_OK or HS_E_MEMORY. */
enum hs_status stacks_switch(struct hs_stacks *s, size_t waiting, bool park);
void stacks_free_stack(struct stack *t);

/* The hart's stack, which waited at its innermost frame's return, may be another one: of
 * @several that waited there, or one that the flow has nothing of.  HS_OK or HS_E_MEMORY. */
enum hs_status stacks_doubt(struct stack *t, uint64_t since, bool several);
/* Control returned to @to, which the hart's stack does not expect: take the stack that does, of
 * those that it may be, with its innermost frame returning there.  @status: HS_OK or HS_E_MEMORY.
 * False: there is none. */
bool stacks_correct(struct hs_stacks *s, const struct hs_block *to, enum hs_status *status);
/* It is one of which the flow has nothing: the hart's stack is as it waited, and may be left.
 * False: there was no doubt, or nothing ran before the flow began. */
bool stacks_put_back(struct hs_stacks *s);
/* Control returned to @to, as the hart's stack expects: is there no other one that it may be? */
void stacks_confirm(struct hs_stacks *s, const struct hs_block *to);

/* ---- arrivals ------------------------------------------------------------------------------ */

/* Control came to a block by a return or a jump that is not what the innermost frame expects. */
enum hs_status stacks_arrive(struct hs_stacks *s, const struct hs_block *to,
                             struct hs_stack_step *step);
/* By a trap; by a return from one. */
enum hs_status stacks_take_trap(struct hs_stacks *s, const struct hs_block *to,
                                struct hs_stack_step *step);
enum hs_status stacks_return_from_trap(struct hs_stacks *s, const struct hs_block *to,
                                       struct hs_stack_step *step);

#endif
