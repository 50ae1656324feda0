/* Ranges: ecalls by their number (program/ecall.h). */
#include "source/range_private.h"

static uint32_t bits_of(const struct range_insn *insn)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < 4 && i < 2u * insn->hwords; i++)
		bits |= (uint32_t)insn->bytes[i] << 8 * i;
	return bits;
}

bool range_is_ecall(const struct range_insn *insn)
{
	return program_is_ecall(bits_of(insn), insn->hwords);
}

bool range_wants_ecalls(const struct hs_range *r)
{
	return r->from.at.kind == HS_POSITION_ECALL || r->to.at.kind == HS_POSITION_ECALL;
}

bool range_has_number(struct range_mark *m, const struct range_lane *l)
{
	if (m->at.kind != HS_POSITION_ECALL)
		return true;
	m->unsure += l->a7.is != PROGRAM_A7_KNOWN;
	return l->a7.is == PROGRAM_A7_KNOWN && l->a7.value == m->at.value;
}

void range_follow_a7(struct program_a7 *a7, const struct range_insn *insn, unsigned xlen)
{
	program_follow_a7(a7, bits_of(insn), insn->hwords, xlen);
}
