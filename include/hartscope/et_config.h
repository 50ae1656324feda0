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
	HS_ET_CYCLES_RETIREMENTS = 2 /**< from one retirement to the next, where the blocks have a time */
};

/** Dialects: rows of et_dialects.def. */
enum hs_et_dialect_id {
#define HS_ET_DIALECT(id, ...) HS_ET_DIALECT_##id,
#include <hartscope/tables/et_dialects.def>
#undef HS_ET_DIALECT
	HS_ET_DIALECT_COUNT
};

/** Run-time options.  Their order in a support packet is the dialect's. */
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
	HS_ET_SYNC_CYCLES = 2, /**< cycles: the values of HS_KIND_TIME */
	HS_ET_SYNC_HALFWORDS = 3
};

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

#ifdef __cplusplus
}
#endif
#endif
