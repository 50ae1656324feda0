/* Prints the rows that hs_pmu_fdt_read() makes of a device tree, for pmu_fdt.sh. */
#include <inttypes.h>
#include <stdio.h>

#include <hartscope/pmu.h>

#define TREE_MAX (2u << 20)

int main(int argc, char **argv)
{
	static uint8_t bytes[TREE_MAX];
	static struct hs_pmu_event_row events[256];
	static struct hs_pmu_raw_row raws[256];
	static struct hs_pmu_counter counters[32];
	const struct hs_pmu_config config = { .size = sizeof(config), .hw = counters,
		                              .hw_counters = 32, .sscofpmf = true };
	struct hs_pmu_fdt fdt = { .size = sizeof(fdt), .event_capacity = 256, .raw_capacity = 256,
		                  .events = events, .raws = raws };
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;

	if (!file)
		return 2;
	const struct hs_span tree = { bytes, fread(bytes, 1, sizeof(bytes), file) };

	fclose(file);
	for (uint16_t n = 0; n < 32; n++)
		counters[n] = (struct hs_pmu_counter){ 0xc00 + n, n == 1 ? 0 : 64 };
	if (hs_pmu_fdt_read(&fdt, &tree, &config) != HS_OK) {
		printf("%s at %" PRIu64 "\n", fdt.fault, fdt.fault_offset);
		return 1;
	}
	for (uint32_t i = 0; i < fdt.event_rows; i++)
		printf("event %x %x %" PRIx64 " %" PRIx64 "\n", events[i].first, events[i].last,
		       events[i].counters, events[i].selector);
	for (uint32_t i = 0; i < fdt.raw_rows; i++)
		printf("raw %" PRIx64 " %" PRIx64 " %" PRIx64 "\n", raws[i].select, raws[i].mask,
		       raws[i].counters);
	return 0;
}
