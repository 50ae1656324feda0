/* Decisions: what the control and status registers mean for each mode and type, computed when one
 * of them changes and not for each transfer. */
#include "ctr/private.h"

#define RETIRING 0xff30u /* types of hs_ctr_retire() */

/* Types that a mode records when they retire, without RAS emulation. */
static unsigned recorded_types(uint64_t control)
{
	return RETIRING & ~ctr_stopped(control);
}

/* "ctrsource": 0.1.4 holds all valid virtual addresses, 1.0 physical ones too; those are not
 * sign-extended, so that they need a bit more. */
static unsigned address_bits(const struct hs_ctr_config *k)
{
	const unsigned physical = k->pa_bits + 1u;

	if (k->xlen == 32)
		return 32;
	if (k->va_bits == 0)
		return 64;
	return physical > k->va_bits ? physical : k->va_bits;
}

void ctr_decide(const struct hs_ctr *c, struct hs_ctr_decisions *d)
{
	memset(d, 0, sizeof(*d));
	d->cycles_max = ctr_cycles_max(ctr_exponent_bits(&c->config));
	d->data = (uint32_t)ctr_data_mask(c);
	d->last = (uint8_t)(ctr_depth(c) - 1);
	d->cut = (uint8_t)(64 - address_bits(&c->config));
	for (unsigned priv = 0; priv < 8; priv++) {
		const uint64_t control = ctr_control(c, ctr_is_virtual(priv));

		if (c->frozen || !ctr_enabled(c, priv))
			continue;
		d->counts |= (uint8_t)(1u << priv);
		if (control & ctr_profile(c)->rasemu)
			d->ras |= (uint8_t)(1u << priv);
		else
			d->records[priv] = (uint16_t)recorded_types(control);
	}
}

void hs_ctr_refresh(struct hs_ctr *c)
{
	ctr_decide(c, &c->decisions);
}
