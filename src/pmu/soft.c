/* Counters in software. */
#include <hartscope/block.h>

#include "core/config.h"
#include "pmu/soft.h"

#define SSCOFPMF_BITS (HS_PMU_EVENT_OF | HS_PMU_EVENT_INH)

/* The bit of mhpmevent that excludes a mode. */
static uint64_t filter_of(unsigned priv)
{
	switch (priv) {
	case HS_PRIV_U: return HS_PMU_EVENT_UINH;
	case HS_PRIV_S: return HS_PMU_EVENT_SINH;
	case HS_PRIV_M: return HS_PMU_EVENT_MINH;
	case HS_PRIV_VU: return HS_PMU_EVENT_VUINH;
	case HS_PRIV_VS: return HS_PMU_EVENT_VSINH;
	default: return 0;
	}
}

uint64_t pmu_soft_event(const struct hs_pmu_soft *soft, unsigned n)
{
	switch (n) {
	case 0: return HS_PMU_HW_CPU_CYCLES;
	case 2: return HS_PMU_HW_INSTRUCTIONS;
	default: return soft->sscofpmf ? soft->event[n] & ~SSCOFPMF_BITS : soft->event[n];
	}
}

uint64_t pmu_soft_filters(const struct hs_pmu_soft *soft, unsigned n)
{
	return n < 3 || soft->sscofpmf ? soft->event[n] & HS_PMU_EVENT_INH : 0;
}

/* Sscofpmf: unsigned overflow of the implemented bits sets OF, and requests an interrupt if OF was
 * clear. */
void pmu_soft_add(struct hs_pmu_soft *soft, unsigned n, uint64_t times)
{
	const uint64_t mask = UINT64_MAX >> (64 - soft->width[n]), room = mask - soft->value[n];

	if (times > room && n >= 3 && soft->sscofpmf && !(soft->event[n] & HS_PMU_EVENT_OF)) {
		soft->event[n] |= HS_PMU_EVENT_OF;
		soft->lcofi = true;
	}
	soft->value[n] = (soft->value[n] + times) & mask;
}

void hs_pmu_soft_count(struct hs_pmu_soft *soft, unsigned priv, uint64_t event, uint64_t times)
{
	const uint64_t filter = filter_of(priv);

	unsigned n = 0;

	for (uint32_t running = soft->running; running; running >>= 1, n++)
		if (running & 1u && pmu_soft_event(soft, n) == event &&
		    !(pmu_soft_filters(soft, n) & filter))
			pmu_soft_add(soft, n, times);
}

enum hs_status hs_pmu_soft_init(struct hs_pmu_soft *soft, const struct hs_pmu *pmu,
                                const struct hs_pmu_soft_memory *memory, void *memory_ctx)
{
	const struct hs_pmu_config *config = &pmu->config;
	struct hs_pmu_soft_memory own = { .check = NULL };

	if (memory && base_take_config(&own, sizeof(own), memory) != HS_OK)
		return HS_E_CONFIG;
	if (own.check && !(own.read && own.write))
		return HS_E_ARG;
	memset(soft, 0, sizeof(*soft));
	for (unsigned i = 0; i < config->hw_counters; i++)
		if (config->hw[i].width)
			soft->width[config->hw[i].csr & 31u] = config->hw[i].width;
	soft->sscofpmf = config->sscofpmf;
	soft->memory = own;
	soft->memory_ctx = memory_ctx;
	return HS_OK;
}

/* ---- ops ------------------------------------------------------------------------- */

uint64_t pmu_soft_read(void *ctx, unsigned n)
{
	return ((const struct hs_pmu_soft *)ctx)->value[n];
}

void pmu_soft_write(void *ctx, unsigned n, uint64_t value)
{
	((struct hs_pmu_soft *)ctx)->value[n] = value;
}

void pmu_soft_configure(void *ctx, unsigned n, uint64_t event)
{
	((struct hs_pmu_soft *)ctx)->event[n] = event;
}

void pmu_soft_start(void *ctx, uint32_t counters)
{
	((struct hs_pmu_soft *)ctx)->running |= counters;
}

void pmu_soft_stop(void *ctx, uint32_t counters)
{
	((struct hs_pmu_soft *)ctx)->running &= ~counters;
}

uint32_t pmu_soft_overflowed(void *ctx)
{
	const struct hs_pmu_soft *soft = ctx;
	uint32_t bits = 0;

	for (unsigned n = 3; n < 32; n++)
		bits |= (uint32_t)(soft->event[n] >> 63) << n;
	return bits;
}

bool pmu_soft_pending(void *ctx)
{
	const struct hs_pmu_soft *soft = ctx;

	return soft->lcofi || soft->lcofip;
}

enum hs_pmu_memory pmu_soft_check(void *ctx, uint64_t address, uint64_t length, unsigned access)
{
	const struct hs_pmu_soft *soft = ctx;

	if (!soft->memory.check)
		return HS_PMU_MEMORY_INACCESSIBLE;
	return soft->memory.check(soft->memory_ctx, address, length, access);
}

bool pmu_soft_load(void *ctx, uint64_t address, void *to, size_t n)
{
	const struct hs_pmu_soft *soft = ctx;

	return soft->memory.read(soft->memory_ctx, address, to, n);
}

bool pmu_soft_store(void *ctx, uint64_t address, const void *from, size_t n)
{
	const struct hs_pmu_soft *soft = ctx;

	return soft->memory.write(soft->memory_ctx, address, from, n);
}

static const struct hs_pmu_ops ops = {
	.size = sizeof(struct hs_pmu_ops),
	.read = pmu_soft_read,
	.write = pmu_soft_write,
	.configure = pmu_soft_configure,
	.start = pmu_soft_start,
	.stop = pmu_soft_stop,
	.overflowed = pmu_soft_overflowed,
	.memory_check = pmu_soft_check,
	.memory_read = pmu_soft_load,
	.memory_write = pmu_soft_store,
	.lcofi_pending = pmu_soft_pending,
};

const struct hs_pmu_ops *hs_pmu_soft_ops(void)
{
	return &ops;
}
