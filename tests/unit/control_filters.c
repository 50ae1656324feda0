/* Filter and comparator registers: what they let through, and back (TCI 6.3). */
#include "device/device.h"
#include "ingress/ingress.h"
#include "cases.h"

#include <hartscope/ingress.h>

#include "unit/control_models.h"

#define LINES 12

/* Registers by hand, and what the filters are then. */
static const struct row {
	const char *name, *lines[LINES];
	enum hs_status want;
	struct hs_qualifier_config config;
} rows[] = {
	{ "nothing was read", { NULL }, HS_OK, { 0 } },
	{ "no filter is chosen", { "trTeInstFilters = 0", "trTeFilter3Control = 3" }, HS_OK, { 0 } },
	{ "a filter that is not chosen", { "trTeInstFilters = 1", "trTeFilter0Control = 3",
	  "trTeFilter0MatchInst = 0x1", "trTeFilter1Control = 3" }, HS_OK,
	  { .filters = { { .enable = true, .match_privilege = true, .choice_privilege = 1 } } } },
	{ "a chosen filter that is not enabled matches nothing",
	  { "trTeInstFilters = 4", "trTeFilter2Control = 2" }, HS_OK,
	  { .filters[2] = { .enable = true, .match_privilege = true } } },
	/* trTeFilterMatchPrivilege; the port's 0 U, 1 S, 3 M, 4 D, 5 VU, 6 VS */
	{ "privileges U, M, D and VS", { "trTeInstFilters = 0x8000", "trTeFilter15Control = 0x3",
	  "trTeFilter15MatchInst = 0x59" }, HS_OK,
	  { .filters[15] = { .enable = true, .match_privilege = true,
	      .choice_privilege = 1u << HS_PRIV_U | 1u << HS_PRIV_M | 1u << HS_PRIV_D |
	                          1u << HS_PRIV_VS } } },
	{ "reserved privileges match nothing", { "trTeInstFilters = 1", "trTeFilter0Control = 0x3",
	  "trTeFilter0MatchInst = 0x84" }, HS_OK,
	  { .filters[0] = { .enable = true, .match_privilege = true } } },
	{ "causes", { "trTeInstFilters = 1", "trTeFilter0Control = 0x5",
	  "trTeFilter0MatchEcauseLow = 0x104", "trTeFilter0MatchEcauseHigh = 0x80000000" }, HS_OK,
	  { .filters[0] = { .enable = true, .match_ecause = true,
	                    .choice_ecause = 0x8000000000000104 } } },
	{ "interrupts", { "trTeInstFilters = 1", "trTeFilter0Control = 0x9",
	  "trTeFilter0MatchInst = 0x100" }, HS_OK,
	  { .filters[0] = { .enable = true, .match_interrupt = true, .value_interrupt = true } } },
	{ "exceptions", { "trTeInstFilters = 1", "trTeFilter0Control = 0x9" }, HS_OK,
	  { .filters[0] = { .enable = true, .match_interrupt = true } } },
	{ "impdef", { "trTeInstFilters = 1", "trTeFilter0Control = 0x10001",
	  "trTeFilter0MatchValueImpdef = 0x50", "trTeFilter0MatchMaskImpdef = 0xf0" }, HS_OK,
	  { .filters[0] = { .enable = true, .match_user = true, .value_user = 0x50,
	                    .mask_user = 0xf0 } } },
	/* enable, MatchComp1 with 7, MatchComp2 with 0, MatchComp3 with 2 */
	{ "three comparators", { "trTeInstFilters = 1", "trTeFilter0Control = 0x51f1",
	  "trTeComp7Control = 0x5350", "trTeComp7PMatchLow = 0x80001000",
	  "trTeComp7PMatchHigh = 0x1", "trTeComp7SMatchLow = 0x80001fff",
	  "trTeComp7SMatchHigh = 0x1", "trTeComp0Control = 1", "trTeComp0PMatchLow = 7",
	  "trTeComp2Control = 0x3002" }, HS_OK,
	  { .filters[0] = { .enable = true, .comps = 3, .comp = { 7, 0, 2 } },
	    .comparators[7] = { .p_function = HS_COMP_GE, .s_function = HS_COMP_LE,
	                        .match_mode = HS_COMP_BOTH, .p_notify = true,
	                        .p_match = 0x180001000, .s_match = 0x180001fff },
	    .comparators[0] = { .p_input = HS_COMP_CONTEXT, .p_match = 7 },
	    .comparators[2] = { .p_input = HS_COMP_TVAL, .match_mode = HS_COMP_LATCH } } },
	{ "a comparator that no filter uses", { "trTeComp1Control = 0x30" }, HS_OK, { 0 } },
	{ "a watchpoint without a filter", { "trTeComp1Control = 0x8000",
	  "trTeComp1SMatchLow = 0x108" }, HS_OK,
	  { .comparators[1] = { .s_notify = true, .s_match = 0x108 } } },
	{ "trTeCompPNotify has no effect on context", { "trTeComp1Control = 0x4001" }, HS_OK, { 0 } },
	{ "the mask function ignores its input", { "trTeInstFilters = 1",
	  "trTeFilter0Control = 0x11", "trTeComp0Control = 0x160c", "trTeComp0SMatchLow = 0xf0" },
	  HS_OK, { .filters[0] = { .enable = true, .comps = 1 },
	    .comparators[0] = { .s_function = HS_COMP_SPECIAL, .match_mode = HS_COMP_BOTH,
	                        .s_match = 0xf0 } } },
	{ "daddr", { "trTeInstFilters = 1", "trTeFilter0Control = 0x11", "trTeComp0Control = 0x3" },
	  HS_E_UNSUPPORTED, { 0 } },
	{ "dtype", { "trTeInstFilters = 1", "trTeFilter0Control = 0x1000001" }, HS_E_UNSUPPORTED,
	  { 0 } },
	{ "dsize", { "trTeInstFilters = 1", "trTeFilter0Control = 0x2000001" }, HS_E_UNSUPPORTED,
	  { 0 } },
	{ "daddr of the secondary", { "trTeInstFilters = 1", "trTeFilter0Control = 0x11",
	  "trTeComp0Control = 0x100c" }, HS_E_UNSUPPORTED, { 0 } },
	{ "trTeDataFilters: a filter that is not enabled matches nothing",
	  { "trTeDataFilters = 0xc", "trTeFilter0Control = 1" }, HS_OK,
	  { .filters[2] = { .data = true, .match_privilege = true } } },
	{ "nothing of both", { "trTeInstFilters = 0x4", "trTeDataFilters = 0x4" }, HS_OK,
	  { .filters[2] = { .enable = true, .data = true, .match_privilege = true } } },
	/* trTeFilterMatchDtype 24, Dsize 25; stores and adds of 4 and 8 bytes */
	{ "types and sizes", { "trTeDataFilters = 2", "trTeFilter1Control = 0x3000001",
	  "trTeFilter1MatchData = 0x000c0202" }, HS_OK,
	  { .filters[1] = { .data = true, .match_dtype = true, .choice_dtype = 0x202,
	                    .match_dsize = true, .choice_dsize = 0xc } } },
	{ "one filter of both, by the other's comparator", { "trTeInstFilters = 1",
	  "trTeDataFilters = 3", "trTeFilter0Control = 0x11", "trTeFilter1Control = 0x31",
	  "trTeComp0Control = 0x50", "trTeComp1Control = 0x53", "trTeComp1PMatchLow = 0x9000" },
	  HS_OK,
	  { .filters = { { .enable = true, .data = true, .comps = 1 },
	                 { .data = true, .comps = 1, .comp = { 1 } } },
	    .comparators[0] = { .p_function = HS_COMP_GE },
	    .comparators[1] = { .p_input = HS_COMP_DADDR, .p_function = HS_COMP_GE,
	                        .p_match = 0x9000 } } },
	{ "dtype of another filter",
	  { "trTeInstFilters = 0x8000", "trTeFilter15Control = 0x1000001" },
	  HS_E_UNSUPPORTED, { 0 } },
	{ "what another component holds", { "trTeInstFilters = 0", "trFunnelControl = 0x4000",
	  "trFunnelImpl = 0xffffffff" }, HS_OK, { 0 } },
	{ "trTeDataFilters: none", { "trTeDataFilters = 0", "trTeFilter0Control = 0x3000001" }, HS_OK,
	  { 0 } },
};

static struct hs_tc_regs registers_of(const char *const *lines)
{
	struct hs_tc_dump d = { 0 };

	for (; *lines; lines++) {
		struct hs_span in = { (const uint8_t *)*lines, strlen(*lines) };

		if (hs_tc_dump_line(&d, &in) != HS_OK)
			fail_msg("%s", *lines);
	}
	return d.regs;
}

TEST_ROWS(row, rows, r)
{
	const struct hs_tc_regs regs = registers_of(r->lines);
	struct hs_qualifier_config c = { .size = sizeof c }, want = r->config;
	struct hs_qualifier q;

	want.size = sizeof want;
	assert_int_equal(hs_tc_filters(&regs, &c), r->want);
	assert_memory_equal(&c, &want, sizeof c);
	assert_int_equal(hs_qualifier_init(&q, &c, NULL), HS_OK);
}

/* What can be said by text, as registers and back. */
TEST(there_and_back)
{
	static const char *const texts[][3] = {
		{ "iaddr=0x80000000-0xffffffff80000fff" }, { "latch=0x1000-0x2000+priv=U,VS,D" },
		{ "context!=7+tval>=0x1000+iaddr<0x9000", "ecause=2,63+exception" },
		{ "interrupt+ecause=7", "priv=S", "user=0x50/0xf0" }, { NULL },
		{ "daddr=0x9000-0x9fff+dtype=store,sc", "priv=U+data", "dsize=1,8" },
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		struct hs_qualifier_config c = { .size = sizeof c }, back = { .size = sizeof back };
		struct hs_tc_regs regs = { 0 };

		for (size_t n = 0; n < 3 && texts[i][n]; n++)
			assert_int_equal(hs_qualifier_parse(&c, texts[i][n]), HS_OK);
		assert_int_equal(hs_tc_set_filters(&regs, &c), HS_OK);
		assert_int_equal(hs_tc_filters(&regs, &back), HS_OK);
		/* A second comparison that is not made has no input. */
		for (unsigned n = 0; n < HS_COMPARATORS; n++)
			if (c.comparators[n].match_mode == HS_COMP_P)
				c.comparators[n].s_input = 0;
		assert_memory_equal(&back, &c, sizeof c);
	}
}

TEST(what_registers_cannot_say)
{
	static const char *const names[][2] = {
		{ "trace", "off" }, { "comparator.0.input", "time" },
		{ "comparator.3.input", "time" },
		{ "comparator.3.second.input", "hart" }, { "filter.2.ecause_value", "70" },
		{ "filter.2.user", "1" }, { "filter.2.user_word", "1" },
	};

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct hs_qualifier_config c = { .size = sizeof c };
		struct hs_tc_regs regs = { 0 };
		const struct hs_tc_regs none = { 0 };

		assert_int_equal(hs_qualifier_set(&c, "filter.2.enable", "1"), HS_OK);
		assert_int_equal(hs_qualifier_set(&c, "filter.2.user_mask", "1"), HS_OK);
		assert_int_equal(hs_tc_set_filters(&regs, &c), HS_OK);
		regs = none;
		if (strcmp(names[i][0], "filter.2.user") == 0)
			assert_int_equal(hs_qualifier_set(&c, "filter.2.user_mask",
			                                  "0x100000000"), HS_OK);
		assert_int_equal(hs_qualifier_set(&c, names[i][0], names[i][1]), HS_OK);
		if (hs_tc_set_filters(&regs, &c) != HS_E_UNSUPPORTED)
			fail_msg("%s", names[i][0]);
		assert_memory_equal(&regs, &none, sizeof regs);
	}
}

/* Filters and comparators that are not there read 0 and cannot be chosen (TCI 4.3, 6.3). */
TEST(as_many_as_there_are)
{
	struct hs_tc_profile few = *hs_tc_profile_find("full");
	struct hs_tc tc = active("full");

	hs_tc_write(&tc, TE, 0x400 + 15 * 0x20, 0xffffffff);
	hs_tc_write(&tc, TE, 0x600 + 7 * 0x20, 0xffffffff);
	hs_tc_write(&tc, TE, 0x00c, 0xffffffff);
	/* of the data trace, which is not there: no dtype and dsize, no daddr */
	assert_int_equal(hs_tc_read(&tc, TE, 0x400 + 15 * 0x20), 0x0001ffff);
	assert_int_equal(hs_tc_read(&tc, TE, 0x600 + 7 * 0x20), 0x0000f77a);
	assert_int_equal(hs_tc_read(&tc, TE, 0x00c), 0xffff);
	const struct hs_tc_memory memory = tc.memory;

	few.filters = 2;
	few.comparators = 3;
	assert_int_equal(hs_tc_init(&tc, &few, &memory, 0), HS_OK);
	activate(&tc, TE);
	for (unsigned i = 0; i < 16; i++)
		hs_tc_write(&tc, TE, 0x400 + i * 0x20, 0xffffffff);
	for (unsigned i = 0; i < 8; i++)
		hs_tc_write(&tc, TE, 0x61c + i * 0x20, 0xffffffff);
	hs_tc_write(&tc, TE, 0x00c, 0xffffffff);
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(hs_tc_read(&tc, TE, 0x400 + i * 0x20), i < 2 ? 0x0001555f : 0);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(hs_tc_read(&tc, TE, 0x61c + i * 0x20), i < 3 ? 0xffffffff : 0);
	assert_int_equal(hs_tc_read(&tc, TE, 0x00c), 0x3);
	few.filters = 17;
	assert_int_equal(hs_tc_init(&tc, &few, &memory, 0), HS_E_CONFIG);
}

/* Of the comparators those are written that a filter uses, or that report where they match. */
TEST(comparators_that_count)
{
	struct hs_tc_regs regs = { 0 };
	struct hs_qualifier_config c = { .size = sizeof c }, back = { .size = sizeof back };

	c.comparators[0].p_notify = true;
	c.comparators[2].p_match = 0x1000; /* nobody looks */
	c.comparators[5] = (struct hs_comparator){ .p_notify = true, .p_match = 0x2000 };
	c.comparators[7] = (struct hs_comparator){ .s_notify = true, .s_match = 0x3000,
		                                   .match_mode = HS_COMP_BOTH };
	assert_int_equal(hs_tc_set_filters(&regs, &c), HS_OK);
	for (unsigned n = 0; n < HS_COMPARATORS; n++) {
		struct hs_tc_place p;

		assert_true(hs_tc_at(TE, 0x600 + 0x20 * n, &p));
		assert_int_equal(regs.known[p.word / 32] >> p.word % 32 & 1,
		                 n == 0 || n == 5 || n == 7);
	}
	assert_int_equal(hs_tc_filters(&regs, &back), HS_OK);
	c.comparators[2].p_match = 0;
	assert_memory_equal(&back, &c, sizeof c);
}

/* trTeFilterControl has three comparators. */
TEST(four_comparators)
{
	struct hs_qualifier_config c = { .size = sizeof c,
		.filters[1] = { .enable = true, .comps = 3, .comp = { 1, 2, 3 } } };
	struct hs_tc_regs regs = { 0 };

	assert_int_equal(hs_tc_set_filters(&regs, &c), HS_OK);
	c.filters[1].comps = 4;
	assert_int_equal(hs_tc_set_filters(&regs, &c), HS_E_UNSUPPORTED);
}

/* What matches nothing does so whatever the filters were before. */
TEST(nothing_matches)
{
	static const char *const lines[] = { "trTeInstFilters = 4", "trTeFilter2Control = 2",
		                             NULL };
	struct hs_qualifier_config c = { .size = sizeof c, .filters[2].choice_privilege = 0xff };
	const struct hs_tc_regs regs = registers_of(lines);

	assert_int_equal(hs_tc_filters(&regs, &c), HS_OK);
	assert_true(c.filters[2].enable && c.filters[2].match_privilege);
	assert_int_equal(c.filters[2].choice_privilege, 0);
}

TEST(smaller_and_larger_structs)
{
	struct hs_qualifier_config c = { .size = 3 };
	struct hs_tc_regs regs = { 0 };

	assert_int_equal(hs_tc_filters(&regs, &c), HS_E_CONFIG);
	assert_int_equal(hs_tc_set_filters(&regs, &c), HS_E_CONFIG);
}
