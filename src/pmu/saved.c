/* A saved hart as bytes, for another host: little-endian, without padding.
 *
 *     0  "HPMU"         4  version       8  num_counters    12  0
 *    16  configured    24  started      32  overflowed      40  shmem
 *    48  for each counter: value, event_data (8 bytes each), event_idx, inhibit (4 bytes each)
 *
 * Selectors are not in it: hs_pmu_restore() finds them again. */
#include "base/mem.h"
#include "pmu/pmu.h"

#define MAGIC 0x554d5048u /* "HPMU" */
#define HEAD_BYTES 48u
#define SLOT_BYTES 24u

_Static_assert(HS_PMU_SAVED_BYTES == HEAD_BYTES + HS_PMU_COUNTERS_MAX * SLOT_BYTES, "");

static void write_slot(const struct hs_pmu_slot *slot, uint8_t *to)
{
	pmu_put(to, slot->value, 8);
	pmu_put(to + 8, slot->event_data, 8);
	pmu_put(to + 16, slot->event_idx, 4);
	pmu_put(to + 20, slot->inhibit, 4);
}

static void read_slot(struct hs_pmu_slot *slot, const uint8_t *from)
{
	slot->value = pmu_get(from, 8);
	slot->event_data = pmu_get(from + 8, 8);
	slot->event_idx = (uint32_t)pmu_get(from + 16, 4);
	slot->inhibit = (uint32_t)pmu_get(from + 20, 4);
}

size_t hs_pmu_saved_write(const struct hs_pmu_saved *saved, uint8_t bytes[HS_PMU_SAVED_BYTES])
{
	pmu_put(bytes, MAGIC, 4);
	pmu_put(bytes + 4, saved->version, 4);
	pmu_put(bytes + 8, saved->num_counters, 4);
	pmu_put(bytes + 12, 0, 4);
	pmu_put(bytes + 16, saved->configured, 8);
	pmu_put(bytes + 24, saved->started, 8);
	pmu_put(bytes + 32, saved->overflowed, 8);
	pmu_put(bytes + 40, saved->shmem, 8);
	for (unsigned i = 0; i < saved->num_counters; i++)
		write_slot(&saved->slot[i], bytes + HEAD_BYTES + SLOT_BYTES * i);
	return HEAD_BYTES + SLOT_BYTES * saved->num_counters;
}

static bool head_fits(const uint8_t *p)
{
	return pmu_get(p, 4) == MAGIC && pmu_get(p + 4, 4) == HS_PMU_SAVED_VERSION &&
	       pmu_get(p + 8, 4) <= HS_PMU_COUNTERS_MAX && pmu_get(p + 12, 4) == 0;
}

enum hs_status hs_pmu_saved_read(struct hs_pmu_saved *saved, struct hs_span *in)
{
	const uint8_t *p = in->p;

	if (in->n < HEAD_BYTES)
		return HS_E_TRUNCATED;
	if (!head_fits(p))
		return HS_E_FORMAT;
	const unsigned counters = (unsigned)pmu_get(p + 8, 4);
	const size_t bytes = HEAD_BYTES + (size_t)SLOT_BYTES * counters;

	if (in->n < bytes)
		return HS_E_TRUNCATED;
	memset(saved, 0, sizeof(*saved));
	saved->version = HS_PMU_SAVED_VERSION;
	saved->num_counters = counters;
	saved->configured = pmu_get(p + 16, 8);
	saved->started = pmu_get(p + 24, 8);
	saved->overflowed = pmu_get(p + 32, 8);
	saved->shmem = pmu_get(p + 40, 8);
	for (unsigned i = 0; i < counters; i++)
		read_slot(&saved->slot[i], p + HEAD_BYTES + SLOT_BYTES * i);
	in->p += bytes;
	in->n -= bytes;
	return HS_OK;
}
