/* RISC-V E-Trace: reader, writer and decoder, and all of its other headers: parameters
 * (et_config.h), packets (et_packet.h), encoder (et_encoder.h), discovery (et_discovery.h).
 *
 * Clauses are cited as in et_config.h.  Addresses are byte addresses as the hart sees them; offsets
 * are bytes from the first byte ever given to a reader.  Nothing here allocates, blocks, or keeps a
 * pointer into the input.
 *
 * Threads: one reader or decoder belongs to one thread at a time.  Two of them share nothing but the
 * table of basic blocks, if the caller gives both the same one: then both belong to one thread.
 */
#ifndef HARTSCOPE_ETRACE_H
#define HARTSCOPE_ETRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/et_config.h>
#include <hartscope/et_discovery.h>
#include <hartscope/et_encoder.h>
#include <hartscope/et_packet.h>
#include <hartscope/flow.h>
#include <hartscope/image.h>
#include <hartscope/private/et_layout.h>
#include <hartscope/reason.h>
#include <hartscope/span.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- reader and writer ----------------------------------------------------------- */

/** Cuts a stream into packets.  Plain data; hs_et_reader_init() starts it. */
struct hs_et_reader {
	struct hs_et_config config;
	struct hs_et_layout layout;
	uint64_t offset; /**< of the next byte to take */
	uint64_t start;  /**< of the packet being collected */
	uint64_t nulls;  /**< null packets skipped (EE Null Encapsulation) */
	uint16_t held;   /**< bytes in buffer */
	uint8_t buffer[HS_ET_PACKET_MAX];
};

/** Start. @param config  A good one; copied. */
HS_API void hs_et_reader_init(struct hs_et_reader *r, const struct hs_et_config *config);

/** Run-time options change the layout of later packets: tell the reader those of a support packet. */
HS_API void hs_et_reader_options(struct hs_et_reader *r, unsigned options);

/** Options of a support packet as enum hs_et_option; those that its layout lacks are the config's. */
HS_API unsigned hs_et_packet_options(const struct hs_et_config *c, const struct hs_et_packet *p);

/**
 * The next packet.  The input may stop anywhere: how a stream is cut never changes its packets.
 *
 * @param[in,out] in  Moved past the bytes taken.
 * @param[out] p      With HS_OK the packet; with HS_E_FIELD what could be read of it.
 *
 * @retval HS_OK         *p is a packet; HS_ET_FORM_OTHER has no fields.
 * @retval HS_MORE       The input is used up.
 * @retval HS_E_FIELD    A format or subformat that the version does not have, bits beyond the last field that
 *                       are no sign extension, a reserved branch_fmt, encoder_mode, control_code or support_type,
 *                       no room for a payload.  p->bits is the bit of the payload at fault.  The packet was
 *                       skipped; call again.
 */
HS_API enum hs_status hs_et_read(struct hs_et_reader *r, struct hs_span *in, struct hs_et_packet *p);

/** Is the stream complete? @retval HS_OK @retval HS_E_TRUNCATED  It ends inside a packet. */
HS_API enum hs_status hs_et_reader_end(const struct hs_et_reader *r);

/**
 * Write one packet: the fields of its form, cut to their widths, with the framing.
 * @param out  Room for HS_ET_PACKET_MAX bytes.
 * @return  Bytes written; 0 when the version has no such form.
 */
HS_API size_t hs_et_write(const struct hs_et_config *c, const struct hs_et_packet *p, uint8_t *out);

/* ---- decoder ------------------------------------------------------------------- */

/** Entries of output that one call of the decoder needs at least. */
#define HS_ET_DECODE_ROOM 16

/** What a decoder found wrong.  Valid until the next call on the decoder. */
struct hs_et_diag {
	enum hs_reason reason;
	enum hs_status status; /**< hs_reason_status() */
	const char *clause; /**< hs_reason_et_clause(), such as "ET Decoder next_pc"; that of a field for
	                         HS_REASON_FIELD */
	const char *text;   /**< hs_reason_text(): one short sentence */
	uint64_t pc;        /**< where the walk stood; 0 before the first synchronisation */
	struct hs_et_packet packet; /**< at fault: offset, bits and field values */
};

/** Decoder of one source (srcID).  Private; the caller gives an array of them. */
struct hs_et_source {
	struct hs_track track;
	struct hs_path path;
	uint64_t address;  /* as last reported */
	uint64_t context;
	uint8_t phase;     /* of the current packet: enum et_phase */
	uint8_t priv;
	uint8_t options;   /* enum hs_et_option, as last reported */
	bool inferred;     /* the address was met, but it may be meant to be met again (ET Format 2 updiscon) */
	bool contexted;
	uint8_t landed;    /* 0.026: what the last packet named: enum et_landed */
	uint64_t cache[1 << HS_ET_CACHE_MAX];
	uint8_t states[1 << HS_ET_BPRED_MAX];
};

/** Counters of a decoder. */
struct hs_et_stats {
	uint64_t packets[HS_ET_FORMS]; /**< by form */
	uint64_t bytes[HS_ET_FORMS];
	uint64_t errors;    /**< data errors reported */
	uint64_t skipped;   /**< packets skipped for want of synchronisation */
	uint64_t ambiguous; /**< 0.026: packets that fit two places, or an instruction that may
	                         not have retired; HS_NOTE_AMBIGUOUS marks each */
};

/** Decoder of a stream: split by srcID in one pass.  Private; in the caller's memory. */
struct hs_et_decoder {
	struct hs_et_config config;
	struct hs_et_reader reader;
	struct hs_et_source *sources;
	struct hs_stream stream;
	struct hs_et_packet packet; /* the current packet */
	struct hs_et_diag diag;
	struct hs_et_stats stats;
};

/**
 * @param table    Basic blocks of the program (hs_bb_init()); kept.
 * @param sources  Memory for as many sources as the stream may have, at least 1; kept.
 * @retval HS_OK
 * @retval HS_E_CONFIG  See hs_et_config_check().
 * @retval HS_E_ARG     source_count is 0.
 */
HS_API enum hs_status hs_et_decoder_init(struct hs_et_decoder *d, const struct hs_et_config *config,
                                         struct hs_bb_table *table, struct hs_et_source *sources,
                                         size_t source_count);

/**
 * Several programs: where a packet names context contexts[i], its source goes on in tables[i].  Synchronising packets and
 * those of traps do so (ET Format 3 packets); a context packet has no place (ET Table context-type), and selects
 * nothing.  A context that is not in the list changes nothing.
 * Call it after hs_et_decoder_init(), whose table is the program before the first context.  The arrays are kept.
 */
HS_API void hs_et_decoder_programs(struct hs_et_decoder *d, struct hs_bb_table *const *tables,
                                   const uint64_t *contexts, size_t count);

/**
 * Decode: bytes in, blocks and events out, in order.
 *
 * Blocks are canonical (block.h).  A source's first block comes after its first synchronising packet.  When a
 * stream has srcID, HS_KIND_HART stands before the first item of each source and wherever the source changes.
 *
 * @param[in,out] in  Moved past the bytes taken; they may stop anywhere.
 * @param[out] n      Entries of @out written; also with every error.
 *
 * @retval HS_MORE         The input is used up.
 * @retval HS_FULL         @out is full; call again with the same input.
 * @retval HS_E_FIELD      A packet that the version does not have (ET Packets).
 * @retval HS_E_HIST       More or fewer branches than the program has on the way (ET Format 1 packets).
 * @retval HS_E_FLOW       The packet does not fit the instruction reached, or jumps lead in a circle.
 * @retval HS_E_NOCODE     The flow leads to an address without code.
 * @retval HS_E_LOST       The encoder lost packets (ET Format 3 subformat 3 qual_status); or after
 *                         hs_et_decoder_lose().
 * @retval HS_E_UNSUPPORTED  A trap whose handler's address is not known (ET Implicit exception mode).
 * @retval HS_E_SPACE      cap is below HS_ET_DECODE_ROOM.
 * @retval HS_E_SOURCES    The stream has more sources than memory was given for; the packet is skipped.
 * After an error *n entries are good, the last of them an HS_KIND_GAP for each source that lost
 * synchronisation.  hs_et_decoder_diag() has the details.  Call again: decoding resumes at the next
 * synchronising packet.
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
 * @retval HS_E_SPACE      cap is below HS_ET_DECODE_ROOM.
 * @retval HS_FULL         @out is full; call again.
 * @retval HS_E_TRUNCATED  The last packet has no end (EE Header).  Call again for the rest.
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
#endif
