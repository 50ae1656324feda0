/* What a decoder remembers of messages that it decoded before.
 *
 * Programs repeat themselves, and so does their trace.  A memo keeps runs: a place in the program,
 * the bytes of the message that came there, and the blocks that it led through.  Where the same
 * bytes come at the same place again, the decoder copies the blocks and follows nothing.
 *
 * A memo changes how fast a decoder is, and nothing else: items, counters, diagnostics and states
 * are those of a decoder without one.  It is the caller's memory, of any size; a full memo starts
 * afresh.  It is filled by one decoder, which belongs to one thread at a time.
 */
#ifndef HARTSCOPE_MEMO_H
#define HARTSCOPE_MEMO_H

#include <stddef.h>
#include <stdint.h>

#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Runs that a memo may have, as a power of two: least and most. */
#define HS_MEMO_RUNS_MIN 16u
#define HS_MEMO_RUNS_MAX (1u << 24)

struct hs_memo;

/** Bytes of memory that hs_memo_init() needs for @runs runs, of eight blocks each on average. */
HS_API size_t hs_memo_memory(uint32_t runs);

/**
 * Start an empty memo.
 * @param memory  hs_memo_memory(runs) bytes, 8-byte aligned; kept until the last use.
 * @param runs    A power of two, HS_MEMO_RUNS_MIN to HS_MEMO_RUNS_MAX.
 * @retval HS_OK
 * @retval HS_E_ARG  runs is no such number, or memory is NULL or misaligned.
 */
HS_API enum hs_status hs_memo_init(struct hs_memo *m, void *memory, uint32_t runs);

/** Runs that were found, and messages or groups of them that were looked for in vain. */
struct hs_memo_stats {
	uint64_t hits, misses;
	uint64_t kept;    /**< runs that were added */
	uint64_t emptied; /**< times that the memo started afresh */
};

HS_API const struct hs_memo_stats *hs_memo_get_stats(const struct hs_memo *m);

#ifdef __cplusplus
}
#endif

#include <hartscope/private/memo.h>
#endif
