/* RV32C: the 16-bit instruction that has a 32-bit equal.  NEORV32's log has the equal only. */
#include "inputs/log_compress.h"

/* Fields of a 32-bit instruction. */
struct parts {
	unsigned opcode, rd, rs1, rs2, f3, f7;
	int32_t imm; /* of the I format */
};

static unsigned bits(uint32_t v, unsigned from, unsigned n)
{
	return v >> from & ((1u << n) - 1);
}

static int32_t sign(uint32_t v, unsigned width)
{
	return (int32_t)(v << (32 - width)) >> (32 - width);
}

static bool fits(int32_t v, unsigned width)
{
	return sign((uint32_t)v, width) == v;
}

static bool is_small(unsigned reg)
{
	return reg >= 8 && reg <= 15;
}

/* CI format: imm[5], rd, imm[4:0]. */
static uint16_t ci(unsigned f3, unsigned rd, uint32_t imm, unsigned op)
{
	return (uint16_t)(f3 << 13 | bits(imm, 5, 1) << 12 | rd << 7 | bits(imm, 0, 5) << 2 | op);
}

static uint16_t addi(const struct parts *p)
{
	const uint32_t i = (uint32_t)p->imm;

	if (p->rd == p->rs1 && fits(p->imm, 6) && (p->rd || !p->imm))
		return ci(0, p->rd, i, 1); /* c.addi, c.nop */
	if (!p->rs1 && p->rd && fits(p->imm, 6))
		return ci(2, p->rd, i, 1); /* c.li */
	if (p->rd == 2 && p->rs1 == 2 && fits(p->imm, 10) && p->imm % 16 == 0)
		return (uint16_t)(3u << 13 | bits(i, 9, 1) << 12 | 2u << 7 | bits(i, 4, 1) << 6 |
		                  bits(i, 6, 1) << 5 | bits(i, 7, 2) << 3 | bits(i, 5, 1) << 2 | 1);
	if (p->rs1 == 2 && is_small(p->rd) && p->imm > 0 && p->imm < 1024 && p->imm % 4 == 0)
		return (uint16_t)(bits(i, 4, 2) << 11 | bits(i, 6, 4) << 7 | bits(i, 2, 1) << 6 |
		                  bits(i, 3, 1) << 5 | (p->rd - 8) << 2);
	return 0;
}

static uint16_t op_imm(const struct parts *p)
{
	const unsigned shift = (unsigned)p->imm & 31;

	if (p->f3 == 0)
		return addi(p);
	if (p->f3 == 1 && p->rd == p->rs1 && p->rd && p->f7 == 0)
		return ci(0, p->rd, shift, 2); /* c.slli */
	if (p->rd != p->rs1 || !is_small(p->rd))
		return 0;
	if (p->f3 == 5 && (p->f7 == 0 || p->f7 == 32)) /* c.srli, c.srai */
		return (uint16_t)(4u << 13 | (p->f7 ? 1u : 0) << 10 | (p->rd - 8) << 7 |
		                  shift << 2 | 1);
	if (p->f3 == 7 && fits(p->imm, 6)) /* c.andi */
		return ci(4, 2u << 3 | (p->rd - 8), (uint32_t)p->imm, 1);
	return 0;
}

static uint16_t op(const struct parts *p)
{
	static const uint8_t f3s[] = { 0, 4, 6, 7 }; /* c.sub, c.xor, c.or, c.and */

	if (p->f3 == 0 && p->f7 == 0 && p->rd && p->rs2 && (p->rs1 == p->rd || !p->rs1))
		return (uint16_t)(4u << 13 | (p->rs1 ? 1u : 0) << 12 | p->rd << 7 | p->rs2 << 2 |
		                  2); /* c.add, c.mv */
	for (unsigned i = 0; i < 4; i++)
		if (p->f3 == f3s[i] && p->f7 == (i ? 0u : 32u) && p->rd == p->rs1 &&
		    is_small(p->rd) && is_small(p->rs2))
			return (uint16_t)(0x8c01u | (p->rd - 8) << 7 | i << 5 | (p->rs2 - 8) << 2);
	return 0;
}

static uint16_t load(const struct parts *p)
{
	const uint32_t i = (uint32_t)p->imm;

	if (p->f3 != 2 || p->imm < 0 || p->imm % 4)
		return 0;
	if (p->rs1 == 2 && p->rd && i < 256) /* c.lwsp */
		return (uint16_t)(2u << 13 | bits(i, 5, 1) << 12 | p->rd << 7 | bits(i, 2, 3) << 4 |
		                  bits(i, 6, 2) << 2 | 2);
	if (is_small(p->rs1) && is_small(p->rd) && i < 128) /* c.lw */
		return (uint16_t)(2u << 13 | bits(i, 3, 3) << 10 | (p->rs1 - 8) << 7 |
		                  bits(i, 2, 1) << 6 | bits(i, 6, 1) << 5 | (p->rd - 8) << 2);
	return 0;
}

static uint16_t store(const struct parts *p)
{
	const int32_t imm = sign(p->f7 << 5 | p->rd, 12);
	const uint32_t i = (uint32_t)imm;

	if (p->f3 != 2 || imm < 0 || imm % 4)
		return 0;
	if (p->rs1 == 2 && i < 256) /* c.swsp */
		return (uint16_t)(6u << 13 | bits(i, 2, 4) << 9 | bits(i, 6, 2) << 7 | p->rs2 << 2 |
		                  2);
	if (is_small(p->rs1) && is_small(p->rs2) && i < 128) /* c.sw */
		return (uint16_t)(6u << 13 | bits(i, 3, 3) << 10 | (p->rs1 - 8) << 7 |
		                  bits(i, 2, 1) << 6 | bits(i, 6, 1) << 5 | (p->rs2 - 8) << 2);
	return 0;
}

static uint16_t jal(uint32_t w, const struct parts *p)
{
	const int32_t imm = sign(bits(w, 31, 1) << 20 | bits(w, 12, 8) << 12 |
	                                 bits(w, 20, 1) << 11 | bits(w, 21, 10) << 1,
	                         21);
	const uint32_t i = (uint32_t)imm;

	if (p->rd > 1 || !fits(imm, 12))
		return 0;
	return (uint16_t)((p->rd ? 1u : 5u) << 13 | bits(i, 11, 1) << 12 | bits(i, 4, 1) << 11 |
	                  bits(i, 8, 2) << 9 | bits(i, 10, 1) << 8 | bits(i, 6, 1) << 7 |
	                  bits(i, 7, 1) << 6 | bits(i, 1, 3) << 3 | bits(i, 5, 1) << 2 | 1);
}

static uint16_t branch(uint32_t w, const struct parts *p)
{
	const int32_t imm = sign(bits(w, 31, 1) << 12 | bits(w, 7, 1) << 11 | bits(w, 25, 6) << 5 |
	                                 bits(w, 8, 4) << 1,
	                         13);
	const uint32_t i = (uint32_t)imm;

	if (p->f3 > 1 || p->rs2 || !is_small(p->rs1) || !fits(imm, 9))
		return 0;
	return (uint16_t)((6u + p->f3) << 13 | bits(i, 8, 1) << 12 | bits(i, 3, 2) << 10 |
	                  (p->rs1 - 8) << 7 | bits(i, 6, 2) << 5 | bits(i, 1, 2) << 3 |
	                  bits(i, 5, 1) << 2 | 1);
}

static uint16_t lui(uint32_t w, const struct parts *p)
{
	const int32_t imm = (int32_t)w >> 12;

	return p->rd && p->rd != 2 && imm && fits(imm, 6) ? ci(3, p->rd, (uint32_t)imm, 1) : 0;
}

uint16_t log_compress(uint32_t w)
{
	const struct parts p = { bits(w, 0, 7),  bits(w, 7, 5),  bits(w, 15, 5),  bits(w, 20, 5),
		                 bits(w, 12, 3), bits(w, 25, 7), (int32_t)w >> 20 };

	switch (p.opcode) {
	case 0x03:
		return load(&p);
	case 0x13:
		return op_imm(&p);
	case 0x23:
		return store(&p);
	case 0x33:
		return op(&p);
	case 0x37:
		return lui(w, &p);
	case 0x63:
		return branch(w, &p);
	case 0x67: /* c.jr, c.jalr */
		if (p.f3 || p.imm || p.rd > 1 || !p.rs1)
			return 0;
		return (uint16_t)(4u << 13 | p.rd << 12 | p.rs1 << 7 | 2);
	case 0x6f:
		return jal(w, &p);
	case 0x73:
		return w == 0x00100073 ? 0x9002 : 0;
	default:
		return 0;
	}
}
