/* Two backends for SBI PMU on harts without hardware counters.
 *
 * The soft backend is for emulators and for replayed traces: report what happened, in which
 * mode, and it counts, filters by mode, sets OF and requests the LCOFI interrupt (Sscofpmf,
 * Smcntrpmf).
 *
 * The virtual backend is for hypervisors: a virtual hart's counters are saved state, to which
 * is added what the host counted while the virtual hart ran.
 *
 * In both, mhpmevent (without OF and filters) is the event's own number: the selector of a
 * row of hs_pmu_config.events, by default event_idx, or raw event_data.  cycle counts
 * event 1, instret counts event 2.
 *
 * Threads: as in pmu.h; a struct here belongs to one hart.
 */
#ifndef HARTSCOPE_PMU_SOFT_H
#define HARTSCOPE_PMU_SOFT_H

#include <hartscope/pmu.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The supervisor's memory, as in struct hs_pmu_ops.  Without @c check, all of it is
 * inaccessible. */
struct hs_pmu_soft_memory {
	uint32_t size; /**< sizeof(struct hs_pmu_soft_memory) */
	enum hs_pmu_memory (*check)(void *ctx, uint64_t address, uint64_t length, unsigned access);
	bool (*read)(void *ctx, uint64_t address, void *to, size_t n);
	bool (*write)(void *ctx, uint64_t address, const void *from, size_t n);
};

/** Counters in software.  Plain data except for the pointers. */
struct hs_pmu_soft {
	uint64_t value[32], event[32]; /**< by bit of mcountinhibit; event is mhpmevent */
	uint8_t width[32];             /**< bits; 0: there is no such counter */
	uint32_t running;              /**< counters that count */
	bool sscofpmf;                 /**< counters 3 to 31 have OF */
	bool lcofi; /**< an overflow requests LCOFI: the emulator sets mip.LCOFIP and clears this */
	bool lcofip; /**< mip.LCOFIP, as the emulator has it: while it or @lcofi is set, a start
	                  keeps OF.  An emulator that leaves it false clears OF at each start */
	/* Private: */
	struct hs_pmu_soft_memory memory;
	void *memory_ctx;
};

/** The ops of a struct hs_pmu_soft, which is then the context of hs_pmu_hart_init(). */
HS_API const struct hs_pmu_ops *hs_pmu_soft_ops(void);

/**
 * Start with the counters of a kind of hart; none of them counts.
 * @param memory  Copied.  NULL: all memory is inaccessible.
 * @retval HS_OK
 * @retval HS_E_ARG     @memory has check without read or write.
 * @retval HS_E_CONFIG  The size of @memory, or non-zero bytes of a later version of the library.
 */
HS_API enum hs_status hs_pmu_soft_init(struct hs_pmu_soft *soft, const struct hs_pmu *pmu,
                                       const struct hs_pmu_soft_memory *memory, void *memory_ctx);

/**
 * Count @n events that happened in one mode.
 * @param event  Number of the event: 1 is a cycle, 2 an instruction.
 * @param priv   enum hs_priv of block.h.  HS_PRIV_UNKNOWN: no filter applies.
 */
HS_API void hs_pmu_soft_count(struct hs_pmu_soft *soft, unsigned priv, uint64_t event, uint64_t n);

/** What virtual harts need of the hart that they run on.  @ctx: host_ctx of hs_pmu_virtual_init();
 * @event: mhpmevent with its filters, without OF. */
struct hs_pmu_host {
	uint32_t size; /**< sizeof(struct hs_pmu_host) */
	/** How often @event has happened since any moment in the past; may wrap at 64 bits. */
	uint64_t (*count)(void *ctx, uint64_t event);
	/** Interrupt when @event has happened @left more times: then the guest's counter @n
	 * overflows, and hs_pmu_virtual_enter() or hs_pmu_virtual_leave() finds it.  One interrupt
	 * at most; a further call for @n replaces it, @left 0 takes it back.  Called inside; by
	 * hs_pmu_virtual_leave() to take it back.  NULL: an overflow is found at the next call
	 * that asks for the counts. */
	void (*arm)(void *ctx, unsigned n, uint64_t event, uint64_t left);
};

/** A virtual hart: saved counters, and access to the host's. */
struct hs_pmu_virtual {
	struct hs_pmu_soft saved; /**< first: it is the context of the ops */
	bool inside;              /**< between hs_pmu_virtual_enter() and hs_pmu_virtual_leave() */
	/* Private: */
	struct hs_pmu_host host;
	void *host_ctx;
	uint64_t since[32];       /* the host's counts when the virtual hart began to run */
	uint32_t armed;           /* counters whose overflow the host is to interrupt for */
};

/** The ops of a struct hs_pmu_virtual. */
HS_API const struct hs_pmu_ops *hs_pmu_virtual_ops(void);

/**
 * Start outside.
 * @param host  Copied.  Other parameters and results as of hs_pmu_soft_init(); also
 * @retval HS_E_ARG     @host has no count.
 * @retval HS_E_CONFIG  The size of @host, or non-zero bytes of a later version of the library.
 */
HS_API enum hs_status hs_pmu_virtual_init(struct hs_pmu_virtual *v, const struct hs_pmu *pmu,
                                          const struct hs_pmu_soft_memory *memory, void *memory_ctx,
                                          const struct hs_pmu_host *host, void *host_ctx);

/** The virtual hart begins to run on a host's hart.  If it is inside, its counts are saved, and
 * saved.lcofi is true if one has overflowed. */
HS_API void hs_pmu_virtual_enter(struct hs_pmu_virtual *v);

/** It stops running: its counts are saved; saved.lcofi is true if the interrupt is to be
 * injected. */
HS_API void hs_pmu_virtual_leave(struct hs_pmu_virtual *v);

#ifdef __cplusplus
}
#endif
#endif
