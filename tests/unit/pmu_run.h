/* Runs rows of pmu_rows.h on the fake hart. */
#ifndef HS_TESTS_PMU_RUN_H
#define HS_TESTS_PMU_RUN_H

#include <stdio.h>

#include "pmu_fake.h"
#include "unit/pmu_rows.h"

struct stand {
	struct hs_pmu pmu;
	struct hs_pmu_hart hart;
	struct fake fake;
	unsigned xlen;
};

/* FULL: 4 firmware counters of 48 bits (7 to 10).  MANY: 57 of them, 64 counters in all.
 * PLAIN: what a hart without any extension, and firmware without memory access, have.
 * UNFORCED: filters are those of the supervisor. */
static struct hs_pmu_config config_of(enum kinds kind, unsigned xlen)
{
	struct hs_pmu_config c = fake_config(xlen, kind == MANY ? 57 : 4, kind == MANY ? 64 : 48);
	static struct hs_pmu_ops plain_ops;

	if (kind == UNFORCED)
		c.forced = 0;
	if (kind != PLAIN)
		return c;
	plain_ops = fake_ops;
	plain_ops.platform_event = NULL;
	c.ops = &plain_ops;
	c.event_bits = 32;
	c.sscofpmf = c.smcntrpmf = c.snapshot = c.event_info = false;
	return c;
}

static uint64_t load(const struct fake *f, uint64_t offset, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)f->memory[offset + i] << 8 * i;
	return v;
}

static void store(struct fake *f, uint64_t offset, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		f->memory[offset + i] = (uint8_t)(value >> 8 * i);
}

/* Registers beyond a function's parameters are not reserved: they are filled with ones. */
static void call(struct stand *t, const struct step *s)
{
	static const unsigned count[] = { 0, 1, 5, 4, 3, 1, 1, 3, 4 };
	const unsigned used = s->fid < 9 ? count[s->fid] : 6;
	uint64_t args[6];

	for (unsigned i = 0; i < 6; i++)
		args[i] = i < used ? s->a[i] : UINT64_MAX;
	if (s->wide && t->xlen == 32) {
		const unsigned at = s->fid == 2 ? 4 : 3;

		args[at + 1] = s->a[at] >> 32;
		args[at] = (uint32_t)s->a[at];
	}
	const struct hs_sbiret r = fake_ecall(&t->pmu, &t->hart, s->fid, args);

	assert_string_equal(hs_sbi_error_name(r.error), hs_sbi_error_name(s->error));
	if (s->error == OK)
		assert_int_equal(r.value, s->value);
}

static void see(struct stand *t, const struct step *s)
{
	struct fake *f = &t->fake;

	switch (s->what) {
	case SEE: assert_int_equal(f->value[s->a[0]], s->value); break;
	case SEE_EVENT: assert_int_equal(f->event[s->a[0]], s->value); break;
	case SEE_RUNNING: assert_int_equal(f->running, s->value); break;
	case SEE_ARMED: assert_int_equal(f->armed, s->value); break;
	case SEE_LOAD: assert_int_equal(load(f, s->a[0], 8), s->value); break;
	case SEE_LOAD32: assert_int_equal(load(f, s->a[0], 4), s->value); break;
	case SEE_ACCESSES: assert_int_equal(f->reads + f->writes, s->value); break;
	default: fail();
	}
}

static void act(struct stand *t, const struct step *s)
{
	struct fake *f = &t->fake;

	switch (s->what) {
	case CALL: call(t, s); break;
	case FW: hs_pmu_fw_event(&t->pmu, &t->hart, (unsigned)s->a[0], s->a[1]); break;
	case PLATFORM: hs_pmu_platform_event(&t->pmu, &t->hart, s->a[0], s->a[1]); break;
	case POKE: f->value[s->a[0]] = s->a[1]; break;
	case OVERFLOWS: f->event[s->a[0]] |= HS_PMU_EVENT_OF; break;
	case PENDING: f->pending = s->a[0]; break;
	case STORE: store(f, s->a[0], s->a[1], 8); break;
	case STORE32: store(f, s->a[0], s->a[1], 4); break;
	case PAGE: f->page[s->a[0]] = (uint8_t)s->a[1]; break;
	case BREAK: f->broken = s->a[0]; break;
	case RESTRICT: f->restricted = s->a[0]; break;
	default: see(t, s);
	}
}

static void run_row(const struct row *row, unsigned xlen)
{
	static struct stand t;
	const struct hs_pmu_config config = config_of(row->kind, xlen);

	t.xlen = xlen;
	fake_init(&t.fake);
	assert_int_equal(hs_pmu_init(&t.pmu, &config), HS_OK);
	hs_pmu_hart_init(&t.pmu, &t.hart, &t.fake);
	for (unsigned i = 0; i < STEPS_MOST && row->steps[i].what != END; i++) {
		print_message("# RV%u step %u\n", xlen, i);
		act(&t, &row->steps[i]);
	}
}

static void run(void **state)
{
	const struct row *row = *state;

	if (row->xlens & RV32)
		run_row(row, 32);
	if (row->xlens & RV64)
		run_row(row, 64);
}

#endif
