/* Programs: one path for each source file (DWARF 5, 3.1.1 and 6.2.4; design/names). */
#include "cases.h"

#include "program/private.h"

static const struct row {
	const char *folder; /* of the compilation; NULL: not known */
	const char *name;   /* as libdw has it: its own folder is in front of it */
	const char *path;
} rows[] = {
	{ "/proj", "/proj/a.c", "/proj/a.c" },
	{ "/proj", "src/a.c", "/proj/src/a.c" },
	{ "/proj/build", "../src/a.c", "/proj/src/a.c" },
	{ "/proj/build", "/proj/build/../src/a.c", "/proj/src/a.c" },
	{ "/proj/b2/x", "./../../src//sub/../a.c", "/proj/src/a.c" },
	{ "/proj/", "src/a.c", "/proj/src/a.c" },
	{ "/", "src/a.c", "/src/a.c" },
	{ "/proj", "/usr/include/stdio.h", "/usr/include/stdio.h" },
	{ "/proj", "//usr/include/./stdio.h", "/usr/include/stdio.h" },
	{ "/proj", "../../../a.c", "/a.c" },
	{ "/proj", "..a/...b", "/proj/..a/...b" },
	{ "/proj", "a\\b.c", "/proj/a\\b.c" },
	{ "/proj", "/proj/a\\b.c", "/proj/a\\b.c" },
	/* the folder is not known, or relative (-fdebug-prefix-map) */
	{ NULL, "src/a.c", "src/a.c" },
	{ NULL, "./src/../a.c", "a.c" },
	{ NULL, "../src/a.c", "../src/a.c" },
	{ NULL, "x/../../../src/a.c", "../../src/a.c" },
	{ "", "src/a.c", "src/a.c" },
	{ ".", "src/a.c", "src/a.c" },
	{ ".", "./src/a.c", "src/a.c" },
	{ "build", "../src/a.c", "src/a.c" },
	{ "build", "build/a.c", "build/a.c" },
	/* of Windows */
	{ "/here", "/here/C:\\proj\\src\\a.c", "C:/proj/src/a.c" },
	{ "/here", "C:\\proj\\src\\a.c", "C:/proj/src/a.c" },
	{ "/here", "C:/proj/src/a.c", "C:/proj/src/a.c" },
	{ "C:\\proj\\build", "C:\\proj\\build/..\\src\\a.c", "C:/proj/src/a.c" },
	{ "C:\\proj\\build", "..\\src/a.c", "C:/proj/src/a.c" },
	{ "C:\\proj", "D:/other/a.c", "D:/other/a.c" },
	{ "C:/proj", "C:/proj/../../../a.c", "C:/a.c" },
	{ "\\\\server\\share", "src\\a.c", "//server/share/src/a.c" },
	{ "/here", "/here/\\\\server\\share\\a.c", "//server/share/a.c" },
	/* not a path of Windows */
	{ "/proj", "c:a.c", "/proj/c:a.c" },
	{ "/proj", "\\a.c", "/proj/\\a.c" },
	{ "/proj", "", "/proj" },
	{ NULL, "", "" },
};

/* Each path twice: it is the same string. */
TEST(a_path_is_the_same_string_twice)
{
	struct line_table t = { 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *path = program_source_path(&t, rows[i].folder, rows[i].name);

		assert_non_null(path);
		assert_string_equal(path, rows[i].path);
		assert_ptr_equal(program_source_path(&t, rows[i].folder, rows[i].name), path);
	}
	assert_null(program_source_path(&t, "/proj", NULL));
	assert_false(t.full);
	program_free_table(&t);
}
