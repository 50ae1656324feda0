/* What a guest says of itself: the texts as Linux prints them, and what is refused. */
#include "cases.h"

#include <hartscope/program.h>

#include "guest/guest.h"

/* Lines of Debian's kernel 6.12 for riscv64, read by root over a console. */
static const char kallsyms[] =
	"ffffffff80000000 T _start\r\n"
	"ffffffff80000000 T _text\r\n"
	"ffffffff80002000 t .L0 \r\n"
	"ffffffff80002000 t trace_raw_output\r\n"
	"ffffffff80002044 W arch_thing\r\n"
	"ffffffff80002044 t other_thing\r\n"
	"ffffffff80002050 t L0\x01\r\n"
	"ffffffff80002060 D jiffies\r\n"
	"ffffffff01234000 t virtblk_probe\t[virtio_blk]\r\n"
	"ffffffff01234010 t $x\t[virtio_blk]\r\n"
	"ffffffff01234100 d __key\t[virtio_blk]\r\n";

static const char system_map[] =
	"0000000000000000 A __ex_table_type\n"
	"ffffffff80000000 T _start\n"
	"ffffffff80002000 t trace_raw_output\n"
	"ffffffff80002060 R _end\n";

static const char modules[] =
	"virtio_blk 36864 0 - Live 0xffffffff01234000\n"
	"ext4 1044480 1 jbd2,mbcache, Live 0xffffffff01300000 (OE)\n";

static struct hs_guest *guest_of(enum hs_guest_kind kind, const char *text)
{
	const struct hs_guest_file file = { kind, "x", { (const uint8_t *)text, strlen(text) } };
	struct hs_error error;
	struct hs_guest *g;

	assert_int_equal(hs_guest_new(&g), HS_OK);
	if (hs_guest_add(g, &file, &error) != HS_OK)
		fail_msg("%s", error.text);
	return g;
}

static void expect_place(struct hs_guest *g, uint8_t priv, uint64_t addr, const char *label,
                         const char *file, uint64_t offset)
{
	const struct hs_guest_at at = { .priv = priv };
	struct hs_guest_place p;

	assert_int_equal(hs_guest_find_place(g, &at, addr, &p), label != NULL);
	if (!label) {
		assert_null(p.label);
		return;
	}
	assert_string_equal(p.label, label);
	assert_string_equal(p.file, file);
	assert_true(p.offset == offset && addr - p.start == offset && offset < p.size);
}

static const struct {
	uint64_t addr;
	const char *label, *file;
	uint64_t offset;
} symbol_rows[] = {
	{ 0xffffffff80000000, "_start", "[kernel]", 0 },
	{ 0xffffffff80001fff, "_start", "[kernel]", 0x1fff },
	{ 0xffffffff80002000, "trace_raw_output", "[kernel]", 0 },
	{ 0xffffffff80002043, "trace_raw_output", "[kernel]", 0x43 },
	{ 0xffffffff80002044, "arch_thing", "[kernel]", 0 }, /* better than a local symbol */
	{ 0xffffffff80002050, "arch_thing", "[kernel]", 12 }, /* not L0 and a byte 1 */
	{ 0xffffffff80002060, NULL, NULL, 0 },               /* data */
	{ 0xffffffff01234000, "virtblk_probe", "[virtio_blk]", 0 },
	{ 0xffffffff01234011, "virtblk_probe", "[virtio_blk]", 0x11 },
	{ 0xffffffff01234100, NULL, NULL, 0 },
	{ 0xffffffff01233fff, NULL, NULL, 0 },
	{ 0x80200000, NULL, NULL, 0 },
};

TEST(symbols_cover_their_code)
{
	struct hs_guest *g = guest_of(HS_GUEST_SYMBOLS, kallsyms);

	for (size_t i = 0; i < sizeof(symbol_rows) / sizeof(*symbol_rows); i++)
		expect_place(g, HS_PRIV_S, symbol_rows[i].addr, symbol_rows[i].label,
		             symbol_rows[i].file, symbol_rows[i].offset);
	expect_place(g, HS_PRIV_UNKNOWN, 0xffffffff80002000, "trace_raw_output", "[kernel]", 0);
	expect_place(g, HS_PRIV_U, 0xffffffff80002000, NULL, NULL, 0);
	expect_place(g, HS_PRIV_M, 0xffffffff80002000, NULL, NULL, 0);
	assert_null(hs_guest_note(g, 0));
	hs_guest_free(g);
}

TEST(system_map_is_read)
{
	struct hs_guest *g = guest_of(HS_GUEST_SYMBOLS, system_map);

	expect_place(g, HS_PRIV_S, 0xffffffff8000205f, "trace_raw_output", "[kernel]", 0x5f);
	expect_place(g, HS_PRIV_S, 0xffffffff80002060, NULL, NULL, 0);
	hs_guest_free(g);
}

TEST(modules_have_code_without_symbols)
{
	struct hs_guest *g = guest_of(HS_GUEST_MODULES, modules);

	expect_place(g, HS_PRIV_S, 0xffffffff01234000, "[virtio_blk] (no symbol)", "[virtio_blk]",
	             0);
	expect_place(g, HS_PRIV_S, 0xffffffff01300010, "[ext4] (no symbol)", "[ext4]", 0x10);
	expect_place(g, HS_PRIV_S, 0xffffffff01234000 + 36864, NULL, NULL, 0);
	hs_guest_free(g);
}

static const struct {
	enum hs_guest_kind kind;
	const char *text;
	enum hs_status status;
	const char *message; /* part of it */
} bad_rows[] = {
	{ HS_GUEST_SYMBOLS, "", HS_E_FORMAT, "x: no symbols" },
	{ HS_GUEST_SYMBOLS, "0000000000000000 T _start\n0000000000000000 t a\n", HS_E_CONFIG,
	  "kptr_restrict" },
	{ HS_GUEST_SYMBOLS, "ffffffff80000000 T _start\nffffffff8000000 T\n", HS_E_FORMAT, "x:2: " },
	{ HS_GUEST_SYMBOLS, "fffffffff80000000 T seventeen\n", HS_E_FORMAT, "x:1: " },
	{ HS_GUEST_SYMBOLS, "T _start\n", HS_E_FORMAT, "x:1: " },
	{ HS_GUEST_SYMBOLS, "10 T a\tnot_a_module\n", HS_E_FORMAT, "x:1: " },
	{ HS_GUEST_SYMBOLS, "virtio_blk 36864 0 - Live 0xffffffff01234000\n", HS_E_FORMAT, "x:1: " },
	{ HS_GUEST_MODULES, "virtio_blk 36864 0 - Live 0x0000000000000000\n", HS_E_CONFIG,
	  "kptr_restrict" },
	{ HS_GUEST_MODULES, "a 1 0 - Live 0x10\na 1 0 - Live\n", HS_E_FORMAT, "x:2: " },
	{ HS_GUEST_MODULES, "a 1k 0 - Live 0x10\n", HS_E_FORMAT, "x:1: " },
	{ HS_GUEST_MODULES, "a -1 0 - Live 0x10\n", HS_E_FORMAT, "x:1: " },
	{ HS_GUEST_MODULES, "a 16 0 - Live 0xffffffffffffffff\n", HS_E_FORMAT, "x:1: " },
	{ (enum hs_guest_kind)99, "", HS_E_ARG, "99" },
};

TEST(bad_files_are_refused)
{
	for (size_t i = 0; i < sizeof(bad_rows) / sizeof(*bad_rows); i++) {
		const struct hs_guest_file file = {
			bad_rows[i].kind, "x",
			{ (const uint8_t *)bad_rows[i].text, strlen(bad_rows[i].text) } };
		struct hs_error error = { 0 };
		struct hs_guest *g;

		assert_int_equal(hs_guest_new(&g), HS_OK);
		if (hs_guest_add(g, &file, &error) != bad_rows[i].status ||
		    !strstr(error.text, bad_rows[i].message))
			fail_msg("'%s' gives '%s'", bad_rows[i].text, error.text);
		expect_place(g, HS_PRIV_S, 0x10, NULL, NULL, 0);
		hs_guest_free(g);
	}
}
