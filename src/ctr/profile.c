/* The two versions of the text as data: where each has the fields that both have. */
#include "ctr/private.h"

/* All of them have the same names in both versions. */
#define FIELDS(version) \
	.m = HS_CTR_BITS(version, CONTROL, M), \
	.s = HS_CTR_BITS(version, CONTROL, S), \
	.u = HS_CTR_BITS(version, CONTROL, U), \
	.mte = HS_CTR_BITS(version, CONTROL, MTE), \
	.ste = HS_CTR_BITS(version, CONTROL, STE), \
	.rasemu = HS_CTR_BITS(version, CONTROL, RASEMU), \
	.bpfrz = HS_CTR_BITS(version, CONTROL, BPFRZ), \
	.lcofifrz = HS_CTR_BITS(version, CONTROL, LCOFIFRZ), \
	.frozen = HS_CTR_BITS(version, STATUS, FROZEN), \
	.stateen = HS_CTR_BITS(version, STATEEN, CTR), \
	.enable = { \
		[HS_PRIV_U] = HS_CTR_BITS(version, CONTROL, U), \
		[HS_PRIV_S] = HS_CTR_BITS(version, CONTROL, S), \
		[HS_PRIV_M] = HS_CTR_BITS(version, CONTROL, M), \
		[HS_PRIV_VU] = HS_CTR_BITS(version, CONTROL, U), \
		[HS_PRIV_VS] = HS_CTR_BITS(version, CONTROL, S), \
	}

const struct ctr_profile ctr_profiles[2] = {
	{
		FIELDS(1_0),
		.codes = {
#define HS_CTR_DEPTH(entries, draft, ratified) ratified,
#include "ctr/ctr_depths.def"
#undef HS_CTR_DEPTH
		},
	},
	{
		FIELDS(0_1_4),
		.clr = HS_CTR_BITS(0_1_4, CONTROL, CLR),
		.eten = HS_CTR_BITS(0_1_4, CONTROL, ETEN),
		.wrap = HS_CTR_BITS(0_1_4, STATUS, WRAP),
		.codes = {
#define HS_CTR_DEPTH(entries, draft, ratified) draft,
#include "ctr/ctr_depths.def"
#undef HS_CTR_DEPTH
		},
		.mireg = true,
		.target_only = true,
	},
};

unsigned hs_ctr_stateen_bit(enum hs_ctr_version version)
{
	return version == HS_CTR_0_1_4 ? HS_CTR_LSB_0_1_4_STATEEN_CTR : HS_CTR_LSB_1_0_STATEEN_CTR;
}
