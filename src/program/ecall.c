/* Programs: the number of an ecall (ecall.h). */
#include <hartscope/image.h>

#include "program/ecall.h"

#define A7 17u
#define ECALL 0x00000073u
#define SIGRETURN 139u /* of Linux: the kernel sets all registers */

bool program_is_ecall(uint32_t bits, unsigned hwords)
{
	return hwords == 2 && bits == ECALL;
}

static uint64_t extended(uint64_t value, unsigned bits)
{
	const uint64_t sign = UINT64_C(1) << (bits - 1);

	return (value ^ sign) - sign;
}

static void set(struct program_a7 *a7, uint64_t value, unsigned xlen)
{
	a7->is = PROGRAM_A7_KNOWN;
	a7->value = xlen == 32 ? (uint32_t)value : value;
}

static void add(struct program_a7 *a7, uint64_t value, unsigned xlen)
{
	if (a7->is == PROGRAM_A7_KNOWN)
		set(a7, a7->value + value, xlen);
	else
		a7->is = PROGRAM_A7_UNKNOWN;
}

/* 16 bits with a7 as rd: C.ADDI, C.LI and C.LUI; the others do not say what it becomes. */
static void follow_short(struct program_a7 *a7, uint32_t bits, unsigned xlen)
{
	const unsigned quadrant = bits & 3u, funct3 = bits >> 13;
	const uint64_t imm = extended((bits >> 2 & 0x1fu) | (bits >> 12 & 1u) << 5, 6);

	if (quadrant == 1 && funct3 == 0)
		add(a7, imm, xlen);
	else if (quadrant == 1 && funct3 == 2)
		set(a7, imm, xlen);
	else if (quadrant == 1 && funct3 == 3)
		set(a7, imm << 12, xlen);
	else if ((quadrant == 1 && funct3 == 1) ||
	         (quadrant == 2 && (funct3 == 0 || funct3 == 2 || funct3 == 3)) ||
	         (quadrant == 2 && funct3 == 4 && bits >> 2 & 0x1fu))
		a7->is = PROGRAM_A7_UNKNOWN;
}

/* 32 bits with 17 where rd is.  Vector and floating-point registers count as a7, too. */
static void follow_long(struct program_a7 *a7, uint32_t bits, unsigned xlen)
{
	const unsigned opcode = bits & 0x7fu, funct3 = bits >> 12 & 7u, rs1 = bits >> 15 & 0x1fu;
	const uint64_t imm = extended(bits >> 20, 12);

	if (opcode == 0x23 || opcode == 0x27 || opcode == 0x63) /* stores, branches */
		return;
	if (opcode == 0x37)
		set(a7, extended(bits & 0xfffff000u, 32), xlen);
	else if (opcode == 0x13 && funct3 == 0 && rs1 == 0)
		set(a7, imm, xlen);
	else if (opcode == 0x13 && funct3 == 0 && rs1 == A7)
		add(a7, imm, xlen);
	else
		a7->is = PROGRAM_A7_UNKNOWN;
}

void program_follow_a7(struct program_a7 *a7, uint32_t bits, unsigned hwords, unsigned xlen)
{
	if (hwords > 2 || (program_is_ecall(bits, hwords) && a7->value == SIGRETURN))
		a7->is = PROGRAM_A7_UNKNOWN;
	else if ((bits >> 7 & 0x1fu) == A7 && hwords == 1)
		follow_short(a7, bits, xlen);
	else if ((bits >> 7 & 0x1fu) == A7)
		follow_long(a7, bits, xlen);
}

/* The instruction at @addr; 0 half-words: it is not there. */
static unsigned read_insn(const struct hs_image *image, uint64_t addr, uint32_t *bits)
{
	size_t n = 0;
	const uint8_t *p = hs_img_bytes(image, addr, &n);
	const unsigned hwords = p && n >= 2 ? hs_isa_hwords((uint16_t)(p[0] | p[1] << 8)) : 0;

	*bits = 0;
	if (2u * hwords > n)
		return 0;
	for (unsigned i = 0; i < 4 && i < 2 * hwords; i++)
		*bits |= (uint32_t)p[i] << 8 * i;
	return hwords;
}

void program_follow_a7_block(struct program_a7 *a7, const struct hs_image *image,
                             const struct hs_block *b)
{
	const uint64_t end = hs_block_end(b);
	unsigned hwords;
	uint32_t bits;

	for (uint64_t at = b->iaddr; at < end; at += 2u * hwords) {
		hwords = read_insn(image, at, &bits);
		if (hwords == 0) {
			a7->is = PROGRAM_A7_UNKNOWN;
			return;
		}
		program_follow_a7(a7, bits, hwords, image->isa.xlen);
	}
}

bool program_ecall_at(const struct hs_image *image, uint64_t addr)
{
	uint32_t bits;
	const unsigned hwords = read_insn(image, addr, &bits);

	return program_is_ecall(bits, hwords);
}
