/* The timestamp units of encoder and funnel (TCI 6.1). */
#include "device/control.h"
#include "device/device.h"

static void set_counter(struct hs_tc *tc, unsigned component, uint64_t value)
{
	const uint32_t width = tc_field(tc, component, HS_TCF_TS_WIDTH); /* 6 bits: below 64 */
	const uint64_t mask = ((uint64_t)1 << width) - 1;

	tc_set_pair(tc, component, HS_TCF_TS_COUNTER_LOW_BITS, value & mask);
}

void tc_time_reset(struct hs_tc *tc, unsigned component)
{
	tc->ts_part[component == HS_TC_FUNNEL] = 0;
	set_counter(tc, component, 0);
}

/* trTsPrescale: one count each 1, 4, 16 or 64 clocks. */
static uint64_t prescaled(struct hs_tc *tc, unsigned component, uint64_t clocks)
{
	const unsigned shift = 2 * tc_field(tc, component, HS_TCF_TS_PRESCALE);
	uint32_t *part = &tc->ts_part[component == HS_TC_FUNNEL];
	const uint32_t rest = (uint32_t)(clocks & (((uint64_t)1 << shift) - 1)) + *part;

	*part = rest & (((uint32_t)1 << shift) - 1);
	return (clocks >> shift) + (rest >> shift);
}

static void tick(struct hs_tc *tc, unsigned component, enum hs_tc_clock clock, uint64_t clocks,
                 bool halted)
{
	if (!tc_active(tc, component) || !tc_field(tc, component, HS_TCF_TS_ACTIVE) ||
	    tc_field(tc, component, HS_TCF_TS_MODE) != clock)
		return;
	if (clock == HS_TC_EXTERNAL) {
		set_counter(tc, component, clocks);
		return;
	}
	if (!tc_field(tc, component, HS_TCF_TS_COUNT) ||
	    (clock == HS_TC_CORE && halted && !tc_field(tc, component, HS_TCF_TS_RUN_IN_DEBUG)))
		return;
	set_counter(tc, component,
	            tc_pair(tc, component, HS_TCF_TS_COUNTER_LOW_BITS) +
	                    prescaled(tc, component, clocks));
}

void hs_tc_tick(struct hs_tc *tc, enum hs_tc_clock clock, uint64_t clocks, bool halted)
{
	tc->cycles += clock == HS_TC_CORE ? clocks : 0;
	tick(tc, HS_TC_ENCODER, clock, clocks, halted);
	tick(tc, HS_TC_FUNNEL, clock, clocks, halted);
	/* Mode Shared (4): the encoder sees the funnel's counter. */
	if (tc_active(tc, HS_TC_ENCODER) && tc_field(tc, HS_TC_ENCODER, HS_TCF_TS_ACTIVE) &&
	    tc_field(tc, HS_TC_ENCODER, HS_TCF_TS_MODE) == 4)
		set_counter(tc, HS_TC_ENCODER,
		            tc_active(tc, HS_TC_FUNNEL)
		                    ? tc_pair(tc, HS_TC_FUNNEL, HS_TCF_TS_COUNTER_LOW_BITS)
		                    : 0);
}

uint64_t hs_tc_time(const struct hs_tc *tc)
{
	return tc_pair(tc, HS_TC_ENCODER, HS_TCF_TS_COUNTER_LOW_BITS);
}
