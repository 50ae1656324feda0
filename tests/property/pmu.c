/* Random SBI PMU calls on a fake hart and on the slow reference: after each call, both give the
 * same answer, and counters, events and memory are the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "property/campaign.h"
#include "property/pmu_reference.h"
#include "property/randprog.h"

#define CALLS 250 /* of one hart */

static struct {
	struct hs_pmu pmu;
	struct hs_pmu_hart hart;
	struct fake fake;
	struct ref ref;
	struct hs_pmu_ops ops;
} t;

static uint64_t calls, answers[16][10];

/* ---- arguments -------------------------------------------------------------------- */

static uint64_t wild(struct rng *r)
{
	static const uint64_t edges[] = { 0, 1, 31, 32, 63, 64, 0x7fffffff, 0x80000000, UINT32_MAX,
	                                  1ull << 32,
		                          1ull << 63, INT64_MAX, UINT64_MAX, UINT64_MAX - 1 };

	return rng_one_in(r, 2) ? edges[rng_below(r, 14)] : rng_next(r) >> rng_below(r, 64);
}

/* Most sets are of counters that a function could succeed with. */
static bool could(const struct ref_counter *c, unsigned fid)
{
	return c->exists && (fid != 3 || (c->configured && !c->started)) &&
		(fid != 4 || c->started);
}

static void choose_set(struct rng *r, uint64_t *a, unsigned fid)
{
	const bool any = rng_one_in(r, 3);
	uint64_t exists = 0;

	for (unsigned i = 0; i < t.ref.num; i++)
		exists |= (uint64_t)could(&t.ref.c[i], any ? 2 : fid) << i;
	a[0] = rng_one_in(r, 3) ? rng_below(r, t.ref.num + 2) : 0;
	a[1] = exists >> (a[0] & 63);
	for (unsigned n = rng_below(r, fid == 2 ? 6 : 3); n > 0; n--) /* fewer and fewer */
		a[1] &= rng_next(r);
	if (rng_one_in(r, 12))
		a[1] ^= (uint64_t)1 << rng_below(r, 64);
	if (rng_one_in(r, 40))
		a[0] = wild(r);
	if (rng_one_in(r, 40))
		a[1] = wild(r);
}

static void choose_event(struct rng *r, uint64_t *idx, uint64_t *data)
{
	static const uint32_t some[] = { 0xf0005, 0xf0006, 0xf0015, 0xf0016, 0xf0100, 0xf0103,
	                                 0xf0104, 0xfffff, 0x20000,
		                         0x30000, 0x20001, 0x38000, 0x40001, 0x1234, 0x18000 };

	*data = 0;
	switch (rng_below(r, 4)) {
	case 0: *idx = rng_below(r, 12); break;
	case 1: *idx = 0x10000 + rng_below(r, 0x40); break;
	case 2: *idx = some[rng_below(r, 3)]; break;
	default: *idx = some[rng_below(r, 15)];
	}
	if (*idx == 0xfffff)
		*data = 0x41ff + rng_below(r, 0x103);
	if (*idx >> 17 == 1)
		*data = rng_one_in(r, 2) ? 0xff + rng_below(r, 0x103) :
		                           (rng_next(r) & UINT64_MAX >> rng_below(r,
		                           32)) | 0xf00001;
	if (rng_one_in(r, 30))
		*idx = wild(r);
	if (rng_one_in(r, 30))
		*data = wild(r);
}

static void put_wide(uint64_t *a, unsigned at, uint64_t value)
{
	if (t.ref.xlen == 64) {
		a[at] = value;
	} else {
		a[at] = (uint32_t)value;
		a[at + 1] = value >> 32;
	}
}

static void choose_address(struct rng *r, uint64_t *a, unsigned align)
{
	a[0] = FAKE_BASE - 4096 + align * rng_below(r, (FAKE_SIZE + 8192) / align);
	a[1] = rng_one_in(r, 30) ? wild(r) : 0;
	if (rng_one_in(r, 20))
		a[0] += rng_below(r, 64);
	if (rng_one_in(r, 20))
		a[0] = a[1] = UINT64_MAX;
	if (rng_one_in(r, 40))
		a[0] = wild(r);
}

static void choose_arguments(struct rng *r, unsigned fid, uint64_t *a)
{
	uint64_t idx, data;

	for (unsigned i = 0; i < 6; i++)
		a[i] = wild(r);
	switch (fid) {
	case 1: case 5: case 6: a[0] = rng_one_in(r, 20) ? wild(r)
		: rng_below(r, t.ref.num + 2); break;
	case 2:
		choose_set(r, a, fid);
		choose_event(r, &idx, &data);
		a[2] = rng_below(r, rng_one_in(r, 4) ? 256 : 8);
		if (rng_one_in(r, 2))
			a[2] &= ~1ull;
		a[3] = idx;
		put_wide(a, 4, data);
		break;
	case 3: case 4:
		choose_set(r, a, fid);
		a[2] = rng_below(r, 4);
		break;
	case 7:
		choose_address(r, a, 4096);
		a[2] = 0;
		break;
	case 8:
		choose_address(r, a, 16);
		a[2] = rng_one_in(r, 20) ? wild(r) : rng_below(r, 5);
		a[3] = 0;
		break;
	default: break;
	}
	if (rng_one_in(r, 40)) {
		const unsigned at = rng_below(r, 6);

		a[at] = wild(r);
	}
}

/* ---- what happens between calls ---------------------------------------------------- */

static void fill_memory(struct rng *r)
{
	const uint64_t at = 16 * rng_below(r, FAKE_SIZE / 16);
	uint64_t words[2];

	choose_event(r, &words[0], &words[1]);
	words[0] = (words[0] & (rng_one_in(r, 20) ? UINT32_MAX : 0xfffff)) | rng_next(r) << 32;
	memcpy(t.fake.memory + at, words, 16);
	memcpy(t.ref.memory + at, words, 16);
}

static void happen(struct rng *r)
{
	static const uint8_t numbers[] = { 3, 4, 5 }, logical[] = { 3, 4, 6 };
	const unsigned k = rng_below(r, 3), n = numbers[k];
	uint64_t idx, data, times = rng_next(r) >> rng_below(r, 64);

	switch (rng_below(r, 6)) {
	case 0: /* hardware counts */
		t.fake.value[n] = t.ref.c[logical[k]].value =
			times & UINT64_MAX >> (64 - t.ref.c[logical[k]].width);
		break;
	case 1:
		if (t.ref.sscofpmf && t.ref.c[logical[k]].started) {
			t.fake.event[n] |= HS_PMU_EVENT_OF;
			t.ref.c[logical[k]].overflowed = true;
		}
		break;
	case 2:
		t.fake.page[3] = t.ref.page[3] = (uint8_t)rng_below(r, 4);
		t.fake.restricted = t.ref.restricted = rng_one_in(r, 30);
		t.fake.pending = t.ref.pending = rng_one_in(r, 3);
		break;
	case 3:
		choose_event(r, &idx, &data);
		if (idx == 0xfffff) {
			hs_pmu_platform_event(&t.pmu, &t.hart, data, times);
			ref_fw_event(&t.ref, idx, data, times);
		} else if (idx >> 16 == 15) {
			hs_pmu_fw_event(&t.pmu, &t.hart, idx & 0xffff, times);
			ref_fw_event(&t.ref, idx, 0, times);
		}
		break;
	default: fill_memory(r);
	}
}

/* ---- a case ------------------------------------------------------------------------ */

static void compare(void)
{
	uint32_t running = 0;

	for (unsigned i = 0; i < t.ref.num; i++) {
		const struct ref_counter *c = &t.ref.c[i];

		if (!c->exists)
			continue;
		if (c->firmware) {
			assert_int_equal(t.hart.slot[i].value, c->value);
			continue;
		}
		assert_int_equal(t.fake.value[c->n], c->value);
		assert_int_equal(t.fake.event[c->n],
		                 c->event | (c->overflowed ? HS_PMU_EVENT_OF : 0));
		running |= (uint32_t)c->started << c->n;
	}
	assert_int_equal(t.fake.running, running);
	assert_memory_equal(t.fake.memory, t.ref.memory, FAKE_SIZE);
}

static void one_call(struct rng *r)
{
	const unsigned fid = rng_one_in(r, 3) ? 2 : rng_below(r, 9) + (rng_one_in(r, 100) ? 4 : 0);
	uint64_t a[6];

	choose_arguments(r, fid, a);
	const struct hs_sbiret got = fake_ecall(&t.pmu, &t.hart, fid, a),
		want = ref_ecall(&t.ref, fid, a);

	assert_int_equal(got.error, want.error);
	if (want.error == HS_SBI_SUCCESS)
		assert_int_equal(got.value, want.value);
	compare();
	calls++;
	answers[fid][-want.error]++;
}

static void configuration(struct rng *r, struct hs_pmu_config *c)
{
	const bool many = rng_one_in(r, 3);

	*c = fake_config(rng_one_in(r, 2) ? 32 : 64, many ? 57 : 4, 1 + rng_below(r, 64));
	t.ops = fake_ops;
	c->ops = &t.ops;
	if (!rng_one_in(r, 4))
		return;
	c->sscofpmf = rng_one_in(r, 2);
	c->smcntrpmf = rng_one_in(r, 2);
	c->snapshot = rng_one_in(r, 2);
	c->event_info = rng_one_in(r, 2);
	c->event_bits = c->sscofpmf || rng_one_in(r, 2) ? 64 : 32;
	if (rng_one_in(r, 2))
		t.ops.platform_event = NULL;
}

static void one_case(uint64_t seed)
{
	struct rng r = { seed * 0x9e3779b97f4a7c15u | 1 };
	struct hs_pmu_config c;

	configuration(&r, &c);
	fake_init(&t.fake);
	assert_int_equal(hs_pmu_init(&t.pmu, &c), HS_OK);
	hs_pmu_hart_init(&t.pmu, &t.hart, &t.fake);
	ref_init(&t.ref, &c);
	memcpy(t.ref.page, t.fake.page, sizeof(t.ref.page));
	for (unsigned i = 0; i < CALLS; i++) {
		for (unsigned n = rng_below(&r, 3); n > 0; n--)
			happen(&r);
		one_call(&r);
	}
}

static void as_the_text_says(void **state)
{
	(void)state;
	campaign_run(4400, one_case); /* more than 10^6 calls */
	for (unsigned fid = 0; fid < 9; fid++) {
		printf("# %s:", hs_pmu_function_name(fid));
		for (unsigned e = 0; e < 10; e++)
			if (answers[fid][e])
				printf(" %llu %s", (unsigned long long)answers[fid][e],
				       hs_sbi_error_name(-(int)e));
		printf("\n");
	}
	printf("# %llu calls\n", (unsigned long long)calls);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test_teardown(as_the_text_says,
			campaign_report) };

	return cmocka_run_group_tests_name("pmu", tests, NULL, NULL);
}
