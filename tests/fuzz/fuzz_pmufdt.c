/* A device tree of any bytes: what hs_pmu_fdt_read() accepts makes a configuration that
 * hs_pmu_init() accepts; what it refuses is named, at a place inside the tree.  The input is in
 * memory of its exact size. */
#include <hartscope/pmu.h>

#include "pmu_fake.h"

#include "fuzz.h"

#define ROWS 16u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct hs_pmu_event_row events[ROWS];
	static struct hs_pmu_raw_row raws[ROWS];
	const unsigned kind = size ? data[0] : 0;
	const size_t n = size ? size - 1 : 0;
	struct hs_pmu_config config = fake_config(64, 4, 48);
	struct hs_pmu_fdt fdt = { .size = sizeof(fdt), .event_capacity = kind & 1 ? 3 : ROWS,
		                  .raw_capacity = kind & 2 ? 3 : ROWS, .events = events,
		                  .raws = raws };
	uint8_t *copy = malloc(n ? n : 1);
	const struct hs_span tree = { copy, n };
	struct hs_pmu pmu;

	fuzz_must(copy != NULL);
	memcpy(copy, data + (size != 0), n);
	config.sscofpmf = kind & 4;
	config.event_bits = (kind & 12) == 8 ? 32 : 64;
	const enum hs_status status = hs_pmu_fdt_read(&fdt, &tree, &config);

	fuzz_must(fdt.event_rows <= fdt.event_capacity && fdt.raw_rows <= fdt.raw_capacity);
	if (status == HS_OK) {
		config.events = events;
		config.event_rows = fdt.event_rows;
		config.raws = raws;
		config.raw_rows = fdt.raw_rows;
		fuzz_must(hs_pmu_init(&pmu, &config) == HS_OK);
	} else {
		fuzz_must(fdt.fault && fdt.fault_offset <= n && fdt.event_rows + fdt.raw_rows == 0);
	}
	free(copy);
	return 0;
}

/* A tree of one node with all three properties. */
size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	static const char names[] = "compatible\0riscv,event-to-mhpmcounters\0"
		"riscv,event-to-mhpmevent\0riscv,raw-event-to-mhpmcounters";
	static const uint32_t cells[] = {
		0xd00dfeed, 0, 56, 0, 40, 17, 16, 0, sizeof(names), 0, 0, 0, 0, 0,
		1, 0, 1, 0x706d7500,
		3, 10, 0, 0x72697363, 0x762c706d, 0x75000000,
		3, 24, 11, 1, 1, 0x39, 3, 10, 0x18,
		3, 12, 39, 5, 0x12, 0x34567890,
		3, 20, 64, 0, 0x100, 0xffffffff, 0xffffff00, 0x20,
		2, 2, 9,
	};
	const uint32_t structure = sizeof(cells) - 56, all = sizeof(cells) + sizeof(names);

	if (i >= 16 || size < 1 + all)
		return 0;
	data[0] = (uint8_t)i;
	for (unsigned k = 0; k < sizeof(cells) / 4; k++) {
		const uint32_t v = k == 1 ? all : k == 3 ? (uint32_t)sizeof(cells) :
		                   k == 9 ? structure : cells[k];

		for (unsigned b = 0; b < 4; b++)
			data[1 + 4 * k + b] = (uint8_t)(v >> (24 - 8 * b));
	}
	memcpy(data + 1 + sizeof(cells), names, sizeof(names));
	return 1 + all;
}
