/* Calls: how often each function was called, returned to or entered by a trap, and who called whom.
 *
 * Takes blocks, and the events of fast profiles (HS_KIND_SOURCE, HS_KIND_TARGET), which say the same of one
 * execution.  A call, a return or a trap is counted where the flow goes on behind it; the last one of a flow,
 * or before a gap, is not.  Tail calls are no calls.
 */
#ifndef HARTSCOPE_CALLS_H
#define HARTSCOPE_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/program.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_calls;

/** A function. */
struct hs_calls_function {
	const char *name; /**< NULL: no symbol covers the address; start is 0 then */
	uint64_t start;
	uint64_t calls;   /**< that led to it (itype 8, 9, 12) */
	uint64_t returns; /**< to it, from functions and from traps (itype 13, 3) */
	uint64_t traps;   /**< exceptions and interrupts that led to it (itype 1, 2) */
};

/** Calls from one function to another. */
struct hs_calls_edge {
	size_t caller, callee; /**< indices of functions */
	uint64_t calls;
	uint64_t inferred; /**< of them: a fast profile did not tell from where, so that the caller is the
	                        function of its last target: not the caller where a tail call came between */
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
 * @param program   Names; kept.
 * @param programs  The programs of contexts, or NULL; kept.
 * @retval HS_OK
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_calls_new(struct hs_program *program, const struct hs_program_set *programs,
                                   struct hs_calls **calls);
HS_API void hs_calls_free(struct hs_calls *calls); /**< NULL is allowed */

/** Take blocks and events. @retval HS_OK @retval HS_E_MEMORY */
HS_API enum hs_status hs_calls_add(struct hs_calls *calls, const struct hs_block *blocks, size_t n);

/**
 * What was counted so far.
 * @param[out] result  Its arrays are valid until the next call with @calls.
 * @retval HS_OK @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_calls_result(struct hs_calls *calls, struct hs_calls_result *result);

#ifdef __cplusplus
}
#endif
#endif
