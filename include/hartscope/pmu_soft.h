/* Two ways to be the hart behind SBI PMU without hardware counters.
 *
 * The soft backend is for emulators and for replayed traces: tell it what happened, in
 * which mode, and it counts, filters by mode, sets OF and asks for the LCOFI interrupt
 * (Sscofpmf, Smcntrpmf).
 *
 * The virtual backend is for hypervisors: a virtual hart's counters are saved state, to
 * which is added what the host counted while the virtual hart ran.
 *
 * In both, mhpmevent (less its upper byte) is the event's own number: the selector of a
 * row of hs_pmu_config.events, by default event_idx, or raw event_data.  cycle counts
 * event 1, instret counts event 2.
 */
#ifndef HARTSCOPE_PMU_SOFT_H
#define HARTSCOPE_PMU_SOFT_H

#include <hartscope/pmu.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The supervisor's memory, as in struct hs_pmu_ops. */
struct hs_pmu_soft_memory {
	enum hs_pmu_memory (*check)(void *ctx, uint64_t address, uint64_t length, unsigned access);
	bool (*read)(void *ctx, uint64_t address, void *to, size_t n);
	bool (*write)(void *ctx, uint64_t address, const void *from, size_t n);
};

/** Counters in software.  Plain data but for the pointers. */
struct hs_pmu_soft {
	uint64_t value[32], event[32]; /**< by bit of mcountinhibit; event is mhpmevent */
	uint8_t width[32];             /**< bits; 0: there is none */
	uint32_t running;
	bool sscofpmf;                 /**< counters 3 to 31 have OF */
	bool lcofi; /**< an overflow asks for LCOFI: the emulator sets mip.LCOFIP and clears this */
	const struct hs_pmu_soft_memory *memory;
	void *memory_ctx;
};

/** The ops of a struct hs_pmu_soft, which is then the context of hs_pmu_hart_init(). */
HS_API const struct hs_pmu_ops *hs_pmu_soft_ops(void);

/**
 * Start with the counters of a configuration; none of them counts.
 * @param memory  Kept.  NULL: all memory is inaccessible.
 */
HS_API void hs_pmu_soft_init(struct hs_pmu_soft *soft, const struct hs_pmu_config *config,
                             const struct hs_pmu_soft_memory *memory, void *memory_ctx);

/**
 * @n events happened in one mode.
 * @param event  Number of the event: 1 is a cycle, 2 an instruction.
 * @param priv   enum hs_priv of block.h.  HS_PRIV_UNKNOWN: no filter applies.
 */
HS_API void hs_pmu_soft_count(struct hs_pmu_soft *soft, unsigned priv, uint64_t event, uint64_t n);

/** A virtual hart: saved counters, and how to ask the host. */
struct hs_pmu_virtual {
	struct hs_pmu_soft saved; /**< must be first: it is the context of the ops */
	/** How often the host has counted @event (mhpmevent with its filters, without OF), by any
	 * origin; it may wrap at 64 bits. */
	uint64_t (*host)(void *ctx, uint64_t event);
	void *host_ctx;
	uint64_t since[32]; /**< what the host said when the virtual hart went in */
	bool inside;
};

/** The ops of a struct hs_pmu_virtual. */
HS_API const struct hs_pmu_ops *hs_pmu_virtual_ops(void);

/** Start outside. As hs_pmu_soft_init(). */
HS_API void hs_pmu_virtual_init(struct hs_pmu_virtual *v, const struct hs_pmu_config *config,
                                const struct hs_pmu_soft_memory *memory, void *memory_ctx,
                                uint64_t (*host)(void *ctx, uint64_t event), void *host_ctx);

/** The virtual hart begins to run on a host's hart. */
HS_API void hs_pmu_virtual_enter(struct hs_pmu_virtual *v);

/** It stops to run: counts are saved; saved.lcofi says whether to inject the interrupt. */
HS_API void hs_pmu_virtual_leave(struct hs_pmu_virtual *v);

#ifdef __cplusplus
}
#endif
#endif
