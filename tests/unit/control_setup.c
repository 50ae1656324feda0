/* The writes that set a device up: their order (TCI 11.2, 11.3), and the parameters that come of
 * them. */
#include "device/device.h"
#include "cases.h"

#include "unit/control_models.h"

struct expected {
	const char *name;
	uint32_t value, wait;
};

static const struct hs_nt_config traced = {
	.size = sizeof traced, .inst_mode = HS_NT_BTM, .src_bits = 4, .src_id = 5,
	.sync_mode = HS_NT_SYNC_MESSAGES, .sync_max = 3, .implicit_return = 2,
};

static void check_writes(const struct hs_tc_regs *regs, uint32_t components, bool starts,
                         const struct expected *want, size_t n)
{
	struct hs_tc_setup s;
	struct hs_tc_step w;
	char name[64];
	size_t i = 0;

	assert_int_equal(hs_tc_setup_init(&s, regs, components, starts), HS_OK);
	for (; hs_tc_setup_next(&s, &w); i++) {
		assert_true(i < n);
		assert_string_equal(hs_tc_name(&w.place, name, sizeof name), want[i].name);
		if (w.value != want[i].value || w.wait != want[i].wait)
			fail_msg("write %zu: %s = 0x%x", i, name, w.value);
	}
	assert_int_equal(i, n);
	assert_false(hs_tc_setup_next(&s, &w));
}

/* trTeControl: mode 3, sync mode 1, max 3, format 1; features: implicit return 8, mode 2 at bit 6,
 * SRC 5 in 4 bits; then the table of TCI 11.2. */
TEST(an_encoder)
{
	static const struct expected want[] = {
		{ "trTeControl", 0, 1 }, { "trTeControl", 1, 1 }, { "trTeControl", 0x01310031, 0 },
		{ "trTeInstFeatures", 0x40050088, 0 }, { "trTeDataControl", 0, 0 },
		{ "trTsControl", 0, 0 }, { "trTeTrigDbgControl", 0, 0 },
		{ "trTeTrigExtInControl", 0, 0 }, { "trTeTrigExtOutControl", 0, 0 },
		{ "trTeComp0Control", 0, 0 }, { "trTeComp1Control", 0, 0 },
		{ "trTeComp2Control", 0, 0 }, { "trTeComp3Control", 0, 0 },
		{ "trTeComp4Control", 0, 0 }, { "trTeComp5Control", 0, 0 },
		{ "trTeComp6Control", 0, 0 }, { "trTeComp7Control", 0, 0 },
		{ "trTeInstFilters", 0, 0 }, { "trTeDataFilters", 0, 0 },
		{ "trTeControl", 0x01310033, 2 }, { "trTeControl", 0x01310037, 6 },
	};
	struct hs_tc_regs r = { 0 };

	assert_int_equal(hs_tc_set_nt_config(&r, &traced), HS_OK);
	check_writes(&r, 1u << TE, true, want, COUNT_OF(want));
	check_writes(&r, 1u << TE, false, want, COUNT_OF(want) - 1);
}

/* Sinks come first, the funnel before the encoder; SMEM mode before addresses (TCI 7.1, 11.2). */
TEST(sinks_first)
{
	static const struct expected want[] = {
		{ "trRamControl", 0, 1 }, { "trRamControl", 1, 1 }, { "trRamControl", 0x11, 0 },
		{ "trRamStartLow", 0x80000000, 0 }, { "trRamLimitLow", 0x8000fffc, 0 },
		{ "trRamWPLow", 0x80000000, 0 }, { "trRamControl", 0x13, 2 },
		{ "trPibControl", 0, 1 }, { "trPibControl", 1, 1 }, { "trPibControl", 0xa1, 0 },
		{ "trPibControl", 0xa3, 2 },
		{ "trAtbBridgeControl", 0, 1 }, { "trAtbBridgeControl", 1, 1 },
		{ "trAtbBridgeControl", 0x1201, 0 }, { "trAtbBridgeControl", 0x1203, 2 },
		{ "trFunnelControl", 0, 1 }, { "trFunnelControl", 1, 1 },
		{ "trFunnelDisInput", 2, 0 }, { "trTsControl", 0, 0 },
		{ "trFunnelControl", 3, 2 },
	};
	static const char *const lines[] = {
		"trRamControl = 0x10", "trRamStartLow = 0x80000000", "trRamLimitLow = 0x8000fffc",
		"trRamWPLow = 0x80000000", "trPibMode = 10", "trAtbBridgeID = 0x12",
		"trFunnelDisInput = 2", "trRamRPLow = 4", "trRamImpl = 0x901",
	};
	struct hs_tc_dump d = { 0 };

	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		struct hs_span in = { (const uint8_t *)lines[i], strlen(lines[i]) };

		assert_int_equal(hs_tc_dump_line(&d, &in), HS_OK);
	}
	check_writes(&d.regs, 1u << RAM | 1u << PIB | 1u << HS_TC_ATB | 1u << FU, true, want,
	             COUNT_OF(want));
}

/* TCI 6.1: trTsActive, trTsCount, trTsMode 2, trTsEnable. */
TEST(timestamps_are_set_up)
{
	const struct hs_nt_config c = { .size = sizeof c, .timestamps = 1 };
	struct hs_tc_regs r = { 0 };

	assert_int_equal(hs_tc_set_nt_config(&r, &c), HS_OK);
	assert_int_equal(r.word[0x40 / 4], 0x8023);
}

/* Registers of a device at work: what switches it on is written in its turn only. */
TEST(registers_of_a_device_at_work)
{
	static const struct expected want[] = {
		{ "trRamControl", 0, 1 }, { "trRamControl", 1, 1 }, { "trRamControl", 0x111, 0 },
		{ "trRamControl", 0x113, 2 },
		{ "trFunnelControl", 0, 1 }, { "trFunnelControl", 1, 1 },
		{ "trFunnelDisInput", 0, 0 }, { "trTsControl", 0, 0 }, { "trFunnelControl", 3, 2 },
	};
	static const char *const lines[] = { "trRamControl = 0x11b", "trFunnelControl = 0xb" };
	struct hs_tc_dump d = { 0 };
	struct hs_tc_setup s;
	struct hs_tc_step w;

	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		struct hs_span in = { (const uint8_t *)lines[i], strlen(lines[i]) };

		assert_int_equal(hs_tc_dump_line(&d, &in), HS_OK);
	}
	check_writes(&d.regs, 1u << RAM | 1u << FU, true, want, COUNT_OF(want));
	d.regs.word[0] = 0x0131003f;
	assert_int_equal(hs_tc_setup_init(&s, &d.regs, 1u << TE, true), HS_OK);
	for (unsigned i = 0; i < 3; i++)
		assert_true(hs_tc_setup_next(&s, &w));
	assert_int_equal(w.value, 0x01310031);
}

/* trTeDataTracing is 0 while the encoder is disabled (TCI 6, trTeEnable). */
TEST(data_trace)
{
	struct hs_tc_regs r = { 0 };
	struct hs_tc_setup s;
	struct hs_tc_step w;

	for (unsigned start = 0; start < 2; start++) {
		uint32_t written[4], values[4] = { 0 };
		unsigned n = 0;

		assert_int_equal(hs_tc_set_nt_config(&r, &traced), HS_OK);
		r.word[4] = 0x30013;
		r.known[0] |= 1u << 4;
		assert_int_equal(hs_tc_setup_init(&s, &r, 1u << TE, start), HS_OK);
		while (hs_tc_setup_next(&s, &w))
			if (w.place.offset == 0x10 || w.wait > 1) {
				assert_true(n < 4);
				written[n] = w.place.offset;
				values[n++] = w.value;
			}
		assert_int_equal(n, start ? 4 : 2);
		assert_int_equal(written[0], 0x10);
		assert_int_equal(values[0], 0x30011);
		assert_int_equal(values[1] & 7, 3);
		assert_int_equal(values[2], start ? 0x30013 : 0);
		assert_int_equal(values[3] & 7, start ? 7 : 0);
	}
}

/* "the corresponding register must have a correct value already set" (TCI 6.3). */
TEST(filters_before_they_count)
{
	static const char *const order[] = { "trTeFilter2MatchInst", "trTeComp1PMatchLow",
		                             "trTeFilter2Control", "trTeInstFilters" };
	struct hs_qualifier_config c = { .size = sizeof c,
		.filters[2] = { .enable = true, .comps = 1, .comp = { 1 } },
		.comparators[1] = { .p_match = 0x1000 } };
	struct hs_tc_regs r = { 0 };
	struct hs_tc_setup s;
	struct hs_tc_step w;
	size_t at = 0;
	char name[64];

	assert_int_equal(hs_tc_set_filters(&r, &c), HS_OK);
	assert_int_equal(hs_tc_setup_init(&s, &r, 1u << TE, false), HS_OK);
	while (hs_tc_setup_next(&s, &w)) {
		hs_tc_name(&w.place, name, sizeof name);
		if (at < COUNT_OF(order) && strcmp(name, order[at]) == 0)
			at++;
	}
	assert_int_equal(at, COUNT_OF(order));
}

TEST(what_registers_cannot_have)
{
	const struct hs_tc_regs none = { 0 };
	struct hs_nt_config c = traced;
	struct hs_tc_regs r = { 0 };
	struct hs_tc_setup s;

	c.sync_mode = HS_NT_SYNC_BYTES;
	assert_int_equal(hs_tc_set_nt_config(&r, &c), HS_E_UNSUPPORTED);
	c.sync_mode = 0;
	c.src_bits = 13;
	assert_int_equal(hs_tc_set_nt_config(&r, &c), HS_E_CONFIG);
	c.size = 2;
	assert_int_equal(hs_tc_set_nt_config(&r, &c), HS_E_CONFIG);
	assert_memory_equal(&r, &none, sizeof r);
	assert_int_equal(hs_tc_setup_init(&s, &r, 0, false), HS_E_ARG);
	assert_int_equal(hs_tc_setup_init(&s, &r, 1u << HS_TC_COMPONENTS, false), HS_E_ARG);
}

/* 2 counts hart clock cycles (TCI 6, trTeInstSyncMode). */
TEST(synchronisation_by_cycles)
{
	struct hs_nt_config c = { .size = sizeof c, .sync_mode = HS_NT_SYNC_CYCLES, .sync_max = 7 };
	struct hs_nt_config back = { .size = sizeof back };
	struct hs_tc_regs r = { 0 };

	assert_int_equal(hs_tc_set_nt_config(&r, &c), HS_OK);
	assert_int_equal(hs_tc_get(&r, TE, HS_TCF_TE_INST_SYNC_MODE), 2);
	assert_int_equal(hs_tc_nt_config(&r, &back), HS_OK);
	assert_int_equal(back.sync_mode, HS_NT_SYNC_CYCLES);
	assert_int_equal(back.sync_max, 7);
}
