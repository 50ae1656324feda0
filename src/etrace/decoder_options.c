/* What a decoder of E-Trace may have beyond its program. */
#include "core/config.h"
#include "etrace/data.h"
#include "etrace/source.h"

static bool can_have_data(const struct hs_et_decoder *d)
{
	return d->config.type_widths || et_has_data_type(&d->config);
}

enum hs_status hs_et_decoder_set(struct hs_et_decoder *d, const struct hs_decoder_options *o)
{
	struct hs_decoder_options own;
	const enum hs_status s = base_take_config(&own, sizeof own, o);

	if (s != HS_OK)
		return s;
	if (own.data && !can_have_data(d))
		return HS_E_CONFIG;
	if (own.data && own.data_count < d->stream.capacity)
		return HS_E_ARG;
	stream_set_options(&d->stream, &own);
	et_extend_addresses(d);
	d->data = own.data;
	d->care = (uint8_t)(own.guide ? 0 : own.care & HS_ET_CARE_ALL);
	et_recall_begin(d, own.memo);
	return HS_OK;
}
