/* What one instruction does to the PC.
 *
 * RV32 and RV64, with C, Zcmp and Zcmt.  "NT" is RISC-V N-Trace 1.0.0-rc7; where the
 * ratified 1.0 names more itype values, both are given.  Every instruction that is not
 * named in Table 2 is linear and has the length that its first half-word states, 48-bit
 * and longer formats included.
 *
 * Nothing here has state: calls may run on several threads at once.
 */
#ifndef HARTSCOPE_ISA_H
#define HARTSCOPE_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Most bytes of one instruction (ISA manual, "Expanded Instruction-Length Encoding"). */
#define HS_INSN_MAX 24

/** What an instruction does to the PC. */
enum hs_insn_kind {
	HS_INSN_LINEAR = 0,   /**< the next address follows */
	HS_INSN_BRANCH,       /**< conditional, direct */
	HS_INSN_JUMP,         /**< direct, no link register written (jal with rd not x1, x5; c.j) */
	HS_INSN_CALL,         /**< direct, rd is x1 or x5 (jal, c.jal) */
	HS_INSN_JUMP_IND,     /**< indirect, neither rd nor rs1 a link register */
	HS_INSN_CALL_IND,     /**< indirect, rd a link register (8 of Table 2) */
	HS_INSN_SWAP,         /**< co-routine swap (12) */
	HS_INSN_RETURN,       /**< return (13), cm.popret and cm.popretz too */
	HS_INSN_TABLE_JUMP,   /**< cm.jt: target in the jump vector table, entry @index */
	HS_INSN_TABLE_CALL,   /**< cm.jalt: the same, and x1 is written */
	HS_INSN_XRET,         /**< mret, sret, uret, mnret, dret */
	HS_INSN_ECALL,        /**< ecall */
	HS_INSN_EBREAK,       /**< ebreak, c.ebreak */
	HS_INSN_CUSTOM        /**< custom, may change the PC: linear, or indirect jump (NT 10.1) */
};

/** Registers' link role is x1 or x5 (NT 2). */
static inline bool hs_is_link(unsigned reg)
{
	return reg == 1 || reg == 5;
}

/** A custom instruction that may change the PC: (first 32 bits & mask) == match. */
struct hs_custom {
	uint32_t mask, match;
};

/** Which encodings a hart has.  Zero is RV64 with C and D, without Zcmp and Zcmt. */
struct hs_isa {
	uint8_t xlen;  /**< 32 or 64; 0 is 64 */
	bool zcmp_zcmt; /**< Zcmp and Zcmt take the place of c.fsdsp (they exclude C with D) */
	bool pulp;     /**< opcode 0x63 with funct3 2 and 3 are branches (p.beqimm, p.bneimm) */
	uint8_t custom_count;
	const struct hs_custom *custom; /**< custom_count of them; they come before all others */
};

/** One instruction, as far as tracing cares. */
struct hs_insn {
	uint64_t target; /**< BRANCH, JUMP, CALL: where to.  Others: 0 */
	uint64_t value;  /**< auipc, lui, c.lui: what rd then holds.  Others: 0 */
	uint16_t index;  /**< TABLE_JUMP, TABLE_CALL: entry number, 0..255 */
	uint8_t hwords;  /**< length in half-words, 1..HS_INSN_MAX/2 */
	uint8_t kind;    /**< enum hs_insn_kind */
	uint8_t rd;      /**< register written; meaningful for jumps and where @constant */
	uint8_t rs1;     /**< indirect jumps: the register with the target */
	int16_t offset;  /**< indirect jumps: what is added to rs1 (jalr: imm12; else 0) */
	bool constant;   /**< auipc, lui or c.lui: rd holds @value afterwards (NT 9.1) */
	bool nolink;     /**< jump with rd = x0 (itype 10 and 11 of the ratified text) */
};

/**
 * Length of an instruction from its first half-word.
 *
 * @param first  The half-word at the lower address.
 * @return  Half-words: 1, 2, 3, 4, 5..12; the reserved encodings of 192 bits and more
 *          count as 12 (HS_INSN_MAX / 2).  The all-zero half-word is 1.
 */
HS_API unsigned hs_isa_hwords(uint16_t first);

/**
 * Classify one instruction.
 *
 * @param isa    Which encodings exist.
 * @param pc     Its address; targets wrap at XLEN bits.
 * @param bytes  Its bytes, little-endian.
 * @param n      How many bytes may be read.
 * @param[out] insn  Written only with HS_OK.
 *
 * @retval HS_OK    *insn is complete.
 * @retval HS_MORE  n is less than the instruction's length.
 */
HS_STATIC enum hs_status hs_isa_decode(const struct hs_isa *isa, uint64_t pc, const uint8_t *bytes,
                                       size_t n, struct hs_insn *insn);

/**
 * Sequentially inferable jump (NT 9.1): does @first give the target of @jump?
 *
 * True when @first is auipc, lui or c.lui, writes the register that @jump (jalr, c.jr,
 * c.jalr) jumps through, and @jump follows it directly.
 *
 * @param xlen  32 or 64: the target wraps there.
 * @param[out] target  The address jumped to, bit 0 cleared; written only when true.
 */
HS_STATIC bool hs_isa_sequential(const struct hs_insn *first, const struct hs_insn *jump,
                                 unsigned xlen, uint64_t *target);

/** 4-bit itype of a kind (NT Table 2, rc7; cm.jt is 11 as in the ratified text, where rc7 has
 * 0, which would say that the next address follows).  @taken matters for BRANCH and CUSTOM only. */
HS_STATIC enum hs_itype hs_isa_itype4(unsigned kind, bool taken);

/** 3-bit itype of a kind (NT Table 2, "without Implicit Return Optimization"). */
HS_STATIC enum hs_itype hs_isa_itype3(unsigned kind, bool taken);

/** Name of a kind, such as "branch". */
HS_STATIC const char *hs_insn_kind_name(unsigned kind);

#ifdef __cplusplus
}
#endif
#endif
