/* The guest's counters, for the hypervisor and for the other host that takes them over. */
#ifndef GUEST_COUNTERS_H
#define GUEST_COUNTERS_H

#include <hartscope/pmu.h>

/* Platform events, by the numbers that machine mode has for interrupts. */
#define SOFTWARE_INTERRUPT 3u
#define TIMER_INTERRUPT 7u

/* @backend: the ops, to which platform events are added. */
enum hs_status make_guest_pmu(struct hs_pmu *pmu, unsigned xlen, const struct hs_pmu_ops *backend);

#endif
