/* What registers keep when something else is written, how their names are cut, and what a profile
 * may say (TCI 4.3, 7, 11). */
#include "device/device.h"
#include "cases.h"

#include "unit/control_models.h"

enum { CONTROL = 0, START = 0x10, LIMIT = 0x18, WP = 0x20, RP = 0x28, DATA = 0x40 };

static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8 };

static void put_bytes(struct hs_tc *tc, size_t from, size_t n)
{
	struct hs_span in = { bytes + from, n };

	assert_true(hs_tc_put(tc, 0, &in));
}

/* Half a word waits in the sink: only trRamEnable going to 0 fills it up (TCI 7). */
TEST(a_word_waits)
{
	struct hs_tc tc = active("full");

	hs_tc_write(&tc, FU, CONTROL, 3);
	hs_tc_write(&tc, RAM, LIMIT, 0xc);
	hs_tc_write(&tc, RAM, CONTROL, 3);
	put_bytes(&tc, 0, 6);
	hs_tc_write(&tc, RAM, CONTROL, 3);     /* as it was */
	hs_tc_write(&tc, RAM, CONTROL, 0x103); /* trRamStopOnWrap, ignored or not */
	hs_tc_write(&tc, TE, CONTROL, 3);      /* the encoder goes on and off */
	hs_tc_write(&tc, TE, CONTROL, 1);
	hs_tc_write(&tc, FU, CONTROL, 1);
	hs_tc_write(&tc, FU, CONTROL, 3);
	assert_int_equal(hs_tc_read(&tc, RAM, WP), 4);
	put_bytes(&tc, 6, 2);
	assert_int_equal(hs_tc_read(&tc, RAM, WP), 8);
	assert_memory_equal(sram, bytes, 8);
}

/* A reset of another component leaves trTeInstTracing alone. */
TEST(trace_goes_on)
{
	struct hs_tc tc = active("full");

	hs_tc_write(&tc, TE, CONTROL, 0x63);
	hs_tc_write(&tc, TE, CONTROL, 0x67);
	for (unsigned c = TE + 1; c < HS_TC_COMPONENTS; c++)
		hs_tc_write(&tc, c, CONTROL, 0);
	assert_true(hs_tc_tracing(&tc));
	hs_tc_write(&tc, TE, CONTROL, 0);
	assert_false(hs_tc_tracing(&tc));
}

/* "trTeInstStallOrOverflow ... cleared when the encoder is enabled"; so is what data lost. */
TEST(enabling_clears_what_was_lost)
{
	struct hs_tc tc = active("full");

	tc.regs.word[0] |= 0x1000;
	tc.regs.word[4] |= 0x28; /* trTeDataStallOrOverflow, trTeDataDrop */
	hs_tc_write(&tc, TE, CONTROL, 0x63);
	assert_int_equal(tc.regs.word[0] & 0x1000, 0);
	assert_int_equal(tc.regs.word[4] & 0x28, 0);
}

/* Two registers of 64 bits: the lower one's name ends with Low, the next one's with High. */
TEST(pairs_of_low_and_high)
{
	static const char *const profiles[] = { "full", "minimal" };

	for (size_t k = 0; k < COUNT_OF(profiles); k++) {
		struct hs_tc tc = active(profiles[k]);

		for (unsigned c = 0; c <= HS_TC_COMPONENTS; c++)
			for (uint32_t at = 0; at < 0x1000; at++) {
				struct hs_tc_place p;
				char name[64] = "";
				uint64_t v;
				bool want = c < HS_TC_COMPONENTS && at % 8 == 0 &&
				            (tc.profile.components >> c & 1) &&
				            hs_tc_at(c, at, &p);

				if (want)
					hs_tc_name(&p, name, sizeof name);
				const size_t n = strlen(name);

				want = want && n > 3 && strcmp(name + n - 3, "Low") == 0;
				if (hs_tc_read64(&tc, c, at, &v) != (want ? HS_OK : HS_E_ARG))
					fail_msg("component %u, 0x%x: %s", c, (unsigned)at, name);
			}
	}
}

/* A name that does not fit is cut: what is there is how it begins. */
TEST(names_are_cut)
{
	struct hs_tc_place p;

	for (unsigned w = 0; hs_tc_next(w, &p); w = p.word + 1u) {
		char whole[64];
		const size_t n = strlen(hs_tc_name(&p, whole, sizeof whole));

		for (size_t size = 1; size <= n + 1; size++) {
			char *cut = malloc(size);

			assert_non_null(cut);
			assert_int_equal(strlen(hs_tc_name(&p, cut, size)), size - 1);
			assert_memory_equal(cut, whole, size - 1);
			free(cut);
		}
	}
	assert_string_equal(hs_tc_component_name(HS_TC_COMPONENTS - 1), "atb");
	assert_string_equal(hs_tc_component_name(HS_TC_COMPONENTS), "?");
}

/* The words of a field, each with the number before it. */
TEST(every_word_has_its_number)
{
	static const struct { uint32_t value; const char *word; } modes[] = {
		{ 0, "off" }, { 4, "Manchester" }, { 5, "UART" }, { 8, "1-bit" }, { 9, "2-bit" },
		{ 10, "4-bit" }, { 11, "8-bit" }, { 12, "16-bit" },
	};
	size_t n;

	for (size_t i = 0; i < COUNT_OF(modes); i++) {
		const char *w = hs_tc_value_word(HS_TCF_PIB_MODE, modes[i].value, &n);

		assert_non_null(w);
		assert_int_equal(n, strlen(modes[i].word));
		assert_memory_equal(w, modes[i].word, n);
	}
}

/* TCI 6.1: of a funnel's timestamp unit only the clock is there. */
TEST(a_funnels_time_has_no_messages)
{
	struct hs_tc tc = active("full");

	assert_int_equal(hs_tc_read(&tc, FU, 0x40), 0x30000000); /* trTsWidth 48 */
	hs_tc_write(&tc, FU, 0x40, 0xffff);
	assert_int_equal(hs_tc_read(&tc, FU, 0x40) & 0x8008, 0);
}

/* Mode Shared, and no funnel that counts. */
TEST(a_time_that_nobody_shares)
{
	struct hs_tc tc = started("full");

	activate(&tc, TE);
	hs_tc_write(&tc, TE, 0x40, 0x8041);
	hs_tc_tick(&tc, HS_TC_SYSTEM, 5, false);
	assert_int_equal(hs_tc_time(&tc), 0);
}

/* TCI 7: trRamData that is not there reads 0, and moves nothing. */
TEST(no_data_register)
{
	struct hs_tc_profile without = *hs_tc_profile_find("full");
	struct hs_tc tc = active("full");
	const struct hs_tc_memory memory = tc.memory;

	without.absent |= (uint64_t)1 << HS_TCR_RAM_DATA;
	assert_int_equal(hs_tc_init(&tc, &without, &memory, 0), HS_OK);
	memset(sram, 0x77, sizeof sram);
	activate(&tc, RAM);
	hs_tc_write(&tc, RAM, LIMIT, 0xc);
	assert_int_equal(hs_tc_read(&tc, RAM, DATA), 0);
	hs_tc_write(&tc, RAM, DATA, 0);
	assert_int_equal(hs_tc_read(&tc, RAM, RP), 0);
	assert_int_equal(sram[0], 0x77);
}

/* In SRAM mode trRamStart is 0; back in SMEM mode it is what the bus allows (TCI 7.1). */
TEST(a_fixed_start)
{
	static const struct hs_tc_limit limits[] = {
		{ HS_TCF_RAM_HAS_SRAM, 2, 1 }, { HS_TCF_RAM_HAS_SMEM, 2, 1 },
		{ HS_TCF_RAM_START_LOW_BITS, 0xfff, 0x80000000u >> 2 },
		{ HS_TCF_RAM_LIMIT_LOW_BITS, 0xfff, 0x80000000u >> 2 },
	};
	const struct hs_tc_memory memory = { sram, sizeof sram, &ops, NULL };
	const struct hs_tc_profile p = { .size = sizeof p, .limits = limits,
		                         .limit_count = COUNT_OF(limits), .sram_bytes = 4096 };
	struct hs_tc tc;

	assert_int_equal(hs_tc_init(&tc, &p, &memory, 0), HS_OK);
	activate(&tc, RAM);
	assert_int_equal(hs_tc_read(&tc, RAM, START), 0);
	hs_tc_write(&tc, RAM, CONTROL, 0x11);
	assert_int_equal(hs_tc_read(&tc, RAM, START), 0x80000000);
	assert_int_equal(hs_tc_read(&tc, RAM, LIMIT) & 0xffffc000, 0x80000000);
	hs_tc_write(&tc, RAM, START, 0xfffffff3);
	assert_int_equal(hs_tc_read(&tc, RAM, START), 0x80003ff0);
	hs_tc_write(&tc, RAM, CONTROL, 1);
	assert_int_equal(hs_tc_read(&tc, RAM, START), 0);
}

/* Every limit is checked, and there are no more filters and comparators than the table's. */
TEST(limits_are_checked)
{
	static const struct hs_tc_limit limits[] = {
		{ HS_TCF_TE_FORMAT, 0x3, 1 }, { HS_TCF_TE_FORMAT, 0x4, 2 },
	};
	const struct hs_tc_memory memory = { sram, sizeof sram, &ops, NULL };
	struct hs_tc_profile p = { .size = sizeof p, .limits = limits, .limit_count = 1,
		                   .sram_bytes = 4096 };
	struct hs_tc tc;

	assert_int_equal(hs_tc_init(&tc, &p, &memory, 0), HS_OK);
	p.limit_count = 2;
	assert_int_equal(hs_tc_init(&tc, &p, &memory, 0), HS_E_CONFIG);
	p.limit_count = 0;
	p.filters = 16;
	p.comparators = 8;
	assert_int_equal(hs_tc_init(&tc, &p, &memory, 0), HS_OK);
	p.comparators = 9;
	assert_int_equal(hs_tc_init(&tc, &p, &memory, 0), HS_E_CONFIG);
	p.comparators = 0;
	p.filters = 17;
	assert_int_equal(hs_tc_init(&tc, &p, &memory, 0), HS_E_CONFIG);
	for (uint32_t size = 1; size < 64; size++) {
		p.filters = 0;
		p.sram_bytes = size;
		assert_int_equal(hs_tc_init(&tc, &p, &memory, 0),
		                 size == 8 || size == 16 || size == 32 ? HS_OK : HS_E_CONFIG);
	}
}

/* Each component has its control register (TCI 11.1). */
TEST(control_registers_are_there)
{
	static const uint8_t controls[] = { HS_TCR_TE_CONTROL, HS_TCR_FUNNEL_CONTROL,
		                            HS_TCR_RAM_CONTROL, HS_TCR_PIB_CONTROL,
		                            HS_TCR_ATB_CONTROL };
	const struct hs_tc_memory memory = { sram, sizeof sram, &ops, NULL };

	for (size_t i = 0; i < COUNT_OF(controls); i++) {
		struct hs_tc_profile p = *hs_tc_profile_find("full");
		struct hs_tc tc;

		p.absent |= (uint64_t)1 << controls[i];
		assert_int_equal(hs_tc_init(&tc, &p, &memory, 0), HS_E_CONFIG);
	}
}
