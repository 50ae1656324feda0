/* Filter registers of the device model decide what it traces (TCI 6.3). */
#include "cases.h"

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
TEST(a_filter_decides)
{
	const struct flow f = rounds(0, 20);

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
TEST(filters_change_while_enabled)
{
	const struct flow f = rounds(0, 3);

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
TEST(a_filter_inside_a_block)
{
	const struct flow f = rounds(0, 1);

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
TEST(a_comparator_reports)
{
	const struct flow f = rounds(0, 2);

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

static const struct hs_block context_7 = { .value = 7, .arg = 2, .priv = HS_PRIV_S,
	                                   .kind = HS_KIND_CONTEXT },
			     block_in_s = { .iaddr = 0x1000, .iretire = 3, .ilast = 2,
	                                    .itype = HS_ITYPE_TAKEN, .priv = HS_PRIV_S };

/* What filter @n compares with is written again, which says nothing of the hart. */
static void write_again(unsigned n)
{
	const uint32_t at = 0x400 + 0x20 * n;

	wr(TE, at, rd(TE, at));
}

static void run_event(const struct hs_block *b)
{
	size_t used;

	assert_int_equal(hs_tc_device_run(&dev, b, 1, &used), HS_OK);
}

/* Blocks that are traced with filter 0 as set up by @set: @first, then a write, then @f. */
static size_t traced_after(void (*set)(void), const struct hs_block *first, const struct flow *f)
{
	power_up("full", false);
	discover();
	set();
	wr(TE, 0x00c, 1);
	enable_ram(false, 0, 4092, 0);
	enable(HTM | SYNC_MESSAGES, true);
	if (first)
		run_event(first);
	write_again(0);
	run(f);
	drain();
	assert_int_equal(got.errors, 0);
	return got.blocks.n;
}

/* context == 7 in comparator 0 */
static void by_context(void)
{
	wr(TE, 0x600, 1);
	wr(TE, 0x610, 7);
	wr(TE, 0x614, 0);
	wr(TE, 0x400, 0x11);
}

/* trTeFilterMatchPrivilege: S (1 of the port), and U (0) */
static void by_privilege_s(void)
{
	wr(TE, 0x400, 3);
	wr(TE, 0x404, 1u << 1);
}

static void by_privilege_u(void)
{
	wr(TE, 0x400, 3);
	wr(TE, 0x404, 1u << 0);
}

/* What the hart reported before filters are written again still counts. */
TEST(filters_are_written_again)
{
	const struct flow f = rounds(0, 3);

	assert_int_equal(traced_after(by_context, &context_7, &f), f.n);
	assert_int_equal(traced_after(by_context, NULL, &f), 0);
	assert_int_equal(traced_after(by_privilege_s, &block_in_s, &f), 1 + f.n);
	assert_int_equal(traced_after(by_privilege_u, &block_in_s, &f), 0);
	assert_int_equal(traced_after(by_privilege_u, NULL, &f), 0);
}

/* A comparator that latches is as it was, whatever else is written. */
TEST(writes_elsewhere)
{
	const struct flow f = rounds(0, 2);

	power_up("full", false);
	discover();
	wr(TE, 0x600, 0x3000); /* trTeCompMatchMode 3: from 1000 to 2000 */
	wr(TE, 0x610, 0x1000);
	wr(TE, 0x614, 0);
	wr(TE, 0x618, 0x2000);
	wr(TE, 0x61c, 0);
	wr(TE, 0x400, 0x11);
	wr(TE, 0x00c, 1);
	enable_ram(false, 0, 4092, 0);
	enable(HTM | SYNC_MESSAGES, true);
	run_event(&f.at[0]);                   /* at 1000: it latches */
	wr(FU, 0x00c, 0);
	wr(RAM, 0x400, 0);
	wr(TE, 0x010, 0);
	wr(TE, CONTROL, rd(TE, CONTROL));
	run_event(&f.at[1]);                   /* at 1006: traced by the latch only */
	drain();
	assert_int_equal(got.errors, 0);
	assert_int_equal(got.blocks.n, 2);
}

/* A filter that is not enabled matches nothing, until its register says so: the first one, too. */
TEST(a_filter_is_enabled_later)
{
	const struct flow f = rounds(0, 3);

	power_up("full", false);
	discover();
	wr(TE, 0x400, 0);
	wr(TE, 0x00c, 1);
	enable_ram(false, 0, 4092, 0);
	enable(HTM | SYNC_MESSAGES, true);
	run(&f);
	wr(TE, 0x400, 1);
	run(&f);
	drain();
	assert_int_equal(got.errors, 0);
	assert_int_equal(got.blocks.n, f.n);
}

/* A filter of instructions that asks for the type of an access cannot be had, nor a mode that no
 * text defines: nothing is traced
 * (almost every field of this device takes what the table allows). */
TEST(a_filter_that_cannot_be_had)
{
	static const struct hs_tc_limit protocol = { HS_TCF_TE_PROTOCOL_MAJOR, 1u << 1, 1 };
	static const struct hs_tc_profile all = { .size = sizeof all, .limits = &protocol,
		                                  .limit_count = 1, .sram_bytes = 4096 };
	const struct hs_tc_memory memory = { sram, sizeof sram, NULL, NULL };
	const struct flow f = rounds(0, 3);

	for (unsigned dtype = 0; dtype < 3; dtype++) {
		const uint32_t mode = dtype == 2 ? 0x10 : HTM; /* 1 is a vendor's */

		assert_int_equal(hs_tc_device_init(&dev, &all, &memory, false), HS_OK);
		wr(TE, CONTROL, ACTIVE);
		wr(RAM, CONTROL, ACTIVE);
		enable_ram(false, 0, 4092, 0);
		wr(TE, 0x400, 1 | (dtype == 1) << 24);
		wr(TE, 0x00c, 1);
		enable(mode | 1u << 24, true);
		run(&f);
		disable_one(TE);
		disable_one(RAM);
		assert_int_equal(rd(RAM, WP) > 0, !dtype);
	}
}
