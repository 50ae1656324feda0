/* Another host, of any byte order, takes the hypervisor's guest over:
 *
 *   other_host XLEN <HEX >HEX
 *
 * The saved bytes are read, restored on the soft backend, and written again, which must give the
 * same bytes.  Then the guest runs on: its counters count, and what is saved now is the output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/block.h>

#include "guest_counters.h"

static size_t read_hex(uint8_t *bytes, size_t size)
{
	unsigned byte;
	size_t n = 0;

	while (n < size && scanf("%2x", &byte) == 1)
		bytes[n++] = (uint8_t)byte;
	return n;
}

static void require(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "other_host: %s\n", what);
	exit(1);
}

static enum hs_pmu_memory check_memory(void *ctx, uint64_t address, uint64_t length,
                                       unsigned access)
{
	(void)ctx, (void)access;
	return address >= 0x80200000 && length <= 4096 ? HS_PMU_MEMORY_OK :
	                                                 HS_PMU_MEMORY_INACCESSIBLE;
}

static bool no_access(void *ctx, uint64_t address, void *to, size_t n)
{
	(void)ctx, (void)address, (void)to, (void)n;
	return false;
}

static bool no_store(void *ctx, uint64_t address, const void *from, size_t n)
{
	(void)ctx, (void)address, (void)from, (void)n;
	return false;
}

/* Events as both hosts count them: the guest's kernel and its programs, some calls. */
static void run_on(const struct hs_pmu *pmu, struct hs_pmu_hart *hart, struct hs_pmu_soft *soft)
{
	hs_pmu_soft_count(soft, HS_PRIV_S, HS_PMU_HW_INSTRUCTIONS, 1000000007);
	hs_pmu_soft_count(soft, HS_PRIV_U, HS_PMU_HW_INSTRUCTIONS, 3);
	hs_pmu_soft_count(soft, HS_PRIV_S, HS_PMU_HW_CPU_CYCLES, 70000000000);
	for (unsigned code = HS_PMU_FW_SET_TIMER; code <= HS_PMU_FW_IPI_RECEIVED; code++)
		hs_pmu_fw_event(pmu, hart, code, 70000 + code);
}

int main(int argc, char **argv)
{
	static const struct hs_pmu_soft_memory memory = {
		.size = sizeof(memory), .check = check_memory, .read = no_access, .write = no_store,
	};
	static uint8_t bytes[HS_PMU_SAVED_BYTES], again[HS_PMU_SAVED_BYTES];
	static struct hs_pmu_hart hart;
	static struct hs_pmu_soft soft;
	static struct hs_pmu_saved saved;
	static struct hs_pmu pmu;
	const size_t size = read_hex(bytes, sizeof(bytes));
	struct hs_span in = { bytes, size };

	require(argc == 2 && make_guest_pmu(&pmu, (unsigned)atoi(argv[1]),
	                                    hs_pmu_soft_ops()) == HS_OK,
	        "no such guest");
	require(hs_pmu_soft_init(&soft, &pmu, &memory, NULL) == HS_OK, "no soft counters");
	hs_pmu_hart_init(&pmu, &hart, &soft);
	require(hs_pmu_saved_read(&saved, &in) == HS_OK && in.n == 0, "bytes that are not read");
	require(hs_pmu_restore(&pmu, &hart, &saved) == HS_OK, "a state that is refused");
	hs_pmu_save(&pmu, &hart, &saved);
	require(hs_pmu_saved_write(&saved, again) == size && memcmp(bytes, again, size) == 0,
	        "other bytes than were read");
	require(hs_pmu_restore(&pmu, &hart, &saved) == HS_OK, "its own state is refused");
	run_on(&pmu, &hart, &soft);
	hs_pmu_save(&pmu, &hart, &saved);
	for (size_t i = 0, n = hs_pmu_saved_write(&saved, again); i < n; i++)
		printf("%02x", again[i]);
	printf("\n");
	return 0;
}
