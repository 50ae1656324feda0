/* Configurations: what a hart may have, and what a version fixes. */
#include "ctr/private.h"

const struct ctr_profile ctr_profiles[2] = {
	[HS_CTR_0_1_4] = {
		.m = CTR_BIT(0), .u = CTR_BIT(2), .mte = CTR_BIT(8), .ste = CTR_BIT(9),
		.rasemu = CTR_BIT(10), .clr = CTR_CLR, .eten = CTR_ETEN,
		.wrap = CTR_BIT(14), .frozen = CTR_BIT(15), .stateen = CTR_BIT(55),
		.enable = { [HS_PRIV_U] = 4, [HS_PRIV_S] = 2, [HS_PRIV_M] = 1, [HS_PRIV_VU] = 4, [HS_PRIV_VS] = 2 },
		.codes = { 0, 1, 3, 7, 15 }, .mireg = true, .target_alone = true,
	},
	[HS_CTR_1_0] = {
		.m = CTR_BIT(2), .u = CTR_BIT(0), .mte = CTR_BIT(9), .ste = CTR_BIT(8),
		.rasemu = CTR_BIT(7), .frozen = CTR_BIT(31), .stateen = CTR_BIT(54),
		.enable = { [HS_PRIV_U] = 1, [HS_PRIV_S] = 2, [HS_PRIV_M] = 4, [HS_PRIV_VU] = 1, [HS_PRIV_VS] = 2 },
		.codes = { 0, 1, 2, 3, 4 },
	},
};

unsigned hs_ctr_stateen_bit(enum hs_ctr_version version)
{
	return version == HS_CTR_1_0 ? 54 : 55;
}

static uint64_t required(const struct hs_ctr_config *k)
{
	const struct ctr_profile *p = &ctr_profiles[k->version];
	uint64_t bits = p->m;

	if (k->s)
		bits |= CTR_S;
	if (k->u)
		bits |= p->u;
	if (k->version == HS_CTR_1_0)
		bits |= CTR_BPFRZ | (k->sscofpmf ? CTR_LCOFIFRZ : 0);
	return bits;
}

uint64_t ctr_fields(const struct hs_ctr *c)
{
	const struct ctr_profile *p = ctr_profile(c);
	uint64_t optional = p->mte | p->rasemu | CTR_BPFRZ | CTR_LCOFIFRZ | p->eten | CTR_FILTERS;

	if (c->config.s)
		optional |= p->ste;
	return required(&c->config) | (c->config.fields & optional);
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

	if (d == 0 || d > 0x1f)
		return false;
	return k->version == HS_CTR_1_0 || ((d + low) & d) == 0;
}

/* "External Traps": who has them has all the bits that go with them. */
static bool external_fits(const struct hs_ctr_config *k)
{
	const struct ctr_profile *p = &ctr_profiles[k->version];
	const bool mte = k->fields & p->mte, ste = k->fields & p->ste;

	if (k->version == HS_CTR_1_0)
		return mte == ste;
	return !(k->fields & CTR_ETEN) || (mte && (ste || !k->s));
}

static bool config_fits(const struct hs_ctr_config *k)
{
	const unsigned settled = HS_CTR_TYPE6 | HS_CTR_V_AS_1_0 | HS_CTR_FREEZE_AS_1_0 | HS_CTR_PRESERVE |
	                         HS_CTR_KEEP_UPPER;

	if (k->version > HS_CTR_1_0 || (k->xlen != 32 && k->xlen != 64))
		return false;
	if ((k->s && !k->u) || (k->h && !k->s))
		return false;
	if (k->version == HS_CTR_1_0 && (!k->s || (k->options & settled)))
		return false;
	if (k->cce_bits > 4 || (k->cce_bits && !k->cc) || k->options > 127)
		return false;
	if (k->va_bits && (k->xlen == 32 || k->va_bits < 12 || k->va_bits > 63))
		return false;
	return depths_fit(k) && external_fits(k);
}

enum hs_status hs_ctr_init(struct hs_ctr *c, const struct hs_ctr_config *config)
{
	const struct hs_ctr_config k = *config;

	if (!config_fits(&k))
		return HS_E_CONFIG;
	memset(c, 0, sizeof(*c));
	c->config = k;
	ctr_set_depth(c, 0);
	ctr_zero_entries(c);
	c->wrptr = 0;
	return HS_OK;
}

/* With XLEN < MXLEN the upper half is 0, however many bits valid addresses have ("ctrsource"). */
static bool address_fits(const struct hs_ctr *c, uint64_t a)
{
	return ctr_address(c, a, 64) == a || (a <= UINT32_MAX && c->config.u);
}

static bool entry_fits(const struct hs_ctr *c, const struct hs_ctr_entry *e)
{
	if (!address_fits(c, e->source & ~UINT64_C(1)) || !address_fits(c, e->target & ~UINT64_C(1)))
		return false;
	return !(e->target & 1 & ~ctr_target_mask(c)) && !(e->data & ~ctr_data_mask(c));
}

/* A foreign byte that is neither is not even a bool to look at. */
static bool is_bool(const bool *b)
{
	unsigned char byte;

	memcpy(&byte, b, 1);
	return byte <= 1;
}

static bool bools_fit(const struct hs_ctr *c)
{
	const struct hs_ctr_config *k = &c->config;

	return is_bool(&k->u) && is_bool(&k->s) && is_bool(&k->h) && is_bool(&k->smstateen) &&
	       is_bool(&k->sscofpmf) && is_bool(&k->misp) && is_bool(&k->type) && is_bool(&k->cc) &&
	       is_bool(&c->wrap) && is_bool(&c->frozen) && is_bool(&c->ccv);
}

static bool decisions_fit(const struct hs_ctr *c)
{
	struct hs_ctr_decisions d;

	ctr_decide(c, &d);
	return memcmp(&d, &c->decisions, sizeof(d)) == 0; /* it has no padding */
}

enum hs_status hs_ctr_check(const struct hs_ctr *c)
{
	if (!bools_fit(c))
		return HS_E_ARG;
	if (!config_fits(&c->config))
		return HS_E_CONFIG;
	if (c->depth > 4 || !(c->config.depths >> c->depth & 1) || c->wrptr >= hs_ctr_depth(c))
		return HS_E_ARG;
	if ((c->mctl & ~ctr_fields(c)) || (c->vsctl & ~ctr_vs_fields(c)))
		return HS_E_ARG;
	if ((!c->config.h && c->vsctl) || (c->wrap && !ctr_profile(c)->wrap))
		return HS_E_ARG;
	if (c->cycles > ctr_cycles_max(c->config.cce_bits) || !decisions_fit(c))
		return HS_E_ARG;
	for (unsigned i = 0; i < HS_CTR_ENTRIES; i++)
		if (!entry_fits(c, &c->entries[i]))
			return HS_E_ARG;
	return HS_OK;
}
