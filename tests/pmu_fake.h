/* A hart for the PMU tests: counters as arrays, a few pages of memory, and a judge.  It knows
 * nothing of SBI.  What must never happen (memory touched without a check, a counter that does
 * not exist) aborts. */
#ifndef HS_TESTS_PMU_FAKE_H
#define HS_TESTS_PMU_FAKE_H

#include <stdlib.h>
#include <string.h>

#include <hartscope/pmu.h>

#define FAKE_BASE 0x80200000u
#define FAKE_PAGES 4u
#define FAKE_SIZE (FAKE_PAGES * 4096u)

struct fake {
	uint64_t value[32], event[32];
	uint32_t exists, running;
	uint8_t memory[FAKE_SIZE]; /* pages may, in order: read and write twice, read, write */
	uint8_t page[FAKE_PAGES];
	uint64_t checked, checked_end; /* what memory_check() allowed in this call */
	unsigned checked_access;
	unsigned reads, writes;
	bool broken;     /* accesses fail */
	bool restricted; /* checks say so */
	bool pending;    /* mip.LCOFIP */
	uint32_t armed;  /* counters that were written since they count */
};

static inline void fake_must(bool condition)
{
	if (!condition)
		abort();
}

static inline uint64_t fake_read(void *ctx, unsigned n)
{
	struct fake *f = ctx;

	fake_must(n < 32 && f->exists >> n & 1u);
	return f->value[n];
}

static inline void fake_write(void *ctx, unsigned n, uint64_t value)
{
	struct fake *f = ctx;

	fake_must(n < 32 && f->exists >> n & 1u);
	if (f->running >> n & 1u) { /* halves of a value do not fit unless it stands still */
		fake_must(f->event[n] & HS_PMU_EVENT_MINH && f->value[n] == value);
		f->armed |= (uint32_t)1 << n;
	}
	f->value[n] = value;
}

static inline void fake_configure(void *ctx, unsigned n, uint64_t event)
{
	struct fake *f = ctx;

	fake_must(n < 32 && f->exists >> n & 1u && !(f->running >> n & 1u));
	f->event[n] = event;
}

static inline void fake_start(void *ctx, uint32_t counters)
{
	struct fake *f = ctx;

	fake_must(counters && !(counters & ~f->exists) && !(counters & f->running));
	f->running |= counters;
}

static inline void fake_stop(void *ctx, uint32_t counters)
{
	struct fake *f = ctx;

	fake_must(counters && !(counters & ~f->exists));
	f->running &= ~counters;
	f->armed &= ~counters;
}

static inline uint32_t fake_overflowed(void *ctx)
{
	const struct fake *f = ctx;
	uint32_t bits = 0;

	for (unsigned n = 3; n < 32; n++)
		bits |= (uint32_t)(f->event[n] >> 63) << n;
	return bits;
}

/* Platform events are 0x4200 to 0x42ff. */
static inline bool fake_platform(void *ctx, uint64_t data)
{
	(void)ctx;
	return data >> 8 == 0x42;
}

static inline enum hs_pmu_memory fake_check(void *ctx, uint64_t address, uint64_t length,
                                            unsigned access)
{
	struct fake *f = ctx;

	fake_must(length > 0 && address + (length - 1) >= address && access && access <= 3);
	if (address < FAKE_BASE || address - FAKE_BASE >= FAKE_SIZE ||
	    length > FAKE_SIZE - (address - FAKE_BASE))
		return HS_PMU_MEMORY_INACCESSIBLE;
	for (uint64_t p = (address - FAKE_BASE) / 4096;
	     p <= (address + length - 1 - FAKE_BASE) / 4096; p++)
		if (access & ~f->page[p])
			return HS_PMU_MEMORY_INACCESSIBLE;
	if (f->restricted)
		return HS_PMU_MEMORY_RESTRICTED;
	f->checked = address;
	f->checked_end = address + length;
	f->checked_access = access;
	return HS_PMU_MEMORY_OK;
}

static inline uint8_t *fake_at(struct fake *f, uint64_t address, size_t n, unsigned access)
{
	fake_must(f->checked_access & access && address >= f->checked && address < f->checked_end &&
	          n <= f->checked_end - address && n <= HS_PMU_EVENT_INFO_SIZE);
	return f->memory + (address - FAKE_BASE);
}

static inline bool fake_memory_read(void *ctx, uint64_t address, void *to, size_t n)
{
	struct fake *f = ctx;

	memcpy(to, fake_at(f, address, n, HS_PMU_READ), n);
	f->reads++;
	return !f->broken;
}

static inline bool fake_memory_write(void *ctx, uint64_t address, const void *from, size_t n)
{
	struct fake *f = ctx;
	uint8_t *at = fake_at(f, address, n, HS_PMU_WRITE);

	if (!f->broken)
		memcpy(at, from, n);
	f->writes++;
	return !f->broken;
}

static inline bool fake_pending(void *ctx)
{
	return ((const struct fake *)ctx)->pending;
}

static const struct hs_pmu_ops fake_ops = {
	sizeof(struct hs_pmu_ops), fake_read, fake_write, fake_configure, fake_start, fake_stop,
		fake_overflowed, fake_platform,
	fake_check, fake_memory_read, fake_memory_write, fake_pending,
};

/* Logical counters 0 cycle, 1 hole, 2 instret, 3 and 4 hpmcounter3 and 4 (40 bits), 5 hole,
 * 6 hpmcounter5: not the identity. */
static const struct hs_pmu_counter fake_counters[] = {
	{ 0xc00, 64 }, { 0xc01, 0 }, { 0xc02, 64 }, { 0xc03, 64 }, { 0xc04, 40 }, { 0, 0 },
		{ 0xc05, 64 },
};
#define FAKE_EXISTS 0x3du /* mcountinhibit bits 0, 2 to 5 */
#define FAKE_HW 0x5du     /* logical counters */
#define FAKE_HW_COUNT 7u

static const struct hs_pmu_event_row fake_events[] = {
	{ 0x00001, 0x00001, 0x19, 0 },     /* CPU_CYCLES: cycle, 3, 4 */
	{ 0x00002, 0x00002, 0x0c, 0 },     /* INSTRUCTIONS: instret, 3 */
	{ 0x00004, 0x00004, 0x40, 0xabc }, /* CACHE_MISSES: 6, with a selector of its own */
	/* the other general events, and codes that do not exist */
	{ 0x00000, 0x0000f, 0x18, 0 },
	{ 0x10000, 0x1003f, 0x50, 0 },     /* all cache events and what lies between: 4, 6 */
};

/* Raw events 0x100 to 0x1ff, and those with bits 20 to 23 and the lower four as 0xf and 1. */
static const struct hs_pmu_raw_row fake_raws[] = {
	{ 0x100, ~(uint64_t)0xff, 0x48 },
	{ 0xf00001, 0xf0000f, 0x08 },
};

/* Everything there is. */
static inline struct hs_pmu_config fake_config(unsigned xlen, unsigned fw_counters,
                                               unsigned fw_width)
{
	return (struct hs_pmu_config){
		.size = sizeof(struct hs_pmu_config), .xlen = (uint8_t)xlen, .event_bits = 64,
		.fw_counters = (uint8_t)fw_counters, .fw_width = (uint8_t)fw_width,
		.sscofpmf = true, .smcntrpmf = true, .snapshot = true, .event_info = true,
		.forced = HS_PMU_CFG_SET_MINH, .hw_counters = FAKE_HW_COUNT, .fw_impl_events = 4,
		.fw_events = 0x3fffff, .event_rows = 5, .raw_rows = 2,
		.hw = fake_counters, .events = fake_events, .raws = fake_raws, .ops = &fake_ops,
	};
}

static inline void fake_init(struct fake *f)
{
	memset(f, 0, sizeof(*f));
	f->exists = f->running = FAKE_EXISTS;
	f->page[0] = f->page[1] = HS_PMU_READ | HS_PMU_WRITE;
	f->page[2] = HS_PMU_READ;
	f->page[3] = HS_PMU_WRITE;
}

static inline struct hs_sbiret fake_ecall(const struct hs_pmu *pmu, struct hs_pmu_hart *hart,
                                          uint64_t fid,
                                          const uint64_t *args)
{
	struct fake *f = hart->ctx;

	f->checked_access = 0;
	return hs_pmu_ecall(pmu, hart, fid, args);
}

/* A call that must succeed. */
static inline void fake_do(const struct hs_pmu *pmu, struct hs_pmu_hart *hart, unsigned fid,
                           uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
	const uint64_t args[6] = { a, b, c, d, e };

	fake_must(fake_ecall(pmu, hart, fid, args).error == HS_SBI_SUCCESS);
}

#endif
