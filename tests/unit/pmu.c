/* The PMU library without its ecalls: configurations, save and restore, names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pmu_fake.h"

/* ---- configurations --------------------------------------------------------------- */

static const struct hs_pmu_counter same_csr[] = { { 0xc03, 64 }, { 0xc03, 64 } };
static const struct hs_pmu_counter time_csr[] = { { 0xc01, 64 } };
static const struct hs_pmu_counter low_csr[] = { { 0xb03, 64 } };
static const struct hs_pmu_counter high_csr[] = { { 0xc20, 64 } };
static const struct hs_pmu_counter too_wide[] = { { 0xc03, 65 } };
static const struct hs_pmu_event_row upside_down = { 5, 4, 8, 0 };
static const struct hs_pmu_event_row raw_type = { 0x20000, 0x20000, 8, 0 };
static const struct hs_pmu_event_row every_cache_event = { 0x10000, 0x1ffff, 8, 0 };
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
	{ "time is no counter", HW, time_csr, 1, HS_E_CONFIG },
	{ "a machine-level CSR", HW, low_csr, 1, HS_E_CONFIG },
	{ "a CSR after hpmcounter31", HW, high_csr, 1, HS_E_CONFIG },
	{ "a counter of 65 bits", HW, too_wide, 1, HS_E_CONFIG },
	{ "a range upside down", EVENTS, &upside_down, 1, HS_E_CONFIG },
	{ "a raw event in the table of events", EVENTS, &raw_type, 1, HS_E_CONFIG },
	{ "all codes of cache events", EVENTS, &every_cache_event, 1, HS_OK },
	{ "a row with a hole", EVENTS, &a_hole, 1, HS_E_CONFIG },
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

static void configuration(void **state)
{
	const struct refusal *r = *state;
	struct hs_pmu_config c = fake_config(64, 4, 48);
	struct hs_pmu pmu;

	change(&c, r);
	assert_int_equal(hs_pmu_init(&pmu, &c), r->status);
	assert_int_equal(hs_pmu_init(NULL, &c), HS_E_ARG);
	assert_int_equal(hs_pmu_init(&pmu, NULL), HS_E_ARG);
}

/* Nothing but a size: 16 firmware counters of 64 bits count all 22 firmware events (0 to 21), for
 * RV64. */
static void default_configuration(void **state)
{
	struct {
		struct hs_pmu_config c;
		uint8_t later[8];
	} v = { .c.size = sizeof(v.c.size) };
	static struct hs_pmu_hart hart;
	static struct hs_pmu pmu;
	uint64_t args[6] = { 0, 1, HS_PMU_CFG_AUTO_START, 0xf0000 };

	(void)state;
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
static void upper_bits_of_raw_events(void **state)
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

	(void)state;
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

/* ---- save and restore ------------------------------------------------------------- */

struct pair {
	struct hs_pmu pmu;
	struct hs_pmu_hart from, to;
	struct fake fake, other;
	struct hs_pmu_saved saved;
};

static void call(const struct hs_pmu *pmu, struct hs_pmu_hart *hart, unsigned fid, uint64_t a,
                 uint64_t b,
                 uint64_t c, uint64_t d, uint64_t e)
{
	const uint64_t args[6] = { a, b, c, d, e };

	assert_int_equal(fake_ecall(pmu, hart, fid, args).error, HS_SBI_SUCCESS);
}

/* Hart "from": 3 counts cycles and has overflowed, 6 is configured, 7 counts a firmware event. */
static void begin(struct pair *p)
{
	const struct hs_pmu_config c = fake_config(64, 4, 48);

	memset(p, 0, sizeof(*p));
	fake_init(&p->fake);
	fake_init(&p->other);
	assert_int_equal(hs_pmu_init(&p->pmu, &c), HS_OK);
	hs_pmu_hart_init(&p->pmu, &p->from, &p->fake);
	hs_pmu_hart_init(&p->pmu, &p->to, &p->other);
	call(&p->pmu, &p->from, HS_PMU_SNAPSHOT_SET_SHMEM, FAKE_BASE, 0, 0, 0, 0);
	call(&p->pmu, &p->from, HS_PMU_COUNTER_CONFIG_MATCHING, 0, 8,
	     HS_PMU_CFG_AUTO_START | HS_PMU_CFG_SET_UINH, 1, 0);
	call(&p->pmu, &p->from, HS_PMU_COUNTER_CONFIG_MATCHING, 0, 0x40, 0, 4, 0);
	call(&p->pmu, &p->from, HS_PMU_COUNTER_CONFIG_MATCHING, 0, 0x80, HS_PMU_CFG_AUTO_START,
	     0xf0005, 0);
	p->fake.value[3] = 0x123456789abcdef0;
	p->fake.event[3] |= HS_PMU_EVENT_OF;
	p->fake.value[2] = 99;
	hs_pmu_fw_event(&p->pmu, &p->from, HS_PMU_FW_SET_TIMER, 7);
	hs_pmu_save(&p->pmu, &p->from, &p->saved);
}

static void save_stops_the_hart(void **state)
{
	static struct pair p;

	(void)state;
	begin(&p);
	assert_int_equal(p.fake.running, 0);
}

static void restore_goes_on(void **state)
{
	static struct pair p;
	const uint64_t args[6] = { 7 };

	(void)state;
	begin(&p);
	assert_int_equal(hs_pmu_restore(&p.pmu, &p.to, &p.saved), HS_OK);
	assert_int_equal(p.other.running, 8);
	assert_int_equal(p.other.value[3], 0x123456789abcdef0);
	assert_int_equal(p.other.value[2], 99);
	assert_int_equal(p.other.event[3], HS_PMU_EVENT_OF | HS_PMU_EVENT_MINH | HS_PMU_EVENT_UINH |
	                 1);
	assert_int_equal(p.other.event[5], HS_PMU_EVENT_MINH | 0xabc);
	hs_pmu_fw_event(&p.pmu, &p.to, HS_PMU_FW_SET_TIMER, 1);
	assert_int_equal(fake_ecall(&p.pmu, &p.to, HS_PMU_COUNTER_FW_READ, args).value, 8);
	call(&p.pmu, &p.to, HS_PMU_COUNTER_STOP, 0, 8, HS_PMU_STOP_TAKE_SNAPSHOT, 0, 0);
	assert_int_equal(p.other.memory[0], 8);
}

/* The same hart, after a suspend in which the counters were lost. */
static void restore_after_suspend(void **state)
{
	static struct pair p;

	(void)state;
	begin(&p);
	memset(p.fake.value, 0xa5, sizeof(p.fake.value));
	memset(p.fake.event, 0, sizeof(p.fake.event));
	assert_int_equal(hs_pmu_restore(&p.pmu, &p.from, &p.saved), HS_OK);
	assert_int_equal(p.fake.running, 8);
	assert_int_equal(p.fake.value[3], 0x123456789abcdef0);
	assert_int_equal(p.fake.event[3] >> 63, 1);
}

/* What hs_pmu_restore() refuses: one field of a good state is changed. */
enum spoil {
	VERSION, COUNT, HOLE, NO_EVENT, NO_SUCH_EVENT, CANNOT, DATA, INHIBIT, FIXED_OVERFLOW,
		FW_OVERFLOW, SHMEM_ALIGN,
	SHMEM_WHERE,
};

static const struct spoiled {
	const char *name;
	enum spoil spoil;
	enum hs_status status;
} spoiled[] = {
	{ "restore: another version", VERSION, HS_E_FORMAT },
	{ "restore: another number of counters", COUNT, HS_E_FORMAT },
	{ "restore: a counter that does not exist", HOLE, HS_E_FIELD },
	{ "restore: started without event", NO_EVENT, HS_E_FIELD },
	{ "restore: an event that does not exist", NO_SUCH_EVENT, HS_E_FIELD },
	{ "restore: an event that the counter cannot monitor", CANNOT, HS_E_FIELD },
	{ "restore: event_data that is reserved", DATA, HS_E_FIELD },
	{ "restore: a flag that is no filter", INHIBIT, HS_E_FIELD },
	{ "restore: an overflow of instret", FIXED_OVERFLOW, HS_E_FIELD },
	{ "restore: an overflow of a firmware counter", FW_OVERFLOW, HS_E_FIELD },
	{ "restore: a snapshot that is not aligned", SHMEM_ALIGN, HS_E_FIELD },
	{ "restore: a snapshot that is not the supervisor's", SHMEM_WHERE, HS_E_FIELD },
};

static void spoil(struct hs_pmu_saved *s, enum spoil what)
{
	switch (what) {
	case VERSION: s->version++; break;
	case COUNT: s->num_counters--; break;
	case HOLE: s->configured |= 2; break;
	case NO_EVENT: s->started |= 4; break;
	case NO_SUCH_EVENT: s->slot[3].event_idx = 11; break;
	case CANNOT: s->slot[3].event_idx = 4; break;
	case DATA: s->slot[3].event_data = 1; break;
	case INHIBIT: s->slot[3].inhibit = 1; break;
	case FIXED_OVERFLOW: s->overflowed |= 4; break;
	case FW_OVERFLOW: s->overflowed |= 0x80; break;
	case SHMEM_ALIGN: s->shmem += 8; break;
	case SHMEM_WHERE: s->shmem = 0; break;
	}
}

static void refused(void **state)
{
	static struct pair p, before;
	const struct spoiled *r = *state;

	begin(&p);
	spoil(&p.saved, r->spoil);
	before = p;
	assert_int_equal(hs_pmu_restore(&p.pmu, &p.to, &p.saved), r->status);
	assert_memory_equal(&p.to, &before.to, sizeof(p.to));
	assert_memory_equal(p.other.value, before.other.value, sizeof(p.other.value));
	assert_memory_equal(p.other.event, before.other.event, sizeof(p.other.event));
	assert_int_equal(p.other.running, before.other.running);
}

/* A selector in a saved state is not believed. */
static void restore_finds_selectors_again(void **state)
{
	static struct pair p;

	(void)state;
	begin(&p);
	p.saved.slot[3].selector = p.saved.slot[6].selector = UINT64_MAX;
	assert_int_equal(hs_pmu_restore(&p.pmu, &p.to, &p.saved), HS_OK);
	assert_int_equal(p.other.event[3] & ~HS_PMU_EVENT_OF,
	                 HS_PMU_EVENT_MINH | HS_PMU_EVENT_UINH | 1);
	assert_int_equal(p.other.event[5], HS_PMU_EVENT_MINH | 0xabc);
}

/* Counters without event: nothing is saved but the value, and they get no event. */
static void free_counters_stay_free(void **state)
{
	static const struct hs_pmu_slot none;
	static struct pair p;

	(void)state;
	begin(&p);
	assert_memory_equal(&p.saved.slot[4], &none, sizeof(none));
	assert_memory_equal(&p.saved.slot[63], &none, sizeof(none));
	p.other.event[4] = 0x123;
	assert_int_equal(hs_pmu_restore(&p.pmu, &p.to, &p.saved), HS_OK);
	assert_int_equal(p.other.event[4], HS_PMU_EVENT_MINH);
}

/* The hart that is restored counts: it stops first, and only what is saved counts afterwards. */
static void restore_over_a_counting_hart(void **state)
{
	static struct pair p;

	(void)state;
	begin(&p);
	call(&p.pmu, &p.to, HS_PMU_COUNTER_CONFIG_MATCHING, 0, 0x10, HS_PMU_CFG_AUTO_START, 1, 0);
	call(&p.pmu, &p.to, HS_PMU_COUNTER_CONFIG_MATCHING, 0, 0x200, HS_PMU_CFG_AUTO_START,
	     0xf0006, 0);
	assert_int_equal(p.other.running, 0x10);
	assert_int_equal(hs_pmu_restore(&p.pmu, &p.to, &p.saved), HS_OK);
	assert_int_equal(p.other.running, 8);
	hs_pmu_fw_event(&p.pmu, &p.to, 6, 1);
	assert_int_equal(p.to.slot[9].value, 0);
}

/* A firmware counter's value is cut to its width. */
static void restore_cuts_values(void **state)
{
	static struct pair p;
	const uint64_t args[6] = { 7 };

	(void)state;
	begin(&p);
	p.saved.slot[7].value = UINT64_MAX;
	assert_int_equal(hs_pmu_restore(&p.pmu, &p.to, &p.saved), HS_OK);
	assert_int_equal(fake_ecall(&p.pmu, &p.to, HS_PMU_COUNTER_FW_READ, args).value,
	                 UINT64_MAX >> 16);
}

/* The state of begin() as bytes: the table in src/pmu/saved.c, by hand. */
static const uint8_t head[] = {
	'H', 'P', 'M', 'U', 1, 0, 0, 0, 11, 0, 0, 0, 0, 0, 0, 0,
	0xc8, 0, 0, 0, 0, 0, 0, 0, /* configured: 3, 6, 7 */
	0x88, 0, 0, 0, 0, 0, 0, 0, /* started: 3, 7 */
	0x08, 0, 0, 0, 0, 0, 0, 0, /* overflowed: 3 */
	0x00, 0x00, 0x20, 0x80, 0, 0, 0, 0, /* shmem */
};
static const uint8_t slot_3[] = {
	0xf0, 0xde, 0xbc, 0x9a, 0x78, 0x56, 0x34, 0x12, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 0, 0, 0, HS_PMU_CFG_SET_UINH, 0, 0, 0,
};
static const uint8_t slot_7[] = {
	7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0x0f, 0, 0, 0, 0, 0,
};

static void saved_as_bytes(void **state)
{
	static uint8_t bytes[HS_PMU_SAVED_BYTES + 3];
	static struct pair p;
	static struct hs_pmu_saved again;

	(void)state;
	begin(&p);
	p.saved.slot[4].event_data = UINT64_C(0x8877665544332211);
	assert_int_equal(hs_pmu_saved_write(&p.saved, bytes), 48 + 11 * 24);
	assert_memory_equal(bytes, head, sizeof(head));
	assert_memory_equal(bytes + 48 + 3 * 24, slot_3, sizeof(slot_3));
	assert_memory_equal(bytes + 48 + 7 * 24, slot_7, sizeof(slot_7));
	assert_int_equal(bytes[48 + 4 * 24 + 8], 0x11);
	assert_int_equal(bytes[48 + 4 * 24 + 15], 0x88);
	p.saved.slot[4].event_data = 0;
	hs_pmu_saved_write(&p.saved, bytes);
	struct hs_span in = { bytes, 48 + 11 * 24 + 3 };

	assert_int_equal(hs_pmu_saved_read(&again, &in), HS_OK);
	assert_ptr_equal(in.p, bytes + 48 + 11 * 24);
	assert_int_equal(in.n, 3);
	for (unsigned i = 0; i < 11; i++)
		p.saved.slot[i].selector = 0; /* found again */
	assert_memory_equal(&again, &p.saved, sizeof(again));
	assert_int_equal(hs_pmu_restore(&p.pmu, &p.to, &again), HS_OK);
	assert_int_equal(p.other.event[5], HS_PMU_EVENT_MINH | 0xabc);
}

static const struct bad_bytes {
	const char *name;
	unsigned at, n;
	uint8_t byte;
	enum hs_status status;
} bad_bytes[] = {
	{ "saved bytes: complete", 0, 48 + 11 * 24, 'H', HS_OK },
	{ "saved bytes: one slot less", 8, 48 + 11 * 24, 10, HS_OK },
	{ "saved bytes: nothing", 0, 0, 'H', HS_E_TRUNCATED },
	{ "saved bytes: the head ends early", 0, 47, 'H', HS_E_TRUNCATED },
	{ "saved bytes: the slots end early", 0, 48 + 11 * 24 - 1, 'H', HS_E_TRUNCATED },
	{ "saved bytes: another word in front", 0, 48 + 11 * 24, 'h', HS_E_FORMAT },
	{ "saved bytes: a later version", 4, 48 + 11 * 24, 2, HS_E_FORMAT },
	{ "saved bytes: 65 counters", 8, 48 + 11 * 24, 65, HS_E_FORMAT },
	{ "saved bytes: 64 counters", 8, 48 + 11 * 24, 64, HS_E_TRUNCATED },
	{ "saved bytes: a bit that is 0", 15, 48 + 11 * 24, 1, HS_E_FORMAT },
};

static void bytes_are_checked(void **state)
{
	static uint8_t bytes[HS_PMU_SAVED_BYTES];
	static struct pair p;
	static struct hs_pmu_saved untouched, saved;
	const struct bad_bytes *b = *state;

	begin(&p);
	hs_pmu_saved_write(&p.saved, bytes);
	bytes[b->at] = b->byte;
	memset(&saved, 0xa5, sizeof(saved));
	untouched = saved;
	struct hs_span in = { bytes, b->n };

	assert_int_equal(hs_pmu_saved_read(&saved, &in), b->status);
	if (b->status == HS_OK)
		return;
	assert_memory_equal(&saved, &untouched, sizeof(saved));
	assert_int_equal(in.n, b->n);
}

/* ---- names ------------------------------------------------------------------------ */

static void names(void **state)
{
	(void)state;
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

static void gap_14_entries_are_limited(void **state)
{
	struct hs_pmu_ops ops = fake_ops;
	struct hs_pmu_config c = fake_config(64, 4, 48);
	struct hs_pmu pmu;
	static struct hs_pmu_hart hart;
	static struct fake fake;
	uint64_t args[6] = { FAKE_BASE, 0, 4096, 0 };

	(void)state;
	ops.memory_check = allow;
	ops.memory_read = read_zeros;
	ops.memory_write = write_nothing;
	c.ops = &ops;
	fake_init(&fake);
	assert_int_equal(hs_pmu_init(&pmu, &c), HS_OK);
	hs_pmu_hart_init(&pmu, &hart, &fake);
	assert_int_equal(hs_pmu_ecall(&pmu, &hart, HS_PMU_EVENT_GET_INFO, args).error,
	                 HS_SBI_SUCCESS);
	args[2]++;
	assert_int_equal(hs_pmu_ecall(&pmu, &hart, HS_PMU_EVENT_GET_INFO, args).error,
	                 HS_SBI_ERR_FAILED);
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

int main(void)
{
	static struct CMUnitTest tests[COUNT(refusals) + COUNT(spoiled) + COUNT(bad_bytes) + 12];
	size_t n = 0;

	for (size_t i = 0; i < COUNT(refusals); i++)
		tests[n++] = (struct CMUnitTest){ .name = refusals[i].name,
		                                  .test_func = configuration,
			                          .initial_state =
			                          (void *)(uintptr_t)&refusals[i] };
	for (size_t i = 0; i < COUNT(spoiled); i++)
		tests[n++] = (struct CMUnitTest){ .name = spoiled[i].name, .test_func = refused,
			                          .initial_state = (void *)(uintptr_t)&spoiled[i] };
	for (size_t i = 0; i < COUNT(bad_bytes); i++)
		tests[n++] = (struct CMUnitTest){ .name = bad_bytes[i].name,
		                                  .test_func = bytes_are_checked,
			                          .initial_state =
			                          (void *)(uintptr_t)&bad_bytes[i] };
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(upper_bits_of_raw_events);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(saved_as_bytes);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(default_configuration);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(free_counters_stay_free);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(restore_over_a_counting_hart);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(restore_cuts_values);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(save_stops_the_hart);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(restore_goes_on);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(restore_after_suspend);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(restore_finds_selectors_again);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(names);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(gap_14_entries_are_limited);
	return _cmocka_run_group_tests("pmu", tests, n, NULL, NULL);
}
