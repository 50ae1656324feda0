/* A virtual hart's counters: saved state, and the host's counts since the hart began to run. */
#include "base/mem.h"
#include "pmu/soft.h"

/* The event as the host is asked for it: with its filters, so that it counts by the guest's
 * modes. */
static uint64_t host_event(const struct hs_pmu_virtual *v, unsigned n)
{
	return pmu_soft_event(&v->saved, n) | (v->saved.event[n] & HS_PMU_EVENT_INH);
}

/* Add what the host has counted, and restart from there. */
static void add_host_counts(struct hs_pmu_virtual *v, uint32_t counters)
{
	if (!v->inside)
		return;
	for (unsigned n = 0; n < 32; n++) {
		if (!(counters & v->saved.running & (uint32_t)1 << n))
			continue;
		const uint64_t now = v->host(v->host_ctx, host_event(v, n));

		pmu_soft_add(&v->saved, n, now - v->since[n]);
		v->since[n] = now;
	}
}

static void begin_counting(struct hs_pmu_virtual *v, uint32_t counters)
{
	for (unsigned n = 0; n < 32; n++)
		if (counters >> n & 1u)
			v->since[n] = v->host(v->host_ctx, host_event(v, n));
}

enum hs_status hs_pmu_virtual_init(struct hs_pmu_virtual *v, const struct hs_pmu *pmu,
                                   const struct hs_pmu_soft_memory *memory, void *memory_ctx,
                                   hs_pmu_host_fn host, void *host_ctx)
{
	memset(v, 0, sizeof(*v));
	v->host = host;
	v->host_ctx = host_ctx;
	return hs_pmu_soft_init(&v->saved, pmu, memory, memory_ctx);
}

void hs_pmu_virtual_enter(struct hs_pmu_virtual *v)
{
	add_host_counts(v, UINT32_MAX); /* a second enter loses nothing */
	v->inside = true;
	begin_counting(v, v->saved.running);
}

void hs_pmu_virtual_leave(struct hs_pmu_virtual *v)
{
	add_host_counts(v, UINT32_MAX);
	v->inside = false;
}

/* ---- ops: an ecall may come while the virtual hart runs ----------------------------- */

static uint64_t virtual_read(void *ctx, unsigned n)
{
	add_host_counts(ctx, (uint32_t)1 << n);
	return pmu_soft_read(ctx, n);
}

static void virtual_start(void *ctx, uint32_t counters)
{
	struct hs_pmu_virtual *v = ctx;

	if (v->inside)
		begin_counting(v, counters);
	pmu_soft_start(ctx, counters);
}

static void virtual_stop(void *ctx, uint32_t counters)
{
	add_host_counts(ctx, counters);
	pmu_soft_stop(ctx, counters);
}

static uint32_t virtual_overflowed(void *ctx)
{
	add_host_counts(ctx, UINT32_MAX);
	return pmu_soft_overflowed(ctx);
}

static const struct hs_pmu_ops ops = {
	.size = sizeof(struct hs_pmu_ops),
	.read = virtual_read,
	.write = pmu_soft_write,
	.configure = pmu_soft_configure,
	.start = virtual_start,
	.stop = virtual_stop,
	.overflowed = virtual_overflowed,
	.memory_check = pmu_soft_check,
	.memory_read = pmu_soft_load,
	.memory_write = pmu_soft_store,
	.lcofi_pending = pmu_soft_pending,
};

const struct hs_pmu_ops *hs_pmu_virtual_ops(void)
{
	return &ops;
}
