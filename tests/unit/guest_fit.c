/* A kernel's symbols against the code that ran: where calls lead, functions begin. */
#include "cases.h"

#include <hartscope/program.h>

#include "guest/guest.h"
#include "guest_elf.h"

#define KERNEL UINT64_C(0xffffffff80000000)
#define PHYSICAL UINT64_C(0x80200000)
#define FUNCTIONS 64u
#define NAME 37u /* a function that is asked for */

/* Functions of many sizes: where each begins, less the first; an even number of bytes. */
static uint64_t start_of(unsigned i)
{
	return 2 * ((uint64_t)i * i * 17 % 8191 + 128u * i);
}

static void write_symbols(char *text, size_t size)
{
	size_t n = 0;

	for (unsigned i = 0; i < FUNCTIONS; i++)
		n += (size_t)snprintf(text + n, size - n, "%016llx t f%u\n",
		                      (unsigned long long)(KERNEL + start_of(i)), i);
}

/* Functions [0, count) are called at @base, each in the middle instead of at its start if it is
 * below @odd. */
struct calls {
	uint64_t base;
	unsigned count, odd;
	uint8_t priv;
};

static const struct row {
	const char *name;
	struct calls calls[2];
	struct {
		uint64_t addr;
		bool named;
	} asked[3];       /* ends at addr == 0 */
	const char *note; /* part of it; NULL: none */
	uint8_t priv;
} rows[] = {
	{ "where the symbols are", { { KERNEL, 64, 0, HS_PRIV_S } }, { { KERNEL, true } }, NULL,
	  HS_PRIV_S },
	{ "moved when it started", { { KERNEL + 0x3a00000, 64, 0, HS_PRIV_S } },
	  { { KERNEL + 0x3a00000, true } }, NULL, HS_PRIV_S },
	{ "moved by less than a large page", { { KERNEL + 0x1000, 64, 0, HS_PRIV_S } },
	  { { KERNEL + 0x1000, false }, { KERNEL, false } }, "of 64 addresses that were called",
	  HS_PRIV_S },
	{ "at physical addresses at first",
	  { { PHYSICAL, 32, 0, HS_PRIV_S }, { KERNEL, 64, 0, HS_PRIV_S } },
	  { { PHYSICAL, true }, { KERNEL, true } }, NULL, HS_PRIV_S },
	{ "at physical addresses, which do not fit",
	  { { PHYSICAL, 32, 32, HS_PRIV_S }, { KERNEL, 64, 0, HS_PRIV_S } },
	  { { PHYSICAL, false }, { KERNEL, true } }, NULL, HS_PRIV_S },
	{ "a quarter may be no function", { { KERNEL, 64, 16, HS_PRIV_S } }, { { KERNEL, true } },
	  NULL, HS_PRIV_S },
	{ "more than a quarter is none", { { KERNEL, 64, 17, HS_PRIV_S } }, { { KERNEL, false } },
	  "refused: of 64 addresses that were called 47 are functions", HS_PRIV_S },
	{ "too few calls to know", { { KERNEL, 7, 7, HS_PRIV_S } }, { { KERNEL, true } }, NULL,
	  HS_PRIV_S },
	{ "a guest's kernel", { { KERNEL, 64, 0, HS_PRIV_VS } }, { { KERNEL, true } }, NULL,
	  HS_PRIV_VS },
	{ "user code has no part in it",
	  { { KERNEL, 64, 0, HS_PRIV_S }, { 0x10000, 64, 64, HS_PRIV_U } }, { { KERNEL, true } },
	  NULL, HS_PRIV_S },
};

static void call(struct hs_guest *g, const struct calls *c)
{
	static uint8_t code[0x8000];
	const struct hs_section section = { c->base, sizeof(code), code };
	const struct hs_image image = { .isa.xlen = 64, .sections = &section, .count = 1 };
	const struct hs_guest_code where = { .image = &image };

	guest_elf_code(code, sizeof(code), 5);
	for (unsigned i = 0; i < c->count; i++) {
		const struct hs_block items[] = {
			{ .iaddr = c->base + 0x7ff0, .iretire = 2, .ilast = 2, .priv = c->priv,
			  .itype = HS_ITYPE_CALL_INF },
			{ .iaddr = c->base + start_of(i) + (i < c->odd ? 2 : 0), .iretire = 1,
			  .ilast = 1, .priv = c->priv, .itype = HS_ITYPE_RETURN },
		};

		assert_int_equal(hs_guest_observe(g, &where, items, 2), HS_OK);
	}
}

TEST_ROWS(fits, rows, r)
{
	char text[FUNCTIONS * 32];
	struct hs_guest *g;

	write_symbols(text, sizeof(text));
	const struct hs_guest_file file = { HS_GUEST_SYMBOLS, "x",
		                            { (const uint8_t *)text, strlen(text) } };

	assert_int_equal(hs_guest_new(&g), HS_OK);
	assert_int_equal(hs_guest_add(g, &file, NULL), HS_OK);
	for (size_t i = 0; i < 2 && r->calls[i].count; i++)
		call(g, &r->calls[i]);
	assert_int_equal(hs_guest_settle(g, NULL), HS_OK);
	for (size_t i = 0; i < 3 && r->asked[i].addr; i++) {
		const uint64_t addr = r->asked[i].addr + start_of(NAME) + 4;
		struct hs_guest_place p;

		assert_int_equal(hs_guest_find_place(
			g, &(struct hs_guest_at){ .priv = r->priv }, addr, &p), r->asked[i].named);
		if (!p.label)
			continue;
		assert_string_equal(p.label, "f37");
		assert_true(p.offset == 4 && p.start == addr - 4);
	}
	const char *note = hs_guest_note(g, 0);

	if ((note != NULL) != (r->note != NULL) || (note && !strstr(note, r->note)))
		fail_msg("%s", note ? note : "no note");
	hs_guest_free(g);
}
