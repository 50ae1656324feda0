/* E-Trace: the parameters of a stream, the same for its encoder and its decoder.
 *
 * "ET title" is a clause of Efficient Trace for RISC-V 2.0 (1.1.3 has the same titles), "PT x" one
 * of Processor Trace 0.026-DRAFT, "EE title" one of the Unformatted Trace & Diagnostic Data Packet
 * Encapsulation.
 *
 * Threads: no function here keeps or shares anything.  Any of them may run in several threads at
 * once, on different structs.
 */
#ifndef HARTSCOPE_ET_CONFIG_H
#define HARTSCOPE_ET_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Which text a stream follows. */
enum hs_et_version {
	HS_ET_2_0 = 0,
	HS_ET_1_1 = 1,
	HS_ET_0_026 = 2,
	HS_ET_FAST = 3, /**< experimental: packets for fast profiles and cycle counts, which do not
	                     carry the whole flow (PT 7.2, 7.3; ADR-0022) */
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

/** Dialects: rows of et_dialects.def. */
enum hs_et_dialect_id {
#define HS_ET_DIALECT(id, ...) HS_ET_DIALECT_##id,
#include <hartscope/tables/et_dialects.def>
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
	                                ADR-0059) */
	HS_ET_PADDINGS
};

/** Members of struct hs_et_layout_config: rows of et_layout.def. */
enum hs_et_layout_id {
#define HS_ET_LAYOUT(id, ...) HS_ET_LAYOUT_##id,
#include <hartscope/tables/et_layout.def>
#undef HS_ET_LAYOUT
	HS_ET_LAYOUT_IOPTIONS,
	HS_ET_LAYOUT_DOPTIONS,
	HS_ET_LAYOUT_COUNT
};

/** Most bits of ioptions, of doptions. */
#define HS_ET_IOPTIONS_MAX 15
#define HS_ET_DOPTIONS_MAX 16

/**
 * What the texts leave to the implementation of packets (ADR-0048).  A dialect is a named set of
 * these values; a member whose bit in @given is set replaces the dialect's.
 */
struct hs_et_layout_config {
	uint32_t given;      /**< bit HS_ET_LAYOUT_x: that member holds; others are the dialect's */
	uint8_t frame;       /**< enum hs_et_frame */
	uint8_t length_bits; /**< HEADER and JOINED: bits of the length, 1 to 8, which come first */
	uint8_t type_bits;   /**< 0 to 8; with length_bits at most 8 in HEADER and JOINED, 7 in
	                          MESSAGE; 0 in BARE and INDEXED */
	uint8_t type_inst, type_control, type_data; /**< values of type; with type_bits 0 without
	                                                 meaning */
	uint8_t mode_bits;   /**< of encoder_mode, 0 to 8 */
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
 * default of every member (ADR-0027): a zeroed struct with size set is E-Trace 2.0 of a 64-bit
 * hart, standard encapsulation, differential addresses, no options, neither context nor time in
 * packets, no periodic synchronisation.
 */
struct hs_et_config {
	uint32_t size;             /**< sizeof(struct hs_et_config).  What a smaller struct lacks
	                                is 0; what a larger one has more must be 0 */
	uint8_t version;           /**< enum hs_et_version; 0 is 2.0 */
	uint8_t dialect;           /**< enum hs_et_dialect_id; 0 is the standard encapsulation */
	uint8_t iaddress_width;    /**< iaddress_width_p, 2 to 64; 0 is 64.  Addresses of fewer bits
	                                than XLEN are sign-extended where the program's are
	                                (ADR-0047) */
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
	uint8_t options;           /**< enum hs_et_option; a decoder follows the support packets */
	uint8_t sync_mode;         /**< encoder: enum hs_et_sync_mode; 0 is off */
	uint8_t sync_max;          /**< encoder: resync-max: synchronise each 2^(n+4) units, 0 to
	                                20 */
	uint8_t src_bits;          /**< trTeSrcBits, 0 to 16 (EE srcID); only with the standard
	                                encapsulation and MESSAGE; 0: no srcID */
	uint16_t src_id;           /**< encoder: trTeSrcID; below 2^src_bits */
	uint8_t tstamp_bytes;      /**< bytes of the standard encapsulation's timestamp, 0 to 8, or
	                                of the time tag of MESSAGE */
	uint8_t plain_loops;       /**< encoder: 1: packets do not say how often a loop without a
	                                branch ran; 0: packets with notify do (ADR-0017) */
	uint8_t context_precise;   /**< encoder: 1: a new context is a synchronising packet
	                                (ctype 2); 0: a context packet (ctype 1) */
	uint8_t no_compress;       /**< encoder: 1: payloads at their full length */
	uint8_t negated;           /**< 0.026: 1: a differential address is last - current */
	uint8_t type_prefix;       /**< 0.026: 1: payloads of te_inst begin with 2 bits of value
	                                2, as those of te_support begin with 0 */
	uint8_t context_mark;      /**< 0.026: 1: a context packet right after an address says
	                                that a jump led there; without one the address is where
	                                the flow first meets it (ADR-0017).  0: no packet says
	                                so, and a decoder marks what is ambiguous */
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
	                                (ADR-0017) */
	uint8_t data_trace;        /**< 1: support packets describe data trace: denable, dloss,
	                                doptions */
	uint8_t doptions_width;    /**< bits of doptions, 0 to 16 */
	uint8_t strict;            /**< encoder: 1: the packets of the text's figure and no others,
	                                to compare with packet by packet (ADR-0043); implies
	                                plain_loops, and context_mark 0.  Decoder: 1: each packet
	                                with notify is an event (ADR-0060) */
	uint8_t anchor_bytes;      /**< INDEXED: after so many bytes of 0 a packet begins, 1 to 31;
	                                0: nothing shows where one begins */
	uint8_t anchor_packets;    /**< encoder: so many bytes of 0 after each so many packets; 0:
	                                none */
	uint64_t mtvec, stvec, vstvec; /**< where handlers are, as in the CSRs: base, with the
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
	uint8_t reserved[5]; /**< 0 */
	/** Bits of type by srcID, which "must be fixed for a given srcID" (EE type): 4 bits for
	 * each srcID from 0 to 15, the lowest first; 0: as layout.type_bits, else the width plus 1.
	 * Only with the standard encapsulation and src_bits. */
	uint64_t type_widths;
};

/**
 * Set what a dialect implies (et_dialect_values.def).  HS_ET_DIALECT_PULP: version 0.026,
 * 32-bit addresses of 1-byte units, 3 bits of privilege and 5 of ecause, notval, negated,
 * vector_sync.  HS_ET_DIALECT_DRAFT: version 0.026, type_prefix.  Others: only the dialect.
 * @param[in,out] c  Its size is set.  Nothing after it is written.
 * @retval HS_OK
 * @retval HS_E_CONFIG  The size is below 4, or a byte past this struct is not 0; *c is unchanged.
 */
HS_API enum hs_status hs_et_config_dialect(struct hs_et_config *c, enum hs_et_dialect_id dialect);

/**
 * Check a configuration as a whole.
 * @retval HS_OK
 * @retval HS_E_CONFIG  A value out of its range above; an option whose table has size 0, or that
 *                      the version does not have; f0s_width 0 where two options need a subformat
 *                      (ET Format 0 subformat); a packet longer than the framing holds; a dialect
 *                      that cannot say which packets of the version are te_inst; size below 4; a
 *                      reserved byte, or a byte past this struct, that is not 0.
 */
HS_API enum hs_status hs_et_config_check(const struct hs_et_config *c);

/** Copy the layout of @dialect and version @version, with every member given.
 * @retval HS_OK
 * @retval HS_E_CONFIG  There is no such dialect or version; *layout is unchanged. */
HS_API enum hs_status hs_et_layout_of(unsigned dialect, unsigned version,
                                      struct hs_et_layout_config *layout);

/** The dialect of a name such as "reference", an enum hs_et_dialect_id; -1 if there is none. */
HS_API int hs_et_dialect_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
