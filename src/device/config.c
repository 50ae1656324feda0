/* Registers to the parameters of an N-Trace stream (NT Table 7). */
#include "device/control.h"
#include "device/device.h"

#include "core/config.h"

static bool known(const struct hs_tc_regs *r, unsigned field)
{
	return hs_tc_known(r, HS_TC_ENCODER, field);
}

static uint8_t value_of(const struct hs_tc_regs *r, unsigned field)
{
	return (uint8_t)hs_tc_get(r, HS_TC_ENCODER, field);
}

/* Fields of tr??Impl by component: major version, type. */
static const struct {
	uint16_t major, minor, type;
} versions[HS_TC_COMPONENTS] = {
	[HS_TC_ENCODER] = { HS_TCF_TE_VER_MAJOR, HS_TCF_TE_VER_MINOR, HS_TCF_TE_COMP_TYPE },
	[HS_TC_FUNNEL] = { HS_TCF_FUNNEL_VER_MAJOR, HS_TCF_FUNNEL_VER_MINOR,
	                   HS_TCF_FUNNEL_COMP_TYPE },
	[HS_TC_RAM] = { HS_TCF_RAM_VER_MAJOR, HS_TCF_RAM_VER_MINOR, HS_TCF_RAM_COMP_TYPE },
	[HS_TC_PIB] = { HS_TCF_PIB_VER_MAJOR, HS_TCF_PIB_VER_MINOR, HS_TCF_PIB_COMP_TYPE },
	[HS_TC_ATB] = { HS_TCF_ATB_VER_MAJOR, HS_TCF_ATB_VER_MINOR, HS_TCF_ATB_COMP_TYPE },
};

/* TCI 5, for tools of version 1.0. */
static enum hs_tc_version judge(uint32_t major, uint32_t minor)
{
	if (major == 0)
		return HS_TC_VERSION_OLD;
	if (major > 1)
		return HS_TC_VERSION_FUTURE;
	if (minor == 15)
		return HS_TC_VERSION_EXPERIMENTAL;
	return minor ? HS_TC_VERSION_NEWER : HS_TC_VERSION_GOOD;
}

enum hs_tc_version hs_tc_version_of(const struct hs_tc_regs *r, unsigned component, unsigned *major,
                                    unsigned *minor)
{
	*major = *minor = 0;
	if (component >= HS_TC_COMPONENTS || !hs_tc_known(r, component, versions[component].major))
		return HS_TC_VERSION_NOT_READ;
	const uint32_t type = hs_tc_get(r, component, versions[component].type);

	*major = hs_tc_get(r, component, versions[component].major);
	*minor = hs_tc_get(r, component, versions[component].minor);
	/* Version 0 had no types. */
	if (*major && type != hs_tc_field_at(versions[component].type)->value)
		return HS_TC_VERSION_OTHER_TYPE;
	return judge(*major, *minor);
}

bool hs_tc_is_supported(const struct hs_tc_regs *r, unsigned component)
{
	unsigned major, minor;

	switch (hs_tc_version_of(r, component, &major, &minor)) {
	case HS_TC_VERSION_OLD:
	case HS_TC_VERSION_FUTURE:
	case HS_TC_VERSION_OTHER_TYPE:
		return false;
	default:
		return true;
	}
}

static enum hs_status check_registers(const struct hs_tc_regs *r)
{
	const uint32_t mode = value_of(r, HS_TCF_TE_INST_MODE);

	if (!hs_tc_is_supported(r, HS_TC_ENCODER))
		return HS_E_UNSUPPORTED;
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

/* The bit enables it (TCI 6).  Mode 0 is then an implementation that does not report its way: of
 * the three, comparing full addresses is right for a decoder whatever the encoder compares, since
 * the decoder goes by the evidence (design/nt-decoder, design/trace-devices). */
static uint8_t implicit_return(const struct hs_tc_regs *r)
{
	const uint8_t mode = value_of(r, HS_TCF_TE_INST_IMPLICIT_RETURN_MODE);

	if (!value_of(r, HS_TCF_TE_INST_EN_IMPLICIT_RETURN))
		return 0;
	return mode ? mode : 3;
}

static void take_features(const struct hs_tc_regs *r, struct hs_nt_config *c)
{
	if (!known(r, HS_TCF_TE_SRC_BITS))
		return;
	c->sequential_jump = value_of(r, HS_TCF_TE_INST_EN_SEQUENTIAL_JUMP);
	c->implicit_return = implicit_return(r);
	c->repeated_history = value_of(r, HS_TCF_TE_INST_EN_REPEATED_HISTORY);
	c->all_jumps = value_of(r, HS_TCF_TE_INST_EN_ALL_JUMPS);
	c->extend_addr = value_of(r, HS_TCF_TE_INST_EXTEND_ADDR_MSB);
	c->src_bits = value_of(r, HS_TCF_TE_SRC_BITS);
	/* SRC has that many bits: what does not fit is not sent. */
	c->src_id = (uint16_t)(hs_tc_get(r, HS_TC_ENCODER, HS_TCF_TE_SRC_ID) &
	                       ((1u << c->src_bits) - 1));
}

/* 63 is all that trTsWidth can say of a counter of 64 bits (TCI-4). */
static void take_times(const struct hs_tc_regs *r, struct hs_nt_config *c)
{
	if (!known(r, HS_TCF_TS_ENABLE))
		return;
	const uint8_t width = value_of(r, HS_TCF_TS_WIDTH);

	c->timestamps = value_of(r, HS_TCF_TS_ENABLE);
	c->tstamp_bits = c->timestamps && width < 63 ? width : 0;
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
	take_times(r, &own);
	base_give_config(config, &own);
	return HS_OK;
}
