/* RISC-V N-Trace: bytes, messages, blocks; in both directions.
 *
 * "NT x.y" is a clause of RISC-V N-Trace 1.0.0-rc7.  Addresses are byte addresses as
 * the hart sees them; half-words are 16-bit units, as in I-CNT (NT 8.4); offsets are
 * bytes from the first byte ever given to a reader.
 *
 * Nothing here allocates, blocks, or keeps a pointer into the input.  One encoder or
 * decoder belongs to one thread at a time; two of them share nothing but, if the caller
 * wants it so, a table of basic blocks in one thread.
 */
#ifndef HARTSCOPE_NTRACE_H
#define HARTSCOPE_NTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/flow.h>
#include <hartscope/image.h>
#include <hartscope/span.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** TCODE of every message that N-Trace 1.0 defines (NT Table 8). */
enum hs_nt_tcode {
#define HS_NT_MSG(id, name, tcode, fields, clause) HS_NT_##id = (tcode),
#include <hartscope/tables/nt_messages.def>
#undef HS_NT_MSG
};

/** Fields that a message can have, in no particular order. */
enum hs_nt_field {
#define HS_NT_FIELD(id, name, bits, limit, clause) HS_NTF_##id,
#include <hartscope/tables/nt_fields.def>
#undef HS_NT_FIELD
	HS_NTF_COUNT
};

/** Longest message that is taken, in bytes.  NT 3 computes 38; zeros may pad a field. */
#define HS_NT_MSG_MAX 64

/** Room that one call of the encoder may need at least, in bytes. */
#define HS_NT_ENCODE_ROOM 512

/** trTeInstMode (NT Table 7). */
enum hs_nt_mode { HS_NT_BTM = 3, HS_NT_HTM = 6 };

/** What periodic synchronisation counts (trTeInstSyncMode). */
enum hs_nt_sync_mode {
	HS_NT_SYNC_OFF = 0,
	HS_NT_SYNC_MESSAGES = 1,
	HS_NT_SYNC_CYCLES = 2,    /**< not counted here: HS_E_CONFIG */
	HS_NT_SYNC_HALFWORDS = 3,
	HS_NT_SYNC_BYTES = 8      /**< bytes of trace; ours, not a register value */
};

/** How a full I-CNT counter is reported (NT 8.4.4). */
enum hs_nt_icnt_full {
	HS_NT_ICNT_RESOURCE = 0, /**< ResourceFull, RCODE 0 */
	HS_NT_ICNT_SYNC = 1      /**< a synchronising message, SYNC 4, when HIST is not empty */
};

/** Dialects of N-Trace: rows of nt_dialects.def. */
enum hs_nt_dialect_id {
#define HS_NT_DIALECT(id, name, ...) HS_NT_DIALECT_##id,
#include <hartscope/tables/nt_dialects.def>
#undef HS_NT_DIALECT
	HS_NT_DIALECT_COUNT
};

/** What encoders in the field do in their own way; one row each of nt_dialects.def. */
struct hs_nt_dialect {
	const char *name;         /**< as in --dialect */
	const char *text;         /**< one line for people */
	uint8_t start_sync;       /**< SYNC of the first message */
	uint8_t sync_max;         /**< trTeInstSyncMax, in messages, where nobody says; 0: never */
	uint8_t icnt_full_sync;   /**< I-CNT full in HTM may be SYNC 4 (NT 8.4.4) */
	uint8_t sync_resets_all;  /**< every SYNC resets the encoder; else not 0, 4, 6 (NT 8.5) */
	uint8_t btype_zero;       /**< B-TYPE is 0 for traps too */
	uint8_t cdf_by_hist;      /**< HTM: ProgTraceCorrelation has CDF 0 when HIST is empty */
	uint8_t implicit_any;     /**< decoder: returns may be implicit, whatever the configuration */
	uint8_t counts_8_9;       /**< RCODE 8, 9: so many branches not taken, taken */
	uint8_t tstamp_xor;       /**< timestamps are XORed with the last one */
	uint8_t repeat_keeps;     /**< RepeatBranch keeps the target; else replays the XOR (NT 7.11) */
	uint8_t repeat_lengths[4]; /**< shorter histories that are tried for a repeat when two full ones
	                               differ, in this order; 0: no more (NT 9.3) */
};

/** The dialect of a name such as "reference"; -1 if there is none. */
HS_API int hs_nt_dialect_find(const char *name);
/** Row of a dialect; NULL from HS_NT_DIALECT_COUNT on. */
HS_API const struct hs_nt_dialect *hs_nt_dialect_get(unsigned id);

/**
 * Parameters of a stream, for encoder and decoder alike.  A zeroed struct with size set
 * is HTM without SRC, no periodic synchronisation, and the widest counters.
 */
struct hs_nt_config {
	uint32_t size;       /**< sizeof(struct hs_nt_config); newer, non-zero bytes are refused */
	uint8_t inst_mode;   /**< trTeInstMode: 3 or 6; 0 is 6.  A decoder follows the messages */
	uint8_t src_bits;    /**< trTeSrcBits: 0 (no SRC) to 12 */
	uint16_t src_id;     /**< trTeSrcID: encoder only; below 2^src_bits */
	uint8_t inhibit_src; /**< trTeInhibitSrc: no SRC although src_bits is set */
	uint8_t sync_mode;   /**< trTeInstSyncMode: enum hs_nt_sync_mode */
	uint8_t sync_max;    /**< trTeInstSyncMax: synchronise each 2^(n+4) units, 0..15 */
	uint8_t icnt_bits;   /**< width of the I-CNT counter, 4..22; its top bit is the overflow
	                          flag (NT Table 10); 0 is 22 */
	uint8_t hist_bits;   /**< branches that HIST holds, 1..31 (the stop bit comes on top); 0 is 31 */
	uint8_t icnt_full;   /**< enum hs_nt_icnt_full */
	uint8_t btype_plain; /**< traps are B-TYPE 1 in place of 2 and 3 (NT 6.2) */
	uint8_t hist_always; /**< HTM: IndirectBranchHist also where HIST is empty (NT 10, rule 4) */
	uint8_t start_sync;  /**< SYNC of the first message (NT Table 25); 0 is 5, Trace Enable */
	uint8_t stop_evcode; /**< EVCODE of the last message: 0 debug mode, 4 trace disabled */
	uint8_t periodic_events; /**< decoder: report SYNC 2 and 4 as events too */
	uint8_t dialect;          /**< enum hs_nt_dialect_id; 0 is rc7 */
	uint8_t sequential_jump;  /**< trTeInstEnSequentialJump (NT 9.1) */
	uint8_t implicit_return;  /**< trTeInstImplicitReturnMode: 0 off, 1 counting, 2 partial, 3 full
	                               addresses (NT 9.2) */
	uint8_t call_stack;       /**< return addresses that the encoder keeps, 1..32; 0 is 32 */
	uint8_t return_bits;      /**< mode 2: low bits of an address that are compared, 2..63; 0 is 16 */
	uint8_t repeated_history; /**< trTeInstEnRepeatedHistory (NT 9.3) */
	uint8_t hrepeat_bits;     /**< bits of HREPEAT and B-CNT, 1..18; 0 is 18 */
	uint8_t repeat_branch;    /**< RepeatBranch for equal branch messages (NT 7.11) */
	uint8_t all_jumps;        /**< trTeInstEnAllJumps: direct jumps are taken branches */
	uint8_t extend_addr;      /**< trTeInstExtendAddrMSB (NT 8.2) */
	uint8_t context;          /**< trTeContext: Ownership messages (NT 7.1) */
	uint8_t timestamps;       /**< trTsEnable: TSTAMP in each message (NT 8.7) */
	uint8_t itype_bits;       /**< width of itype at the ingress port, 3 or 4; 0 is 4 */
	uint8_t xlen;             /**< 32 or 64; 0 is 64: encoder, for extend_addr */
	uint8_t stall;            /**< trTeInstStallEna: hs_nt_encode_port() stalls the hart */
	uint8_t pad[2];
};

/**
 * Check a configuration.
 * @retval HS_OK
 * @retval HS_E_CONFIG  A value out of its range above; src_id too wide; size too small;
 *                      bytes past this struct that are not zero.
 */
HS_API enum hs_status hs_nt_config_check(const struct hs_nt_config *c);

/* ---- messages ---------------------------------------------------------------- */

/** One message, as read or to be written. */
struct hs_nt_msg {
	uint64_t offset;   /**< of its first byte */
	uint16_t length;   /**< bytes */
	uint8_t tcode;     /**< enum hs_nt_tcode, or a vendor's or reserved one */
	bool known;        /**< tcode has a row in nt_messages.def */
	uint16_t src;      /**< SRC, 0 without */
	uint8_t addr_bits; /**< bits of F-ADDR or U-ADDR on the wire, at most 66; to be written: 0
	                        for as many as the value needs, else a multiple of 6 (NT 8.2) */
	uint8_t pad;
	uint32_t present;  /**< bit HS_NTF_x: the field was on the wire */
	uint64_t field[HS_NTF_COUNT]; /**< values; meaningless where not present */
};

static inline bool hs_nt_has(const struct hs_nt_msg *m, enum hs_nt_field f)
{
	return (m->present >> f) & 1u;
}

/** Name of a TCODE, such as "IndirectBranchHist"; "Vendor Defined" for 56 to 62,
 * "Reserved" for the others. */
HS_API const char *hs_nt_msg_name(unsigned tcode);
/** Clause that defines a TCODE, such as "NT 7.9". */
HS_API const char *hs_nt_msg_clause(unsigned tcode);
/** Name and clause number of a field, such as "I-CNT" and "6.2". */
HS_API const char *hs_nt_field_name(enum hs_nt_field f);
HS_API const char *hs_nt_field_clause(enum hs_nt_field f);
/** Fields of a known TCODE in wire order, TSTAMP included. @return how many; 0 if unknown. */
HS_API unsigned hs_nt_msg_fields(unsigned tcode, enum hs_nt_field out[HS_NTF_COUNT]);

/** Cuts a stream of bytes into messages.  Plain data; hs_nt_reader_init() starts it. */
struct hs_nt_reader {
	uint64_t offset;   /**< of the next byte to take */
	uint64_t idle;     /**< idle bytes skipped so far (NT 3.1) */
	uint64_t start;    /**< offset of the message being collected, or at fault */
	uint8_t src_bits;
	uint8_t skipping;  /**< inside something that is no message, up to its end */
	uint16_t held;     /**< bytes of an unfinished message in buffer */
	uint8_t buffer[HS_NT_MSG_MAX];
};

/** @param src_bits  0..12; more is taken as 12. */
HS_API void hs_nt_reader_init(struct hs_nt_reader *r, unsigned src_bits);

/**
 * The next message.  @in may stop anywhere: how a stream is cut never changes its messages.
 *
 * @param[in,out] in  Moved past the bytes taken.
 * @param[out]    m   With HS_OK the message.  With HS_E_FIELD what could be read of it
 *                    (offset, tcode, src where they were there).
 *
 * @retval HS_OK         *m is a message; tcodes without a row have no fields.
 * @retval HS_MORE       @in is used up.
 * @retval HS_E_FRAMING  A message begins with MSEO other than 00, or has MSEO 10 (NT 3.1).
 * @retval HS_E_LONG     No end within HS_NT_MSG_MAX bytes (NT 3).
 * @retval HS_E_FIELD    A field is missing, too wide or one too many (NT 6, Tables 8, 10).
 * After an error the bytes up to the end of the faulty message (MSEO 11) are skipped;
 * call again.  m->offset is where it began.
 */
HS_API enum hs_status hs_nt_read(struct hs_nt_reader *r, struct hs_span *in, struct hs_nt_msg *m);

/** Is the stream complete? @retval HS_OK @retval HS_E_TRUNCATED  It ends inside a message. */
HS_API enum hs_status hs_nt_reader_end(const struct hs_nt_reader *r);

/**
 * Write one message: every field of its row, TSTAMP if present says so.
 * @param src_bits  Width of SRC; 0 for none.
 * @param out       Room for HS_NT_MSG_MAX bytes.
 * @return  Bytes written; 0 when the TCODE has no row.
 */
HS_API size_t hs_nt_write(const struct hs_nt_msg *m, unsigned src_bits, uint8_t *out);

/* ---- encoder ----------------------------------------------------------------- */

/** Encoder of one hart.  The fields are private; plain data in the caller's memory. */
struct hs_nt_encoder {
	struct hs_nt_config config;
	const struct hs_nt_dialect *dialect;
	uint64_t ref;        /* reference address (NT 8.1) */
	uint64_t expect;     /* address after the last block, where it is known */
	uint64_t predicted;  /* where a pending return would lead without a message */
	uint64_t icnt;       /* half-words since the last I-CNT */
	uint64_t count;      /* units since the last synchronising message */
	uint64_t interval;   /* units between them; 0: never */
	uint64_t time;       /* now, and as last reported */
	uint64_t time_sent;
	uint64_t context[2]; /* scontext, hcontext */
	uint64_t repeats;    /* of the last branch message, not reported yet */
	uint64_t last[4];    /* B-TYPE, I-CNT, U-ADDR, HIST of the last branch message */
	uint32_t pending;    /* what the next address completes: enum in encoder.c */
	uint32_t icnt_limit; /* a counter of icnt_bits has overflowed from here on */
	uint32_t sync;       /* SYNC of a pending synchronising message, plus 1; 0: none */
	uint32_t hist;       /* HIST with its stop bit */
	uint32_t held;       /* a history that may repeat, with its stop bit; 0: none */
	uint32_t held_times;
	uint32_t repeat_limit; /* of HREPEAT and B-CNT */
	uint8_t hist_n;      /* branches in hist */
	uint8_t held_n;      /* branches in held */
	uint8_t btype;       /* B-TYPE of a pending indirect branch */
	uint8_t last_tcode;  /* of the message just sent, when it may repeat */
	uint8_t priv;        /* as last reported */
	uint8_t contexts;    /* bit f: context of FORMAT f is known (NT Table 12) */
	uint8_t owed;        /* bit f: Ownership of FORMAT f waits for an address */
	bool running;        /* between the first ProgTraceSync and a correlation */
	bool started;        /* there was a ProgTraceSync */
	bool lost;           /* messages were lost since the last one sent */
	uint32_t follow;     /* expect is meaningful */
	struct hs_returns returns;
	uint64_t messages[64]; /* written so far, by TCODE */
	uint64_t bytes;
	uint32_t sync_due;
	/* pending, sync, sync_due and follow are apart from each other: read together right after
	 * one was written, they would wait for the store. */
};

/**
 * @retval HS_OK
 * @retval HS_E_CONFIG  See hs_nt_config_check(); sync_mode cycles.
 */
HS_API enum hs_status hs_nt_encoder_init(struct hs_nt_encoder *e, const struct hs_nt_config *config);

/**
 * Encode blocks.  Events, which come before the block that they concern:
 * - HS_KIND_STOP: ProgTraceCorrelation with its EVCODE; the next block starts the trace again.
 *   While the trace is off, one more tells what else happened (NT 8.6), such as debug mode.
 * - HS_KIND_SYNC: the SYNC code of the next start (3 after debug mode, 9 after power-down); while
 *   the trace runs, a synchronising message with that code before the next block: a trigger (0),
 *   a watchpoint (6), a reset (1).
 * - HS_KIND_GAP: with HS_E_LOST like hs_nt_encoder_lost(), else like HS_KIND_STOP with EVCODE 4.
 * - HS_KIND_CONTEXT: Ownership, when context is set (NT 7.1).
 * - HS_KIND_TIME: the time of what follows, when timestamps is set (NT 8.7).
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
 * @retval HS_E_BLOCK  in[*used] has an odd iaddr, itype 7 or above 15, or more half-words
 *                     than the I-CNT counter holds: split it first (hs_block_split()).
 *                     Blocks before it were encoded.
 */
HS_API enum hs_status hs_nt_encode(struct hs_nt_encoder *e, const struct hs_block *in, size_t n,
                                   size_t *used, uint8_t *out, size_t cap, size_t *len);

/**
 * Messages that the encoder had written did not get out (no room, and the hart was not
 * stalled): the next block begins with Error and a synchronising message, SYNC 7 (NT 7.4).
 */
HS_API void hs_nt_encoder_lost(struct hs_nt_encoder *e);

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
HS_API enum hs_status hs_nt_encode_port(struct hs_nt_encoder *e, const struct hs_block *b,
                                        uint8_t *out, size_t cap, size_t *len);

/** End the trace with ProgTraceCorrelation (NT 7.12).  Same results as hs_nt_encode(). */
HS_API enum hs_status hs_nt_encode_end(struct hs_nt_encoder *e, uint8_t *out, size_t cap,
                                       size_t *len);

/* ---- decoder ----------------------------------------------------------------- */

/** Entries of output that one call of the decoder needs at least. */
#define HS_NT_DECODE_ROOM 8

/** What a decoder found wrong.  Valid until the next call on the decoder. */
struct hs_nt_diag {
	enum hs_status status;
	const char *clause;   /**< such as "NT 8.4.1" */
	const char *why;      /**< one short sentence */
	uint64_t pc;          /**< where the walk stood; 0 before the first synchronisation */
	struct hs_nt_msg msg; /**< the message at fault: offset and field values */
};

/** Decoder of one source (SRC).  Private; the caller gives an array of them. */
struct hs_nt_source {
	struct hs_track track;
	struct hs_evidence evidence;
	uint64_t ref;       /* reference address (NT 8.1) */
	uint64_t icnt_full; /* I-CNT reported by ResourceFull, not yet walked */
	uint64_t icnt_used; /* half-words walked by HIST alone since the last I-CNT */
	uint64_t repeat;    /* repeats of the message at hand still to do */
	uint64_t last[4];   /* B-TYPE, I-CNT, U-ADDR, HIST of the last branch message */
	uint32_t last_present;
	uint8_t last_tcode; /* 0: there is none to repeat */
	uint8_t phase;      /* enum nt_phase */
	uint8_t mode;       /* enum hs_nt_mode once a message told, 0 before */
	uint8_t stop;       /* enum flow_stop of the walk just done */
};

/** Counters of a decoder. */
struct hs_nt_stats {
	uint64_t messages[64]; /**< by TCODE */
	uint64_t bytes[64];    /**< by TCODE */
	uint64_t errors;       /**< data errors reported */
	uint64_t skipped;      /**< messages skipped for want of synchronisation */
};

/** Decoder of a stream: split by SRC in one pass.  Private; in the caller's memory. */
struct hs_nt_decoder {
	struct hs_nt_config config;
	struct hs_nt_reader reader;
	const struct hs_nt_dialect *dialect;
	struct hs_stream stream;
	struct hs_nt_msg msg;    /* the message at hand */
	struct hs_nt_diag diag;
	struct hs_nt_stats stats;
};

/**
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
 * source goes on in tables[i].  A context that is not in the list changes nothing.
 * Call it after hs_nt_decoder_init(), whose table is the program before the first Ownership.
 * The arrays are kept.
 */
HS_API void hs_nt_decoder_programs(struct hs_nt_decoder *d, struct hs_bb_table *const *tables,
                                   const uint64_t *contexts, size_t count);

/**
 * Decode: bytes in, blocks and events out, in order.
 *
 * Blocks are canonical (block.h).  A source's first block comes after its first
 * synchronising message (NT 8.5).  When a stream has SRC, HS_KIND_HART stands before the
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
 * @retval HS_E_ICNT       I-CNT ends inside an instruction, or not where the message needs it (NT 8.4).
 * @retval HS_E_HIST       HIST holds more or fewer branches than the program has on the way (NT 8.3).
 * @retval HS_E_FLOW       The message does not fit the instruction reached (NT 7), or F-ADDR is
 *                         not where the flow leads (NT 8.5).
 * @retval HS_E_NOCODE     The flow leads to an address without code.
 * @retval HS_E_LOST       Error message: the encoder lost messages (NT 7.4).
 * @retval HS_E_SPACE      cap is below HS_NT_DECODE_ROOM; or the stream has more sources than
 *                         were given memory for (the message is skipped).
 * After an error *n entries are good, the last of them an HS_KIND_GAP for each source that
 * lost its place: the one that the message names, all of them when no message could be
 * read.  hs_nt_decoder_diag() tells the rest.  Call again: decoding goes on at the next
 * synchronising message.
 */
HS_API enum hs_status hs_nt_decoder_next(struct hs_nt_decoder *d, struct hs_span *in,
                                         struct hs_block *out, size_t cap, size_t *n);

/**
 * The stream is over: blocks that were still open come out with itype 0.
 * @retval HS_OK
 * @retval HS_FULL         Call again.
 * @retval HS_E_TRUNCATED  The last message has no end.  Call again for the rest.
 */
HS_API enum hs_status hs_nt_decoder_end(struct hs_nt_decoder *d, struct hs_block *out, size_t cap,
                                        size_t *n);

HS_API const struct hs_nt_diag *hs_nt_decoder_diag(const struct hs_nt_decoder *d);
HS_API const struct hs_nt_stats *hs_nt_decoder_stats(const struct hs_nt_decoder *d);

#ifdef __cplusplus
}
#endif
#endif
