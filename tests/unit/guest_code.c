/* Files found by the code that ran: at any address, in any context, and never over other code. */
#include "cases.h"

#include <sys/stat.h>
#include <unistd.h>

#include <hartscope/program.h>

#include "guest/guest.h"
#include "guest_elf.h"
#include "recording_files.h"

#define CODE 0x1000u /* bytes of a program */
#define BLOCK 16u    /* bytes of a block */

enum program { ONE, TWO, ONE_AND_A_HALF, PROGRAMS };

static uint8_t code[PROGRAMS][CODE], elf[PROGRAMS][GUEST_ELF_MAX];
static size_t elf_size[PROGRAMS];
static const uint16_t type[PROGRAMS] = { ET_EXEC, ET_DYN, ET_EXEC };
static const uint64_t address[PROGRAMS] = { 0x10400, 0x400, 0x10400 };
static const char *const names[PROGRAMS] = { "bin/one", "lib/two.so", "bin/other" };

static int make_programs(void **state)
{
	(void)state;
	guest_elf_code(code[ONE], CODE, 1);
	guest_elf_code(code[TWO], CODE, 2);
	memcpy(code[ONE_AND_A_HALF], code[ONE], CODE / 2);
	guest_elf_code(code[ONE_AND_A_HALF] + CODE / 2, CODE / 2, 3);
	for (int i = 0; i < PROGRAMS; i++)
		elf_size[i] = guest_elf_make(
			&(struct guest_elf){ type[i], address[i], code[i], CODE }, elf[i]);
	return 0;
}

/* ---- what ran ------------------------------------------------------------------------------- */

/* Bytes [from, to) of a program's code run at its addresses and @bias more. */
struct run {
	enum program program;
	uint64_t bias, context;
	uint8_t priv;
	unsigned from, to;
};

struct flow {
	struct hs_section sections[4]; /* version N has the code of section N */
	size_t count;
};

static enum hs_status version_of(const void *from, uint32_t number, struct hs_section *to)
{
	const struct flow *f = from;

	if (number >= f->count)
		return HS_E_ARG;
	*to = f->sections[number];
	return HS_OK;
}

static void run(struct hs_guest *g, const struct hs_guest_code *where, const struct run *r,
                uint32_t version)
{
	const struct hs_block context = { .kind = HS_KIND_CONTEXT, .arg = 2, .value = r->context },
			      change = { .kind = HS_KIND_VERSION, .arg = version,
				         .value = address[r->program] + r->bias };

	assert_int_equal(hs_guest_observe(g, where, &context, 1), HS_OK);
	assert_int_equal(hs_guest_observe(g, where, &change, 1), HS_OK);
	for (unsigned at = r->from; at < r->to; at += BLOCK) {
		const struct hs_block b = { .iaddr = address[r->program] + r->bias + at,
			                    .iretire = BLOCK / 2, .ilast = 1, .priv = r->priv };

		assert_int_equal(hs_guest_observe(g, where, &b, 1), HS_OK);
	}
}

static struct hs_guest *guest_of(const enum program *files, size_t n)
{
	struct hs_error error;
	struct hs_guest *g;

	assert_int_equal(hs_guest_new(&g), HS_OK);
	for (size_t i = 0; i < n; i++) {
		const struct hs_guest_file file = { HS_GUEST_CODE, names[files[i]],
			                            { elf[files[i]], elf_size[files[i]] } };

		if (hs_guest_add(g, &file, &error) != HS_OK)
			fail_msg("%s", error.text);
	}
	return g;
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define ALL 0, CODE

static const struct row {
	const char *name;
	enum program files[3];
	size_t file_count;
	struct run runs[4];        /* ends at to == 0 */
	struct {
		uint64_t context, addr;
		const char *label, *file; /* NULL: no name */
		uint64_t offset;
		enum program code;        /* that the caller has */
	} asked[5];                /* ends at addr == 0 */
	const char *task;          /* of the first context */
	const char *note;          /* part of the only one; NULL: none */
	uint8_t priv;
} rows[] = {
	{ "a program where it is linked", { ONE }, 1, { { ONE, 0, 7, HS_PRIV_U, ALL } },
	  { { 7, 0x10410, "first", "bin/one", 0x10, ONE },
	    { 7, 0x10400 + CODE / 2, "one (no symbol)", "bin/one", CODE / 2, ONE },
	    { 7, 0x10400 + CODE, NULL, NULL, 0, ONE },
	    { 8, 0x10410, NULL, NULL, 0, ONE } }, "one", NULL, HS_PRIV_U },
	{ "a library at any address", { ONE, TWO }, 2,
	  { { TWO, 0x7fff00000000, 7, HS_PRIV_U, 0, 64 } },
	  { { 7, 0x7fff00000410, "first", "lib/two.so", 0x10, TWO } }, NULL, NULL, HS_PRIV_U },
	{ "two contexts at one address", { ONE, TWO }, 2,
	  { { ONE, 0, 7, HS_PRIV_U, ALL }, { TWO, 0x10000, 8, HS_PRIV_U, ALL } },
	  { { 7, 0x10410, "first", "bin/one", 0x10, ONE },
	    { 8, 0x10410, "first", "lib/two.so", 0x10, TWO } }, "one", NULL, HS_PRIV_U },
	{ "one after the other in one context", { ONE, TWO }, 2,
	  { { ONE, 0, 7, HS_PRIV_U, ALL }, { TWO, 0x10000, 7, HS_PRIV_U, ALL } },
	  { { 7, 0x10410, "first", "bin/one", 0x10, ONE },
	    { 7, 0x10410, "first", "lib/two.so", 0x10, TWO } }, "one", NULL, HS_PRIV_U },
	{ "one in turn with the other", { ONE, TWO }, 2,
	  { { ONE, 0, 7, HS_PRIV_U, 0, CODE / 2 }, { TWO, 0x10000, 7, HS_PRIV_U, 0, CODE / 2 },
	    { ONE, 0, 7, HS_PRIV_U, ALL }, { TWO, 0x10000, 7, HS_PRIV_U, ALL } },
	  { { 7, 0x10410, "first", "bin/one", 0x10, ONE },
	    { 7, 0x10410, "first", "lib/two.so", 0x10, TWO } }, "one", NULL, HS_PRIV_U },
	{ "another build of the file is refused", { ONE_AND_A_HALF }, 1,
	  { { ONE, 0, 7, HS_PRIV_U, ALL } },
	  { { 7, 0x10410, NULL, NULL, 0, ONE }, { 7, 0x10410, NULL, NULL, 0, ONE_AND_A_HALF } },
	  NULL, "bin/other: refused at 0x10400 of context 0x7", HS_PRIV_U },
	{ "code that is not known comes after it", { ONE }, 1,
	  { { ONE, 0, 7, HS_PRIV_U, 0, CODE / 2 }, { TWO, 0x10000, 7, HS_PRIV_U, ALL } },
	  { { 7, 0x10410, "first", "bin/one", 0x10, ONE },
	    { 7, 0x10410, NULL, NULL, 0, TWO } }, "one", NULL, HS_PRIV_U },
	{ "of two builds the one that fits", { ONE_AND_A_HALF, ONE }, 2,
	  { { ONE, 0, 7, HS_PRIV_U, ALL } },
	  { { 7, 0x10410, "first", "bin/one", 0x10, ONE } }, "one", NULL, HS_PRIV_U },
	{ "two builds fit what ran", { ONE_AND_A_HALF, ONE }, 2,
	  { { ONE, 0, 7, HS_PRIV_U, 0, CODE / 2 } },
	  { { 7, 0x10410, NULL, NULL, 0, ONE } }, NULL, "fit the 2048 bytes", HS_PRIV_U },
	{ "one file twice is one file", { ONE, ONE }, 2, { { ONE, 0, 7, HS_PRIV_U, ALL } },
	  { { 7, 0x10410, "first", "bin/one", 0x10, ONE } }, "one", NULL, HS_PRIV_U },
	{ "other code at its address has no name", { ONE }, 1, { { ONE, 0, 7, HS_PRIV_U, ALL } },
	  { { 7, 0x10410, NULL, NULL, 0, TWO } }, "one", NULL, HS_PRIV_U },
	{ "the machine mode has no context", { ONE }, 1, { { ONE, 0, 7, HS_PRIV_M, ALL } },
	  { { 9, 0x10410, "first", "bin/one", 0x10, ONE } }, NULL, NULL, HS_PRIV_M },
	{ "too little ran", { ONE }, 1, { { ONE, 0, 7, HS_PRIV_U, 0, BLOCK } },
	  { { 7, 0x10400, NULL, NULL, 0, ONE } }, NULL, NULL, HS_PRIV_U },
};

static void expect_place(struct hs_guest *g, const struct row *r, size_t i)
{
	const uint64_t addr = r->asked[i].addr;
	const struct hs_guest_at at = {
		.context = r->asked[i].context, .has_context = true, .priv = r->priv,
		.code = { code[r->asked[i].code] + (addr - 0x400) % CODE, 4 } };
	struct hs_guest_place p;

	assert_int_equal(hs_guest_find_place(g, &at, addr, &p), r->asked[i].label != NULL);
	if (!r->asked[i].label) {
		assert_null(p.label);
		return;
	}
	assert_string_equal(p.label, r->asked[i].label);
	assert_string_equal(p.file, r->asked[i].file);
	assert_true(p.offset == r->asked[i].offset && addr - p.start == p.offset);
}

TEST_ROWS(finds, rows, r)
{
	struct hs_guest *g = guest_of(r->files, r->file_count);
	struct flow f = { .count = 0 };
	struct hs_image image = { .isa.xlen = 64, .sections = f.sections, .count = 1 };
	const struct hs_guest_code where = { .image = &image, .version = version_of, .from = &f };

	for (; f.count < 4 && r->runs[f.count].to; f.count++)
		f.sections[f.count] = (struct hs_section){
			address[r->runs[f.count].program] + r->runs[f.count].bias, CODE,
			code[r->runs[f.count].program] };
	if (f.count > 1 && f.sections[1].start != f.sections[0].start)
		fail_msg("the image has one section");
	for (uint32_t i = 0; i < f.count; i++)
		run(g, &where, &r->runs[i], i);
	assert_int_equal(hs_guest_settle(g, NULL), HS_OK);
	for (size_t i = 0; i < 5 && r->asked[i].addr; i++)
		expect_place(g, r, i);
	const struct hs_guest_task *task = hs_guest_find_task(
		g, &(struct hs_guest_at){ .context = r->runs[0].context, .has_context = true });

	assert_int_equal(task != NULL, r->task != NULL);
	if (task)
		assert_string_equal(task->name, r->task);
	const char *note = hs_guest_note(g, 0);

	if (note && !r->note)
		fail_msg("%s", note);
	assert_true(!r->note || (note && strstr(note, r->note)));
	assert_null(note ? hs_guest_note(g, 1) : NULL);
	hs_guest_free(g);
}

/* A file that was cut after its code: the code is found, and a note says why it has no names. */
TEST(cut_files_say_so)
{
	const enum program one = ONE;
	const struct run whole = { ONE, 0, 7, HS_PRIV_U, ALL };
	const struct hs_guest_at at = { .context = 7, .priv = HS_PRIV_U, .has_context = true };
	struct flow f = { { { address[ONE], CODE, code[ONE] } }, 1 };
	const struct hs_image image = { .isa.xlen = 64, .sections = f.sections, .count = 1 };
	const struct hs_guest_code where = { .image = &image, .version = version_of, .from = &f };
	struct hs_guest_place place;
	Elf64_Ehdr head;

	memcpy(&head, elf[ONE], sizeof(head));
	const Elf64_Ehdr before = head;

	memset(&head.e_shoff, 0x7f, 4); /* in either byte order past the end */
	memcpy(elf[ONE], &head, sizeof(head));
	struct hs_guest *g = guest_of(&one, 1);

	run(g, &where, &whole, 0);
	assert_int_equal(hs_guest_settle(g, NULL), HS_OK);
	assert_null(hs_guest_note(g, 0));
	assert_true(hs_guest_find_place(g, &at, address[ONE], &place));
	assert_string_equal(place.label, "one (no symbol)");
	assert_non_null(hs_guest_note(g, 0));
	assert_non_null(strstr(hs_guest_note(g, 0), "bin/one: its table of sections is not in"));
	assert_true(hs_guest_find_place(g, &at, address[ONE] + 16, &place));
	assert_null(hs_guest_note(g, 1)); /* once */
	hs_guest_free(g);
	memcpy(elf[ONE], &before, sizeof(before));
}

/* ---- directories ---------------------------------------------------------------------------- */

static void write_file(const char *dir, const char *name, const void *bytes, size_t n)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

TEST(reads_directories)
{
	static const char *const made[] = { "lib/two.so", "lib/text", "lib/empty", "lib/cut",
		                            "lib/up", "lib" };
	char room[64], lib[96];
	const char *dir = test_directory(room);
	struct hs_guest_file file = { .kind = HS_GUEST_CODE, .path = dir };
	struct hs_error error;
	struct hs_guest *g;

	snprintf(lib, sizeof(lib), "%s/lib", dir);
	assert_int_equal(mkdir(lib, 0700), 0);
	write_file(dir, "lib/two.so", elf[TWO], elf_size[TWO]);
	write_file(dir, "lib/text", "text", 4);
	write_file(dir, "lib/empty", "", 0);
	write_file(dir, "lib/cut", elf[ONE], 70);
	assert_int_equal(symlink("..", strcat(lib, "/up")), 0);
	assert_int_equal(hs_guest_new(&g), HS_OK);
	assert_int_equal(hs_guest_add(g, &file, &error), HS_OK);
	const struct hs_section section = { 0x400, CODE, code[TWO] };
	const struct hs_image image = { .isa.xlen = 64, .sections = &section, .count = 1 };
	const struct hs_guest_code where = { .image = &image };
	struct hs_guest_place p;

	run(g, &where, &(struct run){ TWO, 0, 7, HS_PRIV_U, ALL }, 0);
	assert_int_equal(hs_guest_settle(g, NULL), HS_OK);
	assert_true(hs_guest_find_place(
		g, &(struct hs_guest_at){ .context = 7, .has_context = true }, 0x404, &p));
	assert_string_equal(p.function, "first");
	hs_guest_free(g);
	assert_int_equal(hs_guest_new(&g), HS_OK);
	file.path = "/no/such/file";
	assert_int_equal(hs_guest_add(g, &file, &error), HS_E_SYSTEM);
	file = (struct hs_guest_file){ HS_GUEST_CODE, "text", { (const uint8_t *)"text", 4 } };
	assert_int_equal(hs_guest_add(g, &file, &error), HS_E_FORMAT);
	hs_guest_free(g);
	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++) {
		snprintf(lib, sizeof(lib), "%s/%s", dir, made[i]);
		assert_int_equal(remove(lib), 0);
	}
	test_directory_remove(dir);
}

/* A folder that may not be read gets a note, whatever kind of files it is named for. */
TEST(names_closed_directories)
{
	static const enum hs_guest_kind kinds[] = { HS_GUEST_CODE, HS_GUEST_MODULES };
	const uid_t user = geteuid();
	char room[64], lib[96];
	const char *dir = test_directory(room);
	struct hs_error error;

	snprintf(lib, sizeof(lib), "%s/closed", dir);
	assert_int_equal(mkdir(lib, 0), 0);
	assert_int_equal(chmod(dir, 0755), 0);
	assert_true(user || seteuid(65534) == 0);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const struct hs_guest_file file = { .kind = kinds[i], .path = dir };
		struct hs_guest *g;

		assert_int_equal(hs_guest_new(&g), HS_OK);
		assert_int_equal(hs_guest_add(g, &file, &error),
		                 kinds[i] == HS_GUEST_CODE ? HS_OK : HS_E_FORMAT);
		assert_non_null(hs_guest_note(g, 0));
		assert_non_null(strstr(hs_guest_note(g, 0), "closed: Permission denied"));
		hs_guest_free(g);
	}
	assert_int_equal(seteuid(user), 0);
	assert_int_equal(rmdir(lib), 0);
	test_directory_remove(dir);
}

/* A kernel as it is loaded, with its vdso on a page: the kernel's code, some of it patched, is
 * found where it was loaded, and the vdso in user mode. */
TEST(reads_kernels)
{
	static uint8_t kernel[0x4000], ran[0x1000];
	const struct hs_guest_file file = { HS_GUEST_CODE, "boot/vmlinux",
		                            { kernel, sizeof(kernel) } };
	const struct hs_section sections[] = { { 0x400, CODE, code[TWO] },
		                               { 0xffffffff80000000, CODE, ran } };
	const struct hs_image image = { .isa.xlen = 64, .sections = sections, .count = 2 };
	const struct hs_guest_code where = { .image = &image };
	struct hs_guest_place p;
	struct hs_guest *g;

	guest_elf_code(kernel, sizeof(kernel), 9);
	memcpy(kernel + 0x38, "RSC\x05", 4);
	memcpy(kernel + 0x2000, elf[TWO], elf_size[TWO]);
	memcpy(ran, kernel, sizeof(ran));
	memset(ran + 0x100, 0, 4);
	assert_int_equal(hs_guest_new(&g), HS_OK);
	assert_int_equal(hs_guest_add(g, &file, NULL), HS_OK);
	run(g, &where, &(struct run){ TWO, 0, 7, HS_PRIV_U, ALL }, 0);
	for (unsigned at = 0; at < CODE; at += BLOCK) {
		const struct hs_block b = { .iaddr = 0xffffffff80000000 + at, .ilast = 1,
			                    .iretire = BLOCK / 2, .priv = HS_PRIV_S };

		assert_int_equal(hs_guest_observe(g, &where, &b, 1), HS_OK);
	}
	assert_int_equal(hs_guest_settle(g, NULL), HS_OK);
	assert_null(hs_guest_note(g, 0));
	assert_true(hs_guest_find_place(
		g, &(struct hs_guest_at){ .context = 7, .has_context = true }, 0x404, &p));
	assert_string_equal(p.label, "first");
	assert_string_equal(p.file, "[vdso]");
	assert_true(hs_guest_find_place(g, &(struct hs_guest_at){ .priv = HS_PRIV_S },
	                                0xffffffff80000100, &p));
	assert_string_equal(p.label, "vmlinux (no symbol)");
	assert_true(p.offset == 0x100);
	hs_guest_free(g);
}

/* A firmware as it is loaded: found like any file, and known by its name only. */
TEST(a_raw_firmware_is_found)
{
	const struct hs_section section = { 0x80000000, CODE, code[ONE] };
	const struct hs_image image = { .isa.xlen = 64, .sections = &section, .count = 1 };
	const struct hs_guest_code where = { .image = &image };
	const struct hs_guest_at at = { .priv = HS_PRIV_M, .code = { code[ONE] + 0x10, 4 } };
	struct hs_guest_file file = { HS_GUEST_CODE, "fw/fw.bin", { code[ONE], CODE } };
	struct hs_guest_place p;
	struct hs_guest *g;

	assert_int_equal(hs_guest_new(&g), HS_OK);
	assert_int_equal(hs_guest_add(g, &file, NULL), HS_OK);
	file.path = "fw/fw";
	assert_int_equal(hs_guest_add(g, &file, NULL), HS_E_FORMAT);
	for (unsigned i = 0; i < CODE; i += BLOCK) {
		const struct hs_block b = { .iaddr = 0x80000000 + i, .iretire = BLOCK / 2,
			                    .ilast = 1, .priv = HS_PRIV_M };

		assert_int_equal(hs_guest_observe(g, &where, &b, 1), HS_OK);
	}
	assert_int_equal(hs_guest_settle(g, NULL), HS_OK);
	assert_true(hs_guest_find_place(g, &at, 0x80000010, &p));
	assert_string_equal(p.label, "fw.bin (no symbol)");
	assert_true(p.start == 0x80000000 && p.offset == 0x10 && !p.function);
	hs_guest_free(g);
}

TESTS
{
	test_around(make_programs, NULL);
}
