/* The CTR model next to its rows: codes of cycles, types of instructions, configurations, saved
 * harts. */
#include "cases.h"

#include "little.h"
#include "unit/ctr_run.h"

/* CYC-01: decode by the formula of the text, and what encode loses is below the granule. */
TEST_NAMED(cycle_codes, "CYC-01 cycle codes")
{
	for (uint32_t n = 0, step = 1; n < (1u << 27); n += step) {
		const unsigned cc = hs_ctr_cc_encode(n, 4), e = cc >> 12, m = cc & 0xfff;
		const uint32_t said = e == 0 ? m : (4096u + m) << (e - 1);

		assert_int_equal(hs_ctr_cc_decode(cc), said);
		assert_true(said <= n && (n - said < (e ? 1u << (e - 1) : 1u) || cc == 0xffff));
		step = n < (1u << 20) ? 1 : 509;
	}
}

/* SE-02: CTR's bit in mstateen0 and hstateen0 (0.1.4, 1.0 "State Enable Access Control"). */
TEST_NAMED(stateen_bits, "SE-02 the bit of CTR")
{
	assert_int_equal(hs_ctr_stateen_bit(HS_CTR_0_1_4), 55);
	assert_int_equal(hs_ctr_stateen_bit(HS_CTR_1_0), 54);
	assert_int_equal(hs_ctr_stateen_bit(HS_CTR_ANY), 54);
}

/* A hart whose smallest depth is not 16 begins with nothing, also under A5. */
TEST_NAMED(poisoned_start, "A5 a new hart is empty")
{
	struct hs_ctr_config k = ctr_config(OPTION_A5, false, 64);
	struct hs_ctr c;

	k.depths = 6;
	assert_int_equal(hs_ctr_init(&c, &k), HS_OK);
	assert_int_equal(hs_ctr_depth(&c), 32);
	assert_int_equal(c.wrptr, 0);
	for (unsigned i = 0; i < HS_CTR_ENTRIES; i++)
		assert_int_equal(c.entries[i].source | c.entries[i].target | c.entries[i].data, 0);
}

/* CYC-03: the largest code of each width, from the first number of cycles that needs it. */
TEST_NAMED(saturated_codes, "CYC-03 saturated codes")
{
	static const struct {
		uint32_t first;
		uint16_t code;
	} widths[] = { { 4095, 0x0fff }, { 8191, 0x1fff }, { 32764, 0x3fff }, { 524224, 0x7fff },
		       { 134201344, 0xffff } };

	for (unsigned bits = 0; bits < 5; bits++) {
		const unsigned code = widths[bits].code;

		assert_int_equal(hs_ctr_cc_encode(widths[bits].first - 1, bits), code - 1);
		assert_int_equal(hs_ctr_cc_encode(widths[bits].first, bits), code);
		assert_int_equal(hs_ctr_cc_encode(1u << 28, bits), code);
		assert_int_equal(hs_ctr_cc_encode(UINT64_C(1) << 32, bits), code);
		assert_int_equal(hs_ctr_cc_encode(UINT64_MAX, bits), code);
	}
	assert_int_equal(hs_ctr_cc_encode(UINT64_MAX, 5), 0xffff);
}

/* "CSR Listing" of each version; HS_CTR_ANY is 1.0. */
TEST_NAMED(csr_names, "REG-01 names of CSRs")
{
	assert_int_equal(hs_ctr_csr_number(HS_CTR_0_1_4, "sctrcontrol"), 0x181);
	assert_int_equal(hs_ctr_csr_number(HS_CTR_1_0, "sctrcontrol"), 0);
	assert_int_equal(hs_ctr_csr_number(HS_CTR_ANY, "mctrctl"), 0x34e);
	assert_int_equal(hs_ctr_csr_number(HS_CTR_1_0, "mctrct"), 0);
	assert_int_equal(hs_ctr_csr_number(HS_CTR_1_0, "mctrctlh"), 0);
	assert_string_equal(hs_ctr_csr_name(HS_CTR_ANY, 0x15f), "sctrdepth");
	assert_string_equal(hs_ctr_csr_name(HS_CTR_0_1_4, 0x383), "mctrstatus");
	assert_null(hs_ctr_csr_name(HS_CTR_0_1_4, 0x15f));
	assert_string_equal(hs_ctr_version_name(HS_CTR_0_1_4), "0.1.4");
	assert_string_equal(hs_ctr_version_name(HS_CTR_1_0), "1.0");
	assert_string_equal(hs_ctr_version_name(HS_CTR_ANY), "1.0");
}

/* ENT-06, by the table of 1.0 "Transfer Type Filtering". */
TEST_NAMED(jump_types, "ENT-06 jump types")
{
	for (unsigned i = 0; i < 2 * 32; i++) {
		const struct hs_isa isa = { .xlen = i & 1 ? 32 : 64 };
		const unsigned rd = i / 2;

		for (unsigned rs = 0; rs < 32; rs++) {
			const uint32_t jalr = LITTLE32(rs << 15 | rd << 7 | 0x67);
			const uint32_t jal = LITTLE32(rd << 7 | 0x6f);
			const bool ld = rd == 1 || rd == 5, ls = rs == 1 || rs == 5;
			const unsigned want = ld ? (ls && rs != rd ? 12 : 8) : ls ? 13 : rd ?
				14 : 10;
			struct hs_insn insn;

			assert_int_equal(hs_isa_decode(&isa, 0, (const uint8_t *)&jalr, 4, &insn),
			                 HS_OK);
			assert_int_equal(hs_ctr_type_of(&insn, true), want);
			assert_int_equal(hs_isa_decode(&isa, 0, (const uint8_t *)&jal, 4, &insn),
			                 HS_OK);
			assert_int_equal(hs_ctr_type_of(&insn, true), ld ? 9 : rd ? 15 : 11);
		}
	}
}

static const struct code {
	const char *name;
	uint8_t xlen, zc, taken, type;
	uint32_t code;
} codes[] = { /* encodings of tests/unit/isa.c; xlen 0: both */
	{ "beq taken", 0, 0, 1, TAKEN, 0x04208063 },
	{ "beq not taken", 0, 0, 0, NOT_TAKEN, 0x04208063 },
	{ "c.j", 0, 0, 0, JUMP, 0xa001 },
	{ "RV32-06 c.jal", 32, 0, 0, CALL, 0x2001 },
	{ "RV32-06 c.addiw on RV64", 64, 0, 0, NO_TYPE, 0x2085 },
	{ "c.jr ra", 0, 0, 0, RETURN, 0x8082 },
	{ "c.jr t0", 0, 0, 0, RETURN, 0x8282 },
	{ "c.jr a0", 0, 0, 0, JUMP_IND, 0x8502 },
	{ "c.jalr a0", 0, 0, 0, CALL_IND, 0x9502 },
	{ "c.jalr t0", 0, 0, 0, SWAP, 0x9282 },
	{ "mret", 0, 0, 0, TRET, 0x30200073 },
	{ "sret", 0, 0, 0, TRET, 0x10200073 },
	{ "PMT-11 mnret", 0, 0, 0, TRET, 0x70200073 },
	{ "ecall", 0, 0, 0, NO_TYPE, 0x73 },
	{ "cm.jt 0", 0, 1, 0, JUMP, 0xa002 },
	{ "cm.jalt 32", 0, 1, 0, CALL, 0xa082 },
	{ "cm.popret {ra}, 16", 0, 1, 0, RETURN, 0xbe42 },
	{ "cm.popretz {ra}, 16", 0, 1, 0, RETURN, 0xbc42 },
};

TEST_NAMED(insn_types, "ENT-06 RV32-06 PMT-11 types of instructions")
{
	for (size_t i = 0; i < 2 * sizeof(codes) / sizeof(codes[0]); i++) {
		const struct code *row = &codes[i / 2];
		const struct hs_isa isa = { .xlen = i & 1 ? 32 : 64, .zcmp_zcmt = row->zc };
		const uint32_t insn_code = LITTLE32(row->code);
		struct hs_insn insn;

		if (row->xlen && row->xlen != isa.xlen)
			continue;
		print_message("# %s RV%u\n", row->name, isa.xlen);
		assert_int_equal(hs_isa_decode(&isa, 0, (const uint8_t *)&insn_code, 4, &insn),
		                 HS_OK);
		assert_int_equal(hs_ctr_type_of(&insn, row->taken), row->type);
	}
}

#define REFUSED(change) \
	do { \
		struct hs_ctr_config k = ctr_config(FULL, false, 64), *p = &k; \
		struct hs_ctr left = { .wrptr = 77 }; \
		change; \
		assert_int_equal(hs_ctr_init(&left, p), HS_E_CONFIG); \
		assert_int_equal(left.wrptr, 77); \
	} while (0)

/* REG-17, EXT-06, CYC-02, and what contradicts itself. */
TEST_NAMED(configurations, "REG-17 EXT-06 CYC-02 configurations")
{
	struct hs_ctr_config gaps = ctr_config(FULL, true, 64);
	struct hs_ctr c;

	REFUSED(k.depths = 5);
	REFUSED(k.depths = 0x20);
	REFUSED(k.absent = MTE | STE);
	REFUSED(k.absent = STE);
	REFUSED(k.cc_bits = 17);
	REFUSED(k.without = HS_CTR_NO_CC; k.cc_bits = 16);
	REFUSED(k.xlen = 128);
	REFUSED(k.without = HS_CTR_NO_U);
	REFUSED(k.without = HS_CTR_NO_S);
	REFUSED(k.va_bits = 64);
	REFUSED(k.va_bits = 11);
	REFUSED(k.va_bits = 39; k.pa_bits = 63);
	REFUSED(k.va_bits = 39; k.pa_bits = 11);
	REFUSED(k.pa_bits = 56);
	REFUSED(k.xlen = 32; k.va_bits = 39);
	REFUSED(k.version = HS_CTR_1_0; k.without = HS_CTR_NO_S | HS_CTR_NO_H);
	REFUSED(k.version = 3);
	REFUSED(k.version = HS_CTR_1_0; k.absent = 1 << 8);
	REFUSED(k.version = HS_CTR_1_0; k.options = HS_CTR_TYPE6);
	REFUSED(k.size = 3);
	REFUSED(k.without = 0x100);
	REFUSED(k.options = 0x80);
	REFUSED(k.cc_bits = 11);
	gaps.depths = 5;
	assert_int_equal(hs_ctr_init(&c, &gaps), HS_OK);
}

/* Nothing but a size: 1.0 with everything.  Newer and older callers. */
TEST_NAMED(default_config, "CYC-02 REG-04 the default configuration")
{
	struct {
		struct hs_ctr_config k;
		uint8_t later[8];
	} v = { .k.size = sizeof(v.k.size) };
	struct hs_ctr_env env = { .priv = S_MODE, .mstateen0 = UINT64_MAX };
	struct hs_ctr c;

	assert_int_equal(hs_ctr_init(&c, &v.k), HS_OK);
	assert_int_equal(hs_ctr_write(&c, &env, 0x24e, UINT64_MAX), HS_CTR_OK);
	assert_int_equal(c.vsctl, 0xff3e00001983);
	assert_int_equal(hs_ctr_write(&c, &env, 0x15f, 4), HS_CTR_OK);
	assert_int_equal(hs_ctr_depth(&c), 256);
	env.siselect = 0x200;
	for (unsigned csr = 0x151; csr <= 0x153; csr++)
		assert_int_equal(hs_ctr_write(&c, &env, csr, UINT64_MAX), HS_CTR_OK);
	assert_int_equal(hs_ctr_get_entry(&c, 0).source, UINT64_MAX);
	assert_int_equal(hs_ctr_get_entry(&c, 0).target, UINT64_MAX);
	assert_int_equal(hs_ctr_get_entry(&c, 0).data, 0xffff800f);
	v.k.size = sizeof(v);
	assert_int_equal(hs_ctr_init(&c, &v.k), HS_OK);
	assert_int_equal(hs_ctr_check(&c), HS_OK);
	v.later[7] = 1;
	assert_int_equal(hs_ctr_init(&c, &v.k), HS_E_CONFIG);
}

/* By the layouts of ctrsource, ctrtarget, ctrdata: V, MISP, TYPE 3:0, CCV 15, CC 31:16. */
TEST_NAMED(decoded_entry, "ENT-01 ENT-04 ENT-06 a decoded entry")
{
	const struct hs_ctr_entry e = { 0x1001, 0x2001, 0x1001800d }; /* CC: 4096 + 1, exponent 1 */
	const struct hs_ctr_entry none = { 0x1000, 0x2000, 0x00070009 };
	struct hs_ctr_record r = hs_ctr_decode_entry(&e);

	assert_true(r.valid && r.misp && r.ccv);
	assert_int_equal(r.source, 0x1000);
	assert_int_equal(r.target, 0x2000);
	assert_int_equal(r.type, 13);
	assert_int_equal(r.cycles, 4097);
	r = hs_ctr_decode_entry(&none);
	assert_false(r.valid || r.misp || r.ccv);
	assert_int_equal(r.type, 9);
	assert_int_equal(r.cycles, 7);
}

/* "Privilege Mode Transitions", "External Traps": types of records that may lack an address. */
TEST_NAMED(absent_addresses, "PMT-02 PMT-06 address 0")
{
	for (unsigned type = 0; type < 16; type++) {
		const struct hs_ctr_entry zero = { 1, 0, type }, known = { 0x1001, 0x2000, type };
		const struct hs_ctr_record at_0 = hs_ctr_decode_entry(&zero);
		const struct hs_ctr_record there = hs_ctr_decode_entry(&known);

		assert_int_equal(at_0.no_source, type < 3 || type == 6);
		assert_int_equal(at_0.no_target, type < 4 || type == 6);
		assert_false(there.no_source || there.no_target);
	}
}

/* A foreign copy is looked at field by field. */
TEST_NAMED(restored, "restored")
{
	struct ctr_hart h = ctr_hart_of(NO_OPTIONAL_DATA, false, 32);
	struct hs_ctr c = h.c;

	assert_int_equal(hs_ctr_check(&c), HS_OK);
	c.wrptr = 16;
	assert_int_equal(hs_ctr_check(&c), HS_E_ARG);
	c = h.c, c.depth = 5, hs_ctr_refresh(&c);
	assert_int_equal(hs_ctr_check(&c), HS_E_ARG);
	c = h.c, c.mctl = CLR;
	assert_int_equal(hs_ctr_check(&c), HS_E_ARG);
	c = h.c, c.entries[200].data = 1;
	assert_int_equal(hs_ctr_check(&c), HS_E_ARG);
	c = h.c, c.entries[3].source = 1ull << 32;
	assert_int_equal(hs_ctr_check(&c), HS_E_ARG);
	c = h.c, c.cycles = 4096;
	assert_int_equal(hs_ctr_check(&c), HS_E_ARG);
	c = h.c, c.mctl = EN_M;
	assert_int_equal(hs_ctr_check(&c), HS_E_ARG);
	hs_ctr_refresh(&c);
	assert_int_equal(hs_ctr_check(&c), HS_OK);
	c = h.c, c.decisions.last = 255;
	assert_int_equal(hs_ctr_check(&c), HS_E_ARG);
	c = h.c;
	memset(&c.ccv, 2, 1);
	assert_int_equal(hs_ctr_check(&c), HS_E_ARG);
	c = h.c;
	memset(&c.frozen, 2, 1);
	assert_int_equal(hs_ctr_check(&c), HS_E_ARG);
	c = h.c;
	memset(&c.wrap, 2, 1);
	assert_int_equal(hs_ctr_check(&c), HS_E_ARG);
	c = h.c;
	c.config.without |= 0x100;
	assert_int_equal(hs_ctr_check(&c), HS_E_CONFIG);
}

/* ENT-03: 1.0 zero-extends an explicit write; A9 keeps the upper half. */
TEST_NAMED(narrow_writes, "ENT-03 A9 narrow writes")
{
	for (unsigned keep = 0; keep < 2; keep++) {
		struct ctr_hart h = ctr_hart_of(keep ? OPTION_A9 : FULL, false, 64);

		h.env.priv = S_MODE;
		h.env.siselect = 0x200;
		assert_int_equal(hs_ctr_write(&h.c, &h.env, 0x151, 0x1122334455667789), HS_CTR_OK);
		h.env.xlen = 32;
		assert_int_equal(hs_ctr_write(&h.c, &h.env, 0x151, 0xfffffff1), HS_CTR_OK);
		assert_int_equal(hs_ctr_get_entry(&h.c, 0).source,
		                 keep ? 0x11223344fffffff1 : 0xfffffff1);
	}
}

/* A8: undefined bits are kept; a 32-bit write has none above 31. */
TEST_NAMED(narrow_data, "ENT-03 A8 narrow data")
{
	struct ctr_hart h = ctr_hart_of(OPTION_A8, false, 64);

	h.env.priv = S_MODE;
	h.env.siselect = 0x200;
	assert_int_equal(hs_ctr_write(&h.c, &h.env, 0x153, UINT64_MAX), HS_CTR_OK);
	assert_int_equal(hs_ctr_get_entry(&h.c, 0).data, UINT64_MAX);
	h.env.xlen = 32;
	assert_int_equal(hs_ctr_write(&h.c, &h.env, 0x153, UINT64_MAX), HS_CTR_OK);
	assert_int_equal(hs_ctr_get_entry(&h.c, 0).data, UINT32_MAX);
}

/* A5: what a larger depth uncovers is legal and not what was there; what it kept is as it was. */
TEST_NAMED(poisoned, "V1-04 A5 poisoned entries")
{
	for (unsigned i = 0; i < 4; i++) {
		struct ctr_hart h = ctr_hart_of(OPTION_A5, i & 2, i & 1 ? 32 : 64);
		const bool ratified = i & 2;
		const struct step depths[2][2] = {
			{ WRITE(M_MODE, MCTL, EN_M), WRITE(M_MODE, MCTL, EN_M | DEPTH_CODE(15)) },
			{ CSR_WRITE(M_MODE, CSR_SCTRDEPTH, 0),
			  CSR_WRITE(M_MODE, CSR_SCTRDEPTH, 4) },
		};
		const struct step least = depths[ratified][0], most = depths[ratified][1];
		const struct step steps[] = { WRITE(M_MODE, MCTL, EN_M), most,
		                              WRITE(M_MODE, STATUS, 0), JUMPS(M_MODE, 256), least,
		                              most, WRITE(M_MODE, STATUS, 0) };
		unsigned same = 0, led = 0, jumps = 0;

		for (unsigned n = 0; n < sizeof(steps) / sizeof(steps[0]); n++)
			ctr_step(&h, &steps[n]);
		for (unsigned n = 0; n < 256; n++) /* entry X is physical 255 - X */
			same += hs_ctr_get_entry(&h.c, 255 - n).source == 0x1001 + 2 * n;
		for (unsigned n = 0; n < 256; n++)
			led += hs_ctr_get_entry(&h.c, 255 - n).target == 0x2000 + 2 * n;
		for (unsigned n = 0; n < 256; n++)
			jumps += (hs_ctr_get_entry(&h.c, n).data & 15) == JUMP;
		assert_int_equal(hs_ctr_check(&h.c), HS_OK);
		assert_int_equal(same, 16);
		assert_int_equal(led, 16);
		assert_int_equal(jumps, 16);
		assert_int_equal(hs_ctr_get_entry(&h.c, 240).source, 0x101f);
	}
}

/* ENT-02, ENT-03: a 32-bit mode's addresses are zero-extended also where valid addresses are
 * short. */
TEST_NAMED(narrow_records, "ENT-02 ENT-03 narrow records")
{
	const struct hs_ctr_transfer t = { .source = 0x80000010, .target = 0xfffffffe, .type = 5,
	                                   .xlen = 32 };
	struct hs_ctr_config k = ctr_config(FULL, false, 64);
	struct hs_ctr_env env = { .priv = M_MODE };
	struct hs_ctr c;

	k.va_bits = 20;
	assert_int_equal(hs_ctr_init(&c, &k), HS_OK);
	assert_int_equal(hs_ctr_write(&c, &env, 0x381, EN_U), HS_CTR_OK);
	hs_ctr_retire(&c, &t);
	assert_int_equal(hs_ctr_get_entry(&c, 0).source, 0x80000011);
	assert_int_equal(hs_ctr_get_entry(&c, 0).target, 0xfffffffe);
	assert_int_equal(hs_ctr_check(&c), HS_OK);
}
