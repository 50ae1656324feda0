/* From the bytes of one instruction to what it does to the PC. */
#include <hartscope/image.h>

enum form { NONE, B, J, I, AUIPC, LUI, CJAL, CJ, CB, CLUI, CJR, CJALR, POP, JT, JALT };
enum where { ANY, RV32, ZC, PULP };

/* The registers decide what kind of jump it is (NT Table 2, jal and jalr). */
#define HS_INSN_LINK 0xff

struct row {
	uint32_t mask, match;
	uint8_t where, kind, form;
};

#define ROW(mask, match, where, kind, form, name) { mask, match, where, HS_INSN_##kind, form },

static const struct row quadrant1[] = {
#define HS_INSN_Q1 ROW
#include "insns.def"
};

static const struct row quadrant2[] = {
#define HS_INSN_Q2 ROW
#include "insns.def"
};

static const struct row quadrant3[] = {
#define HS_INSN_Q3 ROW
#include "insns.def"
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

unsigned hs_isa_hwords(uint16_t first)
{
	if ((first & 0x03) != 0x03)
		return 1;
	if ((first & 0x1f) != 0x1f)
		return 2;
	if ((first & 0x3f) == 0x1f)
		return 3;
	if ((first & 0x7f) == 0x3f)
		return 4;
	const unsigned nnn = (first >> 12) & 7u;
	return nnn == 7 ? HS_INSN_MAX / 2 : 5 + nnn;
}

static bool has(const struct hs_isa *isa, unsigned where)
{
	switch (where) {
	case RV32:
		return isa->xlen == 32;
	case ZC:
		return isa->zcmp_zcmt;
	case PULP:
		return isa->pulp;
	default:
		return true;
	}
}

static const struct row *scan(const struct row *rows, size_t n, const struct hs_isa *isa,
                              uint32_t w)
{
	for (size_t i = 0; i < n; i++)
		if ((w & rows[i].mask) == rows[i].match && has(isa, rows[i].where))
			return &rows[i];
	return NULL;
}

static const struct row *find_row(const struct hs_isa *isa, uint32_t w)
{
	switch (w & 3u) {
	case 1:
		return scan(quadrant1, COUNT(quadrant1), isa, w);
	case 2:
		return scan(quadrant2, COUNT(quadrant2), isa, w);
	case 3:
		return scan(quadrant3, COUNT(quadrant3), isa, w);
	default:
		return NULL;
	}
}

/* Bits high..low of @w, moved to bit @to of the result. */
static uint32_t bits(uint32_t w, unsigned high, unsigned low, unsigned to)
{
	return ((w >> low) & ((1u << (high - low + 1)) - 1)) << to;
}

/* @v is a two's complement number whose sign is bit @sign. */
static uint64_t extend(uint32_t v, unsigned sign)
{
	const uint64_t top = UINT64_C(1) << sign;

	return ((uint64_t)v ^ top) - top;
}

static uint64_t imm_b(uint32_t w)
{
	return extend(bits(w, 31, 31, 12) | bits(w, 7, 7, 11) | bits(w, 30, 25, 5) |
	                      bits(w, 11, 8, 1),
	              12);
}

static uint64_t imm_j(uint32_t w)
{
	return extend(bits(w, 31, 31, 20) | bits(w, 19, 12, 12) | bits(w, 20, 20, 11) |
	                      bits(w, 30, 21, 1),
	              20);
}

static uint64_t imm_cj(uint32_t w)
{
	return extend(bits(w, 12, 12, 11) | bits(w, 11, 11, 4) | bits(w, 10, 9, 8) |
	                      bits(w, 8, 8, 10) | bits(w, 7, 7, 6) | bits(w, 6, 6, 7) |
	                      bits(w, 5, 3, 1) | bits(w, 2, 2, 5),
	              11);
}

static uint64_t imm_cb(uint32_t w)
{
	return extend(bits(w, 12, 12, 8) | bits(w, 11, 10, 3) | bits(w, 6, 5, 6) |
	                      bits(w, 4, 3, 1) | bits(w, 2, 2, 5),
	              8);
}

static uint64_t imm_clui(uint32_t w)
{
	return extend(bits(w, 12, 12, 17) | bits(w, 6, 2, 12), 17);
}

static void direct(struct hs_insn *insn, uint64_t target, unsigned rd)
{
	insn->target = target;
	insn->rd = (uint8_t)rd;
}

static void indirect(struct hs_insn *insn, unsigned rd, unsigned rs1, uint64_t offset)
{
	insn->rd = (uint8_t)rd;
	insn->rs1 = (uint8_t)rs1;
	insn->offset = (int16_t)offset;
}

/* x0 never holds a constant: auipc x0 is a hint (or lpad), lui x0 a hint. */
static void constant(struct hs_insn *insn, unsigned rd, uint64_t value)
{
	if (rd == 0)
		return;
	insn->constant = true;
	insn->rd = (uint8_t)rd;
	insn->value = value;
}

static void operands(struct hs_insn *insn, unsigned form, uint64_t pc, uint32_t w)
{
	const unsigned rd = bits(w, 11, 7, 0);

	switch (form) {
	case B:
		insn->target = pc + imm_b(w);
		break;
	case CB:
		insn->target = pc + imm_cb(w);
		break;
	case J:
		direct(insn, pc + imm_j(w), rd);
		break;
	case CJAL:
		direct(insn, pc + imm_cj(w), 1);
		break;
	case CJ:
		direct(insn, pc + imm_cj(w), 0);
		break;
	case I:
		indirect(insn, rd, bits(w, 19, 15, 0), extend(bits(w, 31, 20, 0), 11));
		break;
	case CJR:
		indirect(insn, 0, rd, 0);
		break;
	case CJALR:
		indirect(insn, 1, rd, 0);
		break;
	case AUIPC:
		constant(insn, rd, pc + extend(w & 0xfffff000u, 31));
		break;
	case LUI:
		constant(insn, rd, extend(w & 0xfffff000u, 31));
		break;
	case CLUI:
		constant(insn, rd, imm_clui(w));
		break;
	case JT:
	case JALT:
		insn->index = (uint16_t)bits(w, 9, 2, 0);
		insn->rd = form == JALT;
		break;
	default:
		break;
	}
}

/* NT Table 2, 4-bit itype of jal and jalr. */
static uint8_t link_kind(unsigned form, unsigned rd, unsigned rs1)
{
	if (form == J || form == CJ || form == CJAL)
		return hs_is_link(rd) ? HS_INSN_CALL : HS_INSN_JUMP;
	if (hs_is_link(rd))
		return hs_is_link(rs1) && rd != rs1 ? HS_INSN_SWAP : HS_INSN_CALL_IND;
	return hs_is_link(rs1) ? HS_INSN_RETURN : HS_INSN_JUMP_IND;
}

static void classify(const struct hs_isa *isa, uint64_t pc, uint32_t w, struct hs_insn *insn)
{
	const struct row *row = find_row(isa, w);
	const uint64_t mask = isa->xlen == 32 ? UINT32_MAX : UINT64_MAX;

	if (!row)
		return;
	operands(insn, row->form, pc, w);
	insn->target &= mask;
	insn->value &= mask;
	insn->kind =
		row->kind == HS_INSN_LINK ? link_kind(row->form, insn->rd, insn->rs1) : row->kind;
	/* cm.popret jumps as ret does, cm.jt as c.j: neither writes a link. */
	insn->nolink =
		insn->rd == 0 && insn->kind >= HS_INSN_JUMP && insn->kind <= HS_INSN_TABLE_JUMP;
}

static bool is_custom(const struct hs_isa *isa, uint32_t w)
{
	for (unsigned i = 0; i < isa->custom_count; i++)
		if ((w & isa->custom[i].mask) == isa->custom[i].match)
			return true;
	return false;
}

enum hs_status hs_isa_decode(const struct hs_isa *isa, uint64_t pc, const uint8_t *bytes, size_t n,
                             struct hs_insn *insn)
{
	if (n < 2)
		return HS_MORE;
	uint32_t w = bytes[0] | (uint32_t)bytes[1] << 8;
	const unsigned hwords = hs_isa_hwords((uint16_t)w);
	if (n < 2 * hwords)
		return HS_MORE;
	if (hwords > 1)
		w |= (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;

	*insn = (struct hs_insn){ .hwords = (uint8_t)hwords, .kind = HS_INSN_LINEAR };
	if (isa->custom_count && is_custom(isa, w))
		insn->kind = HS_INSN_CUSTOM;
	else if (hwords <= 2) /* no standard instruction above 32 bits changes the PC */
		classify(isa, pc, w, insn);
	return HS_OK;
}

bool hs_isa_sequential(const struct hs_insn *first, const struct hs_insn *jump, unsigned xlen,
                       uint64_t *target)
{
	const bool through = jump->kind >= HS_INSN_JUMP_IND && jump->kind <= HS_INSN_RETURN;

	/* cm.popret loads its target from the stack and has rs1 0, as no constant has. */
	if (!through || !first->constant || first->rd == 0 || first->rd != jump->rs1)
		return false;
	const uint64_t sum = first->value + (uint64_t)(int64_t)jump->offset;
	*target = (xlen == 32 ? sum & UINT32_MAX : sum) & ~UINT64_C(1);
	return true;
}
