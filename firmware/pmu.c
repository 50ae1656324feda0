/* The ops of src/pmu on the CSRs of machine mode. */
#include <hartscope/pmu.h>

#include "fw.h"

#define WORDS64 (__riscv_xlen == 64)
#ifndef SNAPSHOT
#define SNAPSHOT true /* Linux does not sample with it (README) */
#endif

void *memcpy(void *restrict to, const void *restrict from, size_t n);

/* A CSR's number is part of the instruction, so each one has a case.  X(n) for counters 3 to 31. */
#define HPM(X) \
	X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) \
	X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)

#define GET(csr, v) __asm__ volatile("csrr %0, %1" : "=r"(v) : "i"(csr))
#define PUT(csr, v) __asm__ volatile("csrw %0, %1" : : "i"(csr), "r"((reg)(v)))

static struct {
	bool sscofpmf, smcntrpmf;
	struct hs_pmu_counter counters[32];
} found;

static reg csr_get(unsigned csr)
{
	reg v = 0;

	switch (csr) {
#define X(n) case 0xb00 + n: GET(0xb00 + n, v); break; case 0xb80 + n: GET(0xb80 + n, v); break;
	X(0) X(2) HPM(X)
#undef X
	default: break;
	}
	return v;
}

static void csr_put(unsigned csr, reg v)
{
	switch (csr) {
#define X(n) case 0xb00 + n: PUT(0xb00 + n, v); break; case 0xb80 + n: PUT(0xb80 + n, v); break; \
	case 0x320 + n: PUT(0x320 + n, v); break; case 0x720 + n: PUT(0x720 + n, v); break;
	X(2) HPM(X)
#undef X
	case 0xb00: PUT(0xb00, v); break;
	case 0xb80: PUT(0xb80, v); break;
	case 0x321: PUT(0x321, v); break;
	case 0x721: PUT(0x721, v); break;
	default: break;
	}
}

/* ---- counters -------------------------------------------------------------------- */

static uint64_t counter_read(void *ctx, unsigned n)
{
	reg low, high, again;

	(void)ctx;
	if (WORDS64)
		return csr_get(0xb00 + n);
	do {
		high = csr_get(0xb80 + n);
		low = csr_get(0xb00 + n);
		again = csr_get(0xb80 + n);
	} while (high != again);
	return (uint64_t)high << 32 | low;
}

/* No carry comes between the halves: the counter is stopped, or does not count in M-mode. */
static void counter_write(void *ctx, unsigned n, uint64_t value)
{
	(void)ctx;
	if (!WORDS64)
		csr_put(0xb80 + n, (reg)(value >> 32));
	csr_put(0xb00 + n, (reg)value);
}

static void counter_configure(void *ctx, unsigned n, uint64_t event)
{
	const unsigned csr = n == 0 ? 1 : n; /* mcyclecfg is 0x321, minstretcfg 0x322 */

	(void)ctx;
	if (n < 3 && !found.smcntrpmf)
		return;
	/* no event, no filter: QEMU gives an event to one counter, and takes it back for 0 only */
	if (n >= 3 && !(event & ~(HS_PMU_EVENT_OF | HS_PMU_EVENT_INH)))
		event = 0;
	if (!WORDS64 && (n < 3 || found.sscofpmf))
		csr_put(0x720 + csr, (reg)(event >> 32));
	csr_put(0x320 + csr, (reg)event);
}

static void counters_start(void *ctx, uint32_t counters)
{
	(void)ctx;
	csr_clear(0x320, counters);
}

static void counters_stop(void *ctx, uint32_t counters)
{
	(void)ctx;
	csr_set(0x320, counters);
}

static uint32_t counters_overflowed(void *ctx)
{
	(void)ctx;
	return (uint32_t)csr_read(0xda0);
}

static bool lcofi_pending(void *ctx)
{
	(void)ctx;
	return csr_read(mip) >> 13 & 1;
}

/* Platform events are machine interrupts, by number. */
static bool platform_event(void *ctx, uint64_t event_data)
{
	(void)ctx;
	return event_data == FW_SOFTWARE_INTERRUPT || event_data == FW_TIMER_INTERRUPT;
}

/* ---- memory of the supervisor ----------------------------------------------------- */

static enum hs_pmu_memory memory_check(void *ctx, uint64_t address, uint64_t length,
                                       unsigned access)
{
	(void)ctx, (void)access; /* all memory except the firmware's may be read and written */
	if (!supervisor_may_access(address, length))
		return HS_PMU_MEMORY_INACCESSIBLE;
	return HS_PMU_MEMORY_OK;
}

static bool memory_read(void *ctx, uint64_t address, void *to, size_t n)
{
	(void)ctx;
	memcpy(to, (const void *)(uintptr_t)address, n);
	return true;
}

static bool memory_write(void *ctx, uint64_t address, const void *from, size_t n)
{
	(void)ctx;
	memcpy((void *)(uintptr_t)address, from, n);
	return true;
}

static const struct hs_pmu_ops ops = {
	.size = sizeof(struct hs_pmu_ops),
	.read = counter_read,
	.write = counter_write,
	.configure = counter_configure,
	.start = counters_start,
	.stop = counters_stop,
	.overflowed = counters_overflowed,
	.platform_event = platform_event,
	.memory_check = memory_check,
	.memory_read = memory_read,
	.memory_write = memory_write,
	.lcofi_pending = lcofi_pending,
};

/* ---- probing ----------------------------------------------------------------------- */

/* A CSR that does not exist traps to probe_entry, which sets t6. */
#define EXISTS(csr) ({ \
	register reg bad_ __asm__("t6") = 0; \
	reg v_; \
	__asm__ volatile("csrr %0, %2" : "=&r"(v_), "+r"(bad_) : "i"(csr) : "t5"); \
	(void)v_; \
	bad_ == 0; })

/* The bits that hold ones; 0 for a counter that does not exist (it traps or reads as 0). */
#define TRY(n) ({ \
	register reg bad_ __asm__("t6") = 0; \
	reg v_ = 0; \
	__asm__ volatile("csrw %2, %3\n\tcsrr %0, %2" : "=&r"(v_), "+r"(bad_) \
	                 : "i"(0xb00 + (n)), "r"((reg)-1) : "t5"); \
	bad_ ? 0 : v_; })

static unsigned bits_of(reg v)
{
	unsigned n = 0;

	for (; v & 1; v >>= 1)
		n++;
	return n;
}

/* The upper halves are probed only where the lower one is full. */
#define TRY_COUNTER(n) do { \
	unsigned bits_ = bits_of(TRY(n)); \
	if (!WORDS64 && bits_ == 32) \
		bits_ += bits_of(TRY(0x80 + (n))); \
	found.counters[n] = (struct hs_pmu_counter){ 0xc00 + (n), (uint8_t)bits_ }; \
} while (0);

static unsigned probe_counters(void)
{
	unsigned last = 2;

	found.counters[0] = (struct hs_pmu_counter){ 0xc00, 64 };
	found.counters[2] = (struct hs_pmu_counter){ 0xc02, 64 };
	HPM(TRY_COUNTER)
	for (unsigned n = 3; n < 32; n++)
		if (found.counters[n].width)
			last = n;
	return last + 1;
}

/* ---- events ------------------------------------------------------------------------ */

#define EVENT_ROWS 64u
#define RAW_ROWS 16u
#define FDT_MAX 0x200000u

/* cycle and instret count their own events, whatever the device tree says: the last rows. */
static const struct hs_pmu_event_row fixed[] = { { 1, 1, 1, 0 }, { 2, 2, 4, 0 } };
static struct hs_pmu_event_row events[EVENT_ROWS + 2];
static struct hs_pmu_raw_row raws[RAW_ROWS];

static void print_line(const char *text)
{
	for (; *text; text++)
		uart_put((uint8_t)*text);
	uart_put('\n');
}

/* The rows of the riscv,pmu node, then the fixed ones. */
static bool read_events(const void *tree, struct hs_pmu_config *config)
{
	const struct hs_span span = { tree, tree ? FDT_MAX : 0 };
	struct hs_pmu_fdt fdt = {
		.size = sizeof(fdt), .event_capacity = EVENT_ROWS, .raw_capacity = RAW_ROWS,
		.events = events, .raws = raws,
	};

	if (hs_pmu_fdt_read(&fdt, &span, config) != HS_OK) {
		print_line("the device tree's riscv,pmu:");
		print_line(fdt.fault);
		return false;
	}
	memcpy(events + fdt.event_rows, fixed, sizeof(fixed));
	config->events = events;
	config->event_rows = fdt.event_rows + 2;
	config->raws = raws;
	config->raw_rows = fdt.raw_rows;
	return true;
}

bool pmu_probe(const void *tree)
{
	csr_write(mtvec, probe_entry);
	found.sscofpmf = EXISTS(0xda0);
	found.smcntrpmf = EXISTS(0x321);
	const unsigned count = probe_counters();

	csr_write(mtvec, trap_entry);
	struct hs_pmu_config config = {
		.size = sizeof(config), .xlen = __riscv_xlen,
		.event_bits = WORDS64 || found.sscofpmf ? 64 : 32,
		.sscofpmf = found.sscofpmf, .smcntrpmf = found.smcntrpmf,
		.snapshot = SNAPSHOT, .event_info = true, .forced = HS_PMU_CFG_SET_MINH,
		.hw_counters = (uint8_t)count, .hw = found.counters,
		.fw_events = 0x3fff, .fw_impl_events = FW_IMPL_EVENTS, .ops = &ops,
	};

	return read_events(tree, &config) && hs_pmu_init(&fw_pmu, &config) == HS_OK;
}

void pmu_hart_start(unsigned hart)
{
	hs_pmu_hart_init(&fw_pmu, &harts[hart].pmu, &harts[hart]);
	csr_write(mcounteren, -1);
}

void fw_event(unsigned hart, unsigned code)
{
	hs_pmu_fw_event(&fw_pmu, &harts[hart].pmu, code, 1);
}

void fw_interrupt(unsigned hart, unsigned number)
{
	hs_pmu_platform_event(&fw_pmu, &harts[hart].pmu, number, 1);
}
