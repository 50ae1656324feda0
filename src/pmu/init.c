/* Checking a configuration, and the initial state of a hart. */
#include "core/config.h"
#include "pmu/pmu.h"

#define FW_EVENTS 22u           /* 0 to 21 */
#define FW_IMPLEMENTATION_MAX 65279u /* 256 to 65534 */
#define ALL_FW_EVENTS ((1u << FW_EVENTS) - 1)
#define EVENT_LAST HS_PMU_EVENT(HS_PMU_TYPE_CACHE, 0xffff)

static bool has_pointers(const struct hs_pmu *pmu)
{
	const struct hs_pmu_config *c = &pmu->config;
	const struct hs_pmu_ops *o = &pmu->ops;

	if ((c->hw_counters && !c->hw) || (c->event_rows && !c->events) ||
	    (c->raw_rows && !c->raws))
		return false;
	if ((c->snapshot || c->event_info) &&
	    !(o->memory_check && o->memory_read && o->memory_write))
		return false;
	if (!c->hw_counters)
		return true;
	return o->read && o->write && o->configure && o->start && o->stop &&
	       (o->overflowed || !c->sscofpmf);
}

static void fill_defaults(struct hs_pmu_config *c)
{
	c->xlen = c->xlen ? c->xlen : 64;
	c->event_bits = c->event_bits ? c->event_bits : 64;
	c->fw_counters = c->fw_counters ? c->fw_counters : HS_PMU_FW_COUNTERS;
	c->fw_counters = c->fw_counters == HS_PMU_NO_FW_COUNTERS ? 0 : c->fw_counters;
	c->fw_width = c->fw_width ? c->fw_width : 64;
	c->fw_events = c->fw_events ? c->fw_events : ALL_FW_EVENTS;
	c->fw_events = c->fw_events == HS_PMU_NO_FW_EVENTS ? 0 : c->fw_events;
}

static bool numbers_fit(const struct hs_pmu_config *c)
{
	const unsigned all = (unsigned)c->hw_counters + c->fw_counters;

	return (c->xlen == 32 || c->xlen == 64) && (c->event_bits == 32 || c->event_bits == 64) &&
	       (!c->sscofpmf || c->event_bits == 64) && all >= 1 && all <= HS_PMU_COUNTERS_MAX &&
	       c->fw_width <= 64 && (c->forced & ~HS_PMU_CFG_SET_INH) == 0 && c->reserved == 0 &&
	       c->fw_events >> FW_EVENTS == 0 && c->fw_impl_events <= FW_IMPLEMENTATION_MAX;
}

/* Sort the hardware counters by what they can do.  False: a row is wrong. */
static bool sort_counters(struct hs_pmu *pmu)
{
	uint32_t used = 0;

	for (unsigned i = 0; i < pmu->config.hw_counters; i++) {
		const struct hs_pmu_counter *c = &pmu->config.hw[i];
		const unsigned n = c->csr & 31u;

		if (c->width == 0)
			continue;
		if (c->width > 64 || c->csr < HS_PMU_CSR_CYCLE || c->csr > HS_PMU_CSR_HPMCOUNTER31)
			return false;
		if (n == 1 || used >> n & 1u)
			return false;
		used |= (uint32_t)1 << n;
		pmu->hardware |= pmu_bit(i);
		if (n >= 3 && pmu->config.sscofpmf)
			pmu->overflow |= pmu_bit(i);
		if (n >= 3 ? pmu->config.sscofpmf : pmu->config.smcntrpmf)
			pmu->filters |= (uint32_t)1 << n;
	}
	return true;
}

/* May these counters be used for a row?  @event: the only event of the row, or 0. */
static bool may_count(const struct hs_pmu *pmu, uint64_t counters, uint32_t event)
{
	if (counters & ~pmu->hardware)
		return false;
	for (unsigned i = 0; i < pmu->config.hw_counters; i++) {
		if (!(counters >> i & 1u))
			continue;
		if (pmu->config.hw[i].csr == HS_PMU_CSR_CYCLE && event != HS_PMU_HW_CPU_CYCLES)
			return false;
		if (pmu->config.hw[i].csr == HS_PMU_CSR_INSTRET && event != HS_PMU_HW_INSTRUCTIONS)
			return false;
	}
	return true;
}

static bool rows_fit(const struct hs_pmu *pmu)
{
	for (uint32_t i = 0; i < pmu->config.event_rows; i++) {
		const struct hs_pmu_event_row *r = &pmu->config.events[i];

		if (r->first > r->last || r->last > EVENT_LAST)
			return false;
		if (!pmu_selector_fits(&pmu->config, r->selector) ||
		    !may_count(pmu, r->counters, r->first == r->last ? r->first : 0))
			return false;
	}
	for (uint32_t i = 0; i < pmu->config.raw_rows; i++) {
		const struct hs_pmu_raw_row *r = &pmu->config.raws[i];

		if (r->select & ~r->mask || !pmu_selector_fits(&pmu->config, r->select) ||
		    !may_count(pmu, r->counters, 0))
			return false;
	}
	return true;
}

enum hs_status hs_pmu_init(struct hs_pmu *pmu, const struct hs_pmu_config *config)
{
	struct hs_pmu p;

	if (!pmu || !config)
		return HS_E_ARG;
	memset(&p, 0, sizeof(p));
	if (base_take_config(&p.config, sizeof(p.config), config) != HS_OK)
		return HS_E_CONFIG;
	if (p.config.ops && base_take_config(&p.ops, sizeof(p.ops), p.config.ops) != HS_OK)
		return HS_E_CONFIG;
	fill_defaults(&p.config);
	if (!has_pointers(&p))
		return HS_E_ARG;
	if (!numbers_fit(&p.config) || !sort_counters(&p) || !rows_fit(&p))
		return HS_E_CONFIG;
	p.num_counters = (uint32_t)p.config.hw_counters + p.config.fw_counters;
	for (unsigned i = p.config.hw_counters; i < p.num_counters; i++)
		p.firmware |= pmu_bit(i);
	p.fw_mask = UINT64_MAX >> (64 - p.config.fw_width);
	*pmu = p;
	return HS_OK;
}

void hs_pmu_hart_init(const struct hs_pmu *pmu, struct hs_pmu_hart *hart, void *ctx)
{
	memset(hart, 0, sizeof(*hart));
	hart->ctx = ctx;
	hart->started = pmu->hardware;
	pmu_stop(pmu, hart, pmu->hardware);
	for (unsigned i = 0; i < pmu->config.hw_counters; i++)
		if (pmu->hardware >> i & 1u)
			pmu->ops.configure(ctx, pmu_csr_index(pmu, i), pmu_selector(pmu, i, 0, 0));
}
