/* A hart's PMU saved and restored, in memory and as bytes. */
#include "cases.h"

#include "pmu_fake.h"

struct pair {
	struct hs_pmu pmu;
	struct hs_pmu_hart from, to;
	struct fake fake, other;
	struct hs_pmu_saved saved;
};

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
	fake_do(&p->pmu, &p->from, HS_PMU_SNAPSHOT_SET_SHMEM, FAKE_BASE, 0, 0, 0, 0);
	fake_do(&p->pmu, &p->from, HS_PMU_COUNTER_CONFIG_MATCHING, 0, 8,
	     HS_PMU_CFG_AUTO_START | HS_PMU_CFG_SET_UINH, 1, 0);
	fake_do(&p->pmu, &p->from, HS_PMU_COUNTER_CONFIG_MATCHING, 0, 0x40, 0, 4, 0);
	fake_do(&p->pmu, &p->from, HS_PMU_COUNTER_CONFIG_MATCHING, 0, 0x80, HS_PMU_CFG_AUTO_START,
	     0xf0005, 0);
	p->fake.value[3] = 0x123456789abcdef0;
	p->fake.event[3] |= HS_PMU_EVENT_OF;
	p->fake.value[2] = 99;
	hs_pmu_fw_event(&p->pmu, &p->from, HS_PMU_FW_SET_TIMER, 7);
	hs_pmu_save(&p->pmu, &p->from, &p->saved);
}

TEST(save_stops_the_hart)
{
	static struct pair p;

	begin(&p);
	assert_int_equal(p.fake.running, 0);
}

TEST(restore_goes_on)
{
	static struct pair p;
	const uint64_t args[6] = { 7 };

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
	fake_do(&p.pmu, &p.to, HS_PMU_COUNTER_STOP, 0, 8, HS_PMU_STOP_TAKE_SNAPSHOT, 0, 0);
	assert_int_equal(p.other.memory[0], 8);
}

/* The same hart, after a suspend in which the counters were lost. */
TEST(restore_after_suspend)
{
	static struct pair p;

	begin(&p);
	memset(p.fake.value, 0xa5, sizeof(p.fake.value));
	memset(p.fake.event, 0, sizeof(p.fake.event));
	assert_int_equal(hs_pmu_restore(&p.pmu, &p.from, &p.saved), HS_OK);
	assert_int_equal(p.fake.running, 8);
	assert_int_equal(p.fake.armed, 8);
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

TEST_ROWS(refused, spoiled, r)
{
	static struct pair p, before;

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
TEST(restore_finds_selectors_again)
{
	static struct pair p;

	begin(&p);
	p.saved.slot[3].selector = p.saved.slot[6].selector = UINT64_MAX;
	assert_int_equal(hs_pmu_restore(&p.pmu, &p.to, &p.saved), HS_OK);
	assert_int_equal(p.other.event[3] & ~HS_PMU_EVENT_OF,
	                 HS_PMU_EVENT_MINH | HS_PMU_EVENT_UINH | 1);
	assert_int_equal(p.other.event[5], HS_PMU_EVENT_MINH | 0xabc);
}

/* Counters without event: nothing is saved but the value, and they get no event. */
TEST(free_counters_stay_free)
{
	static const struct hs_pmu_slot none;
	static struct pair p;

	begin(&p);
	assert_memory_equal(&p.saved.slot[4], &none, sizeof(none));
	assert_memory_equal(&p.saved.slot[63], &none, sizeof(none));
	p.other.event[4] = 0x123;
	assert_int_equal(hs_pmu_restore(&p.pmu, &p.to, &p.saved), HS_OK);
	assert_int_equal(p.other.event[4], HS_PMU_EVENT_MINH);
}

/* The hart that is restored counts: it stops first, and only what is saved counts afterwards. */
TEST(restore_over_a_counting_hart)
{
	static struct pair p;

	begin(&p);
	fake_do(&p.pmu, &p.to, HS_PMU_COUNTER_CONFIG_MATCHING, 0, 0x10, HS_PMU_CFG_AUTO_START, 1,
	        0);
	fake_do(&p.pmu, &p.to, HS_PMU_COUNTER_CONFIG_MATCHING, 0, 0x200, HS_PMU_CFG_AUTO_START,
	     0xf0006, 0);
	assert_int_equal(p.other.running, 0x10);
	assert_int_equal(hs_pmu_restore(&p.pmu, &p.to, &p.saved), HS_OK);
	assert_int_equal(p.other.running, 8);
	hs_pmu_fw_event(&p.pmu, &p.to, 6, 1);
	assert_int_equal(p.to.slot[9].value, 0);
}

/* Counter 0, and nothing after the last counter. */
TEST(restore_of_all_counters)
{
	static struct pair p;

	begin(&p);
	p.saved.configured |= 1;
	p.saved.slot[0].event_idx = 1;
	p.saved.slot[0].inhibit = HS_PMU_CFG_SET_SINH;
	p.saved.slot[0].value = 77;
	p.saved.slot[11].value = 5;
	assert_int_equal(hs_pmu_restore(&p.pmu, &p.to, &p.saved), HS_OK);
	assert_int_equal(p.other.value[0], 77);
	assert_int_equal(p.other.event[0], HS_PMU_EVENT_MINH | HS_PMU_EVENT_SINH);
	assert_int_equal(p.to.slot[0].event_idx, 1);
	assert_int_equal(p.to.slot[11].value, 0);
	hs_pmu_save(&p.pmu, &p.to, &p.saved);
	assert_int_equal(p.saved.slot[0].event_idx, 1);
	assert_int_equal(p.saved.slot[0].value, 77);
}

/* 64 counters, the last of which counts. */
TEST(save_of_64_counters)
{
	const struct hs_pmu_config c = fake_config(64, 57, 64);
	static struct pair p;

	fake_init(&p.fake);
	assert_int_equal(hs_pmu_init(&p.pmu, &c), HS_OK);
	hs_pmu_hart_init(&p.pmu, &p.from, &p.fake);
	fake_do(&p.pmu, &p.from, HS_PMU_COUNTER_CONFIG_MATCHING, 63, 1, HS_PMU_CFG_AUTO_START,
	     0xf0005, 0);
	hs_pmu_fw_event(&p.pmu, &p.from, 5, 9);
	hs_pmu_save(&p.pmu, &p.from, &p.saved);
	hs_pmu_hart_init(&p.pmu, &p.from, &p.fake);
	assert_int_equal(hs_pmu_restore(&p.pmu, &p.from, &p.saved), HS_OK);
	hs_pmu_fw_event(&p.pmu, &p.from, 5, 1);
	assert_int_equal(p.from.slot[63].value, 10);
}

/* A counter that was reset has an event no longer. */
TEST(reset_counters_are_not_saved)
{
	static struct pair p;

	begin(&p);
	assert_int_equal(hs_pmu_restore(&p.pmu, &p.from, &p.saved), HS_OK);
	fake_do(&p.pmu, &p.from, HS_PMU_COUNTER_STOP, 0, 8, HS_PMU_STOP_RESET, 0, 0);
	hs_pmu_save(&p.pmu, &p.from, &p.saved);
	assert_int_equal(p.saved.slot[3].event_idx | p.saved.slot[3].inhibit, 0);
	assert_int_equal(p.saved.slot[3].selector, 0);
	assert_int_equal(p.saved.slot[3].value, 0x123456789abcdef0);
}

/* Gap 17: the value of a counter without event stays, also over a restore. */
TEST(values_without_event)
{
	static struct pair p;
	const uint64_t args[6] = { 7 };

	begin(&p);
	assert_int_equal(hs_pmu_restore(&p.pmu, &p.from, &p.saved), HS_OK);
	fake_do(&p.pmu, &p.from, HS_PMU_COUNTER_STOP, 7, 1, HS_PMU_STOP_RESET, 0, 0);
	hs_pmu_save(&p.pmu, &p.from, &p.saved);
	assert_int_equal(hs_pmu_restore(&p.pmu, &p.to, &p.saved), HS_OK);
	fake_do(&p.pmu, &p.to, HS_PMU_COUNTER_CONFIG_MATCHING, 7, 1, 0, 0xf0006, 0);
	assert_int_equal(fake_ecall(&p.pmu, &p.to, HS_PMU_COUNTER_FW_READ, args).value, 7);
}

/* A firmware counter's value is cut to its width. */
TEST(restore_cuts_values)
{
	static struct pair p;
	const uint64_t args[6] = { 7 };

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

TEST(saved_as_bytes)
{
	static uint8_t bytes[HS_PMU_SAVED_BYTES + 3];
	static struct pair p;
	static struct hs_pmu_saved again;

	begin(&p);
	p.saved.slot[4].event_data = UINT64_C(0x8877665544332211);
	assert_int_equal(hs_pmu_saved_write(&p.saved, bytes), 48 + 11 * 24);
	assert_memory_equal(bytes, head, sizeof(head));
	assert_memory_equal(bytes + 48 + 3 * 24, slot_3, sizeof(slot_3));
	assert_memory_equal(bytes + 48 + 7 * 24, slot_7, sizeof(slot_7));
	assert_int_equal(bytes[48 + 4 * 24 + 8], 0x11);
	assert_int_equal(bytes[48 + 4 * 24 + 15], 0x88);
	p.saved.slot[4].event_data = 0;
	memset(bytes, 0xff, sizeof(bytes));
	hs_pmu_saved_write(&p.saved, bytes);
	assert_int_equal(bytes[48 + 11 * 24], 0xff);
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
	{ "saved bytes: the head alone, of no counters", 8, 48, 0, HS_OK },
	{ "saved bytes: nothing", 0, 0, 'H', HS_E_TRUNCATED },
	{ "saved bytes: the head ends early", 0, 47, 'H', HS_E_TRUNCATED },
	{ "saved bytes: the slots end early", 0, 48 + 11 * 24 - 1, 'H', HS_E_TRUNCATED },
	{ "saved bytes: another word in front", 0, 48 + 11 * 24, 'h', HS_E_FORMAT },
	{ "saved bytes: a later version", 4, 48 + 11 * 24, 2, HS_E_FORMAT },
	{ "saved bytes: 65 counters", 8, 48 + 11 * 24, 65, HS_E_FORMAT },
	{ "saved bytes: 64 counters", 8, 48 + 11 * 24, 64, HS_E_TRUNCATED },
	{ "saved bytes: a bit that is 0", 15, 48 + 11 * 24, 1, HS_E_FORMAT },
};

TEST_ROWS(bytes_are_checked, bad_bytes, b)
{
	static uint8_t bytes[HS_PMU_SAVED_BYTES];
	static struct pair p;
	static struct hs_pmu_saved untouched, saved;

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

