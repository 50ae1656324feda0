/* Memory shared with the supervisor: the snapshot, and the array of event_get_info.
 * Data are little-endian (SBI 3.0, 3.2). */
#include "core/mem.h"
#include "pmu/pmu.h"

#define BITMAP 0u  /* offsets in the snapshot */
#define VALUES 8u
#define EVENT_RESERVED 0xfff00000u

/* The physical address in two registers.  False: it has more than 64 bits and is not accessible. */
static bool address_of(const struct pmu_call *call, uint64_t *address)
{
	const bool rv32 = call->pmu->config.xlen == 32;

	*address = rv32 ? call->arg[0] | call->arg[1] << 32 : call->arg[0];
	return rv32 || call->arg[1] == 0;
}

/* SBI 3.0, 3.2.  A range that goes beyond the last address is not accessible (docs/pmu.md, gap
 * 12). */
int pmu_check(const struct pmu_call *call, uint64_t address, uint64_t length, unsigned access)
{
	if (address > UINT64_MAX - (length - 1))
		return HS_SBI_ERR_INVALID_ADDRESS;
	switch (call->pmu->ops.memory_check(call->hart->ctx, address, length, access)) {
	case HS_PMU_MEMORY_OK: return HS_SBI_SUCCESS;
	case HS_PMU_MEMORY_RESTRICTED: return HS_SBI_ERR_FAILED;
	default: return HS_SBI_ERR_INVALID_ADDRESS;
	}
}

/* ---- snapshot -------------------------------------------------------------------- */

int pmu_snapshot_set(struct pmu_call *call)
{
	uint64_t address;
	int error = HS_SBI_ERR_INVALID_ADDRESS;

	if (!call->pmu->config.snapshot)
		return HS_SBI_ERR_NOT_SUPPORTED;
	if (call->arg[2])
		return HS_SBI_ERR_INVALID_PARAM;
	if (call->arg[0] == call->xlen_mask && call->arg[1] == call->xlen_mask) {
		call->hart->has_shmem = false;
		return HS_SBI_SUCCESS;
	}
	if (call->arg[0] % HS_PMU_SHMEM_SIZE)
		return HS_SBI_ERR_INVALID_PARAM;
	if (address_of(call, &address))
		error = pmu_check(call, address, HS_PMU_SHMEM_SIZE, HS_PMU_READ | HS_PMU_WRITE);
	if (error)
		return error;
	call->hart->shmem = address;
	call->hart->has_shmem = true;
	return HS_SBI_SUCCESS;
}

/* Memory that was allowed once may have been taken away since: then there is none (gap 11). */
int pmu_snapshot_ready(const struct pmu_call *call, unsigned access)
{
	if (!call->hart->has_shmem)
		return HS_SBI_ERR_NO_SHMEM;
	if (pmu_check(call, call->hart->shmem, HS_PMU_SHMEM_SIZE, access))
		return HS_SBI_ERR_NO_SHMEM;
	return HS_SBI_SUCCESS;
}

int pmu_snapshot_load(const struct pmu_call *call, unsigned base, uint64_t set, uint64_t *values)
{
	for (unsigned i = base; i < call->pmu->num_counters; i++) {
		const uint64_t address = call->hart->shmem + VALUES + 8 * (i - base);
		uint8_t bytes[8];

		if (!(set >> i & 1u))
			continue;
		if (!call->pmu->ops.memory_read(call->hart->ctx, address, bytes, sizeof(bytes)))
			return HS_SBI_ERR_FAILED;
		values[i] = pmu_get(bytes, sizeof(bytes));
	}
	return HS_SBI_SUCCESS;
}

static bool put_word(const struct pmu_call *call, unsigned offset, uint64_t value)
{
	uint8_t bytes[8];

	pmu_put(bytes, value, sizeof(bytes));
	return call->pmu->ops.memory_write(call->hart->ctx, call->hart->shmem + offset, bytes,
	                                   sizeof(bytes));
}

/* The bitmap has all counters from base on that have overflowed, in the set or not (gap 10). */
int pmu_snapshot_save(const struct pmu_call *call, unsigned base, uint64_t set)
{
	if (!put_word(call, BITMAP, pmu_overflowed(call->pmu, call->hart) >> base))
		return HS_SBI_ERR_FAILED;
	for (unsigned i = base; i < call->pmu->num_counters; i++)
		if (set >> i & 1u &&
		    !put_word(call, VALUES + 8 * (i - base), pmu_read(call->pmu, call->hart, i)))
			return HS_SBI_ERR_FAILED;
	return HS_SBI_SUCCESS;
}

/* ---- event_get_info -------------------------------------------------------------- */

struct entry {
	uint32_t event_idx;
	uint64_t event_data;
};

static int get_entry(const struct pmu_call *call, uint64_t address, struct entry *e)
{
	uint8_t bytes[HS_PMU_EVENT_INFO_SIZE];

	if (!call->pmu->ops.memory_read(call->hart->ctx, address, bytes, sizeof(bytes)))
		return HS_SBI_ERR_FAILED;
	e->event_idx = (uint32_t)pmu_get(bytes, 4);
	/* event_data is valid only for types 2, 3 and 15. */
	e->event_data = 0;
	if (e->event_idx >> 16 > HS_PMU_TYPE_CACHE)
		e->event_data = pmu_get(bytes + 8, 8);
	return e->event_idx & EVENT_RESERVED ? HS_SBI_ERR_INVALID_PARAM : HS_SBI_SUCCESS;
}

static int answer_entry(const struct pmu_call *call, uint64_t address)
{
	uint8_t output[4];
	struct entry e;
	const int error = get_entry(call, address, &e);
	struct pmu_target target;

	if (error)
		return error;
	target = pmu_resolve(call->pmu, call->hart->ctx, e.event_idx, e.event_data);
	pmu_put(output, target.counters != 0, 4);
	if (!call->pmu->ops.memory_write(call->hart->ctx, address + 4, output, sizeof(output)))
		return HS_SBI_ERR_FAILED;
	return HS_SBI_SUCCESS;
}

/* All entries are checked before the first is answered; another hart may change them in between,
 * so each is checked again when it is answered. */
static int answer_all(const struct pmu_call *call, uint64_t address, unsigned entries)
{
	struct entry e;
	int error = HS_SBI_SUCCESS;

	for (unsigned i = 0; i < entries && !error; i++)
		error = get_entry(call, address + i * HS_PMU_EVENT_INFO_SIZE, &e);
	for (unsigned i = 0; i < entries && !error; i++)
		error = answer_entry(call, address + i * HS_PMU_EVENT_INFO_SIZE);
	return error;
}

int pmu_event_get_info(struct pmu_call *call)
{
	const uint64_t entries = call->arg[2];
	uint64_t address;
	int error = HS_SBI_ERR_INVALID_ADDRESS;

	if (!call->pmu->config.event_info)
		return HS_SBI_ERR_NOT_SUPPORTED;
	if (call->arg[3] || call->arg[0] % HS_PMU_EVENT_INFO_SIZE || entries == 0)
		return HS_SBI_ERR_INVALID_PARAM;
	if (address_of(call, &address) && entries <= UINT64_MAX / HS_PMU_EVENT_INFO_SIZE)
		error = pmu_check(call, address, entries * HS_PMU_EVENT_INFO_SIZE,
		                  HS_PMU_READ | HS_PMU_WRITE);
	if (error)
		return error;
	if (entries > HS_PMU_EVENT_INFO_MAX)
		return HS_SBI_ERR_FAILED;
	return answer_all(call, address, (unsigned)entries);
}
