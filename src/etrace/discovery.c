/* The discovery record: parameters that an encoder tells of itself (PT 3.1.5). */
#include <hartscope/etrace.h>

#include "base/mem.h"

#define POWER 255

static const struct param {
	const char *name;
	uint8_t width, base;
	uint16_t least, most;
} params[HS_ETD_COUNT] = {
#define HS_ET_PARAM(id, name, width, base, least, most) [HS_ETD_##id] = { name, width, base, least, most },
#include <hartscope/tables/et_params.def>
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

/* What stands in the record for a value, and back. */
static uint32_t coded(const struct param *p, uint32_t value)
{
	return p->base != POWER ? value - p->base : value >> 6;
}

static uint32_t meant(const struct param *p, uint32_t code)
{
	return p->base != POWER ? code + p->base : 32u << code;
}

enum hs_status hs_et_discovery_put(const struct hs_et_discovery *d, uint32_t image[HS_ET_DISCOVERY_WORDS])
{
	const enum hs_status s = hs_et_discovery_check(d);
	unsigned at = 0;

	if (s != HS_OK)
		return s;
	memset(image, 0, HS_ET_DISCOVERY_WORDS * sizeof *image);
	for (unsigned i = 0; i < HS_ETD_COUNT; i++)
		for (unsigned bit = 0; bit < params[i].width; bit++, at++)
			image[at / 32] |= (coded(&params[i], d->value[i]) >> bit & 1u) << at % 32;
	return HS_OK;
}

enum hs_status hs_et_discovery_get(struct hs_et_discovery *d, const uint32_t image[HS_ET_DISCOVERY_WORDS])
{
	struct hs_et_discovery found = { { 0 } };
	unsigned at = 0;

	for (unsigned i = 0; i < HS_ETD_COUNT; i++) {
		uint32_t code = 0;

		for (unsigned bit = 0; bit < params[i].width; bit++, at++)
			code |= (image[at / 32] >> at % 32 & 1u) << bit;
		found.value[i] = meant(&params[i], code);
	}
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
	const enum hs_status s = hs_et_discovery_check(d);

	if (s != HS_OK)
		return s;
	if (v[HS_ETD_IADDRESS_WIDTH] > 64 || v[HS_ETD_IADDRESS_LSB] > 2)
		return HS_E_UNSUPPORTED;
	c->context_width = (uint8_t)v[HS_ETD_CONTEXT_WIDTH];
	c->ecause_width = (uint8_t)v[HS_ETD_ECAUSE_WIDTH];
	c->iaddress_lsb = (uint8_t)v[HS_ETD_IADDRESS_LSB];
	c->iaddress_width = (uint8_t)v[HS_ETD_IADDRESS_WIDTH];
	c->nocontext = (uint8_t)v[HS_ETD_NOCONTEXT];
	c->notval = (uint8_t)v[HS_ETD_NOTVAL];
	c->privilege_width = (uint8_t)v[HS_ETD_PRIVILEGE_WIDTH];
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
	const uint32_t image[HS_ET_DISCOVERY_WORDS] = { (uint32_t)record, (uint32_t)(record >> 32) };

	return p->form == HS_ET_FORM_DISCOVERY ? hs_et_discovery_get(d, image) : HS_E_ARG;
}
