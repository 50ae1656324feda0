/* Attributes by which a ratified encoder describes itself (ET Discovery, Example ipxact
 * description). */

#include "core/config.h"
#include "etrace/et_discovery.h"
#include "etrace/registers.h"
#include "etrace/etrace_data.h"

#define NO_PLACE 128

static const struct attribute {
	const char *name;
	uint8_t at, width, base, standard; /* at: bit of the two registers in a row; NO_PLACE */
} attributes[HS_ETA_COUNT] = {
#define HS_ET_ATTRIBUTE(id, name, reg, bit, width, base, standard) \
	[HS_ETA_##id] = { name, 64 * (reg) + (bit), width, base, standard },
#include "etrace/et_attributes.def"
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
		if (v[i] < attributes[i].base ||
		    v[i] - attributes[i].base >= 1u << attributes[i].width)
			return HS_E_CONFIG;
	if ((v[HS_ETA_ITYPE_WIDTH] != 3 && v[HS_ETA_ITYPE_WIDTH] != 4) ||
	    v[HS_ETA_ECAUSE_CHOICE] > v[HS_ETA_ECAUSE_WIDTH] + 1 ||
	    v[HS_ETA_IADDRESS_LSB] > v[HS_ETA_IADDRESS_WIDTH])
		return HS_E_CONFIG;
	return HS_OK;
}

enum hs_status hs_et_attributes_put(const struct hs_et_attributes *a,
                                    uint32_t image[HS_ET_ATTRIBUTE_WORDS])
{
	const enum hs_status s = hs_et_attributes_check(a);

	if (s != HS_OK)
		return s;
	memset(image, 0, HS_ET_ATTRIBUTE_WORDS * sizeof *image);
	for (unsigned i = 0; i < HS_ETA_COUNT; i++)
		if (attributes[i].at < NO_PLACE)
			et_set_field(image, attributes[i].at, attributes[i].width,
			             a->value[i] - attributes[i].base);
	return HS_OK;
}

enum hs_status hs_et_attributes_get(struct hs_et_attributes *a,
                                    const uint32_t image[HS_ET_ATTRIBUTE_WORDS])
{
	struct hs_et_attributes found;

	memcpy(&found, a, sizeof found);
	for (unsigned i = 0; i < HS_ETA_COUNT; i++)
		if (attributes[i].at < NO_PLACE)
			found.value[i] = attributes[i].base +
			                 et_get_field(image, attributes[i].at, attributes[i].width);
	if (hs_et_attributes_check(&found) != HS_OK)
		return HS_E_FIELD;
	memcpy(a, &found, sizeof found);
	return HS_OK;
}

/* What this library has room for.  Tables of any size that the registers can say are. */
static bool supported(const uint32_t *v)
{
	return v[HS_ETA_IADDRESS_WIDTH] <= 64 && v[HS_ETA_IADDRESS_LSB] <= 2 &&
	       v[HS_ETA_F0S_WIDTH] <= 2;
}

enum hs_status hs_et_attributes_config(const struct hs_et_attributes *a, struct hs_et_config *c)
{
	const uint32_t *v = a->value;
	struct hs_et_config own;
	enum hs_status s = hs_et_attributes_check(a);

	if (s == HS_OK && !supported(v))
		s = HS_E_UNSUPPORTED;
	if (s == HS_OK)
		s = base_take_config(&own, sizeof own, c);
	if (s != HS_OK)
		return s;
	own.arch = (uint8_t)v[HS_ETA_ARCH];
	own.bpred_size = (uint8_t)v[HS_ETA_BPRED_SIZE];
	own.cache_size = (uint8_t)v[HS_ETA_CACHE_SIZE];
	own.call_counter_size = (uint8_t)v[HS_ETA_CALL_COUNTER_SIZE];
	own.return_stack_size = (uint8_t)v[HS_ETA_RETURN_STACK_SIZE];
	own.context = !v[HS_ETA_NOCONTEXT];
	own.context_width = (uint8_t)v[HS_ETA_CONTEXT_WIDTH];
	own.ecause_width = (uint8_t)v[HS_ETA_ECAUSE_WIDTH];
	own.f0s_width = (uint8_t)v[HS_ETA_F0S_WIDTH];
	own.iaddress_unit = (uint8_t)(1u << v[HS_ETA_IADDRESS_LSB]);
	own.iaddress_width = (uint8_t)v[HS_ETA_IADDRESS_WIDTH];
	own.itype_width = (uint8_t)v[HS_ETA_ITYPE_WIDTH];
	own.privilege_width = (uint8_t)v[HS_ETA_PRIVILEGE_WIDTH];
	own.sijump = (uint8_t)v[HS_ETA_SIJUMP];
	own.time = !v[HS_ETA_NOTIME];
	own.time_width = (uint8_t)v[HS_ETA_TIME_WIDTH];
	base_give_config(c, &own);
	return HS_OK;
}

static bool data_supported(const uint32_t *v, unsigned split)
{
	const uint32_t data = v[HS_ETA_DATA_WIDTH], address = v[HS_ETA_DADDRESS_WIDTH];

	return (data == 8 || data == 16 || data == 32 || data == 64) && address >= 4 &&
	       address <= 64 && (!split || v[HS_ETA_LRID_WIDTH] <= HS_ET_LRID_MAX);
}

enum hs_status hs_et_attributes_data_config(const struct hs_et_attributes *a,
                                            struct hs_et_data_config *c)
{
	const uint32_t *v = a->value;
	struct hs_et_data_config own;
	enum hs_status s = hs_et_attributes_check(a);

	if (s == HS_OK)
		s = base_take_config(&own, sizeof own, c);
	if (s == HS_OK && !data_supported(v, own.split))
		s = HS_E_UNSUPPORTED;
	if (s != HS_OK)
		return s;
	own.data_width = (uint8_t)v[HS_ETA_DATA_WIDTH];
	own.daddress_width = (uint8_t)v[HS_ETA_DADDRESS_WIDTH];
	if (own.split)
		own.lrid_width = (uint8_t)v[HS_ETA_LRID_WIDTH];
	base_give_config(c, &own);
	return HS_OK;
}
