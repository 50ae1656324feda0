/* Functions that the soft and the virtual backend share. */
#ifndef HS_PMU_SOFT_H
#define HS_PMU_SOFT_H

#include <hartscope/pmu.h>

/** Number of the event that a counter counts. */
uint64_t pmu_soft_event(const struct hs_pmu_soft *soft, unsigned n);

/** HS_PMU_EVENT_INH bits of a counter. */
uint64_t pmu_soft_filters(const struct hs_pmu_soft *soft, unsigned n);

/** Count in any mode. */
void pmu_soft_add(struct hs_pmu_soft *soft, unsigned n, uint64_t times);

/* The ops. */
uint64_t pmu_soft_read(void *ctx, unsigned n);
void pmu_soft_write(void *ctx, unsigned n, uint64_t value);
void pmu_soft_configure(void *ctx, unsigned n, uint64_t event);
void pmu_soft_start(void *ctx, uint32_t counters);
void pmu_soft_stop(void *ctx, uint32_t counters);
uint32_t pmu_soft_overflowed(void *ctx);
bool pmu_soft_pending(void *ctx);
enum hs_pmu_memory pmu_soft_check(void *ctx, uint64_t address, uint64_t length, unsigned access);
bool pmu_soft_load(void *ctx, uint64_t address, void *to, size_t n);
bool pmu_soft_store(void *ctx, uint64_t address, const void *from, size_t n);

#endif
