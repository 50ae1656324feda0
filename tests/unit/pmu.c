/* The PMU library without its ecalls: configurations, limits, names. */
#include "cases.h"

#include "pmu_fake.h"

/* ---- configurations --------------------------------------------------------------- */

static const struct hs_pmu_counter same_csr[] = { { 0xc03, 64 }, { 0xc03, 64 } };
static const struct hs_pmu_counter same_csr_later[] = {
	{ 0xc03, 64 }, { 0xc04, 64 }, { 0xc03, 64 },
};
static const struct hs_pmu_counter time_csr[] = { { 0xc01, 64 } };
static const struct hs_pmu_counter low_csr[] = { { 0xb03, 64 } };
static const struct hs_pmu_counter high_csr[] = { { 0xc20, 64 } };
static const struct hs_pmu_counter too_wide[] = { { 0xc03, 65 } };
static const struct hs_pmu_event_row upside_down = { 5, 4, 8, 0 };
static const struct hs_pmu_event_row raw_type = { 0x20000, 0x20000, 8, 0 };
static const struct hs_pmu_event_row every_cache_event = { 0x10000, 0x1ffff, 8, 0 };
static const struct hs_pmu_event_row second_is_a_hole[] = { { 5, 5, 8, 0 }, { 6, 6, 2, 0 } };
static const struct hs_pmu_raw_row second_on_cycle[] = { { 0, 0, 8 }, { 0, 0, 1 } };
static const struct hs_pmu_event_row a_hole = { 5, 5, 2, 0 };
static const struct hs_pmu_event_row a_firmware_counter = { 5, 5, 0x80, 0 };
static const struct hs_pmu_event_row branches_on_cycle = { 5, 5, 1, 0 };
static const struct hs_pmu_event_row range_on_cycle = { 1, 2, 1, 0 };
static const struct hs_pmu_event_row cycles_on_instret = { 1, 1, 4, 0 };
static const struct hs_pmu_event_row selector_of_58 = { 5, 5, 8, 1ull << 57 };
static const struct hs_pmu_event_row selector_of_59 = { 5, 5, 8, 1ull << 58 };
static const struct hs_pmu_event_row selector_of_64 = { 5, 5, 8, 1ull << 63 };
static const struct hs_pmu_event_row selector_of_33 = { 5, 5, 8, 1ull << 32 };
static const struct hs_pmu_raw_row raw_of_58 = { 3ull << 56, 3ull << 56, 8 };
static const struct hs_pmu_raw_row raw_of_59 = { 1ull << 58, UINT64_MAX, 8 };
static const struct hs_pmu_raw_row raw_outside_mask = { 3, 2, 8 };
static const struct hs_pmu_raw_row raw_on_cycle = { 0, 0, 1 };
static const struct hs_pmu_raw_row raw_on_instret = { 0, 0, 4 };

/* A change to the full configuration, and what hs_pmu_init() says to it. */
enum change {
	NOTHING, SIZE, SIZE_OF_OPS, RESERVED, XLEN, EVENT_BITS, OF_IN_32_BITS, NO_COUNTERS,
		COUNTERS_65, COUNTERS_64, FW_WIDTH_65, FW_WIDTH_0,
	ONE_COUNTER, FORCED, FW_EVENT_22, IMPL_EVENTS, IMPL_EVENTS_MOST, HW, EVENTS,
	EVENTS_WITHOUT_OF, EVENTS_OF_32, RAWS, NO_OPS, NO_MEMORY_OPS, NO_HW_TABLE,
};

static const struct refusal {
	const char *name;
	enum change change;
	const void *table;
	unsigned count;
	enum hs_status status;
} refusals[] = {
	{ "the full configuration", NOTHING, NULL, 0, HS_OK },
	{ "a size that does not hold the size", SIZE, NULL, 0, HS_E_CONFIG },
	{ "ops whose size does not hold the size", SIZE_OF_OPS, NULL, 0, HS_E_CONFIG },
	{ "a reserved member", RESERVED, NULL, 0, HS_E_CONFIG },
	{ "XLEN 128", XLEN, NULL, 0, HS_E_CONFIG },
	{ "mhpmevent of 48 bits", EVENT_BITS, NULL, 0, HS_E_CONFIG },
	{ "OF in an mhpmevent of 32 bits", OF_IN_32_BITS, NULL, 0, HS_E_CONFIG },
	{ "no counter", NO_COUNTERS, NULL, 0, HS_E_CONFIG },
	{ "one counter", ONE_COUNTER, NULL, 0, HS_OK },
	{ "64 counters", COUNTERS_64, NULL, 0, HS_OK },
	{ "65 counters", COUNTERS_65, NULL, 0, HS_E_CONFIG },
	{ "firmware counters of 65 bits", FW_WIDTH_65, NULL, 0, HS_E_CONFIG },
	{ "firmware counters of 0 bits have 64", FW_WIDTH_0, NULL, 0, HS_OK },
	{ "a forced flag that is no filter", FORCED, NULL, 0, HS_E_CONFIG },
	{ "firmware event 22", FW_EVENT_22, NULL, 0, HS_E_CONFIG },
	{ "implementation-specific events up to 65534", IMPL_EVENTS_MOST, NULL, 0, HS_OK },
	{ "implementation-specific events up to 65535", IMPL_EVENTS, NULL, 0, HS_E_CONFIG },
	{ "two counters with one CSR", HW, same_csr, 2, HS_E_CONFIG },
	{ "two counters with one CSR, and one between", HW, same_csr_later, 3, HS_E_CONFIG },
	{ "time is no counter", HW, time_csr, 1, HS_E_CONFIG },
	{ "a machine-level CSR", HW, low_csr, 1, HS_E_CONFIG },
	{ "a CSR after hpmcounter31", HW, high_csr, 1, HS_E_CONFIG },
	{ "a counter of 65 bits", HW, too_wide, 1, HS_E_CONFIG },
	{ "a range upside down", EVENTS, &upside_down, 1, HS_E_CONFIG },
	{ "a raw event in the table of events", EVENTS, &raw_type, 1, HS_E_CONFIG },
	{ "all codes of cache events", EVENTS, &every_cache_event, 1, HS_OK },
	{ "a row with a hole", EVENTS, &a_hole, 1, HS_E_CONFIG },
	{ "a second row with a hole", EVENTS, second_is_a_hole, 2, HS_E_CONFIG },
	{ "a second row of raw events on cycle", RAWS, second_on_cycle, 2, HS_E_CONFIG },
	{ "a row with a firmware counter", EVENTS, &a_firmware_counter, 1, HS_E_CONFIG },
	{ "branches on cycle", EVENTS, &branches_on_cycle, 1, HS_E_CONFIG },
	{ "a range on cycle", EVENTS, &range_on_cycle, 1, HS_E_CONFIG },
	{ "cycles on instret", EVENTS, &cycles_on_instret, 1, HS_E_CONFIG },
	{ "a selector of 58 bits", EVENTS, &selector_of_58, 1, HS_OK },
	{ "a selector of 59 bits", EVENTS, &selector_of_59, 1, HS_E_CONFIG },
	{ "a selector of 64 bits without Sscofpmf", EVENTS_WITHOUT_OF, &selector_of_64, 1, HS_OK },
	{ "a selector of 33 bits of 32", EVENTS_OF_32, &selector_of_33, 1, HS_E_CONFIG },
	{ "raw events with 58 bits", RAWS, &raw_of_58, 1, HS_OK },
	{ "raw events with 59 bits", RAWS, &raw_of_59, 1, HS_E_CONFIG },
	{ "raw events with bits outside their mask", RAWS, &raw_outside_mask, 1, HS_E_CONFIG },
	{ "raw events on cycle", RAWS, &raw_on_cycle, 1, HS_E_CONFIG },
	{ "raw events on instret", RAWS, &raw_on_instret, 1, HS_E_CONFIG },
	{ "no ops", NO_OPS, NULL, 0, HS_E_ARG },
	{ "snapshot without memory ops", NO_MEMORY_OPS, NULL, 0, HS_E_ARG },
	{ "counters without a table", NO_HW_TABLE, NULL, 0, HS_E_ARG },
};

static void change(struct hs_pmu_config *c, const struct refusal *r)
{
	static struct hs_pmu_ops no_memory;
	static const struct hs_pmu_ops no_size = { .size = 3 };

	switch (r->change) {
	case NOTHING: break;
	case SIZE: c->size = 3; break;
	case SIZE_OF_OPS: c->ops = &no_size; break;
	case RESERVED: c->reserved = 1; break;
	case XLEN: c->xlen = 128; break;
	case EVENT_BITS: c->event_bits = 48; break;
	case OF_IN_32_BITS: c->event_bits = 32; break;
	case NO_COUNTERS:
		c->hw_counters = 0;
		c->fw_counters = HS_PMU_NO_FW_COUNTERS;
		c->event_rows = c->raw_rows = 0;
		break;
	case ONE_COUNTER:
		c->hw_counters = 0;
		c->fw_counters = 1;
		c->event_rows = c->raw_rows = 0;
		break;
	case COUNTERS_64: c->fw_counters = 57; break;
	case COUNTERS_65: c->fw_counters = 58; break;
	case FW_WIDTH_65: c->fw_width = 65; break;
	case FW_WIDTH_0: c->fw_width = 0; break;
	case FORCED: c->forced = HS_PMU_CFG_AUTO_START; break;
	case FW_EVENT_22: c->fw_events = 1u << 22; break;
	case IMPL_EVENTS_MOST: c->fw_impl_events = 65535 - 256; break;
	case IMPL_EVENTS: c->fw_impl_events = 65535 - 255; break;
	case HW: c->hw = r->table; c->hw_counters = (uint8_t)r->count;
		c->event_rows = c->raw_rows = 0; break;
	case EVENTS: c->events = r->table; c->event_rows = r->count; break;
	case EVENTS_WITHOUT_OF:
	case EVENTS_OF_32:
		c->events = r->table;
		c->event_rows = r->count;
		c->sscofpmf = false;
		c->event_bits = r->change == EVENTS_OF_32 ? 32 : 64;
		break;
	case RAWS: c->raws = r->table; c->raw_rows = r->count; break;
	case NO_OPS: c->ops = NULL; break;
	case NO_MEMORY_OPS:
		no_memory = fake_ops;
		no_memory.memory_check = NULL;
		c->ops = &no_memory;
		break;
	case NO_HW_TABLE: c->hw = NULL; break;
	}
}

TEST_ROWS(configuration, refusals, r)
{
	struct hs_pmu_config c = fake_config(64, 4, 48);
	struct hs_pmu pmu;

	change(&c, r);
	assert_int_equal(hs_pmu_init(&pmu, &c), r->status);
	assert_int_equal(hs_pmu_init(NULL, &c), HS_E_ARG);
	assert_int_equal(hs_pmu_init(&pmu, NULL), HS_E_ARG);
}

/* Each op is needed where its purpose is configured, and nowhere else. */
TEST(needed_ops)
{
	const size_t counters[] = {
		offsetof(struct hs_pmu_ops, read), offsetof(struct hs_pmu_ops, write),
		offsetof(struct hs_pmu_ops, configure), offsetof(struct hs_pmu_ops, start),
		offsetof(struct hs_pmu_ops, stop), offsetof(struct hs_pmu_ops, overflowed),
	};
	const size_t memory[] = {
		offsetof(struct hs_pmu_ops, memory_check), offsetof(struct hs_pmu_ops, memory_read),
		offsetof(struct hs_pmu_ops, memory_write),
	};
	struct hs_pmu_config c = fake_config(64, 4, 48);
	struct hs_pmu_ops ops;
	struct hs_pmu pmu;

	c.ops = &ops;
	for (unsigned i = 0; i < 6; i++) {
		ops = fake_ops;
		memset((char *)&ops + counters[i], 0, sizeof(ops.read));
		assert_int_equal(hs_pmu_init(&pmu, &c), HS_E_ARG);
	}
	c.sscofpmf = false;
	assert_int_equal(hs_pmu_init(&pmu, &c), HS_OK); /* overflowed is the last one */
	for (unsigned i = 0; i < 9; i++) {
		ops = fake_ops;
		memset((char *)&ops + memory[i / 3], 0, sizeof(ops.read));
		c.snapshot = i % 3 == 1;
		c.event_info = i % 3 == 2;
		assert_int_equal(hs_pmu_init(&pmu, &c), i % 3 ? HS_E_ARG : HS_OK);
	}
}

/* Nothing but a size: 16 firmware counters of 64 bits count all 22 firmware events (0 to 21), for
 * RV64. */
TEST(default_configuration)
{
	struct {
		struct hs_pmu_config c;
		uint8_t later[8];
	} v = { .c.size = sizeof(v.c.size) };
	static struct hs_pmu_hart hart;
	static struct hs_pmu pmu;
	uint64_t args[6] = { 0, 1, HS_PMU_CFG_AUTO_START, 0xf0000 };

	assert_int_equal(hs_pmu_init(&pmu, &v.c), HS_OK);
	hs_pmu_hart_init(&pmu, &hart, NULL);
	assert_int_equal(hs_pmu_ecall(&pmu, &hart, HS_PMU_NUM_COUNTERS, args).value, 16);
	assert_int_equal(hs_pmu_ecall(&pmu, &hart, HS_PMU_COUNTER_GET_INFO, args).value,
	                 1ull << 63 | 63 << 12);
	/* one event for each counter: 0 to 15 */
	for (args[0] = 0; args[0] < 16; args[0]++, args[3]++)
		assert_int_equal(hs_pmu_ecall(&pmu, &hart, 2, args).error, HS_SBI_SUCCESS);
	hs_pmu_fw_event(&pmu, &hart, 15, 3);
	args[0] = 15;
	assert_int_equal(hs_pmu_ecall(&pmu, &hart, HS_PMU_COUNTER_FW_READ, args).value, 3);
	assert_int_equal(hs_pmu_ecall(&pmu, &hart, HS_PMU_COUNTER_STOP,
	                              (const uint64_t[6]){ 15, 1, HS_PMU_STOP_RESET }).error, 0);
	args[3] = 0xf0015; /* 21 is the last one */
	assert_int_equal(hs_pmu_ecall(&pmu, &hart, 2, args).error, HS_SBI_SUCCESS);
	v.c.size = sizeof(v);
	assert_int_equal(hs_pmu_init(&pmu, &v.c), HS_OK);
	v.later[7] = 1;
	assert_int_equal(hs_pmu_init(&pmu, &v.c), HS_E_CONFIG);
	v.c = (struct hs_pmu_config){ .size = sizeof(v.c), .fw_events = HS_PMU_NO_FW_EVENTS };
	assert_int_equal(hs_pmu_init(&pmu, &v.c), HS_OK);
	hs_pmu_hart_init(&pmu, &hart, NULL);
	assert_int_equal(hs_pmu_ecall(&pmu, &hart, 2, args).error, HS_SBI_ERR_NOT_SUPPORTED);
}

/* Raw events have 48 or 56 bits: the others of mhpmevent are the row's. */
TEST(upper_bits_of_raw_events)
{
	static const struct hs_pmu_raw_row row = { 0x2a5000000000100, UINT64_MAX << 8, 8 };
	static const struct {
		uint64_t idx, data;
		int error;
		uint64_t event;
	} calls[] = {
		{ 0x20000, 0x142, HS_SBI_SUCCESS, 0x2a5000000000142 },
		{ 0x20000, 0x100000000142, HS_SBI_ERR_NOT_SUPPORTED, 0 },
		{ 0x30000, 0xa5000000000142, HS_SBI_SUCCESS, 0x2a5000000000142 },
		{ 0x30000, 0x142, HS_SBI_ERR_NOT_SUPPORTED, 0 },
		{ 0x30000, 0x2a5000000000142, HS_SBI_ERR_NOT_SUPPORTED, 0 },
	};
	struct hs_pmu_config c = fake_config(64, 4, 48);
	static struct hs_pmu_hart hart;
	static struct fake fake;
	struct hs_pmu pmu;

	c.raws = &row;
	c.raw_rows = 1;
	assert_int_equal(hs_pmu_init(&pmu, &c), HS_OK);
	for (unsigned i = 0; i < 5; i++) {
		const uint64_t args[6] = { 0, 8, 0, calls[i].idx, calls[i].data };

		fake_init(&fake);
		hs_pmu_hart_init(&pmu, &hart, &fake);
		assert_int_equal(hs_pmu_ecall(&pmu, &hart, 2, args).error, calls[i].error);
		assert_int_equal(fake.event[3], calls[i].event | HS_PMU_EVENT_MINH);
	}
}

/* ---- names ------------------------------------------------------------------------ */

TEST(names_of_events_and_errors)
{
	assert_string_equal(hs_sbi_error_name(-9), "ERR_NO_SHMEM");
	assert_string_equal(hs_sbi_error_name(1), "?");
	assert_string_equal(hs_sbi_error_name(INT64_MIN), "?");
	assert_string_equal(hs_pmu_function_name(8), "event_get_info");
	assert_string_equal(hs_pmu_function_name(0x100000008), "?");
	assert_string_equal(hs_pmu_event_name(0x00005), "BRANCH_INSTRUCTIONS");
	assert_string_equal(hs_pmu_event_name(0xf0015), "HFENCE_VVMA_ASID_RECEIVED");
	assert_string_equal(hs_pmu_event_name(0xfffff), "PLATFORM");
	assert_string_equal(hs_pmu_event_name(0), "?");
}

/* Memory without end: what limits a call is HS_PMU_EVENT_INFO_MAX alone. */
static enum hs_pmu_memory allow(void *ctx, uint64_t address, uint64_t length, unsigned access)
{
	(void)ctx, (void)address, (void)length, (void)access;
	return HS_PMU_MEMORY_OK;
}

static bool read_zeros(void *ctx, uint64_t address, void *to, size_t n)
{
	(void)ctx, (void)address;
	memset(to, 0, n);
	return true;
}

static bool write_nothing(void *ctx, uint64_t address, const void *from, size_t n)
{
	(void)ctx, (void)address, (void)from, (void)n;
	return true;
}

/* A hart whose host has these functions. */
static struct hs_pmu pmu;
static struct hs_pmu_hart hart;
static struct fake fake;

static void begin(const struct hs_pmu_ops *ops)
{
	struct hs_pmu_config c = fake_config(64, 4, 48);

	c.ops = ops;
	fake_init(&fake);
	assert_int_equal(hs_pmu_init(&pmu, &c), HS_OK);
	hs_pmu_hart_init(&pmu, &hart, &fake);
}

TEST(gap_14_entries_are_limited)
{
	struct hs_pmu_ops ops = fake_ops;
	uint64_t args[6] = { FAKE_BASE, 0, 4096, 0 };

	ops.memory_check = allow;
	ops.memory_read = read_zeros;
	ops.memory_write = write_nothing;
	begin(&ops);
	assert_int_equal(hs_pmu_ecall(&pmu, &hart, HS_PMU_EVENT_GET_INFO, args).error,
	                 HS_SBI_SUCCESS);
	args[2]++;
	assert_int_equal(hs_pmu_ecall(&pmu, &hart, HS_PMU_EVENT_GET_INFO, args).error,
	                 HS_SBI_ERR_FAILED);
	args[0] = 0; /* all of memory but the last 16 bytes, and all of it: 2^64 bytes */
	args[2] = UINT64_MAX >> 4;
	assert_int_equal(hs_pmu_ecall(&pmu, &hart, HS_PMU_EVENT_GET_INFO, args).error,
	                 HS_SBI_ERR_FAILED);
	args[2]++;
	assert_int_equal(hs_pmu_ecall(&pmu, &hart, HS_PMU_EVENT_GET_INFO, args).error,
	                 HS_SBI_ERR_INVALID_ADDRESS);
}

/* Another hart changes an entry between the check of all and the answer. */
static unsigned looks;

static bool read_changing(void *ctx, uint64_t address, void *to, size_t n)
{
	(void)ctx, (void)address;
	memset(to, 0, n);
	*(uint8_t *)to = 1;
	((uint8_t *)to)[2] = looks++ ? 0x10 : 0; /* a reserved bit */
	return true;
}

static bool write_never(void *ctx, uint64_t address, const void *from, size_t n)
{
	(void)ctx, (void)address, (void)from, (void)n;
	fail();
	return true;
}

TEST(entries_are_looked_at_twice)
{
	struct hs_pmu_ops ops = fake_ops;
	const uint64_t args[6] = { FAKE_BASE, 0, 1 };

	ops.memory_check = allow;
	ops.memory_read = read_changing;
	ops.memory_write = write_never;
	looks = 0;
	begin(&ops);
	assert_int_equal(hs_pmu_ecall(&pmu, &hart, HS_PMU_EVENT_GET_INFO, args).error,
	                 HS_SBI_ERR_INVALID_PARAM);
	assert_int_equal(looks, 2);
}

static bool every_platform_event(void *ctx, uint64_t data)
{
	(void)ctx, (void)data;
	return true;
}

/* 65535 and what is above are no codes of hs_pmu_fw_event(). */
TEST(firmware_codes)
{
	struct hs_pmu_ops ops = fake_ops;

	ops.platform_event = every_platform_event;
	begin(&ops);
	fake_do(&pmu, &hart, HS_PMU_COUNTER_CONFIG_MATCHING, 7, 1, HS_PMU_CFG_AUTO_START, 0xfffff,
	        0);
	fake_do(&pmu, &hart, HS_PMU_COUNTER_CONFIG_MATCHING, 8, 1, HS_PMU_CFG_AUTO_START, 0xf0005,
	        0);
	hs_pmu_fw_event(&pmu, &hart, 65535, 3);
	hs_pmu_fw_event(&pmu, &hart, 0x10005, 3);
	assert_int_equal(hart.slot[7].value, 0);
	assert_int_equal(hart.slot[8].value, 0);
	hs_pmu_platform_event(&pmu, &hart, 0, 2);
	hs_pmu_fw_event(&pmu, &hart, 5, 4);
	assert_int_equal(hart.slot[7].value, 2);
	assert_int_equal(hart.slot[8].value, 4);
}

/* Gap 12: the last page is a page, and what runs beyond it is none. */
TEST(gap_12_last_page)
{
	struct hs_pmu_ops ops = fake_ops;
	const uint64_t last[6] = { UINT64_MAX << 12 }, entry[6] = { UINT64_MAX << 4, 0, 1 },
		beyond[6] = { UINT64_MAX << 4, 0, 2 };

	ops.memory_check = allow;
	ops.memory_read = read_zeros;
	ops.memory_write = write_nothing;
	begin(&ops);
	assert_int_equal(hs_pmu_ecall(&pmu, &hart, HS_PMU_SNAPSHOT_SET_SHMEM, last).error, 0);
	assert_int_equal(hs_pmu_ecall(&pmu, &hart, HS_PMU_EVENT_GET_INFO, entry).error, 0);
	assert_int_equal(hs_pmu_ecall(&pmu, &hart, HS_PMU_EVENT_GET_INFO, beyond).error,
	                 HS_SBI_ERR_INVALID_ADDRESS);
}
