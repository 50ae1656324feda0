/* RISC-V E-Trace: parameters and dialects, packets, data trace, encoder, decoder.
 *
 * "ET title" is a clause of Efficient Trace for RISC-V 2.0 (1.1.3 has the same titles; those of 2.1
 * are in its draft, extensions 0.8), "PT x" one of Processor Trace 0.026-DRAFT, "EE title" one of
 * the Unformatted Trace & Diagnostic Data Packet Encapsulation.  Which calls may run on several
 * threads at once is said with each part.
 */
#ifndef HARTSCOPE_ETRACE_H
#define HARTSCOPE_ETRACE_H

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

/* E-Trace: the parameters of a stream, the same for its encoder and its decoder.
 *
 * "ET title" is a clause of Efficient Trace for RISC-V 2.0 (1.1.3 has the same titles), "PT x" one
 * of Processor Trace 0.026-DRAFT, "EE title" one of the Unformatted Trace & Diagnostic Data Packet
 * Encapsulation.
 *
 * Threads: no function here keeps or shares anything. Any of them may run in several threads at
 * once, on different structs.
 */

/** Which text a stream follows. */
enum hs_et_version {
	HS_ET_2_0 = 0,
	HS_ET_1_1 = 1,
	HS_ET_0_026 = 2,
	HS_ET_FAST = 3, /**< experimental: packets for fast profiles and cycle counts, which do not
	                     carry the whole flow (PT 7.2, 7.3; design/et-draft) */
	HS_ET_2_1 = 4,  /**< 2.0 with the extension "Standard Support Packet", draft 0.8: support
	                    packets say options and sizes (design/et-standard) */
	HS_ET_VERSIONS
};

/** What a fast profile reports of exceptions, calls and returns (PT 7.2). */
enum hs_et_fast {
	HS_ET_FAST_OFF = 0,     /**< nothing: only cycle counts */
	HS_ET_FAST_TARGETS = 1, /**< their targets */
	HS_ET_FAST_SOURCES = 2  /**< their targets and sources */
};

/** Which cycle counts are reported (PT 7.3). */
enum hs_et_cycles {
	HS_ET_CYCLES_OFF = 0,
	HS_ET_CYCLES_PACKETS = 1,    /**< from packet to packet */
	HS_ET_CYCLES_RETIREMENTS = 2 /**< from one retirement to the next, where the blocks have
	                                  a time */
};

/** Dialects: rows of messages.def. */
enum hs_et_dialect_id {
#define HS_ET_DIALECT(id, ...) HS_ET_DIALECT_##id,
#include <hartscope/tables/messages.def>
#undef HS_ET_DIALECT
	HS_ET_DIALECT_COUNT
};

/** Run-time options of data trace.  Their order in a support packet is that of layout.doptions. */
enum hs_et_data_option {
	HS_ET_DATA_NO_VALUE = 1,    /**< only addresses (trTeDataNoValue) */
	HS_ET_DATA_NO_ADDRESS = 2,  /**< only data (trTeDataNoAddr) */
	HS_ET_DATA_FULL_ADDRESS = 4 /**< no address is a difference (trTeDataAddrCompress 0) */
};

/** What is in the bits after the last field of a payload. */
enum hs_et_padding {
	HS_ET_PADDING_SIGN = 0,    /**< the last bit repeats; bytes that only repeat it are left out
	                                (ET Packets) */
	HS_ET_PADDING_ZERO = 1,    /**< 0; bytes of 0 are left out */
	HS_ET_PADDING_ANY = 2,     /**< bits without meaning; the payload has its full length */
	HS_ET_PADDING_ADDRESS = 3, /**< after an address as SIGN; after others 0, at full length */
	HS_ET_PADDING_BYTES = 4,   /**< as SIGN up to whole bytes of the payload; what fills the
	                                packet's last byte has no meaning (EE Packet Length;
	                                design/et-layouts) */
	HS_ET_PADDINGS
};

/** Members of struct hs_et_layout_config: rows of messages.def. */
enum hs_et_layout_id {
#define HS_ET_LAYOUT(id, ...) HS_ET_LAYOUT_##id,
#include <hartscope/tables/messages.def>
#undef HS_ET_LAYOUT
	HS_ET_LAYOUT_IOPTIONS,
	HS_ET_LAYOUT_DOPTIONS,
	HS_ET_LAYOUT_COUNT
};

/** Most bits of ioptions, of doptions. */
#define HS_ET_IOPTIONS_MAX 15
#define HS_ET_DOPTIONS_MAX 16

/**
 * What the texts leave to the implementation of packets (design/et-layouts).  A dialect is a named
 * set of these values; a member whose bit in @given is set replaces the dialect's.
 */
struct hs_et_layout_config {
	uint32_t given;      /**< bit HS_ET_LAYOUT_x: that member holds; others are the dialect's */
	uint8_t frame;       /**< enum hs_et_frame */
	uint8_t length_bits; /**< HEADER and JOINED: bits of the length, 1 to 8, which come first */
	uint8_t type_bits;   /**< 0 to 8; with length_bits at most 8 in HEADER and JOINED, 7 in
	                          MESSAGE; 0 in BARE, INDEXED, SLOT, SLOT_HEAD */
	uint8_t type_inst, type_control, type_data; /**< values of type; with type_bits 0 without
	                                                 meaning */
	uint8_t mode_bits;                          /**< of encoder_mode, 0 to 8 */
	uint8_t thaddr;      /**< 0: trap packets do not have the field: it is 1; a trap without a
	                          handler is then reported as lost packets */
	uint8_t padding;     /**< enum hs_et_padding; BARE: no bytes are left out */
	uint8_t chunk_bytes; /**< encoder: a payload that is shortened keeps a multiple of so many
	                          bytes, 1 to 31 */
	uint8_t support;     /**< 0.026: 0: there are no support packets */
	uint8_t machine;     /**< value of privilege for M-mode, 1, 3 to 7 */
	uint8_t ioptions_width; /**< 0 to HS_ET_IOPTIONS_MAX; bit HS_ET_LAYOUT_IOPTIONS of @given
	                             is of this member and the next */
	uint8_t ioptions[HS_ET_IOPTIONS_MAX]; /**< bit by bit from the lowest: enum hs_et_option; 0:
	                                           a bit without meaning */
	uint8_t doptions[HS_ET_DOPTIONS_MAX]; /**< the same of doptions, which has doptions_width
	                                           bits: enum hs_et_data_option.  Dialects:
	                                           HS_ET_DATA_NO_VALUE, HS_ET_DATA_NO_ADDRESS */
	uint8_t trap_tval;   /**< encoder: 1: trap packets of interrupts have tval, 0, as well */
	uint8_t stamp_first; /**< MESSAGE: 1: the time tag is before the index; 0: after it */
	uint8_t long_sign; /**< decoder: 1: addresses of formats 1 and 2 have 8k+1 bits, as many as
	                          the payload has room for; the rest of the last byte is 0 */
	uint8_t block_end; /**< decoder: 1: after an uninferable jump the address is that of the
	                          last instruction before the next jump or branch, that included */
	uint8_t raw_forms; /**< 1: packets with an address only begin with 11; branch_map has 3
	                          bits at least; a full one without an address says 31 branches;
	                          notify is compared with bit 31 of the address */
	uint8_t arrivals;  /**< 1: formats 1 and 2 report where an uninferable jump arrived, with
	                          the branches before it: one at the address is in a later packet,
	                          and so is one at that of a synchronising packet.  A trap packet
	                          has the address where the trap struck, and no branch before it
	                          is reported earlier.  Full addresses or differences; no other
	                          option, context, time or data trace */
	uint8_t kept_map;  /**< arrivals: 1: bits of branch_map are never cleared, so that 1 is "not
	                          taken" in this packet or in one before */
	uint8_t address_last; /**< decoder: 1: an address is the last field, of as many whole
	                             bytes as there is room for; notify, updiscon and
	                             irreport, and tval of every trap, are before it */
	uint8_t map_ahead;    /**< decoder: 1: branch_map may have the branch of the instruction
	                             after the address, and one at the address of a
	                             synchronising packet is in the next map; an xRET that does
	                             not change the mode is not reported */
};

/** What periodic synchronisation counts (trTeInstSyncMode). */
enum hs_et_sync_mode {
	HS_ET_SYNC_OFF = 0,
	HS_ET_SYNC_PACKETS = 1,
	HS_ET_SYNC_CYCLES = 2, /**< cycles: the values of HS_KIND_TIME */
	HS_ET_SYNC_HALFWORDS = 3
};

/** Largest sizes: what the fields of the registers hold (ET Example ipxact description).  Tables
 * have 2^size entries, in memory of the caller: hs_et_encoder_memory(), hs_et_source_memory(). */
#define HS_ET_BPRED_MAX 15
#define HS_ET_CACHE_MAX 15
#define HS_ET_RETURN_MAX 15

/**
 * Parameters of a stream, for its encoder and its decoder (ET Parameters and Discovery).  0 is the
 * default of every member (design/interface): a zeroed struct with size set is E-Trace 2.0 of a
 * 64-bit hart, standard encapsulation, differential addresses, no options, neither context nor time
 * in packets, no periodic synchronisation.
 */
struct hs_et_config {
	uint32_t size;             /**< sizeof(struct hs_et_config).  What a smaller struct lacks
	                                is 0; what a larger one has more must be 0 */
	uint8_t version;           /**< enum hs_et_version; 0 is 2.0 */
	uint8_t dialect;           /**< enum hs_et_dialect_id; 0 is the standard encapsulation */
	uint8_t iaddress_width;    /**< iaddress_width_p, 2 to 64; 0 is 64.  Addresses of fewer bits
	                                than XLEN are sign-extended where the program's are
	                                (design/et-layouts) */
	uint8_t iaddress_unit;     /**< bytes of an address unit, 2^iaddress_lsb_p: 1, 2 or 4; 0
	                                is 2 */
	uint8_t privilege_width;   /**< privilege_width_p, 1 to 4; 0 is 3 */
	uint8_t ecause_width;      /**< ecause_width_p, 1 to 64; 0 is 6 */
	uint8_t context;           /**< 1: packets carry the context (nocontext_p 0) */
	uint8_t context_width;     /**< context_width_p, 1 to 64; 0 is 32 */
	uint8_t time;              /**< 1: packets carry the time (notime_p 0) */
	uint8_t time_width;        /**< time_width_p, 1 to 64; 0 is 32 */
	uint8_t notval;            /**< 0.026: 1: packets do not carry tval (notval_p) */
	uint8_t itype_width;       /**< itype_width_p, 3 or 4; 0 is 4.  3: blocks do not say
	                                which jumps have their target in the code (ET Table
	                                itype): encoder */
	uint8_t f0s_width;         /**< f0s_width_p, 0 to 2 */
	uint8_t bpred_size;        /**< bpred_size_p, 0 to HS_ET_BPRED_MAX; 0: no predictor */
	uint8_t cache_size;        /**< cache_size_p, 0 to HS_ET_CACHE_MAX; 0: no cache */
	uint8_t call_counter_size; /**< call_counter_size_p, 0 to HS_ET_RETURN_MAX; 0: no
	                                counter.  With a return stack, too, the stack decides
	                                how many calls are remembered (ET Decoder) */
	uint8_t return_stack_size; /**< return_stack_size_p, 0 to HS_ET_RETURN_MAX; 0: no stack */
	uint8_t sijump;            /**< sijump_p */
	uint8_t arch;              /**< arch_p, 0 to 15 */
	uint8_t options;           /**< enum hs_et_option; a decoder follows the support packets,
	                                of 2.1 also in sizes, time_width, f0s_width, iret_ext */
	uint8_t sync_mode;         /**< encoder: enum hs_et_sync_mode; 0 is off */
	uint8_t sync_max;          /**< encoder: resync-max: synchronise each 2^(n+4) units, 0 to
	                                20 */
	uint8_t src_bits;          /**< trTeSrcBits, 0 to 16 (EE srcID); only with the standard
	                                encapsulation and MESSAGE; 0: no srcID */
	uint16_t src_id;           /**< encoder: trTeSrcID; below 2^src_bits */
	uint8_t tstamp_bytes;      /**< bytes of the standard encapsulation's timestamp, 0 to 8, or
	                                of the time tag of MESSAGE and SLOT */
	uint8_t plain_loops;       /**< encoder: 1: packets do not say how often a loop without a
	                                branch ran; 0: packets with notify do (design/et-encoder) */
	uint8_t context_precise;   /**< encoder: 1: a new context is a synchronising packet
	                                (ctype 2); 0: a context packet (ctype 1) */
	uint8_t no_compress;       /**< encoder: 1: payloads at their full length */
	uint8_t negated;           /**< 0.026: 1: a differential address is last - current */
	uint8_t type_prefix;       /**< 0.026: 1: payloads of te_inst begin with 2 bits of value
	                                2, as those of te_support begin with 0 */
	uint8_t context_mark;      /**< 0.026: 1: a context packet right after an address says
	                                that a jump led there; without one the address is where
	                                the flow first meets it (design/et-draft).  0: no
	                                packet says so, and a decoder marks what is
	                                ambiguous */
	uint8_t diff_on_tie;       /**< 0.026, encoder: 1: the differential address where both
	                                are as short; 0: the full one */
	uint8_t vector_sync;       /**< 0.026: 1: one more synchronising packet after a jump that
	                                a handler begins with: a program that fills its table of
	                                handlers changes that jump */
	uint8_t fast;              /**< HS_ET_FAST: enum hs_et_fast */
	uint8_t cycles;            /**< HS_ET_FAST: enum hs_et_cycles */
	uint8_t iret_ext;          /**< 1: in place of irdepth packets carry irets, 8 bits: how
	                                many returns were inferred since the last branch or
	                                packet; the ratified depth cannot always be decoded
	                                (design/et-returns) */
	uint8_t data_trace;        /**< 1: support packets describe data trace: denable, dloss,
	                                doptions */
	uint8_t doptions_width;    /**< bits of doptions, 0 to 16 */
	uint8_t strict;            /**< encoder: 1: the packets of the text's figure and no others,
	                                to compare with packet by packet; implies
	                                plain_loops, and context_mark 0.  Decoder: 1: each packet
	                                with notify is an event (design/et-encoder) */
	uint8_t anchor_bytes;      /**< INDEXED: after so many bytes of 0 a packet begins, 1 to 31;
	                                0: nothing shows where one begins */
	uint8_t anchor_packets;    /**< encoder: so many bytes of 0 after each so many packets; 0:
	                                none */
	uint64_t mtvec, stvec, vstvec;     /**< where handlers are, as in the CSRs: base, with the
	                                    mode in bits 1:0 (0 direct, 1 vectored for
	                                    interrupts; with other modes handlers have no known
	                                    place); 0: not known (ET Implicit exception mode) */
	struct hs_et_layout_config layout; /**< zeroed: the dialect's */
	uint8_t async_freq;  /**< encoder: 1 to 7: a synchronisation sequence each 2^(n+6) bytes of
	                          packets (EE Synchronization); only with the standard
	                          encapsulation; 0: none */
	uint8_t stall;       /**< encoder: trTeInstStallEna: hs_et_encode_port() stalls the hart */
	uint8_t flow;        /**< encoder: flow of the standard encapsulation's header, 0 to 3 (EE
	                          Header) */
	uint8_t other_width; /**< 2.1: bits of "other" at the end of a support packet, 0 to 64; the
	                          encoder writes 0 */
	uint8_t reserved[4]; /**< 0 */
	/** Bits of type by srcID, which "must be fixed for a given srcID" (EE type): 4 bits for
	 * each srcID from 0 to 15, the lowest first; 0: as layout.type_bits, else the width plus 1.
	 * Only with the standard encapsulation and src_bits. */
	uint64_t type_widths;
	/* Where the pseudo-code of 2.1 and the chapters differ (docs/errata.md); 0: the chapters',
	 * but of sync_resets.  Ratified versions: */
	uint8_t sync_resets;     /**< 2.1: 1: each synchronising packet resets return stack and
	                            predictor, also with resync_disabled (ET-20) */
	uint8_t cache_kept;      /**< 1: a synchronising packet does not empty the jump target cache
	                            (ET-21) */
	uint8_t cache_returns;   /**< 1: targets of inferred returns enter the jump target cache
	                            (ET-22) */
	uint8_t counter_bits;    /**< 1: a call counter has 2^n bits, not 2^n calls (ET-25); with
	                            iret_ext or without implicit return */
	uint8_t x0_inferable;    /**< decoder: 1: targets of jalr with rs1 = x0 are not reported, as
	                            of a hart that gives them itype 9 or 15 (ET-24) */
	uint8_t reserved_end[3]; /**< 0 */
};

/**
 * Set what a dialect implies (et_dialect_values.def).  HS_ET_DIALECT_PULP: version 0.026,
 * 32-bit addresses of 1-byte units, 3 bits of privilege and 5 of ecause, notval, negated,
 * vector_sync.  HS_ET_DIALECT_DRAFT: version 0.026, type_prefix.  Others: only the dialect.
 * @param[in,out] c  Its size is set.  Nothing after it is written.
 * @retval HS_OK
 * @retval HS_E_CONFIG  The size is below 4, or a byte past this struct is not 0; *c is unchanged.
 */
HS_STATIC enum hs_status hs_et_config_dialect(struct hs_et_config *c,
                                              enum hs_et_dialect_id dialect);

/**
 * Check a configuration as a whole.
 * @retval HS_OK
 * @retval HS_E_CONFIG  A value out of its range above; an option whose table has size 0, or that
 *                      the version does not have; f0s_width 0 where two options need a subformat
 *                      (ET Format 0 subformat); a packet longer than the framing holds; a dialect
 *                      that cannot say which packets of the version are te_inst; size below 4; a
 *                      reserved byte, or a byte past this struct, that is not 0.
 */
HS_STATIC enum hs_status hs_et_config_check(const struct hs_et_config *c);

/** Copy the layout of @dialect and version @version, with every member given.
 * @retval HS_OK
 * @retval HS_E_CONFIG  There is no such dialect or version; *layout is unchanged. */
HS_STATIC enum hs_status hs_et_layout_of(unsigned dialect, unsigned version,
                                         struct hs_et_layout_config *layout);

/* ---- data trace ------------------------------------------------------------------------ */

/* E-Trace data trace: accesses to packets and back (ET Data Trace Encoder Output Packets).
 *
 * What the text leaves open or contradicts is decided in design/data-trace. A payload is what the
 * encapsulation carries with the type of data trace; its framing is not seen here. Nothing here
 * allocates or keeps a pointer.
 *
 * Threads: one coder belongs to one thread at a time. Two coders share nothing.
 */

/**
 * Parameters and run-time options of data trace, the same for encoder and decoder.  0 is the
 * default of every member: unified, addresses and data, 64 bits of each, loads, stores, atomics
 * and CSRs.
 */
struct hs_et_data_config {
	uint32_t size;             /**< sizeof(struct hs_et_data_config).  What a smaller struct
	                                lacks is 0; what a larger one has more must be 0 */
	uint8_t split;             /**< 1: split loads and atomics */
	uint8_t no_data;           /**< 1: only addresses (trTeDataNoValue) */
	uint8_t no_address;        /**< 1: only data (trTeDataNoAddr) */
	uint8_t load_store;        /**< 1: only unified loads and stores: format has 2 bits; not
	                                with mmacas_ext */
	uint8_t data_width;        /**< data_width_p: 8, 16, 32 or 64; 0 is 64 */
	uint8_t daddress_width;    /**< daddress_width_p, 4 to 64; 0 is 64.  Addresses that are
	                                wider than 32 bits and narrower than 64 have a sign */
	uint8_t lrid_width;        /**< lrid_width_p, 0 to HS_ET_LRID_MAX; only with split */
	uint8_t csr_width;         /**< bits of a CSR: 32 or 64; 0 is 64 */
	uint8_t compression;       /**< enum hs_et_data_compression */
	uint8_t narrow_diff;       /**< 1: diff has 1 bit where the text allows 1 or 2; needs a
	                                single compression */
	uint8_t csr_subtype_width; /**< subtype of a CSR packet with only the address: 2 or 3; 0
	                                is 3 */
	uint8_t csr_diff;          /**< 1: that packet has diff */
	uint8_t full_address;      /**< encoder: 1: no address is a difference
	                                (trTeDataAddrCompress 0) */
	uint8_t sc_failures;       /**< encoder: 1: conditional stores that failed are reported
	                                with data too, by the subtype that is reserved there.  With
	                                mmacas_ext: they and compare and swaps that failed are
	                                reported with no_address too, with their address */
	uint8_t atomic_response;   /**< format of a split atomic's response: 7; 0 is 7 */
	uint8_t mmacas_ext;  /**< 1: the packets of the extension "Data Trace of Multiple-Memory
	                                Access and Compare and Swap" 0.8 in place of those of 2.0;
	                                csr_diff, csr_subtype_width and atomic_response mean nothing
	                                (design/data-trace) */
	uint8_t dtype_width; /**< dtype_width_p, 1 to 4; 0 is 4.  With mmacas_ext: types above
	                                it have no packet, and format has 0, 1, 2 or 2 bits; with
	                                split 2 */
	uint8_t full_data;   /**< encoder: 1: no data and no operand is compressed */
	uint8_t reserved[2]; /**< 0 */
};

/** Forms: rows of messages.def. */
enum hs_et_data_form {
	HS_ET_DATA_NONE, /**< no packet: what the configuration does not report */
#define HS_ET_DATA_PACKET(id, ...) HS_ET_DATA_##id,
#include <hartscope/tables/messages.def>
#undef HS_ET_DATA_PACKET
	HS_ET_DATA_FORMS
};

/** Packets of data trace, and their bytes with the framing, by form. */
struct hs_et_data_counts {
	uint64_t packets[HS_ET_DATA_FORMS], bytes[HS_ET_DATA_FORMS];
	uint64_t incomplete; /**< encoder: accesses without a packet, because what it would carry is
	                          not known of them, or does not fit its fields */
};

/* ---- packets --------------------------------------------------------------------------- */

/* E-Trace: packets and their fields.
 *
 * Offsets are bytes from the first byte ever given to a reader.
 *
 * Threads: the functions here read constant tables. They may run in several threads at once.
 */

/** reason of a packet of HS_ET_FAST: what led to the target. */
enum hs_et_reason {
	HS_ET_REASON_NONE = 0, /**< the trace starts there, or a synchronisation was requested */
	HS_ET_REASON_EXCEPTION = 1,
	HS_ET_REASON_INTERRUPT = 2,
	HS_ET_REASON_XRET = 3,
	HS_ET_REASON_CALL = 4, /**< inferable */
	HS_ET_REASON_CALL_UNINF = 5,
	HS_ET_REASON_RETURN = 6,
	HS_ET_REASON_SWAP = 7
};

/** Kinds of packets, of all versions. */
enum hs_et_form {
	HS_ET_FORM_BRANCH_COUNT, /**< format 0 subformat 0: branches predicted correctly */
	HS_ET_FORM_INDEX,        /**< format 0 subformat 1: index of the jump target cache */
	HS_ET_FORM_FULL,         /**< format 0 of 0.026: branches, full address */
	HS_ET_FORM_BRANCH,       /**< format 1: branches, with or without an address */
	HS_ET_FORM_ADDRESS,      /**< format 2: only an address */
	HS_ET_FORM_START,        /**< format 3 subformat 0 */
	HS_ET_FORM_TRAP,         /**< format 3 subformat 1 */
	HS_ET_FORM_CONTEXT,      /**< format 3 subformat 2 */
	HS_ET_FORM_SUPPORT,      /**< format 3 subformat 3; te_support of 0.026 */
	HS_ET_FORM_TARGET,       /**< HS_ET_FAST, format 0: target of an exception, call or
	                              return */
	HS_ET_FORM_CYCLES,       /**< HS_ET_FAST, format 1: cycles before a retirement */
	HS_ET_FORM_DISCOVERY,    /**< 0.026: the discovery record */
	HS_ET_FORM_OTHER,        /**< no instruction trace: data trace, or a type that the
	                              dialect lacks */
	HS_ET_FORMS
};

/** Fields that a packet can have. */
enum hs_et_field {
#define HS_ET_FIELD(id, name, width, hex, clause) HS_ETF_##id,
#include <hartscope/tables/messages.def>
#undef HS_ET_FIELD
	HS_ETF_COUNT
};

/** qual_status of a support packet (ET Format 3 subformat 3). */
enum hs_et_qual {
	HS_ET_NO_CHANGE = 0,
	HS_ET_ENDED_REP = 1,
	HS_ET_TRACE_LOST = 2,
	HS_ET_ENDED_NTR = 3
};

/** Longest payload in bytes: header.length has 5 bits (EE Header). */
#define HS_ET_PAYLOAD_MAX 31

/** Room that one call of an encoder needs at least, in bytes. */
#define HS_ET_ENCODE_ROOM 512

/** Longest packet of any kind in bytes, with its framing: a length has up to 8 bits. */
#define HS_ET_PACKET_MAX 256

/** One packet, as read or to be written. */
struct hs_et_packet {
	uint64_t offset; /**< of the first byte of its framing */
	uint64_t tstamp; /**< of the framing, when has_tstamp */
	uint16_t length; /**< bytes with the framing */
	uint16_t src;    /**< srcID */
	uint16_t bits;   /**< of the payload at its full length; after HS_E_FIELD the bit at
	                       fault */
	uint8_t type;    /**< message type of the framing */
	uint8_t form;    /**< enum hs_et_form */
	bool has_tstamp;
	bool has_index;               /**< of HS_ET_FRAME_INDEXED */
	bool gap;                     /**< packets before it are missing, as indexes say */
	uint16_t index;               /**< when has_index */
	uint64_t present;             /**< bit HS_ETF_x: the packet has the field */
	uint64_t field[HS_ETF_COUNT]; /**< values; 0 where not present */
};

static inline bool hs_et_has(const struct hs_et_packet *p, enum hs_et_field f)
{
	return (p->present >> f) & 1u;
}

/** Packets and bytes by form. */
struct hs_et_counts {
	uint64_t packets[HS_ET_FORMS];
	uint64_t bytes[HS_ET_FORMS];   /**< with the framing */
	struct hs_et_data_counts data; /**< those of HS_ET_FORM_OTHER that are data trace */
};

/* ---- reader ---------------------------------------------------------------------------- */

/* RISC-V E-Trace: bytes to packets and packets to bytes.
 *
 * Offsets are bytes from the first byte ever given to a reader. Nothing here allocates, blocks, or
 * keeps a pointer into the input.
 *
 * Threads: one reader belongs to one thread at a time; two of them share nothing.
 */

/** A reader of packets: in the caller's memory. */
struct hs_et_reader;

/* ---- encoder --------------------------------------------------------------------------- */

/* E-Trace encoder: retired blocks in, packets out (ET Algorithm, PT 5).
 *
 * Addresses are byte addresses as the hart sees them. Nothing here allocates, blocks, or keeps a
 * pointer into the input.
 *
 * Threads: one encoder belongs to one thread at a time. Two encoders share nothing.
 */

/* In the caller's memory. */
struct hs_et_encoder;
struct hs_et_data_coder;

/**
 * Bytes that the tables of an encoder need: return addresses, jump target cache, branch predictor
 * (bpred_size, cache_size, call_counter_size, return_stack_size), whichever options are on.
 * @return  0 where all of them are 0, or the configuration is not good.
 */
HS_STATIC size_t hs_et_encoder_memory(const struct hs_et_config *config);

/**
 * Start the encoder of one hart.  struct hs_et_encoder is plain data in the caller's memory; its
 * members are private.  A copy of it uses the same tables.
 * @param config         Copied.
 * @param memory, bytes  For tables: at least hs_et_encoder_memory(config), aligned for uint64_t;
 *                       kept.  NULL, 0 where that is 0.
 * @retval HS_OK
 * @retval HS_E_CONFIG  See hs_et_config_check().
 * @retval HS_E_SPACE   memory is NULL, or bytes are fewer than hs_et_encoder_memory(config).
 */
HS_STATIC enum hs_status hs_et_encoder_init(struct hs_et_encoder *e,
                                            const struct hs_et_config *config, void *memory,
                                            size_t bytes);

/**
 * Encode blocks.  Events, which come before the block that they concern:
 * - HS_KIND_STOP: reports the last instruction, then sends a support packet, but in 2.1 not for
 *   HS_STOP_WAIT (RHTI Trace State: what the hart does goes on); the next block starts
 *   the trace again.
 * - HS_KIND_GAP: with HS_E_LOST packets did not get out, else like HS_KIND_STOP, as is a note
 *   that blocks were left out (HS_NOTE_LEFT_OUT).
 * - HS_KIND_SYNC: a reset (1) is like HS_KIND_STOP; any other code makes the next block begin with
 *   a synchronising packet.
 * - HS_KIND_CONTEXT: the context of what follows, when packets carry one.  A field of 30 bits or
 *   more has FORMAT 3 (hcontext, 14 bits) at its top, next to the others (ET Instruction interface:
 *   "ASID and VMID": bits 15:0 and 29:16); a narrower one does not have it.
 * - HS_KIND_TIME: the time of what follows, when packets carry one.
 * - HS_KIND_TRAP: comes after its block: cause and trap value.  With itype 1 or 2 it has no block:
 *   the next block is its handler, which may be the first that is traced.
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
 * @retval HS_E_BLOCK  in[*used] has an iaddr that is odd, wider than iaddress_width (above it all
 *                     bits are 0, or all are its top bit) or not a multiple of
 *                     the address unit; itype 7 or above 15; or iretire 0 without a trap.  Blocks
 *                     before it were encoded.
 */
HS_STATIC enum hs_status hs_et_encode(struct hs_et_encoder *e, const struct hs_block *in, size_t n,
                                      size_t *used, uint8_t *out, size_t cap, size_t *len);

/**
 * Encode data accesses too (HS_KIND_DATA, HS_KIND_VALUE): their packets come where the events
 * stand, before that of their instruction (ET Data Trace Encoder Output Packets).  Accesses that
 * the configuration of @data cannot carry are left out.  While the encoder traces this switches
 * data trace on or off, which a support packet reports (denable): before the next access, or the
 * next item.
 * @param data  Kept.  Its hart is that of the encoder.  NULL: no data trace.
 * @retval HS_OK
 * @retval HS_E_CONFIG  The framing of the dialect does not say which packets are data trace.
 */
HS_STATIC enum hs_status hs_et_encoder_set_data(struct hs_et_encoder *e,
                                                struct hs_et_data_coder *data);

/**
 * Change run-time options while the encoder traces: from the next block on they are @options.  The
 * last instruction before them is reported under the old ones; a support packet with the new ones
 * and a synchronising packet follow (ET Format 3 subformat 3, design/et-support).
 * @param options  enum hs_et_option; all of them.
 * @retval HS_OK
 * @retval HS_E_CONFIG       An option that the encoder lacks, or two that it cannot have together:
 *                           see hs_et_config_check().  Nothing changed.
 * @retval HS_E_UNSUPPORTED  The support packets of the layout have no bit for an option that would
 *                           change; those of 0.026 have none.  Nothing changed.
 */
HS_STATIC enum hs_status hs_et_encoder_set_options(struct hs_et_encoder *e, unsigned options);

/**
 * Encode one block or event into a queue that has little room, as hardware does.
 *
 * @param b         The block or event.
 * @param out, cap  Room left in the queue, any size.
 * @param[out] len  Bytes written: whole packets, but for a queue smaller than one.
 *
 * @retval HS_OK       Taken.
 * @retval HS_FULL     config.stall is set and there is no room for all of its packets: the hart
 *                     waits (trTeInstStallEna); call again with the same block, until HS_OK,
 *                     before anything else.
 * @retval HS_E_LOST   config.stall is not set and there is no room: the packets are lost, and so
 *                     is what follows until there is room for a support packet, trace_lost, and
 *                     a synchronising packet (ET Algorithm).  Of an access only the packets of
 *                     data trace are: the next of them comes after a support packet with dloss.
 * @retval HS_E_BLOCK  As for hs_et_encode().
 */
HS_STATIC enum hs_status hs_et_encode_port(struct hs_et_encoder *e, const struct hs_block *b,
                                           uint8_t *out, size_t cap, size_t *len);

/** End the trace: the last instruction and a support packet.  Same results as hs_et_encode(). */
HS_STATIC enum hs_status hs_et_encode_end(struct hs_et_encoder *e, uint8_t *out, size_t cap,
                                          size_t *len);

/* ---- decoder --------------------------------------------------------------------------- */

/* RISC-V E-Trace: packets to blocks.
 *
 * Addresses are byte addresses as the hart sees them; offsets are bytes from the first byte ever
 * given to a decoder. Nothing here allocates, blocks, or keeps a pointer into the input.
 *
 * Threads: one decoder belongs to one thread at a time. Two of them share nothing but the table of
 * basic blocks, if the caller gives both the same one: then both belong to one thread.
 */

/** Entries of output that one call of the decoder needs at least. */
#define HS_ET_DECODE_ROOM 16

/** What a decoder found wrong.  Valid until the next call on the decoder. */
struct hs_et_diag {
	enum hs_reason reason;
	enum hs_status status;      /**< of the reason (tables/status.def) */
	const char *clause;         /**< of the reason, such as "ET Decoder next_pc"; with
	                         HS_REASON_FIELD that of the field */
	const char *text;           /**< hs_reason_text(): one short sentence */
	uint64_t pc;                /**< where the walk stood; 0 before the first synchronisation */
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
HS_STATIC size_t hs_et_source_memory(const struct hs_et_config *config);

/**
 * Start.
 * @param table    Basic blocks of the program (hs_bb_init()); kept.
 * @param sources  Memory for as many sources as the stream may have, at least 1; kept.
 * @param memory, bytes  For their tables: at least source_count * hs_et_source_memory(config),
 *                       aligned for uint64_t; kept.  NULL, 0 where that is 0.  Of 2.1 support
 *                       packets may say larger tables than config: each source has bytes /
 *                       source_count, and hs_et_source_memory() of the largest is what it takes.
 * @retval HS_OK
 * @retval HS_E_CONFIG  See hs_et_config_check().
 * @retval HS_E_ARG     source_count is 0.
 * @retval HS_E_SPACE   memory is NULL, or too small for the tables of source_count sources.
 */
HS_STATIC enum hs_status hs_et_decoder_init(struct hs_et_decoder *d,
                                            const struct hs_et_config *config,
                                            struct hs_bb_table *table, struct hs_et_source *sources,
                                            size_t source_count, void *memory, size_t bytes);

/** What a decoder that has to be sure takes for damage, of what a good stream may have, too
 * (design/resync). */
enum hs_et_care {
	HS_ET_CARE_AGREE = 1,   /**< only faults, as without care; and options that change where no
	                             synchronising packet follows (design/resync) */
	HS_ET_CARE_CODE = 2,    /**< a flow that leaves the code that is known */
	HS_ET_CARE_TYPES = 4,   /**< packets of types that were not announced (data trace), and a
	                            time where the parameters have none */
	HS_ET_CARE_OPTIONS = 8, /**< options other than those before, until they are reported twice;
	                             before the first report those of the parameters */
	HS_ET_CARE_ALL = 15
};

/**
 * Give the decoder more than it needs, before the first bytes: o->count programs of contexts, a
 * memo, a limit, care, coders of data trace (memo.h).  What was given before is replaced.
 * @retval HS_OK
 * @retval HS_E_ARG     Fewer coders of data trace than sources.
 * @retval HS_E_CONFIG  o->size is 0, or the framing of the dialect does not say which packets are
 *                      data trace.
 */
HS_STATIC enum hs_status hs_et_decoder_set(struct hs_et_decoder *d,
                                           const struct hs_decoder_options *o);

/**
 * Decode: bytes in, blocks and events out, in order.
 *
 * Blocks are canonical (block.h).  A source's first block comes after its first synchronising
 * packet.  A packet with notify is HS_KIND_SYNC 6 where a trigger asked for it (design/et-encoder).
 * When a stream has srcID, HS_KIND_HART comes before the first item of each source and
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
 * @retval HS_E_LOST       The encoder lost packets (ET Format 3 subformat 3 qual_status); or part
 *                         of the input is missing.
 * @retval HS_E_UNSUPPORTED  A trap whose handler's address is not known (ET Implicit exception
 *                         mode).  2.1, HS_REASON_TABLES: the sizes of a support packet need more
 *                         memory than a source has: hs_et_source_memory() of what diag.packet says;
 *                         its packets are passed over up to a support packet that fits.
 * @retval HS_E_SPACE      cap is below HS_ET_DECODE_ROOM.
 * @retval HS_E_SOURCES    The stream has more sources than memory was given for; the packet is
 *                         skipped (EE srcID).
 * After an error *n entries are good, the last of them an HS_KIND_GAP for each source that lost
 * synchronisation.  hs_et_decoder_diag() has the details.  Call again: decoding resumes at the next
 * synchronising packet.  After HS_E_NOCODE it resumes at the next packet that has any address, if
 * code is known there: HS_KIND_UNSEEN comes before its blocks (design/unmapped).
 */
HS_STATIC enum hs_status hs_et_decoder_next(struct hs_et_decoder *d, struct hs_span *in,
                                            struct hs_block *out, size_t cap, size_t *n);

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
HS_STATIC enum hs_status hs_et_decoder_end(struct hs_et_decoder *d, struct hs_block *out,
                                           size_t cap, size_t *n);

/** What was wrong when a call returned an error; owned by the decoder. */
HS_STATIC const struct hs_et_diag *hs_et_decoder_diag(const struct hs_et_decoder *d);

#ifdef __cplusplus
}
#endif

#include <hartscope/etrace_state.h>
#endif
