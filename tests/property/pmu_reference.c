/* See pmu_reference.h. */
#include "pmu_reference.h"

#define OK(v) (struct hs_sbiret){ 0, v }
#define ERROR(e) (struct hs_sbiret){ HS_SBI_ERR_##e, 0 }

__extension__ typedef unsigned __int128 u128;

static uint64_t mask_of(unsigned bits)
{
	return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

/* The fake hart: logical 0, 2, 3, 4, 6 are cycle, instret, hpmcounter3, 4 (40 bits) and 5. */
static void hardware(struct ref_counter *c, unsigned n, unsigned width)
{
	c->exists = true;
	c->n = n;
	c->width = width;
	c->event = 0;
}

void ref_init(struct ref *r, const struct hs_pmu_config *c)
{
	memset(r, 0, sizeof(*r));
	r->xlen = c->xlen;
	r->event_bits = c->event_bits;
	r->sscofpmf = c->sscofpmf;
	r->smcntrpmf = c->smcntrpmf;
	r->snapshot = c->snapshot;
	r->event_info = c->event_info;
	r->platform = c->ops->platform_event != NULL;
	r->num = 7u + c->fw_counters;
	hardware(&r->c[0], 0, 64);
	hardware(&r->c[2], 2, 64);
	hardware(&r->c[3], 3, 64);
	hardware(&r->c[4], 4, 40);
	hardware(&r->c[6], 5, 64);
	for (unsigned i = 7; i < r->num; i++)
		r->c[i] = (struct ref_counter){ .exists = true, .firmware = true,
		                                .width = c->fw_width };
	for (unsigned i = 0; i < 7; i++) /* M-mode never counts where it can be filtered */
		if (r->c[i].exists && (r->c[i].n < 3 ? r->smcntrpmf : r->sscofpmf))
			r->c[i].event = HS_PMU_EVENT_MINH;
}

/* ---- events ---------------------------------------------------------------------- */

static bool monitors_general(unsigned i, uint64_t code, uint64_t *selector)
{
	*selector = code;
	if (code == 0 || code > 10)
		return false;
	if (code == 1)
		return i == 0 || i == 3 || i == 4;
	if (code == 2)
		return i == 2 || i == 3;
	if (code == 4) {
		*selector = 0xabc;
		return i == 6;
	}
	return i == 3 || i == 4;
}

static bool monitors_raw(const struct ref *r, unsigned i, uint64_t data, unsigned bits,
                         uint64_t *selector)
{
	*selector = data;
	if (data & ~mask_of(r->event_bits == 32 ? 32 : bits))
		return false;
	if (data >= 0x100 && data <= 0x1ff)
		return i == 3 || i == 6;
	return (data >> 20 & 15) == 15 && (data & 15) == 1 && i == 3;
}

static bool monitors_firmware(const struct ref *r, unsigned i, uint64_t code, uint64_t data)
{
	if (!r->c[i].firmware)
		return false;
	if (code == 65535)
		return r->platform && data >= 0x4200 && data <= 0x42ff;
	return data == 0 && (code <= 21 || (code >= 256 && code <= 259));
}

/* Can counter i monitor the event?  selector: for mhpmevent. */
static bool monitors(const struct ref *r, unsigned i, uint64_t idx, uint64_t data,
                     uint64_t *selector)
{
	const uint64_t code = idx & 0xffff;

	*selector = 0;
	if (!r->c[i].exists || idx > 0xfffff)
		return false;
	switch (idx >> 16) {
	case 0: return data == 0 && monitors_general(i, code, selector);
	case 1:
		*selector = idx;
		return data == 0 && code >> 3 <= 6 && (code >> 1 & 3) != 3 && (i == 4 || i == 6);
	case 2: return code == 0 && monitors_raw(r, i, data, 48, selector);
	case 3: return code == 0 && monitors_raw(r, i, data, 56, selector);
	case 15: return monitors_firmware(r, i, code, data);
	default: return false;
	}
}

/* ---- sets ------------------------------------------------------------------------ */

/* Is counter i in the set?  A 128-bit sum cannot wrap. */
static bool in(const uint64_t *a, unsigned i)
{
	return i >= a[0] && i - a[0] < 64 && a[1] >> (i - a[0]) & 1;
}

/* "set of counters has at least one invalid counter", or it is empty (gap 1). */
static bool bad_set(const struct ref *r, const uint64_t *a)
{
	if (a[1] == 0)
		return true;
	for (unsigned bit = 0; bit < 64; bit++) {
		const u128 i = (u128)a[0] + bit;

		if (a[1] >> bit & 1 && (i >= r->num || !r->c[(unsigned)i].exists))
			return true;
	}
	return false;
}

static uint64_t wide(const struct ref *r, const uint64_t *a, unsigned at)
{
	return r->xlen == 64 ? a[at] : a[at + 1] << 32 | a[at];
}

/* ---- memory ---------------------------------------------------------------------- */

static int64_t may(const struct ref *r, const uint64_t *a, u128 length, unsigned access)
{
	const u128 start = (u128)a[1] << r->xlen | a[0];

	for (u128 done = 0; done < length + start % 4096; done += 4096) {
		const u128 at = start / 4096 * 4096 + done;

		if (at < FAKE_BASE || at >= FAKE_BASE + FAKE_SIZE)
			return HS_SBI_ERR_INVALID_ADDRESS;
		if (access & ~r->page[(unsigned)(at - FAKE_BASE) / 4096])
			return HS_SBI_ERR_INVALID_ADDRESS;
	}
	return r->restricted ? HS_SBI_ERR_FAILED : HS_SBI_SUCCESS;
}

static bool no_shmem(const struct ref *r, unsigned access)
{
	const uint64_t a[2] = { r->xlen == 64 ? r->shmem : r->shmem & UINT32_MAX, r->xlen == 64 ? 0
	                        : r->shmem >> 32 };

	return !r->has_shmem || may(r, a, 4096, access) != HS_SBI_SUCCESS;
}

static uint64_t load(const struct ref *r, uint64_t address, unsigned bytes)
{
	uint64_t v = 0;

	while (bytes-- > 0)
		v = v << 8 | r->memory[address - FAKE_BASE + bytes];
	return v;
}

static void store(struct ref *r, uint64_t address, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		r->memory[address - FAKE_BASE + i] = (uint8_t)(value >> 8 * i);
}

/* ---- functions ------------------------------------------------------------------- */

static struct hs_sbiret get_info(const struct ref *r, uint64_t i)
{
	if (i >= r->num || !r->c[i].exists)
		return ERROR(INVALID_PARAM);
	const uint64_t width = (uint64_t)(r->c[i].width - 1) << 12;

	return OK(r->c[i].firmware ? width | (uint64_t)1 << (r->xlen - 1)
	          : width | (0xc00 + r->c[i].n));
}

static unsigned pick(const struct ref *r, const uint64_t *a, uint64_t *selector)
{
	const uint64_t data = wide(r, a, 4);

	for (int overflow = 1; overflow >= 0; overflow--) {
		for (unsigned i = 0; i < r->num; i++) {
			if (!in(a, i))
				continue;
			if (a[2] & 1) /* SKIP_MATCH: this one or none (gap 9) */
				return monitors(r, i, a[3], data, selector) ? i : 64;
			/* gap 8 */
			if (overflow && !(r->sscofpmf && !r->c[i].firmware && r->c[i].n >= 3))
				continue;
			if (!r->c[i].configured && monitors(r, i, a[3], data, selector)) /* gap 7 */
				return i;
		}
	}
	return 64;
}

static struct hs_sbiret config_matching(struct ref *r, const uint64_t *a)
{
	uint64_t selector = 0;

	if (bad_set(r, a) || a[2] > 0xff)
		return ERROR(INVALID_PARAM);
	const unsigned i = pick(r, a, &selector);

	if (i == 64)
		return ERROR(NOT_SUPPORTED);
	struct ref_counter *c = &r->c[i];
	const uint64_t filters = ((a[2] >> 3 & 31) | 16) << 58;

	c->configured = true;
	c->overflowed = false;
	c->idx = a[3];
	c->data = wide(r, a, 4);
	if (!c->firmware && c->n >= 3)
		c->event = selector | (r->sscofpmf ? filters : 0);
	else if (!c->firmware)
		c->event = r->smcntrpmf ? filters : 0;
	if (a[2] & HS_PMU_CFG_CLEAR_VALUE)
		c->value = 0;
	c->started = a[2] & HS_PMU_CFG_AUTO_START;
	return OK(i);
}

static struct hs_sbiret start(struct ref *r, const uint64_t *a)
{
	unsigned members = 0;

	if (bad_set(r, a) || a[2] > 2)
		return ERROR(INVALID_PARAM);
	for (unsigned i = 0; i < r->num; i++) {
		if (in(a, i) && !r->c[i].configured) /* gap 3 */
			return ERROR(INVALID_PARAM);
		members += in(a, i);
	}
	if (a[2] == 1 && members > 1) /* gap 2 */
		return ERROR(INVALID_PARAM);
	if (a[2] == 2 && no_shmem(r, HS_PMU_READ))
		return ERROR(NO_SHMEM);
	for (unsigned i = 0; i < r->num; i++)
		if (in(a, i) && r->c[i].started)
			return ERROR(ALREADY_STARTED);
	for (unsigned i = 0; i < r->num; i++) {
		if (!in(a, i))
			continue;
		if (a[2] == 1)
			r->c[i].value = wide(r, a, 3) & mask_of(r->c[i].width);
		if (a[2] == 2)
			r->c[i].value = load(r, r->shmem + 8 + 8 * (i - a[0]),
			                     8) & mask_of(r->c[i].width);
		r->c[i].started = true;
		if (!r->pending) /* gap 19 */
			r->c[i].overflowed = false;
	}
	return OK(0);
}

static void take_snapshot(struct ref *r, const uint64_t *a)
{
	uint64_t bitmap = 0;

	for (unsigned i = (unsigned)a[0]; i < r->num; i++) {
		if (r->c[i].overflowed)
			bitmap |= (uint64_t)1 << (i - a[0]);
		if (in(a, i))
			store(r, r->shmem + 8 + 8 * (i - a[0]), r->c[i].value, 8);
	}
	store(r, r->shmem, bitmap, 8);
}

static void reset(const struct ref *r, struct ref_counter *c)
{
	c->configured = c->overflowed = false;
	c->event = !c->firmware && (c->n < 3 ? r->smcntrpmf : r->sscofpmf) ? HS_PMU_EVENT_MINH : 0;
}

static struct hs_sbiret stop(struct ref *r, const uint64_t *a)
{
	bool already = false;

	if (bad_set(r, a) || a[2] > 3)
		return ERROR(INVALID_PARAM);
	if (a[2] & 2 && no_shmem(r, HS_PMU_READ | HS_PMU_WRITE))
		return ERROR(NO_SHMEM);
	for (unsigned i = 0; i < r->num; i++)
		if (in(a, i)) {
			already |= !r->c[i].started;
			r->c[i].started = false;
		}
	if (a[2] & 2)
		take_snapshot(r, a);
	for (unsigned i = 0; i < r->num; i++)
		if (in(a, i) && a[2] & 1 && r->c[i].configured)
			reset(r, &r->c[i]);
	return already ? ERROR(ALREADY_STOPPED) : OK(0);
}

static struct hs_sbiret fw_read(const struct ref *r, uint64_t i, bool high)
{
	if (i >= r->num || !r->c[i].firmware || !r->c[i].configured) /* gap 4 */
		return ERROR(INVALID_PARAM);
	if (high)
		return OK(r->xlen == 32 ? r->c[i].value >> 32 : 0);
	return OK(r->c[i].value & mask_of(r->xlen));
}

static struct hs_sbiret set_shmem(struct ref *r, const uint64_t *a)
{
	if (!r->snapshot)
		return ERROR(NOT_SUPPORTED);
	if (a[2])
		return ERROR(INVALID_PARAM);
	if (a[0] == mask_of(r->xlen) && a[1] == mask_of(r->xlen)) {
		r->has_shmem = false;
		return OK(0);
	}
	if (a[0] & 4095)
		return ERROR(INVALID_PARAM);
	const int64_t error = may(r, a, 4096, HS_PMU_READ | HS_PMU_WRITE);

	if (error == HS_SBI_SUCCESS) {
		r->has_shmem = true;
		r->shmem = r->xlen == 64 ? a[0] : a[1] << 32 | a[0];
	}
	return (struct hs_sbiret){ error, 0 };
}

static struct hs_sbiret event_get_info(struct ref *r, const uint64_t *a)
{
	if (!r->event_info)
		return ERROR(NOT_SUPPORTED);
	if (a[3] || a[0] & 15 || a[2] == 0)
		return ERROR(INVALID_PARAM);
	if (a[2] > FAKE_SIZE)
		return ERROR(INVALID_ADDRESS);
	const int64_t error = may(r, a, 16 * a[2], HS_PMU_READ | HS_PMU_WRITE);

	if (error != HS_SBI_SUCCESS)
		return (struct hs_sbiret){ error, 0 };
	for (uint64_t k = 0; k < a[2]; k++)
		if (load(r, a[0] + 16 * k, 4) >> 20)
			return ERROR(INVALID_PARAM);
	for (uint64_t at = a[0]; at < a[0] + 16 * a[2]; at += 16) {
		const uint64_t idx = load(r, at, 4), data = idx >> 16 < 2 ? 0 : load(r, at + 8, 8);
		uint64_t selector;
		unsigned output = 0;

		for (unsigned i = 0; i < r->num; i++)
			output |= monitors(r, i, idx, data, &selector);
		store(r, at + 4, output, 4);
	}
	return OK(0);
}

struct hs_sbiret ref_ecall(struct ref *r, uint64_t fid, const uint64_t *args)
{
	uint64_t a[6];

	for (unsigned i = 0; i < 6; i++)
		a[i] = args[i] & mask_of(r->xlen);
	switch (fid & mask_of(r->xlen)) {
	case 0: return OK(r->num);
	case 1: return get_info(r, a[0]);
	case 2: return config_matching(r, a);
	case 3: return start(r, a);
	case 4: return stop(r, a);
	case 5: return fw_read(r, a[0], false);
	case 6: return fw_read(r, a[0], true);
	case 7: return set_shmem(r, a);
	case 8: return event_get_info(r, a);
	default: return ERROR(NOT_SUPPORTED);
	}
}

void ref_fw_event(struct ref *r, uint64_t idx, uint64_t data, uint64_t times)
{
	for (unsigned i = 0; i < r->num; i++)
		if (r->c[i].firmware && r->c[i].started && r->c[i].idx == idx &&
		    r->c[i].data == data)
			r->c[i].value = (r->c[i].value + times) & mask_of(r->c[i].width);
}
