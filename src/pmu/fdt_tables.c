/* The properties of a riscv,pmu node as rows of struct hs_pmu_config (design/pmu). */
#include "pmu/fdt.h"
#include "pmu/pmu.h"

#define COUNTERS_CELLS 3u /* first, last, counters */
#define SELECTORS_CELLS 3u /* event, selector */
#define RAWS_CELLS 5u /* select, mask, counters */
#define CYCLE 1u /* bits of mhpmcounters */
#define TIME 2u
#define INSTRET 4u

struct tables {
	struct hs_pmu_fdt *fdt;
	const struct hs_pmu_config *config;
	struct pmu_fault *fault;
};

static bool refuse(const struct tables *t, const uint8_t *at, const char *text)
{
	return pmu_fail(t->fault, HS_E_FIELD, at, text);
}

static bool too_many(const struct tables *t, const uint8_t *at)
{
	return pmu_fail(t->fault, HS_E_SPACE, at, "more rows than there is room for");
}

static uint64_t two_cells(const uint8_t *p)
{
	return (uint64_t)pmu_cell(p) << 32 | pmu_cell(p + 4);
}

/* How many rows a property has. */
static uint32_t rows_of(const struct pmu_cells *value, unsigned cells)
{
	return value->bytes / (4 * cells);
}

/* A property has whole rows, and not more than @most.  QEMU 7.2 appends zeros, which need not
 * be a whole row. */
static bool check_rows(const struct tables *t, const struct pmu_cells *value, unsigned cells,
                       uint32_t most)
{
	for (uint32_t i = 4 * cells * rows_of(value, cells); i < value->bytes; i++)
		if (value->bytes % 4 || value->at[i])
			return refuse(t, value->at, "a property that has no whole rows");
	return rows_of(value, cells) <= most || too_many(t, value->at);
}

/* Bits of mhpmcounters as a set of logical counters; those that do not exist are dropped. */
static uint64_t logical(const struct hs_pmu_config *config, uint32_t counters)
{
	uint64_t set = 0;

	for (unsigned i = 0; i < config->hw_counters; i++)
		if (config->hw[i].width && counters >> (config->hw[i].csr & 31u) & 1u)
			set |= pmu_bit(i);
	return set;
}

static bool check_selector(const struct tables *t, uint64_t selector, const uint8_t *at)
{
	if (pmu_selector_fits(t->config, selector))
		return true;
	return refuse(t, at, "a selector wider than mhpmevent's event");
}

/* ---- general and cache events -------------------------------------------------------- */

static bool check_event(const struct tables *t, uint32_t event, const uint8_t *at)
{
	if (event >> 16 <= HS_PMU_TYPE_CACHE)
		return true;
	return refuse(t, at, "an event neither general nor of a cache");
}

/* cycle and instret count their own events only; time is no counter. */
static bool check_fixed(const struct tables *t, uint32_t first, uint32_t last, const uint8_t *at)
{
	const uint32_t counters = pmu_cell(at);

	if (!(counters & (CYCLE | TIME | INSTRET)))
		return true;
	if (first == last && first == HS_PMU_HW_CPU_CYCLES && !(counters & (TIME | INSTRET)))
		return true;
	if (first == last && first == HS_PMU_HW_INSTRUCTIONS && !(counters & (CYCLE | TIME)))
		return true;
	return refuse(t, at, "cycle, time or instret for another event");
}

static bool check_range(const struct tables *t, const uint8_t *row)
{
	const uint32_t first = pmu_cell(row), last = pmu_cell(row + 4);

	if (!check_event(t, first, row) || !check_event(t, last, row + 4))
		return false;
	if (first > last)
		return refuse(t, row, "a range whose last event is before its first");
	return check_fixed(t, first, last, row + 8);
}

static bool add_event(const struct tables *t, const uint8_t *range, uint32_t first, uint32_t last,
                      uint64_t selector)
{
	const uint64_t counters = logical(t->config, pmu_cell(range + 8));

	if (!counters)
		return true;
	if (t->fdt->event_rows == t->fdt->event_capacity)
		return too_many(t, range);
	t->fdt->events[t->fdt->event_rows++] =
		(struct hs_pmu_event_row){ first, last, counters, selector };
	return true;
}

/* An event with a selector of its own, in the first range that has it; without one it cannot be
 * counted. */
static bool add_selected(const struct tables *t, const struct pmu_cells *ranges, const uint8_t *row)
{
	const uint32_t event = pmu_cell(row);
	const uint64_t selector = two_cells(row + 4);

	if (!check_event(t, event, row) || !check_selector(t, selector, row + 4))
		return false;
	if (!selector)
		return refuse(t, row + 4, "selector 0, which is no event");
	for (uint32_t i = 0; i < rows_of(ranges, COUNTERS_CELLS); i++) {
		const uint8_t *range = ranges->at + 4 * COUNTERS_CELLS * i;

		if (event >= pmu_cell(range) && event <= pmu_cell(range + 4))
			return add_event(t, range, event, event, selector);
	}
	return true;
}

/* Rows with selectors come first: the first row of an event wins. */
static bool add_events(const struct tables *t, const struct pmu_cells *ranges,
                       const struct pmu_cells *selectors)
{
	const uint32_t rows = rows_of(ranges, COUNTERS_CELLS);
	const uint8_t *range = ranges->at;

	if (selectors->at && !ranges->at)
		return refuse(t, selectors->at, "selectors without counters");
	if (!check_rows(t, ranges, COUNTERS_CELLS, t->fdt->event_capacity) ||
	    !check_rows(t, selectors, SELECTORS_CELLS, t->fdt->event_capacity))
		return false;
	for (uint32_t i = 0; i < rows; i++)
		if (!check_range(t, ranges->at + 4 * COUNTERS_CELLS * i))
			return false;
	for (uint32_t i = 0; i < rows_of(selectors, SELECTORS_CELLS); i++)
		if (!add_selected(t, ranges, selectors->at + 4 * SELECTORS_CELLS * i))
			return false;
	for (uint32_t i = 0; i < rows; i++, range += 4 * COUNTERS_CELLS)
		if (!add_event(t, range, pmu_cell(range), pmu_cell(range + 4), 0))
			return false;
	return true;
}

/* ---- raw events ------------------------------------------------------------------------ */

static bool add_raw(const struct tables *t, const uint8_t *row)
{
	const uint64_t select = two_cells(row), mask = two_cells(row + 8);
	const uint64_t counters = logical(t->config, pmu_cell(row + 16));

	if (select & ~mask)
		return refuse(t, row, "a selector with bits outside its mask");
	if (!check_selector(t, select, row))
		return false;
	if (pmu_cell(row + 16) & (CYCLE | TIME | INSTRET))
		return refuse(t, row + 16, "raw events on cycle, time or instret");
	if (counters)
		t->fdt->raws[t->fdt->raw_rows++] =
			(struct hs_pmu_raw_row){ select, mask, counters };
	return true;
}

static bool add_raws(const struct tables *t, const struct pmu_cells *raws)
{
	if (!check_rows(t, raws, RAWS_CELLS, t->fdt->raw_capacity))
		return false;
	for (uint32_t i = 0; i < rows_of(raws, RAWS_CELLS); i++)
		if (!add_raw(t, raws->at + 4 * RAWS_CELLS * i))
			return false;
	return true;
}

bool pmu_tables(struct hs_pmu_fdt *fdt, const struct pmu_cells *cells,
                const struct hs_pmu_config *config, struct pmu_fault *fault)
{
	const struct tables t = { fdt, config, fault };

	return add_events(&t, &cells[PMU_COUNTERS], &cells[PMU_SELECTORS]) &&
	       add_raws(&t, &cells[PMU_RAWS]);
}
