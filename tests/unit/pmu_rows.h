/* How a row of the PMU tests is written: a list of steps, each with what it must give. */
#ifndef HS_TESTS_PMU_ROWS_H
#define HS_TESTS_PMU_ROWS_H

#include <hartscope/pmu.h>

enum what {
	END,
	CALL,    /* a[0] to a[5] as registers; CONFIG and START have a 64-bit parameter */
	FW,      /* a[0] code, a[1] times */
	PLATFORM, /* a[0] event_data, a[1] times */
	POKE,    /* hardware counter a[0] becomes a[1] */
	OVERFLOWS, /* hardware counter a[0] sets its OF */
	STORE,   /* memory at offset a[0] becomes the 64-bit a[1] */
	STORE32,
	PAGE,    /* page a[0] may a[1] from now on */
	BREAK,   /* memory accesses fail from now on if a[0] */
	RESTRICT, /* memory checks say RESTRICTED from now on if a[0] */
	PENDING, /* mip.LCOFIP is a[0] from now on */
	SEE,     /* hardware counter a[0] is `value` */
	SEE_EVENT, /* mhpmevent a[0] is `value` */
	SEE_RUNNING, /* mcountinhibit, inverted, is `value` */
	SEE_ARMED, /* counters that were written since they count, as mcountinhibit, are `value` */
	SEE_LOAD, /* memory at offset a[0] is the 64-bit `value` */
	SEE_LOAD32,
	SEE_ACCESSES, /* `value` memory accesses since the row began */
};

struct step {
	enum what what;
	uint64_t fid;
	uint64_t a[6];
	int error;
	uint64_t value;
	bool wide; /* the parameter at a[4] (FID 2) or a[3] (FID 3) has 64 bits */
};

enum xlens { RV32 = 1, RV64 = 2, BOTH = 3 };
enum kinds { FULL, PLAIN, MANY, UNFORCED };

#define STEPS_MOST 14
struct row {
	const char *name;
	enum xlens xlens;
	enum kinds kind;
	struct step steps[STEPS_MOST];
};

#define OK HS_SBI_SUCCESS
#define FAILED HS_SBI_ERR_FAILED
#define UNSUPPORTED HS_SBI_ERR_NOT_SUPPORTED
#define PARAM HS_SBI_ERR_INVALID_PARAM
#define ADDRESS HS_SBI_ERR_INVALID_ADDRESS
#define STARTED HS_SBI_ERR_ALREADY_STARTED
#define STOPPED HS_SBI_ERR_ALREADY_STOPPED
#define NO_SHMEM HS_SBI_ERR_NO_SHMEM
#define ONES UINT64_MAX
#define MEM FAKE_BASE

#define ANY(fid, ...) { CALL, fid, { __VA_ARGS__ }, UNSUPPORTED, 0, false }
#define NUM(v) { CALL, 0, { 0 }, OK, v, false }
#define INFO(i, e, v) { CALL, 1, { i }, e, v, false }
#define CONFIG(base, mask, flags, event, data, e, v) { CALL, 2, \
	{ base, mask, flags, event, data }, e, v, true }
#define START(base, mask, flags, init, e) { CALL, 3, { base, mask, flags, init }, e, 0, true }
#define STOP(base, mask, flags, e) { CALL, 4, { base, mask, flags }, e, 0, false }
#define READ(i, e, v) { CALL, 5, { i }, e, v, false }
#define HIGH(i, e, v) { CALL, 6, { i }, e, v, false }
#define SHMEM(lo, hi, flags, e) { CALL, 7, { lo, hi, flags }, e, 0, false }
#define EVENTS(lo, hi, n, flags, e) { CALL, 8, { lo, hi, n, flags }, e, 0, false }
#define DO(what, ...) { what, 0, { __VA_ARGS__ }, 0, 0, false }
#define SEES(what, n, v) { what, 0, { n }, 0, v, false }

#endif
