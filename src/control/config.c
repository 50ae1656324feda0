/* Registers to the parameters of an N-Trace stream (NT Table 7). */
#include "control/control.h"

#include "base/config.h"

static bool known(const struct hs_tc_regs *r, unsigned field)
{
	return hs_tc_known(r, HS_TC_ENCODER, field);
}

static uint8_t value_of(const struct hs_tc_regs *r, unsigned field)
{
	return (uint8_t)hs_tc_get(r, HS_TC_ENCODER, field);
}

static enum hs_status check_registers(const struct hs_tc_regs *r)
{
	const uint32_t mode = value_of(r, HS_TCF_TE_INST_MODE);

	if (known(r, HS_TCF_TE_FORMAT) && (value_of(r, HS_TCF_TE_FORMAT) != 1 ||
	                                   (mode != 0 && mode != HS_NT_BTM && mode != HS_NT_HTM)))
		return HS_E_UNSUPPORTED;
	if (known(r, HS_TCF_TE_PROTOCOL_MAJOR) && value_of(r, HS_TCF_TE_PROTOCOL_MAJOR) != 1)
		return HS_E_UNSUPPORTED;
	return value_of(r, HS_TCF_TE_SRC_BITS) <= 12 ? HS_OK : HS_E_CONFIG;
}

static void take_control(const struct hs_tc_regs *r, struct hs_nt_config *c)
{
	if (!known(r, HS_TCF_TE_INST_MODE))
		return;
	c->inst_mode = value_of(r, HS_TCF_TE_INST_MODE);
	c->context = value_of(r, HS_TCF_TE_CONTEXT);
	c->stall = value_of(r, HS_TCF_TE_INST_STALL_ENA);
	c->inhibit_src = value_of(r, HS_TCF_TE_INHIBIT_SRC);
	c->sync_mode = value_of(r, HS_TCF_TE_INST_SYNC_MODE);
	c->sync_max = value_of(r, HS_TCF_TE_INST_SYNC_MAX);
}

static void take_features(const struct hs_tc_regs *r, struct hs_nt_config *c)
{
	if (!known(r, HS_TCF_TE_SRC_BITS))
		return;
	c->sequential_jump = value_of(r, HS_TCF_TE_INST_EN_SEQUENTIAL_JUMP);
	/* In NT 9.2 the mode enables it, in TCI 6 the bit: both are needed. */
	c->implicit_return = value_of(r, HS_TCF_TE_INST_EN_IMPLICIT_RETURN)
	                             ? value_of(r, HS_TCF_TE_INST_IMPLICIT_RETURN_MODE)
	                             : 0;
	c->repeated_history = value_of(r, HS_TCF_TE_INST_EN_REPEATED_HISTORY);
	c->all_jumps = value_of(r, HS_TCF_TE_INST_EN_ALL_JUMPS);
	c->extend_addr = value_of(r, HS_TCF_TE_INST_EXTEND_ADDR_MSB);
	c->src_bits = value_of(r, HS_TCF_TE_SRC_BITS);
	/* SRC has that many bits: what does not fit is not sent. */
	c->src_id = (uint16_t)(hs_tc_get(r, HS_TC_ENCODER, HS_TCF_TE_SRC_ID) &
	                       ((1u << c->src_bits) - 1));
}

enum hs_status hs_tc_nt_config(const struct hs_tc_regs *r, struct hs_nt_config *config)
{
	struct hs_nt_config own;
	enum hs_status s = base_take_config(&own, sizeof(own), config);

	if (s == HS_OK)
		s = check_registers(r);
	if (s != HS_OK)
		return s;
	take_control(r, &own);
	take_features(r, &own);
	if (known(r, HS_TCF_TS_ENABLE))
		own.timestamps = value_of(r, HS_TCF_TS_ENABLE);
	base_give_config(config, &own);
	return HS_OK;
}
