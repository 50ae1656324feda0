/* Names: of versions, types and CSRs; and the type of an instruction's transfer. */
#include "ctr/private.h"

const char *hs_ctr_version_name(enum hs_ctr_version version)
{
	return version == HS_CTR_0_1_4 ? "0.1.4" : "1.0";
}

const char *hs_ctr_type_name(unsigned type)
{
	switch (type) {
#define HS_CTR_TYPE(id, code, name, filter) \
	case code: \
		return name;
#include <hartscope/tables/registers.def>
#undef HS_CTR_TYPE
	default:
		return "reserved";
	}
}

static const struct {
	uint8_t version;
	uint16_t number;
	const char *name;
} csrs[] = {
#define HS_CTR_CSR(version, number, name, reg) { HS_CTR_##version, number, name },
#include "ctr/ctr_csrs.def"
#undef HS_CTR_CSR
};
#define CSRS (sizeof(csrs) / sizeof(csrs[0]))

static bool is_of(size_t row, enum hs_ctr_version version)
{
	return csrs[row].version == (version == HS_CTR_ANY ? HS_CTR_1_0 : version);
}

static bool equal(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

const char *hs_ctr_csr_name(enum hs_ctr_version version, unsigned csr)
{
	for (size_t i = 0; i < CSRS; i++)
		if (csrs[i].number == csr && is_of(i, version))
			return csrs[i].name;
	return NULL;
}

unsigned hs_ctr_csr_number(enum hs_ctr_version version, const char *name)
{
	for (size_t i = 0; i < CSRS; i++)
		if (is_of(i, version) && equal(csrs[i].name, name))
			return csrs[i].number;
	return 0;
}

enum hs_ctr_type hs_ctr_type_of(const struct hs_insn *insn, bool taken)
{
	switch (insn->kind) {
	case HS_INSN_BRANCH: return taken ? HS_CTR_TAKEN : HS_CTR_NOT_TAKEN;
	case HS_INSN_JUMP: return insn->nolink ? HS_CTR_JUMP : HS_CTR_OTHER;
	case HS_INSN_JUMP_IND: return insn->nolink ? HS_CTR_JUMP_IND : HS_CTR_OTHER_IND;
	case HS_INSN_CALL:
	case HS_INSN_TABLE_CALL: return HS_CTR_CALL;
	case HS_INSN_TABLE_JUMP: return HS_CTR_JUMP;
	case HS_INSN_CALL_IND: return HS_CTR_CALL_IND;
	case HS_INSN_SWAP: return HS_CTR_SWAP;
	case HS_INSN_RETURN: return HS_CTR_RETURN;
	case HS_INSN_XRET: return HS_CTR_TRET;
	default: return HS_CTR_NO_TRANSFER;
	}
}
