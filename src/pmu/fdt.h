/* The node "riscv,pmu" of a device tree, between fdt.c, which finds it, and fdt_tables.c. */
#ifndef HS_PMU_FDT_PRIVATE_H
#define HS_PMU_FDT_PRIVATE_H

#include <hartscope/pmu.h>

enum pmu_property { PMU_COUNTERS, PMU_SELECTORS, PMU_RAWS, PMU_PROPERTIES };

/** The value of a property; @c at is NULL: there is no such property. */
struct pmu_cells {
	const uint8_t *at;
	uint32_t bytes;
};

/** What is wrong with a tree, and where. */
struct pmu_fault {
	enum hs_status status;
	const uint8_t *at;
	const char *text;
};

/** A cell, big-endian. */
uint32_t pmu_cell(const uint8_t *p);

/** False: with *fault. */
bool pmu_fail(struct pmu_fault *fault, enum hs_status status, const uint8_t *at, const char *text);

/** Make rows of the properties.  False: with *fault. */
bool pmu_tables(struct hs_pmu_fdt *fdt, const struct pmu_cells *cells,
                const struct hs_pmu_config *config, struct pmu_fault *fault);

#endif
