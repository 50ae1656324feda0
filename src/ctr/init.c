/* Which configurations a hart may have, and which fields its control registers then have. */
#include "core/config.h"
#include "ctr/private.h"

#define ALL_DEPTHS 0x1fu
#define ALL_PARTS (HS_CTR_NO_U | HS_CTR_NO_S | HS_CTR_NO_H | HS_CTR_NO_SMSTATEEN | \
                   HS_CTR_NO_SSCOFPMF | HS_CTR_NO_MISP | HS_CTR_NO_TYPE | HS_CTR_NO_CC)
#define SETTLED \
	(HS_CTR_TYPE6 | HS_CTR_V_AS_1_0 | HS_CTR_FREEZE_AS_1_0 | HS_CTR_PRESERVE | \
	 HS_CTR_KEEP_UPPER) /* choices of 0.1.4 that 1.0 has settled */
#define LEAST_ADDRESS 12    /* fewest bits of an address */
#define PHYSICAL_BITS 56 /* of Sv39 to Sv57: the most that RV64 has */
#define ALL_OPTIONS (SETTLED | HS_CTR_POISON | HS_CTR_RAS_NO_CC)

static bool lacks(const struct hs_ctr_config *k, uint32_t part)
{
	return k->without & part;
}

static uint64_t required_fields(const struct hs_ctr_config *k)
{
	const struct ctr_profile *p = ctr_profile_of(k);
	uint64_t bits = p->m;

	if (!lacks(k, HS_CTR_NO_S))
		bits |= p->s;
	if (!lacks(k, HS_CTR_NO_U))
		bits |= p->u;
	if (k->version == HS_CTR_1_0)
		bits |= p->bpfrz | (!lacks(k, HS_CTR_NO_SSCOFPMF) ? p->lcofifrz : 0);
	return bits;
}

uint64_t ctr_fields(const struct hs_ctr *c)
{
	const struct ctr_profile *p = ctr_profile(c);
	uint64_t optional = p->mte | p->rasemu | p->bpfrz | p->lcofifrz | p->eten | HS_CTR_FILTERS;

	if (!ctr_lacks(c, HS_CTR_NO_S))
		optional |= p->ste;
	return required_fields(&c->config) | (optional & ~c->config.absent);
}

uint64_t ctr_vs_fields(const struct hs_ctr *c)
{
	const struct ctr_profile *p = ctr_profile(c);

	return ctr_fields(c) & ~(p->m | p->mte);
}

/* 0.1.4 "mctrcontrol": supported depths are consecutive.  1.0 dropped that. */
static bool depths_fit(const struct hs_ctr_config *k)
{
	const unsigned d = k->depths, low = d & (0u - d);

	if (d == 0 || d > ALL_DEPTHS)
		return false;
	return k->version == HS_CTR_1_0 || ((d + low) & d) == 0;
}

/* "External Traps": the bits for them exist together, or not at all. */
static bool external_fits(const struct hs_ctr_config *k)
{
	const struct ctr_profile *p = ctr_profile_of(k);
	const bool mte = !(k->absent & p->mte), ste = !(k->absent & p->ste);

	if (k->version == HS_CTR_1_0)
		return mte == ste;
	return (k->absent & p->eten) || (mte && (ste || lacks(k, HS_CTR_NO_S)));
}

static bool modes_fit(const struct hs_ctr_config *k)
{
	const bool u = !lacks(k, HS_CTR_NO_U), s = !lacks(k, HS_CTR_NO_S);

	return (u || !s) && (s || lacks(k, HS_CTR_NO_H)) && (s || k->version == HS_CTR_0_1_4);
}

static bool cc_fits(const struct hs_ctr_config *k)
{
	return !lacks(k, HS_CTR_NO_CC) ? k->cc_bits >= 12 && k->cc_bits <= 16 : k->cc_bits == 0;
}

static bool address_fits(const struct hs_ctr_config *k)
{
	const bool va = k->va_bits >= LEAST_ADDRESS && k->va_bits <= 63 && k->xlen == 64;
	const bool pa = k->pa_bits >= LEAST_ADDRESS && k->pa_bits <= 62 && va;

	return (va || k->va_bits == 0) && (pa || k->pa_bits == 0);
}

bool ctr_config_fits(const struct hs_ctr_config *k)
{
	if (k->size != sizeof(*k) || (k->version != HS_CTR_0_1_4 && k->version != HS_CTR_1_0))
		return false;
	if (k->xlen != 32 && k->xlen != 64)
		return false;
	if (k->without & ~(uint32_t)ALL_PARTS || k->options & ~ALL_OPTIONS)
		return false;
	if (k->version == HS_CTR_1_0 && (k->options & SETTLED))
		return false;
	if (!address_fits(k))
		return false;
	return modes_fit(k) && cc_fits(k) && depths_fit(k) && external_fits(k);
}

static void fill_defaults(struct hs_ctr_config *k)
{
	if (k->version == HS_CTR_ANY)
		k->version = HS_CTR_1_0;
	if (k->xlen == 0)
		k->xlen = 64;
	if (k->depths == 0)
		k->depths = ALL_DEPTHS;
	if (k->cc_bits == 0 && !lacks(k, HS_CTR_NO_CC))
		k->cc_bits = 16;
	if (k->pa_bits == 0 && k->va_bits && k->version == HS_CTR_1_0)
		k->pa_bits = PHYSICAL_BITS;
}

enum hs_status hs_ctr_init(struct hs_ctr *c, const struct hs_ctr_config *config)
{
	struct hs_ctr_config k;

	if (base_take_config(&k, sizeof(k), config) != HS_OK)
		return HS_E_CONFIG;
	fill_defaults(&k);
	if (!ctr_config_fits(&k))
		return HS_E_CONFIG;
	memset(c, 0, sizeof(*c));
	c->config = k;
	ctr_set_depth(c, 0);
	ctr_zero_entries(c);
	c->wrptr = 0;
	return HS_OK;
}
