/* N-Trace: the parameters of a stream, the same for its encoder and its decoder, and dialects.
 *
 * "NT x.y" is a clause of RISC-V N-Trace 1.0.0-rc7.
 *
 * Threads: no function here keeps or shares anything.  Any of them may run in several threads at
 * once, on different structs.
 */
#ifndef HARTSCOPE_NT_CONFIG_H
#define HARTSCOPE_NT_CONFIG_H

#include <stdint.h>

#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** trTeInstMode (NT Table 7). */
enum hs_nt_mode { HS_NT_BTM = 3, HS_NT_HTM = 6 };

/** What periodic synchronisation counts (trTeInstSyncMode). */
enum hs_nt_sync_mode {
	HS_NT_SYNC_OFF = 0,
	HS_NT_SYNC_MESSAGES = 1,
	HS_NT_SYNC_CYCLES = 2,    /**< cycles: the values of HS_KIND_TIME */
	HS_NT_SYNC_HALFWORDS = 3,
	HS_NT_SYNC_BYTES = 8      /**< bytes of trace; not a register value */
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

/** Where encoders in the field differ: a row of nt_dialects.def. */
struct hs_nt_dialect {
	const char *name;         /**< as in --dialect */
	const char *text;         /**< one line for people */
	uint8_t start_sync;       /**< SYNC of the first message */
	uint8_t sync_max;         /**< trTeInstSyncMax, in messages, where it is not given; 0:
	                               never */
	uint8_t icnt_full_sync;   /**< I-CNT full in HTM may be SYNC 4 (NT 8.4.4) */
	uint8_t sync_resets_all;  /**< every SYNC resets the encoder; else not 0, 4, 6 (NT 8.5) */
	uint8_t btype_zero;       /**< B-TYPE is 0 for traps too */
	uint8_t cdf_by_hist;      /**< HTM: ProgTraceCorrelation has CDF 0 when HIST is empty */
	uint8_t implicit_any;     /**< decoder: returns may be implicit, whatever the
	                               configuration */
	uint8_t counts_8_9;       /**< RCODE 8, 9: number of branches not taken, taken */
	uint8_t tstamp_xor;       /**< timestamps are XORed with the last one */
	uint8_t repeat_keeps;     /**< RepeatBranch keeps the target; else replays the XOR (NT
	                               7.11) */
	uint8_t ecall_traps;      /**< ecall and ebreak never retire (ratified 8.4); else they are
	                               reported after retirement (rc7, Table 2) */
	uint8_t itype_7;          /**< the port may have itype 7 for direct jumps when
	                               all of them are reported (rc7, chapter 2) */
	uint8_t trap_after_xret;  /**< a trap right after a trap return: two synchronising messages
	                               (ratified 8.6) */
	uint8_t quiet_resume;     /**< a hart that resumes with its trace disabled reports nothing
	                               (ratified Table 25), else EVCODE 4 (rc7 Table 26) */
	uint8_t more;             /**< the messages of nt_messages_sifive.def; SYNC 15: a sample
	                               of the PC, without flow (ADR-0062) */
	uint8_t repeat_lengths[4]; /**< lengths of shorter histories that are tried for a repeat
	                                when two full ones differ, in this order; 0: no more (NT
	                                9.3) */
};

/** The dialect of a name such as "reference", an enum hs_nt_dialect_id; -1 if there is none. */
HS_API int hs_nt_dialect_find(const char *name);
/** Row of a dialect; NULL from HS_NT_DIALECT_COUNT on. */
HS_API const struct hs_nt_dialect *hs_nt_dialect_get(unsigned id);

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
	                          flag (NT Table 10); 0 is 22 */
	uint8_t hist_bits;   /**< branches that HIST holds, 1..31 (the stop bit comes on top); 0
	                          is 31 */
	uint8_t icnt_full;   /**< enum hs_nt_icnt_full */
	uint8_t btype_plain; /**< traps are B-TYPE 1 in place of 2 and 3 (NT 6.2) */
	uint8_t hist_always; /**< HTM: IndirectBranchHist also where HIST is empty (NT 10, rule
	                          4) */
	uint8_t start_sync;  /**< SYNC of the first message (NT Table 25); 0 is the dialect's */
	uint8_t stop_evcode; /**< EVCODE of the last message: 0 debug mode, 4 trace disabled */
	uint8_t periodic_events; /**< decoder: report SYNC 2 and 4 as events too */
	uint8_t dialect;          /**< enum hs_nt_dialect_id; 0 is rc7 */
	uint8_t sequential_jump;  /**< trTeInstEnSequentialJump (NT 9.1) */
	uint8_t implicit_return;  /**< trTeInstImplicitReturnMode: 0 off, 1 counting, 2 partial,
	                               3 full addresses (NT 9.2) */
	uint8_t call_stack;       /**< return addresses that the encoder keeps, 1..32; 0 is 32 */
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
	                               message before reported its call (NT 9.2, ADR-0067) */
	uint8_t address_bits;     /**< bits of an address field, 2..63, bit 0 of the address left
	                               off: where its top one is 1, so are those above it, however
	                               many were sent; extend_addr then has no effect (ADR-0340).
	                               0: as NT 8 says.  Sv39: 38, Sv48: 47, Sv57: 56 */
};

/**
 * Check a configuration.
 * @retval HS_OK
 * @retval HS_E_CONFIG  A value out of its range above; src_id not below 2^src_bits; implicit_return
 * with
 *                      itype_bits 3 (NT Table 2); size below 4; a byte past this struct that is
 *                      not 0.
 */
HS_API enum hs_status hs_nt_config_check(const struct hs_nt_config *c);

#ifdef __cplusplus
}
#endif
#endif
