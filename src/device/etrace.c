/* An E-Trace encoder with the registers of a device (ET Control). */
#include "device/device.h"

#include "core/config.h"
#include "etrace/etrace.h"
#include "etrace/etrace_data.h"

static uint32_t field_of(const struct hs_tc_regs *r, unsigned field)
{
	return hs_tc_get(r, HS_TC_ENCODER, field);
}

static uint8_t options_of(const struct hs_tc_regs *r)
{
	static const struct {
		uint16_t field;
		uint8_t option;
	} options[] = {
		{ HS_TCF_TE_INST_NO_ADDR_DIFF, HS_ET_FULL_ADDRESS },
		{ HS_TCF_TE_INST_NO_TRAP_ADDR, HS_ET_IMPLICIT_EXCEPT },
		{ HS_TCF_TE_INST_EN_SEQUENTIAL_JUMP, HS_ET_SIJUMP },
		{ HS_TCF_TE_INST_EN_IMPLICIT_RETURN, HS_ET_IMPLICIT_RETURN },
		{ HS_TCF_TE_INST_EN_BRANCH_PREDICTION, HS_ET_BRANCH_PREDICTION },
		{ HS_TCF_TE_INST_EN_JUMP_TARGET_CACHE, HS_ET_JUMP_TARGET_CACHE },
	};
	uint8_t all = 0;

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		all |= field_of(r, options[i].field) ? options[i].option : 0;
	return all;
}

static void take_registers(const struct hs_tc_regs *r, struct hs_et_config *c)
{
	c->options = options_of(r);
	c->sync_mode = (uint8_t)field_of(r, HS_TCF_TE_INST_SYNC_MODE);
	c->sync_max = (uint8_t)field_of(r, HS_TCF_TE_INST_SYNC_MAX);
	c->src_bits = field_of(r, HS_TCF_TE_INHIBIT_SRC)
	                      ? 0
	                      : (uint8_t)field_of(r, HS_TCF_TE_SRC_BITS);
	c->src_id = (uint16_t)(field_of(r, HS_TCF_TE_SRC_ID) & ((1u << c->src_bits) - 1));
	c->tstamp_bytes = field_of(r, HS_TCF_TS_ENABLE)
	                          ? (uint8_t)((field_of(r, HS_TCF_TS_WIDTH) + 7) / 8)
	                          : 0;
	c->stall = (uint8_t)field_of(r, HS_TCF_TE_INST_STALL_ENA);
	if (field_of(r, HS_TCF_TE_DATA_IMPLEMENTED))
		c->data_trace = 1;
}

enum hs_status hs_dev_et_config(const struct hs_tc_regs *r, struct hs_et_config *config)
{
	struct hs_et_config own;

	if (base_take_config(&own, sizeof(own), config) != HS_OK)
		return HS_E_CONFIG;
	if (!hs_tc_is_supported(r, HS_TC_ENCODER) || field_of(r, HS_TCF_TE_FORMAT) != 0)
		return HS_E_UNSUPPORTED;
	if (field_of(r, HS_TCF_TE_SRC_BITS) > 12)
		return HS_E_CONFIG;
	take_registers(r, &own);
	if (hs_et_config_check(&own) != HS_OK)
		return HS_E_CONFIG;
	base_give_config(config, &own);
	return HS_OK;
}

enum hs_status hs_dev_et_data_config(const struct hs_tc_regs *r, struct hs_et_data_config *config)
{
	const uint32_t compress = field_of(r, HS_TCF_TE_DATA_ADDR_COMPRESS);
	struct hs_et_data_config own;
	struct hs_et_data_coder coder;

	if (base_take_config(&own, sizeof(own), config) != HS_OK)
		return HS_E_CONFIG;
	if (!field_of(r, HS_TCF_TE_DATA_IMPLEMENTED) || compress == 1)
		return HS_E_UNSUPPORTED;
	own.no_data = (uint8_t)field_of(r, HS_TCF_TE_DATA_NO_VALUE);
	own.no_address = (uint8_t)field_of(r, HS_TCF_TE_DATA_NO_ADDR);
	own.full_address = compress == 0;
	if (hs_et_data_init(&coder, &own) != HS_OK)
		return HS_E_CONFIG;
	base_give_config(config, &own);
	return HS_OK;
}

/* False: there is data trace, and it cannot be had. */
static bool start_data(struct hs_dev_etrace *e, const struct hs_tc_regs *regs)
{
	struct hs_et_data_config c = e->data;

	c.size = c.size ? c.size : sizeof(c);
	e->regs = regs;
	e->data_on = false;
	if (!field_of(regs, HS_TCF_TE_DATA_IMPLEMENTED))
		return true;
	return hs_dev_et_data_config(regs, &c) == HS_OK && hs_et_data_init(&e->coder, &c) == HS_OK;
}

static bool start_encoder(void *user, const struct hs_tc_regs *regs)
{
	struct hs_dev_etrace *e = user;
	struct hs_et_config c = e->config;

	return hs_dev_et_config(regs, &c) == HS_OK && start_data(e, regs) &&
	       hs_et_encoder_init(&e->encoder, &c, e->tables, sizeof(e->tables)) == HS_OK;
}

/* trTeDataTracing may change at any time; denable of a support packet follows it.  Where trTeEnable
 * ends both, the packet for the end of instruction trace is the last. */
static enum hs_status follow_data_tracing(struct hs_dev_etrace *e)
{
	const bool on = field_of(e->regs, HS_TCF_TE_DATA_TRACING);

	if (on == e->data_on || !field_of(e->regs, HS_TCF_TE_ENABLE))
		return HS_OK;
	e->data_on = on;
	return hs_et_encoder_set_data(&e->encoder, on ? &e->coder : NULL);
}

static enum hs_status encode_item(void *user, const struct hs_block *b, uint8_t *out, size_t cap,
                                  size_t *len)
{
	struct hs_dev_etrace *e = user;
	const enum hs_status s = follow_data_tracing(e);
	size_t used;

	*len = 0;
	return s == HS_OK ? hs_et_encode(&e->encoder, b, 1, &used, out, cap, len) : s;
}

static void lose_packets(void *user)
{
	hs_et_encoder_lost(&((struct hs_dev_etrace *)user)->encoder);
}

static void lose_access(void *user)
{
	hs_et_encoder_lost_data(&((struct hs_dev_etrace *)user)->encoder);
}

const struct hs_tc_codec dev_etrace_codec = { start_encoder, encode_item, lose_packets,
	                                      lose_access };
