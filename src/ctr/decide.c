/* Decisions: what the control and status registers mean for each mode and type, computed when one
 * of them changes and not for each transfer. */
#include "ctr/private.h"

#define RETIRING 0xff30u /* types of hs_ctr_retire() */

/* Types that a mode records when they retire, without RAS emulation. */
static unsigned recorded_types(uint64_t control)
{
	return RETIRING & ~ctr_stopped(control);
}

void ctr_decide(const struct hs_ctr *c, struct hs_ctr_decisions *d)
{
	memset(d, 0, sizeof(*d));
	d->cycles_max = ctr_cycles_max(ctr_exponent_bits(&c->config));
	d->data = (uint32_t)ctr_data_mask(c);
	d->last = (uint8_t)(ctr_depth(c) - 1);
	d->whole = c->config.xlen == 64 && c->config.va_bits == 0;
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
