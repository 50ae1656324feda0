/* Trace control registers of an E-Trace encoder, as its parameters and back (ET Control; TCI 6). */
#include "device/device.h"
#include "trace/etrace.h"

static uint32_t reg(const struct hs_tc_regs *r, unsigned field)
{
	return hs_tc_get(r, HS_TC_ENCODER, field);
}

static bool reg_known(const struct hs_tc_regs *r, unsigned field)
{
	return hs_tc_known(r, HS_TC_ENCODER, field);
}

/* ET Optional Modes: "Hardcode to 6" from 2.1 on, to 7 before; TCI 11.1: 3 or 6 (errata.md,
 * TCI-1). */
static bool is_inst_mode(uint32_t mode)
{
	return mode == 0 || mode == 3 || mode == 6 || mode == 7;
}

/* trTeFormat 0 is E-Trace, trTeProtocolMajor 0 its version 2. */
static enum hs_status registers_check(const struct hs_tc_regs *r)
{
	if (!hs_tc_is_supported(r, HS_TC_ENCODER))
		return HS_E_UNSUPPORTED;
	if (reg_known(r, HS_TCF_TE_FORMAT) &&
	    (reg(r, HS_TCF_TE_FORMAT) != 0 || !is_inst_mode(reg(r, HS_TCF_TE_INST_MODE))))
		return HS_E_UNSUPPORTED;
	if (reg_known(r, HS_TCF_TE_PROTOCOL_MAJOR) && reg(r, HS_TCF_TE_PROTOCOL_MAJOR) != 0)
		return HS_E_UNSUPPORTED;
	return reg(r, HS_TCF_TE_SRC_BITS) <= 12 ? HS_OK : HS_E_CONFIG;
}

static void set_features(struct etrace_config *c, const struct hs_tc_regs *r)
{
	c->full_address = (uint8_t)reg(r, HS_TCF_TE_INST_NO_ADDR_DIFF);
	c->implicit_except = (uint8_t)reg(r, HS_TCF_TE_INST_NO_TRAP_ADDR);
	c->si_jump = (uint8_t)reg(r, HS_TCF_TE_INST_EN_SEQUENTIAL_JUMP);
	c->implicit_return = (uint8_t)reg(r, HS_TCF_TE_INST_EN_IMPLICIT_RETURN);
	c->branch_prediction = (uint8_t)reg(r, HS_TCF_TE_INST_EN_BRANCH_PREDICTION);
	c->jump_target_cache = (uint8_t)reg(r, HS_TCF_TE_INST_EN_JUMP_TARGET_CACHE);
	c->et.sijump |= c->si_jump;
	c->et.src_bits = reg(r, HS_TCF_TE_INHIBIT_SRC) ? 0 : (uint8_t)reg(r, HS_TCF_TE_SRC_BITS);
	c->et.src_id = (uint16_t)(reg(r, HS_TCF_TE_SRC_ID) & ((1u << c->et.src_bits) - 1));
}

/* Of trTeDataAddrCompress E-Trace has differences; "XOR" is of no packet (ET Load and Store). */
static enum hs_status set_data(struct etrace_config *c, const struct hs_tc_regs *r)
{
	if (!reg_known(r, HS_TCF_TE_DATA_IMPLEMENTED))
		return HS_OK;
	c->et.data_trace = (uint8_t)reg(r, HS_TCF_TE_DATA_IMPLEMENTED);
	if (!c->et.data_trace)
		return HS_OK;
	c->data.no_data = (uint8_t)reg(r, HS_TCF_TE_DATA_NO_VALUE);
	c->data.no_address = (uint8_t)reg(r, HS_TCF_TE_DATA_NO_ADDR);
	c->data.full_address = reg(r, HS_TCF_TE_DATA_ADDR_COMPRESS) == 0;
	return reg(r, HS_TCF_TE_DATA_ADDR_COMPRESS) == 1 ? HS_E_UNSUPPORTED : HS_OK;
}

/* Sinks send sequences (EE Synchronization). */
static const struct {
	uint8_t component;
	uint16_t field;
} async_freqs[] = {
	{ HS_TC_RAM, HS_TCF_RAM_ASYNC_FREQ },
	{ HS_TC_PIB, HS_TCF_PIB_ASYNC_FREQ },
	{ HS_TC_ATB, HS_TCF_ATB_ASYNC_FREQ },
};

/* Of several sinks, the first one that sends any. */
static void set_async_freq(struct etrace_config *c, const struct hs_tc_regs *r)
{
	uint32_t freq = 0;
	bool any = false;

	for (size_t i = 0; i < sizeof(async_freqs) / sizeof(*async_freqs); i++) {
		any |= hs_tc_known(r, async_freqs[i].component, async_freqs[i].field);
		if (!freq)
			freq = hs_tc_get(r, async_freqs[i].component, async_freqs[i].field);
	}
	if (any)
		c->et.async_freq = (uint8_t)freq;
}

/* Registers do not have everything: the sizes of tables come from elsewhere. */
enum hs_status protocol_et_take_registers(void *config, const struct hs_tc_regs *registers)
{
	const enum hs_status s = registers_check(registers);
	struct etrace_config *c = config;

	if (s != HS_OK)
		return s;
	if (reg_known(registers, HS_TCF_TE_PROTOCOL_MINOR) &&
	    reg(registers, HS_TCF_TE_PROTOCOL_MINOR)) /* errata.md, TCI-8 */
		c->et.version = HS_ET_2_1;
	if (reg_known(registers, HS_TCF_TE_INST_SYNC_MODE)) {
		c->et.sync_mode = (uint8_t)reg(registers, HS_TCF_TE_INST_SYNC_MODE);
		c->et.sync_max = (uint8_t)reg(registers, HS_TCF_TE_INST_SYNC_MAX);
	}
	if (reg_known(registers, HS_TCF_TE_SRC_BITS))
		set_features(c, registers);
	if (reg_known(registers, HS_TCF_TS_ENABLE))
		c->et.tstamp_bytes = reg(registers, HS_TCF_TS_ENABLE)
		                             ? (uint8_t)((reg(registers, HS_TCF_TS_WIDTH) + 7) / 8)
		                             : 0;
	set_async_freq(c, registers);
	return set_data(c, registers);
}

/* ---- parameters to registers --------------------------------------------------------- */

static void set_reg(struct hs_tc_regs *r, unsigned field, uint32_t value)
{
	tc_put(r, HS_TC_ENCODER, field, value);
}

/* trAtbBridgeAsyncFreq is in trAtbBridgeImpl, next to what only can be read: its version and type
 * are for those who read what is printed. */
static void put_async_freq(struct hs_tc_regs *r, const struct etrace_config *c)
{
	for (size_t i = 0; i < sizeof(async_freqs) / sizeof(*async_freqs); i++)
		tc_put(r, async_freqs[i].component, async_freqs[i].field, c->et.async_freq);
	tc_put(r, HS_TC_ATB, HS_TCF_ATB_VER_MAJOR, 1);
	tc_put(r, HS_TC_ATB, HS_TCF_ATB_COMP_TYPE, hs_tc_field_at(HS_TCF_ATB_COMP_TYPE)->value);
}

static void put_features(struct hs_tc_regs *r, const struct etrace_config *c)
{
	set_reg(r, HS_TCF_TE_INST_NO_ADDR_DIFF, c->full_address);
	set_reg(r, HS_TCF_TE_INST_NO_TRAP_ADDR, c->implicit_except);
	set_reg(r, HS_TCF_TE_INST_EN_SEQUENTIAL_JUMP, c->si_jump);
	set_reg(r, HS_TCF_TE_INST_EN_IMPLICIT_RETURN, c->implicit_return);
	set_reg(r, HS_TCF_TE_INST_EN_BRANCH_PREDICTION, c->branch_prediction);
	set_reg(r, HS_TCF_TE_INST_EN_JUMP_TARGET_CACHE, c->jump_target_cache);
	set_reg(r, HS_TCF_TE_SRC_BITS, c->et.src_bits);
	set_reg(r, HS_TCF_TE_SRC_ID, c->et.src_id);
}

static void put_data(struct hs_tc_regs *r, const struct etrace_config *c)
{
	if (!c->et.data_trace)
		return;
	set_reg(r, HS_TCF_TE_DATA_IMPLEMENTED, 1);
	set_reg(r, HS_TCF_TE_DATA_TRACING, 1);
	set_reg(r, HS_TCF_TE_DATA_NO_VALUE, c->data.no_data);
	set_reg(r, HS_TCF_TE_DATA_NO_ADDR, c->data.no_address);
	set_reg(r, HS_TCF_TE_DATA_ADDR_COMPRESS, c->data.full_address ? 0 : 2);
}

/* In trTeImpl, whose version and type are as in trAtbBridgeImpl. */
static void put_protocol(struct hs_tc_regs *r, const struct etrace_config *c)
{
	if (c->et.version != HS_ET_2_1)
		return;
	set_reg(r, HS_TCF_TE_VER_MAJOR, 1);
	set_reg(r, HS_TCF_TE_COMP_TYPE, hs_tc_field_at(HS_TCF_TE_COMP_TYPE)->value);
	set_reg(r, HS_TCF_TE_PROTOCOL_MINOR, 1);
}

/* trTsWidth is for those who read what is printed: a device ignores it. */
enum hs_status protocol_et_put_registers(const void *config, struct hs_tc_regs *registers)
{
	const struct etrace_config *c = config;
	const unsigned bits = 8u * c->et.tstamp_bytes;

	if (protocol_et_check(config, CODEC_CHECK_ALL, NULL) != HS_OK)
		return HS_E_CONFIG;
	if (c->et.sync_max > 15 || c->et.src_bits > 12 || c->et.version == HS_ET_0_026)
		return HS_E_UNSUPPORTED;
	set_reg(registers, HS_TCF_TE_INST_MODE, 6);
	set_reg(registers, HS_TCF_TE_INST_SYNC_MODE, c->et.sync_mode);
	set_reg(registers, HS_TCF_TE_INST_SYNC_MAX, c->et.sync_max);
	set_reg(registers, HS_TCF_TE_FORMAT, 0);
	put_protocol(registers, c);
	put_features(registers, c);
	put_data(registers, c);
	put_async_freq(registers, c);
	set_reg(registers, HS_TCF_TS_ACTIVE, bits != 0);
	set_reg(registers, HS_TCF_TS_ENABLE, bits != 0);
	set_reg(registers, HS_TCF_TS_COUNT, bits != 0);
	set_reg(registers, HS_TCF_TS_MODE, bits ? HS_TC_SYSTEM : 0);
	set_reg(registers, HS_TCF_TS_WIDTH, bits < 63 ? bits : 63);
	return HS_OK;
}
