/* RISC-V N-Trace: parameters and dialects, messages, encoder, decoder.
 *
 * "NT x.y" is a clause of RISC-V N-Trace 1.0.0-rc7.  Which calls may run on several threads at once
 * is said with each part.
 */
#ifndef HARTSCOPE_NTRACE_H
#define HARTSCOPE_NTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/image.h>
#include <hartscope/memo.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- parameters ------------------------------------------------------------------------ */

/* N-Trace: the parameters of a stream, the same for its encoder and its decoder, and dialects.
 *
 * "NT x.y" is a clause of RISC-V N-Trace 1.0.0-rc7.
 *
 * Threads: no function here keeps or shares anything. Any of them may run in several threads at
 * once, on different structs.
 */

/** trTeInstMode (NT Table 7). */
enum hs_nt_mode { HS_NT_BTM = 3, HS_NT_HTM = 6 };

/** What periodic synchronisation counts (trTeInstSyncMode). */
enum hs_nt_sync_mode {
	HS_NT_SYNC_OFF = 0,
	HS_NT_SYNC_MESSAGES = 1,
	HS_NT_SYNC_CYCLES = 2, /**< cycles: the values of HS_KIND_TIME */
	HS_NT_SYNC_HALFWORDS = 3,
	HS_NT_SYNC_BYTES = 8 /**< bytes of trace; not a register value */
};

/** How a full I-CNT counter is reported (NT 8.4.4). */
enum hs_nt_icnt_full {
	HS_NT_ICNT_RESOURCE = 0, /**< ResourceFull, RCODE 0 */
	HS_NT_ICNT_SYNC = 1      /**< a synchronising message, SYNC 4, when HIST is not empty */
};

/** Dialects of N-Trace: rows of messages.def. */
enum hs_nt_dialect_id {
#define HS_NT_DIALECT(id, name, ...) HS_NT_DIALECT_##id,
#include <hartscope/tables/messages.def>
#undef HS_NT_DIALECT
	HS_NT_DIALECT_COUNT
};

/** Where encoders in the field differ: a row of messages.def. */
struct hs_nt_dialect {
	const char *name;          /**< as in --dialect */
	const char *text;          /**< one line for people */
	uint8_t start_sync;        /**< SYNC of the first message */
	uint8_t sync_max;          /**< trTeInstSyncMax, in messages, where it is not given; 0:
	                               never */
	uint8_t icnt_full_sync;    /**< I-CNT full in HTM may be SYNC 4 (NT 8.4.4) */
	uint8_t sync_resets_all;   /**< every SYNC resets the encoder; else not 0, 4, 6 (NT 8.5) */
	uint8_t btype_zero;        /**< B-TYPE is 0 for traps too */
	uint8_t cdf_by_hist;       /**< HTM: ProgTraceCorrelation has CDF 0 when HIST is empty */
	uint8_t implicit_any;      /**< decoder: returns may be implicit, whatever the
	                               configuration */
	uint8_t counts_8_9;        /**< RCODE 8, 9: number of branches not taken, taken */
	uint8_t tstamp_xor;        /**< timestamps are XORed with the last one */
	uint8_t repeat_keeps;      /**< RepeatBranch keeps the target; else replays the XOR (NT
	                               7.11) */
	uint8_t ecall_traps;       /**< ecall and ebreak never retire (ratified 8.4); else they are
	                               reported after retirement (rc7, Table 2) */
	uint8_t itype_7;           /**< the port may have itype 7 for direct jumps when
	                               all of them are reported (rc7, chapter 2) */
	uint8_t trap_after_xret;   /**< a trap right after a trap return: two synchronising messages
	                               (ratified 8.6) */
	uint8_t quiet_resume;      /**< a hart that resumes with its trace disabled reports nothing
	                               (ratified Table 25), else EVCODE 4 (rc7 Table 26) */
	uint8_t more;              /**< the messages of messages.def; SYNC 15: a sample
	                               of the PC, without flow (design/nt-vendor) */
	uint8_t icnt_bits;         /**< width of the I-CNT counter where it is not given; 0: 22 */
	uint8_t hist_at_once;      /**< a history is full, and sent, with its last branch; else
	                               before the next one is added (NT 8.3.1) */
	uint8_t last_message;      /**< no ProgTraceCorrelation right after a message that the last
	                               instruction caused */
	uint8_t stack_skips;       /**< the stack of return addresses fills a ring of one more place
	                               than it empties (design/nt-dialects) */
	uint8_t repeat_lengths[4]; /**< lengths of shorter histories that are tried for a repeat
	                                when two full ones differ, in this order; 0: no more (NT
	                                9.3) */
};

/**
 * Parameters of a stream, for its encoder and its decoder.  0 is the default of every member: a
 * zeroed struct with size set is HTM without SRC, without periodic synchronisation, with the widest
 * counters.
 */
struct hs_nt_config {
	uint32_t size;       /**< sizeof(struct hs_nt_config).  What a smaller struct lacks is 0;
	                          what a larger one has more must be 0 */
	uint8_t inst_mode;   /**< trTeInstMode: 3 or 6; 0 is 6.  A decoder follows the messages */
	uint8_t src_bits;    /**< trTeSrcBits: 0 (no SRC) to 12 */
	uint16_t src_id;     /**< trTeSrcID: encoder only; below 2^src_bits */
	uint8_t inhibit_src; /**< trTeInhibitSrc: no SRC although src_bits is set */
	uint8_t sync_mode;   /**< trTeInstSyncMode: enum hs_nt_sync_mode */
	uint8_t sync_max;    /**< trTeInstSyncMax: synchronise each 2^(n+4) units, 0..15 */
	uint8_t icnt_bits;   /**< width of the I-CNT counter, 4..22; its top bit is the overflow
	                          flag (NT Table 10); 0 is the dialect's, mostly 22 */
	uint8_t hist_bits;   /**< branches that HIST holds, 1..31 (the stop bit comes on top); 0
	                          is 31 */
	uint8_t icnt_full;   /**< enum hs_nt_icnt_full */
	uint8_t btype_plain; /**< traps are B-TYPE 1 in place of 2 and 3 (NT 6.2) */
	uint8_t hist_always; /**< HTM: IndirectBranchHist also where HIST is empty (NT 10, rule
	                          4) */
	uint8_t start_sync;  /**< SYNC of the first message (NT Table 25); 0 is the dialect's; not
	                          15 in SIFIVE, a sample there */
	uint8_t stop_evcode; /**< EVCODE of the last message: 0 debug mode, 4 trace disabled */
	uint8_t periodic_events;  /**< decoder: report SYNC 2 and 4 as events too */
	uint8_t dialect;          /**< enum hs_nt_dialect_id; 0 is rc7 */
	uint8_t sequential_jump;  /**< trTeInstEnSequentialJump (NT 9.1) */
	uint8_t implicit_return;  /**< trTeInstImplicitReturnMode: 0 off, 1 counting, 2 partial,
	                               3 full addresses (NT 9.2) */
	uint16_t call_stack;      /**< encoder: calls that it counts, or return addresses that it
	                               keeps, 1..1024; 0 is 32 */
	uint8_t return_bits;      /**< mode 2: low bits of an address that are compared, 2..63; 0
	                               is 16 */
	uint8_t repeated_history; /**< trTeInstEnRepeatedHistory (NT 9.3) */
	uint8_t hrepeat_bits;     /**< bits of HREPEAT and B-CNT, 1..18; 0 is 18 */
	uint8_t repeat_branch;    /**< RepeatBranch for equal branch messages (NT 7.11) */
	uint8_t all_jumps;        /**< trTeInstEnAllJumps: direct jumps are taken branches */
	uint8_t extend_addr;      /**< trTeInstExtendAddrMSB (NT 8.2) */
	uint8_t context;          /**< trTeContext: Ownership messages (NT 7.1) */
	uint8_t timestamps;       /**< trTsEnable: TSTAMP in each message (NT 8.7) */
	uint8_t itype_bits;       /**< width of itype at the ingress port, 3 or 4; 0 is 4 */
	uint8_t xlen;             /**< 32 or 64; 0 is 64: encoder, for extend_addr and
	                               address_bits */
	uint8_t stall;            /**< trTeInstStallEna: hs_nt_encode_port() stalls the hart */
	uint8_t reported_calls;   /**< with implicit_return: a return is inferred only when a
	                               message before reported its call (NT 9.2,
	                               design/nt-decoder) */
	uint8_t address_bits;     /**< bits of an address field, 2..63, bit 0 of the address left
	                               off: where its top one is 1, so are those above it, however
	                               many were sent; extend_addr then has no effect
	                               (design/nt-vendor).  0: as NT 8 says.  Sv39: 38,
	                               Sv48: 47, Sv57: 56 */
	uint8_t tstamp_bits;      /**< trTsWidth: bits of the counter that TSTAMP is of, 1..64; 0 is
	                               64.  Of fewer, an absolute TSTAMP has the low ones, and a
	                               decoder adds 2^tstamp_bits where time would go back (NT
	                               8.7, design/times) */
};

/**
 * Check a configuration.
 * @retval HS_OK
 * @retval HS_E_CONFIG  A value out of its range above; src_id not below 2^src_bits; implicit_return
 * with
 *                      itype_bits 3 (NT Table 2); size below 4; a byte past this struct that is
 *                      not 0.
 */
HS_STATIC enum hs_status hs_nt_config_check(const struct hs_nt_config *c);

/* ---- messages -------------------------------------------------------------------------- */

/* N-Trace: messages and their fields.
 *
 * Offsets are bytes from the first byte ever given to a reader.
 *
 * Threads: the functions here read constant tables. They may run in several threads at once.
 */

/** TCODE of every message that N-Trace 1.0 defines (NT Table 8), and those of dialects with `more`
 * (design/nt-vendor). */
enum hs_nt_tcode {
#define HS_NT_MSG(id, name, tcode, fields, clause) HS_NT_##id = (tcode),
#define HS_NT_MSG_SIFIVE HS_NT_MSG
#include <hartscope/tables/messages.def>
#undef HS_NT_MSG_SIFIVE
#undef HS_NT_MSG
};

/** Fields that a message can have, in no particular order. */
enum hs_nt_field {
#define HS_NT_FIELD(id, name, bits, limit, clause) HS_NTF_##id,
#include <hartscope/tables/messages.def>
#undef HS_NT_FIELD
	HS_NTF_COUNT
};

/** Bytes of a message whose fields are not known that a reader keeps as its payload. */
#define HS_NT_PAYLOAD_MAX 256

/** One message, as read or to be written. */
struct hs_nt_msg {
	uint64_t offset;   /**< of its first byte */
	uint16_t length;   /**< bytes */
	uint8_t tcode;     /**< enum hs_nt_tcode, or a vendor's or reserved one */
	bool known;        /**< tcode has a row in messages.def, or in the dialect's */
	uint16_t src;      /**< SRC; 0 where the stream has none */
	uint8_t addr_bits; /**< bits of F-ADDR or U-ADDR on the wire, at most 66.  To a writer: 0
	                        for as many as the value needs, else a multiple of 6 (NT 8.2) */
	uint8_t pad;
	uint32_t present;             /**< bit HS_NTF_x: the field was on the wire */
	uint64_t field[HS_NTF_COUNT]; /**< values; meaningless where not present */
};

static inline bool hs_nt_has(const struct hs_nt_msg *m, enum hs_nt_field f)
{
	return (m->present >> f) & 1u;
}

/** Messages and bytes by TCODE. */
struct hs_nt_counts {
	uint64_t messages[64];
	uint64_t bytes[64];
};

/* ---- reader ---------------------------------------------------------------------------- */

/* RISC-V N-Trace: bytes to messages and messages to bytes.
 *
 * Offsets are bytes from the first byte ever given to a reader. Nothing here allocates, blocks, or
 * keeps a pointer into the input.
 *
 * Threads: one reader belongs to one thread at a time; two of them share nothing.
 */

/** Cuts a stream of bytes into messages.  Plain data; a decoder starts it. */
struct hs_nt_reader {
	uint64_t offset; /**< of the next byte */
	uint64_t idle;   /**< idle bytes skipped so far (NT 3.1) */
	uint64_t start;  /**< offset of the last message, or of the one that is not complete */
	/* Private: */
	uint8_t src_bits;
	uint8_t skipping; /* inside bytes that are no message, up to their end */
	uint8_t more;     /* messages of messages.def, too */
	uint16_t held;    /* bytes of an unfinished message; those that fit are in buffer */
	uint16_t kept;    /* bytes of the last message in buffer, where its fields are not known */
	uint8_t buffer[HS_NT_PAYLOAD_MAX];
};

/* ---- encoder --------------------------------------------------------------------------- */

/* N-Trace encoder: retired blocks in, messages out (NT 10).
 *
 * Addresses are byte addresses as the hart sees them; half-words are 16-bit units, as in I-CNT (NT
 * 8.4). Nothing here allocates, blocks, or keeps a pointer into the input.
 *
 * Threads: one encoder belongs to one thread at a time. Two encoders share nothing.
 */

/* In the caller's memory. */
struct hs_nt_encoder;

/** Room that one call of the encoder may need at least, in bytes. */
#define HS_NT_ENCODE_ROOM 512

/**
 * Start the encoder of one hart.  struct hs_nt_encoder is plain data in the caller's memory and may
 * be copied; its members are private.
 * @param config  Copied.
 * @retval HS_OK
 * @retval HS_E_CONFIG  See hs_nt_config_check().
 */
HS_STATIC enum hs_status hs_nt_encoder_init(struct hs_nt_encoder *e,
                                            const struct hs_nt_config *config);

/** Look at runs of plain blocks first, from now on: the same bytes, in half the time, for 2 to 3
 * KiB more of code.  After hs_nt_encoder_init(); without effect with timestamps, repeated_history,
 * repeat_branch, extend_addr, address_bits and HS_NT_SYNC_HALFWORDS. */
HS_STATIC void hs_nt_encoder_use_runs(struct hs_nt_encoder *e);

/**
 * Encode blocks.  Events, which come before the block that they concern:
 * - HS_KIND_STOP: ProgTraceCorrelation with its EVCODE; the next block starts the trace again.
 *   While the trace is off, one more reports what else happened, such as debug mode (NT 8.6).
 * - HS_KIND_SYNC: the SYNC code of the next start (3 after debug mode, 9 after power-down); while
 *   the trace is on, a synchronising message with that code before the next block: a trigger (0),
 *   a watchpoint (6), a reset (1).
 * - HS_KIND_GAP: with HS_E_LOST messages did not get out, else like HS_KIND_STOP with EVCODE 4, as
 *   is a note that blocks were left out (HS_NOTE_LEFT_OUT).
 * - HS_KIND_CONTEXT: Ownership, when context is set (NT 7.1).
 * - HS_KIND_TIME: the time of what follows, when timestamps is set (NT 8.7) or cycles are counted:
 *   at which blocks end and events come.  A message with an address has the time of what led there,
 *   the end of the block before or a trigger; Error has that of the first message lost.
 * - Dialects with more: HS_NOTE_ACQUISITION: DataAcquisition; HS_NOTE_CIRCUIT and the
 *   HS_NOTE_CIRCUIT_DATA right after it: InCircuitTrace or, where no address was sent since
 *   messages were lost, InCircuitTraceSync; HS_KIND_SYNC with itype 15: a sample of the PC.  They
 *   go out at once, before a message that waits for an address.
 * Others are skipped.
 *
 * @param in, n       Blocks in order; they may be canonical or cut finer.
 * @param[out] used   Blocks taken.
 * @param out, cap    Room, at least HS_NT_ENCODE_ROOM bytes.
 * @param[out] len    Bytes written: whole messages.
 *
 * @retval HS_OK       All blocks were taken.
 * @retval HS_FULL     Call again with in + used and more room.
 * @retval HS_E_SPACE  cap is below HS_NT_ENCODE_ROOM; nothing was done.
 * @retval HS_E_BLOCK  in[*used] has an odd iaddr, or one that a field of address_bits does
 *                     not carry; itype 7, but where rc7 allows it for direct
 *                     jumps (all_jumps), or above 15; in dialect reference, an interrupt or an
 *                     exception without instructions, or the cause (HS_KIND_TRAP) of one that
 *                     is no ecall or ebreak: the trace is then off until the next block; more
 *                     half-words than the I-CNT counter holds: cut it first;
 *                     dialects with more: a reserved CKSRC, or a second datum without its first.
 *                     Blocks before it were encoded.
 */
HS_STATIC enum hs_status hs_nt_encode(struct hs_nt_encoder *e, const struct hs_block *in, size_t n,
                                      size_t *used, uint8_t *out, size_t cap, size_t *len);

/**
 * Encode one block or event into a queue that has little room, as hardware does.
 *
 * @param b         The block or event.
 * @param out, cap  Room left in the queue, any size.
 * @param[out] len  Bytes written: whole messages.
 *
 * @retval HS_OK       Taken.
 * @retval HS_FULL     config.stall is set and there is no room: nothing was taken, the hart
 *                     waits (trTeInstStallEna); call again with the same block.
 * @retval HS_E_LOST   config.stall is not set and there is no room: the messages are lost, and
 *                     so is what follows until there is room for Error and a synchronising
 *                     message (NT 7.4, 8.5).
 * @retval HS_E_BLOCK  As for hs_nt_encode().
 */
HS_STATIC enum hs_status hs_nt_encode_port(struct hs_nt_encoder *e, const struct hs_block *b,
                                           uint8_t *out, size_t cap, size_t *len);

/** End the trace with ProgTraceCorrelation (NT 7.12).  Same results as hs_nt_encode(). */
HS_STATIC enum hs_status hs_nt_encode_end(struct hs_nt_encoder *e, uint8_t *out, size_t cap,
                                          size_t *len);

/* ---- decoder --------------------------------------------------------------------------- */

/* RISC-V N-Trace: messages to blocks.
 *
 * Addresses are byte addresses as the hart sees them; half-words are 16-bit units, as in I-CNT (NT
 * 8.4); offsets are bytes from the first byte ever given to a decoder. Nothing here allocates,
 * blocks, or keeps a pointer into the input.
 *
 * Threads: one decoder belongs to one thread at a time. Two of them share nothing but the table of
 * basic blocks, if the caller gives both the same one: then both belong to one thread.
 */

/** Entries of output that one call of the decoder needs at least. */
#define HS_NT_DECODE_ROOM 8

/** What a decoder found wrong.  Valid until the next call on the decoder. */
struct hs_nt_diag {
	enum hs_reason reason;
	enum hs_status status; /**< of the reason (tables/status.def) */
	const char *clause;    /**< of the reason, such as "NT 8.4.1" */
	const char *text;      /**< hs_reason_text(): one short sentence */
	uint64_t pc;           /**< where the walk stood; 0 before the first synchronisation */
	struct hs_nt_msg msg;  /**< the message at fault: offset and field values */
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
HS_STATIC enum hs_status hs_nt_decoder_init(struct hs_nt_decoder *d,
                                            const struct hs_nt_config *config,
                                            struct hs_bb_table *table, struct hs_nt_source *sources,
                                            size_t source_count);

/**
 * Give the decoder more than it needs, before the first bytes: o->count programs of contexts, a
 * memo, a limit (memo.h).  What was given before is replaced.
 * @retval HS_OK
 * @retval HS_E_CONFIG  o->size is 0.
 */
HS_STATIC enum hs_status hs_nt_decoder_set(struct hs_nt_decoder *d,
                                           const struct hs_decoder_options *o);

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
 * @retval HS_E_LOST       Error message: the encoder lost messages (NT 7.4); or part
 *                         of the input is missing.
 * @retval HS_E_SPACE      cap is below HS_NT_DECODE_ROOM.
 * @retval HS_E_SOURCES    The stream has more sources than memory was given for; the message is
 *                         skipped (NT 11.2).
 * After an error *n entries are good, the last of them an HS_KIND_GAP for each source that
 * lost synchronisation: the one that the message names, all of them when no message could be
 * read.  hs_nt_decoder_diag() has the details.  Call again: decoding resumes at the next
 * synchronising message.  After HS_E_NOCODE it resumes at the next message that has any address,
 * if code is known there: HS_KIND_UNSEEN comes before its blocks (design/unmapped).
 */
HS_STATIC enum hs_status hs_nt_decoder_next(struct hs_nt_decoder *d, struct hs_span *in,
                                            struct hs_block *out, size_t cap, size_t *n);

/**
 * The stream is over: blocks that were still open are written with itype 0.
 * @retval HS_OK
 * @retval HS_E_NOCODE     As hs_nt_decoder_next(), by the rest of the last message.  Call again.
 * @retval HS_E_SPACE      cap is below HS_NT_DECODE_ROOM.
 * @retval HS_FULL         @out is full; call again.
 * @retval HS_E_TRUNCATED  The last message has no end (NT 3.1).  Call again for the rest.
 */
HS_STATIC enum hs_status hs_nt_decoder_end(struct hs_nt_decoder *d, struct hs_block *out,
                                           size_t cap, size_t *n);

/** What was wrong when a call returned an error; owned by the decoder. */
HS_STATIC const struct hs_nt_diag *hs_nt_decoder_diag(const struct hs_nt_decoder *d);

/* ---- private ------------------------------------------------------------------------
 *
 * Private state of N-Trace's encoder and decoder.  It stands here because the caller owns the
 * memory; no member may be relied upon.
 */

struct nt_output;

struct hs_nt_encoder {
	struct hs_nt_config config;
	/* Runs of plain blocks (plain.c); NULL: it is not used, and not linked. */
	size_t (*runs)(struct hs_nt_encoder *e, struct nt_output *out, const struct hs_block *b,
	               size_t n);
	const struct hs_nt_dialect *dialect;
	uint64_t ref;    /* reference address (NT 8.1) */
	uint64_t sign;   /* bits of an address field that are equal (design/nt-vendor); 0: none need
			  * be */
	uint64_t expect; /* address after the last block, when follow */
	uint64_t filled_at;     /* address after the branch that filled HIST (hist_at_once) */
	uint64_t predicted;     /* target of a pending return, by the return stack */
	uint64_t icnt;          /* half-words since the last I-CNT */
	uint64_t count;         /* units since the last synchronising message */
	uint64_t interval;      /* units between them; 0: never */
	uint64_t time;          /* of what follows */
	uint64_t time_sent;     /* as last reported */
	uint64_t event_time;    /* of what the next address, or a synchronisation, follows from */
	uint64_t count_time;    /* of the last branch counted in repeats or held_times */
	uint64_t lost_time;     /* of the first message lost, when lost */
	uint64_t context[2];    /* scontext, hcontext */
	uint64_t circuit_first; /* CKDATA of in-circuit trace, whose CKDATA1 comes next */
	uint64_t repeats;       /* of the last branch message, not reported yet */
	uint64_t last[4];       /* B-TYPE, I-CNT, U-ADDR, HIST of the last branch message */
	uint32_t pending;       /* what the next address completes: enum pending in emit.h */
	uint32_t icnt_limit;    /* I-CNT from which on a counter of icnt_bits has overflowed */
	uint32_t sync;          /* SYNC of a pending synchronising message, plus 1; 0: none */
	uint32_t hist;          /* HIST with its stop bit */
	uint32_t held;          /* a full history that may repeat, with its stop bit; 0: none */
	uint32_t held_times;    /* how often it came so far */
	uint32_t repeat_limit;  /* greatest HREPEAT and B-CNT */
	uint32_t new_calls;     /* not 0: calls that no message reported yet */
	uint8_t classes[16];    /* by itype: enum class in plain.c */
	uint8_t hist_n;         /* branches in hist */
	uint8_t held_n;         /* branches in held */
	uint8_t btype;          /* B-TYPE of a pending indirect branch */
	uint8_t jump;           /* itype of the block before it */
	uint8_t jump_size;      /* half-words of its last instruction */
	uint8_t last_tcode;     /* of the message just sent, when it may repeat */
	uint8_t priv;           /* as last reported */
	uint8_t contexts;       /* bit f: context of FORMAT f is known (NT Table 12) */
	uint8_t ownership_pending; /* bit f: Ownership of FORMAT f waits for an address */
	bool running;              /* between the first ProgTraceSync and a correlation */
	bool started;              /* there was a ProgTraceSync */
	bool stopped;              /* there was a ProgTraceCorrelation */
	uint8_t evcode;            /* of the last one */
	uint8_t circuit;           /* CKSRC of circuit_first, plus 1; 0: none waits */
	bool ref_known;            /* ref was sent since messages were lost */
	bool lost;                 /* messages were lost since the last one sent, but for Error */
	bool error_sent;           /* Error was sent since, as the last message */
	uint32_t follow;           /* expect is meaningful */
	struct hs_returns returns;
	struct hs_nt_counts written;
	uint32_t sync_due; /* periodic synchronisation is due */
	/* pending, sync, sync_due and follow are apart from each other: read together right after
	 * one was written, they would wait for the store. */
};

struct flow_out;

/* One source (SRC). */
struct hs_nt_source {
	struct hs_track track;
	struct hs_evidence evidence;
	uint64_t ref;       /* reference address (NT 8.1) */
	uint64_t icnt_full; /* I-CNT reported by ResourceFull, not yet walked */
	uint64_t icnt_used; /* half-words walked by HIST without I-CNT since the last I-CNT */
	uint64_t repeat;    /* repeats of the current message still to do */
	uint64_t last[4];   /* B-TYPE, I-CNT, U-ADDR, HIST of the last branch message */
	uint32_t last_present;
	uint8_t last_tcode; /* 0: there is none to repeat */
	uint8_t phase;      /* enum nt_phase */
	uint8_t mode;       /* enum hs_nt_mode once a message says which, 0 before */
	uint8_t stop;       /* enum flow_stop of the walk just done */
	bool at_ref;        /* TRACK_UNSEEN: nothing retired since ref was reported */
	bool ref_known;     /* ref is an address that a message gave, since nothing was lost */
	bool calls_unseen;  /* calls since the last synchronisation are not all known */
	struct hs_returns returns;
};

/* A stream, split by SRC in one pass. */
struct hs_nt_decoder {
	struct hs_nt_config config;
	struct hs_nt_reader reader;
	const struct hs_nt_dialect *dialect;
	struct hs_nt_source *sources;
	struct hs_stream stream;
	struct hs_nt_msg msg; /* the current message */
	uint64_t top;         /* bit of an address field that stands for those above it; 0: none */
	bool top_is_sent;     /* it is the top bit on the wire (NT 8.2) */
	struct hs_memo *memo; /* NULL: nothing is remembered */
	/* Follow messages that the memo knows; @in NULL: the call ends.  NULL: there is no memo,
	 * and it is not linked. */
	void (*recall)(struct hs_nt_decoder *d, struct hs_span *in, struct flow_out *out);
	struct hs_memo_pending pending;
	struct hs_nt_diag diag;
	struct hs_nt_stats stats;
};

#ifdef __cplusplus
}
#endif
#endif
