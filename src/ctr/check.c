/* Whether a hart's CTR that comes from elsewhere is one that this library could have made. */
#include "ctr/private.h"

/* With XLEN < MXLEN the upper half is 0, however many bits valid addresses have ("ctrsource"). */
static bool address_fits(const struct hs_ctr *c, uint64_t a)
{
	return ctr_address(c, a, 64) == a || (a <= UINT32_MAX && !ctr_lacks(c, HS_CTR_NO_U));
}

static bool entry_fits(const struct hs_ctr *c, const struct hs_ctr_entry *e)
{
	if (!address_fits(c, e->source & CTR_ADDRESS) || !address_fits(c, e->target & CTR_ADDRESS))
		return false;
	return !(e->target & ~CTR_ADDRESS & ~ctr_target_mask(c)) && !(e->data & ~ctr_data_mask(c));
}

/* Reading a bool that is neither 0 nor 1 is undefined: look at its byte. */
static bool is_bool(const bool *b)
{
	return *(const unsigned char *)b <= 1;
}

static bool decisions_fit(const struct hs_ctr *c)
{
	struct hs_ctr_decisions d;

	ctr_decide(c, &d);
	return memcmp(&d, &c->decisions, sizeof(d)) == 0; /* it has no padding */
}

static bool registers_fit(const struct hs_ctr *c)
{
	if (c->depth > 4 || !(c->config.depths >> c->depth & 1) || c->wrptr >= ctr_depth(c))
		return false;
	if ((c->mctl & ~ctr_fields(c)) || (c->vsctl & ~ctr_vs_fields(c)))
		return false;
	if ((ctr_lacks(c, HS_CTR_NO_H) && c->vsctl) || (c->wrap && !ctr_profile(c)->wrap))
		return false;
	return c->cycles <= ctr_cycles_max(ctr_exponent_bits(&c->config));
}

enum hs_status hs_ctr_check(const struct hs_ctr *c)
{
	if (!is_bool(&c->wrap) || !is_bool(&c->frozen) || !is_bool(&c->ccv))
		return HS_E_ARG;
	if (!ctr_config_fits(&c->config))
		return HS_E_CONFIG;
	if (!registers_fit(c) || !decisions_fit(c))
		return HS_E_ARG;
	for (unsigned i = 0; i < HS_CTR_ENTRIES; i++)
		if (!entry_fits(c, &c->entries[i]))
			return HS_E_ARG;
	return HS_OK;
}
