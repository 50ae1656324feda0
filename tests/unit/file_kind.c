/* What is no trace: first bytes of files as their formats' descriptions have them. */
#include "cases.h"

#include <sys/stat.h>
#include <unistd.h>

#include <hartscope/capture.h>

static const struct row {
	const char *name;
	const char *bytes;
	size_t n;
	enum hs_file_type is;
	const char *what; /* NULL: not known */
	bool certain;
} rows[] = {
#define BYTES(s) s, sizeof(s) - 1
#define ONES8 "\377\377\377\377\377\377\377\377"
#define ONES56 ONES8 ONES8 ONES8 ONES8 ONES8 ONES8 ONES8
	{ "ELF (gABI, e_ident)", BYTES("\177ELF\2\1\1"), HS_FILE_ELF, "an ELF file", true },
	{ "zstd (RFC 8878, 3.1.1)", BYTES("\x28\xb5\x2f\xfd\x24"), HS_FILE_OTHER, "compressed", true },
	{ "gzip (RFC 1952, 2.3.1)", BYTES("\x1f\x8b\x08\0\0"), HS_FILE_OTHER, "compressed", true },
	{ "xz, stream header", BYTES("\xfd\x37\x7a\x58\x5a\0\0"), HS_FILE_OTHER, "compressed", true },
	{ "zip, local file header", BYTES("PK\3\4\24"), HS_FILE_OTHER, "a zip archive", true },
	{ "a value change dump (IEEE 1364)", BYTES("$version x $end\n$timescale 1ns $end\n"),
	  HS_FILE_DUMP, "a value change dump", true },
	{ "a dump's first word, then no text", BYTES("$date\0\1\2\3\4\5\6\7\x80\x90\xa0"), HS_FILE_UNKNOWN, NULL,
	  false },
	{ "Spike's log", BYTES("core   0: 0x0000000000001000 (0x00000297) auipc\n"),
	  HS_FILE_OTHER, "a log of Spike", true },
	{ "words", BYTES("hello, this is a text\n"), HS_FILE_OTHER, "text", false },
	{ "so short that a trace may look like it", BYTES("\044U^"), HS_FILE_UNKNOWN, NULL, false },
	{ "nothing", BYTES(""), HS_FILE_EMPTY, NULL, false },
	{ "an index of hartscope", BYTES("HSTRIDX2\1\0\0\0"), HS_FILE_OTHER, "an index of hartscope", true },
	{ "a part of hartscope", BYTES("HSPART01\1\0\0\0"), HS_FILE_OTHER, "a part of hartscope", true },
	{ "64 bytes of 0xff", BYTES(ONES56 ONES8), HS_FILE_OTHER, "blank (bytes of 0xff)", false },
	{ "64 bytes of 0", (const char[64]){ 0 }, 64, HS_FILE_OTHER, "blank (bytes of 0)", false },
	{ "63 bytes of 0", (const char[63]){ 0 }, 63, HS_FILE_UNKNOWN, NULL, false },
	{ "another byte after idle", BYTES(ONES56 ONES8 "\44"), HS_FILE_UNKNOWN, NULL, false },
	{ "ProgTraceSync (NT 7.5)",
	  BYTES("\044\025\000\013\204\000\200\340\023\0\0\0\0\0\0\0"), HS_FILE_UNKNOWN, NULL, false },
	{ "perf.data (tools/perf/util/header.h)", BYTES("PERFILE2\150\0"), HS_FILE_PERF,
	  "a perf.data", true },
	{ "perf.data of a big-endian host", BYTES("2ELIFREP"), HS_FILE_PERF, "a perf.data", true },
	{ "an FST file of GTKWave (its block of type 0)", BYTES("\0\0\0\0\0\0\0\1\x49\0"),
	  HS_FILE_FST, NULL, false },
	{ "perf.data of before 2011", BYTES("PERFFILE"), HS_FILE_PERF, "a perf.data", true },
};

TEST(first_bytes)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct hs_span first = { (const uint8_t *)rows[i].bytes, rows[i].n };
		const struct hs_file_kind *kind;
		const enum hs_file_type what = hs_file_what_bytes(&first, &kind);

		assert_int_equal(what, rows[i].is);
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

/* What is at a path: in a folder of its own, with the names that the calls of make() give. */
static const struct {
	const char *path;
	enum hs_file_type is;
	const char *what;
} paths[] = {
	{ "none", HS_FILE_UNREADABLE, NULL },       { "empty", HS_FILE_EMPTY, NULL },
	{ "words", HS_FILE_OTHER, "text" },         { "elf", HS_FILE_ELF, "an ELF file" },
	{ "perf", HS_FILE_PERF, "a perf.data" },    { "bytes", HS_FILE_UNKNOWN, NULL },
	{ "pipe", HS_FILE_UNKNOWN, NULL },          { "folder", HS_FILE_FOLDER, NULL },
	{ "rec", HS_FILE_RECORDING, NULL },         { "rec/", HS_FILE_RECORDING, NULL },
	{ "rec/manifest.json", HS_FILE_OTHER, "JSON" }, { "words/x", HS_FILE_UNREADABLE, NULL },
};

static void make(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

TEST(at_paths)
{
	char folder[] = "/tmp/file_kind.XXXXXX";

	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	make("empty", "");
	make("words", "hello, this is a text\n");
	make("elf", "\177ELF\2\1\1");
	make("perf", "PERFILE2");
	make("bytes", "\044\025");
	assert_int_equal(mkfifo("pipe", 0600), 0); /* nobody writes: looking would wait */
	assert_int_equal(mkdir("folder", 0700) + mkdir("rec", 0700), 0);
	make("rec/manifest.json", "{ \"version\": 1 }\n");
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		const struct hs_file_kind *kind;

		assert_int_equal(hs_file_what(paths[i].path, &kind), paths[i].is);
		assert_int_equal(hs_file_what(paths[i].path, NULL), paths[i].is);
		assert_int_equal(!kind, !paths[i].what);
		if (kind)
			assert_string_equal(kind->what, paths[i].what);
	}
	for (const char *const *p = (const char *const[]){ "empty", "words", "elf", "perf", "bytes",
	                             "pipe", "rec/manifest.json", "rec", "folder", NULL }; *p; p++)
		assert_int_equal(remove(*p), 0);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(folder), 0);
}
