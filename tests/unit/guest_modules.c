/* Functions of a kernel's modules from their files, where /sys/module or /proc/modules has them:
 * what the kernel fills in or patches may differ (RISC-V ELF psABI, Relocations), nothing else. */
#include "cases.h"

#include <hartscope/program.h>

#include "guest/guest.h"
#include "guest_elf.h"
#include "guest_ko.h"

#define CODE 0x400u /* bytes of the module */
#define BLOCK 16u
#define BASE UINT64_C(0xffffffff01234000)

static const char sections[] = "/sys/module/a_b/sections/.text:0xffffffff01234000\r\n"
			       "/sys/module/a_b/sections/.data:0xffffffff01236000\r\n";
static const char modules[] = "a_b 16384 0 - Live 0xffffffff01234000\n";
static const char other[] = "/sys/module/c/sections/.text:0xffffffff01234000\n";

static const struct row {
	const char *name;
	const char *places;    /* text for HS_GUEST_MODULES */
	uint32_t type;         /* of a relocation at 0x20 */
	const char *table;     /* of a patched place, 0x40; NULL: of jump labels */
	struct {
		unsigned at, n;
		uint8_t flip[8]; /* bits in which the code that ran differs */
	} changed;
	bool found;            /* probe+0x10, and the block with the change has the name, too */
	bool changed_found;
	const char *note;      /* NULL: none */
} rows[] = {
	{ "by /sys/module", sections, 0, NULL, { 0 }, true, true, NULL },
	{ "by /proc/modules", modules, 0, NULL, { 0 }, true, true, NULL },
	{ "of another module", other, 0, NULL, { 0 }, false, false, NULL },
	{ "CALL_PLT: both immediates", sections, 19, NULL,
	  { 0x20, 8, { 0, 0xf0, 0xff, 0xff, 0, 0, 0xf0, 0xff } }, true, true, NULL },
	{ "CALL_PLT: rd of auipc", sections, 19, NULL, { 0x20, 2, { 0x80, 0x01 } }, true, false,
	  "found at 0xffffffff01234000: 1 of 64 blocks" },
	{ "PCREL_HI20", sections, 23, NULL, { 0x20, 4, { 0, 0xf0, 0xff, 0xff } }, true, true, NULL },
	{ "PCREL_HI20: what is after it", sections, 23, NULL, { 0x24, 1, { 1 } }, true, false,
	  "1 of 64 blocks" },
	{ "PCREL_LO12_I", sections, 24, NULL, { 0x20, 4, { 0, 0, 0xf0, 0xff } }, true, true, NULL },
	{ "PCREL_LO12_I: rs1", sections, 24, NULL, { 0x20, 4, { 0, 0, 0x08, 0 } }, true, false,
	  "1 of 64 blocks" },
	{ "PCREL_LO12_S", sections, 25, NULL, { 0x20, 4, { 0x80, 0x0f, 0, 0xfe } }, true, true,
	  NULL },
	{ "PCREL_LO12_S: rs2", sections, 25, NULL, { 0x20, 4, { 0, 0, 0x10, 0 } }, true, false,
	  "1 of 64 blocks" },
	{ "RVC_JUMP", sections, 45, NULL, { 0x20, 2, { 0xfc, 0x1f } }, true, true, NULL },
	{ "RVC_JUMP: opcode", sections, 45, NULL, { 0x20, 2, { 0, 0x20 } }, true, false,
	  "1 of 64 blocks" },
	{ "a place marked only (RELAX)", sections, 51, NULL, { 0x20, 1, { 1 } }, true, false,
	  "1 of 64 blocks" },
	{ "a jump label", sections, 0, NULL, { 0x40, 4, { 0xff, 0xff, 0xff, 0xff } }, true, true,
	  NULL },
	{ "after a jump label", sections, 0, NULL, { 0x44, 1, { 1 } }, true, false,
	  "1 of 64 blocks" },
	{ "an alternative of 6 bytes", sections, 0, ".alternative",
	  { 0x40, 6, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } }, true, true, NULL },
	{ "after an alternative", sections, 0, ".alternative", { 0x46, 1, { 1 } }, true, false,
	  "1 of 64 blocks" },
	{ "a table that patches nothing", sections, 0, "__bug_table", { 0x40, 1, { 1 } }, true,
	  false, "1 of 64 blocks" },
	{ "another build", sections, 0, NULL, { 0x60, 0, { 0 } }, false, false,
	  "a-b.ko: refused at 0xffffffff01234000: 58 of 64 blocks" },
};

static void add(struct hs_guest *g, enum hs_guest_kind kind, const char *path, const void *bytes,
                size_t n)
{
	const struct hs_guest_file file = { kind, path, { bytes, n } };
	struct hs_error error;

	if (hs_guest_add(g, &file, &error) != HS_OK)
		fail_msg("%s", error.text);
}

static void observe(struct hs_guest *g, const uint8_t *code)
{
	const struct hs_section section = { BASE, CODE, code };
	const struct hs_image image = { .isa.xlen = 64, .sections = &section, .count = 1 };
	const struct hs_guest_code where = { .image = &image };

	for (unsigned at = 0; at < CODE; at += BLOCK) {
		const struct hs_block b = { .iaddr = BASE + at, .iretire = BLOCK / 2, .ilast = 1,
			                    .priv = HS_PRIV_S };

		assert_int_equal(hs_guest_observe(g, &where, &b, 1), HS_OK);
	}
}

static void expect(struct hs_guest *g, const uint8_t *code, unsigned at, bool found)
{
	const struct hs_guest_at here = { .priv = HS_PRIV_S, .code = { code + at, BLOCK } };
	struct hs_guest_place p;

	hs_guest_find_place(g, &here, BASE + at, &p);
	assert_int_equal(p.function != NULL, found);
	if (!found)
		return;
	assert_string_equal(p.function, "probe");
	assert_string_equal(p.file, "lib/a-b.ko");
	assert_true(p.start == BASE && p.size == CODE / 2 && p.offset == at);
}

TEST_ROWS(finds, rows, r)
{
	uint8_t code[CODE], ran[CODE], file[GUEST_KO_MAX];
	struct hs_guest *g;

	guest_elf_code(code, CODE, 1);
	memcpy(ran, code, CODE);
	for (unsigned i = 0; i < r->changed.n; i++)
		ran[r->changed.at + i] ^= r->changed.flip[i];
	if (r->changed.at && !r->changed.n)
		guest_elf_code(ran + r->changed.at, CODE - r->changed.at, 2);
	assert_int_equal(hs_guest_new(&g), HS_OK);
	add(g, HS_GUEST_MODULES, "places", r->places, strlen(r->places));
	add(g, HS_GUEST_CODE, "lib/a-b.ko", file,
	    guest_ko_make(&(struct guest_ko){ .code = code, .size = CODE, .type = r->type,
	                                      .at = 0x20, .patched = 0x40, .table = r->table },
	                  file));
	observe(g, ran);
	assert_int_equal(hs_guest_settle(g, NULL), HS_OK);
	expect(g, ran, BLOCK, r->found);
	expect(g, ran, r->changed.at, r->changed_found);
	if (!r->note)
		assert_null(hs_guest_note(g, 0));
	else if (!hs_guest_note(g, 0) || !strstr(hs_guest_note(g, 0), r->note))
		fail_msg("%s", hs_guest_note(g, 0));
	hs_guest_free(g);
}

static const struct {
	const char *text;
	const char *error;
} refused[] = {
	{ "/sys/module/a/sections/.text:0x12x\n", "places:1: not PATH/NAME/sections/SECTION" },
	{ "/sections/.text:0x12\n", "places:1: not PATH/NAME/sections/SECTION" },
};

TEST(wrong_modules_are_refused)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		const struct hs_guest_file file = { HS_GUEST_MODULES, "places",
			                            { (const uint8_t *)refused[i].text,
			                              strlen(refused[i].text) } };
		struct hs_error error = { 0 };
		struct hs_guest *g;

		assert_int_equal(hs_guest_new(&g), HS_OK);
		assert_int_equal(hs_guest_add(g, &file, &error), HS_E_FORMAT);
		assert_non_null(strstr(error.text, refused[i].error));
		hs_guest_free(g);
	}
}
