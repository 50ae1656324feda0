/* Settings of CTR by name and as a struct, and the options of exports and explanations. */
#include <hartscope/program.h>

#include "cases.h"

#include "ctr_host/ctr_host.h"

/* Names of both versions, and settings that a version or XLEN does not have. */
TEST(settings_of_both_versions)
{
	static const struct {
		const char *name, *value;
		enum hs_status set, make64, make32;
	} v[] = {
		{ "depth", "256", HS_OK, HS_OK, HS_OK },
		{ "depth", "48", HS_E_CONFIG, HS_OK, HS_OK },
		{ "depth", "", HS_E_CONFIG, HS_OK, HS_OK },
		{ "version", "0.1.4", HS_OK, HS_OK, HS_OK },
		{ "version", "2.0", HS_E_CONFIG, HS_OK, HS_OK },
		{ "mode", "-", HS_E_CONFIG, HS_OK, HS_OK },
		{ "mode", "m", HS_OK, HS_OK, HS_OK },
		{ "RETINH", "1", HS_OK, HS_OK, HS_E_CONFIG }, /* 1.0 has no upper halves */
		{ "DIRLJMPINH", "1", HS_OK, HS_OK, HS_E_CONFIG },
		{ "DIROJMPINH", "2", HS_E_CONFIG, HS_OK, HS_OK },
		{ "RASEMU", "1", HS_OK, HS_OK, HS_OK },
		{ "ETEN", "1", HS_OK, HS_E_CONFIG, HS_E_CONFIG }, /* only in 0.1.4 */
		{ "type6", "1", HS_OK, HS_E_CONFIG, HS_E_CONFIG }, /* the same */
		{ "cce", "5", HS_E_CONFIG, HS_OK, HS_OK },
		{ "nothing", "1", HS_E_CONFIG, HS_OK, HS_OK },
	};
	struct hs_ctr_settings s = { .size = sizeof(s) };
	struct hs_ctr c;

	for (unsigned i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		s = (struct hs_ctr_settings){ .size = sizeof(s) };
		assert_int_equal(hs_ctr_settings_set(&s, v[i].name, v[i].value, NULL), v[i].set);
		assert_int_equal(hs_ctr_settings_make(&s, 64, &c, NULL), v[i].make64);
		assert_int_equal(hs_ctr_settings_make(&s, 32, &c, NULL), v[i].make32);
	}
}

/* Each field reaches its bits: mctrctl and vsctrctl by the table of 1.0, mctrcontrol by that of
 * 0.1.4. */
TEST(each_field_reaches_its_bits)
{
	static const struct {
		const char *name;
		uint64_t ratified, vs_ratified, draft, vs_draft;
	} v[] = {
		{ "U", 1, 0, 4, 0 }, { "S", 2, 0, 2, 0 }, { "M", 4, 0, 1, 0 }, { "VU", 0, 1, 0, 4 },
			{ "VS", 0, 2, 0, 2 },
		{ "RASEMU", 0x80, 0x80, 0x400, 0x400 }, { "STE", 0x100, 0, 0x200, 0 },
			{ "VSTE", 0, 0x100, 0, 0x200 },
		{ "MTE", 0x200, 0, 0x100, 0 }, { "BPFRZ", 0x800, 0x800, 0x800, 0x800 },
		{ "LCOFIFRZ", 0x1000, 0x1000, 0x1000, 0x1000 },
		{ "TKBRINH", 1ull << 37, 1ull << 37, 1ull << 37, 1ull << 37 },
		{ "INDLJMPINH", 1ull << 46, 1ull << 46, 1ull << 46, 1ull << 46 },
	};
	struct hs_ctr_settings s = { .size = sizeof(s) };
	struct hs_ctr c;

	for (unsigned i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		/* U S M VU VS */
		s = (struct hs_ctr_settings){ .size = sizeof(s), .disabled = 0x3b };
		assert_int_equal(hs_ctr_settings_set(&s, v[i].name, "1", NULL), HS_OK);
		assert_int_equal(hs_ctr_settings_make(&s, 64, &c, NULL), HS_OK);
		assert_int_equal(c.mctl, v[i].ratified);
		assert_int_equal(c.vsctl, v[i].vs_ratified);
		s.version = HS_CTR_0_1_4;
		assert_int_equal(hs_ctr_settings_make(&s, 64, &c, NULL), HS_OK);
		assert_int_equal(c.mctl, v[i].draft);
		assert_int_equal(c.vsctl, v[i].vs_draft);
	}
}

/* Settings of nothing but a size are the documented default; others than ours are refused. */
TEST(settings_size)
{
	struct {
		struct hs_ctr_settings s;
		uint8_t later[8];
	} v = { 0 };
	struct hs_ctr c;

	v.s.size = sizeof(v.s.size);
	assert_int_equal(hs_ctr_settings_make(&v.s, 64, &c, NULL), HS_OK);
	assert_int_equal(c.config.version, HS_CTR_1_0);
	assert_int_equal(hs_ctr_depth(&c), 32);
	assert_int_equal(c.mctl, 7);  /* M, S, U */
	assert_int_equal(c.vsctl, 3); /* VS, VU */
	assert_int_equal(hs_ctr_settings_set(&v.s, "depth", "64", NULL), HS_OK);
	assert_int_equal(v.s.depth, 0); /* a caller without this member keeps its memory */
	v.s.size = sizeof(v);
	assert_int_equal(hs_ctr_settings_make(&v.s, 64, &c, NULL), HS_OK);
	assert_int_equal(hs_ctr_settings_set(&v.s, "depth", "64", NULL), HS_OK);
	assert_int_equal(v.s.depth, 64);
	v.later[7] = 1;
	assert_int_equal(hs_ctr_settings_make(&v.s, 64, &c, NULL), HS_E_CONFIG);
	assert_int_equal(hs_ctr_settings_set(&v.s, "depth", "16", NULL), HS_E_CONFIG);
	v.s.size = 0;
	assert_int_equal(hs_ctr_settings_make(&v.s, 64, &c, NULL), HS_E_CONFIG);
	v.s = (struct hs_ctr_settings){ .size = sizeof(v.s), .depth = 48 };
	assert_int_equal(hs_ctr_settings_make(&v.s, 64, &c, NULL), HS_E_CONFIG);
	/* U is not said there */
	v.s = (struct hs_ctr_settings){ .size = sizeof(v.s), .control = 1 };
	assert_int_equal(hs_ctr_settings_make(&v.s, 64, &c, NULL), HS_E_CONFIG);
}

static bool no_bytes(void *context, const void *bytes, size_t n)
{
	(void)context, (void)bytes, (void)n;
	return true;
}

TEST(export_options)
{
	struct {
		struct hs_ctr_export_options o;
		uint8_t later[8];
	} v = { 0 };
	const struct hs_ctr_settings s = { .size = sizeof(s) };
	struct hs_ctr_export *x = NULL;
	struct hs_program *p;
	struct hs_ctr c;

	assert_int_equal(hs_program_new(&p), HS_OK);
	assert_int_equal(hs_ctr_settings_make(&s, 64, &c, NULL), HS_OK);
	assert_int_equal(hs_ctr_export_new(p, &c, no_bytes, NULL, &v.o, &x, NULL), HS_E_CONFIG);
	v.o.size = sizeof(v.o.size);
	assert_int_equal(hs_ctr_export_new(p, &c, no_bytes, NULL, &v.o, &x, NULL), HS_OK);
	hs_ctr_export_free(x);
	v.o.size = sizeof(v);
	assert_int_equal(hs_ctr_export_new(p, &c, no_bytes, NULL, &v.o, &x, NULL), HS_OK);
	hs_ctr_export_free(x);
	v.later[0] = 1;
	assert_int_equal(hs_ctr_export_new(p, &c, no_bytes, NULL, &v.o, &x, NULL), HS_E_CONFIG);
	hs_program_free(p);
}

static void count_remark(void *context, const struct hs_ctr_remark *remark)
{
	(void)remark;
	++*(unsigned *)context;
}

/* The span moves past the lines before the one at fault. */
TEST(explain_options)
{
	static const char dump[] = "sctrdepth = 1\nsctrstatus =\n";
	struct {
		struct hs_ctr_explain_options o;
		uint8_t later[8];
	} v = { .o.size = sizeof(v.o) };
	struct hs_span text = { (const uint8_t *)dump, sizeof(dump) - 1 };
	enum hs_ctr_version version = HS_CTR_ANY;
	unsigned n = 0;

	assert_int_equal(hs_ctr_explain(&text, &v.o, count_remark, &n, &version, NULL),
	                 HS_E_FORMAT);
	assert_ptr_equal(text.p, dump + 14);
	text = (struct hs_span){ (const uint8_t *)dump, 14 };
	assert_int_equal(hs_ctr_explain(&text, &v.o, count_remark, &n, &version, NULL), HS_OK);
	assert_int_equal(text.n, 0);
	assert_int_equal(n, 1);
	assert_int_equal(version, HS_CTR_1_0);
	v.o.xlen = 48;
	assert_int_equal(hs_ctr_explain(&text, &v.o, count_remark, &n, NULL, NULL), HS_E_CONFIG);
	v.o = (struct hs_ctr_explain_options){ .size = sizeof(v.o), .version = 3 };
	assert_int_equal(hs_ctr_explain(&text, &v.o, count_remark, &n, NULL, NULL), HS_E_CONFIG);
	v.o = (struct hs_ctr_explain_options){ .size = sizeof(v) };
	v.later[3] = 1;
	assert_int_equal(hs_ctr_explain(&text, &v.o, count_remark, &n, NULL, NULL), HS_E_CONFIG);
}
