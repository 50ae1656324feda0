/* Save and restore, for a suspend and for the migration of a virtual hart. */
#include "core/mem.h"
#include "pmu/pmu.h"

#define NO_SHMEM UINT64_MAX /* not aligned, so never an address */

void hs_pmu_save(const struct hs_pmu *pmu, struct hs_pmu_hart *hart, struct hs_pmu_saved *saved)
{
	memset(saved, 0, sizeof(*saved));
	saved->version = HS_PMU_SAVED_VERSION;
	saved->num_counters = pmu->num_counters;
	saved->configured = hart->configured;
	saved->started = hart->started;
	saved->shmem = hart->has_shmem ? hart->shmem : NO_SHMEM;
	pmu_stop(pmu, hart, pmu->hardware);
	saved->overflowed = pmu_overflowed(pmu, hart);
	for (unsigned i = 0; i < pmu->num_counters; i++) {
		if (hart->configured >> i & 1u)
			saved->slot[i] = hart->slot[i];
		if ((pmu->hardware | pmu->firmware) >> i & 1u)
			saved->slot[i].value = pmu_read(pmu, hart, i);
	}
}

/* Selectors are resolved again, not copied. */
static bool restore_slot(const struct hs_pmu *pmu, struct hs_pmu_hart *h, unsigned i,
                         const struct hs_pmu_saved *saved)
{
	struct hs_pmu_slot *slot = &h->slot[i];

	*slot = saved->slot[i];
	const struct pmu_target target = pmu_resolve(pmu, h->ctx, slot->event_idx,
	                                             slot->event_data);

	if (!(target.counters >> i & 1u) || slot->inhibit & ~(uint32_t)HS_PMU_CFG_SET_INH)
		return false;
	if (pmu->hardware >> i & 1u)
		slot->selector = pmu_selector(pmu, i, target.selector, slot->inhibit);
	return true;
}

static bool restore_shmem(const struct hs_pmu *pmu, struct hs_pmu_hart *h, uint64_t address)
{
	const struct pmu_call call = { .pmu = pmu, .hart = h };

	if (address == NO_SHMEM)
		return true;
	h->has_shmem = true;
	h->shmem = address;
	if (!pmu->config.snapshot || address % HS_PMU_SHMEM_SIZE)
		return false;
	return pmu_check(&call, address, HS_PMU_SHMEM_SIZE, HS_PMU_READ | HS_PMU_WRITE) ==
	       HS_SBI_SUCCESS;
}

static bool sets_fit(const struct hs_pmu *pmu, const struct hs_pmu_saved *saved)
{
	return !(saved->configured & ~(pmu->hardware | pmu->firmware)) &&
	       !(saved->started & ~saved->configured) && !(saved->overflowed & ~pmu->overflow);
}

/* Check @saved and copy it to @h. */
static bool restore_hart(const struct hs_pmu *pmu, struct hs_pmu_hart *h,
                         const struct hs_pmu_saved *saved)
{
	if (!sets_fit(pmu, saved))
		return false;
	h->configured = saved->configured;
	for (unsigned i = 0; i < pmu->num_counters; i++) {
		if (saved->configured >> i & 1u && !restore_slot(pmu, h, i, saved))
			return false;
		h->slot[i].value = saved->slot[i].value & pmu->fw_mask; /* of firmware counters */
	}
	return restore_shmem(pmu, h, saved->shmem);
}

/* Write the hardware counters. */
static void restore_counters(const struct hs_pmu *pmu, struct hs_pmu_hart *hart,
                             const struct hs_pmu_saved *saved)
{
	for (unsigned i = 0; i < pmu->config.hw_counters; i++) {
		const uint64_t of = saved->overflowed >> i & 1u ? HS_PMU_EVENT_OF : 0;
		uint64_t event;

		if (!(pmu->hardware >> i & 1u))
			continue;
		event = hart->configured >> i & 1u ? hart->slot[i].selector :
		                                     pmu_selector(pmu, i, 0, 0);
		pmu_write(pmu, hart, i, saved->slot[i].value);
		pmu->ops.configure(hart->ctx, pmu_csr_index(pmu, i), event | of);
	}
	pmu_start(pmu, hart, saved->started, saved->started);
}

enum hs_status hs_pmu_restore(const struct hs_pmu *pmu, struct hs_pmu_hart *hart,
                              const struct hs_pmu_saved *saved)
{
	struct hs_pmu_hart h = { .ctx = hart->ctx };

	if (saved->version != HS_PMU_SAVED_VERSION || saved->num_counters != pmu->num_counters)
		return HS_E_FORMAT;
	if (!restore_hart(pmu, &h, saved))
		return HS_E_FIELD;
	pmu_stop(pmu, hart, pmu->hardware);
	*hart = h;
	restore_counters(pmu, hart, saved);
	return HS_OK;
}
