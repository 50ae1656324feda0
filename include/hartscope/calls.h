/* Calls: how often each function was called, returned to or entered by a trap, and who called whom.
 *
 * Takes blocks, and the events of fast profiles (HS_KIND_SOURCE, HS_KIND_TARGET), which describe
 * the same execution in another way: give one or the other.  A call, a return or a trap is counted
 * when the next block of the hart shows where it led; the last one of a flow, or before a gap, is
 * not counted.  A tail call is not a call.
 *
 * Threads: an object belongs to one thread at a time, and so do the programs that it was given.
 */
#ifndef HARTSCOPE_CALLS_H
#define HARTSCOPE_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/guest.h>
#include <hartscope/program.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_calls;

/** A function. */
struct hs_calls_function {
	const char *name; /**< NULL: no symbol covers the address */
	uint64_t start;   /**< address; 0 without a name */
	uint64_t calls;   /**< that led to it (itype 8, 9, 12) */
	uint64_t returns; /**< to it, from functions and from traps (itype 13, 3) */
	uint64_t traps;   /**< exceptions and interrupts that led to it (itype 1, 2) */
	const char *file; /**< path of the file that has it; NULL: not known */
	bool own_file;    /**< that is the program's first, or the kernel */
};

/** Calls from one function to another. */
struct hs_calls_edge {
	size_t caller, callee; /**< indices of functions */
	uint64_t calls;
	uint64_t inferred;
		/**< of them: a fast profile did not report the source, so that the caller
	                        is the function of the target before; after a tail call it is not */
};

/** Calls of a flow. */
struct hs_calls_result {
	uint64_t calls, returns, traps; /**< in all */
	const struct hs_calls_function *functions; /**< the most called first */
	size_t function_count;
	const struct hs_calls_edge *edges; /**< the most frequent first */
	size_t edge_count;
};

/**
 * Start counting.
 * @param program   Names; kept.
 * @param programs  The programs of contexts, or NULL; kept.
 * @retval HS_OK
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_calls_new(struct hs_program *program,
                                   const struct hs_program_set *programs, struct hs_calls **calls);
/** Name functions by a guest, too, which is kept; before the first block.  NULL: no guest. */
HS_API void hs_calls_set_guest(struct hs_calls *calls, struct hs_guest *guest);
HS_API void hs_calls_free(struct hs_calls *calls); /**< NULL is allowed */

/** Count blocks and events. @retval HS_OK @retval HS_E_MEMORY  Only free it now. */
HS_API enum hs_status hs_calls_add(struct hs_calls *calls, const struct hs_block *blocks, size_t n);

/** Count the calls in blocks that came several times, and from the last of them to the next block,
 * as hs_memo_count() gives them.  Results as hs_calls_add(). */
HS_API enum hs_status hs_calls_add_run(struct hs_calls *calls, const struct hs_run_count *run);

/**
 * What was counted so far.
 * @param[out] result  Its arrays are valid until the next call with @calls.
 * @retval HS_OK
 * @retval HS_E_MEMORY  Only free it now.
 */
HS_API enum hs_status hs_calls_get_result(struct hs_calls *calls, struct hs_calls_result *result);

#ifdef __cplusplus
}
#endif
#endif
