/* CTR: what a hart's control transfer records hold (Smctr, Ssctr; draft 0.1.4 and ratified 1.0).
 *
 * A simulator tells the model what the hart did (hs_ctr_retire, hs_ctr_trap, hs_ctr_xret,
 * hs_ctr_tick) and asks it about CSRs (hs_ctr_read, hs_ctr_write, hs_ctr_clear).  Nothing here
 * allocates or keeps a pointer: struct hs_ctr is plain data, and a copy of it is a saved hart.
 *
 * "0.1.4" and "1.0" before a title name a section of that version.  Where 0.1.4 is silent, the
 * choice is an option of the configuration, named A1 to A9 (ADR-0016).  Privilege modes are enum
 * hs_priv.  Addresses are bytes, cycles those of mcycle.
 */
#ifndef HARTSCOPE_CTR_H
#define HARTSCOPE_CTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/isa.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HS_CTR_ENTRIES 256u  /**< entries that any depth can show */
#define HS_CTR_SELECT 0x200u /**< *iselect of logical entry 0 (Smcsrind) */
#define HS_CTR_SCTRCLR 0x10400073u /**< encoding of SCTRCLR (1.0 Supervisor CTR Clear Instruction) */
#define HS_CTR_DEBUG 8u      /**< Debug Mode, where a function takes a privilege mode */

enum hs_ctr_version { HS_CTR_0_1_4 = 0, HS_CTR_1_0 = 1 };

/** ctrdata.TYPE (ctr_types.def). */
enum hs_ctr_type {
#define HS_CTR_TYPE(id, code, name, filter) HS_CTR_##id = (code),
#include <hartscope/tables/ctr_types.def>
#undef HS_CTR_TYPE
	HS_CTR_NO_TRANSFER = 0
};

/** What the text leaves open.  Each bit is the choice that is not the default. */
enum hs_ctr_option {
	HS_CTR_TYPE6 = 1,         /**< A1: external traps have type 6, as in draft 0.1; else 1 or 2 */
	HS_CTR_V_AS_1_0 = 2,      /**< A2: vsctl controls what crosses V; else the source's control */
	HS_CTR_FREEZE_AS_1_0 = 4, /**< A3: the target's V chooses the freeze bits; else the source */
	HS_CTR_POISON = 8,        /**< A4, A5: a depth change shakes WRPTR and fills what it uncovers */
	HS_CTR_PRESERVE = 16,     /**< A8: undefined bits of entries hold what is written; else 0 */
	HS_CTR_KEEP_UPPER = 32,   /**< A9: a write with XLEN < MXLEN keeps the upper half; else 0 */
	HS_CTR_RAS_NO_CC = 64     /**< RASEMU: records have CCV=0; else a pop adds back what it took */
};

/** Optional fields of the control registers, all of them: a mask for hs_ctr_config.fields. */
#define HS_CTR_ALL_FIELDS UINT64_MAX

/** What a hart has.  Made once; hs_ctr_init() checks and copies it. */
struct hs_ctr_config {
	uint8_t version;   /**< enum hs_ctr_version */
	uint8_t xlen;      /**< MXLEN: 32 or 64 */
	bool u, s, h;      /**< U-mode, S-mode (needs U), hypervisor extension (needs S) */
	bool smstateen;    /**< mstateen0 and hstateen0 gate accesses */
	bool sscofpmf;     /**< 1.0: LCOFIFRZ is then required */
	bool misp, type;   /**< ctrtarget.MISP, ctrdata.TYPE are implemented */
	bool cc;           /**< cycle counting: CCV and CCM are implemented */
	uint8_t cce_bits;  /**< exponent bits of CC, 0..4; 0 without @cc */
	uint8_t depths;    /**< bit n: depth 16 << n is supported, n in 0..4 */
	uint8_t va_bits;   /**< MXLEN=64: addresses are held in this many bits, sign-extended; 0: any
	                        address is held.  Otherwise 12..63 */
	uint8_t options;   /**< enum hs_ctr_option */
	uint64_t fields;   /**< optional bits of the control registers that exist; required ones and
	                        bits that no version defines need not be right */
};

/** One record, at its physical place. */
struct hs_ctr_entry {
	uint64_t source; /**< ctrsource: PC, V in bit 0 */
	uint64_t target; /**< ctrtarget: PC, MISP in bit 0 */
	uint64_t data;   /**< ctrdata: TYPE 3:0, CCV 15, CC 31:16 */
};

/** What follows from the other fields of struct hs_ctr, kept so that a transfer looks at little. */
struct hs_ctr_decisions {
	uint16_t records[8]; /**< by enum hs_priv: types that hs_ctr_retire() records; bit: type */
	uint32_t cycles_max; /**< largest count that CC can say */
	uint32_t data;       /**< bits of ctrdata that records may set */
	uint8_t ras;         /**< modes under RAS emulation; bit: enum hs_priv */
	uint8_t counts;      /**< modes whose cycles count */
	uint8_t last;        /**< depth - 1 */
	bool whole;          /**< every address is held as it is, unless XLEN < MXLEN */
};

/** A hart's CTR.  Plain data: copy it to save and restore; check foreign copies (hs_ctr_check).  Who
 * changes fields other than through the functions below calls hs_ctr_refresh() after it. */
struct hs_ctr {
	struct hs_ctr_config config;
	struct hs_ctr_decisions decisions;
	uint64_t mctl;   /**< mctrcontrol or mctrctl, without DEPTH */
	uint64_t vsctl;  /**< vsctrcontrol or vsctrctl, without DEPTH */
	uint32_t cycles; /**< CtrCycleCounter; at most what CC can say */
	uint8_t wrptr;   /**< physical entry to be written next */
	uint8_t depth;   /**< 16 << depth entries are in use */
	bool wrap;       /**< 0.1.4: WRAP */
	bool frozen;
	bool ccv;        /**< the next record's CCV */
	struct hs_ctr_entry entries[HS_CTR_ENTRIES];
};

/** Why CSR accesses may fail, besides CTR's own state: what the simulator holds. */
struct hs_ctr_env {
	uint8_t priv;       /**< who accesses: U, S (HS), M, VU, VS of enum hs_priv */
	uint8_t xlen;       /**< current XLEN: 32, or 64; 0 is MXLEN */
	uint64_t mstateen0; /**< RV32: mstateen0h in bits 63:32 */
	uint64_t hstateen0; /**< the same; bits that are 0 in mstateen0 count as 0 */
	uint64_t miselect, siselect, vsiselect;
};

/** Answer to a CSR access or SCTRCLR. */
enum hs_ctr_answer {
	HS_CTR_OK = 0,       /**< done */
	HS_CTR_ILLEGAL = 1,  /**< raise an illegal-instruction exception */
	HS_CTR_VIRTUAL = 2,  /**< raise a virtual-instruction exception */
	HS_CTR_NOT_MINE = 3  /**< CTR has nothing to do with it; nothing forbids it so far */
};

/** A transfer of control. */
struct hs_ctr_transfer {
	uint64_t source;  /**< address of the instruction; of a trap, what epc gets */
	uint64_t target;  /**< address of the next instruction.  Not-taken branch: the one behind (A6) */
	uint8_t type;     /**< enum hs_ctr_type */
	uint8_t from, to; /**< modes before and after: enum hs_priv, or HS_CTR_DEBUG */
	uint8_t xlen, to_xlen; /**< XLEN of @from and @to: 32, else MXLEN */
	bool misp;        /**< target or direction was mispredicted */
};

/**
 * Make a hart's CTR, as after reset: depth the smallest, nothing recorded, nothing enabled.
 * @retval HS_OK
 * @retval HS_E_CONFIG  @config contradicts itself or its version: S without U, H without S; xlen; depths
 *                      none, above 256, or (0.1.4) not consecutive; cce_bits without cc or above 4;
 *                      va_bits; ETEN without MTE, STE; (1.0) no S-mode, MTE and STE not both, an
 *                      option that 1.0 settles.  @c is as it was.
 */
HS_API enum hs_status hs_ctr_init(struct hs_ctr *c, const struct hs_ctr_config *config);

/** Make @c->decisions from the other fields, whatever they hold. */
HS_API void hs_ctr_refresh(struct hs_ctr *c);

/** Is @c something that this library could have made?  For copies from outside.
 * @retval HS_OK
 * @retval HS_E_ARG     A field holds what its register cannot, or the decisions do not follow.
 * @retval HS_E_CONFIG  As hs_ctr_init(). */
HS_API enum hs_status hs_ctr_check(const struct hs_ctr *c);

/** Type of the transfer that an instruction makes when it retires; HS_CTR_NO_TRANSFER for linear
 * code, ecall, ebreak and custom instructions (0.1.4 and 1.0 Transfer Type Filtering). */
HS_API enum hs_ctr_type hs_ctr_type_of(const struct hs_insn *insn, bool taken);

/** A transfer within a mode retired: types 4, 5, 8..15; @t->to is not looked at.  An instruction that
 * faults is none (1.0 Behavior); then call hs_ctr_trap() alone.  Other types are ignored. */
HS_API void hs_ctr_retire(struct hs_ctr *c, const struct hs_ctr_transfer *t);

/** A trap was taken, from @t->from to @t->to.  @t->type is EXCEPTION or INTERRUPT, @cause the code of
 * xcause without its top bit: an LCOFI and a breakpoint may freeze (Freeze).  Traps into Debug Mode
 * are no traps here. */
HS_API void hs_ctr_trap(struct hs_ctr *c, const struct hs_ctr_transfer *t, uint64_t cause);

/** mret, sret or mnret retired; @t->type is not looked at. */
HS_API void hs_ctr_xret(struct hs_ctr *c, const struct hs_ctr_transfer *t);

/** @cycles went by in mode @priv.  Call it before the event that ends them. */
HS_API void hs_ctr_tick(struct hs_ctr *c, unsigned priv, uint64_t cycles);

/** Cycles may have been missed: the next record has CCV=0 (Cycle Counting). */
HS_API void hs_ctr_invalidate_cc(struct hs_ctr *c);

/**
 * Read a CSR: CTR's own, and *ireg* where *iselect is in 0x200..0x2ff.
 *
 * @param[out] value  Written only with HS_CTR_OK.
 * @retval HS_CTR_OK
 * @retval HS_CTR_ILLEGAL   The mode, mstateen0, or the hart lacking the register forbids it.
 * @retval HS_CTR_VIRTUAL   The same with V=1, where the hypervisor could allow it.
 * @retval HS_CTR_NOT_MINE  Not a CSR of CTR, a selector, or a window onto something else.
 */
HS_API enum hs_ctr_answer hs_ctr_read(const struct hs_ctr *c, const struct hs_ctr_env *env,
                                      unsigned csr, uint64_t *value);

/** Write a CSR; answers as hs_ctr_read().  csrrs and csrrc are a read and a write. */
HS_API enum hs_ctr_answer hs_ctr_write(struct hs_ctr *c, const struct hs_ctr_env *env,
                                       unsigned csr, uint64_t value);

/**
 * Execute SCTRCLR.
 * @retval HS_CTR_OK
 * @retval HS_CTR_ILLEGAL   From U, or below M with mstateen0.CTR=0.
 * @retval HS_CTR_VIRTUAL   From VU, or from VS with hstateen0.CTR=0.
 * @retval HS_CTR_NOT_MINE  0.1.4 has no such instruction.
 */
HS_API enum hs_ctr_answer hs_ctr_clear(struct hs_ctr *c, const struct hs_ctr_env *env);

/** Entries in use: 16, 32, 64, 128 or 256. */
HS_API unsigned hs_ctr_depth(const struct hs_ctr *c);

/** Logical entry @index, 0 the youngest; all zero from the depth on. */
HS_API struct hs_ctr_entry hs_ctr_entry(const struct hs_ctr *c, unsigned index);

/** Cycles that CC says (Cycle Counting); at most 134201344. */
HS_API uint32_t hs_ctr_cc_decode(unsigned cc);

/** CC of a number of cycles with @cce_bits exponent bits, 0..4; saturates. */
HS_API unsigned hs_ctr_cc_encode(uint64_t cycles, unsigned cce_bits);

/** Bit of mstateen0 and hstateen0 that is CTR. */
HS_API unsigned hs_ctr_stateen_bit(enum hs_ctr_version version);

/** Name of a type, such as "return"; "reserved" if there is none. */
HS_API const char *hs_ctr_type_name(unsigned type);

/** Name of a CSR of a version, or NULL. */
HS_API const char *hs_ctr_csr_name(enum hs_ctr_version version, unsigned csr);

/** Number of the CSR of this name, or 0 (no CSR of CTR has it). */
HS_API unsigned hs_ctr_csr_number(enum hs_ctr_version version, const char *name);

#ifdef __cplusplus
}
#endif
#endif
