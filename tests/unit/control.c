/* Registers of the Trace Control Interface: places, reset values, WARL rules.
 * Offsets, bits and reset values are those of the text's tables. */
#include "device/device.h"
#include "cases.h"

#include "control_text.h"
#include "unit/control_models.h"

/* ---- the table ---------------------------------------------------------------------- */

TEST(offsets_are_those_of_the_text)
{
	static const struct { const char *name; unsigned component; uint32_t offset; } row[] = {
		{ "trTeControl", TE, 0x000 }, { "trTeImpl", TE, 0x004 }, { "trTeInstFeatures", TE, 0x008 },
		{ "trTeInstFilters", TE, 0x00c }, { "trTeDataControl", TE, 0x010 },
		{ "trTeDataFilters", TE, 0x01c }, { "trTsControl", TE, 0x040 },
		{ "trTsCounterLow", TE, 0x048 }, { "trTsCounterHigh", TE, 0x04c },
		{ "trTeTrigDbgControl", TE, 0x050 }, { "trTeTrigExtInControl", TE, 0x054 },
		{ "trTeTrigExtOutControl", TE, 0x058 }, { "trTeFilter0Control", TE, 0x400 },
		{ "trTeFilter3MatchInst", TE, 0x464 }, { "trTeFilter15MatchData", TE, 0x5f8 },
		{ "trTeFilter1MatchEcauseHigh", TE, 0x42c }, { "trTeFilter9MatchValueImpdef", TE, 0x530 },
		{ "trTeFilter10MatchMaskImpdef", TE, 0x554 }, { "trTeComp0Control", TE, 0x600 },
		{ "trTeComp7PMatchLow", TE, 0x6f0 }, { "trTeComp7SMatchHigh", TE, 0x6fc },
		{ "trRamControl", RAM, 0x000 }, { "trRamImpl", RAM, 0x004 }, { "trRamStartLow", RAM, 0x010 },
		{ "trRamStartHigh", RAM, 0x014 }, { "trRamLimitLow", RAM, 0x018 },
		{ "trRamLimitHigh", RAM, 0x01c }, { "trRamWPLow", RAM, 0x020 }, { "trRamWPHigh", RAM, 0x024 },
		{ "trRamRPLow", RAM, 0x028 }, { "trRamRPHigh", RAM, 0x02c }, { "trRamData", RAM, 0x040 },
		{ "trFunnelControl", FU, 0x000 }, { "trFunnelImpl", FU, 0x004 },
		{ "trFunnelDisInput", FU, 0x008 }, { "trTsControl", FU, 0x040 },
		{ "trPibControl", PIB, 0x000 }, { "trPibImpl", PIB, 0x004 },
		{ "trAtbBridgeControl", HS_TC_ATB, 0x000 }, { "trAtbBridgeImpl", HS_TC_ATB, 0x004 },
	};

	for (size_t i = 0; i < COUNT_OF(row); i++) {
		struct hs_tc_place p, q;
		unsigned field;
		char name[64];

		assert_true(hs_tc_find(row[i].name, strlen(row[i].name), row[i].component, &p,
		                       &field));
		assert_int_equal(field, HS_TCF_COUNT);
		assert_int_equal(p.component, row[i].component);
		assert_int_equal(p.offset, row[i].offset);
		assert_true(hs_tc_at(row[i].component, row[i].offset, &q));
		assert_string_equal(hs_tc_name(&q, name, sizeof(name)), row[i].name);
	}
}

TEST(bits_are_those_of_the_text)
{
	static const struct { const char *name; unsigned component; uint32_t offset, mask; } row[] =
		{
		{ "trTeInstMode", TE, 0x000, 0x70 }, { "trTeContext", TE, 0x000, 0x200 },
		{ "trTeInstTrigEnable", TE, 0x000, 0x800 }, { "trTeInstStallOrOverflow", TE, 0x000, 0x1000 },
		{ "trTeInstStallEna", TE, 0x000, 0x2000 }, { "trTeInhibitSrc", TE, 0x000, 0x8000 },
		{ "trTeInstSyncMode", TE, 0x000, 0x30000 }, { "trTeInstSyncMax", TE, 0x000, 0xf00000 },
		{ "trTeFormat", TE, 0x000, 0x7000000 }, { "trTeProtocolMajor", TE, 0x004, 0xf0000 },
		{ "trTeInstImplicitReturnMode", TE, 0x008, 0xc0 }, { "trTeSrcID", TE, 0x008, 0xfff0000 },
		{ "trTeSrcBits", TE, 0x008, 0xf0000000 }, { "trTeDataAddrCompress", TE, 0x010, 0xc0000 },
		{ "trTsMode", FU, 0x040, 0x70 }, { "trTsWidth", TE, 0x040, 0x3f000000 },
		{ "trTeTrigExtInAction7", TE, 0x054, 0xf0000000 }, { "trTeFilterComp3", TE, 0x400, 0xe000 },
		{ "trTeCompMatchMode", TE, 0x600, 0x3000 }, { "trRamMode", RAM, 0x000, 0x10 },
		{ "trRamStopOnWrap", RAM, 0x000, 0x100 }, { "trRamMemFormat", RAM, 0x000, 0x600 },
		{ "trRamAsyncFreq", RAM, 0x000, 0x7000 }, { "trRamWrap", RAM, 0x020, 0x1 },
		{ "trPibMode", PIB, 0x000, 0xf0 }, { "trPibDivider", PIB, 0x000, 0xffff0000 },
		{ "trAtbBridgeID", HS_TC_ATB, 0x000, 0x7f00 },
	};

	for (size_t i = 0; i < COUNT_OF(row); i++) {
		struct hs_tc_place p;
		unsigned field;

		assert_true(hs_tc_find(row[i].name, strlen(row[i].name), row[i].component, &p,
		                       &field));
		const struct hs_tc_field_row *f = hs_tc_field_at(field);

		assert_non_null(f);
		assert_int_equal(p.offset, row[i].offset);
		assert_int_equal(UINT32_MAX >> (31 - f->msb + f->lsb) << f->lsb, row[i].mask);
	}
}

TEST(fields_do_not_overlap)
{
	uint32_t taken[HS_TCR_COUNT] = { 0 };

	for (unsigned i = 0; i < HS_TCF_COUNT; i++) {
		const struct hs_tc_field_row *f = hs_tc_field_at(i);
		const uint32_t ones = UINT32_MAX >> (31 - f->msb + f->lsb);

		assert_true(f->lsb <= f->msb && f->msb < 32 && f->reg < HS_TCR_COUNT);
		assert_int_equal(taken[f->reg] & ones << f->lsb, 0);
		taken[f->reg] |= ones << f->lsb;
		if (f->rule == HS_TC_SET)
			assert_true(f->access == HS_TC_W1 || (f->legal >> f->value & 1) ||
			            f->reset != HS_TC_RESET_U);
		else
			assert_int_equal(f->legal & ~ones, 0);
	}
	assert_null(hs_tc_field_at(HS_TCF_COUNT));
	assert_null(hs_tc_reg_at(HS_TCR_COUNT));
}

/* A field against the text's row for it. */
static void compare_field(const struct hs_tc_field_row *f, const struct text_field *t)
{
	static const char *const access[] = { "RW", "RO", "WARL", "RW1C", "W1", "R or RW" };
	const uint32_t ones = text_ones(t);

	assert_string_equal(f->name, t->name);
	if (f->msb != text_msb(t) || f->lsb != text_lsb(t) ||
	    strcmp(access[f->access], t->access) != 0)
		fail_msg("%s: %u:%u %s", f->name, f->msb, f->lsb, access[f->access]);
	if (strcmp(t->reset, "Undef") == 0)
		assert_int_equal(f->reset, HS_TC_RESET_U);
	else if (strcmp(t->reset, "SD") == 0)
		assert_int_equal(f->reset, HS_TC_RESET_S);
	else if (strcmp(t->reset, "--") != 0)
		assert_true(f->reset == HS_TC_RESET_R && f->value == strtoul(t->reset, NULL, 0));
	if (f->rule == HS_TC_BITS)
		assert_true(f->legal == ones && !*t->values);
	for (uint32_t v = 0; f->rule == HS_TC_SET && f->access != HS_TC_W1 && v <= ones; v++)
		if ((f->legal >> v & 1) != text_allows(t, v))
			fail_msg("%s: %u", f->name, v);
}

static unsigned component_of(char letter)
{
	static const char letters[] = "EFRPAT"; /* in the order of enum hs_tc_component */

	return (unsigned)(strchr(letters, letter) - letters);
}

/* The whole table, against a reading of the text of its own. */
TEST(every_field_is_that_of_the_text)
{
	unsigned f = 0;

	assert_int_equal(TEXT_REGISTERS, HS_TCR_COUNT);
	for (size_t i = 0; i < TEXT_REGISTERS; i++) {
		const struct text_register *t = &text_registers[i];
		unsigned reg = 0;

		while (reg < HS_TCR_COUNT && strcmp(hs_tc_reg_at(reg)->name, t->name) != 0)
			reg++;
		if (reg == HS_TCR_COUNT)
			fail_msg("%s", t->name);
		assert_int_equal(hs_tc_reg_at(reg)->unit, component_of(t->component));
		assert_int_equal(hs_tc_reg_at(reg)->offset, t->offset);
		assert_int_equal(hs_tc_reg_at(reg)->count, t->instances);
		for (const struct text_field *field = t->fields; field->name; field++) {
			const struct hs_tc_field_row *row = NULL;

			for (unsigned k = 0; k < HS_TCF_COUNT && !row; k++)
				if (hs_tc_field_at(k)->reg == reg &&
				    strcmp(hs_tc_field_at(k)->name, field->name) == 0)
					row = hs_tc_field_at(k);
			if (!row)
				fail_msg("%s of %s", field->name, t->name);
			compare_field(row, field);
			f++;
		}
	}
	assert_int_equal(f, HS_TCF_COUNT);
}

TEST(every_place_has_one_name)
{
	struct hs_tc_place p, q;
	unsigned field, n = 0;

	for (unsigned w = 0; hs_tc_next(w, &p); w = p.word + 1u, n++) {
		char name[64];

		hs_tc_name(&p, name, sizeof(name));
		assert_true(hs_tc_find(name, strlen(name), p.component, &q, &field));
		assert_memory_equal(&p, &q, sizeof(p));
	}
	assert_int_equal(n, 9 + 3 + 16 * 7 + 8 * 5 + 3 + 3 + 11 + 2 + 2);
	assert_false(hs_tc_find("trTeFilter16Control", 19, TE, &q, &field));
	assert_false(hs_tc_find("trTeFilter03Control", 19, TE, &q, &field));
	assert_false(hs_tc_find("trTeFilterControl", 17, TE, &q, &field));
	assert_false(hs_tc_at(TE, 0x41c, &q));
	assert_false(hs_tc_at(TE, 0x604, &q));
	assert_false(hs_tc_at(TE, 2, &q));
	assert_false(hs_tc_at(HS_TC_COMPONENTS, 0, &q));
}

TEST(values_have_words)
{
	size_t n;
	const char *w = hs_tc_value_word(HS_TCF_PIB_MODE, 10, &n);

	assert_non_null(w);
	assert_int_equal(n, 5);
	assert_memory_equal(w, "4-bit", 5);
	assert_null(hs_tc_value_word(HS_TCF_PIB_MODE, 1, &n));
	assert_null(hs_tc_value_word(HS_TCF_COUNT, 0, &n));
}

/* ---- reset and activation -------------------------------------------------------------- */

TEST(reset_values)
{
	static const struct { const char *profile; unsigned component; uint32_t offset, value;
	                      } row[] = {
		{ "full", TE, 0, 0x01000009 },  /* active, empty, format 1 */
		{ "full", TE, 4, 0x00010101 },  /* 1.0, type 1, protocol 1.0 */
		{ "full", TE, 0x40, 0x30000000 }, /* width 48 */
		{ "full", FU, 0, 0x9 }, { "full", FU, 4, 0x801 },
		{ "full", RAM, 0, 0x9 }, { "full", RAM, 4, 0x3901 },
		{ "full", PIB, 0, 0x00ff0009 }, { "full", PIB, 4, 0xa01 },
		{ "minimal", TE, 0, 0x01410069 }, /* mode 6, sync mode 1, 2^8 messages */
		{ "minimal", TE, 4, 0x00010101 }, { "minimal", TE, 8, 0 },
		{ "minimal", RAM, 0, 0x9 }, { "minimal", RAM, 4, 0x1901 },
		{ "minimal", RAM, 0x18, 0xffc }, { "minimal", FU, 0, 0 }, { "minimal", FU, 4, 0 },
		{ "minimal-smem", RAM, 0, 0x19 }, { "minimal-smem", RAM, 4, 0x2901 },
		{ "minimal-smem", RAM, 0x10, 0x80000000 }, { "minimal-smem", RAM, 0x18, 0x8000fffc },
		{ "minimal-smem", RAM, 0x20, 0x80000000 },
	};

	for (size_t i = 0; i < COUNT_OF(row); i++) {
		struct hs_tc tc = active(row[i].profile);

		assert_int_equal(hs_tc_read(&tc, row[i].component, row[i].offset), row[i].value);
	}
}

TEST(inactive_reads_0_and_ignores_writes)
{
	struct hs_tc tc = started("full");

	hs_tc_write(&tc, RAM, 0x18, 0x100);
	assert_int_equal(hs_tc_read(&tc, RAM, 0x18), 0);
	assert_int_equal(hs_tc_read(&tc, RAM, 4), 0);
	hs_tc_write(&tc, RAM, 0, 0x12); /* without trRamActive */
	assert_int_equal(hs_tc_read(&tc, RAM, 0) & 0x13, 0);
	activate(&tc, RAM);
	assert_int_equal(hs_tc_read(&tc, RAM, 0x18), 0);
	assert_int_equal(hs_tc_read(&tc, TE, 4), 0); /* another component is still in reset */
}

TEST(activation_takes_a_while_and_ignores_the_rest)
{
	struct hs_tc tc = started("full");

	hs_tc_write(&tc, TE, 0, 0x67); /* everything at once */
	assert_int_equal(hs_tc_read(&tc, TE, 0) & 1, 0);
	assert_int_equal(hs_tc_read(&tc, TE, 0), 0x01000009);
	hs_tc_write(&tc, TE, 0, 0x61);
	hs_tc_write(&tc, TE, 0, 0x63);
	assert_int_equal(hs_tc_read(&tc, TE, 0) & 0x7f, 0x6b);
	hs_tc_write(&tc, TE, 0, 0);
	assert_int_equal(hs_tc_read(&tc, TE, 0) & 1, 1); /* not yet */
	assert_int_equal(hs_tc_read(&tc, TE, 0) & 3, 0); /* TCI 11.2: tr??Enable resets with it */
}

TEST(undefined_fields_start_with_anything_legal)
{
	const struct hs_tc_memory memory = { sram, sizeof(sram), &ops, NULL };
	struct hs_tc tc;

	assert_int_equal(hs_tc_init(&tc, hs_tc_profile_find("full"), &memory, UINT32_MAX), HS_OK);
	assert_int_equal(hs_tc_read(&tc, TE, 0) & 3, 0); /* Active and Enable do reset */
	activate(&tc, TE);
	assert_int_equal(hs_tc_read(&tc, TE, 0), 0x01000009); /* the control register does, too */
	assert_int_equal(hs_tc_read(&tc, TE, 8) >> 16, 0xcfff); /* 12 bits, ID 4095 */
	activate(&tc, RAM);
	assert_int_equal(hs_tc_read(&tc, RAM, 0x18), 0xffc);
	assert_int_equal(hs_tc_read(&tc, RAM, 0x10), 0);
	hs_tc_write(&tc, RAM, 0x18, 0x7c);
	hs_tc_write(&tc, RAM, 0, 0);
	while (hs_tc_read(&tc, RAM, 0) & 1)
		continue;
	activate(&tc, RAM);
	assert_int_equal(hs_tc_read(&tc, RAM, 0x18), 0x7c); /* Undef: kept through a reset */
}

/* A field of another component, or none at all, is not known, and 0. */
TEST(fields_that_are_not_there)
{
	struct hs_tc_regs regs;

	memset(&regs, 0xff, sizeof regs);
	assert_true(hs_tc_known(&regs, TE, HS_TCF_TE_FORMAT));
	assert_false(hs_tc_known(&regs, RAM, HS_TCF_TE_FORMAT));
	assert_false(hs_tc_known(&regs, TE, HS_TCF_COUNT));
	assert_false(hs_tc_known(&regs, HS_TC_COMPONENTS, HS_TCF_TE_FORMAT));
	assert_false(hs_tc_known(&regs, HS_TC_COMPONENTS, HS_TCF_TS_ENABLE));
	assert_false(hs_tc_known(&regs, HS_TC_COMPONENTS + 1, HS_TCF_TS_ENABLE));
	assert_int_equal(hs_tc_get(&regs, HS_TC_COMPONENTS, HS_TCF_TS_ENABLE), 0);
	assert_int_equal(hs_tc_get(&regs, RAM, HS_TCF_TE_FORMAT), 0);
	assert_int_equal(hs_tc_get(&regs, TE, HS_TCF_COUNT), 0);
	assert_int_equal(hs_tc_get(&regs, HS_TC_COMPONENTS, HS_TCF_TE_FORMAT), 0);
}

TEST(profiles_and_memory_are_checked)
{
	const struct hs_tc_limit outside = { HS_TCF_TE_FORMAT, 0x4, 2 },
		no_value = { HS_TCF_TE_FORMAT, 0x3, 7 };
	const struct hs_tc_memory memory = { sram, sizeof(sram), &ops, NULL };
	const struct hs_tc_memory small = { sram, 4095, &ops, NULL },
		deaf = { sram, sizeof(sram), NULL, NULL };
	const struct hs_tc_profile *full = hs_tc_profile_find("full");
	struct hs_tc_profile p = *full;
	struct hs_tc tc;

	assert_int_equal(hs_tc_init(&tc, full, &small, 0), HS_E_SPACE);
	assert_int_equal(hs_tc_init(&tc, full, &deaf, 0), HS_E_SPACE);
	p.sram_bytes = 4000;
	assert_int_equal(hs_tc_init(&tc, &p, &memory, 0), HS_E_CONFIG);
	p = *full;
	p.components = 1u << HS_TC_COMPONENTS;
	assert_int_equal(hs_tc_init(&tc, &p, &memory, 0), HS_E_CONFIG);
	p.components = 1u << FU; /* a funnel by itself has no memory */
	assert_int_equal(hs_tc_init(&tc, &p, &small, 0), HS_OK);
	p = *full;
	p.sram_bytes = 0; /* trRamHasSRAM says otherwise */
	assert_int_equal(hs_tc_init(&tc, &p, &memory, 0), HS_E_CONFIG);
	p = *full;
	p.absent |= (uint64_t)1 << HS_TCR_RAM_CONTROL;
	assert_int_equal(hs_tc_init(&tc, &p, &memory, 0), HS_E_CONFIG);
	for (unsigned reg = HS_TCR_RAM_START_LOW; reg <= HS_TCR_RAM_RP_HIGH; reg++) {
		const bool needed = reg == HS_TCR_RAM_WP_LOW || reg == HS_TCR_RAM_WP_HIGH ||
		                    reg == HS_TCR_RAM_RP_LOW; /* the last with SRAM */

		p = *full;
		p.absent |= (uint64_t)1 << reg;
		assert_int_equal(hs_tc_init(&tc, &p, &memory, 0), needed ? HS_E_CONFIG : HS_OK);
	}
	p = *full;
	p.limit_count = 1;
	p.limits = &outside;
	assert_int_equal(hs_tc_init(&tc, &p, &memory, 0), HS_E_CONFIG);
	p.limits = &no_value;
	assert_int_equal(hs_tc_init(&tc, &p, &memory, 0), HS_E_CONFIG);
	p = *full;
	p.limit_count = 0; /* what there is follows from the SRAM */
	assert_int_equal(hs_tc_init(&tc, &p, &memory, 0), HS_OK);
	activate(&tc, RAM);
	assert_int_equal(hs_tc_read(&tc, RAM, 4) >> 12 & 3, 1); /* trRamHasSRAM only */
	assert_null(hs_tc_profile_find("none"));
	assert_null(hs_tc_profile_at(5));
}

/* docs/library.md, "Structs that grow". */
TEST(profiles_grow)
{
	static const struct { uint32_t size; uint8_t tail; enum hs_status want; } row[] = {
		{ sizeof(struct hs_tc_profile), 0, HS_OK }, /* zeroed */
		{ offsetof(struct hs_tc_profile, settle), 0, HS_OK }, /* older */
		{ sizeof(struct hs_tc_profile) + 8, 0, HS_OK }, /* newer */
		{ sizeof(struct hs_tc_profile) + 8, 1, HS_E_CONFIG },
		{ 3, 0, HS_E_CONFIG },
	};
	const struct hs_tc_memory memory = { .ops = &ops };

	for (size_t i = 0; i < COUNT_OF(row); i++) {
		struct { struct hs_tc_profile p; uint8_t more[8]; } given =
			{ .p = { .size = row[i].size } };
		struct hs_tc tc;

		given.more[0] = row[i].tail;
		assert_int_equal(hs_tc_init(&tc, &given.p, &memory, 0), row[i].want);
		if (row[i].want != HS_OK)
			continue;
		activate(&tc, TE);
		activate(&tc, RAM);
		assert_int_equal(hs_tc_read(&tc, FU, 4), 0); /* no funnel */
		assert_int_equal(hs_tc_read(&tc, RAM, 4) >> 12 & 3, 2); /* trRamHasSMEM only */
		assert_int_equal(hs_tc_read(&tc, RAM, 0) >> 4 & 1, 1);  /* trRamMode */
	}
}

/* ---- WARL ---------------------------------------------------------------------------- */

/* Write @v to a field, the rest of its register kept, or to a register, and read it back. */
static uint32_t put_field(struct hs_tc *tc, unsigned component, const char *name, uint32_t v)
{
	struct hs_tc_place p;
	unsigned field;

	assert_true(hs_tc_find(name, strlen(name), component, &p, &field));
	const struct hs_tc_field_row *f = hs_tc_field_at(field);
	const unsigned lsb = f ? f->lsb : 0;
	const uint32_t mask = UINT32_MAX >> (31 - (f ? f->msb : 31) + lsb) << lsb;
	const uint32_t old = hs_tc_read(tc, component, p.offset) & ~mask;

	hs_tc_write(tc, component, p.offset, old | (v << lsb & mask));
	return (hs_tc_read(tc, component, p.offset) & mask) >> lsb;
}

static const struct hs_tc_limit btm_only[] = {
	{ HS_TCF_TE_INST_MODE, 0x9, 0 }, { HS_TCF_TE_FORMAT, 0x2, 1 }, { HS_TCF_TE_PROTOCOL_MAJOR, 0x2, 1 },
	{ HS_TCF_RAM_HAS_SRAM, 0x2, 1 }, { HS_TCF_RAM_MODE, 0x1, 0 }, { HS_TCF_TE_SRC_BITS, 0x15, 0 },
	{ HS_TCF_TE_SRC_ID, 0xf0f, 0x020 },
};
static const struct hs_tc_profile btm = {
	.size = sizeof(btm), .name = "btm", .limits = btm_only, .limit_count = COUNT_OF(btm_only),
	.components = 1u << TE | 1u << RAM, .sram_bytes = 4096,
};

TEST(warl_maps_to_legal_values)
{
	static const struct {
		const char *profile; /* NULL: btm */
		unsigned component;
		const char *name;
		uint32_t written, read;
	} row[] = {
		{ "full", TE, "trTeInstMode", 6, 6 }, { "full", TE, "trTeInstMode", 3, 3 },
		{ "full", TE, "trTeInstMode", 0, 0 }, { "full", TE, "trTeInstMode", 7, 6 },
		{ "full", TE, "trTeInstMode", 5, 3 },
		{ "full", TE, "trTeInstMode", 1, 3 }, /* never to 0 (TCI 6) */
		{ "full", TE, "trTeInstMode", 2, 3 },
		{ NULL, TE, "trTeInstMode", 6, 3 }, { NULL, TE, "trTeInstMode", 1, 3 },
		{ NULL, TE, "trTeInstMode", 0, 0 },
		{ "minimal", TE, "trTeInstMode", 3, 6 }, { "minimal", TE, "trTeInstMode", 0, 6 },
		{ "full", TE, "trTeFormat", 0, 1 }, { "full", TE, "trTeFormat", 7, 1 },
		{ "full", TE, "trTeInstSyncMode", 2, 2 }, { "full", TE, "trTeInstSyncMode", 3, 3 },
		{ "minimal", TE, "trTeInstSyncMode", 0, 1 },
		{ "full", TE, "trTeInstSyncMax", 15, 15 }, { "minimal", TE, "trTeInstSyncMax", 15, 4 },
		{ "full", TE, "trTeInstNoAddrDiff", 1, 0 }, /* NT Table 7 */
		{ "full", TE, "trTeInstNoTrapAddr", 1, 0 }, { "full", TE, "trTeInstEnBranchPrediction", 1, 0 },
		{ "full", TE, "trTeInstEnJumpTargetCache", 1, 0 },
		{ "full", TE, "trTeInstEnSequentialJump", 1, 1 }, { "full", TE, "trTeInstEnImplicitReturn", 1, 1 },
		{ "full", TE, "trTeInstImplicitReturnMode", 2, 2 }, { "full", TE, "trTeInstEnRepeatedHistory", 1, 1 },
		{ "full", TE, "trTeInstEnAllJumps", 1, 1 }, { "full", TE, "trTeInstExtendAddrMSB", 1, 1 },
		{ "minimal", TE, "trTeInstEnRepeatedHistory", 1, 0 },
		{ "full", TE, "trTeSrcBits", 12, 12 }, { "full", TE, "trTeSrcBits", 13, 12 },
		{ "full", TE, "trTeSrcBits", 15, 12 }, { NULL, TE, "trTeSrcBits", 15, 4 },
		{ NULL, TE, "trTeSrcBits", 3, 2 }, { NULL, TE, "trTeSrcBits", 1, 0 },
		{ "full", TE, "trTeSrcID", 0xabc, 0xabc }, { NULL, TE, "trTeSrcID", 0xfff, 0xf2f },
		{ NULL, TE, "trTeSrcID", 0, 0x020 },
		{ "full", TE, "trTeInstTracing", 1, 0 }, /* the encoder is disabled */
		{ "full", TE, "trTeInstFilters", 0xffff, 0xffff },
		{ "minimal", TE, "trTeInstFilters", 0xffff, 0 }, { NULL, TE, "trTeInstFilters", 0xffff, 0xffff },
		{ "full", TE, "trTeDataImplemented", 1, 0 }, { "full", TE, "trTeDataTracing", 1, 0 },
		{ "full", TE, "trTeTrigExtInAction0", 3, 3 }, { "full", TE, "trTeTrigExtInAction0", 1, 0 },
		{ "full", TE, "trTeTrigExtInAction0", 15, 4 }, { "full", TE, "trTeTrigExtInAction7", 2, 0 },
		{ "full", TE, "trTeTrigExtOutEvent0", 15, 3 }, { "full", TE, "trTeTrigExtOutEvent2", 3, 0 },
		{ NULL, TE, "trTeCompMatchMode", 3, 3 }, { NULL, TE, "trTeFilterEnable", 1, 1 },
		{ "full", TE, "trTeFilterEnable", 1, 1 }, { "minimal", TE, "trTeFilterEnable", 1, 0 },
		{ "full", TE, "trTsMode", 3, 3 }, { "full", TE, "trTsMode", 7, 4 }, { "full", TE, "trTsEnable", 1, 1 },
		{ "full", FU, "trTsMode", 3, 2 }, /* Internal Core is for encoders (TCI 6.1) */
		{ "full", FU, "trTsMode", 2, 2 }, { "full", FU, "trTsEnable", 1, 0 },
		{ "full", FU, "trTsRunInDebug", 1, 0 }, { "full", TE, "trTsWidth", 0, 48 },
		{ "full", FU, "trFunnelDisInput", 0xffff, 0xffff },
		{ "full", PIB, "trPibMode", 10, 10 }, { "full", PIB, "trPibMode", 1, 0 },
		{ "full", PIB, "trPibMode", 7, 5 }, { "full", PIB, "trPibMode", 15, 12 },
		{ "full", PIB, "trPibClkCenter", 1, 0 }, /* mode off is not parallel */
		{ "full", PIB, "trPibDivider", 0xffff, 0xff }, { "full", PIB, "trPibDivider", 0x123, 0x23 },
		{ "full", PIB, "trPibAsyncFreq", 7, 0 }, { "full", RAM, "trRamAsyncFreq", 1, 0 },
		{ "full", HS_TC_ATB, "trAtbBridgeAsyncFreq", 7, 0 },
		{ "etrace", HS_TC_ATB, "trAtbBridgeAsyncFreq", 7, 7 },
		{ "full", RAM, "trRamMemFormat", 3, 0 }, { NULL, RAM, "trRamMemFormat", 3, 3 },
		{ NULL, RAM, "trRamMemFormat", 2, 0 }, { "full", RAM, "trRamStopOnWrap", 1, 1 },
		{ "full", RAM, "trRamMode", 1, 1 }, { "minimal", RAM, "trRamMode", 1, 0 },
		{ "minimal-smem", RAM, "trRamMode", 0, 1 },
		{ "full", RAM, "trRamHasSRAM", 0, 1 }, { "full", TE, "trTeVerMajor", 0, 1 },
		{ "full", TE, "trTeProtocolMajor", 2, 1 }, { "full", TE, "trTeEmpty", 0, 1 },
		{ "full", RAM, "trRamEmpty", 0, 1 },
	};
	const struct hs_tc_memory memory = { sram, sizeof(sram), &ops, NULL };

	for (size_t i = 0; i < COUNT_OF(row); i++) {
		struct hs_tc tc;

		if (row[i].profile) {
			tc = active(row[i].profile);
		} else {
			assert_int_equal(hs_tc_init(&tc, &btm, &memory, 0), HS_OK);
			activate(&tc, TE);
			activate(&tc, RAM);
		}
		if (put_field(&tc, row[i].component, row[i].name, row[i].written) != row[i].read)
			fail_msg("row %zu: %s = %u", i, row[i].name, row[i].written);
	}
}

TEST(reserved_offsets_read_0)
{
	static const uint32_t at[] = { 0x14, 0x44, 0x5c, 0x60, 0x3fc, 0x41c, 0x604, 0x700, 0xdfc,
	                               0xe00, 0xffc, 1, 3 };
	struct hs_tc tc = active("full");
	const struct hs_tc before = tc;

	for (size_t i = 0; i < COUNT_OF(at); i++) {
		hs_tc_write(&tc, TE, at[i], UINT32_MAX);
		assert_int_equal(hs_tc_read(&tc, TE, at[i]), 0);
	}
	hs_tc_write(&tc, 77, 0, 1);
	assert_int_equal(hs_tc_read(&tc, 77, 0), 0);
	assert_memory_equal(&tc, &before, sizeof(tc));
	tc = active("minimal");
	hs_tc_write(&tc, HS_TC_ATB, 0, 1); /* not in this profile */
	assert_int_equal(hs_tc_read(&tc, HS_TC_ATB, 0), 0);
}

TEST(enabled_encoder_keeps_its_configuration)
{
	struct hs_tc tc = active("full");

	hs_tc_write(&tc, TE, 8, 0x40050000);
	hs_tc_write(&tc, TE, 0, 0x01000063); /* mode 6 and enable in one write */
	hs_tc_write(&tc, TE, 0, 0x01000033);
	assert_int_equal(hs_tc_read(&tc, TE, 0), 0x0100006b);
	hs_tc_write(&tc, TE, 8, 0);
	assert_int_equal(hs_tc_read(&tc, TE, 8), 0x40050000);
	hs_tc_write(&tc, TE, 0, 0x01000067);
	assert_true(hs_tc_tracing(&tc));
	hs_tc_write(&tc, TE, 0, 0x01000065); /* trTeEnable 0 ends trTeInstTracing too */
	assert_int_equal(hs_tc_read(&tc, TE, 0) & 6, 0);
	assert_false(hs_tc_tracing(&tc));
	hs_tc_write(&tc, TE, 0, 0x01000031);
	assert_int_equal(hs_tc_read(&tc, TE, 0), 0x01000039);
}

TEST(rw1c_is_cleared_by_1_and_by_enabling)
{
	const struct hs_tc_memory memory = { sram, sizeof(sram), &ops, NULL };
	struct hs_tc tc;

	assert_int_equal(hs_tc_init(&tc, &btm, &memory, 0), HS_OK);
	activate(&tc, TE);
	tc.regs.word[0] |= 0x1000; /* as after an overflow */
	tc.regs.word[4] |= 0x28;
	hs_tc_write(&tc, TE, 0, 0x01000031);
	assert_int_equal(hs_tc_read(&tc, TE, 0) & 0x1000, 0x1000);
	hs_tc_write(&tc, TE, 0, 0x01001031);
	assert_int_equal(hs_tc_read(&tc, TE, 0) & 0x1000, 0);
	hs_tc_write(&tc, TE, 0x10, 0x20);
	assert_int_equal(hs_tc_read(&tc, TE, 0x10) & 0x28, 0x08);
	tc.regs.word[0] |= 0x1000;
	hs_tc_write(&tc, TE, 0, 0x01000033);
	assert_int_equal(hs_tc_read(&tc, TE, 0) & 0x1000, 0);
	assert_int_equal(hs_tc_read(&tc, TE, 0x10) & 0x28, 0);
}

TEST(pib_clock_follows_the_mode)
{
	struct hs_tc tc = active("full");

	hs_tc_write(&tc, PIB, 0, 0x000301a1); /* 4-bit, centred, divider 3: one write */
	assert_int_equal(hs_tc_read(&tc, PIB, 0), 0x000301a9);
	hs_tc_write(&tc, PIB, 0, 0x00030151); /* UART */
	assert_int_equal(hs_tc_read(&tc, PIB, 0), 0x00030059);
	hs_tc_write(&tc, PIB, 0, 0x00030253); /* calibrate, and enable */
	assert_int_equal(hs_tc_read(&tc, PIB, 0), 0x0003025b);
	hs_tc_write(&tc, PIB, 0, 0x00000083); /* enabled: the mode stays */
	assert_int_equal(hs_tc_read(&tc, PIB, 0), 0x0003025b);
}
