/* Ranges: ecalls by their number, which is in a7.  A flow has no registers; its instructions say
 * what a7 is where they put a constant there. */
#include "range/private.h"

#define A7 17u
#define ECALL 0x00000073u
#define SIGRETURN 139u /* of Linux: the kernel sets all registers */

static uint32_t bits_of(const struct range_insn *insn)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < 4 && i < 2u * insn->hwords; i++)
		bits |= (uint32_t)insn->bytes[i] << 8 * i;
	return bits;
}

bool range_is_ecall(const struct range_insn *insn)
{
	return insn->hwords == 2 && bits_of(insn) == ECALL;
}

bool range_wants_ecalls(const struct hs_range *r)
{
	return r->from.at.kind == HS_POSITION_ECALL || r->to.at.kind == HS_POSITION_ECALL;
}

bool range_has_number(struct range_mark *m, const struct range_lane *l)
{
	if (m->at.kind != HS_POSITION_ECALL)
		return true;
	m->unsure += l->a7.is != RANGE_A7_KNOWN;
	return l->a7.is == RANGE_A7_KNOWN && l->a7.value == m->at.value;
}

static uint64_t extended(uint64_t value, unsigned bits)
{
	const uint64_t sign = UINT64_C(1) << (bits - 1);

	return (value ^ sign) - sign;
}

static void set(struct range_a7 *a7, uint64_t value, unsigned xlen)
{
	a7->is = RANGE_A7_KNOWN;
	a7->value = xlen == 32 ? (uint32_t)value : value;
}

static void add(struct range_a7 *a7, uint64_t value, unsigned xlen)
{
	if (a7->is == RANGE_A7_KNOWN)
		set(a7, a7->value + value, xlen);
	else
		a7->is = RANGE_A7_UNKNOWN;
}

/* 16 bits with a7 as rd: C.ADDI, C.LI and C.LUI; the others do not say what it becomes. */
static void follow_short(struct range_a7 *a7, uint32_t bits, unsigned xlen)
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
		a7->is = RANGE_A7_UNKNOWN;
}

/* 32 bits with 17 where rd is.  Vector and floating-point registers count as a7, too. */
static void follow_long(struct range_a7 *a7, uint32_t bits, unsigned xlen)
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
		a7->is = RANGE_A7_UNKNOWN;
}

void range_follow_a7(struct range_a7 *a7, const struct range_insn *insn, unsigned xlen)
{
	const uint32_t bits = bits_of(insn);

	if (insn->hwords > 2 || (range_is_ecall(insn) && a7->value == SIGRETURN))
		a7->is = RANGE_A7_UNKNOWN;
	else if ((bits >> 7 & 0x1fu) == A7 && insn->hwords == 1)
		follow_short(a7, bits, xlen);
	else if ((bits >> 7 & 0x1fu) == A7)
		follow_long(a7, bits, xlen);
}
