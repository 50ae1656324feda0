/* Hostile SBI PMU calls: any function number, arguments and shared memory.  The fake hart aborts
 * when memory is touched that was not allowed in the same call, or a counter that does not exist;
 * here the memory has other content each time it is read, and access comes and goes. */
#include "pmu_fake.h"

#include "fuzz.h"

struct input {
	const uint8_t *at, *end;
};

static struct {
	struct hs_pmu pmu;
	struct hs_pmu_hart hart;
	struct fake fake;
	struct input in;
} t;

static uint64_t take_value(unsigned bytes)
{
	uint64_t v = 0;

	for (; bytes > 0 && t.in.at < t.in.end; bytes--)
		v = v << 8 | *t.in.at++;
	return v;
}

/* What a read gives comes from the input as long as there is some. */
static bool hostile_read(void *ctx, uint64_t address, void *to, size_t n)
{
	const size_t left = (size_t)(t.in.end - t.in.at);
	const bool good = fake_memory_read(ctx, address, to, n);

	memcpy(to, t.in.at, left < n ? left : n);
	t.in.at += left < n ? left : n;
	return good;
}

static void invariants(const struct hs_sbiret *r)
{
	const struct hs_pmu_hart *h = &t.hart;
	uint32_t running = 0;

	fuzz_must(r->error <= 0 && r->error >= HS_SBI_ERR_NO_SHMEM &&
	          (r->error == 0 || r->value == 0));
	fuzz_must(t.pmu.config.xlen == 64 || r->value >> 32 == 0);
	fuzz_must(!(h->started & ~h->configured) &&
	          !(h->configured & ~(t.pmu.hardware | t.pmu.firmware)));
	fuzz_must(h->fw_started == (h->started & t.pmu.firmware));
	fuzz_must(!h->has_shmem || h->shmem % HS_PMU_SHMEM_SIZE == 0);
	for (unsigned i = 0; i < FAKE_HW_COUNT; i++)
		running |= (h->started >> i & 1u ? 1u : 0u) << (fake_counters[i].csr & 31u);
	fuzz_must(running == t.fake.running);
}

/* Arguments: 8 bytes each, or one byte that is near something useful. */
static uint64_t argument(void)
{
	static const uint64_t bases[] = { 0,       FAKE_BASE, UINT64_MAX, 1ull << 63,
		                          0xf0000, 0x20000,   0x30000,    1ull << 32 };
	const uint64_t kind = take_value(1);

	return kind < 192 ? bases[kind & 7] + take_value(1) * (kind & 8    ? 16
	                                                 : kind & 16 ? 4096
	                                                             : 1)
	                  : take_value(8);
}

static void call(uint64_t fid)
{
	uint64_t a[HS_PMU_ARGS];

	for (unsigned i = 0; i < HS_PMU_ARGS; i++)
		a[i] = argument();
	const struct hs_sbiret r = fake_ecall(&t.pmu, &t.hart, fid, a);

	invariants(&r);
}

/* A saved state of bytes: refused, or a state like any other. */
static void restore(void)
{
	static struct hs_pmu_saved saved;
	static uint8_t bytes[HS_PMU_SAVED_BYTES];
	const struct hs_sbiret none = { 0, 0 };

	hs_pmu_save(&t.pmu, &t.hart, &saved);
	struct hs_span in = { bytes, hs_pmu_saved_write(&saved, bytes) };

	t.hart.started = t.hart.fw_started = 0;
	for (uint64_t n = take_value(1) & 7; n > 0; n--) {
		const uint64_t at = take_value(2) % in.n;

		bytes[at] = (uint8_t)take_value(1);
	}
	t.fake.checked_access = 0;
	if (hs_pmu_saved_read(&saved, &in) == HS_OK)
		hs_pmu_restore(&t.pmu, &t.hart, &saved);
	invariants(&none);
}

static void step(void)
{
	const uint64_t what = take_value(1);

	switch (what & 15) {
	case 15: restore(); break;
	case 14: hs_pmu_fw_event(&t.pmu, &t.hart, (unsigned)argument(), argument()); break;
	case 13: hs_pmu_platform_event(&t.pmu, &t.hart, argument(), argument()); break;
	case 12: t.fake.page[what >> 6] = take_value(1) & 3; break;
	case 11: t.fake.broken = what & 16; t.fake.restricted = (what & 96) == 96; break;
	case 10: call(argument()); break;
	default: call(what & 15);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hs_pmu_ops ops = fake_ops;

	t.in = (struct input){ data, data + size };
	const uint64_t k = take_value(1);
	struct hs_pmu_config c = fake_config(k & 1 ? 32 : 64, k & 2 ? 57 : 4, k & 4 ? 64 : 33);

	c.sscofpmf = k & 8;
	ops.memory_read = hostile_read;
	c.ops = &ops;
	fake_init(&t.fake);
	fuzz_must(hs_pmu_init(&t.pmu, &c) == HS_OK);
	hs_pmu_hart_init(&t.pmu, &t.hart, &t.fake);
	for (unsigned n = 0; n < 200 && t.in.at < t.in.end; n++)
		step();
	return 0;
}

/* A life of a counter: snapshot memory, configure, start, stop with a snapshot, event_get_info,
 * read. */
size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	static const uint8_t life[] = {
		0x07, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0x02, 0, 0, 0, 0x18, 0, 2, 0, 1, 0, 0, 0, 0,
		0x02, 0, 0, 192, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 4, 4, 5, 0, 0, 0, 0,
		0x03, 0, 0, 0, 8, 0, 2, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8,
		0x0e, 0, 5, 0, 9,
		0x04, 0, 0, 0, 8, 0, 3, 0, 0, 0, 0, 0, 0,
		0x08, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0,
		0x05, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0x0f, 0, 0x0c, 0xc0, 3, 0x1b,
	};

	if (i >= 16 || size < 1 + sizeof(life))
		return 0;
	data[0] = (uint8_t)i;
	memcpy(data + 1, life, sizeof(life));
	return 1 + sizeof(life);
}
