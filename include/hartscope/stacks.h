/* Call stacks of a flow: which functions are open, from where control went.
 *
 * A call opens a frame, and the return that leads after the call closes it.  Everything else that
 * moves control between functions is followed by where it arrives: tail calls replace a frame;
 * longjmp() arrives where a setjmp() returned before; an exception arrives at a landing pad of a
 * frame whose pending call it has in its table (.gcc_except_table); a trap or a signal opens a
 * frame, and what leads back to where it struck closes it; a switch between coroutines or tasks
 * arrives where another stack waits, and that stack is the current one from then on.
 *
 * A trace has no stack pointer.  So two things cannot be known: which of several stacks goes on
 * that wait at the same address with different callers, and to which of several frames of one
 * function, called from the same place, a longjmp() leads.  Then the one that waits longest, and
 * the innermost frame, are taken, and hs_stack_step says that it is not sure.
 *
 * A flow that begins in the middle, or goes on after a gap, begins with one frame whose caller is
 * not known (HS_FRAME_FOUND); returns from it find its callers.  Other stacks may wait then of
 * which the flow has nothing: after each switch to a stack that waits, only the functions which
 * control reached since are sure.
 *
 * Threads: an object belongs to one thread at a time, and so do the programs that it was given.
 */
#ifndef HARTSCOPE_STACKS_H
#define HARTSCOPE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/guest.h>
#include <hartscope/program.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_stacks;

/** Why a frame is open. */
enum hs_frame_how {
	HS_FRAME_FOUND,  /**< the flow began inside of it: its caller is not known */
	HS_FRAME_CALL,   /**< it was called */
	HS_FRAME_TRAP,   /**< an exception or interrupt led to it */
	HS_FRAME_SIGNAL, /**< a handler of a signal */
	HS_FRAME_START /**< the first one of a coroutine, or of a flow that begins with it */
};

/** An open function. */
struct hs_stack_frame {
	const char *name; /**< of the function in which control is; NULL: no symbol covers it */
	uint64_t start;   /**< address of that function; without a name that where control came */
	uint64_t size;    /**< its bytes; 0 without a name */
	const char *file; /**< path of the file that has it; NULL: not known */
	uint64_t resume;  /**< where a return from the frame leads, with has_resume */
	uint64_t tag;     /**< yours: 0 in a new frame, kept until it ends */
	uint8_t how;      /**< enum hs_frame_how */
	uint8_t mode;     /**< enum hs_priv: of a trap, the mode in which it struck */
	bool has_resume;
	bool own_file; /**< @file is the program's first, or the kernel */
	bool tail;    /**< a tail call led to the function in which control is */
	uint8_t role; /**< private */
};

/** What happened before a block to the current stack.  With HS_STACK_SWITCH and HS_STACK_START look
 * at all frames. */
struct hs_stack_step {
	uint32_t move;   /**< enum hs_stack_move */
	uint32_t closed; /**< frames that ended, innermost first */
	uint32_t opened; /**< then frames that began */
	bool sure;       /**< false: the texts at the top of this file apply */
};

/** What to follow. */
struct hs_stacks_options {
	uint32_t size;                         /**< sizeof(struct hs_stacks_options) */
	struct hs_program *program;            /**< names and landing pads; kept */
	const struct hs_program_set *programs; /**< the programs of contexts, or NULL; kept */
	struct hs_guest *guest;                /**< names of functions, or NULL; kept */
};

/**
 * Start.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No program; members that this library lacks.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_stacks_new(const struct hs_stacks_options *options,
                                    struct hs_stacks **stacks);
HS_API void hs_stacks_free(struct hs_stacks *stacks); /**< NULL is allowed */

/**
 * Follow a block or an event.
 * @param[out] step  What happened before the block's first instruction.  Of an event nothing:
 *                   zero.  Kept are the newest frames of a stack, 2,097,152 at least; what is
 *                   older may be dropped.
 * @retval HS_OK
 * @retval HS_E_MEMORY  Only free it now.
 */
HS_API enum hs_status hs_stacks_follow(struct hs_stacks *stacks, const struct hs_block *block,
                                       struct hs_stack_step *step);

/**
 * The frames of the hart that the flow is in, outermost first.
 * @param[out] count  How many; 0 before the hart's first block.
 * @return The frames, valid until the next call with @stacks; their tags may be written.
 */
HS_API struct hs_stack_frame *hs_stacks_frames(struct hs_stacks *stacks, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
