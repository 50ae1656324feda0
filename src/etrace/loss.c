/* Packets that did not get out, or only those of data trace (ET Format 3 subformat 3). */
#include "etrace/data.h"
#include "etrace/emit.h"
#include "etrace/et_encoder.h"

void hs_et_encoder_lost(struct hs_et_encoder *e)
{
	et_pend(e, ET_PENDING_LOSS);
	e->plain_next = false;
	e->time_full = false; /* a synchronisation comes next */
	if (e->data)
		hs_et_data_lose(e->data);
	e->held_n = 0;
	e->cur.kind = ITEM_NONE;
	e->before = BEFORE_NOTHING;
}

void hs_et_encoder_lost_data(struct hs_et_encoder *e)
{
	if (!e->data)
		return;
	e->data_lost = true;
	hs_et_data_lose(e->data);
}
