/* Instruction trace on and off, and the triggers that may do it (TCI 6.2). */
#include "device/control.h"
#include "device/device.h"

/* Outputs whose trTeTrigExtOutEvent has @event (1 start, 2 stop) fire. */
static void fire(struct hs_tc *tc, unsigned event)
{
	for (unsigned n = 0; n < 8; n++)
		if (tc_field(tc, HS_TC_ENCODER, HS_TCF_TE_TRIG_EXT_OUT_EVENT0 + n) & event)
			tc->fired |= (uint8_t)(1u << n);
}

void tc_set_tracing(struct hs_tc *tc, bool on)
{
	const bool was = tc_field(tc, HS_TC_ENCODER, HS_TCF_TE_INST_TRACING);

	if (was != on)
		fire(tc, on ? 1 : 2);
	tc_set(tc, HS_TC_ENCODER, HS_TCF_TE_INST_TRACING, on);
}

bool hs_tc_tracing(const struct hs_tc *tc)
{
	return tc_enabled(tc, HS_TC_ENCODER) &&
	       tc_field(tc, HS_TC_ENCODER, HS_TCF_TE_INST_TRACING) &&
	       tc_field(tc, HS_TC_ENCODER, HS_TCF_TE_INST_MODE);
}

bool hs_tc_trigger(struct hs_tc *tc, enum hs_tc_action action)
{
	if (!tc_enabled(tc, HS_TC_ENCODER))
		return false;
	const bool inst = tc_field(tc, HS_TC_ENCODER, HS_TCF_TE_INST_TRIG_ENABLE);
	const bool data = tc_field(tc, HS_TC_ENCODER, HS_TCF_TE_DATA_TRIG_ENABLE);
	const bool on = action == HS_TC_TRACE_ON;

	if (action == HS_TC_TRACE_NOTIFY)
		return hs_tc_tracing(tc);
	if (action != HS_TC_TRACE_ON && action != HS_TC_TRACE_OFF)
		return false;
	if (inst)
		tc_set_tracing(tc, on);
	if (data)
		tc_set(tc, HS_TC_ENCODER, HS_TCF_TE_DATA_TRACING,
		       tc_legalize(tc, HS_TC_ENCODER, HS_TCF_TE_DATA_TRACING, on));
	return false;
}

bool hs_tc_trigger_in(struct hs_tc *tc, unsigned input)
{
	if (input > 7 || !tc_active(tc, HS_TC_ENCODER))
		return false;
	return hs_tc_trigger(tc, (enum hs_tc_action)tc_field(
					 tc, HS_TC_ENCODER, HS_TCF_TE_TRIG_EXT_IN_ACTION0 + input));
}

unsigned hs_tc_triggers_out(struct hs_tc *tc)
{
	const unsigned fired = tc->fired;

	tc->fired = 0;
	return fired;
}
