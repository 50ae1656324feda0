/* A virtual hart's counters: saved state, and the host's counts since it went in. */
#include "base/mem.h"
#include "pmu/soft.h"

/* The host is asked for the event with its filters, so that it can count by the guest's modes. */
static uint64_t asked(const struct hs_pmu_virtual *v, unsigned n)
{
	return pmu_soft_event(&v->saved, n) | (v->saved.event[n] & HS_PMU_EVENT_INH);
}

/* Add what the host has counted, and begin again from there. */
static void settle(struct hs_pmu_virtual *v, uint32_t counters)
{
	if (!v->inside)
		return;
	for (unsigned n = 0; n < 32; n++) {
		if (!(counters & v->saved.running & (uint32_t)1 << n))
			continue;
		const uint64_t now = v->host(v->host_ctx, asked(v, n));

		pmu_soft_add(&v->saved, n, now - v->since[n]);
		v->since[n] = now;
	}
}

static void begin(struct hs_pmu_virtual *v, uint32_t counters)
{
	for (unsigned n = 0; n < 32; n++)
		if (counters >> n & 1u)
			v->since[n] = v->host(v->host_ctx, asked(v, n));
}

void hs_pmu_virtual_init(struct hs_pmu_virtual *v, const struct hs_pmu_config *config,
                         const struct hs_pmu_soft_memory *memory, void *memory_ctx,
                         uint64_t (*host)(void *ctx, uint64_t event), void *host_ctx)
{
	memset(v, 0, sizeof(*v));
	hs_pmu_soft_init(&v->saved, config, memory, memory_ctx);
	v->host = host;
	v->host_ctx = host_ctx;
}

void hs_pmu_virtual_enter(struct hs_pmu_virtual *v)
{
	v->inside = true;
	begin(v, v->saved.running);
}

void hs_pmu_virtual_leave(struct hs_pmu_virtual *v)
{
	settle(v, UINT32_MAX);
	v->inside = false;
}

/* ---- ops: an ecall may come while the virtual hart is inside ------------------------ */

static uint64_t virtual_read(void *ctx, unsigned n)
{
	settle(ctx, (uint32_t)1 << n);
	return pmu_soft_read(ctx, n);
}

static void virtual_start(void *ctx, uint32_t counters)
{
	struct hs_pmu_virtual *v = ctx;

	if (v->inside)
		begin(v, counters);
	pmu_soft_start(ctx, counters);
}

static void virtual_stop(void *ctx, uint32_t counters)
{
	settle(ctx, counters);
	pmu_soft_stop(ctx, counters);
}

static uint32_t virtual_overflowed(void *ctx)
{
	settle(ctx, UINT32_MAX);
	return pmu_soft_overflowed(ctx);
}

static const struct hs_pmu_ops ops = {
	.read = virtual_read, .write = pmu_soft_write, .configure = pmu_soft_configure, .start = virtual_start,
	.stop = virtual_stop, .overflowed = virtual_overflowed, .memory_check = pmu_soft_check,
	.memory_read = pmu_soft_load, .memory_write = pmu_soft_store,
};

const struct hs_pmu_ops *hs_pmu_virtual_ops(void)
{
	return &ops;
}
