/* Options that change while an encoder traces (ET Format 3 subformat 3, design/et-support).
 *
 * The item before the change is reported under the old options; the support packet and the packet
 * that synchronises come at the first item after it, where state from before is void.
 */
#include "etrace/emit.h"
#include "etrace/et_standard.h"

void et_take_options(struct hs_et_encoder *e)
{
	e->changed = e->changed || e->config.options != e->next_options;
	e->config.options = e->next_options;
	e->return_reported = false;
	et_set_change(e, 0);
}

void et_change_options(struct hs_et_encoder *e, struct et_output *out)
{
	et_take_options(e);
	if (!et_pends(e, ET_PENDING_LOSS)) /* else the support packet for the loss has them */
		et_emit_support(e, out, 1, HS_ET_NO_CHANGE);
}

/* The options that support packets have a bit for. */
static unsigned announced(const struct hs_et_resolved *c)
{
	unsigned options = et_is_standard(c) ? ET_OPTIONS : 0;

	for (unsigned i = 0; i < c->wire.ioptions_width && c->version != HS_ET_0_026; i++)
		options |= c->wire.ioptions[i];
	return options;
}

enum hs_status hs_et_encoder_set_options(struct hs_et_encoder *e, unsigned options)
{
	struct hs_et_resolved c = e->config;
	const unsigned before =
		et_pends(e, ET_PENDING_CHANGE) ? e->next_options : e->config.options;

	c.options = (uint8_t)options;
	if (options >= 2u * HS_ET_FULL_ADDRESS || !et_options_good(&c))
		return HS_E_CONFIG;
	if ((options ^ before) & ~announced(&c))
		return HS_E_UNSUPPORTED;
	e->plain_next = false;
	e->next_options = (uint8_t)options;
	if (et_pends(e, ET_PENDING_CHANGE_DUE) && e->cur.flags & ITEM_PAIR) /* it is the first */
		e->cur.flags = (uint16_t)((e->cur.flags & ~(unsigned)ITEM_INFERRED) |
		                          (options & HS_ET_SIJUMP ? ITEM_INFERRED : 0));
	if (!et_pends(e, ET_PENDING_CHANGE_DUE))
		et_set_change(e, options == e->config.options ? 0 : ET_PENDING_CHANGE_REQUESTED);
	return HS_OK;
}
