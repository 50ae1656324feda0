/* What SBI PMU costs: bench-pmu NAME repeats one call, for an instruction counter to look at.
 * bench-pmu without arguments lists the names. */
#include <stdio.h>
#include <string.h>

#include <hartscope/pmu.h>

#define TIMES 1000

static uint64_t registers[64];
static uint8_t page[8192];

static uint64_t read_counter(void *ctx, unsigned n) { (void)ctx; return registers[n]; }
static void write_counter(void *ctx, unsigned n, uint64_t v) { (void)ctx; registers[n] = v; }
static void configure(void *ctx, unsigned n, uint64_t v) { (void)ctx; registers[32 + n] = v; }
static void start(void *ctx, uint32_t set) { (void)ctx; registers[1] |= set; }
static void stop(void *ctx, uint32_t set) { (void)ctx; registers[1] &= ~(uint64_t)set; }
static uint32_t overflowed(void *ctx) { (void)ctx; return 0; }

static enum hs_pmu_memory check(void *ctx, uint64_t address, uint64_t length, unsigned access)
{
	(void)ctx, (void)access;
	return address <= sizeof(page) && length <= sizeof(page) - address
	               ? HS_PMU_MEMORY_OK
	               : HS_PMU_MEMORY_INACCESSIBLE;
}

static bool load(void *ctx, uint64_t address, void *to, size_t n)
{
	(void)ctx;
	memcpy(to, page + address, n);
	return true;
}

static bool store(void *ctx, uint64_t address, const void *from, size_t n)
{
	(void)ctx;
	memcpy(page + address, from, n);
	return true;
}

static const struct hs_pmu_ops ops = {
	.size = sizeof(struct hs_pmu_ops),
	read_counter, write_counter, configure, start, stop, overflowed, NULL, check, load, store,
};

/* As QEMU's virt machine: cycle, instret, 16 programmable counters; and 16 of firmware. */
static const struct hs_pmu_counter counters[] = {
	{ 0xc00, 64 }, { 0, 0 },      { 0xc02, 64 }, { 0xc03, 64 }, { 0xc04, 64 },
	{ 0xc05, 64 }, { 0xc06, 64 }, { 0xc07, 64 }, { 0xc08, 64 }, { 0xc09, 64 },
	{ 0xc0a, 64 }, { 0xc0b, 64 }, { 0xc0c, 64 }, { 0xc0d, 64 }, { 0xc0e, 64 },
	{ 0xc0f, 64 }, { 0xc10, 64 }, { 0xc11, 64 }, { 0xc12, 64 },
};
static const struct hs_pmu_event_row events[] = {
	{ 1, 1, 0x7fff9, 0 },
	{ 2, 2, 0x7fffc, 0 },
	{ 0x10019, 0x10019, 0x7fff8, 0 },
	{ 0x1001b, 0x1001b, 0x7fff8, 0 },
	{ 0x10021, 0x10021, 0x7fff8, 0 },
};

static struct hs_pmu pmu;
static struct hs_pmu_hart hart;

static void call(unsigned fid, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	const uint64_t args[6] = { a, b, c, d };

	hs_pmu_ecall(&pmu, &hart, fid, args);
}

static void num_counters(void) { call(HS_PMU_NUM_COUNTERS, 0, 0, 0, 0); }
static void get_info(void) { call(HS_PMU_COUNTER_GET_INFO, 5, 0, 0, 0); }
/* The last row of the table, all counters; SKIP_MATCH lets it be repeated. */
static void config_matching(void) { call(HS_PMU_COUNTER_CONFIG_MATCHING, 3, 0xffff, 1, 0x10021); }
static void start_one(void) { call(HS_PMU_COUNTER_START, 3, 1, 1, 0); hart.started = 0; }
static void stop_one(void) { hart.started = 8; call(HS_PMU_COUNTER_STOP, 3, 1, 0, 0); }
static void start_snapshot(void) { call(HS_PMU_COUNTER_START, 3, 1, 2, 0); hart.started = 0; }
static void stop_snapshot(void) { hart.started = 8; call(HS_PMU_COUNTER_STOP, 3, 1, 2, 0); }
static void fw_read(void) { call(HS_PMU_COUNTER_FW_READ, 19, 0, 0, 0); }
static void fw_read_hi(void) { call(HS_PMU_COUNTER_FW_READ_HI, 19, 0, 0, 0); }
static void set_shmem(void) { call(HS_PMU_SNAPSHOT_SET_SHMEM, 4096, 0, 0, 0); }
static void event_info(void) { call(HS_PMU_EVENT_GET_INFO, 0, 0, 1, 0); }
static void nothing(void) { }
static void fw_event(void) { hs_pmu_fw_event(&pmu, &hart, HS_PMU_FW_SET_TIMER, 1); }

static const struct work {
	const char *name;
	void (*once)(void);
} works[] = {
	{ "num_counters", num_counters },
	{ "counter_get_info", get_info },
	{ "counter_config_matching", config_matching },
	{ "counter_start", start_one },
	{ "counter_stop", stop_one },
	{ "counter_start-snapshot", start_snapshot },
	{ "counter_stop-snapshot", stop_snapshot },
	{ "counter_fw_read", fw_read },
	{ "counter_fw_read_hi", fw_read_hi },
	{ "snapshot_set_shmem", set_shmem },
	{ "event_get_info", event_info },
	{ "fw_event", fw_event },
	{ "none", nothing },
};

/* Counter 3 has an event, 19 a firmware event, both at rest; the snapshot is the second page. */
static bool prepare(void)
{
	const struct hs_pmu_config config = {
		.size = sizeof(config),
		.xlen = 64,
		.event_bits = 64,
		.fw_counters = 16,
		.fw_width = 64,
		.sscofpmf = true,
		.snapshot = true,
		.event_info = true,
		.forced = HS_PMU_CFG_SET_MINH,
		.hw_counters = 19,
		.fw_events = 0x3fffff,
		.event_rows = 5,
		.hw = counters,
		.events = events,
		.ops = &ops,
	};

	if (hs_pmu_init(&pmu, &config) != HS_OK)
		return false;
	hs_pmu_hart_init(&pmu, &hart, NULL);
	page[0] = 0x21;
	page[2] = 1;
	call(HS_PMU_COUNTER_CONFIG_MATCHING, 3, 1, 0, 1);
	call(HS_PMU_COUNTER_CONFIG_MATCHING, 19, 1, 0, 0xf0005);
	call(HS_PMU_SNAPSHOT_SET_SHMEM, 4096, 0, 0, 0);
	return hart.configured == 0x80008 && hart.has_shmem;
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
		if (argc < 2)
			puts(works[i].name);
		else if (strcmp(works[i].name, argv[1]) == 0) {
			if (!prepare())
				return 1;
			for (unsigned n = 0; n < TIMES; n++)
				works[i].once();
			return 0;
		}
	}
	return argc < 2 ? 0 : 2;
}
