/* SBI PMU: the performance monitoring extension (EID 0x504D55) of SBI 3.0.
 *
 * For firmware, hypervisors and emulators: pass the registers of a supervisor's ecall to
 * hs_pmu_ecall(), and put the answer into a0 and a1.  The hart is reached only through
 * struct hs_pmu_ops; nothing here allocates, and XLEN is data.
 *
 *     struct hs_pmu       what a kind of hart has; made once, shared by its harts, constant
 *     struct hs_pmu_hart  what one hart is counting; used only by that hart
 *
 * Clauses are those of SBI 3.0, chapter 11, by function name; "Sscofpmf" and "Smcntrpmf"
 * are extensions of the privileged architecture.  Where the text is silent, docs/pmu.md
 * lists what is done here and why; "gap N" names its rows.
 *
 * A logical counter is a number below hs_pmu.num_counters: hardware counters come first,
 * in the order of the configuration, then firmware counters.  A set of them is a bit mask.
 *
 * Threads: calls for different struct hs_pmu_hart may run at once, with the same struct hs_pmu;
 * calls for one hart, firmware events included, one at a time.  The ops run in the caller's thread.
 */
#ifndef HARTSCOPE_PMU_H
#define HARTSCOPE_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HS_PMU_EID 0x504D55u         /**< a7 of the extension's calls */
#define HS_PMU_COUNTERS_MAX 64u      /**< logical counters of a hart */
#define HS_PMU_ARGS 6                /**< a0 to a5 */
#define HS_PMU_SHMEM_SIZE 4096u      /**< bytes of a snapshot, and its alignment */
#define HS_PMU_EVENT_INFO_SIZE 16u   /**< bytes of an event_get_info entry, and its alignment */
#define HS_PMU_EVENT_INFO_MAX 4096u  /**< entries in one call; more is ERR_FAILED (gap 14) */
#define HS_PMU_FW_COUNTERS 16u       /**< firmware counters by default */
#define HS_PMU_NO_FW_COUNTERS 255u   /**< hs_pmu_config.fw_counters: there are none */
#define HS_PMU_NO_FW_EVENTS 0x80000000u /**< hs_pmu_config.fw_events: none is counted */

/** Result of an SBI call (perf.def). */
enum hs_sbi_error {
#define HS_SBI(name, value) HS_SBI_##name = (value),
#include <hartscope/tables/perf.def>
#undef HS_SBI
};

/** Function numbers (perf.def). */
enum hs_pmu_fid {
#define HS_PMU_FUNCTION(id, name, fid, since) HS_PMU_##id = (fid),
#include <hartscope/tables/perf.def>
#undef HS_PMU_FUNCTION
};

/** event_idx[19:16]. */
enum hs_pmu_type {
	HS_PMU_TYPE_GENERAL = 0,
	HS_PMU_TYPE_CACHE = 1,
	HS_PMU_TYPE_RAW = 2,    /**< event_data: mhpmevent[47:0] */
	HS_PMU_TYPE_RAW_V2 = 3, /**< event_data: mhpmevent[55:0] */
	HS_PMU_TYPE_FIRMWARE = 15
};

/** event_idx of a type and a code. */
#define HS_PMU_EVENT(type, code) ((uint32_t)(type) << 16 | (uint32_t)(code))

/** General hardware events, as event_idx.code. */
enum hs_pmu_general {
#define HS_PMU_GENERAL(name, code) HS_PMU_HW_##name = (code),
#include <hartscope/tables/perf.def>
	HS_PMU_HW_NO_EVENT = 0
};

/** Parts of event_idx.code of a cache event. */
enum hs_pmu_cache {
#define HS_PMU_CACHE(name, cache_id) HS_PMU_CACHE_##name = (cache_id) << 3,
#define HS_PMU_CACHE_OP(name, op_id) HS_PMU_CACHE_OP_##name = (op_id) << 1,
#define HS_PMU_CACHE_RESULT(name, result_id) HS_PMU_CACHE_RESULT_##name = (result_id),
#include <hartscope/tables/perf.def>
};

/** Firmware events, as event_idx.code. */
enum hs_pmu_firmware {
#define HS_PMU_FIRMWARE(name, code) HS_PMU_FW_##name = (code),
#include <hartscope/tables/perf.def>
	HS_PMU_FW_IMPLEMENTATION = 256, /**< the first implementation-specific one */
	HS_PMU_FW_PLATFORM = 65535      /**< event_data says which */
};

/** config_flags of counter_config_matching. */
enum hs_pmu_config_flag {
	HS_PMU_CFG_SKIP_MATCH = 1 << 0,
	HS_PMU_CFG_CLEAR_VALUE = 1 << 1,
	HS_PMU_CFG_AUTO_START = 1 << 2,
	HS_PMU_CFG_SET_VUINH = 1 << 3,
	HS_PMU_CFG_SET_VSINH = 1 << 4,
	HS_PMU_CFG_SET_UINH = 1 << 5,
	HS_PMU_CFG_SET_SINH = 1 << 6,
	HS_PMU_CFG_SET_MINH = 1 << 7,
	HS_PMU_CFG_SET_INH = 31 << 3 /**< the five above */
};

/** start_flags of counter_start. */
enum hs_pmu_start_flag {
	HS_PMU_START_SET_INIT_VALUE = 1 << 0,
	HS_PMU_START_INIT_SNAPSHOT = 1 << 1
};

/** stop_flags of counter_stop. */
enum hs_pmu_stop_flag { HS_PMU_STOP_RESET = 1 << 0, HS_PMU_STOP_TAKE_SNAPSHOT = 1 << 1 };

/* Bits of mhpmevent (Sscofpmf) and, except for OF, of mcyclecfg and minstretcfg (Smcntrpmf). */
#define HS_PMU_EVENT_OF    ((uint64_t)1 << 63)
#define HS_PMU_EVENT_MINH  ((uint64_t)1 << 62)
#define HS_PMU_EVENT_SINH  ((uint64_t)1 << 61)
#define HS_PMU_EVENT_UINH  ((uint64_t)1 << 60)
#define HS_PMU_EVENT_VSINH ((uint64_t)1 << 59)
#define HS_PMU_EVENT_VUINH ((uint64_t)1 << 58)
#define HS_PMU_EVENT_INH   ((uint64_t)31 << 58)

/* CSR numbers of hardware counters, as counter_get_info returns them. */
#define HS_PMU_CSR_CYCLE 0xc00u
#define HS_PMU_CSR_INSTRET 0xc02u
#define HS_PMU_CSR_HPMCOUNTER3 0xc03u
#define HS_PMU_CSR_HPMCOUNTER31 0xc1fu

/** Kinds of access to memory; or-ed. */
enum hs_pmu_access { HS_PMU_READ = 1, HS_PMU_WRITE = 2 };

/** Whether the supervisor may access a range of memory (SBI 3.0, 3.2). */
enum hs_pmu_memory {
	HS_PMU_MEMORY_OK = 0,
	HS_PMU_MEMORY_INACCESSIBLE = 1, /**< it may not: ERR_INVALID_ADDRESS */
	HS_PMU_MEMORY_RESTRICTED = 2    /**< it may, but this firmware has a limit: ERR_FAILED */
};

/**
 * Access to a hart.  @ctx is hs_pmu_hart.ctx.
 *
 * Hardware counters are named by the bits of mcountinhibit: bit n is CSR 0xC00 + n.  Only
 * counters of the configuration are ever named.  A pointer may be NULL where it is not needed:
 * read to stop without hardware counters, overflowed without Sscofpmf, memory_* where neither
 * snapshot nor event_info is configured.
 */
struct hs_pmu_ops {
	uint32_t size; /**< sizeof(struct hs_pmu_ops) */
	uint64_t (*read)(void *ctx, unsigned n);
	/** Set the value; ignore bits above the counter's width.  A counter that counts while this
	 * is called has OF, and hs_pmu_config.forced has MINH: in M-mode it stands still. */
	void (*write)(void *ctx, unsigned n, uint64_t value);
	/** Set mhpmevent @n, or for n of 0 and 2 mcyclecfg and minstretcfg.  The counter does
	 * not count while this is called. */
	void (*configure)(void *ctx, unsigned n, uint64_t event);
	void (*start)(void *ctx, uint32_t counters); /**< let these count, all at once */
	void (*stop)(void *ctx, uint32_t counters);  /**< let these rest, all at once */
	/** OF bits, as in scountovf; not called without Sscofpmf */
	uint32_t (*overflowed)(void *ctx);
	/** Is this SBI_PMU_FW_PLATFORM event counted?  NULL: none is. */
	bool (*platform_event)(void *ctx, uint64_t event_data);
	/** @length is at least 1, and the range does not wrap. @access: enum hs_pmu_access. */
	enum hs_pmu_memory (*memory_check)(void *ctx, uint64_t address, uint64_t length,
	                                   unsigned access);
	/* Called only within a range that memory_check allowed in the same SBI call.  False: the
	 * access failed nevertheless.  @n is at most HS_PMU_EVENT_INFO_SIZE. */
	bool (*memory_read)(void *ctx, uint64_t address, void *to, size_t n);
	bool (*memory_write)(void *ctx, uint64_t address, const void *from, size_t n);
	/** Is a count overflow interrupt pending (mip.LCOFIP)?  Then counter_start keeps OF, so
	 * that the supervisor finds out whose it is.  NULL: OF is always cleared. */
	bool (*lcofi_pending)(void *ctx);
};

/** A hardware counter.  @c width 0: a hole, a logical counter that does not exist. */
struct hs_pmu_counter {
	uint16_t csr;  /**< 0xC00, 0xC02 to 0xC1F */
	uint8_t width; /**< 1 to 64 bits, or 0 */
};

/** Which counters can monitor a range of general or cache events; the first row wins. */
struct hs_pmu_event_row {
	uint32_t first, last; /**< event_idx, both included, of type 0 or 1 */
	uint64_t counters;    /**< logical hardware counters */
	uint64_t selector;    /**< value for mhpmevent; 0: event_idx itself.  With Sscofpmf
	                           bits 63 to 58 are 0 */
};

/** Which counters can monitor raw events; the first row with (data & mask) == select wins.  Bits
 * that event_data does not have (63:48, or of raw events v2 63:56) do not count for that: in
 * mhpmevent they are those of @c select. */
struct hs_pmu_raw_row {
	uint64_t select, mask; /**< select has no bit outside mask */
	uint64_t counters; /**< logical hardware counters, neither cycle nor instret */
};

/** What a kind of hart has.  Zero is the default of each member: a hart of 64 bits without hardware
 * counters, and firmware that counts every firmware event.  The ops are copied, the tables kept. */
struct hs_pmu_config {
	uint32_t size;         /**< sizeof(struct hs_pmu_config) */
	uint8_t xlen;          /**< 32 or 64; 0: 64 */
	uint8_t event_bits;    /**< bits of mhpmevent: 32 or 64; 0: 64 */
	uint8_t fw_counters;   /**< firmware counters, after the hardware counters; 0:
	                            HS_PMU_FW_COUNTERS; HS_PMU_NO_FW_COUNTERS: none */
	uint8_t fw_width;      /**< their bits, 1 to 64; 0: 64 */
	bool sscofpmf;         /**< counters 3 to 31 have OF and mode filters; event_bits is 64 */
	bool smcntrpmf;        /**< cycle and instret have mode filters */
	bool snapshot;         /**< snapshot_set_shmem is offered */
	bool event_info;       /**< event_get_info is offered */
	uint8_t forced;        /**< HS_PMU_CFG_SET_*INH that always apply */
	uint8_t hw_counters;   /**< rows of @c hw */
	uint16_t fw_impl_events; /**< implementation-specific firmware events, from 256 on */
	uint32_t fw_events;    /**< bit n: firmware event n, of 0 to 21, is counted; 0: all of them;
	                            HS_PMU_NO_FW_EVENTS: none */
	uint32_t event_rows;   /**< rows of @c events */
	uint32_t raw_rows;     /**< rows of @c raws */
	uint32_t reserved;     /**< 0 */
	const struct hs_pmu_counter *hw;
	const struct hs_pmu_event_row *events;
	const struct hs_pmu_raw_row *raws;
	const struct hs_pmu_ops *ops; /**< NULL: all of its pointers are */
};

/** A kind of hart: read-only after hs_pmu_init(). */
struct hs_pmu {
	struct hs_pmu_config config; /**< with the defaults filled in */
	uint32_t num_counters;       /**< logical counters, holes included */
	/* Private: */
	uint32_t filters;            /* mcountinhibit bits of the counters that have mode filters */
	struct hs_pmu_ops ops;
	uint64_t hardware, firmware; /* logical counters that exist, by kind */
	uint64_t overflow;           /* those of them that have OF */
	uint64_t fw_mask;            /* value bits of a firmware counter */
};

/** What one logical counter is used for. */
struct hs_pmu_slot {
	uint64_t value;      /**< of a firmware counter; of a hardware counter, what was written */
	uint64_t selector;   /**< of a hardware counter: mhpmevent with filters */
	uint64_t event_data;
	uint32_t event_idx;
	uint32_t inhibit;    /**< HS_PMU_CFG_SET_*INH of the supervisor's call */
};

/** One hart.  Plain data except for @c ctx. */
struct hs_pmu_hart {
	void *ctx;           /**< for the ops */
	uint64_t configured; /**< logical counters that have an event */
	uint64_t started;    /**< logical counters that count */
	uint64_t shmem;      /**< address of the snapshot */
	bool has_shmem;
	/* Private: */
	uint64_t fw_started; /* firmware counters that count */
	struct hs_pmu_slot slot[HS_PMU_COUNTERS_MAX];
};

/** What an SBI call returns: a0 and a1, sign-extended and zero-extended to 64 bits. */
struct hs_sbiret {
	int64_t error;  /**< enum hs_sbi_error */
	uint64_t value; /**< 0 with an error */
};

/**
 * Check a configuration and copy it.
 *
 * @retval HS_OK
 * @retval HS_E_ARG     A pointer that is needed is NULL.
 * @retval HS_E_CONFIG  A size, or non-zero bytes of a later version of the library; xlen,
 *                      event_bits, a width, a CSR or a flag is out of its range; two counters
 *                      have one CSR; more than HS_PMU_COUNTERS_MAX counters, or none; a row
 *                      names a counter that is not a hardware counter, an event of another
 *                      type, a last event before the first, or a selector wider than
 *                      mhpmevent's event field; select has bits outside mask; cycle or instret
 *                      is given for another event than its own.
 */
HS_STATIC enum hs_status hs_pmu_init(struct hs_pmu *pmu, const struct hs_pmu_config *config);

/** Start a hart: no counter has an event, all hardware counters are stopped. */
HS_STATIC void hs_pmu_hart_init(const struct hs_pmu *pmu, struct hs_pmu_hart *hart, void *ctx);

/**
 * Answer one SBI call.  Everything is checked before anything changes: errors leave the hart as
 * it was, except ALREADY_STOPPED (gap 5) and a memory write that fails after its check.
 *
 * @param fid   a6.  On RV32 only the lower 32 bits of @fid and @args count.
 * @param args  a0 to a5; those that the function does not use are ignored.
 * @return  The error is one of:
 * @retval SUCCESS
 * @retval ERR_NOT_SUPPORTED    No such function; snapshot or event_info is not configured;
 *                              no free counter of the set can monitor the event.
 * @retval ERR_INVALID_PARAM    A set is empty (gap 1) or has a counter that does not exist; a
 *                              reserved flag is set; both start flags, or an initial value
 *                              for several counters (gap 2); an address is not aligned; a
 *                              counter without event is started or read (gaps 3, 4); an
 *                              event_idx word has reserved bits.
 * @retval ERR_INVALID_ADDRESS  The supervisor may not access the memory.
 * @retval ERR_ALREADY_STARTED  A counter of the set counts.  None was started.
 * @retval ERR_ALREADY_STOPPED  A counter of the set did not count.  All are stopped, and
 *                              reset or saved as the flags say.
 * @retval ERR_NO_SHMEM         A flag needs the snapshot memory, and there is none.
 * @retval ERR_FAILED           memory_check returned RESTRICTED; an access failed; more than
 *                              HS_PMU_EVENT_INFO_MAX entries.
 */
HS_STATIC struct hs_sbiret hs_pmu_ecall(const struct hs_pmu *pmu, struct hs_pmu_hart *hart,
                                        uint64_t fid, const uint64_t args[HS_PMU_ARGS]);

/** Count @n firmware events @code (0 to 65534) that happened on @hart. */
HS_STATIC void hs_pmu_fw_event(const struct hs_pmu *pmu, struct hs_pmu_hart *hart, unsigned code,
                               uint64_t n);

/** Count @n platform firmware events with this event_data. */
HS_STATIC void hs_pmu_platform_event(const struct hs_pmu *pmu, struct hs_pmu_hart *hart,
                                     uint64_t event_data, uint64_t n);

#define HS_PMU_SAVED_VERSION 1u

/** A hart's stopped counters: plain data.  hs_pmu_saved_write() makes bytes of it that any other
 * host can read. */
struct hs_pmu_saved {
	uint32_t version;    /**< HS_PMU_SAVED_VERSION */
	uint32_t num_counters;
	uint64_t configured, started, overflowed; /**< logical counters */
	uint64_t shmem;      /**< address; all-ones: none */
	struct hs_pmu_slot slot[HS_PMU_COUNTERS_MAX]; /**< value: of hardware counters too */
};

/**
 * Stop a hart's hardware counters and save everything: before a suspend that loses state,
 * or to move a virtual hart.  The hart stays usable only after hs_pmu_restore().
 */
HS_STATIC void hs_pmu_save(const struct hs_pmu *pmu, struct hs_pmu_hart *hart,
                           struct hs_pmu_saved *saved);

/**
 * Continue where hs_pmu_save() stopped, on this hart or another one of an equal configuration.
 * @saved is checked and may come from anywhere; on errors @hart is as it was.  hart->ctx is kept.
 *
 * @retval HS_OK
 * @retval HS_E_FORMAT  Another version, or another number of counters.
 * @retval HS_E_FIELD   A counter does not exist, counts without event, or cannot monitor its
 *                      event; an overflow of a counter that has none; the snapshot memory is not
 *                      aligned or not allowed.
 */
HS_STATIC enum hs_status hs_pmu_restore(const struct hs_pmu *pmu, struct hs_pmu_hart *hart,
                                        const struct hs_pmu_saved *saved);

#define HS_PMU_SAVED_BYTES 1584u /**< of the most that hs_pmu_saved_write() writes */

/** Write @saved as bytes (docs/pmu.md, "Saved state"). @return How many. */
HS_STATIC size_t hs_pmu_saved_write(const struct hs_pmu_saved *saved,
                                    uint8_t bytes[HS_PMU_SAVED_BYTES]);

/**
 * Read the bytes of hs_pmu_saved_write(), of any host.  Only their form is checked:
 * hs_pmu_restore() checks the state.
 *
 * @param[in,out] in    Moved past the bytes read; with errors, as it was.
 * @param[out]    saved Written only when the result is HS_OK.
 * @retval HS_OK
 * @retval HS_E_TRUNCATED  @in ends before the state does.
 * @retval HS_E_FORMAT     No saved state, another version, or more than HS_PMU_COUNTERS_MAX
 *                         counters.
 */
HS_STATIC enum hs_status hs_pmu_saved_read(struct hs_pmu_saved *saved, struct hs_span *in);

/** Name of an enum hs_sbi_error, such as "ERR_NO_SHMEM"; "?" if there is none. */
HS_STATIC const char *hs_sbi_error_name(int64_t error);

/** Name of a function, such as "counter_start"; "?" if there is none. */
HS_STATIC const char *hs_pmu_function_name(uint64_t fid);

/** Name of an event of type 0 or 15, such as "CPU_CYCLES"; "?" if there is none. */
HS_STATIC const char *hs_pmu_event_name(uint32_t event_idx);

/* ---- pmu soft ----
 * Two backends for SBI PMU on harts without hardware counters.
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
HS_STATIC const struct hs_pmu_ops *hs_pmu_soft_ops(void);

/**
 * Start with the counters of a kind of hart; none of them counts.
 * @param memory  Copied.  NULL: all memory is inaccessible.
 * @retval HS_OK
 * @retval HS_E_ARG     @memory has check without read or write.
 * @retval HS_E_CONFIG  The size of @memory, or non-zero bytes of a later version of the library.
 */
HS_STATIC enum hs_status hs_pmu_soft_init(struct hs_pmu_soft *soft, const struct hs_pmu *pmu,
                                          const struct hs_pmu_soft_memory *memory,
                                          void *memory_ctx);

/**
 * Count @n events that happened in one mode.
 * @param event  Number of the event: 1 is a cycle, 2 an instruction.
 * @param priv   enum hs_priv of block.h.  HS_PRIV_UNKNOWN: no filter applies.
 */
HS_STATIC void hs_pmu_soft_count(struct hs_pmu_soft *soft, unsigned priv, uint64_t event,
                                 uint64_t n);

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
	uint64_t since[32]; /* the host's counts when the virtual hart began to run */
	uint32_t armed;     /* counters whose overflow the host is to interrupt for */
};

/** The ops of a struct hs_pmu_virtual. */
HS_STATIC const struct hs_pmu_ops *hs_pmu_virtual_ops(void);

/**
 * Start outside.
 * @param host  Copied.  Other parameters and results as of hs_pmu_soft_init(); also
 * @retval HS_E_ARG     @host has no count.
 * @retval HS_E_CONFIG  The size of @host, or non-zero bytes of a later version of the library.
 */
HS_STATIC enum hs_status hs_pmu_virtual_init(struct hs_pmu_virtual *v, const struct hs_pmu *pmu,
                                             const struct hs_pmu_soft_memory *memory,
                                             void *memory_ctx, const struct hs_pmu_host *host,
                                             void *host_ctx);

/** The virtual hart begins to run on a host's hart.  If it is inside, its counts are saved, and
 * saved.lcofi is true if one has overflowed. */
HS_STATIC void hs_pmu_virtual_enter(struct hs_pmu_virtual *v);

/** It stops running: its counts are saved; saved.lcofi is true if the interrupt is to be
 * injected. */
HS_STATIC void hs_pmu_virtual_leave(struct hs_pmu_virtual *v);

/* ---- pmu fdt ----
 * The event tables of SBI PMU from a device tree: the binding "riscv,pmu" of Linux.
 *
 * The tree is a flattened device tree, version 17, as firmware gets it at boot.  It is not trusted:
 * all of it is checked, and nothing outside of it is read.
 *
 *     riscv,event-to-mhpmcounters      first and last event_idx, bits of mhpmcounters
 *     riscv,event-to-mhpmevent         event_idx, 64 bits of selector; default: event_idx itself
 *     riscv,raw-event-to-mhpmcounters  64 bits of select, 64 bits of mask, bits of mhpmcounters
 *
 * Threads: calls on different memory may run at once.
 */

/** Tables to fill. */
struct hs_pmu_fdt {
	uint32_t size;                         /**< sizeof(struct hs_pmu_fdt) */
	uint32_t event_capacity, raw_capacity; /**< rows that fit @c events and @c raws */
	uint32_t event_rows, raw_rows;         /**< out: rows written */
	struct hs_pmu_event_row *events;
	struct hs_pmu_raw_row *raws;
	uint64_t fault_offset; /**< out, with an error: where in the tree */
	const char *fault;     /**< out, with an error: what is wrong there; static */
};

/**
 * Read the tables of the node that is compatible with "riscv,pmu".  Without such a node there are
 * no rows; a node whose status is neither "okay" nor "ok" is not there.
 *
 * @param config  The counters (hw, hw_counters) and the width of mhpmevent (event_bits,
 *                sscofpmf).  Bits of mhpmcounters that it does not have are dropped, and rows
 *                without a counter.  Its own tables are not read.
 * @retval HS_OK  The rows suit hs_pmu_init() with @config.
 * @retval HS_E_CONFIG   The size of @fdt, or non-zero bytes of a later version of the library.
 * @retval HS_E_FORMAT   No device tree of version 17, or one that is damaged.
 * @retval HS_E_FIELD    A property that the binding does not allow: it does not consist of whole
 *                       rows; an event that is neither general nor of a cache; a last event
 *                       before the first; cycle or instret for another event than its own; raw
 *                       events on them; selector 0, which is no event; selectors without
 *                       counters; a selector wider than mhpmevent's event field, or with bits
 *                       outside its mask.
 * @retval HS_E_SPACE    A property has more rows than the tables, or a capacity is not enough.
 * @retval HS_E_UNSUPPORTED  A second node.
 */
HS_STATIC enum hs_status hs_pmu_fdt_read(struct hs_pmu_fdt *fdt, const struct hs_span *tree,
                                         const struct hs_pmu_config *config);

#ifdef __cplusplus
}
#endif
#endif
