/* RISC-V E-Trace: bytes, packets, blocks; in both directions.
 *
 * "ET title" is a clause of Efficient Trace for RISC-V 2.0 (its titles are the same in 1.1.3), "PT x" one of
 * Processor Trace 0.026-DRAFT, "EE title" one of the Unformatted Trace & Diagnostic Data Packet Encapsulation.
 * Addresses are byte addresses as the hart sees them; offsets are bytes from the first byte ever given to a
 * reader.
 *
 * Nothing here allocates, blocks, or keeps a pointer into the input.  One encoder or decoder belongs to one
 * thread at a time; two of them share nothing but, if the caller wants it so, a table of basic blocks in one
 * thread.
 */
#ifndef HARTSCOPE_ETRACE_H
#define HARTSCOPE_ETRACE_H

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

/** Which text a stream follows. */
enum hs_et_version {
	HS_ET_2_0 = 0,
	HS_ET_1_1 = 1,
	HS_ET_0_026 = 2,
	HS_ET_FAST = 3, /**< experimental, and not the whole flow: packets for fast profiles and cycle counts
	                     (PT 7.2, 7.3; ADR-0022) */
	HS_ET_VERSIONS
};

/** What a fast profile tells of exceptions, calls and returns (PT 7.2). */
enum hs_et_fast {
	HS_ET_FAST_OFF = 0,     /**< nothing: cycle counts alone */
	HS_ET_FAST_TARGETS = 1, /**< where they lead */
	HS_ET_FAST_SOURCES = 2  /**< and from where */
};

/** Which cycle counts are told (PT 7.3). */
enum hs_et_cycles {
	HS_ET_CYCLES_OFF = 0,
	HS_ET_CYCLES_PACKETS = 1,     /**< from packet to packet */
	HS_ET_CYCLES_RETIREMENTS = 2  /**< from one retirement to the next, wherever the blocks have their time */
};

/** reason of a packet of HS_ET_FAST: what led to the target. */
enum hs_et_reason {
	HS_ET_REASON_NONE = 0, /**< the trace starts there, or was asked to synchronise */
	HS_ET_REASON_EXCEPTION,
	HS_ET_REASON_INTERRUPT,
	HS_ET_REASON_XRET,
	HS_ET_REASON_CALL,       /**< inferable */
	HS_ET_REASON_CALL_UNINF,
	HS_ET_REASON_RETURN,
	HS_ET_REASON_SWAP
};

/** Kinds of packets, of all versions. */
enum hs_et_form {
	HS_ET_FORM_BRANCH_COUNT,   /**< format 0 subformat 0: branches predicted correctly */
	HS_ET_FORM_INDEX,   /**< format 0 subformat 1: index of the jump target cache */
	HS_ET_FORM_FULL,    /**< format 0 of 0.026: branches, full address */
	HS_ET_FORM_BRANCH,  /**< format 1: branches, with or without an address */
	HS_ET_FORM_ADDRESS, /**< format 2: an address alone */
	HS_ET_FORM_START,   /**< format 3 subformat 0 */
	HS_ET_FORM_TRAP,    /**< format 3 subformat 1 */
	HS_ET_FORM_CONTEXT, /**< format 3 subformat 2 */
	HS_ET_FORM_SUPPORT, /**< format 3 subformat 3; te_support of 0.026 */
	HS_ET_FORM_TARGET,  /**< HS_ET_FAST, format 0: where an exception, a call or a return led */
	HS_ET_FORM_CYCLES,  /**< HS_ET_FAST, format 1: cycles before a retirement */
	HS_ET_FORM_DISCOVERY, /**< 0.026: the discovery record */
	HS_ET_FORM_OTHER,   /**< not instruction trace: data trace, or a type that the dialect does not have */
	HS_ET_FORMS
};

/** Fields that a packet can have. */
enum hs_et_field {
#define HS_ET_FIELD(id, name, width, hex, clause) HS_ETF_##id,
#include <hartscope/tables/et_fields.def>
#undef HS_ET_FIELD
	HS_ETF_COUNT
};

/** Dialects: rows of et_dialects.def. */
enum hs_et_dialect_id {
#define HS_ET_DIALECT(id, ...) HS_ET_DIALECT_##id,
#include <hartscope/tables/et_dialects.def>
#undef HS_ET_DIALECT
	HS_ET_DIALECT_COUNT
};

/** Run-time options; the order in a support packet is the dialect's. */
enum hs_et_option {
	HS_ET_SIJUMP = 1,
	HS_ET_IMPLICIT_RETURN = 2,
	HS_ET_IMPLICIT_EXCEPT = 4,
	HS_ET_BRANCH_PREDICTION = 8,
	HS_ET_JUMP_TARGET_CACHE = 16,
	HS_ET_FULL_ADDRESS = 32
};

/** What periodic synchronisation counts (trTeInstSyncMode). */
enum hs_et_sync_mode {
	HS_ET_SYNC_OFF = 0,
	HS_ET_SYNC_PACKETS = 1,
	HS_ET_SYNC_CYCLES = 2, /**< cycles, as HS_KIND_TIME tells them */
	HS_ET_SYNC_HALFWORDS = 3
};

/** qual_status of a support packet (ET Format 3 subformat 3). */
enum hs_et_qual { HS_ET_NO_CHANGE = 0, HS_ET_ENDED_REP = 1, HS_ET_TRACE_LOST = 2, HS_ET_ENDED_NTR = 3 };

/** Longest payload in bytes: header.length has 5 bits (EE Header). */
#define HS_ET_PAYLOAD_MAX 31

/** Longest packet with its framing. */
#define HS_ET_PACKET_MAX 48

/** Room that one call of the encoder needs at least, in bytes. */
#define HS_ET_ENCODE_ROOM 512

/** Parameters of a stream, for encoder and decoder alike (ET Parameters and Discovery).  Fill it by
 * hs_et_config_init(). */
struct hs_et_config {
	uint32_t size;               /**< sizeof(struct hs_et_config); newer, non-zero bytes are refused */
	uint8_t version;             /**< enum hs_et_version */
	uint8_t dialect;             /**< enum hs_et_dialect_id */
	uint8_t iaddress_width;      /**< iaddress_width_p, 2 to 64 */
	uint8_t iaddress_lsb;        /**< iaddress_lsb_p, 0 to 2 */
	uint8_t privilege_width;     /**< privilege_width_p, 1 to 4 */
	uint8_t ecause_width;        /**< ecause_width_p, 1 to 32 */
	uint8_t context_width;       /**< context_width_p, 1 to 64 */
	uint8_t time_width;          /**< time_width_p, 1 to 64 */
	uint8_t nocontext;           /**< nocontext_p */
	uint8_t notime;              /**< notime_p */
	uint8_t notval;              /**< notval_p (0.026 alone) */
	uint8_t f0s_width;           /**< f0s_width_p, 0 to 2 */
	uint8_t bpred_size;          /**< bpred_size_p, 0 to HS_ET_BPRED_MAX */
	uint8_t cache_size;          /**< cache_size_p, 0 to HS_ET_CACHE_MAX */
	uint8_t call_counter_size;   /**< call_counter_size_p, 0 to HS_ET_RETURN_MAX */
	uint8_t return_stack_size;   /**< return_stack_size_p, 0 to HS_ET_RETURN_MAX */
	uint8_t sijump;              /**< sijump_p */
	uint8_t arch;                /**< arch_p, 0 to 15 */
	uint8_t options;             /**< enum hs_et_option; a decoder follows the support packets */
	uint8_t sync_mode;           /**< enum hs_et_sync_mode: encoder */
	uint8_t sync_max;            /**< resync-max: synchronise each 2^(n+4) units, 0 to 20: encoder */
	uint8_t src_bits;            /**< trTeSrcBits: 0 to 12; standard encapsulation alone */
	uint16_t src_id;             /**< trTeSrcID: encoder; below 2^src_bits */
	uint8_t tstamp_bytes;        /**< T of the standard encapsulation, 0 to 8 */
	uint8_t plain_loops;         /**< encoder: nothing tells how often a loop without a branch ran (ADR-0017); else
	                                  packets with notify do */
	uint8_t context_precise;     /**< encoder: a new context is a synchronising packet (ctype 2), not a
	                                  context packet (ctype 1) */
	uint8_t no_compress;         /**< encoder: payloads at their full length */
	uint8_t negated;             /**< 0.026: a differential address is last - current */
	uint8_t type_prefix;         /**< 0.026: payloads of te_inst begin with 2 bits, 2, as those of te_support
	                                  begin with 0 */
	uint8_t context_mark;        /**< 0.026: a context packet right behind an address says that a jump led there,
	                                  else it is met where the flow first comes by (ADR-0017); 0: nothing says
	                                  so, and a decoder marks what is ambiguous */
	uint8_t full_on_tie;         /**< 0.026: full address where both are as short */
	uint8_t vector_sync;         /**< 0.026: one more synchronising packet behind the jump that a handler begins
	                                  with: in a table of handlers that the program fills, code is not what it
	                                  was */
	uint8_t fast;                /**< HS_ET_FAST: enum hs_et_fast */
	uint8_t cycles;              /**< HS_ET_FAST: enum hs_et_cycles */
	uint8_t iret_ext;            /**< 1: irets, 8 bits, in place of irdepth: how many returns were inferred since the last
	                                  branch or packet; the ratified depth cannot always be decoded (ADR-0017) */
	uint64_t mtvec, stvec, vstvec; /**< where handlers are, as in the CSRs: base, with the mode in bits 1:0
	                                  (0 direct, 1 vectored for interrupts; handlers of other modes have no place
	                                  that is known); 0: not known (ET Implicit exception mode) */
	uint8_t data_trace;          /**< 1: support packets tell of data trace: denable, dloss, doptions */
	uint8_t doptions_width;      /**< bits of doptions, 0 to 16 */
	uint8_t itype_width;         /**< itype_width_p, 3 or 4; 3: blocks say nothing of jumps whose target is in
	                                  the code (ET Table itype): encoder */
};

/** Largest sizes that encoder and decoder have room for. */
#define HS_ET_BPRED_MAX 10
#define HS_ET_CACHE_MAX 8
#define HS_ET_RETURN_MAX 5

/** The defaults of a version: RV64, delta addresses, no options, synchronisation each 4096 packets. */
HS_API void hs_et_config_init(struct hs_et_config *c, enum hs_et_version version);

/** The parameters that a dialect implies: those of HS_ET_DIALECT_PULP are of version 0.026, RV32 with all
 * address bits, 3 bits of privilege and 5 of ecause, no tval, addresses as last - current, vector_sync; those of
 * HS_ET_DIALECT_DRAFT are of version 0.026 with type_prefix.  Others: the dialect alone. */
HS_API void hs_et_config_dialect(struct hs_et_config *c, enum hs_et_dialect_id dialect);

/**
 * Check a configuration as a whole.
 * @retval HS_OK
 * @retval HS_E_CONFIG  A value out of its range above; an option whose table has size 0, or that the version
 *                      does not have; both call counter and return stack; a field f0s that is missing
 *                      (ET Format 0 subformat); the longest packet above what the framing holds.
 */
HS_API enum hs_status hs_et_config_check(const struct hs_et_config *c);

/** The dialect of a name such as "reference"; -1 if there is none. */
HS_API int hs_et_dialect_find(const char *name);

/* ---- packets ------------------------------------------------------------------- */

/** One packet, as read or to be written. */
struct hs_et_packet {
	uint64_t offset;   /**< of its first byte, the framing's */
	uint64_t tstamp;   /**< of the standard encapsulation, when has_tstamp */
	uint16_t length;   /**< bytes with the framing */
	uint16_t src;      /**< srcID */
	uint16_t bits;     /**< of the payload at its full length; after HS_E_FIELD: where it went wrong */
	uint8_t type;      /**< message type of the framing */
	uint8_t form;      /**< enum hs_et_form */
	bool has_tstamp;
	uint64_t present;  /**< bit HS_ETF_x: the field was there */
	uint64_t field[HS_ETF_COUNT]; /**< values; 0 where not present */
};

static inline bool hs_et_has(const struct hs_et_packet *p, enum hs_et_field f)
{
	return (p->present >> f) & 1u;
}

/** Name of a form in a version, such as "Synchronisation"; "Other" for HS_ET_FORM_OTHER. */
HS_API const char *hs_et_form_name(unsigned version, unsigned form);
/** Clause that defines it. */
HS_API const char *hs_et_form_clause(unsigned version, unsigned form);
/** Name and clause of a field; whether people like it in hexadecimal. */
HS_API const char *hs_et_field_name(unsigned field);
HS_API const char *hs_et_field_clause(unsigned field);
HS_API bool hs_et_field_hex(unsigned field);
/** Fields of a form in wire order. @return how many; 0 when the version has no such form. */
HS_API unsigned hs_et_form_fields(unsigned version, unsigned form, uint8_t out[HS_ETF_COUNT]);

/** What the parameters say of packets: widths of fields, forms by format and subformat.  Private. */
struct hs_et_layout {
	uint8_t width[HS_ETF_COUNT]; /* 0 where it depends on the packet */
	uint8_t form[4][4];          /* by format and subformat */
	uint8_t map[32];             /* bits of branch_map by branches */
	uint8_t f0s;                 /* bits of the subformat of format 0 */
	uint8_t implied;             /* the subformat where they are 0 */
};

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

/* ---- encoder ------------------------------------------------------------------- */

/** One instruction or trap on its way through the encoder.  Private. */
struct hs_et_item {
	uint64_t addr;    /* trap: the instruction that did not retire */
	uint64_t tval;    /* trap; of an instruction the address behind it */
	uint64_t context;
	uint32_t ecause;  /* trap */
	uint8_t kind;     /* enum in encoder.c */
	uint8_t itype;    /* of the instruction; of a trap 1 or 2 */
	uint8_t priv;
	uint8_t flags;    /* enum in encoder.c */
};

/** Encoder of one hart.  The fields are private; plain data in the caller's memory. */
struct hs_et_encoder {
	struct hs_et_config config;
	struct hs_et_layout layout;
	struct hs_et_item cur;  /* decided when the next one is known (ET Algorithm: three stages) */
	struct hs_et_item trap; /* the one before cur, when before says so */
	uint64_t address;      /* as last reported */
	uint64_t expect;       /* address after the last block, where it is known */
	uint64_t predicted;    /* where a return should lead */
	uint64_t count;        /* units since the last synchronising packet */
	uint64_t interval;
	uint64_t context;      /* of what follows, and as last reported */
	uint64_t context_sent;
	uint64_t time;
	uint64_t time_sent;    /* HS_ET_FAST: what the last packet stands for */
	uint64_t correct;      /* branches predicted since the last packet, when all of them were */
	uint64_t loop;         /* the first jump backwards since the last packet or branch */
	uint32_t map;          /* branches not reported yet, bit 0 the oldest, 1 for not taken */
	uint8_t branches;      /* how many */
	uint8_t before;        /* what the item before cur was: enum in encoder.c */
	uint8_t segment;       /* what happened since the last packet or branch: enum in encoder.c */
	uint8_t loop_depth;    /* calls at the jump of loop; with iret_ext irets */
	uint8_t return_depth;  /* calls before the return that cur follows; with iret_ext irets */
	uint8_t irets;         /* returns inferred since the last packet or branch */
	bool return_told;      /* the packet for cur tells return_depth */
	uint8_t priv;          /* of the item before cur */
	bool loop_told;        /* a return was inferred before it */
	bool loop_called;      /* there was a call before it */
	bool armed;            /* half-words: a synchronising packet is due */
	bool wrong;            /* one of the branches was not predicted */
	bool failed;           /* the last branch was not predicted, after 31 or more that were */
	bool open_target;      /* nothing came since a packet for the target of a jump (ET Format 2 updiscon) */
	bool emitted;          /* a packet for cur was sent */
	bool force;            /* the next item begins with a synchronising packet */
	bool support;          /* a support packet was sent since the encoder was enabled */
	bool follow;           /* expect is meaningful */
	bool time_new;         /* HS_ET_FAST: what follows has a time of its own */
	bool lost;             /* packets were lost since the last one sent */
	bool deferred;         /* cur has the synchronising packet that the item before it was to have */
	bool smooth;           /* what comes next may not need a closer look (pass.c) */
	bool vector;           /* cur is the second instruction of a handler, and vector_sync asks for a packet */
	struct hs_returns returns;
	uint64_t packets[HS_ET_FORMS], bytes[HS_ET_FORMS];
	uint64_t cache[1 << HS_ET_CACHE_MAX]; /* jump target cache: address + 1, 0 for none */
	uint8_t states[1 << HS_ET_BPRED_MAX]; /* branch predictor */
};

/** @retval HS_OK @retval HS_E_CONFIG  See hs_et_config_check(). */
HS_API enum hs_status hs_et_encoder_init(struct hs_et_encoder *e, const struct hs_et_config *config);

/**
 * Encode blocks.  Events, which come before the block that they concern:
 * - HS_KIND_STOP: the last instruction is reported, then a support packet; the next block starts again.
 * - HS_KIND_GAP: with HS_E_LOST like hs_et_encoder_lost(), else like HS_KIND_STOP.
 * - HS_KIND_SYNC: a reset (1) is like HS_KIND_STOP; any other code makes the next block begin with a
 *   synchronising packet.
 * - HS_KIND_CONTEXT: the context of what follows, when the config has one.
 * - HS_KIND_TIME: the time of what follows, when the config has one.
 * - HS_KIND_TRAP: follows its block: cause and trap value.
 * Others are skipped.  A packet is written when the instruction after it is known.
 *
 * @param in, n       Blocks in order; they may be canonical or cut finer.
 * @param[out] used   Blocks taken.
 * @param out, cap    Room, at least HS_ET_ENCODE_ROOM bytes.
 * @param[out] len    Bytes written: whole packets.
 *
 * @retval HS_OK       All blocks were taken.
 * @retval HS_FULL     Call again with in + used and more room.
 * @retval HS_E_SPACE  cap is below HS_ET_ENCODE_ROOM; nothing was done.
 * @retval HS_E_BLOCK  in[*used] has an iaddr that is odd, above iaddress_width or not a multiple of
 *                     2^iaddress_lsb, itype 7 or above 15, or iretire 0 without a trap.  Blocks before it
 *                     were encoded.
 */
HS_API enum hs_status hs_et_encode(struct hs_et_encoder *e, const struct hs_block *in, size_t n,
                                   size_t *used, uint8_t *out, size_t cap, size_t *len);

/** Packets that the encoder had written did not get out: the trace goes on with a support packet, trace_lost,
 * and a synchronising packet (ET Format 3 subformat 3). */
HS_API void hs_et_encoder_lost(struct hs_et_encoder *e);

/** End the trace: the last instruction and a support packet.  Same results as hs_et_encode(). */
HS_API enum hs_status hs_et_encode_end(struct hs_et_encoder *e, uint8_t *out, size_t cap, size_t *len);

/* ---- decoder ------------------------------------------------------------------- */

/** Entries of output that one call of the decoder needs at least. */
#define HS_ET_DECODE_ROOM 16

/** What a decoder found wrong.  Valid until the next call on the decoder. */
struct hs_et_diag {
	enum hs_status status;
	const char *clause; /**< such as "ET Format 1 packets" */
	const char *why;    /**< one short sentence */
	uint64_t pc;        /**< where the walk stood; 0 before the first synchronisation */
	struct hs_et_packet packet; /**< at fault: offset, bits and field values */
};

/** Decoder of one source (srcID).  Private; the caller gives an array of them. */
struct hs_et_source {
	struct hs_track track;
	struct hs_path path;
	uint64_t address;  /* as last reported */
	uint64_t context;
	uint8_t phase;     /* of the packet at hand: enum et_phase */
	uint8_t priv;
	uint8_t options;   /* enum hs_et_option, as last told */
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
	struct hs_stream stream;
	struct hs_et_packet packet; /* the packet at hand */
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
 * @retval HS_E_LOST       The encoder lost packets (ET Format 3 subformat 3 qual_status).
 * @retval HS_E_SPACE      cap is below HS_ET_DECODE_ROOM; or the stream has more sources than were given memory
 *                         for (the packet is skipped).
 * After an error *n entries are good, the last of them an HS_KIND_GAP for each source that lost its place.
 * hs_et_decoder_diag() tells the rest.  Call again: decoding goes on at the next synchronising packet.
 */
HS_API enum hs_status hs_et_decoder_next(struct hs_et_decoder *d, struct hs_span *in,
                                         struct hs_block *out, size_t cap, size_t *n);

/**
 * The stream is over: blocks that were still open come out.
 * @retval HS_OK
 * @retval HS_FULL         Call again.
 * @retval HS_E_TRUNCATED  The last packet has no end.  Call again for the rest.
 */
HS_API enum hs_status hs_et_decoder_end(struct hs_et_decoder *d, struct hs_block *out, size_t cap,
                                        size_t *n);

HS_API const struct hs_et_diag *hs_et_decoder_diag(const struct hs_et_decoder *d);
HS_API const struct hs_et_stats *hs_et_decoder_stats(const struct hs_et_decoder *d);

/* ---- discovery of parameters (PT 3.1.5) ---------------------------------------- */

/** Parameters of the discovery record: rows of et_params.def. */
enum hs_et_discovered {
#define HS_ET_PARAM(id, ...) HS_ETD_##id,
#include <hartscope/tables/et_params.def>
#undef HS_ET_PARAM
	HS_ETD_COUNT
};

/** Their values as Table 3.6 means them: comparators is how many there are, widths are bits. */
struct hs_et_discovery {
	uint32_t value[HS_ETD_COUNT];
};

/** Words of the record as registers. */
#define HS_ET_DISCOVERY_WORDS 2

/** Name of a parameter, such as "iaddress_width_p"; "?" if there is none. */
HS_API const char *hs_et_param_name(unsigned param);

/**
 * Check a record as a whole.
 * @retval HS_OK
 * @retval HS_E_CONFIG  A value out of its range in et_params.def; insn_width_p no power of 2; iaddress_lsb_p not below
 *                      iaddress_width_p; more bits of ecause to choose by than it has; RV32 with wider addresses.
 */
HS_API enum hs_status hs_et_discovery_check(const struct hs_et_discovery *d);

/** The record as registers, bit 0 of image[0] first; its bytes, little-endian, are that of a packet.
 * @retval HS_OK
 * @retval HS_E_CONFIG  As hs_et_discovery_check(); nothing was written. */
HS_API enum hs_status hs_et_discovery_put(const struct hs_et_discovery *d, uint32_t image[HS_ET_DISCOVERY_WORDS]);

/** The other way round.
 * @retval HS_OK
 * @retval HS_E_FIELD  No record that hs_et_discovery_put() makes; *d is as it was. */
HS_API enum hs_status hs_et_discovery_get(struct hs_et_discovery *d, const uint32_t image[HS_ET_DISCOVERY_WORDS]);

/** Take what a record says of packets into a configuration, whose other parameters stay.
 * @retval HS_OK
 * @retval HS_E_CONFIG       As hs_et_discovery_check().
 * @retval HS_E_UNSUPPORTED  Addresses of more than 64 bits, or that begin at bit 3. */
HS_API enum hs_status hs_et_discovery_config(const struct hs_et_discovery *d, struct hs_et_config *c);

/** The record as a packet of 0.026, of the same kind as te_support with support_type 1 (ADR-0017: the text wants a
 * packet and gives none).
 * @retval HS_OK
 * @retval HS_E_CONFIG  As hs_et_discovery_check(). */
HS_API enum hs_status hs_et_discovery_packet(const struct hs_et_discovery *d, struct hs_et_packet *p);

/** The other way round.
 * @retval HS_OK
 * @retval HS_E_ARG    No packet of the form HS_ET_FORM_DISCOVERY.
 * @retval HS_E_FIELD  As hs_et_discovery_get(). */
HS_API enum hs_status hs_et_discovery_read(const struct hs_et_packet *p, struct hs_et_discovery *d);

/* ---- attributes of a ratified encoder (ET Discovery) ----------------------------------- */

/** Attributes: rows of et_attributes.def. */
enum hs_et_attribute {
#define HS_ET_ATTRIBUTE(id, ...) HS_ETA_##id,
#include <hartscope/tables/et_attributes.def>
#undef HS_ET_ATTRIBUTE
	HS_ETA_COUNT
};

/** Their values as the parameters mean them: widths are bits, comparators_p is how many there are. */
struct hs_et_attributes {
	uint32_t value[HS_ETA_COUNT];
};

/** Words of discovery_info_0 and discovery_info_1, 64 bits each, the low half first. */
#define HS_ET_ATTRIBUTE_WORDS 4

/** Name of an attribute's parameter, such as "bpred_size_p"; "?" if there is none. */
HS_API const char *hs_et_attribute_name(unsigned attribute);
/** The defaults of the text's tables. */
HS_API void hs_et_attributes_init(struct hs_et_attributes *a);

/**
 * Check attributes as a set.
 * @retval HS_OK
 * @retval HS_E_CONFIG  A value that its field cannot hold; itype_width_p not 3 or 4; more bits of ecause to choose by than
 *                      ecause and interrupt have; iaddress_lsb_p above iaddress_width_p; both call counter and stack.
 */
HS_API enum hs_status hs_et_attributes_check(const struct hs_et_attributes *a);

/** As registers. @retval HS_OK @retval HS_E_CONFIG  As hs_et_attributes_check(); nothing was written. */
HS_API enum hs_status hs_et_attributes_put(const struct hs_et_attributes *a, uint32_t image[HS_ET_ATTRIBUTE_WORDS]);

/** The other way round; bits that no attribute has are not looked at.
 * @retval HS_OK @retval HS_E_FIELD  A set that hs_et_attributes_check() refuses; *a is as it was. */
HS_API enum hs_status hs_et_attributes_get(struct hs_et_attributes *a, const uint32_t image[HS_ET_ATTRIBUTE_WORDS]);

/** Take what attributes say of packets into a configuration, whose other parameters stay.
 * @retval HS_OK
 * @retval HS_E_CONFIG       As hs_et_attributes_check().
 * @retval HS_E_UNSUPPORTED  A table above HS_ET_BPRED_MAX, HS_ET_CACHE_MAX or HS_ET_RETURN_MAX; addresses of more than 64
 *                           bits, or that begin at bit 3. */
HS_API enum hs_status hs_et_attributes_config(const struct hs_et_attributes *a, struct hs_et_config *c);

#ifdef __cplusplus
}
#endif
#endif
