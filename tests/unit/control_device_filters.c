/* Filter registers of the device model decide what it traces (TCI 6.3). */
#include "unit/control_board.h"

/* iaddr >= 0x1100 in comparator 0, chosen by filter 3. */
static void filter_f(void)
{
	wr(TE, 0x600, 0x50); /* trTeComp0Control: trTeCompPFunction 5, >= */
	wr(TE, 0x610, 0x1100);
	wr(TE, 0x614, 0);
	wr(TE, 0x400 + 3 * 0x20, 0x11); /* trTeFilterEnable, trTeFilterMatchComp1: comparator 0 */
	wr(TE, 0x00c, 1u << 3);
}

/* Only f, which is called once a round: no other block, and EVCODE 4 after each. */
static void a_filter_decides(void **state)
{
	const struct flow f = rounds(0, 20);

	(void)state;
	power_up("full", false);
	discover();
	filter_f();
	enable_ram(false, 0, 4092, 0);
	enable(HTM | SYNC_MESSAGES, true);
	run(&f);
	drain();
	assert_int_equal(got.errors, 0);
	assert_int_equal(got.blocks.n, 20);
	for (size_t i = 0; i < 20; i++) {
		assert_int_equal(got.blocks.at[i].iaddr, 0x1100);
		assert_int_equal(got.blocks.at[i].iretire, 2);
	}
	assert_int_equal(event(HS_KIND_STOP, 18)->itype, 4);
}

/* trTeInstFilters may be written at any time. */
static void filters_change_while_enabled(void **state)
{
	const struct flow f = rounds(0, 3);

	(void)state;
	power_up("full", false);
	discover();
	filter_f();
	wr(TE, 0x00c, 0);
	enable_ram(false, 0, 4092, 0);
	enable(HTM | SYNC_MESSAGES, true);
	run(&f);
	wr(TE, 0x00c, 1u << 3);
	run(&f);
	wr(TE, 0x00c, 0);
	run(&f);
	drain();
	assert_int_equal(got.errors, 0);
	assert_int_equal(got.blocks.n, 2 * f.n + 3);
}

/* With the hart's code a filter begins and ends inside a block. */
static void a_filter_inside_a_block(void **state)
{
	const struct flow f = rounds(0, 1);

	(void)state;
	power_up("full", false);
	dev.image = &image;
	discover();
	filter_f();
	wr(TE, 0x600, 0); /* == */
	wr(TE, 0x610, 0x1102);
	enable_ram(false, 0, 4092, 0);
	enable(HTM | SYNC_MESSAGES, true);
	run(&f);
	drain();
	assert_int_equal(got.errors, 0);
	assert_int_equal(got.blocks.n, 1);
	assert_int_equal(got.blocks.at[0].iaddr, 0x1102);
	assert_int_equal(got.blocks.at[0].iretire, 1);
}

/* trTeCompPNotify without a filter: everything is traced, and a match is reported (SYNC 6). */
static void a_comparator_reports(void **state)
{
	const struct flow f = rounds(0, 2);

	(void)state;
	power_up("full", false);
	discover();
	wr(TE, 0x600, 0x4000); /* trTeCompPNotify, == */
	wr(TE, 0x610, 0x1100);
	wr(TE, 0x614, 0);
	enable_ram(false, 0, 4092, 0);
	enable(HTM | SYNC_MESSAGES, true);
	run(&f);
	drain();
	assert_flow(&f);
	assert_int_equal(event(HS_KIND_SYNC, 1)->itype, 6);
	assert_int_equal(event(HS_KIND_SYNC, 1)->value, 0x1100);
	assert_int_equal(event(HS_KIND_SYNC, 2)->itype, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_filter_decides),
		cmocka_unit_test(filters_change_while_enabled),
		cmocka_unit_test(a_filter_inside_a_block),
		cmocka_unit_test(a_comparator_reports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
