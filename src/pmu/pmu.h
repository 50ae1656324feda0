/* What the files of this room share. */
#ifndef HS_PMU_PMU_H
#define HS_PMU_PMU_H

#include <hartscope/pmu.h>

/** An SBI call in progress. */
struct pmu_call {
	const struct hs_pmu *pmu;
	struct hs_pmu_hart *hart;
	uint64_t arg[HS_PMU_ARGS]; /* no wider than XLEN */
	uint64_t xlen_mask;
	uint64_t value;            /* a1 */
};

/** Where an event can be counted. */
struct pmu_target {
	uint64_t counters; /* logical counters that can monitor it; 0: not supported */
	uint64_t selector; /* for mhpmevent */
};

static inline uint64_t pmu_bit(unsigned n)
{
	return (uint64_t)1 << n;
}

/** The counter CSR of a logical counter: 0 mcycle, 2 minstret, 3 to 31 mhpmcounter3 to 31; also its
 * bit of mcountinhibit. */
static inline unsigned pmu_csr_index(const struct hs_pmu *pmu, unsigned counter)
{
	return pmu->config.hw[counter].csr & 31u;
}

/** Does a selector fit into mhpmevent: its width, without the bits that Sscofpmf uses? */
static inline bool pmu_selector_fits(const struct hs_pmu_config *config, uint64_t selector)
{
	if (config->event_bits == 32)
		return selector >> 32 == 0;
	return !config->sscofpmf || !(selector & (HS_PMU_EVENT_OF | HS_PMU_EVENT_INH));
}

/** Integers in memory are little-endian (SBI 3.0, 3.2). */
static inline void pmu_put(uint8_t *to, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static inline uint64_t pmu_get(const uint8_t *from, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)from[i] << 8 * i;
	return value;
}

/* events.c */
struct pmu_target pmu_resolve(const struct hs_pmu *pmu, void *ctx, uint64_t event_idx,
                              uint64_t data);
uint64_t pmu_selector(const struct hs_pmu *pmu, unsigned counter, uint64_t selector,
                      uint32_t inhibit);

/* counters.c */
void pmu_stop(const struct hs_pmu *pmu, struct hs_pmu_hart *hart, uint64_t set);
void pmu_start(const struct hs_pmu *pmu, struct hs_pmu_hart *hart, uint64_t set, uint64_t written);
uint64_t pmu_read(const struct hs_pmu *pmu, const struct hs_pmu_hart *hart, unsigned counter);
void pmu_write(const struct hs_pmu *pmu, struct hs_pmu_hart *hart, unsigned counter,
               uint64_t value);
uint64_t pmu_overflowed(const struct hs_pmu *pmu, const struct hs_pmu_hart *hart);
int pmu_config_matching(struct pmu_call *call);
int pmu_counter_start(struct pmu_call *call);
int pmu_counter_stop(struct pmu_call *call);

/* shmem.c */
int pmu_check(const struct pmu_call *call, uint64_t address, uint64_t length, unsigned access);
int pmu_snapshot_ready(const struct pmu_call *call, unsigned access);
int pmu_snapshot_load(const struct pmu_call *call, unsigned base, uint64_t set, uint64_t *values);
int pmu_snapshot_save(const struct pmu_call *call, unsigned base, uint64_t set);
int pmu_snapshot_set(struct pmu_call *call);
int pmu_event_get_info(struct pmu_call *call);

#endif
