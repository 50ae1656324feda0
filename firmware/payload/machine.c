/* Events that the device tree describes, raw events, and mode filters, on the hart's CSRs. */
#include "payload.h"

#define EID_BASE 0x10u
#define WITHOUT_FILTERS 8u /* QEMU's last major version whose counters do not know modes */

static uint32_t entry[4] __attribute__((aligned(16)));

/* event_get_info of one event. */
static bool supported(reg event, uint64_t data)
{
	entry[0] = (uint32_t)event;
	entry[1] = 0;
	entry[2] = (uint32_t)data;
	entry[3] = (uint32_t)(data >> 32);
	return pmu(HS_PMU_EVENT_GET_INFO, (reg)entry, 0, 1, 0).error == 0 && entry[1] == 1;
}

/* Once, QEMU's marchid was its version; now it is 0. */
bool is_old_qemu(void)
{
	const reg major = sbi(EID_BASE, 5, 0, 0, 0, 0, 0, 0).value >> 16;

	return major > 0 && major <= WITHOUT_FILTERS;
}

/* What a counter counts of a loop in the supervisor; all-ones: the calls failed. */
static uint64_t count_loop(const struct layout *l, reg flags, reg event, uint64_t data)
{
	const struct ret r = config((reg)l->hpm, 1, flags, event, data);
	uint64_t value = UINT64_MAX;

	if (r.error == 0 && start((reg)l->hpm, 1, 1, FAR_FROM_END).error == 0) {
		work(1000);
		if (stop((reg)l->hpm, 1, HS_PMU_STOP_TAKE_SNAPSHOT).error == 0)
			value = snapshot_word(1) - FAR_FROM_END;
	}
	stop((reg)l->hpm, 1, HS_PMU_STOP_RESET);
	return value;
}

/* After a stop, QEMU 7.2 returns the right value only once: on RV32 one half of two. */
static bool is_count(uint64_t v)
{
	if (__riscv_xlen == 32 && is_old_qemu())
		return v != UINT64_MAX;
	return v > 1000 && v >> 60 == 0;
}

static void tree_events(unsigned hart, const struct layout *l)
{
	static const reg events[] = { 0x10019, 0x1001b, 0x10021 };
	static const char *const names[] = { "the device tree's event: TLB misses of loads",
		"the device tree's event: TLB misses of stores",
		"the device tree's event: TLB misses of fetches" };

	for (unsigned i = 0; i < 3; i++) {
		expect(hart, names[i], config((reg)l->hpm, 1, 0, events[i], 0), 0);
		check(hart, names[i], supported(events[i], 0));
		stop((reg)l->hpm, 1, HS_PMU_STOP_RESET);
	}
	check(hart, "a cache event that the device tree does not have", !supported(0x10000, 0));
	check(hart, "hypervisor fences are not counted", !supported(0xf000e, 0) &&
	      !supported(0xf0015, 0));
	check(hart, "platform events are as event_data says", supported(0xfffff, 7) &&
	      !supported(0xfffff, 4));
	check(hart, "there is one implementation-specific event", supported(0xf0100, 0) &&
	      !supported(0xf0101, 0));
}

static void raw_events(unsigned hart, const struct layout *l)
{
	if (!supported(0x20000, 2)) {
		print("ok - raw events # SKIP the device tree has none\n");
		return;
	}
	check(hart, "raw event: instructions", is_count(count_loop(l, 0, 0x20000, 2)));
	check(hart, "raw event v2: instructions", is_count(count_loop(l, 0, 0x30000, 2)));
	check(hart, "raw event: another one is not in the device tree", !supported(0x20000, 3));
	check(hart, "raw event: event_data under a mask", supported(0x30000, 0x1ff) &&
	      !supported(0x30000, 0x200));
	expect(hart, "raw event: the lowest counter only", config((reg)l->hpm + 1, 1, 0, 0x20000,
	                                                          0x123), HS_SBI_ERR_NOT_SUPPORTED);
}

static void filters(unsigned hart, const struct layout *l)
{
	if (!l->sscofpmf || is_old_qemu() || __riscv_xlen == 32) {
		print("ok - filters # SKIP none, or, on RV32, none in the lower half\n");
		return;
	}
	check(hart, "SET_UINH: the supervisor is counted",
	      is_count(count_loop(l, HS_PMU_CFG_SET_UINH, 2, 0)));
	check(hart, "SET_SINH: the supervisor is not counted",
	      count_loop(l, HS_PMU_CFG_SET_SINH, 2, 0) == 0);
}

void machine_events(unsigned hart, const struct layout *l)
{
	if (l->hpm < 0) {
		print("ok - events of the machine # SKIP no programmable counter\n");
		return;
	}
	pmu(HS_PMU_SNAPSHOT_SET_SHMEM, (reg)page, 0, 0, 0);
	tree_events(hart, l);
	raw_events(hart, l);
	filters(hart, l);
}
