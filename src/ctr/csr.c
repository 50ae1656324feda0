/* CSR access: who may, and which register it is.  State Enable Access Control comes first, then the
 * privilege of the number, then CTR's registers. */
#include "ctr/private.h"

enum reg {
	SCONTROL, SCONTROL_H, VSCONTROL, VSCONTROL_H, MCONTROL, MCONTROL_H, STATUS, DEPTH, NO_REG
};

static const struct {
	uint8_t version, reg;
	uint16_t number;
} csrs[] = {
#define HS_CTR_CSR(version, number, name, reg) { HS_CTR_##version, reg, number },
#include <hartscope/tables/ctr_csrs.def>
#undef HS_CTR_CSR
};

static enum reg reg_of(const struct hs_ctr *c, unsigned csr)
{
	for (unsigned i = 0; i < sizeof(csrs) / sizeof(csrs[0]); i++)
		if (csrs[i].number == csr && csrs[i].version == c->config.version)
			return (enum reg)csrs[i].reg;
	return NO_REG;
}

/* The window of a number: 0 *iselect, 1..6 *ireg to *ireg6, -1 neither (Smcsrind, Sscsrind). */
static int window(unsigned csr)
{
	static const int8_t of[] = { 0, 1, 2, 3, -1, 4, 5, 6 };
	const unsigned base = csr & ~7u;

	return base == 0x150 || base == 0x250 || base == 0x350 ? of[csr & 7] : -1;
}

static unsigned level_of(unsigned csr)
{
	return csr >> 8 & 3;
}

static unsigned xlen_of(const struct hs_ctr *c, const struct hs_ctr_env *env)
{
	return env->xlen == 32 || c->config.xlen == 32 ? 32 : 64;
}

static bool virtual_mode(const struct hs_ctr_env *env)
{
	return env->priv == HS_PRIV_VS || env->priv == HS_PRIV_VU;
}

/* Does mstateen0 let modes below M have what @bit stands for? */
static bool machine_lets(const struct hs_ctr *c, const struct hs_ctr_env *env, uint64_t bit)
{
	return env->priv == HS_PRIV_M || !c->config.smstateen || (env->mstateen0 & bit);
}

/* Privilege of a number, once mstateen0 let it pass, and hstateen0 for V=1. */
static enum hs_ctr_answer by_mode(const struct hs_ctr *c, const struct hs_ctr_env *env, unsigned level,
                                  uint64_t bit)
{
	switch (env->priv) {
	case HS_PRIV_M:
		return HS_CTR_OK;
	case HS_PRIV_S:
		return level <= 2 ? HS_CTR_OK : HS_CTR_ILLEGAL;
	case HS_PRIV_VS:
		if (level == 1 && (!c->config.smstateen || (env->hstateen0 & env->mstateen0 & bit)))
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
	return level == 3 || (level == 2 ? c->config.h : c->config.s);
}

static bool has_mode(const struct hs_ctr *c, unsigned priv)
{
	switch (priv) {
	case HS_PRIV_M: return true;
	case HS_PRIV_S: return c->config.s;
	case HS_PRIV_U: return c->config.u;
	default: return c->config.h && (priv == HS_PRIV_VS || priv == HS_PRIV_VU);
	}
}

static enum hs_ctr_answer may_access(const struct hs_ctr *c, const struct hs_ctr_env *env,
                                     unsigned csr, enum reg reg)
{
	const unsigned level = level_of(csr);
	const bool half = reg == SCONTROL_H || reg == VSCONTROL_H || reg == MCONTROL_H;
	enum hs_ctr_answer answer;

	if (!has_mode(c, env->priv) || !exists(c, level) || (half && xlen_of(c, env) != 32))
		return HS_CTR_ILLEGAL;
	if (!machine_lets(c, env, ctr_profile(c)->stateen))
		return HS_CTR_ILLEGAL;
	answer = by_mode(c, env, level, ctr_profile(c)->stateen);
	if (reg == DEPTH && virtual_mode(env))
		return HS_CTR_VIRTUAL; /* 1.0 "sctrdepth" */
	return answer;
}

static uint64_t selector(const struct hs_ctr_env *env, unsigned level)
{
	if (level == 3)
		return env->miselect;
	return level == 2 || virtual_mode(env) ? env->vsiselect : env->siselect;
}

/* Sscsrind "Access control by the state-enable CSRs", then CTR's own bit for its range. */
static enum hs_ctr_answer may_window(const struct hs_ctr *c, const struct hs_ctr_env *env,
                                     unsigned csr, unsigned *index)
{
	const unsigned level = level_of(csr);
	const uint64_t at = selector(env, level) - HS_CTR_SELECT, bit = ctr_profile(c)->stateen;
	enum hs_ctr_answer answer;

	if (!has_mode(c, env->priv) || !exists(c, level) || !machine_lets(c, env, CTR_CSRIND))
		return HS_CTR_ILLEGAL;
	answer = by_mode(c, env, level, CTR_CSRIND);
	if (answer != HS_CTR_OK)
		return answer;
	if (window(csr) == 0 || at >= HS_CTR_ENTRIES || (level == 3 && !ctr_profile(c)->mireg))
		return HS_CTR_NOT_MINE;
	*index = (unsigned)at;
	if (!machine_lets(c, env, bit))
		return HS_CTR_ILLEGAL;
	return by_mode(c, env, level, bit);
}

/* The control register behind a number: mctl or vsctl, and how much of it. */
static bool is_vs(const struct hs_ctr_env *env, enum reg reg)
{
	return reg == VSCONTROL || reg == VSCONTROL_H || virtual_mode(env);
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
	return reg == SCONTROL_H || reg == VSCONTROL_H || reg == MCONTROL_H ? control >> 32 : control;
}

static void write_reg(struct hs_ctr *c, const struct hs_ctr_env *env, enum reg reg, uint64_t value)
{
	const bool half = reg == SCONTROL_H || reg == VSCONTROL_H || reg == MCONTROL_H;
	const bool v = is_vs(env, reg), all = shows_all(reg);
	const uint64_t upper = ~UINT64_C(0xffffffff);

	if (reg == STATUS) {
		ctr_set_status(c, value);
		return;
	}
	if (reg == DEPTH) {
		ctr_set_depth(c, value & 7);
		return;
	}
	if (half)
		value = value << 32 | (ctr_get_control(c, v, all) & ~upper);
	else if (xlen_of(c, env) == 32)
		value = (value & ~upper) | (ctr_get_control(c, v, all) & upper);
	ctr_set_control(c, v, all, !v || virtual_mode(env), value);
}

enum hs_ctr_answer hs_ctr_read(const struct hs_ctr *c, const struct hs_ctr_env *env, unsigned csr,
                               uint64_t *value)
{
	const enum reg reg = reg_of(c, csr);
	enum hs_ctr_answer answer = HS_CTR_NOT_MINE;
	unsigned index = 0;
	uint64_t read = 0;

	if (reg != NO_REG) {
		answer = may_access(c, env, csr, reg);
		if (answer == HS_CTR_OK)
			read = read_reg(c, env, reg);
	} else if (window(csr) >= 0) {
		answer = may_window(c, env, csr, &index);
		if (answer == HS_CTR_OK)
			read = ctr_get_entry(c, index, (unsigned)window(csr) - 1);
	}
	if (answer == HS_CTR_OK)
		*value = xlen_of(c, env) == 32 ? read & UINT32_MAX : read;
	return answer;
}

enum hs_ctr_answer hs_ctr_write(struct hs_ctr *c, const struct hs_ctr_env *env, unsigned csr,
                                uint64_t value)
{
	const enum reg reg = reg_of(c, csr);
	enum hs_ctr_answer answer = HS_CTR_NOT_MINE;
	unsigned index = 0;

	if (reg != NO_REG) {
		answer = may_access(c, env, csr, reg);
		if (answer == HS_CTR_OK)
			write_reg(c, env, reg, value);
	} else if (window(csr) >= 0) {
		answer = may_window(c, env, csr, &index);
		if (answer == HS_CTR_OK)
			ctr_put_entry(c, index, (unsigned)window(csr) - 1, value, xlen_of(c, env));
	}
	return answer;
}

enum hs_ctr_answer hs_ctr_clear(struct hs_ctr *c, const struct hs_ctr_env *env)
{
	const uint64_t bit = ctr_profile(c)->stateen;
	enum hs_ctr_answer answer;

	if (c->config.version != HS_CTR_1_0)
		return HS_CTR_NOT_MINE;
	if (!has_mode(c, env->priv) || !machine_lets(c, env, bit))
		return HS_CTR_ILLEGAL;
	answer = by_mode(c, env, 1, bit);
	if (answer == HS_CTR_OK)
		ctr_zero_entries(c);
	return answer;
}
