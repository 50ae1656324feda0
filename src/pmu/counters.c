/* counter_config_matching, counter_start and counter_stop. */
#include "pmu/pmu.h"

#define CONFIG_FLAGS 0xffu
#define START_FLAGS (HS_PMU_START_SET_INIT_VALUE | HS_PMU_START_INIT_SNAPSHOT)
#define STOP_FLAGS (HS_PMU_STOP_RESET | HS_PMU_STOP_TAKE_SNAPSHOT)

/* ---- hardware and firmware counters alike ---------------------------------------- */

static unsigned first_of(uint64_t set)
{
	unsigned n = 0;

	while (!(set >> n & 1u))
		n++;
	return n;
}

/* A set of logical hardware counters as bits of mcountinhibit. */
static uint32_t numbers(const struct hs_pmu *pmu, uint64_t set)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < pmu->config.hw_counters; i++)
		if (set >> i & 1u)
			bits |= (uint32_t)1 << pmu_csr_index(pmu, i);
	return bits;
}

void pmu_stop(const struct hs_pmu *pmu, struct hs_pmu_hart *hart, uint64_t set)
{
	if (set & hart->started & pmu->hardware)
		pmu->ops.stop(hart->ctx, numbers(pmu, set & hart->started & pmu->hardware));
	hart->started &= ~set;
	hart->fw_started &= ~set;
}

/* @written: counters whose value was written since they stopped.  QEMU 7.2 has a timer for the next
 * overflow, which a write sets; if it ends while the counter is stopped, the overflow is lost.  So
 * values are written again, where that changes nothing: no counter moves in M-mode (design/pmu). */
void pmu_start(const struct hs_pmu *pmu, struct hs_pmu_hart *hart, uint64_t set, uint64_t written)
{
	hart->started |= set;
	hart->fw_started |= set & pmu->firmware;
	if (set & pmu->hardware)
		pmu->ops.start(hart->ctx, numbers(pmu, set & pmu->hardware));
	if (pmu->config.forced & HS_PMU_CFG_SET_MINH)
		for (uint64_t left = set & written & pmu->overflow; left; left &= left - 1) {
			const unsigned i = first_of(left);

			pmu->ops.write(hart->ctx, pmu_csr_index(pmu, i), hart->slot[i].value);
		}
}

uint64_t pmu_read(const struct hs_pmu *pmu, const struct hs_pmu_hart *hart, unsigned counter)
{
	if (pmu->firmware >> counter & 1u)
		return hart->slot[counter].value;
	return pmu->ops.read(hart->ctx, pmu_csr_index(pmu, counter)) &
	       UINT64_MAX >> (64 - pmu->config.hw[counter].width);
}

void pmu_write(const struct hs_pmu *pmu, struct hs_pmu_hart *hart, unsigned counter, uint64_t value)
{
	const bool firmware = pmu->firmware >> counter & 1u;

	value &= firmware ? pmu->fw_mask : UINT64_MAX >> (64 - pmu->config.hw[counter].width);
	hart->slot[counter].value = value;
	if (!firmware)
		pmu->ops.write(hart->ctx, pmu_csr_index(pmu, counter), value);
}

uint64_t pmu_overflowed(const struct hs_pmu *pmu, const struct hs_pmu_hart *hart)
{
	uint64_t set = 0;

	if (!pmu->overflow)
		return 0;
	const uint32_t of = pmu->ops.overflowed(hart->ctx);

	for (unsigned i = 0; i < pmu->config.hw_counters; i++)
		if (pmu->overflow >> i & of >> pmu_csr_index(pmu, i) & 1u)
			set |= pmu_bit(i);
	return set;
}

/* ---- sets ------------------------------------------------------------------------ */

/* The set of counter_idx_base and counter_idx_mask.  0: it is empty or has a counter that
 * does not exist; one whose number exceeds XLEN does not. */
static uint64_t set_of(const struct pmu_call *call)
{
	const uint64_t base = call->arg[0], mask = call->arg[1];

	if (base >= call->pmu->num_counters)
		return 0;
	const uint64_t set = mask << base;

	if (set >> base != mask || set & ~(call->pmu->hardware | call->pmu->firmware))
		return 0;
	return set;
}

/* A 64-bit parameter at a<n>: two registers on RV32, the lower word first (3, binary encoding). */
static uint64_t wide(const struct pmu_call *call, unsigned n)
{
	return call->pmu->config.xlen == 64 ? call->arg[n] : call->arg[n] | call->arg[n + 1] << 32;
}

/* ---- configure ------------------------------------------------------------------- */

/* The counter to use, as a set of one; 0: none.  SKIP_MATCH selects "unconditionally", even one
 * that counts (gap 9).  A configured counter keeps its event until it is reset (gap 7); among free
 * ones, those that can overflow come first (gap 8). */
static uint64_t choose_counter(const struct pmu_call *call, uint64_t set, uint64_t able)
{
	const struct hs_pmu_hart *hart = call->hart;

	if (call->arg[2] & HS_PMU_CFG_SKIP_MATCH)
		return pmu_bit(first_of(set)) & able;
	const uint64_t free = set & able & ~hart->configured;

	if (!free)
		return 0;
	return pmu_bit(first_of(free & call->pmu->overflow ? free & call->pmu->overflow : free));
}

static void configure_counter(const struct pmu_call *call, unsigned counter, uint64_t selector)
{
	const struct hs_pmu *pmu = call->pmu;
	struct hs_pmu_slot *slot = &call->hart->slot[counter];

	slot->event_idx = (uint32_t)call->arg[3];
	slot->event_data = wide(call, 4);
	slot->inhibit = (uint32_t)call->arg[2] & HS_PMU_CFG_SET_INH;
	if (pmu->hardware >> counter & 1u) {
		slot->selector = pmu_selector(pmu, counter, selector, slot->inhibit);
		pmu->ops.configure(call->hart->ctx, pmu_csr_index(pmu, counter), slot->selector);
	}
	call->hart->configured |= pmu_bit(counter);
}

int pmu_config_matching(struct pmu_call *call)
{
	const uint64_t set = set_of(call), flags = call->arg[2];

	if (!set || flags & ~(uint64_t)CONFIG_FLAGS)
		return HS_SBI_ERR_INVALID_PARAM;
	const struct pmu_target target =
		pmu_resolve(call->pmu, call->hart->ctx, call->arg[3], wide(call, 4));
	const uint64_t chosen = choose_counter(call, set, target.counters);

	if (!chosen)
		return HS_SBI_ERR_NOT_SUPPORTED;
	const unsigned counter = first_of(chosen);

	pmu_stop(call->pmu, call->hart, chosen);
	configure_counter(call, counter, target.selector);
	if (flags & HS_PMU_CFG_CLEAR_VALUE)
		pmu_write(call->pmu, call->hart, counter, 0);
	if (flags & HS_PMU_CFG_AUTO_START)
		pmu_start(call->pmu, call->hart, chosen, 0);
	call->value = counter;
	return HS_SBI_SUCCESS;
}

/* ---- start ----------------------------------------------------------------------- */

/* Counters whose overflow the supervisor has not taken yet: LCOFI is pending, and OF says whose it
 * is.  Clearing OF would lose the sample. */
static uint64_t unseen_overflows(const struct hs_pmu *pmu, const struct hs_pmu_hart *hart)
{
	if (!pmu->ops.lcofi_pending || !pmu->ops.lcofi_pending(hart->ctx))
		return 0;
	return pmu_overflowed(pmu, hart);
}

static void renew_event(const struct hs_pmu *pmu, const struct hs_pmu_hart *hart, unsigned counter,
                        bool of)
{
	pmu->ops.configure(hart->ctx, pmu_csr_index(pmu, counter),
	                   hart->slot[counter].selector | (of ? HS_PMU_EVENT_OF : 0));
}

/* Set values, write the events again (a suspend may have lost them) with OF clear unless it is
 * unseen, and start. */
static void start_counters(const struct pmu_call *call, uint64_t set, const uint64_t *values)
{
	const struct hs_pmu *pmu = call->pmu;
	struct hs_pmu_hart *hart = call->hart;
	const uint64_t flags = call->arg[2], initial = wide(call, 3);
	const uint64_t unseen = unseen_overflows(pmu, hart);

	for (uint64_t left = set; left; left &= left - 1) {
		const unsigned i = first_of(left);

		if (flags & HS_PMU_START_INIT_SNAPSHOT)
			pmu_write(pmu, hart, i, values[i]);
		else if (flags & HS_PMU_START_SET_INIT_VALUE)
			pmu_write(pmu, hart, i, initial);
		if (pmu->hardware >> i & 1u)
			renew_event(pmu, hart, i, unseen >> i & 1u);
	}
	pmu_start(pmu, hart, set, flags ? set : 0);
}

int pmu_counter_start(struct pmu_call *call)
{
	const uint64_t set = set_of(call), flags = call->arg[2];
	uint64_t values[HS_PMU_COUNTERS_MAX];
	int error = HS_SBI_SUCCESS;

	if (!set || flags & ~(uint64_t)START_FLAGS || flags == START_FLAGS)
		return HS_SBI_ERR_INVALID_PARAM;
	if (flags & HS_PMU_START_SET_INIT_VALUE && set & (set - 1)) /* gap 2 */
		return HS_SBI_ERR_INVALID_PARAM;
	if (set & ~call->hart->configured)
		return HS_SBI_ERR_INVALID_PARAM;
	if (flags & HS_PMU_START_INIT_SNAPSHOT)
		error = pmu_snapshot_ready(call, HS_PMU_READ);
	if (!error && set & call->hart->started)
		error = HS_SBI_ERR_ALREADY_STARTED;
	if (!error && flags & HS_PMU_START_INIT_SNAPSHOT)
		error = pmu_snapshot_load(call, (unsigned)call->arg[0], set, values);
	if (!error)
		start_counters(call, set, values);
	return error;
}

/* ---- stop ------------------------------------------------------------------------ */

static void reset_counters(const struct pmu_call *call, uint64_t set)
{
	const struct hs_pmu *pmu = call->pmu;
	struct hs_pmu_hart *hart = call->hart;

	for (unsigned i = 0; i < pmu->config.hw_counters; i++)
		if (set & hart->configured & pmu->hardware & pmu_bit(i))
			pmu->ops.configure(hart->ctx, pmu_csr_index(pmu, i),
			                   pmu_selector(pmu, i, 0, 0));
	hart->configured &= ~set;
}

/* ALREADY_STOPPED is only a report: everything asked for is done, as clients rely on it (gap 5). */
int pmu_counter_stop(struct pmu_call *call)
{
	const uint64_t set = set_of(call), flags = call->arg[2];
	int error = HS_SBI_SUCCESS;

	if (!set || flags & ~(uint64_t)STOP_FLAGS)
		return HS_SBI_ERR_INVALID_PARAM;
	if (flags & HS_PMU_STOP_TAKE_SNAPSHOT)
		error = pmu_snapshot_ready(call, HS_PMU_READ | HS_PMU_WRITE);
	if (error)
		return error;
	const bool already = set & ~call->hart->started;

	pmu_stop(call->pmu, call->hart, set);
	if (flags & HS_PMU_STOP_TAKE_SNAPSHOT)
		error = pmu_snapshot_save(call, (unsigned)call->arg[0], set);
	if (flags & HS_PMU_STOP_RESET)
		reset_counters(call, set);
	if (error)
		return error;
	return already ? HS_SBI_ERR_ALREADY_STOPPED : HS_SBI_SUCCESS;
}
