/* Cells of a device tree, and what is wrong with one. */
#include "pmu/fdt.h"

uint32_t pmu_cell(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

bool pmu_fail(struct pmu_fault *fault, enum hs_status status, const uint8_t *at, const char *text)
{
	*fault = (struct pmu_fault){ status, at, text };
	return false;
}
