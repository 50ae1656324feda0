/* From a kind of instruction to the itype of the ingress port (NT Table 2). */
#include <hartscope/image.h>

static const struct {
	uint8_t itype4, itype3;
	const char *name;
} kinds[] = {
	[HS_INSN_LINEAR] = { HS_ITYPE_NONE, HS_ITYPE_NONE, "linear" },
	[HS_INSN_BRANCH] = { HS_ITYPE_NOT_TAKEN, HS_ITYPE_NOT_TAKEN, "branch" },
	[HS_INSN_JUMP] = { HS_ITYPE_JUMP_INF, HS_ITYPE_NONE, "jump" },
	[HS_INSN_CALL] = { HS_ITYPE_CALL_INF, HS_ITYPE_NONE, "call" },
	[HS_INSN_JUMP_IND] = { HS_ITYPE_JUMP_UNINF, HS_ITYPE_UNINFERABLE, "indirect jump" },
	[HS_INSN_CALL_IND] = { HS_ITYPE_CALL_UNINF, HS_ITYPE_UNINFERABLE, "indirect call" },
	[HS_INSN_SWAP] = { HS_ITYPE_SWAP, HS_ITYPE_UNINFERABLE, "co-routine swap" },
	[HS_INSN_RETURN] = { HS_ITYPE_RETURN, HS_ITYPE_UNINFERABLE, "return" },
	/* rc7 gives cm.jt itype 0 in both widths, as if the next address followed.  The
	 * ratified text corrects the 4-bit one to 11; no message distinguishes the two. */
	[HS_INSN_TABLE_JUMP] = { HS_ITYPE_TAIL_INF, HS_ITYPE_NONE, "table jump" },
	[HS_INSN_TABLE_CALL] = { HS_ITYPE_CALL_INF, HS_ITYPE_NONE, "table call" },
	[HS_INSN_XRET] = { HS_ITYPE_XRET, HS_ITYPE_XRET, "trap return" },
	[HS_INSN_ECALL] = { HS_ITYPE_EXCEPTION, HS_ITYPE_EXCEPTION, "ecall" },
	[HS_INSN_EBREAK] = { HS_ITYPE_EXCEPTION, HS_ITYPE_EXCEPTION, "ebreak" },
	/* NT 10.1: as an indirect jump when it changed the PC, else as linear. */
	[HS_INSN_CUSTOM] = { HS_ITYPE_NONE, HS_ITYPE_NONE, "custom" },
};

#define KINDS (sizeof kinds / sizeof kinds[0])

enum hs_itype hs_isa_itype4(unsigned kind, bool taken)
{
	if (kind == HS_INSN_BRANCH && taken)
		return HS_ITYPE_TAKEN;
	if (kind == HS_INSN_CUSTOM && taken)
		return HS_ITYPE_JUMP_UNINF;
	return kind < KINDS ? (enum hs_itype)kinds[kind].itype4 : HS_ITYPE_NONE;
}

enum hs_itype hs_isa_itype3(unsigned kind, bool taken)
{
	if (kind == HS_INSN_BRANCH && taken)
		return HS_ITYPE_TAKEN;
	if (kind == HS_INSN_CUSTOM && taken)
		return HS_ITYPE_UNINFERABLE;
	return kind < KINDS ? (enum hs_itype)kinds[kind].itype3 : HS_ITYPE_NONE;
}

const char *hs_insn_kind_name(unsigned kind)
{
	return kind < KINDS ? kinds[kind].name : "?";
}
