/* The discovery record: parameters by which an encoder of 0.026 describes itself (PT 3.1.5). */

#include "core/config.h"
#include "etrace/et_discovery.h"
#include "etrace/registers.h"

#define POWER 255

static const struct param {
	const char *name;
	uint8_t width, base;
	uint16_t least, most;
} params[HS_ETD_COUNT] = {
#define HS_ET_PARAM(id, name, width, base, least, most) \
	[HS_ETD_##id] = { name, width, base, least, most },
#include "etrace/et_params.def"
#undef HS_ET_PARAM
};

const char *hs_et_param_name(unsigned param)
{
	return param < HS_ETD_COUNT ? params[param].name : "?";
}

enum hs_status hs_et_discovery_check(const struct hs_et_discovery *d)
{
	const uint32_t *v = d->value;
	const uint32_t insn = v[HS_ETD_INSN_WIDTH];

	for (unsigned i = 0; i < HS_ETD_COUNT; i++)
		if (v[i] < params[i].least || v[i] > params[i].most)
			return HS_E_CONFIG;
	if ((insn & (insn - 1)) || v[HS_ETD_IADDRESS_LSB] >= v[HS_ETD_IADDRESS_WIDTH] ||
	    v[HS_ETD_ECAUSE_CHOICE] > v[HS_ETD_ECAUSE_WIDTH] ||
	    (v[HS_ETD_RV32] && v[HS_ETD_IADDRESS_WIDTH] > 32))
		return HS_E_CONFIG;
	return HS_OK;
}

/* The record's field for a value, and back. */
static uint32_t field_of(const struct param *p, uint32_t value)
{
	return p->base != POWER ? value - p->base : value >> 6;
}

static uint32_t value_of(const struct param *p, uint32_t code)
{
	return p->base != POWER ? code + p->base : 32u << code;
}

enum hs_status hs_et_discovery_put(const struct hs_et_discovery *d,
                                   uint32_t image[HS_ET_DISCOVERY_WORDS])
{
	const enum hs_status s = hs_et_discovery_check(d);
	unsigned at = 0;

	if (s != HS_OK)
		return s;
	memset(image, 0, HS_ET_DISCOVERY_WORDS * sizeof *image);
	for (unsigned i = 0; i < HS_ETD_COUNT; at += params[i++].width)
		et_set_field(image, at, params[i].width, field_of(&params[i], d->value[i]));
	return HS_OK;
}

enum hs_status hs_et_discovery_get(struct hs_et_discovery *d,
                                   const uint32_t image[HS_ET_DISCOVERY_WORDS])
{
	struct hs_et_discovery found = { { 0 } };
	unsigned at = 0;

	for (unsigned i = 0; i < HS_ETD_COUNT; at += params[i++].width)
		found.value[i] = value_of(&params[i], et_get_field(image, at, params[i].width));
	for (; at < 32 * HS_ET_DISCOVERY_WORDS; at++)
		if (image[at / 32] >> at % 32 & 1u)
			return HS_E_FIELD;
	if (hs_et_discovery_check(&found) != HS_OK)
		return HS_E_FIELD;
	memcpy(d, &found, sizeof found);
	return HS_OK;
}

enum hs_status hs_et_discovery_config(const struct hs_et_discovery *d, struct hs_et_config *c)
{
	const uint32_t *v = d->value;
	struct hs_et_config own;
	enum hs_status s = hs_et_discovery_check(d);

	if (s == HS_OK && (v[HS_ETD_IADDRESS_WIDTH] > 64 || v[HS_ETD_IADDRESS_LSB] > 2))
		s = HS_E_UNSUPPORTED;
	if (s == HS_OK)
		s = base_take_config(&own, sizeof own, c);
	if (s != HS_OK)
		return s;
	own.context = !v[HS_ETD_NOCONTEXT];
	own.context_width = (uint8_t)v[HS_ETD_CONTEXT_WIDTH];
	own.ecause_width = (uint8_t)v[HS_ETD_ECAUSE_WIDTH];
	own.iaddress_unit = (uint8_t)(1u << v[HS_ETD_IADDRESS_LSB]);
	own.iaddress_width = (uint8_t)v[HS_ETD_IADDRESS_WIDTH];
	own.notval = (uint8_t)v[HS_ETD_NOTVAL];
	own.privilege_width = (uint8_t)v[HS_ETD_PRIVILEGE_WIDTH];
	base_give_config(c, &own);
	return HS_OK;
}

enum hs_status hs_et_discovery_packet(const struct hs_et_discovery *d, struct hs_et_packet *p)
{
	uint32_t image[HS_ET_DISCOVERY_WORDS];
	const enum hs_status s = hs_et_discovery_put(d, image);

	if (s != HS_OK)
		return s;
	memset(p, 0, sizeof *p);
	p->form = HS_ET_FORM_DISCOVERY;
	p->field[HS_ETF_CONTROL_CODE] = 0x34;
	p->field[HS_ETF_SUPPORT_TYPE] = 1;
	p->field[HS_ETF_DISCOVERY] = image[0] | (uint64_t)image[1] << 32;
	return HS_OK;
}

enum hs_status hs_et_discovery_read(const struct hs_et_packet *p, struct hs_et_discovery *d)
{
	const uint64_t record = p->field[HS_ETF_DISCOVERY];
	const uint32_t image[HS_ET_DISCOVERY_WORDS] = { (uint32_t)record,
		                                        (uint32_t)(record >> 32) };

	return p->form == HS_ET_FORM_DISCOVERY ? hs_et_discovery_get(d, image) : HS_E_ARG;
}
