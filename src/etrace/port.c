/* A queue after the encoder that may have no room (ET Format 3 subformat 3, ET Algorithm). */
#include "etrace/emit.h"
#include "etrace/data.h"

#include "core/mem.h"
#include "etrace/et_encoder.h"

/* Move what waits to the queue.  HS_FULL: some of it waits on. */
static enum hs_status move_held(struct hs_et_encoder *e, uint8_t *out, size_t cap, size_t *len)
{
	*len = cap < e->held_n ? cap : e->held_n;
	if (*len)
		memcpy(out, e->held, *len);
	e->held_n = (uint16_t)(e->held_n - *len);
	memmove(e->held, e->held + *len, e->held_n);
	return e->held_n ? HS_FULL : HS_OK;
}

enum hs_status hs_et_encode_port(struct hs_et_encoder *e, const struct hs_block *b, uint8_t *out,
                                 size_t cap, size_t *len)
{
	const struct hs_et_counts written = e->written;
	const uint16_t index = e->index;
	size_t used, n = 0;

	*len = 0;
	if (e->held_n) /* of this block */
		return move_held(e, out, cap, len);
	const enum hs_status s = hs_et_encode(e, b, 1, &used, e->held, sizeof e->held, &n);

	e->held_n = (uint16_t)n;
	if (s != HS_OK || n <= cap || e->config.stall) {
		const enum hs_status moved = move_held(e, out, cap, len);

		return s != HS_OK ? s : moved;
	}
	e->held_n = 0;
	e->written = written;
	e->index = index; /* the support packet reports the loss */
	if ((b->kind == HS_KIND_DATA || b->kind == HS_KIND_VALUE) && !et_pends(e, ET_PENDING_LOSS))
		hs_et_encoder_lost_data(e);
	else
		hs_et_encoder_lost(e);
	return HS_E_LOST;
}
