/* See pmu_steps.h. */
#include "property/pmu_steps.h"

static uint32_t below(const struct pmu_pair *t, uint32_t n)
{
	return t->below(t->numbers, n);
}

static bool one_in(const struct pmu_pair *t, uint32_t n)
{
	return below(t, n) == 0;
}

static uint64_t next(const struct pmu_pair *t)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < 4; i++)
		v = v << 16 | below(t, 0x10000);
	return v;
}

/* ---- arguments -------------------------------------------------------------------- */

static uint64_t wild(struct pmu_pair *t)
{
	static const uint64_t edges[] = { 0, 1, 31, 32, 63, 64, 0x7fffffff, 0x80000000, UINT32_MAX,
	                                  1ull << 32,
		                          1ull << 63, INT64_MAX, UINT64_MAX, UINT64_MAX - 1 };

	return one_in(t, 2) ? edges[below(t, 14)] : next(t) >> below(t, 64);
}

/* Most sets are of counters that a function could succeed with. */
static bool could(const struct ref_counter *c, unsigned fid)
{
	return c->exists && (fid != 3 || (c->configured && !c->started)) &&
		(fid != 4 || c->started);
}

static void choose_set(struct pmu_pair *t, uint64_t *a, unsigned fid)
{
	const bool any = one_in(t, 3);
	uint64_t exists = 0;

	for (unsigned i = 0; i < t->ref.num; i++)
		exists |= (uint64_t)could(&t->ref.c[i], any ? 2 : fid) << i;
	a[0] = one_in(t, 3) ? below(t, t->ref.num + 2) : 0;
	a[1] = exists >> (a[0] & 63);
	for (unsigned n = one_in(t, 2) ? 0 : below(t, fid == 2 ? 6 : 3); n > 0; n--) /* fewer */
		a[1] &= next(t);
	if (one_in(t, 12))
		a[1] ^= (uint64_t)1 << below(t, 64);
	if (one_in(t, 40))
		a[0] = wild(t);
	if (one_in(t, 40))
		a[1] = wild(t);
}

static void choose_event(struct pmu_pair *t, uint64_t *idx, uint64_t *data)
{
	static const uint32_t some[] = { 0xf0005, 0xf0006, 0xf0015, 0xf0016, 0xf0100, 0xf0103,
	                                 0xf0104, 0xfffff, 0x20000,
		                         0x30000, 0x20001, 0x38000, 0x40001, 0x1234, 0x18000 };

	*data = 0;
	switch (below(t, 4)) {
	case 0: *idx = below(t, 12); break;
	case 1: *idx = 0x10000 + below(t, 0x40); break;
	case 2: *idx = some[below(t, 3)]; break;
	default: *idx = some[below(t, 15)];
	}
	if (*idx == 0xfffff)
		*data = 0x41ff + below(t, 0x103);
	if (*idx >> 17 == 1)
		*data = one_in(t, 2) ? 0xff + below(t, 0x103) :
		                           (next(t) & UINT64_MAX >> below(t, 32)) | 0xf00001;
	if (one_in(t, 30))
		*idx = wild(t);
	if (one_in(t, 30))
		*idx |= (uint64_t)1 << below(t, 64);
	if (one_in(t, 30))
		*data = wild(t);
}

static void put_wide(const struct pmu_pair *t, uint64_t *a, unsigned at, uint64_t value)
{
	if (t->ref.xlen == 64) {
		a[at] = value;
	} else {
		a[at] = (uint32_t)value;
		a[at + 1] = value >> 32;
	}
}

static void choose_address(struct pmu_pair *t, uint64_t *a, unsigned align)
{
	a[0] = FAKE_BASE - 4096 + align * below(t, (FAKE_SIZE + 8192) / align);
	a[1] = one_in(t, 30) ? wild(t) : 0;
	if (one_in(t, 2))
		a[0] = FAKE_BASE + align * below(t, align == 16 ? 16 : 8192 / align);
	if (one_in(t, 20))
		a[0] += below(t, 64);
	if (one_in(t, 20))
		a[0] += (uint64_t)1 << below(t, 12);
	if (one_in(t, 20))
		a[0] = a[1] = UINT64_MAX;
	if (one_in(t, 40))
		a[0] = wild(t);
}

static void choose_arguments(struct pmu_pair *t, unsigned fid, uint64_t *a)
{
	const uint64_t any = wild(t);
	uint64_t idx, data;

	for (unsigned i = 0; i < 6; i++)
		a[i] = any * (2 * i + 1);
	switch (fid) {
	case 1: case 5: case 6:
		a[0] = one_in(t, 20) ? wild(t) : below(t, t->ref.num + 2);
		break;
	case 2:
		choose_set(t, a, fid);
		choose_event(t, &idx, &data);
		a[2] = below(t, one_in(t, 4) ? 256 : 8);
		if (one_in(t, 2))
			a[2] &= ~1ull;
		a[3] = idx;
		put_wide(t, a, 4, data);
		break;
	case 3: case 4:
		choose_set(t, a, fid);
		a[2] = below(t, 4);
		break;
	case 7:
		choose_address(t, a, 4096);
		a[2] = 0;
		break;
	case 8:
		choose_address(t, a, 16);
		a[2] = one_in(t, 20) ? wild(t) : below(t, 5);
		a[3] = 0;
		break;
	default: break;
	}
	if (one_in(t, 40)) {
		const unsigned at = below(t, 6);

		a[at] = wild(t);
	}
}

/* ---- what happens between calls ---------------------------------------------------- */

/* An entry of event_get_info, or anything. */
static void fill_entry(struct pmu_pair *t, uint64_t at)
{
	uint64_t words[2];

	choose_event(t, &words[0], &words[1]);
	words[0] = (words[0] & (one_in(t, 4) ? UINT32_MAX : 0xfffff)) | next(t) << 32;
	if (one_in(t, 4))
		words[1] = next(t);
	memcpy(t->fake.memory + at, words, 16);
	memcpy(t->ref.memory + at, words, 16);
}

static void fill_memory(struct pmu_pair *t)
{
	const uint64_t at = 16 * below(t, one_in(t, 2) ? 16 : FAKE_SIZE / 16 - 2);

	for (unsigned n = below(t, 3) + 1; n > 0; n--)
		fill_entry(t, at + 16 * (n - 1));
}

/* Save the hart, and go on with what was saved: nothing is to be seen of it.  Where the snapshot's
 * memory may not be used just then it is refused, and the hart is as it was before. */
static void save_and_restore(struct pmu_pair *t)
{
	static struct hs_pmu_saved saved;
	static struct fake before;
	const struct hs_pmu_hart hart = t->hart;

	before = t->fake;
	hs_pmu_save(&t->pmu, &t->hart, &saved);
	memset(&t->hart, 0, sizeof(t->hart));
	hs_pmu_hart_init(&t->pmu, &t->hart, &t->fake);
	for (unsigned i = 0; i < FAKE_HW_COUNT; i++) /* what a suspend loses */
		if (fake_counters[i].width)
			t->fake.value[fake_counters[i].csr & 31] =
				t->fake.event[fake_counters[i].csr & 31] = 0x5a;
	t->fake.checked_access = 0;
	if (hs_pmu_restore(&t->pmu, &t->hart, &saved) == HS_OK)
		return;
	t->hart = hart;
	t->fake = before;
}

void pmu_pair_happen(struct pmu_pair *t)
{
	static const uint8_t numbers[] = { 3, 4, 5 }, logical[] = { 3, 4, 6 };
	unsigned k = below(t, 3);
	const unsigned n = numbers[k];
	uint64_t idx, data, times = next(t) >> below(t, 64);

	switch (below(t, 7)) {
	case 0: /* hardware counts */
		t->fake.value[n] = t->ref.c[logical[k]].value =
			times & UINT64_MAX >> (64 - t->ref.c[logical[k]].width);
		break;
	case 1:
		if (t->ref.sscofpmf && t->ref.c[logical[k]].started) {
			t->fake.event[n] |= HS_PMU_EVENT_OF;
			t->ref.c[logical[k]].overflowed = true;
		}
		break;
	case 2:
		k = one_in(t, 2) ? 1 : 3;
		t->fake.page[k] = t->ref.page[k] = (uint8_t)(one_in(t, 2) ? 3 : below(t, 4));
		t->fake.restricted = t->ref.restricted = one_in(t, 30);
		t->fake.pending = t->ref.pending = one_in(t, 3);
		break;
	case 3:
		choose_event(t, &idx, &data);
		if (idx == 0xfffff) {
			hs_pmu_platform_event(&t->pmu, &t->hart, data, times);
			ref_fw_event(&t->ref, idx, data, times);
		} else if (idx >> 16 == 15) {
			hs_pmu_fw_event(&t->pmu, &t->hart, idx & 0xffff, times);
			ref_fw_event(&t->ref, idx, 0, times);
		}
		break;
	case 4: save_and_restore(t); break;
	default: fill_memory(t);
	}
}

/* ---- both ------------------------------------------------------------------------- */

static void choose_configuration(struct pmu_pair *t, struct hs_pmu_config *c)
{
	const bool many = one_in(t, 3);

	*c = fake_config(one_in(t, 2) ? 32 : 64, many ? 57 : 4, 1 + below(t, 64));
	t->ops = fake_ops;
	c->ops = &t->ops;
	if (one_in(t, 2))
		return;
	c->sscofpmf = one_in(t, 2);
	c->smcntrpmf = one_in(t, 2);
	c->snapshot = one_in(t, 2);
	c->event_info = one_in(t, 2);
	c->event_bits = c->sscofpmf || one_in(t, 2) ? 64 : 32;
	if (one_in(t, 2))
		t->ops.platform_event = NULL;
}

void pmu_pair_start(struct pmu_pair *t)
{
	struct hs_pmu_config c;

	choose_configuration(t, &c);
	fake_init(&t->fake);
	fake_must(hs_pmu_init(&t->pmu, &c) == HS_OK);
	memset(&t->hart, 0, sizeof(t->hart));
	hs_pmu_hart_init(&t->pmu, &t->hart, &t->fake);
	ref_init(&t->ref, &c);
	memcpy(t->ref.page, t->fake.page, sizeof(t->ref.page));
}

static const char *compare_counter(const struct pmu_pair *t, unsigned i)
{
	const struct ref_counter *c = &t->ref.c[i];

	if ((t->hart.configured >> i & 1) != c->configured)
		return "configured";
	if ((t->hart.started >> i & 1) != c->started)
		return "started";
	if (c->firmware)
		return t->hart.slot[i].value == c->value ? NULL : "value of a firmware counter";
	if (t->fake.value[c->n] != c->value)
		return "value";
	if (t->fake.event[c->n] != (c->event | (c->overflowed ? HS_PMU_EVENT_OF : 0)))
		return "mhpmevent";
	return (t->fake.running >> c->n & 1) == c->started ? NULL : "mcountinhibit";
}

static const char *compare(const struct pmu_pair *t)
{
	if (t->hart.has_shmem != t->ref.has_shmem ||
	    (t->ref.has_shmem && t->hart.shmem != t->ref.shmem))
		return "snapshot memory";
	for (unsigned i = 0; i < t->ref.num; i++) {
		const char *what = t->ref.c[i].exists ? compare_counter(t, i) : NULL;

		if (what)
			return what;
	}
	return memcmp(t->fake.memory, t->ref.memory, FAKE_SIZE) == 0 ? NULL : "memory";
}

const char *pmu_pair_call(struct pmu_pair *t, struct pmu_said *said)
{
	const unsigned fid = one_in(t, 3) ? 2 : below(t, 9) + (one_in(t, 100) ? 4 : 0);
	uint64_t a[6];

	choose_arguments(t, fid, a);
	const uint64_t a6 = one_in(t, 50) ? fid | (uint64_t)1 << below(t, 64) : fid;
	const struct hs_sbiret got = fake_ecall(&t->pmu, &t->hart, a6, a),
		want = ref_ecall(&t->ref, a6, a);

	*said = (struct pmu_said){ a6 < 9 ? (unsigned)a6 : 9, got, want };
	if (got.error != want.error)
		return "error";
	if (got.value != want.value)
		return "answer";
	return compare(t);
}
