/* Fields and depths of both versions by name, from the tables. */
#include <string.h>

#include "ctr_host/explain_private.h"

#define CUSTOM (UINT64_C(0xf) << 60) /* of the control registers, in both versions */

enum kind { K_CONTROL, K_STATUS, K_DEPTH, K_STATEEN, K_SOURCE, K_TARGET, K_DATA };

static const struct field {
	uint8_t version, kind;
	uint64_t bits;
	const char *name;
} fields[] = {
#define HS_CTR_FIELD(version, reg, name, lsb, bits) \
	{ HS_CTR_##version, K_##reg, HS_CTR_BITS(version, reg, name), #name },
#include <hartscope/tables/registers.def>
#undef HS_CTR_FIELD
};
#define FIELDS (sizeof(fields) / sizeof(*fields))

static const struct {
	uint16_t entries;
	uint8_t draft, ratified;
} depths[] = {
#define HS_CTR_DEPTH(entries, draft, ratified) { entries, draft, ratified },
#include "ctr/ctr_depths.def"
#undef HS_CTR_DEPTH
};
#define DEPTHS (sizeof(depths) / sizeof(*depths))

static bool is_of(const struct field *f, enum hs_ctr_version version, enum kind kind)
{
	return f->version == version && f->kind == kind;
}

static uint64_t bits_of(enum hs_ctr_version version, enum kind kind, const char *name)
{
	for (size_t i = 0; i < FIELDS; i++)
		if (is_of(&fields[i], version, kind) && strcmp(fields[i].name, name) == 0)
			return fields[i].bits;
	return 0;
}

uint64_t explain_control_bits(enum hs_ctr_version version, const char *name)
{
	return bits_of(version, K_CONTROL, name);
}

uint64_t explain_status_bits(enum hs_ctr_version version, const char *name)
{
	return bits_of(version, K_STATUS, name);
}

uint64_t explain_control_defined(enum hs_ctr_version version)
{
	uint64_t bits = HS_CTR_FILTERS | CUSTOM;

	for (size_t i = 0; i < FIELDS; i++)
		if (is_of(&fields[i], version, K_CONTROL))
			bits |= fields[i].bits;
	return bits;
}

void explain_control_names(enum hs_ctr_version version, uint64_t bits, struct explain_words *w)
{
	for (size_t i = 0; i < FIELDS; i++)
		if (is_of(&fields[i], version, K_CONTROL) && (bits & fields[i].bits))
			explain_add(w, ", ", fields[i].name);
}

unsigned explain_depth_of(enum hs_ctr_version version, uint64_t code)
{
	for (size_t i = 0; i < DEPTHS; i++)
		if (code == (version == HS_CTR_0_1_4 ? depths[i].draft : depths[i].ratified))
			return depths[i].entries;
	return 0;
}
