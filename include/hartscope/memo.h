/* A decoder's cache of what it decoded before.
 *
 * Programs repeat themselves, and so does their trace.  A memo keeps cached paths: a place in the
 * program, the bytes of the messages that came there, and the blocks that they led through.  Where
 * the same bytes come at the same place again, the decoder copies the blocks, and neither reads the
 * messages nor follows the program.
 *
 * A memo changes how fast a decoder is, and nothing else: items, counters, diagnostics and states
 * are those of a decoder without one.  It is the caller's memory, of any size; a full memo starts
 * afresh.  It is filled by one decoder, which belongs to one thread at a time.
 */
#ifndef HARTSCOPE_MEMO_H
#define HARTSCOPE_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Paths that a memo may have, as a power of two: least and most. */
#define HS_MEMO_PATHS_MIN 16u
#define HS_MEMO_PATHS_MAX (1u << 24)

struct hs_memo;

/** Bytes of memory that hs_memo_init() needs for @paths paths, of eight blocks each on average. */
HS_STATIC size_t hs_memo_memory(uint32_t paths);

/**
 * Start an empty memo.
 * @param memory  hs_memo_memory(runs) bytes, aligned for uint64_t; kept until the last use.
 * @param paths    A power of two, HS_MEMO_PATHS_MIN to HS_MEMO_PATHS_MAX.
 * @retval HS_OK
 * @retval HS_E_ARG  paths is no such number, or memory is NULL or misaligned.
 */
HS_STATIC enum hs_status hs_memo_init(struct hs_memo *m, void *memory, uint32_t paths);

/** Paths that were found, and messages or groups of them for which none was. */
struct hs_memo_stats {
	uint64_t hits, misses;
	uint64_t kept;    /**< paths that were added */
	uint64_t emptied; /**< times that the memo started afresh */
};

/** @param path  Valid until the function returns. */
typedef void hs_memo_count_fn(void *to, const struct hs_path_count *path);

/**
 * Count paths, for callers that need no order of blocks: a decoder with this memo does not write
 * the blocks of paths that it finds, but counts them.  Instead it writes a note (HS_NOTE_COUNTED)
 * and the last path of each row.  The blocks that are written and those that are counted are
 * together those of a decoder without a memo.
 * @param take  Gets each path that was counted, with how often, when hs_memo_flush() is called, and
 *              during a call of the decoder: when the memo has no room, when the program or the
 *              privilege changes, and before an event after which blocks belong to another hart,
 *              context or moment.  What it gets belongs to those that were current when the call
 *              began.  NULL: blocks are written again.
 * @param to    Its first argument.
 *
 * The decoder's counters of messages are those of the last flush.
 */
HS_STATIC void hs_memo_count(struct hs_memo *m, hs_memo_count_fn *take, void *to);

/** Give what was counted: at the end, or whenever it is wanted between two calls of the decoder,
 * and before its memory, or that of the decoder, is used for something else. */
HS_STATIC void hs_memo_flush(struct hs_memo *m);

struct hs_bb_table;
struct hs_code_guide;
struct hs_et_data_coder;

/** What a decoder of either protocol may have beyond its program (hs_nt_decoder_set(),
 * hs_et_decoder_set()).  What pointers lead to is kept. */
struct hs_decoder_options {
	uint32_t size; /**< sizeof(struct hs_decoder_options) */
	/** Several programs: where a message names context contexts[i], its source continues in
	 * tables[i].  N-Trace: Ownership messages do (NT 7.1).  E-Trace: synchronising packets and
	 * those of traps (ET Format 3 packets); a context packet has no address (ET Table
	 * context-type) and selects nothing.  In a context that is not in the list nothing is
	 * known, but with others_run_first (design/contexts). */
	size_t count;
	struct hs_bb_table *const *tables;
	const uint64_t *contexts;
	/** Remembers decoded messages, and is emptied first; NULL: none are.  It has no effect on
	 * what is decoded.  It is not used with several programs, where messages name their source
	 * (N-Trace: if it counts), with data trace, for 0.026 and HS_ET_FAST. */
	struct hs_memo *memo;
	/** Take at most so many blocks from one message, more are damage
	 * (HS_REASON_BLOCKS_LIMIT); 0: the default, HS_MESSAGE_BLOCKS.  What has come when the
	 * limit is met may be up to the size of the caller's array more. */
	uint64_t message_blocks;
	/** E-Trace: enum hs_et_care, or a sum of them: how sure the decoder has to be after damage.
	 * Framings of E-Trace do not show where packets begin: bytes after damage may pass for
	 * packets.  0: it writes blocks again from the next synchronising packet on whose address
	 * is code, and past code that is not known from the next address.  Else it writes nothing
	 * after damage until the flow led from one synchronising packet to the address of another
	 * one, without a fault (design/resync): damage costs one interval more.  Without effect
	 * where there is a guide. */
	unsigned care;
	/** E-Trace: decode data trace too: accesses are HS_KIND_DATA and HS_KIND_VALUE, where their
	 * packets stand, before the block of their instruction.  One coder for each source; NULL:
	 * data trace is skipped. */
	struct hs_et_data_coder *data;
	size_t data_count;
	/** Code changes while it is traced: says when, and has the tables of all sources, in place
	 * of @tables; NULL: it does not change. */
	const struct hs_code_guide *guide;
	/** Contexts that are not in the list run the program of no context: what it has is common
	 * to all of them, such as a kernel. */
	bool others_run_first;
};

#ifdef __cplusplus
}
#endif

#include <hartscope/private/flow.h>
#endif
