/* Instructions as the second decoders see them: what changes the flow, from the ISA manual and the
 * texts on jumps alone.  It shares no line with src/. */
#ifndef TESTS_REFEREE_INSTRUCTIONS_H
#define TESTS_REFEREE_INSTRUCTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct instr {
	unsigned size, rd, rs1; /* size in bytes */
	int64_t imm;
	enum { OTHER, BRANCH, JAL, JALR, LUI, AUIPC, XRET, ECALL, EBREAK } opcode;
};

/* Where the code is: the half-word at an address; false: there is none. */
typedef bool instr_fetch(const void *program, uint64_t addr, uint16_t *half);

/* The instruction at @addr.  False: there is no code.  Where its end is missing it is an OTHER. */
bool instr_get(instr_fetch *fetch, const void *program, unsigned xlen, uint64_t addr,
               struct instr *i);

/* By the registers that they link (ET Jump classification; NT Table 2). */
bool instr_is_call(const struct instr *i);
bool instr_is_swap(const struct instr *i);
bool instr_is_return(const struct instr *i);

#endif
