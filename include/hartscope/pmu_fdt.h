/* The event tables of SBI PMU from a device tree: the binding "riscv,pmu" of Linux.
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
#ifndef HARTSCOPE_PMU_FDT_H
#define HARTSCOPE_PMU_FDT_H

#include <hartscope/pmu.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Tables to fill. */
struct hs_pmu_fdt {
	uint32_t size; /**< sizeof(struct hs_pmu_fdt) */
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
HS_API enum hs_status hs_pmu_fdt_read(struct hs_pmu_fdt *fdt, const struct hs_span *tree,
                                      const struct hs_pmu_config *config);

#ifdef __cplusplus
}
#endif
#endif
