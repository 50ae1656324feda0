/* Stacks whose frames may be unsure. */
#ifndef HS_STACKS_STACKS_H
#define HS_STACKS_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/views.h>

/** What happened before a block. */
enum hs_stack_move {
	HS_STACK_SAME,   /**< control stays in its function */
	HS_STACK_CALL,   /**< a frame was opened */
	HS_STACK_RETURN, /**< the innermost frame was closed; its caller may be HS_FRAME_FOUND */
	HS_STACK_TAIL,   /**< the innermost frame is another function's now: its tag is kept */
	HS_STACK_TRAP,   /**< a trap or a signal opened a frame */
	HS_STACK_BACK,   /**< it was closed, with all frames in it */
	HS_STACK_UNWIND, /**< frames were closed by longjmp() or an exception */
	HS_STACK_SWITCH, /**< another stack is the current one */
	HS_STACK_START   /**< a stack begins: the first block, that after a gap, a coroutine */
};

/** Is the current stack the one that its frames are of?  False after a switch to one of several
 * that wait at one address, until a return shows which one it was (HS_STACK_SWITCH, if another);
 * and, in a flow that does not have the beginning of each stack, after a switch to any stack that
 * waits, until its frames have returned: there may be one that waits there, too, and that the flow
 * has nothing of. */
bool hs_stacks_are_sure(const struct hs_stacks *stacks);

/** How many frames of the current stack are sure: its innermost ones.  All of them, if
 * hs_stacks_are_sure(); else at least that of the function in which control is.  0 before the
 * hart's first block. */
size_t hs_stacks_count_sure(const struct hs_stacks *stacks);

/** How many open frames were dropped since the start: the outer half of a stack that had
 * 4,194,304, and all frames of the stack that waited longest where 4,096 waited.  What they would
 * have returned to is then found again (HS_FRAME_FOUND). */
uint64_t hs_stacks_count_forgotten(const struct hs_stacks *stacks);

#endif
