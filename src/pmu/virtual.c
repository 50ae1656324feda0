/* A virtual hart's counters: saved state, and the host's counts since the hart began to run. */
#include "core/config.h"
#include "pmu/soft.h"

/* The event as the host is asked for it: with its filters, so that it counts by the guest's
 * modes. */
static uint64_t host_event(const struct hs_pmu_virtual *v, unsigned n)
{
	return pmu_soft_event(&v->saved, n) | pmu_soft_filters(&v->saved, n);
}

static uint64_t host_count(const struct hs_pmu_virtual *v, unsigned n)
{
	return v->host.count(v->host_ctx, host_event(v, n));
}

/* Can counter @n overflow, with nobody having seen an overflow before? */
static bool may_interrupt(const struct hs_pmu_virtual *v, unsigned n)
{
	return v->inside && v->saved.running >> n & 1u && v->saved.sscofpmf &&
	       !(v->saved.event[n] & HS_PMU_EVENT_OF);
}

/* How often counter @n can count before it overflows; 2^64 does not fit, and is one less. */
static uint64_t left_to_overflow(const struct hs_pmu_soft *soft, unsigned n)
{
	const uint64_t room = (UINT64_MAX >> (64 - soft->width[n])) - soft->value[n];

	return room == UINT64_MAX ? room : room + 1;
}

/* Let the host interrupt when counter @n overflows, or no longer. */
static void arm_counter(struct hs_pmu_virtual *v, unsigned n)
{
	const uint32_t bit = (uint32_t)1 << n;
	const bool wanted = may_interrupt(v, n);

	if (!v->host.arm || (!wanted && !(v->armed & bit)))
		return;
	v->armed = wanted ? v->armed | bit : v->armed & ~bit;
	v->host.arm(v->host_ctx, n, host_event(v, n),
	            wanted ? left_to_overflow(&v->saved, n) : 0);
}

static void arm_counters(struct hs_pmu_virtual *v, uint32_t counters)
{
	for (unsigned n = 3; n < 32; n++) /* cycle and instret have no OF */
		if (counters >> n & 1u)
			arm_counter(v, n);
}

/* Add what the host has counted, and restart from there. */
static void add_host_counts(struct hs_pmu_virtual *v, uint32_t counters)
{
	if (!v->inside)
		return;
	for (unsigned n = 0; n < 32; n++) {
		if (!(counters & v->saved.running & (uint32_t)1 << n))
			continue;
		const uint64_t now = host_count(v, n);

		pmu_soft_add(&v->saved, n, now - v->since[n]);
		v->since[n] = now;
		if (!may_interrupt(v, n))
			arm_counter(v, n);
	}
}

static void begin_counting(struct hs_pmu_virtual *v, uint32_t counters)
{
	for (unsigned n = 0; n < 32; n++)
		if (counters >> n & 1u)
			v->since[n] = host_count(v, n);
	arm_counters(v, counters);
}

enum hs_status hs_pmu_virtual_init(struct hs_pmu_virtual *v, const struct hs_pmu *pmu,
                                   const struct hs_pmu_soft_memory *memory, void *memory_ctx,
                                   const struct hs_pmu_host *host, void *host_ctx)
{
	struct hs_pmu_host own;

	if (base_take_config(&own, sizeof(own), host) != HS_OK)
		return HS_E_CONFIG;
	if (!own.count)
		return HS_E_ARG;
	memset(v, 0, sizeof(*v));
	v->host = own;
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
	arm_counters(v, v->armed);
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

	pmu_soft_start(ctx, counters);
	if (v->inside)
		begin_counting(v, counters);
}

static void virtual_stop(void *ctx, uint32_t counters)
{
	add_host_counts(ctx, counters);
	pmu_soft_stop(ctx, counters);
	arm_counters(ctx, counters);
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
