/* A saved hart as bytes, for another host: little-endian, without padding.
 *
 *     0  "HPMU"         4  version       8  num_counters (8 bytes)
 *    16  configured    24  started      32  overflowed      40  shmem
 *    48  for each counter: value, event_data (8 bytes each), event_idx, inhibit (4 bytes each)
 *
 * Selectors are not in it: hs_pmu_restore() finds them again. */
#include "core/mem.h"
#include "pmu/pmu.h"

#define MAGIC 0x554d5048u /* "HPMU" */
#define HEAD_BYTES 48u
#define SLOT_BYTES 24u

_Static_assert(HS_PMU_SAVED_BYTES == HEAD_BYTES + HS_PMU_COUNTERS_MAX * SLOT_BYTES, "");

static void put_integer(uint8_t **to, uint64_t value, unsigned bytes)
{
	pmu_put(*to, value, bytes);
	*to += bytes;
}

static uint64_t take_integer(const uint8_t **from, unsigned bytes)
{
	const uint64_t value = pmu_get(*from, bytes);

	*from += bytes;
	return value;
}

size_t hs_pmu_saved_write(const struct hs_pmu_saved *saved, uint8_t bytes[HS_PMU_SAVED_BYTES])
{
	uint8_t *p = bytes;

	put_integer(&p, MAGIC, 4);
	put_integer(&p, saved->version, 4);
	put_integer(&p, saved->num_counters, 8);
	put_integer(&p, saved->configured, 8);
	put_integer(&p, saved->started, 8);
	put_integer(&p, saved->overflowed, 8);
	put_integer(&p, saved->shmem, 8);
	for (unsigned i = 0; i < saved->num_counters; i++) {
		put_integer(&p, saved->slot[i].value, 8);
		put_integer(&p, saved->slot[i].event_data, 8);
		put_integer(&p, saved->slot[i].event_idx, 4);
		put_integer(&p, saved->slot[i].inhibit, 4);
	}
	return (size_t)(p - bytes);
}

/* Everything after num_counters, which is set. */
static void read_rest(struct hs_pmu_saved *saved, const uint8_t *p)
{
	saved->configured = take_integer(&p, 8);
	saved->started = take_integer(&p, 8);
	saved->overflowed = take_integer(&p, 8);
	saved->shmem = take_integer(&p, 8);
	for (unsigned i = 0; i < saved->num_counters; i++) {
		saved->slot[i].value = take_integer(&p, 8);
		saved->slot[i].event_data = take_integer(&p, 8);
		saved->slot[i].event_idx = (uint32_t)take_integer(&p, 4);
		saved->slot[i].inhibit = (uint32_t)take_integer(&p, 4);
	}
}

enum hs_status hs_pmu_saved_read(struct hs_pmu_saved *saved, struct hs_span *in)
{
	const uint8_t *p = in->p;

	if (in->n < HEAD_BYTES)
		return HS_E_TRUNCATED;
	const uint64_t magic = take_integer(&p, 4), version = take_integer(&p, 4);
	const uint64_t counters = take_integer(&p, 8);

	if (magic != MAGIC || version != HS_PMU_SAVED_VERSION || counters > HS_PMU_COUNTERS_MAX)
		return HS_E_FORMAT;
	const size_t bytes = HEAD_BYTES + SLOT_BYTES * (size_t)counters;

	if (in->n < bytes)
		return HS_E_TRUNCATED;
	memset(saved, 0, sizeof(*saved));
	saved->version = HS_PMU_SAVED_VERSION;
	saved->num_counters = (uint32_t)counters;
	read_rest(saved, p);
	in->p += bytes;
	in->n -= bytes;
	return HS_OK;
}
