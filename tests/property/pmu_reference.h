/* SBI PMU once more, slowly: one counter after another, straight from the text (SBI 3.0, chapter
 * 11) and from docs/pmu.md where the text is silent.  It shares nothing with src/pmu but the
 * numbers in pmu.h, and knows the fake hart's tables as conditions, not as tables. */
#ifndef HS_TESTS_PMU_REFERENCE_H
#define HS_TESTS_PMU_REFERENCE_H

#include "pmu_fake.h"

struct ref_counter {
	bool exists, firmware, configured, started, overflowed;
	unsigned n;     /* number of the CSR, below 32 */
	unsigned width;
	uint64_t value;
	uint64_t event; /* mhpmevent without OF */
	uint64_t idx, data;
};

struct ref {
	unsigned xlen, num, event_bits;
	bool sscofpmf, smcntrpmf, snapshot, event_info, platform, has_shmem, restricted, pending;
	struct ref_counter c[64];
	uint64_t shmem;
	uint8_t memory[FAKE_SIZE], page[FAKE_PAGES];
};

void ref_init(struct ref *r, const struct hs_pmu_config *c);
struct hs_sbiret ref_ecall(struct ref *r, uint64_t fid, const uint64_t *args);
void ref_fw_event(struct ref *r, uint64_t idx, uint64_t data, uint64_t times);

#endif
