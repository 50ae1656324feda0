/* Where SBI 3.0 is silent: each choice of docs/pmu.md by its number, with rows that show it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/pmu_run.h"

#define CYCLES 0x1
#define INSTRUCTIONS 0x2
#define FW_TIMER 0xf0005
#define MINH HS_PMU_EVENT_MINH

static const struct row rows[] = {
	{ "gap 1: an empty set is INVALID_PARAM", BOTH, FULL,
	  { CONFIG(0, 0, 0, CYCLES, 0, PARAM, 0), CONFIG(0, 0, 1, CYCLES, 0, PARAM, 0), START(0, 0, 0, 0, PARAM),
	    STOP(0, 0, 0, PARAM), STOP(ONES, 0, 1, PARAM) } },
	{ "gap 2: both start flags are INVALID_PARAM", BOTH, FULL,
	  { SHMEM(MEM, 0, 0, OK), CONFIG(0, 8, 0, CYCLES, 0, OK, 3), START(0, 8, 3, 1, PARAM), SEES(SEE_RUNNING, 0, 0) } },
	{ "gap 2: SET_INIT_VALUE sets all counters of a set", BOTH, FULL,
	  { CONFIG(0, 8, 0, CYCLES, 0, OK, 3), CONFIG(0, 4, 0, INSTRUCTIONS, 0, OK, 2), START(0, 0xc, 1, 42, OK), SEES(SEE, 2, 42), SEES(SEE, 3, 42) } },
	{ "gap 3: a counter without event cannot be started", BOTH, FULL,
	  { START(0, 8, 0, 0, PARAM), CONFIG(0, 8, 0, CYCLES, 0, OK, 3), START(0, 0xc, 0, 0, PARAM), SEES(SEE_RUNNING, 0, 0),
	    START(0, 8, 0, 0, OK), STOP(0, 8, 1, OK), START(0, 8, 0, 0, PARAM) } },
	{ "gap 4: a firmware counter without event cannot be read", BOTH, FULL,
	  { READ(7, PARAM, 0), HIGH(7, PARAM, 0), CONFIG(0, 0x80, 0, FW_TIMER, 0, OK, 7), READ(7, OK, 0), HIGH(7, OK, 0),
	    STOP(0, 0x80, 1, STOPPED), READ(7, PARAM, 0) } },
	{ "gap 5: ALREADY_STOPPED stops the others", BOTH, FULL,
	  { CONFIG(0, 8, 4, CYCLES, 0, OK, 3), STOP(0, 0xc, 0, STOPPED), SEES(SEE_RUNNING, 0, 0) } },
	{ "gap 5: ALREADY_STOPPED resets all", BOTH, FULL,
	  { CONFIG(0, 8, 0, CYCLES, 0, OK, 3), STOP(0, 8, 1, STOPPED), SEES(SEE_EVENT, 3, MINH), CONFIG(0, 8, 0, CYCLES, 0, OK, 3) } },
	{ "gap 5: ALREADY_STOPPED saves all", BOTH, FULL,
	  { SHMEM(MEM, 0, 0, OK), CONFIG(0, 8, 4, CYCLES, 0, OK, 3), DO(POKE, 2, 5), DO(POKE, 3, 6), STOP(0, 0xc, 2, STOPPED),
	    SEES(SEE_LOAD, 24, 5), SEES(SEE_LOAD, 32, 6) } },
	{ "gap 5: every counter at once, as at the start of a hart", BOTH, FULL,
	  { CONFIG(0, 8, 4, CYCLES, 0, OK, 3), CONFIG(0, 0x80, 4, FW_TIMER, 0, OK, 7), STOP(0, 0x7dd, 1, STOPPED),
	    SEES(SEE_RUNNING, 0, 0), CONFIG(0, 8, 0, CYCLES, 0, OK, 3), CONFIG(0, 0x80, 0, FW_TIMER, 0, OK, 7) } },
	{ "gap 6: ALREADY_STARTED starts none", BOTH, FULL,
	  { CONFIG(0, 8, 4, CYCLES, 0, OK, 3), CONFIG(0, 4, 0, INSTRUCTIONS, 0, OK, 2), START(0, 0xc, 0, 0, STARTED), SEES(SEE_RUNNING, 0, 8) } },
	{ "gap 7: a configured counter is not given away until RESET", BOTH, FULL,
	  { CONFIG(0, 8, 0, CYCLES, 0, OK, 3), CONFIG(0, 8, 0, 5, 0, UNSUPPORTED, 0), SEES(SEE_EVENT, 3, MINH | 1),
	    STOP(0, 8, 0, STOPPED), CONFIG(0, 8, 0, 5, 0, UNSUPPORTED, 0), STOP(0, 8, 1, STOPPED), CONFIG(0, 8, 0, 5, 0, OK, 3) } },
	{ "gap 7: all that could are taken: NOT_SUPPORTED", BOTH, FULL,
	  { CONFIG(0, 0x40, 4, 4, 0, OK, 6), CONFIG(0, 0x7dd, 0, 4, 0, UNSUPPORTED, 0) } },
	{ "gap 8: counters that overflow come first, then the lowest", BOTH, FULL,
	  { CONFIG(0, 0x7dd, 0, CYCLES, 0, OK, 3), CONFIG(0, 0x7dd, 0, CYCLES, 0, OK, 4), CONFIG(0, 0x7dd, 0, CYCLES, 0, OK, 0),
	    CONFIG(0, 0x7dd, 0, CYCLES, 0, UNSUPPORTED, 0) } },
	{ "gap 8: without Sscofpmf the lowest", BOTH, PLAIN, { CONFIG(0, 0x7dd, 0, CYCLES, 0, OK, 0) } },
	{ "gap 9: SKIP_MATCH configures an unconfigured counter", BOTH, FULL,
	  { CONFIG(0, 1, 1, CYCLES, 0, OK, 0), START(0, 1, 0, 0, OK), CONFIG(0, 4, 5, INSTRUCTIONS, 0, OK, 2), SEES(SEE_RUNNING, 0, 5) } },
	{ "gap 9: SKIP_MATCH gives a stopped counter another event", BOTH, FULL,
	  { CONFIG(0, 8, 0, CYCLES, 0, OK, 3), CONFIG(0, 8, 1, 5, 0, OK, 3), SEES(SEE_EVENT, 3, MINH | 5) } },
	{ "gap 9: SKIP_MATCH on a counter that counts", BOTH, FULL,
	  { CONFIG(0, 8, 4, CYCLES, 0, OK, 3), DO(POKE, 3, 5), CONFIG(0, 0x18, 3, CYCLES, 0, UNSUPPORTED, 0), SEES(SEE, 3, 5) } },
	{ "gap 9: SKIP_MATCH on a counter that cannot monitor the event", BOTH, FULL,
	  { CONFIG(0, 0xc, 1, CYCLES, 0, UNSUPPORTED, 0), CONFIG(0, 0x780, 1, CYCLES, 0, UNSUPPORTED, 0),
	    CONFIG(0, 8, 1, 0, 0, UNSUPPORTED, 0) } },
	{ "gap 10: the bitmap has every overflow from base on", BOTH, FULL,
	  { SHMEM(MEM, 0, 0, OK), CONFIG(0, 8, 4, CYCLES, 0, OK, 3), CONFIG(0, 0x40, 4, 4, 0, OK, 6), DO(OVERFLOWS, 3, 0), DO(OVERFLOWS, 5, 0),
	    STOP(0, 8, 2, OK), SEES(SEE_LOAD, 0, 0x48), STOP(4, 4, 2, OK), SEES(SEE_LOAD, 0, 4) } },
	{ "gap 11: shared memory that is no longer allowed is NO_SHMEM", BOTH, FULL,
	  { SHMEM(MEM, 0, 0, OK), CONFIG(0, 8, 4, CYCLES, 0, OK, 3), DO(PAGE, 0, HS_PMU_READ), STOP(0, 8, 2, NO_SHMEM), SEES(SEE_RUNNING, 0, 8),
	    DO(PAGE, 0, 0), STOP(0, 8, 0, OK), START(0, 8, 2, 0, NO_SHMEM), DO(PAGE, 0, 3), START(0, 8, 2, 0, OK) } },
	{ "gap 11: an access that fails after its check is FAILED", BOTH, FULL,
	  { SHMEM(MEM, 0, 0, OK), CONFIG(0, 8, 0, CYCLES, 0, OK, 3), DO(BREAK, 1), START(0, 8, 2, 0, FAILED), SEES(SEE_RUNNING, 0, 0),
	    START(0, 8, 0, 0, OK), STOP(0, 8, 3, FAILED), SEES(SEE_RUNNING, 0, 0), SEES(SEE_EVENT, 3, MINH) } },
	{ "gap 12: the last page of the address space is an address like others", RV64, FULL,
	  { SHMEM(0xfffffffffffff000, 0, 0, ADDRESS), EVENTS(0xfffffffffffffff0, 0, 1, 0, ADDRESS) } },
	{ "gap 13: num_entries 0 is INVALID_PARAM", BOTH, FULL, { EVENTS(MEM, 0, 0, 0, PARAM) } },
	{ "gap 15: an event that does not exist is output 0, not an error", BOTH, FULL,
	  { DO(STORE, 0, 0x40000), DO(STORE32, 4, 7), DO(STORE, 16, 0xf0016), DO(STORE32, 20, 7), DO(STORE, 32, 0), DO(STORE32, 36, 7),
	    DO(STORE, 48, 0xf0005), DO(STORE, 56, 1), EVENTS(MEM, 0, 4, 0, OK), SEES(SEE_LOAD32, 4, 0), SEES(SEE_LOAD32, 20, 0),
	    SEES(SEE_LOAD32, 36, 0), SEES(SEE_LOAD32, 52, 0) } },
	{ "gap 16: NO_SHMEM is said before ALREADY_STARTED and ALREADY_STOPPED", BOTH, FULL,
	  { CONFIG(0, 8, 4, CYCLES, 0, OK, 3), START(0, 8, 2, 0, NO_SHMEM), STOP(0, 0xc, 2, NO_SHMEM) } },
	{ "gap 17: values of stopped counters survive RESET", BOTH, FULL,
	  { CONFIG(0, 8, 4, CYCLES, 0, OK, 3), DO(POKE, 3, 5), STOP(0, 8, 1, OK), SEES(SEE, 3, 5), CONFIG(0, 8, 0, CYCLES, 0, OK, 3), SEES(SEE, 3, 5) } },
	{ "gap 18: an initial value wider than the counter loses its upper bits", BOTH, FULL,
	  { CONFIG(0, 0x10, 0, CYCLES, 0, OK, 4), START(0, 0x10, 1, 0xfff1234567890, OK), SEES(SEE, 4, 0x1234567890) } },
};

int main(void)
{
	return run_rows("pmu_gaps", rows, sizeof(rows) / sizeof(rows[0]));
}
