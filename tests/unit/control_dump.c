/* Dumps of registers, and the decode that they configure. */
#include "device/device.h"
#include "cases.h"

#include "unit/control_models.h"

/* ---- dumps and the decode ------------------------------------------------------------------- */

/* The first line of a text, which is one more line than that. */
static enum hs_status take_text(struct hs_tc_dump *d, const char *text, size_t n)
{
	char memory[HS_TC_LINE_MAX + 41] = "\r", *copy = memory + 1; /* not a part of the line */
	struct hs_span in = { (const uint8_t *)copy, n + 4 };

	memcpy(copy, text, n);
	memcpy(copy + n, "\nx=y", 4);
	const enum hs_status s = hs_tc_dump_line(d, &in);

	assert_ptr_equal(in.p, copy + n + 1);
	assert_int_equal(in.n, 3);
	return s;
}

static enum hs_status take_line(struct hs_tc_dump *d, const char *line)
{
	return take_text(d, line, strlen(line));
}

TEST(the_last_line_needs_no_end)
{
	struct hs_tc_dump d = { 0 };
	struct hs_span in = { (const uint8_t *)"trTeSrcBits=4", 13 };

	assert_int_equal(hs_tc_dump_line(&d, &in), HS_OK);
	assert_int_equal(hs_tc_get(&d.regs, TE, HS_TCF_TE_SRC_BITS), 4);
	assert_int_equal(in.n, 0);
	assert_int_equal(hs_tc_dump_line(&d, &in), HS_MORE);
}

TEST(dump_lines)
{
	static const struct { const char *line; enum hs_status want; unsigned component, field;
	                      uint32_t value; } row[] = {
		{ "trTeControl = 0x01000063", HS_OK, TE, HS_TCF_TE_INST_MODE, 6 },
		{ "  trTeControl:0x01000033  # BTM\r", HS_OK, TE, HS_TCF_TE_INST_MODE, 3 },
		{ "trTeSrcBits = 4", HS_OK, TE, HS_TCF_TE_SRC_BITS, 4 },
		{ "0x008: 0x40010000", HS_OK, TE, HS_TCF_TE_SRC_ID, 1 },
		{ "8 = 1073807360", HS_OK, TE, HS_TCF_TE_SRC_BITS, 4 },
		{ "trRamWPLow = 0x101", HS_OK, RAM, HS_TCF_RAM_WRAP, 1 },
		{ "trTsControl = 0x8000", HS_OK, TE, HS_TCF_TS_ENABLE, 1 },
		{ "trAtbBridgeID=0x12", HS_OK, HS_TC_ATB, HS_TCF_ATB_ID, 0x12 },
		{ "", HS_OK, TE, HS_TCF_TE_INST_MODE, 0 },
			{ "# trTeControl = 1", HS_OK, TE, HS_TCF_TE_ACTIVE, 0 },
		{ "trTeSrcBits = 16", HS_E_FORMAT, TE, HS_TCF_TE_SRC_BITS, 0 },
		{ "trTeControl = 0x100000000", HS_E_FORMAT, TE, HS_TCF_TE_ACTIVE, 0 },
		{ "trTeControl = 0x10000000000000000000", HS_E_FORMAT, TE, HS_TCF_TE_ACTIVE, 0 },
		{ "trTeControl 3", HS_E_FORMAT, TE, HS_TCF_TE_ACTIVE, 0 },
		{ "trTeControl = ", HS_E_FORMAT, TE, HS_TCF_TE_ACTIVE, 0 },
		{ "trTeControl = 0x", HS_E_FORMAT, TE, HS_TCF_TE_ACTIVE, 0 },
		{ "trTeControl = 3 4", HS_E_FORMAT, TE, HS_TCF_TE_ACTIVE, 0 },
		{ "trTeNothing = 3", HS_E_UNSUPPORTED, TE, HS_TCF_TE_ACTIVE, 0 },
		{ "0x700 = 3", HS_E_UNSUPPORTED, TE, HS_TCF_TE_ACTIVE, 0 },
		{ "2 = 3", HS_E_UNSUPPORTED, TE, HS_TCF_TE_ACTIVE, 0 },
		{ "[disk]", HS_E_FORMAT, TE, HS_TCF_TE_ACTIVE, 0 },
			{ "[ram", HS_E_FORMAT, TE, HS_TCF_TE_ACTIVE, 0 },
		{ "[ram] x", HS_E_FORMAT, TE, HS_TCF_TE_ACTIVE, 0 },
		{ "[xam]", HS_E_FORMAT, TE, HS_TCF_TE_ACTIVE, 0 },
		{ "[ra]", HS_E_FORMAT, TE, HS_TCF_TE_ACTIVE, 0 },
		{ "[rams]", HS_E_FORMAT, TE, HS_TCF_TE_ACTIVE, 0 },
		{ "[]", HS_E_FORMAT, TE, HS_TCF_TE_ACTIVE, 0 },
		{ "a = 3", HS_E_UNSUPPORTED, TE, HS_TCF_TE_ACTIVE, 0 }, /* a name, no number */
		{ "AaZz_09 = 3", HS_E_UNSUPPORTED, TE, HS_TCF_TE_ACTIVE, 0 },
		{ "trTe@ = 3", HS_E_FORMAT, TE, HS_TCF_TE_ACTIVE, 0 }, /* next to A, Z, a, z */
		{ "trTe[ = 3", HS_E_FORMAT, TE, HS_TCF_TE_ACTIVE, 0 },
		{ "trTe` = 3", HS_E_FORMAT, TE, HS_TCF_TE_ACTIVE, 0 },
		{ "trTe{ = 3", HS_E_FORMAT, TE, HS_TCF_TE_ACTIVE, 0 },
		{ "= 3", HS_E_FORMAT, TE, HS_TCF_TE_ACTIVE, 0 },
	};

	for (size_t i = 0; i < COUNT_OF(row); i++) {
		struct hs_tc_dump d = { 0 };

		if (take_line(&d, row[i].line) != row[i].want)
			fail_msg("row %zu: %s", i, row[i].line);
		assert_int_equal(hs_tc_get(&d.regs, row[i].component, row[i].field), row[i].value);
		assert_int_equal(hs_tc_known(&d.regs, row[i].component, row[i].field),
		                 row[i].value != 0);
	}
}

/* The last line of a text that ends where its memory does. */
static enum hs_status take_last_line(struct hs_tc_dump *d, const char *line)
{
	const size_t n = strlen(line);
	char *exact = malloc(n + !n);
	struct hs_span in = { (const uint8_t *)exact, n };

	assert_non_null(exact);
	memcpy(exact, line, n);
	const enum hs_status s = hs_tc_dump_line(d, &in);

	free(exact);
	return s;
}

/* Nothing is read after a line, wherever it ends. */
TEST(lines_end_anywhere)
{
	static const char *const lines[] = { "[encoder 0x10]", "trTeSrcBits = 0x4 # 4 bits",
		                             "0x008: 0x40010000", "trTeFilter10Control = 1" };

	for (size_t i = 0; i < COUNT_OF(lines); i++)
		for (size_t n = 0; n <= strlen(lines[i]); n++) {
			struct hs_tc_dump d = { 0 };
			char cut[40] = "";

			memcpy(cut, lines[i], n);
			const enum hs_status s = take_last_line(&d, cut);

			if (n == 0 || n == strlen(lines[i]))
				assert_int_equal(s, n ? HS_OK : HS_MORE);
		}
}

/* Bits of a register that are fields. */
static uint32_t fields_of(unsigned reg)
{
	uint32_t mask = 0;

	for (unsigned i = 0; i < HS_TCF_COUNT; i++) {
		const struct hs_tc_field_row *f = hs_tc_field_at(i);

		if (f->reg == reg)
			mask |= UINT32_MAX >> (31 - f->msb + f->lsb) << f->lsb;
	}
	return mask;
}

/* A field of a register that is known leaves the others as they were. */
TEST(fields_of_known_registers)
{
	for (unsigned i = 0; i < HS_TCF_COUNT; i++) {
		const struct hs_tc_field_row *f = hs_tc_field_at(i);
		const uint32_t mask = UINT32_MAX >> (31 - f->msb + f->lsb) << f->lsb;
		struct hs_tc_dump d = { 0 };
		struct hs_tc_place p;
		unsigned field;
		char name[64], line[HS_TC_LINE_MAX];

		assert_true(hs_tc_find(f->name, strlen(f->name), TE, &p, &field));
		if (field != i)
			continue; /* a name that several registers share */
		snprintf(line, sizeof line, "%s = 0", f->name);
		assert_int_equal(take_line(&d, line), HS_OK);
		assert_int_equal(d.regs.word[p.word] & ~fields_of(p.reg), 0); /* reserved bits */
		snprintf(line, sizeof line, "%s = 0xffffffff", hs_tc_name(&p, name, sizeof name));
		assert_int_equal(take_line(&d, line), HS_OK);
		snprintf(line, sizeof line, "%s = 0", f->name);
		assert_int_equal(take_line(&d, line), HS_OK);
		if (d.regs.word[p.word] != ~mask)
			fail_msg("%s: 0x%x", f->name, (unsigned)d.regs.word[p.word]);
	}
}

TEST(dump_sections)
{
	static const char *const lines[] = {
		"[ram 0x10003000]", "0x10003020: 0x101", "[funnel]", "trTsControl = 1",
			"0x008 = 0x3",
		"[encoder 0x10001000]", "0x10001000: 0x01000063", "trTsControl = 0x8000",
	};
	struct hs_tc_dump d = { 0 };
	char long_line[HS_TC_LINE_MAX + 1];

	for (size_t i = 0; i < COUNT_OF(lines); i++)
		assert_int_equal(take_line(&d, lines[i]), HS_OK);
	assert_int_equal(hs_tc_get(&d.regs, RAM, HS_TCF_RAM_WP_LOW_BITS), 0x40);
	assert_int_equal(hs_tc_get(&d.regs, FU, HS_TCF_TS_ACTIVE), 1);
	assert_int_equal(hs_tc_get(&d.regs, FU, HS_TCF_FUNNEL_DIS_INPUT_MASK), 3);
	assert_int_equal(hs_tc_get(&d.regs, TE, HS_TCF_TE_INST_MODE), 6);
	assert_int_equal(hs_tc_get(&d.regs, TE, HS_TCF_TS_ENABLE), 1);
	assert_int_equal(hs_tc_get(&d.regs, PIB, HS_TCF_TE_INST_MODE), 0); /* not there */
	assert_int_equal(take_line(&d, "0x0: 1"), HS_E_UNSUPPORTED); /* below the base */
	memset(long_line, ' ', sizeof(long_line));
	assert_int_equal(take_text(&d, long_line, sizeof(long_line)), HS_E_LONG);
	assert_int_equal(take_text(&d, long_line, HS_TC_LINE_MAX), HS_OK);
}

TEST(printed_lines_are_read_back)
{
	struct hs_tc tc = active("full");
	struct hs_tc_dump d = { 0 };
	struct hs_tc_place p;
	char line[HS_TC_LINE_MAX];

	hs_tc_write(&tc, TE, 8, 0x40050000);
	hs_tc_write(&tc, FU, 0x40, 0x23);
	for (unsigned w = 0; hs_tc_next(w, &p); w = p.word + 1u) {
		d.component = p.component;
		assert_true(hs_tc_print(&tc.regs, &p, line, sizeof(line)) > 0);
		assert_int_equal(take_line(&d, line), HS_OK);
	}
	assert_memory_equal(d.regs.word, tc.regs.word, sizeof(d.regs.word));
	assert_true(hs_tc_at(TE, 8, &p));
	assert_int_equal(hs_tc_print(&tc.regs, &p, line, sizeof(line)), 29);
	assert_string_equal(line, "trTeInstFeatures = 0x40050000");
	assert_int_equal(hs_tc_print(&tc.regs, &p, line, sizeof(line) - 1), 0);
}

TEST(registers_configure_a_decode)
{
	struct hs_tc_dump d = { 0 };
	struct hs_nt_config c = { .size = sizeof(c), .src_bits = 3, .icnt_bits = 9 };

	assert_int_equal(hs_tc_nt_config(&d.regs, &c), HS_OK); /* nothing known: nothing changes */
	assert_int_equal(c.src_bits, 3);
	/* mode 3, context, stall, inhibit, sync mode 3, max 5, format 1; features: sequential jump,
	 * implicit return, mode 2, repeated history, all jumps, MSB, ID 5, 4 bits; trTsEnable */
	static const char *const lines[] = { "trTeControl = 0x0153a233",
	                                     "trTeInstFeatures = 0x4005078c",
		                             "trTsControl = 0x8001", "trTeImpl = 0x00010101" };

	for (size_t i = 0; i < COUNT_OF(lines); i++)
		assert_int_equal(take_line(&d, lines[i]), HS_OK);
	assert_int_equal(hs_tc_nt_config(&d.regs, &c), HS_OK);
	const struct hs_nt_config want = {
		.size = sizeof(c), .inst_mode = 3, .src_bits = 4, .src_id = 5, .inhibit_src = 1,
			.sync_mode = 3,
		.sync_max = 5, .icnt_bits = 9, .sequential_jump = 1, .implicit_return = 2,
		.stall = 1, .repeated_history = 1, .all_jumps = 1, .extend_addr = 1, .context = 1,
			.timestamps = 1,
	};

	assert_memory_equal(&c, &want, sizeof(c));
	assert_int_equal(hs_nt_config_check(&c), HS_OK);
}

TEST(registers_that_cannot_be_decoded)
{
	static const struct { const char *line; enum hs_status want; } row[] = {
		{ "trTeControl = 0x00000063", HS_E_UNSUPPORTED }, /* E-Trace */
		{ "trTeControl = 0x01000073", HS_E_UNSUPPORTED }, /* a vendor's mode */
		{ "trTeControl = 0x01000013", HS_E_UNSUPPORTED },
		{ "trTeImpl = 0x00020101", HS_E_UNSUPPORTED },    /* protocol 2.0 (NT Table 7) */
		{ "trTeImpl = 0x00f10101", HS_OK },               /* 1.15: down-compatible */
		/* TCI 5, 11.4: trTeVerMajor */
		{ "trTeImpl = 0x00010100", HS_E_UNSUPPORTED },    /* 0.0: before ratification */
		{ "trTeImpl = 0x00010111", HS_OK },               /* 1.1: compatible */
		{ "trTeImpl = 0x000101f1", HS_OK },               /* 1.15: experimental */
		{ "trTeImpl = 0x00010102", HS_E_UNSUPPORTED },    /* 2.0 */
		{ "trTeImpl = 0x0001010f", HS_E_UNSUPPORTED },    /* 15.0: non-compatible encoding */
		{ "trTeImpl = 0x00010901", HS_E_UNSUPPORTED },    /* a RAM sink */
		{ "trTeProtocolMajor = 1", HS_OK },               /* the rest is the table's */
		{ "trTeVerMajor = 0", HS_E_UNSUPPORTED },
		{ "trTeInstFeatures = 0xd0000000", HS_E_CONFIG },
		{ "trTeInstFeatures = 0x20ff0000", HS_OK },       /* ID wider than SRC */
		{ "trTeInstFeatures = 0x00000080", HS_OK },       /* implicit return not enabled */
	};

	for (size_t i = 0; i < COUNT_OF(row); i++) {
		struct hs_tc_dump d = { 0 };
		struct hs_nt_config c = { .size = sizeof(c) };

		assert_int_equal(take_line(&d, row[i].line), HS_OK);
		if (hs_tc_nt_config(&d.regs, &c) != row[i].want)
			fail_msg("row %zu: %s", i, row[i].line);
		assert_int_equal(hs_nt_config_check(&c), HS_OK);
		assert_int_equal(c.implicit_return, 0);
	}
}

/* The bit enables implicit return; mode 0 does not report how (TCI 6). */
TEST(implicit_return_of_an_unknown_kind)
{
	static const struct { const char *line; uint8_t want; } row[] = {
		{ "trTeInstFeatures = 0x00000000", 0 }, { "trTeInstFeatures = 0x00000008", 3 },
		{ "trTeInstFeatures = 0x00000048", 1 }, { "trTeInstFeatures = 0x00000088", 2 },
		{ "trTeInstFeatures = 0x000000c8", 3 }, { "trTeInstFeatures = 0x000000c0", 0 },
	};

	for (size_t i = 0; i < COUNT_OF(row); i++) {
		struct hs_tc_dump d = { 0 };
		struct hs_nt_config c = { .size = sizeof(c) };

		assert_int_equal(take_line(&d, row[i].line), HS_OK);
		assert_int_equal(hs_tc_nt_config(&d.regs, &c), HS_OK);
		if (c.implicit_return != row[i].want)
			fail_msg("%s: %d", row[i].line, c.implicit_return);
	}
}

/* What a tool of version 1.0 says (TCI 5, note). */
TEST(versions_of_components)
{
	static const struct { const char *line; unsigned component; enum hs_tc_version want;
	                      unsigned major, minor; } row[] = {
		{ "", TE, HS_TC_VERSION_NOT_READ, 0, 0 },
		{ "trTeImpl = 0x101", TE, HS_TC_VERSION_GOOD, 1, 0 },
		{ "trTeImpl = 0x0", TE, HS_TC_VERSION_OLD, 0, 0 },
		{ "trTeImpl = 0x1f0", TE, HS_TC_VERSION_OLD, 0, 15 },
		{ "trTeImpl = 0x121", TE, HS_TC_VERSION_NEWER, 1, 2 },
		{ "trTeImpl = 0x1f1", TE, HS_TC_VERSION_EXPERIMENTAL, 1, 15 },
		{ "trTeImpl = 0x103", TE, HS_TC_VERSION_FUTURE, 3, 0 },
		{ "trTeImpl = 0x801", TE, HS_TC_VERSION_OTHER_TYPE, 1, 0 },
		{ "trRamImpl = 0x901", RAM, HS_TC_VERSION_GOOD, 1, 0 },
		{ "trRamImpl = 0x902", RAM, HS_TC_VERSION_FUTURE, 2, 0 },
		{ "trFunnelImpl = 0x801", FU, HS_TC_VERSION_GOOD, 1, 0 },
		{ "trPibImpl = 0xa01", PIB, HS_TC_VERSION_GOOD, 1, 0 },
		{ "trAtbBridgeImpl = 0xe01", HS_TC_ATB, HS_TC_VERSION_GOOD, 1, 0 },
		{ "trAtbBridgeImpl = 0xe00", HS_TC_ATB, HS_TC_VERSION_OLD, 0, 0 },
		{ "trTeImpl = 0x101", HS_TC_COMPONENTS, HS_TC_VERSION_NOT_READ, 0, 0 },
	};

	for (size_t i = 0; i < COUNT_OF(row); i++) {
		struct hs_tc_dump d = { 0 };
		unsigned major = 99, minor = 99;

		assert_int_equal(take_line(&d, row[i].line), HS_OK);
		if (hs_tc_version_of(&d.regs, row[i].component, &major, &minor) != row[i].want)
			fail_msg("row %zu: %s", i, row[i].line);
		assert_int_equal(major, row[i].major);
		assert_int_equal(minor, row[i].minor);
		assert_int_equal(hs_tc_is_supported(&d.regs, row[i].component),
		                 row[i].want < HS_TC_VERSION_OLD);
	}
}
