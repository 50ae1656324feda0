/* RISC-V N-Trace: messages to blocks.
 *
 * Clauses are cited as in nt_config.h.  Addresses are byte addresses as the hart sees them;
 * half-words are 16-bit units, as in I-CNT (NT 8.4); offsets are bytes from the first byte ever
 * given to a decoder. Nothing here allocates, blocks, or keeps a pointer into the input.
 *
 * Threads: one decoder belongs to one thread at a time.  Two of them share nothing but the table of
 * basic blocks, if the caller gives both the same one: then both belong to one thread.
 */
#ifndef HARTSCOPE_NT_DECODER_H
#define HARTSCOPE_NT_DECODER_H

#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/image.h>
#include <hartscope/memo.h>
#include <hartscope/nt_config.h>
#include <hartscope/nt_message.h>
#include <hartscope/reason.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Entries of output that one call of the decoder needs at least. */
#define HS_NT_DECODE_ROOM 8

/** What a decoder found wrong.  Valid until the next call on the decoder. */
struct hs_nt_diag {
	enum hs_reason reason;
	enum hs_status status; /**< of the reason (tables/reasons.def) */
	const char *clause;    /**< of the reason, such as "NT 8.4.1" */
	const char *text;     /**< hs_reason_text(): one short sentence */
	uint64_t pc;          /**< where the walk stood; 0 before the first synchronisation */
	struct hs_nt_msg msg; /**< the message at fault: offset and field values */
};

/** Counters of a decoder. */
struct hs_nt_stats {
	uint64_t messages[64]; /**< by TCODE */
	uint64_t bytes[64];    /**< by TCODE */
	uint64_t errors;       /**< data errors reported */
	uint64_t skipped;      /**< messages skipped because their source was not synchronised */
};

/* Decoder of a stream (struct hs_nt_decoder) and of one source, SRC (struct hs_nt_source): in the
 * caller's memory. */
struct hs_nt_decoder;
struct hs_nt_source;

/**
 * Start.
 * @param table    Basic blocks of the program (hs_bb_init()); kept.
 * @param sources  Memory for as many sources as the stream may have, at least 1; kept.
 * @retval HS_OK
 * @retval HS_E_CONFIG  See hs_nt_config_check().
 * @retval HS_E_ARG     source_count is 0.
 */
HS_API enum hs_status hs_nt_decoder_init(struct hs_nt_decoder *d, const struct hs_nt_config *config,
                                         struct hs_bb_table *table, struct hs_nt_source *sources,
                                         size_t source_count);

/**
 * Several programs: where an Ownership message names scontext contexts[i] (NT 7.1), its
 * source continues in tables[i].  In a context that is not in the list nothing is known
 * (ADR-0070).
 * Call it after hs_nt_decoder_init(), whose table is the program before the first Ownership.
 * The arrays are kept.
 */
HS_API void hs_nt_decoder_programs(struct hs_nt_decoder *d, struct hs_bb_table *const *tables,
                                   const uint64_t *contexts, size_t count);

/** Take at most @blocks blocks from one message, more are damage (HS_REASON_BLOCKS_LIMIT); 0: the
 * default, HS_MESSAGE_BLOCKS.  What has come when the limit is met may be up to the size of the
 * caller's array more. */
HS_API void hs_nt_decoder_set_limit(struct hs_nt_decoder *d, uint64_t blocks);

/** Remember decoded messages in @memo (memo.h), which is kept and emptied first; NULL: no more.
 * After hs_nt_decoder_init().  It has no effect on what is decoded. It is not used with several
 * programs, with a guide, where messages name their source, and where returns are implicit. */
HS_API void hs_nt_decoder_set_memo(struct hs_nt_decoder *d, struct hs_memo *memo);

/** Where source @src stands.  False: no message named it yet. */
HS_API bool hs_nt_decoder_place(const struct hs_nt_decoder *d, uint32_t src,
                               struct hs_code_place *place);

/**
 * Decode: bytes in, blocks and events out, in order.
 *
 * Blocks are canonical (block.h).  A source's first block comes after its first
 * synchronising message (NT 8.5).  When a stream has SRC, HS_KIND_HART comes before the
 * first item of each source and wherever the source changes.
 *
 * @param[in,out] in  Moved past the bytes taken; they may stop anywhere.
 * @param[out] n      Entries of @out written; also with every error.
 *
 * @retval HS_MORE         @in is used up.
 * @retval HS_FULL         @out is full; call again with the same @in.
 * @retval HS_E_FRAMING    MSEO order not allowed (NT 3.1).
 * @retval HS_E_LONG       A message without an end (NT 3).
 * @retval HS_E_FIELD      A field missing or too wide (NT 6).
 * @retval HS_E_ICNT       I-CNT ends inside an instruction, or not where the message needs it
 *                         (NT 8.4).
 * @retval HS_E_HIST       HIST holds more or fewer branches than the program has on the way
 *                         (NT 8.3).
 * @retval HS_E_FLOW       The message does not fit the instruction reached (NT 7), or F-ADDR is
 *                         not where the flow leads (NT 8.5).
 * @retval HS_E_NOCODE     The flow leads to an address without code, or returns to a call that was
 *                         made there.
 * @retval HS_E_LOST       Error message: the encoder lost messages (NT 7.4); or after
 *                         hs_nt_decoder_lose().
 * @retval HS_E_SPACE      cap is below HS_NT_DECODE_ROOM.
 * @retval HS_E_SOURCES    The stream has more sources than memory was given for; the message is
 *                         skipped (NT 11.2).
 * After an error *n entries are good, the last of them an HS_KIND_GAP for each source that
 * lost synchronisation: the one that the message names, all of them when no message could be
 * read.  hs_nt_decoder_diag() has the details.  Call again: decoding resumes at the next
 * synchronising message.  After HS_E_NOCODE it resumes at the next message that has any address,
 * if code is known there: HS_KIND_UNSEEN comes before its blocks (ADR-0068).
 */
HS_API enum hs_status hs_nt_decoder_next(struct hs_nt_decoder *d, struct hs_span *in,
                                         struct hs_block *out, size_t cap, size_t *n);

/**
 * Part of the stream is missing before the next byte: a message that was cut is dropped, and every
 * source loses synchronisation.  If one was synchronised, the next call of hs_nt_decoder_next()
 * writes the gaps and returns HS_E_LOST (HS_REASON_INPUT_LOST).
 */
HS_API void hs_nt_decoder_lose(struct hs_nt_decoder *d);

/**
 * The stream is over: blocks that were still open are written with itype 0.
 * @retval HS_OK
 * @retval HS_E_NOCODE     As hs_nt_decoder_next(), by the rest of the last message.  Call again.
 * @retval HS_E_SPACE      cap is below HS_NT_DECODE_ROOM.
 * @retval HS_FULL         @out is full; call again.
 * @retval HS_E_TRUNCATED  The last message has no end (NT 3.1).  Call again for the rest.
 */
HS_API enum hs_status hs_nt_decoder_end(struct hs_nt_decoder *d, struct hs_block *out, size_t cap,
                                        size_t *n);

/** What was wrong when a call returned an error; owned by the decoder. */
HS_API const struct hs_nt_diag *hs_nt_decoder_diag(const struct hs_nt_decoder *d);
/** Counters so far; owned by the decoder. */
HS_API const struct hs_nt_stats *hs_nt_decoder_stats(const struct hs_nt_decoder *d);

#ifdef __cplusplus
}
#endif

#include <hartscope/private/nt_decoder.h>
#endif
