/* The soft and the virtual backend: modes, overflow, interrupt, and a virtual hart that comes and
 * goes. Expected values are by hand from Sscofpmf and Smcntrpmf. */
#include "cases.h"

#include <hartscope/block.h>
#include <hartscope/pmu.h>

static const struct hs_pmu_counter counters[] =
	{ { 0xc00, 64 }, { 0xc02, 64 }, { 0xc03, 64 }, { 0xc04, 8 }, { 0xc1f, 48 },
	  { 0xc05, 64 } }; /* the last one is not in use */
static const struct hs_pmu_event_row events[] =
	{ { 1, 1, 0x1d, 0 }, { 2, 2, 0x1e, 0 }, { 5, 6, 0x1c, 0 } };
static const struct hs_pmu_raw_row raws[] = { { 0x100, ~(uint64_t)0xff, 0x1c } };

static struct hs_pmu_config config(const struct hs_pmu_ops *ops, bool extensions)
{
	return (struct hs_pmu_config){
		.size = sizeof(struct hs_pmu_config), .xlen = 64, .event_bits = 64,
			.sscofpmf = extensions,
		.smcntrpmf = extensions, .snapshot = true, .event_info = true, .hw_counters = 5,
			.fw_counters = HS_PMU_NO_FW_COUNTERS, .event_rows = 3, .raw_rows = 1,
		.hw = counters, .events = events, .raws = raws, .ops = ops,
	};
}

static struct {
	struct hs_pmu pmu;
	struct hs_pmu_hart hart;
	struct hs_pmu_soft soft;
	struct hs_pmu_virtual guest;
	uint64_t host[16];
	uint64_t asked; /* the last event that the host was asked for */
	uint64_t armed[32], armed_event[32]; /* of the last call of arm, by counter */
	unsigned arms;  /* calls of arm */
} t;

static struct hs_sbiret call(unsigned fid, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                             uint64_t e)
{
	const uint64_t args[6] = { a, b, c, d, e };

	return hs_pmu_ecall(&t.pmu, &t.hart, fid, args);
}

/* Counter @i counts an event from @value on. */
static void count(unsigned i, uint64_t flags, uint64_t event, uint64_t data, uint64_t value)
{
	assert_int_equal(call(HS_PMU_COUNTER_CONFIG_MATCHING, i, 1, flags, event, data).error,
	                 HS_SBI_SUCCESS);
	assert_int_equal(call(HS_PMU_COUNTER_START, i, 1, HS_PMU_START_SET_INIT_VALUE, value,
	                      0).error, HS_SBI_SUCCESS);
}

static void begin_soft(bool extensions)
{
	const struct hs_pmu_config c = config(hs_pmu_soft_ops(), extensions);

	assert_int_equal(hs_pmu_init(&t.pmu, &c), HS_OK);
	assert_int_equal(hs_pmu_soft_init(&t.soft, &t.pmu, NULL, NULL), HS_OK);
	hs_pmu_hart_init(&t.pmu, &t.hart, &t.soft);
	assert_int_equal(t.soft.width[31], 48);
	assert_int_equal(t.soft.width[5], 0);
}

/* ---- modes ------------------------------------------------------------------------ */

static const struct mode {
	const char *name;
	uint64_t flags;
	unsigned priv;
	bool counted;
} modes[] = {
	{ "no filter, U", 0, HS_PRIV_U, true },
	{ "UINH, U", HS_PMU_CFG_SET_UINH, HS_PRIV_U, false },
	{ "UINH, S", HS_PMU_CFG_SET_UINH, HS_PRIV_S, true },
	{ "UINH, VU", HS_PMU_CFG_SET_UINH, HS_PRIV_VU, true },
	{ "SINH, S", HS_PMU_CFG_SET_SINH, HS_PRIV_S, false },
	{ "SINH, VS", HS_PMU_CFG_SET_SINH, HS_PRIV_VS, true },
	{ "MINH, M", HS_PMU_CFG_SET_MINH, HS_PRIV_M, false },
	{ "VUINH, VU", HS_PMU_CFG_SET_VUINH, HS_PRIV_VU, false },
	{ "VUINH, U", HS_PMU_CFG_SET_VUINH, HS_PRIV_U, true },
	{ "VSINH, VS", HS_PMU_CFG_SET_VSINH, HS_PRIV_VS, false },
	{ "all filters, mode not known", HS_PMU_CFG_SET_INH, HS_PRIV_UNKNOWN, true },
};

/* Counter 2 is hpmcounter3 (Sscofpmf), counter 1 is instret (Smcntrpmf). */
TEST_ROWS(by_mode, modes, m)
{
	begin_soft(true);
	count(2, m->flags, 5, 0, 10);
	count(1, m->flags, 2, 0, 20);
	hs_pmu_soft_count(&t.soft, m->priv, 5, 3);
	hs_pmu_soft_count(&t.soft, m->priv, 2, 4);
	hs_pmu_soft_count(&t.soft, m->priv, 6, 1);
	assert_int_equal(t.soft.value[3], m->counted ? 13 : 10);
	assert_int_equal(t.soft.value[2], m->counted ? 24 : 20);
	assert_int_equal(t.soft.value[0], 0);
}

/* Without the extensions a filter is a hint that nobody takes. */
TEST(hints_without_extension)
{
	begin_soft(false);
	count(2, HS_PMU_CFG_SET_UINH, 5, 0, 0);
	hs_pmu_soft_count(&t.soft, HS_PRIV_U, 5, 3);
	assert_int_equal(t.soft.value[3], 3);
}

TEST(raw_events)
{
	begin_soft(true);
	count(4, 0, HS_PMU_EVENT(HS_PMU_TYPE_RAW, 0), 0x123, 0);
	hs_pmu_soft_count(&t.soft, HS_PRIV_U, 0x123, 3);
	hs_pmu_soft_count(&t.soft, HS_PRIV_U, 0x124, 3);
	assert_int_equal(t.soft.value[31], 3);
}

/* Without Sscofpmf all of mhpmevent is the event, and the host is asked for it as it is. */
TEST(events_of_64_bits)
{
	static const struct hs_pmu_event_row wide[] = { { 5, 5, 0x1c, UINT64_MAX } };
	struct hs_pmu_config c = config(hs_pmu_soft_ops(), false);

	c.events = wide;
	c.event_rows = 1;
	assert_int_equal(hs_pmu_init(&t.pmu, &c), HS_OK);
	assert_int_equal(hs_pmu_soft_init(&t.soft, &t.pmu, NULL, NULL), HS_OK);
	hs_pmu_hart_init(&t.pmu, &t.hart, &t.soft);
	count(2, 0, 5, 0, 0);
	hs_pmu_soft_count(&t.soft, HS_PRIV_U, UINT64_MAX, 3);
	hs_pmu_soft_count(&t.soft, HS_PRIV_U, UINT64_MAX >> 6, 3);
	assert_int_equal(t.soft.value[3], 3);
}

/* ---- overflow --------------------------------------------------------------------- */

static const struct overflow {
	const char *name;
	unsigned counter, n; /* logical, and its bit */
	uint64_t event, start, times, value;
	bool overflows;
} overflows[] = {
	{ "64 bits, to the last value", 2, 3, 5, UINT64_MAX - 5, 5, UINT64_MAX, false },
	{ "64 bits, one more", 2, 3, 5, UINT64_MAX - 5, 6, 0, true },
	{ "8 bits, to the last value", 3, 4, 5, 0xf0, 15, 0xff, false },
	{ "8 bits, one more", 3, 4, 5, 0xf0, 16, 0, true },
	{ "8 bits, many times around", 3, 4, 5, 0xf0, 0x1010, 0, true },
	{ "48 bits", 4, 31, 5, 0xffffffffffff, 2, 1, true },
	{ "cycle has no OF", 0, 0, 1, UINT64_MAX, 1, 0, false },
};

TEST_ROWS(overflow, overflows, o)
{
	begin_soft(true);
	count(o->counter, 0, o->event, 0, o->start);
	hs_pmu_soft_count(&t.soft, HS_PRIV_S, o->event, o->times);
	assert_int_equal(t.soft.value[o->n], o->value);
	assert_int_equal(t.soft.event[o->n] >> 63, o->overflows);
	assert_int_equal(t.soft.lcofi, o->overflows);
	assert_int_equal(hs_pmu_soft_ops()->overflowed(&t.soft), (uint32_t)o->overflows << o->n);
}

/* OF is set: no further request until a start clears it. */
TEST(one_request)
{
	begin_soft(true);
	count(3, 0, 5, 0, 0xff);
	hs_pmu_soft_count(&t.soft, HS_PRIV_S, 5, 1);
	t.soft.lcofi = false;
	hs_pmu_soft_count(&t.soft, HS_PRIV_S, 5, 0x100);
	assert_false(t.soft.lcofi);
	assert_int_equal(call(HS_PMU_COUNTER_STOP, 3, 1, 0, 0, 0).error, HS_SBI_SUCCESS);
	assert_int_equal(t.soft.event[4] >> 63, 1);
	assert_int_equal(call(HS_PMU_COUNTER_START, 3, 1, 0, 0, 0).error, HS_SBI_SUCCESS);
	hs_pmu_soft_count(&t.soft, HS_PRIV_S, 5, 0x100);
	assert_true(t.soft.lcofi);
}

/* Overflow, stop, start, before the supervisor took the interrupt: OF still says whose it is. */
TEST(unseen_overflow)
{
	begin_soft(true);
	count(3, 0, 5, 0, 0xff);
	hs_pmu_soft_count(&t.soft, HS_PRIV_S, 5, 1);
	t.soft.lcofi = false;
	t.soft.lcofip = true;
	assert_int_equal(call(HS_PMU_COUNTER_STOP, 3, 1, 0, 0, 0).error, HS_SBI_SUCCESS);
	assert_int_equal(call(HS_PMU_COUNTER_START, 3, 1, 0, 0, 0).error, HS_SBI_SUCCESS);
	assert_int_equal(t.soft.event[4] >> 63, 1);
	t.soft.lcofip = false;
	assert_int_equal(call(HS_PMU_COUNTER_STOP, 3, 1, 0, 0, 0).error, HS_SBI_SUCCESS);
	assert_int_equal(call(HS_PMU_COUNTER_START, 3, 1, 0, 0, 0).error, HS_SBI_SUCCESS);
	assert_int_equal(t.soft.event[4] >> 63, 0);
}

/* One page, above 4 GiB. */
#define PAGE UINT64_C(0x7000010000)

static uint8_t page[4096];

static uint64_t word(unsigned i)
{
	uint64_t v = 0;

	for (unsigned n = 0; n < 8; n++)
		v |= (uint64_t)page[8 * i + n] << 8 * n;
	return v;
}

static enum hs_pmu_memory check_page(void *ctx, uint64_t address, uint64_t length, unsigned access)
{
	(void)access;
	assert_ptr_equal(ctx, page);
	return address >= PAGE && length <= PAGE + sizeof(page) - address ?
		HS_PMU_MEMORY_OK : HS_PMU_MEMORY_INACCESSIBLE;
}

static bool read_page(void *ctx, uint64_t address, void *to, size_t n)
{
	memcpy(to, (uint8_t *)ctx + (address - PAGE), n);
	return true;
}

static bool write_page(void *ctx, uint64_t address, const void *from, size_t n)
{
	memcpy((uint8_t *)ctx + (address - PAGE), from, n);
	return true;
}

static void with_memory(struct hs_pmu_soft *soft)
{
	const struct hs_pmu_soft_memory memory = { sizeof(memory), check_page, read_page,
		                                   write_page };

	memset(page, 0, sizeof(page));
	assert_int_equal(hs_pmu_soft_init(soft, &t.pmu, &memory, page), HS_OK);
	hs_pmu_hart_init(&t.pmu, &t.hart, t.hart.ctx);
	assert_int_equal(call(HS_PMU_SNAPSHOT_SET_SHMEM, PAGE, 0, 0, 0, 0).error, HS_SBI_SUCCESS);
}

/* A snapshot: the bitmap, then values from base on, of the counter's width. */
TEST(snapshot_above_4_gib)
{
	begin_soft(true);
	with_memory(&t.soft);
	count(3, 0, 5, 0, 0xff);
	hs_pmu_soft_count(&t.soft, HS_PRIV_S, 5, 3);
	assert_int_equal(call(HS_PMU_COUNTER_STOP, 1, 4, HS_PMU_STOP_TAKE_SNAPSHOT, 0, 0).error,
	                 HS_SBI_SUCCESS);
	assert_int_equal(word(0), 4);
	assert_int_equal(word(3), 2);
	assert_int_equal(word(1) | word(2) | word(4), 0);
	page[8] = 77, page[9] = 1;
	assert_int_equal(call(HS_PMU_COUNTER_START, 3, 1, HS_PMU_START_INIT_SNAPSHOT, 0, 0).error,
	                 HS_SBI_SUCCESS);
	assert_int_equal(t.soft.value[4], 77); /* 8 bits */
	assert_int_equal(call(HS_PMU_SNAPSHOT_SET_SHMEM, PAGE + 4096, 0, 0, 0, 0).error,
	                 HS_SBI_ERR_INVALID_ADDRESS);
}

/* On RV32 the address is in two registers. */
TEST(snapshot_above_4_gib_on_rv32)
{
	const struct hs_pmu_soft_memory memory = { sizeof(memory), check_page, read_page,
		                                   write_page };
	struct hs_pmu_config c = config(hs_pmu_soft_ops(), true);

	c.xlen = 32;
	assert_int_equal(hs_pmu_init(&t.pmu, &c), HS_OK);
	assert_int_equal(hs_pmu_soft_init(&t.soft, &t.pmu, &memory, page), HS_OK);
	hs_pmu_hart_init(&t.pmu, &t.hart, &t.soft);
	memset(page, 0, sizeof(page));
	assert_int_equal(call(HS_PMU_SNAPSHOT_SET_SHMEM, (uint32_t)PAGE, PAGE >> 32, 0, 0, 0).error,
	                 HS_SBI_SUCCESS);
	assert_int_equal(call(HS_PMU_COUNTER_CONFIG_MATCHING, 3, 1, 4, 5, 0).error, HS_SBI_SUCCESS);
	hs_pmu_soft_count(&t.soft, HS_PRIV_S, 5, 3);
	assert_int_equal(call(HS_PMU_COUNTER_STOP, 3, 1, HS_PMU_STOP_TAKE_SNAPSHOT, 0, 0).error,
	                 HS_SBI_SUCCESS);
	assert_int_equal(word(1), 3);
	page[32] = 1; /* event_get_info: cycles */
	assert_int_equal(call(HS_PMU_EVENT_GET_INFO, (uint32_t)PAGE + 32, PAGE >> 32, 1, 0,
	                      0).error, HS_SBI_SUCCESS);
	assert_int_equal(page[36], 1);
}

/* The first logical counter may have OF: the bitmap has it. */
TEST(overflow_of_the_first_counter)
{
	static const struct hs_pmu_counter first[] = { { 0xc03, 4 } };
	static const struct hs_pmu_event_row cycles[] = { { 1, 1, 1, 0 } };
	struct hs_pmu_config c = config(hs_pmu_soft_ops(), true);

	c.hw = first;
	c.hw_counters = 1;
	c.events = cycles;
	c.event_rows = 1;
	c.raw_rows = 0;
	assert_int_equal(hs_pmu_init(&t.pmu, &c), HS_OK);
	t.hart.ctx = &t.soft;
	with_memory(&t.soft);
	count(0, 0, 1, 0, 15);
	hs_pmu_soft_count(&t.soft, HS_PRIV_S, 1, 2);
	assert_int_equal(call(HS_PMU_COUNTER_STOP, 0, 1, HS_PMU_STOP_TAKE_SNAPSHOT, 0, 0).error,
	                 HS_SBI_SUCCESS);
	assert_int_equal(word(0), 1);
	assert_int_equal(word(1), 1);
}

TEST(memory_needs_both)
{
	const struct hs_pmu_soft_memory no_read = { sizeof(no_read), check_page, NULL, write_page };
	const struct hs_pmu_soft_memory no_write = { sizeof(no_write), check_page, read_page, NULL };

	begin_soft(true);
	assert_int_equal(hs_pmu_soft_init(&t.soft, &t.pmu, &no_read, NULL), HS_E_ARG);
	assert_int_equal(hs_pmu_soft_init(&t.soft, &t.pmu, &no_write, NULL), HS_E_ARG);
}

/* Without Sscofpmf there is no OF; a stopped counter rests next to a higher one that runs. */
TEST(without_overflow)
{
	begin_soft(false);
	assert_int_equal(hs_pmu_soft_ops()->overflowed(&t.soft), 0);
	count(3, 0, 5, 0, 0xff);
	count(4, 0, 5, 0, 0);
	hs_pmu_soft_count(&t.soft, HS_PRIV_S, 5, 1);
	assert_int_equal(hs_pmu_soft_ops()->overflowed(&t.soft), 0);
	assert_false(t.soft.lcofi);
	assert_int_equal(call(HS_PMU_COUNTER_STOP, 3, 1, 0, 0, 0).error, HS_SBI_SUCCESS);
	hs_pmu_soft_count(&t.soft, HS_PRIV_S, 5, 1);
	assert_int_equal(t.soft.value[4], 0);
	assert_int_equal(t.soft.value[31], 2);
}

TEST(no_memory)
{
	begin_soft(true);
	assert_int_equal(call(HS_PMU_EVENT_GET_INFO, 0x1000, 0, 1, 0, 0).error,
	                 HS_SBI_ERR_INVALID_ADDRESS);
}

/* ---- a virtual hart ----------------------------------------------------------------- */

static uint64_t host(void *ctx, uint64_t event)
{
	(void)ctx;
	t.asked = event;
	return t.host[event & 15];
}

static void arm(void *ctx, unsigned n, uint64_t event, uint64_t left)
{
	(void)ctx;
	t.armed[n] = left;
	t.armed_event[n] = event;
	t.arms++;
}

static const struct hs_pmu_host the_host = { sizeof(the_host), host, arm };
static const struct hs_pmu_host host_without_arm = { sizeof(host_without_arm), host, NULL };

static void begin_virtual_on(const struct hs_pmu_host *on, bool extensions)
{
	const struct hs_pmu_config c = config(hs_pmu_virtual_ops(), extensions);

	memset(&t, 0, sizeof(t));
	memset(&t.guest, 0xa5, sizeof(t.guest));
	t.host[5] = UINT64_MAX - 1; /* a host's counter may wrap */
	assert_int_equal(hs_pmu_init(&t.pmu, &c), HS_OK);
	assert_int_equal(hs_pmu_virtual_init(&t.guest, &t.pmu, NULL, NULL, on, NULL), HS_OK);
	hs_pmu_hart_init(&t.pmu, &t.hart, &t.guest);
}

static void begin_virtual(void)
{
	begin_virtual_on(&host_without_arm, true);
}

TEST(counts_only_inside)
{
	begin_virtual();
	count(2, 0, 5, 0, 100);
	t.host[5] += 7; /* somebody else's */
	hs_pmu_virtual_enter(&t.guest);
	t.host[5] += 10;
	hs_pmu_virtual_leave(&t.guest);
	t.host[5] += 7;
	hs_pmu_virtual_enter(&t.guest);
	t.host[5] += 1;
	assert_int_equal(call(HS_PMU_COUNTER_STOP, 2, 1, 0, 0, 0).error, HS_SBI_SUCCESS);
	t.host[5] += 1000; /* stopped */
	hs_pmu_virtual_leave(&t.guest);
	assert_int_equal(t.guest.saved.value[3], 111);
}

TEST(enters_twice)
{
	begin_virtual();
	count(2, 0, 5, 0, 0);
	hs_pmu_virtual_enter(&t.guest);
	t.host[5] += 5;
	hs_pmu_virtual_enter(&t.guest);
	t.host[5] += 5;
	hs_pmu_virtual_leave(&t.guest);
	t.host[5] += 5;
	hs_pmu_virtual_leave(&t.guest);
	assert_int_equal(t.guest.saved.value[3], 10);
}

/* cycle is counter 0; the host counts by the guest's modes. */
TEST(asks_the_host_with_filters)
{
	begin_virtual();
	count(0, HS_PMU_CFG_SET_UINH, 1, 0, 100);
	hs_pmu_virtual_enter(&t.guest);
	assert_int_equal(t.asked, 1 | HS_PMU_EVENT_UINH);
	t.host[1] += 10;
	hs_pmu_virtual_leave(&t.guest);
	assert_int_equal(t.guest.saved.value[0], 110);
}

/* What the host counted is in the bitmap and in the values of a snapshot that is taken inside. */
TEST(snapshot_inside)
{
	begin_virtual();
	with_memory(&t.guest.saved);
	count(3, 0, 5, 0, 0xfe);
	count(2, 0, 5, 0, 7);
	hs_pmu_virtual_enter(&t.guest);
	t.host[5] += 3;
	assert_int_equal(call(HS_PMU_COUNTER_STOP, 2, 1, HS_PMU_STOP_TAKE_SNAPSHOT, 0, 0).error,
	                 HS_SBI_SUCCESS);
	assert_int_equal(word(0), 2); /* counter 3 is bit 1 from base 2 on */
	assert_int_equal(word(1), 10);
	hs_pmu_virtual_leave(&t.guest);
}

TEST(started_inside)
{
	begin_virtual();
	hs_pmu_virtual_enter(&t.guest);
	t.host[5] += 3;
	count(2, 0, 5, 0, 0);
	t.host[5] += 4;
	assert_int_equal(hs_pmu_virtual_ops()->read(&t.guest, 3), 4);
	assert_int_equal(hs_pmu_virtual_ops()->read(&t.guest, 3), 4);
	t.host[5] += 1;
	hs_pmu_virtual_leave(&t.guest);
	assert_int_equal(t.guest.saved.value[3], 5);
}

TEST(overflow_is_injected)
{
	begin_virtual();
	count(3, 0, 5, 0, 0xfe);
	hs_pmu_virtual_enter(&t.guest);
	t.host[5] += 2;
	hs_pmu_virtual_leave(&t.guest);
	assert_true(t.guest.saved.lcofi);
	assert_int_equal(t.guest.saved.value[4], 0);
}

/* Outside, reads and snapshots add nothing. */
TEST(adds_nothing_outside)
{
	begin_virtual();
	count(2, 0, 5, 0, 100);
	t.host[5] += 7;
	assert_int_equal(hs_pmu_virtual_ops()->read(&t.guest, 3), 100);
	assert_int_equal(hs_pmu_virtual_ops()->overflowed(&t.guest), 0);
	assert_int_equal(call(HS_PMU_COUNTER_STOP, 2, 1, 0, 0, 0).error, HS_SBI_SUCCESS);
	assert_int_equal(t.guest.saved.value[3], 100);
}

/* 8 bits from 0xf0: the 16th event overflows.  The host's interrupt is one exit. */
TEST(arms_the_host)
{
	begin_virtual_on(&the_host, true);
	count(3, HS_PMU_CFG_SET_UINH, 5, 0, 0xf0);
	assert_int_equal(t.arms, 0); /* outside */
	hs_pmu_virtual_enter(&t.guest);
	assert_int_equal(t.armed[4], 16);
	assert_int_equal(t.armed_event[4], 5 | HS_PMU_EVENT_UINH);
	t.host[5] += 6;
	hs_pmu_virtual_leave(&t.guest);
	assert_int_equal(t.armed[4], 0);
	hs_pmu_virtual_enter(&t.guest);
	assert_int_equal(t.armed[4], 10);
	t.host[5] += 10;
	hs_pmu_virtual_enter(&t.guest); /* the interrupt, without an exit */
	assert_true(t.guest.saved.lcofi);
	assert_int_equal(t.armed[4], 0); /* OF is set: no further one */
	assert_int_equal(t.arms, 4);
	hs_pmu_virtual_leave(&t.guest);
	assert_int_equal(t.arms, 4);
}

/* Started inside; a stop takes it back, as does an overflow that a read finds. */
TEST(arms_at_start_and_stop)
{
	begin_virtual_on(&the_host, true);
	hs_pmu_virtual_enter(&t.guest);
	assert_int_equal(t.arms, 0);
	count(2, 0, 5, 0, UINT64_MAX - 4);
	assert_int_equal(t.armed[3], 5);
	assert_int_equal(call(HS_PMU_COUNTER_STOP, 2, 1, 0, 0, 0).error, HS_SBI_SUCCESS);
	assert_int_equal(t.armed[3], 0);
	assert_int_equal(call(HS_PMU_COUNTER_START, 2, 1, 0, 0, 0).error, HS_SBI_SUCCESS);
	t.host[5] += 2;
	assert_int_equal(hs_pmu_virtual_ops()->read(&t.guest, 3), UINT64_MAX - 2);
	assert_int_equal(t.armed[3], 5); /* counted by the host from when it was armed */
	t.host[5] += 3;
	assert_int_equal(hs_pmu_virtual_ops()->read(&t.guest, 3), 0);
	assert_int_equal(t.armed[3], 0);
	assert_true(t.guest.saved.lcofi);
}

/* What starts or stops one counter does not arm another one again. */
TEST(arms_one_by_one)
{
	begin_virtual_on(&the_host, true);
	hs_pmu_virtual_enter(&t.guest);
	count(2, 0, 5, 0, UINT64_MAX - 4);
	assert_int_equal(t.arms, 1);
	count(3, 0, 6, 0, 0xf0);
	assert_int_equal(t.arms, 2);
	assert_int_equal(t.armed[4], 16);
	assert_int_equal(call(HS_PMU_COUNTER_STOP, 2, 1, 0, 0, 0).error, HS_SBI_SUCCESS);
	assert_int_equal(t.arms, 3);
	assert_int_equal(t.armed[3], 0);
}

/* The whole of 64 bits: 2^64 does not fit.  cycle and instret have no OF. */
TEST(arms_far_away_and_never)
{
	begin_virtual_on(&the_host, true);
	count(2, 0, 5, 0, 0);
	count(0, 0, 1, 0, UINT64_MAX);
	count(1, 0, 2, 0, UINT64_MAX);
	hs_pmu_virtual_enter(&t.guest);
	assert_int_equal(t.armed[3], UINT64_MAX);
	assert_int_equal(t.arms, 1);
	begin_virtual_on(&the_host, false);
	count(2, HS_PMU_CFG_SET_UINH, 6, 0, UINT64_MAX);
	hs_pmu_virtual_enter(&t.guest);
	assert_int_equal(t.arms, 0);
	assert_int_equal(t.asked, 6); /* there are no filters */
}

TEST(host_needs_count)
{
	const struct hs_pmu_host no_count = { .size = sizeof(no_count), .arm = arm };
	const struct hs_pmu_host no_size = { .size = 3, .count = host };

	begin_virtual();
	assert_int_equal(hs_pmu_virtual_init(&t.guest, &t.pmu, NULL, NULL, &no_count, NULL),
	                 HS_E_ARG);
	assert_int_equal(hs_pmu_virtual_init(&t.guest, &t.pmu, NULL, NULL, &no_size, NULL),
	                 HS_E_CONFIG);
}

/* Migration while it is inside: another host, with counts of its own. */
TEST(a_hart_migrates_while_it_is_inside)
{
	static struct hs_pmu_saved saved;
	static struct hs_pmu_virtual other;
	static uint8_t bytes[HS_PMU_SAVED_BYTES];
	struct hs_span in = { bytes, 0 };

	begin_virtual();
	count(2, HS_PMU_CFG_SET_UINH, 5, 0, 100);
	hs_pmu_virtual_enter(&t.guest);
	t.host[5] += 10;
	hs_pmu_save(&t.pmu, &t.hart, &saved);
	in.n = hs_pmu_saved_write(&saved, bytes);
	assert_int_equal(hs_pmu_saved_read(&saved, &in), HS_OK);
	hs_pmu_virtual_leave(&t.guest);
	t.host[5] = 123456;
	assert_int_equal(hs_pmu_virtual_init(&other, &t.pmu, NULL, NULL, &host_without_arm, NULL),
	                 HS_OK);
	hs_pmu_hart_init(&t.pmu, &t.hart, &other);
	assert_int_equal(hs_pmu_restore(&t.pmu, &t.hart, &saved), HS_OK);
	hs_pmu_virtual_enter(&other);
	t.host[5] += 5;
	hs_pmu_virtual_leave(&other);
	assert_int_equal(other.saved.value[3], 115);
	assert_int_equal(other.saved.event[3], HS_PMU_EVENT_UINH | 5);
}
