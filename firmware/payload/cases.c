/* Every function, flag and error that a supervisor can cause (SBI 3.0, chapter 11). */
#include "payload.h"

#define OK HS_SBI_SUCCESS
#define UNSUPPORTED HS_SBI_ERR_NOT_SUPPORTED
#define PARAM HS_SBI_ERR_INVALID_PARAM
#define ADDRESS HS_SBI_ERR_INVALID_ADDRESS
#define STARTED HS_SBI_ERR_ALREADY_STARTED
#define STOPPED HS_SBI_ERR_ALREADY_STOPPED
#define NO_SHMEM HS_SBI_ERR_NO_SHMEM
#define TIMER 0xf0005u
#define FIRMWARE 0x80000000u
#define FAR 0x84000000u /* memory that nothing here uses */

static uint32_t entries[16] __attribute__((aligned(4096)));

static struct ret info(reg counter)
{
	return pmu(HS_PMU_COUNTER_GET_INFO, counter, ONES, ONES, ONES);
}

struct layout find_layout(unsigned hart)
{
	struct layout l = { (long)pmu(HS_PMU_NUM_COUNTERS, 0, 0, 0, 0).value, -1, -1, -1, -1, -1, 0,
	                    false };
	const unsigned before = seen[hart].exceptions;

	for (long i = 0; i < l.count; i++) {
		const struct ret r = info((reg)i);

		if (r.error)
			continue;
		if (r.value >> (__riscv_xlen - 1))
			l.fw = l.fw < 0 ? i : l.fw;
		else if ((r.value & 0xfff) == 0xc00)
			l.cycle = i;
		else if ((r.value & 0xfff) == 0xc02)
			l.instret = i;
		else if (l.hpm < 0) {
			l.hpm = i;
			l.hpm_number = r.value & 31;
		} else if (l.hpm2 < 0)
			l.hpm2 = i;
	}
	(void)csr_read(0xda0); /* scountovf */
	l.sscofpmf = seen[hart].exceptions == before;
	return l;
}

static void counter_info(unsigned hart, const struct layout *l)
{
	expect(hart, "an unknown function", pmu(9, 0, 0, 0, 0), UNSUPPORTED);
	expect(hart, "num_counters", pmu(HS_PMU_NUM_COUNTERS, 0, 0, 0, 0), OK);
	check(hart, "there are cycle, instret and firmware counters",
	      l->cycle >= 0 && l->instret >= 0 && l->fw >= 0);
	check(hart, "counter_get_info: width of cycle",
	      (info((reg)l->cycle).value >> 12 & 63) == 63);
	check(hart, "counter_get_info: type and width of firmware counters",
	      info((reg)l->fw).value >> 12 == (((reg)1 << (__riscv_xlen - 1)) >> 12 | 63));
	check(hart, "num_counters: the last one exists, and is a firmware counter",
	      info((reg)l->count - 1).error == OK &&
	      info((reg)l->count - 1).value >> (__riscv_xlen - 1));
	check(hart, "counter_get_info: reserved bits are zero",
	      info((reg)l->cycle).value >> 18 == 0);
	expect(hart, "counter_get_info: after the last counter", info((reg)l->count), PARAM);
	expect(hart, "counter_get_info: all-ones", info(ONES), PARAM);
	if (__riscv_xlen == 64)
		expect(hart, "counter_get_info: bit 32 is not lost",
		       info((reg)1 << (__riscv_xlen / 2)), PARAM);
}

static void configure_errors(unsigned hart, const struct layout *l)
{
	const reg fw = (reg)l->fw, cycle = (reg)l->cycle;

	expect(hart, "counter_config_matching: no such general event",
	       config(cycle, 1, 0, 0x1234, 0), UNSUPPORTED);
	expect(hart, "counter_config_matching: NO_EVENT", config(cycle, 1, 0, 0, 0), UNSUPPORTED);
	expect(hart, "counter_config_matching: event_data of a general event",
	       config(cycle, 1, 0, 1, 1), UNSUPPORTED);
	expect(hart, "counter_config_matching: a cache event that is not counted",
	       config(cycle, 1, 0, 0x10000, 0), UNSUPPORTED);
	expect(hart, "counter_config_matching: cache operation 3", config(cycle, 1, 0, 0x10006, 0),
	       UNSUPPORTED);
	expect(hart, "counter_config_matching: raw event", config(cycle, 1, 0, 0x20000, 0x12345),
	       UNSUPPORTED);
	expect(hart, "counter_config_matching: raw event v2", config(cycle, 1, 0, 0x30000, 0x12345),
	       UNSUPPORTED);
	expect(hart, "counter_config_matching: event type 5", config(cycle, 1, 0, 0x50001, 0),
	       UNSUPPORTED);
	expect(hart, "counter_config_matching: reserved firmware event",
	       config(fw, 1, 0, 0xf0016, 0), UNSUPPORTED);
	expect(hart, "counter_config_matching: event_data of a firmware event",
	       config(fw, 1, 0, TIMER, 1), UNSUPPORTED);
	expect(hart, "counter_config_matching: platform event", config(fw, 1, 0, 0xfffff, 1),
	       UNSUPPORTED);
	expect(hart, "counter_config_matching: a firmware event on cycle",
	       config(cycle, 1, 0, TIMER, 0), UNSUPPORTED);
	expect(hart, "counter_config_matching: cycles on a firmware counter",
	       config(fw, 1, 0, 1, 0), UNSUPPORTED);
	expect(hart, "counter_config_matching: reserved flag", config(cycle, 1, 0x100, 1, 0),
	       PARAM);
	expect(hart, "counter_config_matching: the highest flag",
	       config(cycle, 1, ~(ONES >> 1), 1, 0), PARAM);
	expect(hart, "counter_config_matching: empty set", config(cycle, 0, 0, 1, 0), PARAM);
	expect(hart, "counter_config_matching: beyond the last counter",
	       config((reg)l->count, 1, 0, 1, 0), PARAM);
	expect(hart, "counter_config_matching: base and bit wrap", config(ONES, 2, 0, 1, 0), PARAM);
}

static void configure_flags(unsigned hart, const struct layout *l)
{
	static const char *const names[] = {
		"counter_config_matching: SET_VUINH",
		"counter_config_matching: SET_VSINH",
		"counter_config_matching: SET_UINH",
		"counter_config_matching: SET_SINH",
		"counter_config_matching: SET_MINH",
	};
	const reg fw = (reg)l->fw;

	for (unsigned i = 0; i < 5; i++) {
		expect(hart, names[i], config(fw, 1, (reg)8 << i, TIMER, 0), OK);
		stop(fw, 1, HS_PMU_STOP_RESET);
	}
	const struct ret r = config(fw, 3, 0, TIMER, 0);

	check(hart, "counter_config_matching: gives the counter", r.error == OK && r.value == fw);
	check(hart, "counter_config_matching: then the next one",
	      config(fw, 3, 0, TIMER, 0).value == fw + 1);
	expect(hart, "counter_config_matching: then none", config(fw, 3, 0, TIMER, 0), UNSUPPORTED);
	expect(hart, "counter_config_matching: SKIP_MATCH takes the first again",
	       config(fw, 3, 1, 0xf0006, 0), OK);
	stop(fw, 3, HS_PMU_STOP_RESET);
	expect(hart, "counter_config_matching: AUTO_START", config(fw, 1, 4, TIMER, 0), OK);
	expect(hart, "counter_config_matching: SKIP_MATCH of a counter that counts",
	       config(fw, 1, 1, TIMER, 0), OK);
	stop(fw, 1, HS_PMU_STOP_RESET);
}

static void start_and_stop(unsigned hart, const struct layout *l)
{
	const reg fw = (reg)l->fw;

	expect(hart, "counter_start: a counter without event", start(fw, 1, 0, 0), PARAM);
	expect(hart, "counter_fw_read: a counter without event",
	       pmu(HS_PMU_COUNTER_FW_READ, fw, 0, 0, 0), PARAM);
	config(fw, 1, HS_PMU_CFG_CLEAR_VALUE, TIMER, 0);
	expect(hart, "counter_start: reserved flag", start(fw, 1, 4, 0), PARAM);
	expect(hart, "counter_start: both flags", start(fw, 1, 3, 0), PARAM);
	expect(hart, "counter_start: empty set", start(fw, 0, 0, 0), PARAM);
	expect(hart, "counter_start: no such counter", start((reg)l->count, 1, 0, 0), PARAM);
	expect(hart, "counter_start: one of the set has no event", start(fw, 3, 0, 0), PARAM);
	config(fw + 1, 1, 0, TIMER, 0);
	expect(hart, "counter_start: SET_INIT_VALUE of two counters", start(fw, 3, 1, 5), PARAM);
	stop(fw + 1, 1, HS_PMU_STOP_RESET);
	expect(hart, "counter_start: base and bit wrap", start(ONES, 2, 0, 0), PARAM);
	expect(hart, "counter_start: INIT_SNAPSHOT without memory", start(fw, 1, 2, 0), NO_SHMEM);
	expect(hart, "counter_start: SET_INIT_VALUE", start(fw, 1, 1, 0x123456789abcdef0), OK);
	expect(hart, "counter_start: a second time", start(fw, 1, 0, 0), STARTED);
	check(hart, "counter_fw_read: the lower XLEN bits",
	      pmu(HS_PMU_COUNTER_FW_READ, fw, 0, 0, 0).value == (reg)0x123456789abcdef0);
	check(hart, "counter_fw_read_hi: bits 63 to 32 on RV32, else zero",
	      pmu(HS_PMU_COUNTER_FW_READ_HI, fw, 0, 0, 0).value ==
	      (__riscv_xlen == 32 ? 0x12345678 : 0));
	expect(hart, "counter_fw_read: a hardware counter",
	       pmu(HS_PMU_COUNTER_FW_READ, (reg)l->cycle, 0, 0, 0), PARAM);
	expect(hart, "counter_fw_read: no such counter",
	       pmu(HS_PMU_COUNTER_FW_READ, (reg)l->count, 0, 0, 0), PARAM);
	expect(hart, "counter_fw_read_hi: a hardware counter",
	       pmu(HS_PMU_COUNTER_FW_READ_HI, (reg)l->cycle, 0, 0, 0), PARAM);
	expect(hart, "counter_fw_read_hi: no such counter",
	       pmu(HS_PMU_COUNTER_FW_READ_HI, ONES, 0, 0, 0), PARAM);
	stop(fw, 1, HS_PMU_STOP_RESET);
	expect(hart, "counter_config_matching: AUTO_START leaves the value",
	       config(fw, 1, HS_PMU_CFG_AUTO_START, TIMER, 0), OK);
	check(hart, "counter_config_matching: the value stays",
	      pmu(HS_PMU_COUNTER_FW_READ, fw, 0, 0, 0).value == (reg)0x123456789abcdef0);
	expect(hart, "counter_stop: reserved flag", stop(fw, 1, 4), PARAM);
	expect(hart, "counter_stop: empty set", stop(fw, 0, 0), PARAM);
	expect(hart, "counter_stop: no such counter", stop((reg)l->count, 1, 0), PARAM);
	expect(hart, "counter_stop: base and bit wrap", stop(ONES, 2, 0), PARAM);
	expect(hart, "counter_stop: TAKE_SNAPSHOT without memory", stop(fw, 1, 2), NO_SHMEM);
	expect(hart, "counter_stop", stop(fw, 1, 0), OK);
	expect(hart, "counter_stop: a second time, with RESET", stop(fw, 1, HS_PMU_STOP_RESET),
	       STOPPED);
	expect(hart, "counter_stop: RESET took effect", pmu(HS_PMU_COUNTER_FW_READ, fw, 0, 0, 0),
	       PARAM);
}

static void shared_memory(unsigned hart)
{
	const reg at = (reg)page;

	expect(hart, "snapshot_set_shmem: flags", pmu(HS_PMU_SNAPSHOT_SET_SHMEM, at, 0, 1, 0),
	       PARAM);
	expect(hart, "snapshot_set_shmem: not aligned",
	       pmu(HS_PMU_SNAPSHOT_SET_SHMEM, at + 8, 0, 0, 0), PARAM);
	expect(hart, "snapshot_set_shmem: no memory at 0",
	       pmu(HS_PMU_SNAPSHOT_SET_SHMEM, 0, 0, 0, 0), ADDRESS);
	expect(hart, "snapshot_set_shmem: memory of the firmware",
	       pmu(HS_PMU_SNAPSHOT_SET_SHMEM, FIRMWARE, 0, 0, 0), ADDRESS);
	expect(hart, "snapshot_set_shmem: a device",
	       pmu(HS_PMU_SNAPSHOT_SET_SHMEM, 0x10000000, 0, 0, 0), ADDRESS);
	expect(hart, "snapshot_set_shmem: an upper half",
	       pmu(HS_PMU_SNAPSHOT_SET_SHMEM, at, 1, 0, 0), ADDRESS);
	expect(hart, "snapshot_set_shmem: clear without having set",
	       pmu(HS_PMU_SNAPSHOT_SET_SHMEM, ONES, ONES, 0, 0), OK);
}

/* Memory that is longer than there is. */
static void lengths(unsigned hart, reg at)
{
	expect(hart, "event_get_info: as many as fit in a register",
	       pmu(HS_PMU_EVENT_GET_INFO, at, 0, ONES, 0), ADDRESS);
	expect(hart, "event_get_info: beyond the end of memory",
	       pmu(HS_PMU_EVENT_GET_INFO, at, 0, (reg)1 << 27, 0), ADDRESS);
}

static void events(unsigned hart)
{
	const reg at = (reg)entries;
	static const uint32_t wanted[] = { 1, 2, 0x1234, TIMER };

	for (unsigned i = 0; i < 16; i++)
		entries[i] = i % 4 == 0 ? wanted[i / 4] : i % 4 == 1 ? 0xffffffff : 0;
	expect(hart, "event_get_info", pmu(HS_PMU_EVENT_GET_INFO, at, 0, 4, 0), OK);
	check(hart, "event_get_info: cycles are supported", entries[1] == 1);
	check(hart, "event_get_info: instructions are supported", entries[5] == 1);
	check(hart, "event_get_info: an unknown event is not", entries[9] == 0);
	check(hart, "event_get_info: a firmware event is", entries[13] == 1);
	expect(hart, "event_get_info: flags", pmu(HS_PMU_EVENT_GET_INFO, at, 0, 1, 1), PARAM);
	expect(hart, "event_get_info: not aligned", pmu(HS_PMU_EVENT_GET_INFO, at + 4, 0, 1, 0),
	       PARAM);
	expect(hart, "event_get_info: no entries", pmu(HS_PMU_EVENT_GET_INFO, at, 0, 0, 0), PARAM);
	expect(hart, "event_get_info: memory of the firmware",
	       pmu(HS_PMU_EVENT_GET_INFO, FIRMWARE, 0, 1, 0), ADDRESS);
	expect(hart, "event_get_info: an upper half", pmu(HS_PMU_EVENT_GET_INFO, at, 1, 1, 0),
	       ADDRESS);
	if (checks_lengths())
		lengths(hart, at);
	expect(hart, "event_get_info: more than 4096 entries",
	       pmu(HS_PMU_EVENT_GET_INFO, FAR, 0, 4097, 0), HS_SBI_ERR_FAILED);
	check(hart, "event_get_info: event_idx and event_data are read only",
	      entries[0] == 1 && entries[2] == 0 && entries[3] == 0);
	entries[0] = 0x100001;
	expect(hart, "event_get_info: a reserved bit", pmu(HS_PMU_EVENT_GET_INFO, at, 0, 1, 0),
	       PARAM);
}

void cases(unsigned hart)
{
	const struct layout l = find_layout(hart);

	counter_info(hart, &l);
	configure_errors(hart, &l);
	configure_flags(hart, &l);
	start_and_stop(hart, &l);
	shared_memory(hart);
	events(hart);
}
