/* CSR access: whether it is allowed, and to which register it goes.  State Enable Access Control
 * comes first, then the privilege in the CSR's number, then CTR's registers. */
#include "ctr/private.h"

#define CSRIND HS_CTR_BITS(ANY, STATEEN, CSRIND)

enum reg {
	SCONTROL, SCONTROL_H, VSCONTROL, VSCONTROL_H, MCONTROL, MCONTROL_H, STATUS, DEPTH, NO_REG
};

static const struct {
	uint8_t version, reg;
	uint16_t number;
} csrs[] = {
#define HS_CTR_CSR(version, number, name, reg) { HS_CTR_##version, reg, number },
#include "ctr/ctr_csrs.def"
#undef HS_CTR_CSR
};

static enum reg reg_of(const struct hs_ctr *c, unsigned csr)
{
	for (unsigned i = 0; i < sizeof(csrs) / sizeof(csrs[0]); i++)
		if (csrs[i].number == csr && csrs[i].version == c->config.version)
			return (enum reg)csrs[i].reg;
	return NO_REG;
}

/* Registers of Smcsrind and Sscsrind. */
enum indirect { ISELECT, IREG, IREG2, IREG3, IREG4, IREG5, IREG6, NOT_INDIRECT };

static enum indirect indirect_of(unsigned csr)
{
	static const uint8_t of[] = { ISELECT,      IREG,  IREG2, IREG3,
	                              NOT_INDIRECT, IREG4, IREG5, IREG6 };
	const unsigned base = csr & ~7u;

	if (base != HS_CTR_SISELECT && base != HS_CTR_VSISELECT && base != HS_CTR_MISELECT)
		return NOT_INDIRECT;
	return (enum indirect)of[csr & 7];
}

static bool is_half(enum reg reg)
{
	return reg == SCONTROL_H || reg == VSCONTROL_H || reg == MCONTROL_H;
}

static unsigned level_of(unsigned csr)
{
	return csr >> 8 & 3;
}

static unsigned xlen_of(const struct hs_ctr *c, const struct hs_ctr_env *env)
{
	return env->xlen == 32 || c->config.xlen == 32 ? 32 : 64;
}

static bool in_guest(const struct hs_ctr_env *env)
{
	return ctr_is_virtual(env->priv);
}

/* Does mstateen0 allow what @bit gates? */
static bool machine_allows(const struct hs_ctr *c, const struct hs_ctr_env *env, uint64_t bit)
{
	if (env->priv == HS_PRIV_M || ctr_lacks(c, HS_CTR_NO_SMSTATEEN))
		return true;
	return env->mstateen0 & bit;
}

/* The same of hstateen0, for VS. */
static bool hypervisor_allows(const struct hs_ctr *c, const struct hs_ctr_env *env, uint64_t bit)
{
	return ctr_lacks(c, HS_CTR_NO_SMSTATEEN) || (env->hstateen0 & env->mstateen0 & bit);
}

/* Privilege of a CSR's number, and hstateen0 for V=1, after mstateen0 allowed the access. */
static enum hs_ctr_answer by_mode(const struct hs_ctr *c, const struct hs_ctr_env *env,
                                  unsigned level, uint64_t bit)
{
	switch (env->priv) {
	case HS_PRIV_M:
		return HS_CTR_OK;
	case HS_PRIV_S:
		return level <= 2 ? HS_CTR_OK : HS_CTR_ILLEGAL;
	case HS_PRIV_VS:
		if (level == 1 && hypervisor_allows(c, env, bit))
			return HS_CTR_OK;
		return level <= 2 ? HS_CTR_VIRTUAL : HS_CTR_ILLEGAL;
	case HS_PRIV_VU:
		return level <= 2 ? HS_CTR_VIRTUAL : HS_CTR_ILLEGAL;
	default:
		return HS_CTR_ILLEGAL;
	}
}

static bool exists(const struct hs_ctr *c, unsigned level)
{
	return level == 3 || !ctr_lacks(c, level == 2 ? HS_CTR_NO_H : HS_CTR_NO_S);
}

static bool has_mode(const struct hs_ctr *c, unsigned priv)
{
	switch (priv) {
	case HS_PRIV_M: return true;
	case HS_PRIV_S: return !ctr_lacks(c, HS_CTR_NO_S);
	default: return !ctr_lacks(c, HS_CTR_NO_H) && ctr_is_virtual(priv);
	}
}

static enum hs_ctr_answer may_access(const struct hs_ctr *c, const struct hs_ctr_env *env,
                                     unsigned csr, enum reg reg)
{
	const unsigned level = level_of(csr);
	enum hs_ctr_answer answer;

	if (!has_mode(c, env->priv) || !exists(c, level))
		return HS_CTR_ILLEGAL;
	if (is_half(reg) && xlen_of(c, env) != 32)
		return HS_CTR_ILLEGAL;
	if (!machine_allows(c, env, ctr_profile(c)->stateen))
		return HS_CTR_ILLEGAL;
	answer = by_mode(c, env, level, ctr_profile(c)->stateen);
	if (reg == DEPTH && in_guest(env))
		return HS_CTR_VIRTUAL; /* 1.0 "sctrdepth" */
	return answer;
}

static uint64_t selector(const struct hs_ctr_env *env, unsigned level)
{
	if (level == 3)
		return env->miselect;
	return level == 2 || in_guest(env) ? env->vsiselect : env->siselect;
}

/* Sscsrind "Access control by the state-enable CSRs", then CTR's own bit for its range. */
static enum hs_ctr_answer may_access_entry(const struct hs_ctr *c, const struct hs_ctr_env *env,
                                           unsigned csr, unsigned *index)
{
	const unsigned level = level_of(csr);
	const uint64_t at = selector(env, level) - HS_CTR_SELECT, bit = ctr_profile(c)->stateen;
	enum hs_ctr_answer answer;

	if (!has_mode(c, env->priv) || !exists(c, level) || !machine_allows(c, env, CSRIND))
		return HS_CTR_ILLEGAL;
	answer = by_mode(c, env, level, CSRIND);
	if (answer != HS_CTR_OK)
		return answer;
	if (indirect_of(csr) == ISELECT || at >= HS_CTR_ENTRIES)
		return HS_CTR_NOT_MINE;
	if (level == 3 && !ctr_profile(c)->mireg)
		return HS_CTR_NOT_MINE;
	*index = (unsigned)at;
	if (!machine_allows(c, env, bit))
		return HS_CTR_ILLEGAL;
	return by_mode(c, env, level, bit);
}

/* Which control register a CSR accesses, mctl or vsctl, and whether all of it. */
static bool is_vs(const struct hs_ctr_env *env, enum reg reg)
{
	return reg == VSCONTROL || reg == VSCONTROL_H || in_guest(env);
}

static bool shows_all(enum reg reg)
{
	return reg == MCONTROL || reg == MCONTROL_H;
}

static uint64_t read_reg(const struct hs_ctr *c, const struct hs_ctr_env *env, enum reg reg)
{
	uint64_t control;

	if (reg == STATUS)
		return ctr_get_status(c);
	if (reg == DEPTH)
		return c->depth;
	control = ctr_get_control(c, is_vs(env, reg), shows_all(reg));
	return is_half(reg) ? control >> 32 : control;
}

static void write_reg(struct hs_ctr *c, const struct hs_ctr_env *env, enum reg reg, uint64_t value)
{
	const bool v = is_vs(env, reg), all = shows_all(reg);

	if (reg == STATUS) {
		ctr_set_status(c, value);
		return;
	}
	if (reg == DEPTH) {
		ctr_set_depth(c, (unsigned)HS_CTR_GET(1_0, DEPTH, DEPTH, value));
		return;
	}
	if (is_half(reg))
		value = value << 32 | (ctr_get_control(c, v, all) & UINT32_MAX);
	else if (xlen_of(c, env) == 32)
		value = (value & UINT32_MAX) | (ctr_get_control(c, v, all) & CTR_UPPER);
	ctr_set_control(c, v, all, !v || in_guest(env), value);
}

/* Where an access goes: to @reg, or, if that is NO_REG, to entry @index. */
static enum hs_ctr_answer find_register(const struct hs_ctr *c, const struct hs_ctr_env *env,
                                        unsigned csr, enum reg *reg, unsigned *index)
{
	*reg = reg_of(c, csr);
	if (*reg != NO_REG)
		return may_access(c, env, csr, *reg);
	if (indirect_of(csr) != NOT_INDIRECT)
		return may_access_entry(c, env, csr, index);
	return HS_CTR_NOT_MINE;
}

enum hs_ctr_answer hs_ctr_access(const struct hs_ctr *c, const struct hs_ctr_env *env, unsigned csr)
{
	enum reg reg;
	unsigned index;

	return find_register(c, env, csr, &reg, &index);
}

enum hs_ctr_answer hs_ctr_read(const struct hs_ctr *c, const struct hs_ctr_env *env, unsigned csr,
                               uint64_t *value)
{
	enum reg reg;
	unsigned index;
	const enum hs_ctr_answer answer = find_register(c, env, csr, &reg, &index);
	uint64_t read;

	if (answer != HS_CTR_OK)
		return answer;
	read = reg != NO_REG ? read_reg(c, env, reg) :
	                       ctr_get_entry(c, index, (unsigned)indirect_of(csr) - IREG);
	*value = xlen_of(c, env) == 32 ? read & UINT32_MAX : read;
	return HS_CTR_OK;
}

enum hs_ctr_answer hs_ctr_write(struct hs_ctr *c, const struct hs_ctr_env *env, unsigned csr,
                                uint64_t value)
{
	enum reg reg;
	unsigned index;
	const enum hs_ctr_answer answer = find_register(c, env, csr, &reg, &index);

	if (answer != HS_CTR_OK)
		return answer;
	if (reg != NO_REG)
		write_reg(c, env, reg, value);
	else
		ctr_set_entry(c, index, (unsigned)indirect_of(csr) - IREG, value, xlen_of(c, env));
	return HS_CTR_OK;
}

enum hs_ctr_answer hs_ctr_may_clear(const struct hs_ctr *c, const struct hs_ctr_env *env)
{
	const uint64_t bit = ctr_profile(c)->stateen;

	if (c->config.version != HS_CTR_1_0)
		return HS_CTR_NOT_MINE;
	if (!has_mode(c, env->priv) || !machine_allows(c, env, bit))
		return HS_CTR_ILLEGAL;
	return by_mode(c, env, 1, bit);
}

enum hs_ctr_answer hs_ctr_clear(struct hs_ctr *c, const struct hs_ctr_env *env)
{
	const enum hs_ctr_answer answer = hs_ctr_may_clear(c, env);

	if (answer == HS_CTR_OK)
		ctr_zero_entries(c);
	return answer;
}
