/* Attributes that a ratified encoder tells of itself (ET Discovery, Example ipxact description). */
#include <hartscope/etrace.h>

#include "base/mem.h"

static const struct attribute {
	const char *name;
	uint8_t at, width, base, standard; /* at: bit of both registers, one behind the other */
} attributes[HS_ETA_COUNT] = {
#define HS_ET_ATTRIBUTE(id, name, reg, bit, width, base, standard) [HS_ETA_##id] = { name, 64 * (reg) + (bit), width, base, standard },
#include <hartscope/tables/et_attributes.def>
#undef HS_ET_ATTRIBUTE
};

const char *hs_et_attribute_name(unsigned attribute)
{
	return attribute < HS_ETA_COUNT ? attributes[attribute].name : "?";
}

void hs_et_attributes_init(struct hs_et_attributes *a)
{
	for (unsigned i = 0; i < HS_ETA_COUNT; i++)
		a->value[i] = attributes[i].standard;
}

enum hs_status hs_et_attributes_check(const struct hs_et_attributes *a)
{
	const uint32_t *v = a->value;

	for (unsigned i = 0; i < HS_ETA_COUNT; i++)
		if (v[i] < attributes[i].base || v[i] - attributes[i].base >= 1u << attributes[i].width)
			return HS_E_CONFIG;
	if ((v[HS_ETA_ITYPE_WIDTH] != 3 && v[HS_ETA_ITYPE_WIDTH] != 4) || v[HS_ETA_ECAUSE_CHOICE] > v[HS_ETA_ECAUSE_WIDTH] + 1 ||
	    v[HS_ETA_IADDRESS_LSB] > v[HS_ETA_IADDRESS_WIDTH] || (v[HS_ETA_CALL_COUNTER_SIZE] && v[HS_ETA_RETURN_STACK_SIZE]))
		return HS_E_CONFIG;
	return HS_OK;
}

enum hs_status hs_et_attributes_put(const struct hs_et_attributes *a, uint32_t image[HS_ET_ATTRIBUTE_WORDS])
{
	const enum hs_status s = hs_et_attributes_check(a);

	if (s != HS_OK)
		return s;
	memset(image, 0, HS_ET_ATTRIBUTE_WORDS * sizeof *image);
	for (unsigned i = 0; i < HS_ETA_COUNT; i++)
		for (unsigned bit = 0; bit < attributes[i].width; bit++) {
			const unsigned at = attributes[i].at + bit;

			image[at / 32] |= ((a->value[i] - attributes[i].base) >> bit & 1u) << at % 32;
		}
	return HS_OK;
}

enum hs_status hs_et_attributes_get(struct hs_et_attributes *a, const uint32_t image[HS_ET_ATTRIBUTE_WORDS])
{
	struct hs_et_attributes found;

	for (unsigned i = 0; i < HS_ETA_COUNT; i++) {
		uint32_t code = 0;

		for (unsigned bit = 0; bit < attributes[i].width; bit++) {
			const unsigned at = attributes[i].at + bit;

			code |= (image[at / 32] >> at % 32 & 1u) << bit;
		}
		found.value[i] = code + attributes[i].base;
	}
	if (hs_et_attributes_check(&found) != HS_OK)
		return HS_E_FIELD;
	memcpy(a, &found, sizeof found);
	return HS_OK;
}

enum hs_status hs_et_attributes_config(const struct hs_et_attributes *a, struct hs_et_config *c)
{
	const uint32_t *v = a->value;
	const enum hs_status s = hs_et_attributes_check(a);

	if (s != HS_OK)
		return s;
	if (v[HS_ETA_BPRED_SIZE] > HS_ET_BPRED_MAX || v[HS_ETA_CACHE_SIZE] > HS_ET_CACHE_MAX ||
	    v[HS_ETA_CALL_COUNTER_SIZE] > HS_ET_RETURN_MAX || v[HS_ETA_RETURN_STACK_SIZE] > HS_ET_RETURN_MAX ||
	    v[HS_ETA_IADDRESS_WIDTH] > 64 || v[HS_ETA_IADDRESS_LSB] > 2 || v[HS_ETA_F0S_WIDTH] > 2)
		return HS_E_UNSUPPORTED;
	c->arch = (uint8_t)v[HS_ETA_ARCH];
	c->bpred_size = (uint8_t)v[HS_ETA_BPRED_SIZE];
	c->cache_size = (uint8_t)v[HS_ETA_CACHE_SIZE];
	c->call_counter_size = (uint8_t)v[HS_ETA_CALL_COUNTER_SIZE];
	c->return_stack_size = (uint8_t)v[HS_ETA_RETURN_STACK_SIZE];
	c->context_width = (uint8_t)v[HS_ETA_CONTEXT_WIDTH];
	c->ecause_width = (uint8_t)v[HS_ETA_ECAUSE_WIDTH];
	c->f0s_width = (uint8_t)v[HS_ETA_F0S_WIDTH];
	c->iaddress_lsb = (uint8_t)v[HS_ETA_IADDRESS_LSB];
	c->iaddress_width = (uint8_t)v[HS_ETA_IADDRESS_WIDTH];
	c->itype_width = (uint8_t)v[HS_ETA_ITYPE_WIDTH];
	c->nocontext = (uint8_t)v[HS_ETA_NOCONTEXT];
	c->privilege_width = (uint8_t)v[HS_ETA_PRIVILEGE_WIDTH];
	c->sijump = (uint8_t)v[HS_ETA_SIJUMP];
	return HS_OK;
}
