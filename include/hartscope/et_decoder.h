/* RISC-V E-Trace: packets to blocks.
 *
 * Clauses are cited as in et_config.h.  Addresses are byte addresses as the hart sees them; offsets
 * are bytes from the first byte ever given to a decoder.  Nothing here allocates, blocks, or keeps
 * a pointer into the input.
 *
 * Threads: one decoder belongs to one thread at a time.  Two of them share nothing but the table of
 * basic blocks, if the caller gives both the same one: then both belong to one thread.
 */
#ifndef HARTSCOPE_ET_DECODER_H
#define HARTSCOPE_ET_DECODER_H

#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/et_config.h>
#include <hartscope/et_data.h>
#include <hartscope/et_packet.h>
#include <hartscope/image.h>
#include <hartscope/memo.h>
#include <hartscope/reason.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Entries of output that one call of the decoder needs at least. */
#define HS_ET_DECODE_ROOM 16

/** What a decoder found wrong.  Valid until the next call on the decoder. */
struct hs_et_diag {
	enum hs_reason reason;
	enum hs_status status; /**< of the reason (tables/reasons.def) */
	const char *clause;    /**< of the reason, such as "ET Decoder next_pc"; with
	                         HS_REASON_FIELD that of the field */
	const char *text;   /**< hs_reason_text(): one short sentence */
	uint64_t pc;        /**< where the walk stood; 0 before the first synchronisation */
	struct hs_et_packet packet; /**< at fault: offset, bits and field values */
};

/** Counters of a decoder. */
struct hs_et_stats {
	uint64_t packets[HS_ET_FORMS]; /**< by form */
	uint64_t bytes[HS_ET_FORMS];
	uint64_t errors;    /**< data errors reported */
	uint64_t skipped;   /**< packets skipped because their source was not synchronised */
	uint64_t ambiguous; /**< 0.026: packets that fit two places, or an instruction that may
	                         not have retired; HS_NOTE_AMBIGUOUS marks each */
	struct hs_et_data_counts data; /**< those of HS_ET_FORM_OTHER that are data trace */
};

/* Decoder of a stream (struct hs_et_decoder) and of one source, srcID (struct hs_et_source): in the
 * caller's memory. */
struct hs_et_decoder;
struct hs_et_source;

/**
 * Bytes that the tables of one source need: return addresses, jump target cache, branch predictor
 * (bpred_size, cache_size, call_counter_size, return_stack_size).
 * @return  A multiple of 8; 0 where all of them are 0, or the configuration is not good.
 */
HS_API size_t hs_et_source_memory(const struct hs_et_config *config);

/**
 * Start.
 * @param table    Basic blocks of the program (hs_bb_init()); kept.
 * @param sources  Memory for as many sources as the stream may have, at least 1; kept.
 * @param memory, bytes  For their tables: at least source_count * hs_et_source_memory(config),
 *                       aligned for uint64_t; kept.  NULL, 0 where that is 0.
 * @retval HS_OK
 * @retval HS_E_CONFIG  See hs_et_config_check().
 * @retval HS_E_ARG     source_count is 0.
 * @retval HS_E_SPACE   memory is NULL, or too small for the tables of source_count sources.
 */
HS_API enum hs_status hs_et_decoder_init(struct hs_et_decoder *d, const struct hs_et_config *config,
                                         struct hs_bb_table *table, struct hs_et_source *sources,
                                         size_t source_count, void *memory, size_t bytes);

/**
 * Several programs: where a packet names context contexts[i], its source continues in tables[i].
 * Synchronising packets and those of traps do so (ET Format 3 packets); a context packet has no
 * address (ET Table context-type) and selects nothing.  In a context that is not in the list
 * nothing is known (ADR-0070).  Call it after hs_et_decoder_init(), whose table is the program
 * before the first context. The arrays are kept.
 */
HS_API void hs_et_decoder_programs(struct hs_et_decoder *d, struct hs_bb_table *const *tables,
                                   const uint64_t *contexts, size_t count);

/** Remember decoded packets in @memo (memo.h), which is kept and emptied first; NULL: no more.
 * After hs_et_decoder_init().  It has no effect on what is decoded.  It is not used with several
 * programs, with a guide, where packets name their source or do not begin with their length, with
 * data trace, for 0.026 and HS_ET_FAST, and while returns are implicit, branches predicted or
 * targets cached. */
HS_API void hs_et_decoder_set_memo(struct hs_et_decoder *d, struct hs_memo *memo);

/** Take at most @blocks blocks from one packet, more are damage (HS_REASON_BLOCKS_LIMIT); 0: the
 * default, HS_MESSAGE_BLOCKS.  What has come when the limit is met may be up to the size of the
 * caller's array more. */
HS_API void hs_et_decoder_set_limit(struct hs_et_decoder *d, uint64_t blocks);

/** What a decoder that has to be sure takes for damage, of what a good stream may have, too
 * (ADR-0234). */
enum hs_et_care {
	HS_ET_CARE_AGREE = 1,   /**< only faults, as without care; and options that change where no
	                             synchronising packet follows (ADR-0259) */
	HS_ET_CARE_CODE = 2,    /**< a flow that leaves the code that is known */
	HS_ET_CARE_TYPES = 4,   /**< packets of types that were not announced (data trace:
	                            hs_et_decoder_set_data()), and a time where the parameters have
	                            none */
	HS_ET_CARE_OPTIONS = 8, /**< options other than those before, until they are reported twice;
	                             before the first report those of the parameters */
	HS_ET_CARE_ALL = 15
};

/** How sure the decoder has to be after damage; before the first packet.  Framings of E-Trace do
 * not show where packets begin: bytes after damage may pass for packets.  0, the default: it writes
 * blocks again from the next synchronising packet on whose address is code, and past code that is
 * not known from the next address.  Else it writes nothing after damage until the flow led from one
 * synchronising packet to the address of another one, without a fault (ADR-0135): damage costs one
 * interval more.
 * @param care  enum hs_et_care, or a sum of them.  Without effect where there is a guide. */
HS_API void hs_et_decoder_set_careful(struct hs_et_decoder *d, unsigned care);

/** Where source @src stands.  False: no message named it yet. */
HS_API bool hs_et_decoder_place(const struct hs_et_decoder *d, uint32_t src,
                               struct hs_code_place *place);

/**
 * Decode data trace too: accesses are HS_KIND_DATA and HS_KIND_VALUE, where their packets stand,
 * before the block of their instruction.
 * @param data   One for each source, of those that hs_et_decoder_init() was given; kept.
 * @param count  How many.
 * @retval HS_OK
 * @retval HS_E_ARG     Fewer than sources.
 * @retval HS_E_CONFIG  The framing of the dialect does not say which packets are data trace.
 */
HS_API enum hs_status hs_et_decoder_set_data(struct hs_et_decoder *d, struct hs_et_data_coder *data,
                                             size_t count);

/**
 * Decode: bytes in, blocks and events out, in order.
 *
 * Blocks are canonical (block.h).  A source's first block comes after its first synchronising
 * packet.  A packet with notify is HS_KIND_SYNC 6 where a trigger asked for it (ADR-0060).  When a
 * stream has srcID, HS_KIND_HART comes before the first item of each source and
 * wherever the source changes.
 *
 * @param[in,out] in  Moved past the bytes taken; they may stop anywhere.
 * @param[out] n      Entries of @out written; also with every error.
 *
 * @retval HS_MORE         The input is used up.
 * @retval HS_FULL         @out is full; call again with the same input.
 * @retval HS_E_FIELD      A packet that the version does not have (ET Packets).
 * @retval HS_E_HIST       More or fewer branches than the program has on the way (ET Format 1
 *                         packets).
 * @retval HS_E_FLOW       The packet does not fit the instruction reached, or jumps lead in a
 *                         circle (ET Decoder).
 * @retval HS_E_NOCODE     The flow leads to an address without code, or depends on what ran there.
 * @retval HS_E_LOST       The encoder lost packets (ET Format 3 subformat 3 qual_status); or after
 *                         hs_et_decoder_lose().
 * @retval HS_E_UNSUPPORTED  A trap whose handler's address is not known (ET Implicit exception
 *                         mode).
 * @retval HS_E_SPACE      cap is below HS_ET_DECODE_ROOM.
 * @retval HS_E_SOURCES    The stream has more sources than memory was given for; the packet is
 *                         skipped (EE srcID).
 * After an error *n entries are good, the last of them an HS_KIND_GAP for each source that lost
 * synchronisation.  hs_et_decoder_diag() has the details.  Call again: decoding resumes at the next
 * synchronising packet.  After HS_E_NOCODE it resumes at the next packet that has any address, if
 * code is known there: HS_KIND_UNSEEN comes before its blocks (ADR-0068).
 */
HS_API enum hs_status hs_et_decoder_next(struct hs_et_decoder *d, struct hs_span *in,
                                         struct hs_block *out, size_t cap, size_t *n);

/**
 * Part of the stream is missing before the next byte: a packet that was cut is dropped, and every
 * source loses synchronisation.  If one was synchronised, the next call of hs_et_decoder_next()
 * writes the gaps and returns HS_E_LOST (HS_REASON_INPUT_LOST).
 */
HS_API void hs_et_decoder_lose(struct hs_et_decoder *d);

/**
 * The stream is over: blocks that were still open are written.
 * @retval HS_OK
 * @retval HS_E_NOCODE     As hs_et_decoder_next(), by the rest of the last packet.  Call again.
 * @retval HS_E_SPACE      cap is below HS_ET_DECODE_ROOM.
 * @retval HS_FULL         @out is full; call again.
 * @retval HS_E_TRUNCATED  The last packet has no end (EE Header).  Call again for the rest.
 * @retval HS_E_LOST       With care: what came last is not confirmed (HS_REASON_UNCONFIRMED), or a
 *                         source was never synchronised (HS_REASON_NEVER_SYNCHRONISED); call again.
 */
HS_API enum hs_status hs_et_decoder_end(struct hs_et_decoder *d, struct hs_block *out, size_t cap,
                                        size_t *n);

/** What was wrong when a call returned an error; owned by the decoder. */
HS_API const struct hs_et_diag *hs_et_decoder_diag(const struct hs_et_decoder *d);
/** Counters so far; owned by the decoder. */
HS_API const struct hs_et_stats *hs_et_decoder_stats(const struct hs_et_decoder *d);

#ifdef __cplusplus
}
#endif

#include <hartscope/private/et_decoder.h>
#endif
