/* What is no trace: first bytes of files as their formats' descriptions have them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <hartscope/file_kind.h>

static const struct row {
	const char *name;
	const char *bytes;
	size_t n;
	const char *what; /* NULL: not known */
	bool certain;
} rows[] = {
#define BYTES(s) s, sizeof(s) - 1
#define ONES8 "\377\377\377\377\377\377\377\377"
#define ONES56 ONES8 ONES8 ONES8 ONES8 ONES8 ONES8 ONES8
	{ "ELF (gABI, e_ident)", BYTES("\177ELF\2\1\1"), "an ELF file", true },
	{ "zstd (RFC 8878, 3.1.1)", BYTES("\x28\xb5\x2f\xfd\x24"), "compressed", true },
	{ "gzip (RFC 1952, 2.3.1)", BYTES("\x1f\x8b\x08\0\0"), "compressed", true },
	{ "xz, stream header", BYTES("\xfd\x37\x7a\x58\x5a\0\0"), "compressed", true },
	{ "zip, local file header", BYTES("PK\3\4\24"), "a zip archive", true },
	{ "a value change dump (IEEE 1364)", BYTES("$version x $end\n$timescale 1ns $end\n"),
	  "a value change dump", true },
	{ "a dump's first word, then no text", BYTES("$date\0\1\2\3\4\5\6\7\x80\x90\xa0"), NULL,
	  false },
	{ "Spike's log", BYTES("core   0: 0x0000000000001000 (0x00000297) auipc\n"),
	  "a log of Spike", true },
	{ "words", BYTES("hello, this is a text\n"), "text", false },
	{ "so short that a trace may look like it", BYTES("\044U^"), NULL, false },
	{ "nothing", BYTES(""), NULL, false },
	{ "an index of hartscope", BYTES("HSTRIDX2\1\0\0\0"), "an index of hartscope", true },
	{ "a part of hartscope", BYTES("HSPART01\1\0\0\0"), "a part of hartscope", true },
	{ "64 bytes of 0xff", BYTES(ONES56 ONES8), "blank (bytes of 0xff)", false },
	{ "64 bytes of 0", (const char[64]){ 0 }, 64, "blank (bytes of 0)", false },
	{ "63 bytes of 0", (const char[63]){ 0 }, 63, NULL, false },
	{ "another byte after idle", BYTES(ONES56 ONES8 "\44"), NULL, false },
	{ "ProgTraceSync (NT 7.5)",
	  BYTES("\044\025\000\013\204\000\200\340\023\0\0\0\0\0\0\0"), NULL, false },
};

static void first_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct hs_span first = { (const uint8_t *)rows[i].bytes, rows[i].n };
		const struct hs_file_kind *kind = hs_file_kind_of(&first);

		if (!rows[i].what != !kind)
			fail_msg("%s: %s", rows[i].name, kind ? kind->what : "not known");
		if (!kind)
			continue;
		assert_string_equal(kind->what, rows[i].what);
		assert_int_equal(kind->certain, rows[i].certain);
		assert_int_equal(kind->blank, strncmp(kind->what, "blank", 5) == 0);
		assert_true(*kind->hint);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(first_bytes) };

	return cmocka_run_group_tests_name("file_kind", tests, NULL, NULL);
}
