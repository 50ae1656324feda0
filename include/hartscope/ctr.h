/* CTR: what a hart's control transfer records hold (Smctr, Ssctr; draft 0.1.4 and ratified 1.0).
 *
 * A simulator reports to the model what the hart did (hs_ctr_retire, hs_ctr_trap, hs_ctr_xret,
 * hs_ctr_tick) and passes accesses to CSRs on to it (hs_ctr_read, hs_ctr_write, hs_ctr_clear).
 * Nothing here allocates or keeps a pointer: struct hs_ctr is plain data, and a copy of it is a
 * saved hart of this program; hs_ctr_save() makes one for other programs.
 *
 * "0.1.4" and "1.0" before a title name a section of that version.  Where 0.1.4 is silent, the
 * choice is an option of the configuration, named A1 to A9 (design/ctr).  Privilege modes are enum
 * hs_priv.  Addresses are bytes, cycles those of mcycle.
 *
 * Threads: calls for different struct hs_ctr may run at once, as may calls that take the same one
 * as const.  Everything else needs the caller's lock.
 */
#ifndef HARTSCOPE_CTR_H
#define HARTSCOPE_CTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/image.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Private state of ctr.h.  It is here because callers own the memory; its members may change with
 * each version of the library. */

/** What follows from the other members of struct hs_ctr, computed when one of them changes, so that
 * recording a transfer needs few of them. */
struct hs_ctr_decisions {
	uint16_t records[8]; /**< by enum hs_priv: types that hs_ctr_retire() records; bit: type */
	uint32_t cycles_max; /**< largest number of cycles that CC can encode */
	uint32_t data;       /**< bits of ctrdata that records may set */
	uint8_t ras;         /**< modes under RAS emulation; bit: enum hs_priv */
	uint8_t counts;      /**< modes whose cycles count; bit: enum hs_priv */
	uint8_t last;        /**< depth - 1 */
	uint8_t cut;         /**< top bits of addresses that are not held; 0: all are held */
};

#define HS_CTR_ENTRIES 256u  /**< entries of the largest depth */
#define HS_CTR_DEBUG 8u      /**< Debug Mode, where a function takes a privilege mode */
#define HS_CTR_SCTRCLR 0x10400073u /**< SCTRCLR (1.0 Supervisor CTR Clear Instruction) */

/* Smcsrind and Sscsrind: the selectors, and their value for logical entry 0. */
#define HS_CTR_SISELECT 0x150u
#define HS_CTR_VSISELECT 0x250u
#define HS_CTR_MISELECT 0x350u
#define HS_CTR_SELECT 0x200u

/** Version of the text.  HS_CTR_ANY is 1.0, unless a comment says otherwise. */
enum hs_ctr_version { HS_CTR_ANY = 0, HS_CTR_1_0 = 1, HS_CTR_0_1_4 = 2 };

/** ctrdata.TYPE (registers.def). */
enum hs_ctr_type {
#define HS_CTR_TYPE(id, code, name, filter) HS_CTR_##id = (code),
#include <hartscope/tables/registers.def>
#undef HS_CTR_TYPE
	HS_CTR_NO_TRANSFER = 0
};

/** Lowest bit and width of each field (registers.def), and all types as a mask. */
enum hs_ctr_place {
#define HS_CTR_FIELD(version, reg, name, lsb, bits) \
	HS_CTR_LSB_##version##_##reg##_##name = (lsb), \
	HS_CTR_WIDTH_##version##_##reg##_##name = (bits),
#include <hartscope/tables/registers.def>
#undef HS_CTR_FIELD
	HS_CTR_TYPES = 0
#define HS_CTR_TYPE(id, code, name, filter) | 1 << (code)
#include <hartscope/tables/registers.def>
#undef HS_CTR_TYPE
};

/** Mask of a field: HS_CTR_BITS(1_0, CONTROL, RASEMU). */
#define HS_CTR_BITS(version, reg, name) \
	(((UINT64_C(1) << HS_CTR_WIDTH_##version##_##reg##_##name) - 1) \
	 << HS_CTR_LSB_##version##_##reg##_##name)

/** A field of a register's value, moved to bit 0. */
#define HS_CTR_GET(version, reg, name, value) \
	(((value) & HS_CTR_BITS(version, reg, name)) >> HS_CTR_LSB_##version##_##reg##_##name)

/** Bit of the control registers that filters an enum hs_ctr_type, and all of these bits. */
#define HS_CTR_FILTER(type) (UINT64_C(1) << (32 + (type)))
#define HS_CTR_FILTERS ((uint64_t)HS_CTR_TYPES << 32)

/** What the text leaves open.  Each bit is the choice that is not the default. */
enum hs_ctr_option {
	HS_CTR_TYPE6 = 1,         /**< A1: external traps have type 6 (draft 0.1); else 1 or 2 */
	HS_CTR_V_AS_1_0 = 2,      /**< A2: vsctl controls changes of V; else the source's control */
	/**< A3: the freeze bits of the target's V; else of the source's */
	HS_CTR_FREEZE_AS_1_0 = 4,
	HS_CTR_POISON = 8,        /**< A4, A5: a depth change alters WRPTR, fills new entries */
	HS_CTR_PRESERVE = 16,     /**< A8: undefined bits of entries hold what is written; else 0 */
	HS_CTR_KEEP_UPPER = 32,   /**< A9: writes with XLEN < MXLEN keep upper halves; else 0 */
	HS_CTR_RAS_NO_CC = 64     /**< RASEMU: records have CCV=0; else a pop adds back cycles */
};

/** Parts that a hart may lack. */
enum hs_ctr_without {
	HS_CTR_NO_U = 1,         /**< U-mode; then also HS_CTR_NO_S */
	HS_CTR_NO_S = 2,         /**< S-mode; then also HS_CTR_NO_H */
	HS_CTR_NO_H = 4,         /**< hypervisor extension */
	HS_CTR_NO_SMSTATEEN = 8, /**< mstateen0 and hstateen0, which gate accesses */
	HS_CTR_NO_SSCOFPMF = 16, /**< Sscofpmf; 1.0: with it, LCOFIFRZ is required */
	HS_CTR_NO_MISP = 32,     /**< ctrtarget.MISP */
	HS_CTR_NO_TYPE = 64,     /**< ctrdata.TYPE */
	HS_CTR_NO_CC = 128       /**< cycle counting: ctrdata.CCV and CC */
};

/** What a hart has.  Zero is the default of each member: a hart that has everything. */
struct hs_ctr_config {
	uint32_t size;    /**< sizeof(struct hs_ctr_config) */
	uint32_t without; /**< enum hs_ctr_without; 0: the hart has all of them */
	uint64_t absent;  /**< optional bits of the control registers that do not exist; others
	                       have no effect.  0: all exist */
	uint16_t version; /**< enum hs_ctr_version */
	uint16_t options; /**< enum hs_ctr_option */
	uint8_t xlen;     /**< MXLEN: 32 or 64; 0: 64 */
	uint8_t depths;   /**< bit n: depth 16 << n is supported, n in 0..4; 0: all of them */
	uint8_t cc_bits;  /**< width of CC, its 12 bits of mantissa included: 12..16; 0: 16 */
	uint8_t va_bits;  /**< MXLEN=64: virtual addresses have this many bits, 12..63, and are
	                       sign-extended; an invalid address is held as a valid one.  0: all 64
	                       bits are held */
	uint8_t pa_bits;  /**< with va_bits: physical addresses of this many bits, 12..62, are held
	                       too ("ctrsource").  0: 56 in 1.0, none in 0.1.4, which speaks of
	                       virtual addresses only */
};

/** One record, as its registers hold it. */
struct hs_ctr_entry {
	uint64_t source; /**< ctrsource: PC, V in bit 0 */
	uint64_t target; /**< ctrtarget: PC, MISP in bit 0 */
	uint64_t data;   /**< ctrdata: TYPE 3:0, CCV 15, CC 31:16 */
};

/** The fields of a record. */
struct hs_ctr_record {
	uint64_t source, target; /**< addresses; see @no_source */
	uint32_t cycles;         /**< CC as a number of cycles, whether or not @ccv */
	uint8_t type;            /**< enum hs_ctr_type */
	bool valid;              /**< V */
	bool misp, ccv;
	/** The address is 0 in a record that may lack it (of a trap, a trap return, or without a
	 * type): most likely of a mode that was not enabled.  Elsewhere 0 is an address. */
	bool no_source, no_target;
};

/** A hart's CTR.  Plain data: a copy is a saved hart; check copies from elsewhere (hs_ctr_check).
 * A caller that changes members directly calls hs_ctr_refresh() afterwards. */
struct hs_ctr {
	struct hs_ctr_config config; /**< with the defaults filled in */
	uint64_t mctl;   /**< mctrcontrol or mctrctl, without DEPTH */
	uint64_t vsctl;  /**< vsctrcontrol or vsctrctl, without DEPTH */
	uint32_t cycles; /**< CtrCycleCounter; at most what CC can encode */
	uint8_t wrptr;   /**< physical entry to be written next */
	uint8_t depth;   /**< 16 << depth entries are in use */
	bool wrap;       /**< 0.1.4: WRAP */
	bool frozen;     /**< FROZEN */
	bool ccv;        /**< the next record's CCV */
	struct hs_ctr_entry entries[HS_CTR_ENTRIES]; /**< at their physical places */
	/* Private: */
	struct hs_ctr_decisions decisions;
};

/** What CSR accesses depend on apart from CTR's own state; the simulator holds it. */
struct hs_ctr_env {
	uint8_t priv;       /**< mode of the access: U, S (HS), M, VU, VS of enum hs_priv */
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
	HS_CTR_NOT_MINE = 3  /**< not a register of CTR, and nothing checked so far forbids it */
};

/** A transfer of control. */
struct hs_ctr_transfer {
	uint64_t source;  /**< address of the instruction; of a trap, the value of epc */
	uint64_t target;  /**< of the next instruction, also after a branch not taken (A6) */
	uint8_t type;     /**< enum hs_ctr_type */
	uint8_t from, to; /**< modes before and after: enum hs_priv, or HS_CTR_DEBUG */
	uint8_t xlen, to_xlen; /**< XLEN of @from and @to: 32; any other value is MXLEN */
	bool misp;        /**< target or direction was mispredicted */
};

/**
 * Make a hart's CTR, as after reset: depth the smallest, nothing recorded, nothing enabled.
 * @param config  Copied.  One whose members after @size are all zero is a good default.
 * @retval HS_OK
 * @retval HS_E_CONFIG  @config contradicts itself or its version: its size, or non-zero bytes of a
 *                      later version of the library; S without U, H without S; xlen; depths above
 *                      256, or (0.1.4) not consecutive; cc_bits without CC or out of range;
 *                      va_bits, pa_bits; ETEN without MTE, STE; (1.0) no S-mode, only one of MTE
 *                      and STE, an option that 1.0 settles.  @c is as it was.
 */
HS_STATIC enum hs_status hs_ctr_init(struct hs_ctr *c, const struct hs_ctr_config *config);

/** Compute the private members of @c from the others, whatever those hold. */
HS_STATIC void hs_ctr_refresh(struct hs_ctr *c);

/** Could this library have made @c?  For copies that come from elsewhere.
 * @retval HS_OK
 * @retval HS_E_ARG     A member has a value that its register cannot hold, or the private members
 *                      are not what hs_ctr_refresh() computes.
 * @retval HS_E_CONFIG  As hs_ctr_init(), or a default is not filled in. */
HS_STATIC enum hs_status hs_ctr_check(const struct hs_ctr *c);

/** Type of the transfer that an instruction makes when it retires; HS_CTR_NO_TRANSFER for linear
 * code, ecall, ebreak and custom instructions (0.1.4 and 1.0 Transfer Type Filtering). */
HS_STATIC enum hs_ctr_type hs_ctr_type_of(const struct hs_insn *insn, bool taken);

/** A transfer within a mode retired: types 4, 5, 8..15; other types are ignored.  @t->to and
 * @t->to_xlen are not used.  An instruction that faults makes no transfer (1.0 Behavior): then call
 * hs_ctr_trap() only. */
HS_STATIC void hs_ctr_retire(struct hs_ctr *c, const struct hs_ctr_transfer *t);

/** A trap was taken, from @t->from to @t->to.  @t->type is EXCEPTION or INTERRUPT, @cause the code
 * of xcause without its top bit: an LCOFI and a breakpoint may freeze (Freeze).  Traps into Debug
 * Mode have no effect. */
HS_STATIC void hs_ctr_trap(struct hs_ctr *c, const struct hs_ctr_transfer *t, uint64_t cause);

/** mret, sret or mnret retired; @t->type is not used. */
HS_STATIC void hs_ctr_xret(struct hs_ctr *c, const struct hs_ctr_transfer *t);

/** @cycles passed in mode @priv.  Call it before the event that ends them. */
HS_STATIC void hs_ctr_tick(struct hs_ctr *c, unsigned priv, uint64_t cycles);

/** Cycles may have been missed: the next record has CCV=0 (Cycle Counting). */
HS_STATIC void hs_ctr_invalidate_cc(struct hs_ctr *c);

/**
 * Read a CSR: CTR's own, and *ireg* where *iselect is in 0x200..0x2ff.
 *
 * @param[out] value  Written only with HS_CTR_OK.
 * @retval HS_CTR_OK
 * @retval HS_CTR_ILLEGAL   The mode or mstateen0 forbids it, or the hart has no such register.
 * @retval HS_CTR_VIRTUAL   The same with V=1, where the hypervisor could allow it.
 * @retval HS_CTR_NOT_MINE  Not a CSR of CTR: also a selector, or *ireg* of another *iselect.
 */
HS_STATIC enum hs_ctr_answer hs_ctr_read(const struct hs_ctr *c, const struct hs_ctr_env *env,
                                         unsigned csr, uint64_t *value);

/** Write a CSR; answers as hs_ctr_read().  csrrs and csrrc are a read and a write. */
HS_STATIC enum hs_ctr_answer hs_ctr_write(struct hs_ctr *c, const struct hs_ctr_env *env,
                                          unsigned csr, uint64_t value);

/**
 * Would a CSR access be legal?  For emulators that decide when they translate: nothing is read or
 * written, and the answer depends only on @c->config and @env, so that it holds as long as they
 * do.  It is one for reads and writes, as no CSR of CTR is read-only.  *ireg* depend on *iselect*
 * of @env.
 * @return  As hs_ctr_read() and hs_ctr_write().
 */
HS_STATIC enum hs_ctr_answer hs_ctr_access(const struct hs_ctr *c, const struct hs_ctr_env *env,
                                           unsigned csr);

/** Would SCTRCLR be legal?  Depends on the same, and answers as hs_ctr_clear(). */
HS_STATIC enum hs_ctr_answer hs_ctr_may_clear(const struct hs_ctr *c, const struct hs_ctr_env *env);

/**
 * Execute SCTRCLR.
 * @retval HS_CTR_OK
 * @retval HS_CTR_ILLEGAL   From U, or below M with mstateen0.CTR=0.
 * @retval HS_CTR_VIRTUAL   From VU, or from VS with hstateen0.CTR=0.
 * @retval HS_CTR_NOT_MINE  0.1.4 has no such instruction.
 */
HS_STATIC enum hs_ctr_answer hs_ctr_clear(struct hs_ctr *c, const struct hs_ctr_env *env);

/** Format that hs_ctr_save() writes, and the most bytes that it needs. */
#define HS_CTR_SAVED_FORMAT 1u
#define HS_CTR_SAVED_MAX (40u + 24u * HS_CTR_ENTRIES)

/**
 * Save a hart, for a snapshot or to move it to another machine.  The bytes are the same on every
 * host (design/ctr):
 *
 *   0 "HCTR"      6 number of entries  9 MXLEN   11 WRPTR                       13 three zeros
 *   4 format (2)  8 version of CTR    10 depth   12 WRAP 1, FROZEN 2, next CCV 4
 *   16 mctl (8)  24 vsctl (8)  32 cycles (4)
 *   36 entries at their physical places: source, target, data (8 each), and a CRC-32 of it all (4)
 *
 * Numbers are little-endian.  There are as many entries as the hart's largest depth has.
 * @return  Bytes written to @out.
 */
HS_STATIC size_t hs_ctr_save(const struct hs_ctr *c, uint8_t out[HS_CTR_SAVED_MAX]);

/**
 * Make @c as a hart was when it was saved.  @c is initialised; its configuration stays, and has
 * to hold what was saved, except for the depth: where @c does not support that depth, it takes the
 * largest one below, or its smallest one.  Records keep their logical numbers: with fewer
 * entries the oldest are lost (0.1.4: WRAP is set if WRPTR went past the new depth), with more the
 * new ones are empty.
 *
 * @param in  Moved past the saved hart; bytes after it are the caller's.
 * @retval HS_OK
 * @retval HS_E_FORMAT       Not a saved hart, cut short, or damaged.
 * @retval HS_E_UNSUPPORTED  Another format.
 * @retval HS_E_CONFIG       Of another version of CTR or another MXLEN.
 * @retval HS_E_FIELD        A register or entry has bits that @c does not have.
 * On errors @c and @in are as they were.
 */
HS_STATIC enum hs_status hs_ctr_restore(struct hs_ctr *c, struct hs_span *in);

/** Number of entries in use: 16, 32, 64, 128 or 256. */
HS_API unsigned hs_ctr_depth(const struct hs_ctr *c);

/** Logical entry @index, 0 the youngest; all zero from the depth on. */
HS_API struct hs_ctr_entry hs_ctr_get_entry(const struct hs_ctr *c, unsigned index);

/** The fields of an entry; none is checked. */
HS_API struct hs_ctr_record hs_ctr_decode_entry(const struct hs_ctr_entry *e);

/** CC as a number of cycles (Cycle Counting); at most 134201344. */
HS_STATIC uint32_t hs_ctr_cc_decode(unsigned cc);

/** CC of a number of cycles with @exponent_bits exponent bits, 0..4; saturates. */
HS_STATIC unsigned hs_ctr_cc_encode(uint64_t cycles, unsigned exponent_bits);

/** Number of the bit CTR in mstateen0 and hstateen0. */
HS_STATIC unsigned hs_ctr_stateen_bit(enum hs_ctr_version version);

/** Name of a version, "1.0" or "0.1.4". */
HS_STATIC const char *hs_ctr_version_name(enum hs_ctr_version version);

/** Name of a type, such as "return"; "reserved" if there is none. */
HS_API const char *hs_ctr_type_name(unsigned type);

/** Name of a CSR of a version, or NULL. */
HS_STATIC const char *hs_ctr_csr_name(enum hs_ctr_version version, unsigned csr);

/** Number of the CSR of this name, or 0 (no CSR of CTR has it). */
HS_STATIC unsigned hs_ctr_csr_number(enum hs_ctr_version version, const char *name);

/* ---- ctr predictor ----
 * Classic branch predictors: which transfers a hart would have mispredicted (ctrtarget.MISP).
 *
 * A flow says where the hart went, not what it expected.  A predictor that sees every transfer of a
 * hart in order says of each whether it would have been mispredicted (design/ctr):
 *
 *   branch              two-bit counters, by address (bimodal), or by address and the directions
 *                       of the branches before (gshare)
 *   indirect jump, call the target that this instruction had last
 *   return              a stack of calls; a co-routine swap pops, then pushes
 *   direct jump, call   never mispredicted: the target is in the code
 *   trap, trap return   not predicted: the text's MISP is of predictions
 *
 * Nothing here allocates: struct hs_ctr_predictor is plain data.
 *
 * Threads: a predictor belongs to one thread at a time.  Two share nothing.
 */

#define HS_CTR_COUNTER_BITS 14u /**< most bits of an index of counters */
#define HS_CTR_TARGET_BITS 10u  /**< most bits of an index of targets */
#define HS_CTR_CALLS 64u        /**< most calls on the stack */

/** How the direction of a branch is predicted. */
enum hs_ctr_direction {
	HS_CTR_BIMODAL = 0, /**< counter: address */
	HS_CTR_GSHARE = 1   /**< counter: address exclusive or the last directions, 1: taken */
};

/** Sizes.  Zero is the default of each member. */
struct hs_ctr_predictor_config {
	uint32_t size;        /**< sizeof(struct hs_ctr_predictor_config) */
	uint8_t direction;    /**< enum hs_ctr_direction */
	uint8_t counter_bits; /**< 2^n counters, 1..14; 0: 12 */
	uint8_t history_bits; /**< gshare: branches remembered, 1..counter_bits; 0: as many */
	uint8_t target_bits;  /**< 2^n targets of indirect jumps, 1..10; 0: 9 */
	uint8_t calls;        /**< on the stack, 1..64; 0: 16 */
};

/** The target that an instruction had last. */
struct hs_ctr_last_target {
	uint64_t source, target;
	bool known;
};

/** A predictor.  Its members are private, and here because the caller owns the memory. */
struct hs_ctr_predictor {
	/* Private: */
	struct hs_ctr_predictor_config config;
	uint32_t history;  /* the last branch in bit 0 */
	uint8_t top, used; /* of the stack: where the next call goes, how many there are */
	uint8_t counters[1u << (HS_CTR_COUNTER_BITS - 2)]; /* four in a byte */
	uint64_t calls[HS_CTR_CALLS];                      /* their addresses */
	struct hs_ctr_last_target targets[1u << HS_CTR_TARGET_BITS];
};

/**
 * Start a predictor that has seen nothing: every counter is weakly not taken.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No such direction, a size above its limit, more history than counters have
 *                      bits; @config->size.  @p is as it was.
 */
HS_STATIC enum hs_status hs_ctr_predictor_init(struct hs_ctr_predictor *p,
                                               const struct hs_ctr_predictor_config *config);

/**
 * Was a transfer mispredicted?  Learns from it.
 * @param t  The next transfer of the hart, recorded or not.  A return counts as predicted if it
 *           leads to 2 or 4 bytes after the call, as a transfer does not say how long it was.
 */
HS_STATIC bool hs_ctr_predictor_missed(struct hs_ctr_predictor *p, const struct hs_ctr_transfer *t);

struct hs_guest;
struct hs_program;
struct hs_program_set;

/* ---- from blocks to records ---------------------------------------------------------
 *
 * From blocks to CTR: what the control transfer records of each hart hold at a point of a flow, or
 * samples of them on the way, in the formats of other tools.
 *
 *   struct hs_ctr_run_options o = { .size = sizeof(o), .program = program };
 *   struct hs_ctr_run_result result;
 *
 *   hs_ctr_run_new(&o, &run, &error);
 *   while (hs_source_next(source, items, N, &n, &error) != HS_END)
 *           hs_ctr_run_add(run, items, n);
 *   hs_ctr_run_end(run, &result);        the records of result.harts[0] are in its ctr
 *   hs_ctr_run_free(run);
 *
 * SCTRCLR in the code takes effect where it retires.  So do writes of CTR's CSRs, in a flow with
 * data accesses (block.h): of a recording with data, of data trace, or of a stream that the caller
 * makes.  Without accesses, all writes are left out.  A fast profile (HS_KIND_TARGET with
 * HS_KIND_SOURCE) has calls, returns, swaps, trap returns, and the exceptions of ecall and ebreak
 * (design/ctr).
 *
 * A user-mode recording has no supervisor.  A trap from U or VU that leads to U or VU again was
 * handled by a mode that is not in the flow, and that mode counts as not enabled (design/ctr).
 *
 * A sample is the whole array at one moment, as a profiler reads it at an interrupt.  What a format
 * cannot express is left out or cut (design/ctr): not-taken branches are only in JSON, counts of
 * cycles end at 65535 except in JSON, and an address that the hart did not record is 0.
 *
 * perf-data and callchain have a process for each context and program; its pid and name are those
 * that the guest has for it (program.h), else the pid is the context where Linux could give that
 * number.  In perf-data, samples of S, VS and M are of the kernel, and the file that has their code
 * is mapped there, as a module, so that perf finds its names (design/contexts).
 *
 * Threads: calls for different runs may be made at once if their programs differ too; a run is used
 * by one thread at a time.
 */

/** What counts as a cycle. */
enum hs_ctr_cycles {
	HS_CTR_CYCLES_OFF = 0,          /**< not known: CCV=0 */
	HS_CTR_CYCLES_INSTRUCTIONS = 1, /**< each instruction takes one */
	HS_CTR_CYCLES_TIME = 2,         /**< timestamps of the flow are cycles */
	HS_CTR_CYCLES_COUNTS = 3        /**< those that the flow counts (HS_KIND_CYCLES) */
};

/** Which transfers count as mispredicted (ctrtarget.MISP). */
enum hs_ctr_misp {
	HS_CTR_MISP_UNKNOWN = 0, /**< the harts have no MISP */
	HS_CTR_MISP_BIMODAL = 1, /**< by a predictor for each hart, with its
	                              default sizes */
	HS_CTR_MISP_GSHARE = 2,
	HS_CTR_MISP_CALLER = 3 /**< by hs_ctr_run_options.missed */
};

/** What the supervisor does with the records when the context changes (HS_KIND_CONTEXT). */
enum hs_ctr_contexts {
	HS_CTR_CONTEXTS_KEEP = 0,  /**< nothing: they are those of the hart */
	HS_CTR_CONTEXTS_CLEAR = 1, /**< it clears them */
	HS_CTR_CONTEXTS_SWAP = 2   /**< it saves them, and restores those of the new context */
};

/** How software set CTR up before the first instruction.  Zero is the default of each member: 1.0
 * with 32 entries, every mode enabled, no filter, no cycles. */
struct hs_ctr_settings {
	uint32_t size;        /**< sizeof(struct hs_ctr_settings) */
	uint16_t version;     /**< enum hs_ctr_version */
	uint16_t depth;       /**< entries in use: 16, 32, 64, 128 or 256; 0: 32.  Harts have
	                           every depth */
	uint16_t options;     /**< enum hs_ctr_option */
	uint16_t disabled;    /**< modes that are not enabled; bit: enum hs_priv */
	uint16_t cc_bits;     /**< width of CC, 12..16; 0: 16 */
	uint8_t cycles;       /**< enum hs_ctr_cycles */
	uint8_t unknown_priv; /**< mode of blocks where neither they nor a context event say which:
	                           enum hs_priv; 0: U */
	uint64_t control;     /**< fields where mctrctl of 1.0 has them, without M, S and U; ETEN is
	                           bit 38 */
	uint64_t vs_control;  /**< the same of vsctrctl; STE is that of VS */
	uint8_t misp;         /**< enum hs_ctr_misp */
	uint8_t contexts;     /**< enum hs_ctr_contexts */
};

/**
 * Set one by name: version (0.1.4, 1.0), depth (16..256), mode (U, S, M), cycles (off,
 * instructions, time, counts), cce (exponent bits of CC, 0..4), predictor (off, bimodal, gshare),
 * contexts (keep, clear, swap); fields of the control register of either version, which are set in
 * both registers except for M, S, U, MTE and STE; VS, VU and VSTE; type6, v-as-1.0, freeze-as-1.0,
 * ras-no-cc (design/ctr).  Fields and the last four take 0 or 1.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No such name, or not a value of it: @error lists them.  Or @s->size.
 */
HS_API enum hs_status hs_ctr_settings_set(struct hs_ctr_settings *s, const char *name,
                                          const char *value, struct hs_error *error);

/** Was @t, a transfer within a mode of hart @hart, mispredicted? */
typedef bool (*hs_ctr_missed_fn)(void *context, uint32_t hart, const struct hs_ctr_transfer *t);

/* ---- a run ------------------------------------------------------------------------------ */

/** Where a hart is looked at. */
enum hs_ctr_point {
	HS_CTR_AT_END = 0,  /**< at the end of the flow */
	HS_CTR_AT_INSN = 1, /**< after @at instructions of the hart */
	HS_CTR_AT_PC = 2    /**< before the instruction at @at executes for the @times-th time */
};

/** What is replayed, and what is wanted.  Zero is the default of every member but size and
 * program. */
struct hs_ctr_run_options {
	uint32_t size;                          /**< sizeof(struct hs_ctr_run_options) */
	uint32_t hart;                          /**< with @one_hart */
	struct hs_program *program;             /**< code of the blocks, which has the XLEN; kept */
	const struct hs_program_set *programs;  /**< those of contexts, or NULL; kept */
	const struct hs_ctr_settings *settings; /**< copied; NULL: all zero */
	bool one_hart;   /**< the flow is of this hart, and does not name it */
	bool first_hart; /**< nothing is wanted after the first hart is at its point */
	uint8_t point;   /**< enum hs_ctr_point; with @format samples are wanted instead */
	uint64_t at, times;
	/** Asked once for each transfer within a mode, in their order, recorded or not, where
	 * settings->misp is HS_CTR_MISP_CALLER.  NULL: nothing is mispredicted. */
	hs_ctr_missed_fn missed;
	void *missed_of; /**< its first argument */
	/** Samples: json, perf-data, callchain, brstack, bolt or profgen; NULL: none.  Formats of
	 * call chains set RASEMU. */
	const char *format;
	uint64_t period;            /**< instructions between samples, with @format at least 1 */
	struct hs_program *sampled; /**< of a format of one program: which it is; NULL: @program */
	const char *program_path;   /**< its file, kept; NULL: that of its entry */
	struct hs_guest *guest;     /**< names of functions and processes, or NULL; kept */
	hs_write_fn write;          /**< receives the file in pieces, also at the end */
	void *context;              /**< for @write */
};

/** A hart at its point, or, while that is not reached, as it was first. */
struct hs_ctr_run_hart {
	uint32_t hart; /**< as in HS_KIND_HART */
	bool reached;
	bool has_context;
	uint64_t context;           /**< of the last HS_KIND_CONTEXT, if @has_context */
	struct hs_program *program; /**< of its context */
	uint64_t pc;                /**< of the next instruction; 0 at the end of the flow */
	uint64_t retired;           /**< instructions */
	uint64_t transfers;         /**< given to the model, traps and returns included */
	uint64_t lost;              /**< not given to it: their target is not in the flow */
	uint64_t unknown_writes;    /**< of CTR's CSRs, left out: the flow lacks their values */
	struct hs_ctr ctr;
};

/** What was written, and what was left out. */
struct hs_ctr_export_report {
	uint64_t samples, branches; /**< written */
	uint64_t not_taken;         /**< records of not-taken branches left out */
	uint64_t cut;               /**< counts of cycles above 65535 */
	/**< bolt, profgen: ranges that are not straight code, left out */
	uint64_t broken;
	uint64_t foreign; /**< bolt, profgen: records from or to outside the program */
	uint64_t other;   /**< brstack, bolt, profgen: samples of other programs */
};

/** What a run led to. */
struct hs_ctr_run_result {
	struct hs_ctr start;                 /**< a hart before the first instruction */
	const struct hs_ctr_run_hart *harts; /**< in the order in which they appeared; valid until
	                                          hs_ctr_run_free() */
	size_t count;
	uint64_t unmapped;       /**< blocks of all harts whose code is not known: their type is by
	                              itype, their instructions are not counted */
	uint64_t unknown_writes; /**< of all harts, of CTR's CSRs: left out, the flow lacks their
	                              values */
	struct hs_ctr_export_report samples;
};

struct hs_ctr_run;

/**
 * Start a run.
 * @retval HS_OK
 * @retval HS_E_ARG     No such format; @error lists them.
 * @retval HS_E_CONFIG  Of the settings: the version has no such field or option, or RV32 no way to
 *                      set it; a member is out of its range.  bolt, profgen: a filter leaves a
 *                      taken transfer out, so that the code between two records is not straight;
 *                      RASEMU is on.  No program; members that this library lacks.
 * @retval HS_E_SYSTEM  No temporary file (perf-data); @write returned false.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_ctr_run_new(const struct hs_ctr_run_options *options,
                                     struct hs_ctr_run **run, struct hs_error *error);
HS_API void hs_ctr_run_free(struct hs_ctr_run *run); /**< NULL is allowed */

/**
 * Replay blocks and events, in order.
 * @retval HS_OK
 * @retval HS_END            What comes does not matter any more (@first_hart).
 * @retval HS_E_MEMORY       Also: more than 65536 contexts of a hart whose records are swapped, or
 *                           more different branches in samples than 2^24.
 * @retval HS_E_UNSUPPORTED  More than 4096 harts.
 * @retval HS_E_SYSTEM       The write function returned false.
 * An error stays.
 */
HS_API enum hs_status hs_ctr_run_add(struct hs_ctr_run *run, const struct hs_block *items,
                                     size_t n);

/** The flow ends: each hart's last transfer is made if its target is known, and the rest of the
 * samples is written.  Once.  @retval HS_OK, else as hs_ctr_run_add(); *result is written in any
 * case. */
HS_API enum hs_status hs_ctr_run_end(struct hs_ctr_run *run, struct hs_ctr_run_result *result);

/* ---- dumps ------------------------------------------------------------------------------ */

/* A dump of CTR's registers and entries is text: pairs NAME = VALUE, one or more on a line.  A name
 * is that of a CSR of either version (mctrcontrol, sctrstatus, sctrdepth, ...), ctrsource[N],
 * ctrtarget[N] or ctrdata[N] (N: 0 is the youngest), xlen, or version (0.1.4 or 1.0).  A value is
 * decimal, or hexadecimal with 0x.  Blanks, '=', ':' and ',' separate; '#' begins a comment. */

enum hs_ctr_remark_kind {
	HS_CTR_REMARK_WORDS = 0, /**< what a value means */
	HS_CTR_REMARK_NOTE = 1,  /**< legal, but worth a look */
	HS_CTR_REMARK_MISUSE = 2 /**< no hart of this version holds it */
};

struct hs_ctr_remark {
	enum hs_ctr_remark_kind kind;
	const char *subject; /**< a register, or "entry 3"; valid during the call, as @text */
	uint64_t value;      /**< of the register; of an entry: ctrdata */
	const char *text;
};

/** Takes a remark. */
typedef void (*hs_ctr_remark_fn)(void *context, const struct hs_ctr_remark *remark);

/** How to read a dump.  Zero is the default of each member. */
struct hs_ctr_explain_options {
	uint32_t size;    /**< sizeof(struct hs_ctr_explain_options) */
	uint16_t version; /**< enum hs_ctr_version; HS_CTR_ANY: as the dump says, else by the names
	                       in it, else 1.0 */
	uint16_t xlen;    /**< 32 or 64; 0: as the dump says, or 64 */
};

/**
 * Explain a dump: each register and entry in words, then notes and misuse.
 * @param[in,out] text     All of the dump; moved past the lines that were read.
 * @param[out]    version  The version that it was read as; may be NULL.
 * @retval HS_OK        Also with misuse.
 * @retval HS_E_CONFIG  @o: its size, a version or xlen that does not exist, or non-zero bytes of a
 *                      later version of the library.
 * @retval HS_E_FORMAT  Not pairs of names and values, an index above 255, or no register or entry
 *                      of CTR; @error names the line.
 */
HS_API enum hs_status hs_ctr_explain(struct hs_span *text, const struct hs_ctr_explain_options *o,
                                     hs_ctr_remark_fn report, void *context,
                                     enum hs_ctr_version *version, struct hs_error *error);

#ifdef __cplusplus
}
#endif
#endif
