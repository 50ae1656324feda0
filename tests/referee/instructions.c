/* What an instruction does to the flow, bit by bit. */
#include "referee/instructions.h"

#include <string.h>

static int64_t sign(uint64_t v, unsigned bits)
{
	return (int64_t)(v << (64 - bits)) >> (64 - bits);
}

static uint32_t cut(uint32_t v, unsigned high, unsigned low)
{
	return v >> low & ((1u << (high - low + 1)) - 1);
}

static void decode32(struct instr *i, uint32_t w)
{
	const unsigned opcode = w & 0x7f, funct3 = cut(w, 14, 12);

	i->rd = cut(w, 11, 7);
	i->rs1 = cut(w, 19, 15);
	if (opcode == 0x63 && funct3 != 2 && funct3 != 3) {
		i->opcode = BRANCH;
		i->imm = sign(cut(w, 31, 31) << 12 | cut(w, 7, 7) << 11 | cut(w, 30, 25) << 5 |
		                      cut(w, 11, 8) << 1,
		              13);
	} else if (opcode == 0x6f) {
		i->opcode = JAL;
		i->imm = sign(cut(w, 31, 31) << 20 | cut(w, 19, 12) << 12 | cut(w, 20, 20) << 11 |
		                      cut(w, 30, 21) << 1,
		              21);
	} else if (opcode == 0x67 && funct3 == 0) {
		i->opcode = JALR;
		i->imm = sign(cut(w, 31, 20), 12);
	} else if (opcode == 0x37 || opcode == 0x17) {
		i->opcode = opcode == 0x37 ? LUI : AUIPC;
		i->imm = sign(w & 0xfffff000u, 32);
	} else if (w == 0x00000073) {
		i->opcode = ECALL;
	} else if (w == 0x00100073) {
		i->opcode = EBREAK;
	} else if (w == 0x30200073 || w == 0x10200073 || w == 0x00200073 || w == 0x7b200073 ||
	           w == 0x70200073) {
		i->opcode = XRET; /* mret sret uret dret mnret */
	}
}

static void decode16(struct instr *i, uint16_t h, unsigned xlen)
{
	const unsigned quadrant = h & 3, funct3 = cut(h, 15, 13), full = cut(h, 11, 7),
		       rs2 = cut(h, 6, 2);

	if (quadrant == 1 && (funct3 == 5 || (funct3 == 1 && xlen == 32))) {
		i->opcode = JAL;
		i->rd = funct3 == 1;
		i->imm = sign(cut(h, 12, 12) << 11 | cut(h, 8, 8) << 10 | cut(h, 10, 9) << 8 |
		                      cut(h, 6, 6) << 7 | cut(h, 7, 7) << 6 | cut(h, 2, 2) << 5 |
		                      cut(h, 11, 11) << 4 | cut(h, 5, 3) << 1,
		              12);
	} else if (quadrant == 1 && funct3 >= 6) {
		i->opcode = BRANCH;
		i->imm = sign(cut(h, 12, 12) << 8 | cut(h, 6, 5) << 6 | cut(h, 2, 2) << 5 |
		                      cut(h, 11, 10) << 3 | cut(h, 4, 3) << 1,
		              9);
	} else if (quadrant == 1 && funct3 == 3 && full != 2 && full != 0 &&
	           (cut(h, 12, 12) || rs2)) {
		i->opcode = LUI;
		i->rd = full;
		i->imm = sign(cut(h, 12, 12) << 17 | rs2 << 12, 18);
	} else if (quadrant == 2 && funct3 == 4 && rs2 == 0 && full != 0) {
		i->opcode = JALR; /* c.jr, c.jalr */
		i->rd = cut(h, 12, 12);
		i->rs1 = full;
	} else if (h == 0x9002) {
		i->opcode = EBREAK;
	}
}

static unsigned length(uint16_t h)
{
	if ((h & 3) != 3)
		return 2;
	if ((h & 0x1c) != 0x1c)
		return 4;
	if ((h & 0x3f) == 0x1f)
		return 6;
	if ((h & 0x7f) == 0x3f)
		return 8;
	return 10 + 2 * (cut(h, 14, 12) < 7 ? cut(h, 14, 12) : 7);
}

bool instr_get(instr_fetch *fetch, const void *program, unsigned xlen, uint64_t addr,
               struct instr *i)
{
	uint16_t low, high = 0;

	memset(i, 0, sizeof(*i));
	if (!fetch(program, addr, &low))
		return false;
	i->size = length(low);
	if (i->size == 2)
		decode16(i, low, xlen);
	else if (i->size == 4 && fetch(program, addr + 2, &high))
		decode32(i, low | (uint32_t)high << 16);
	return true;
}

static bool is_link(unsigned reg)
{
	return reg == 1 || reg == 5;
}

/* Departs: the pseudo-code knows x1 only, ET Jump classification x1 and x5. */
bool instr_is_call(const struct instr *i)
{
	return (i->opcode == JAL || i->opcode == JALR) && is_link(i->rd);
}

bool instr_is_swap(const struct instr *i)
{
	return i->opcode == JALR && is_link(i->rd) && is_link(i->rs1) && i->rd != i->rs1;
}

bool instr_is_return(const struct instr *i)
{
	return i->opcode == JALR && is_link(i->rs1) && !is_link(i->rd);
}
