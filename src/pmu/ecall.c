/* The entry: registers in, registers out.  The functions that change nothing are here. */
#include "pmu/pmu.h"

#define WIDTH_LSB 12 /* of counter_info */

static int num_counters(struct pmu_call *call)
{
	call->value = call->pmu->num_counters;
	return HS_SBI_SUCCESS;
}

/* A firmware counter's width is to be ignored, but Linux on RV32 reads the upper half only of
 * wide counters. */
static int counter_get_info(struct pmu_call *call)
{
	const struct hs_pmu *pmu = call->pmu;
	const uint64_t counter = call->arg[0];

	if (counter >= pmu->num_counters)
		return HS_SBI_ERR_INVALID_PARAM;
	if (pmu->firmware >> counter & 1u) {
		call->value = pmu_bit(pmu->config.xlen - 1u) |
		              (pmu->config.fw_width - 1u) << WIDTH_LSB;
		return HS_SBI_SUCCESS;
	}
	if (!(pmu->hardware >> counter & 1u))
		return HS_SBI_ERR_INVALID_PARAM;
	call->value = (pmu->config.hw[counter].width - 1u) << WIDTH_LSB |
	              pmu->config.hw[counter].csr;
	return HS_SBI_SUCCESS;
}

/* A firmware counter without event has no value (gap 4). */
static int fw_value(const struct pmu_call *call, uint64_t *value)
{
	const uint64_t counter = call->arg[0];

	if (counter >= call->pmu->num_counters ||
	    !(call->pmu->firmware & call->hart->configured & pmu_bit((unsigned)counter)))
		return HS_SBI_ERR_INVALID_PARAM;
	*value = call->hart->slot[counter].value;
	return HS_SBI_SUCCESS;
}

static int fw_read(struct pmu_call *call)
{
	return fw_value(call, &call->value);
}

static int fw_read_hi(struct pmu_call *call)
{
	uint64_t value = 0;
	const int error = fw_value(call, &value);

	call->value = call->pmu->config.xlen == 32 ? value >> 32 : 0;
	return error;
}

static int dispatch(struct pmu_call *call, uint64_t fid)
{
	if (fid != (uint32_t)fid) /* a switch over 64 bits would need a helper function on rv32 */
		return HS_SBI_ERR_NOT_SUPPORTED;
	switch ((uint32_t)fid) {
	case HS_PMU_NUM_COUNTERS: return num_counters(call);
	case HS_PMU_COUNTER_GET_INFO: return counter_get_info(call);
	case HS_PMU_COUNTER_CONFIG_MATCHING: return pmu_config_matching(call);
	case HS_PMU_COUNTER_START: return pmu_counter_start(call);
	case HS_PMU_COUNTER_STOP: return pmu_counter_stop(call);
	case HS_PMU_COUNTER_FW_READ: return fw_read(call);
	case HS_PMU_COUNTER_FW_READ_HI: return fw_read_hi(call);
	case HS_PMU_SNAPSHOT_SET_SHMEM: return pmu_snapshot_set(call);
	case HS_PMU_EVENT_GET_INFO: return pmu_event_get_info(call);
	default: return HS_SBI_ERR_NOT_SUPPORTED;
	}
}

struct hs_sbiret hs_pmu_ecall(const struct hs_pmu *pmu, struct hs_pmu_hart *hart, uint64_t fid,
                              const uint64_t args[HS_PMU_ARGS])
{
	struct pmu_call call = { .pmu = pmu, .hart = hart, .value = 0 };

	call.xlen_mask = UINT64_MAX >> (64 - pmu->config.xlen);
	for (unsigned i = 0; i < HS_PMU_ARGS; i++)
		call.arg[i] = args[i] & call.xlen_mask;
	const int error = dispatch(&call, fid & call.xlen_mask);

	return (struct hs_sbiret){ error, error ? 0 : call.value & call.xlen_mask };
}
