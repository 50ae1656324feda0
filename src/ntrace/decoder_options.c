/* What a decoder of N-Trace may have beyond its program. */
#include "core/config.h"
#include "flow/stream.h"
#include "ntrace/recall.h"

enum hs_status hs_nt_decoder_set(struct hs_nt_decoder *d, const struct hs_decoder_options *o)
{
	struct hs_decoder_options own;
	const enum hs_status s = base_take_config(&own, sizeof own, o);

	if (s != HS_OK)
		return s;
	stream_set_options(&d->stream, &own);
	nt_recall_begin(d, own.memo);
	return HS_OK;
}
