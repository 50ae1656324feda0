/* Code that changes while it is traced: a decoder asks a guide which code a source executes.
 *
 * The guide is the caller's.  It knows the moments of changes by the blocks that a source retired;
 * a trace that was made from a recording has them in TRACE.code.  It changes the bytes under a
 * table of basic blocks and calls hs_bb_forget(); the decoder goes on with the new code.
 *
 * Threads: its calls come from the thread of the decoder.
 */
#ifndef HARTSCOPE_CODE_GUIDE_H
#define HARTSCOPE_CODE_GUIDE_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/image.h>

#ifdef __cplusplus
extern "C" {
#endif

/** No change is known to come. */
#define HS_GUIDE_NEVER UINT64_MAX

/** begin(): the moments of changes are not known in blocks, so that place() is asked. */
#define HS_GUIDE_ADRIFT (UINT64_MAX - 1)

/** Who knows when code changes.  @to is given to each call; @src is the trace source (the hart). */
struct hs_code_guide {
	void *to;
	/**
	 * The first message of a source is about to be followed.
	 * @param[out] table  The basic blocks that this source executes, for it alone.
	 * @return  Blocks that it will retire before its next change; HS_GUIDE_NEVER;
	 *          HS_GUIDE_ADRIFT.
	 */
	uint64_t (*begin)(void *to, uint32_t src, struct hs_bb_table **table);
	/** It retired as many as the last call returned: its code changes.  Returns as begin(),
	 * counted from here; not 0. */
	uint64_t (*reach)(void *to, uint32_t src);
	/** Synchronisation was lost, so that blocks can no longer be counted, or begin() returned
	 * HS_GUIDE_ADRIFT: before each message, which is at byte @offset of the trace.  The code is
	 * that of this moment. */
	void (*place)(void *to, uint32_t src, uint64_t offset);
	/** The code may be none of those that the tables had: where the trace contradicts it,
	 * decoding resumes at the next address, as after code that is not known (ADR-0111). */
	bool doubts_code;
};

/** Where a source stands, for a guide that tries several versions of the code. */
struct hs_code_place {
	uint64_t offset; /**< byte of the last message that gave its full address; 0: none did */
	uint64_t since;  /**< blocks that were written since a message last gave an address */
	uint64_t open;   /**< address of the first instruction that retired and is in no block yet;
	                      that of the next one, if there is none */
	uint64_t pc;     /**< address after the last instruction that retired */
};

#ifdef __cplusplus
}
#endif
#endif
