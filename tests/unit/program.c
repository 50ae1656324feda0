/* Programs: ELF files made here field by field (System V ABI, chapter 4; RISC-V ELF psABI),
 * raw binaries and snapshots, and which bytes win. */
#include "cases.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hartscope/program.h>

#include "program/program.h"
#include "small_program.h"

/* ---- files ---------------------------------------------------------------------- */

static void write_file(char path[64], const void *bytes, size_t n)
{
	strcpy(path, "/tmp/hartscope-unit-XXXXXX");
	const int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
}

struct segment {
	uint64_t vaddr, offset, filesz;
	uint32_t type;
};

struct elf_row {
	const char *name;
	unsigned xlen, machine;
	struct segment segments[3]; /* up to the first with type 0 */
	uint64_t bias;
	enum hs_status status;
	uint64_t sections[3][2]; /* start, size; size 0 ends */
};

#define FILE_SIZE 512

/* Byte i of the file is i where no header stands. */
static void make_elf(const struct elf_row *r, uint8_t bytes[FILE_SIZE])
{
	unsigned n = 0;

	for (unsigned i = 0; i < FILE_SIZE; i++)
		bytes[i] = (uint8_t)i;
	while (n < 3 && r->segments[n].type)
		n++;
	if (r->xlen == 32) {
		Elf32_Ehdr *e = (void *)bytes;

		*e = (Elf32_Ehdr){ .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, 1 },
			           .e_type = ET_EXEC, .e_machine = (Elf32_Half)r->machine,
			           .e_version = 1, .e_entry = 0x1000, .e_phoff = sizeof(*e),
			           .e_ehsize = sizeof(*e), .e_phentsize = sizeof(Elf32_Phdr),
			           .e_phnum = (Elf32_Half)n };
		for (unsigned i = 0; i < n; i++)
			((Elf32_Phdr *)(e + 1))[i] = (Elf32_Phdr){
				.p_type = r->segments[i].type,
				.p_vaddr = (Elf32_Addr)r->segments[i].vaddr,
				.p_offset = (Elf32_Off)r->segments[i].offset,
				.p_filesz = (Elf32_Word)r->segments[i].filesz };
		little_elf32(e);
	} else {
		Elf64_Ehdr *e = (void *)bytes;

		*e = (Elf64_Ehdr){ .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
			           .e_type = ET_EXEC, .e_machine = (Elf64_Half)r->machine,
			           .e_version = 1, .e_entry = 0x1000, .e_phoff = sizeof(*e),
			           .e_ehsize = sizeof(*e), .e_phentsize = sizeof(Elf64_Phdr),
			           .e_phnum = (Elf64_Half)n };
		for (unsigned i = 0; i < n; i++)
			((Elf64_Phdr *)(e + 1))[i] = (Elf64_Phdr){
				.p_type = r->segments[i].type, .p_vaddr = r->segments[i].vaddr,
				.p_offset = r->segments[i].offset,
					.p_filesz = r->segments[i].filesz };
		little_elf(e);
	}
}

static const struct elf_row elf_rows[] = {
	{ "ELF64, one segment", 64, EM_RISCV, { { 0x1000, 256, 64, PT_LOAD } }, 0, HS_OK,
	  { { 0x1000, 64 } } },
	{ "ELF32, one segment", 32, EM_RISCV, { { 0x1000, 256, 64, PT_LOAD } }, 0, HS_OK,
	  { { 0x1000, 64 } } },
	{ "segments out of order", 64, EM_RISCV,
	  { { 0x3000, 300, 8, PT_LOAD }, { 0x1000, 256, 8, PT_LOAD } }, 0, HS_OK,
	  { { 0x1000, 8 }, { 0x3000, 8 } } },
	{ "what is not loaded, or empty, is left out", 64, EM_RISCV,
	  { { 0x3000, 300, 8, PT_NOTE }, { 0x2000, 256, 0, PT_LOAD }, { 0x1000, 256, 8, PT_LOAD } },
	  0, HS_OK, { { 0x1000, 8 } } },
	{ "bias", 64, EM_RISCV, { { 0x1000, 256, 64, PT_LOAD } }, 0x400000000000, HS_OK,
	  { { 0x400000001000, 64 } } },
	{ "bias wraps in RV32", 32, EM_RISCV, { { 0xfffff000, 256, 64, PT_LOAD } }, 0x2000, HS_OK,
	  { { 0x1000, 64 } } },
	{ "last bytes of the address space", 64, EM_RISCV,
	  { { UINT64_MAX - 64, 256, 64, PT_LOAD } }, 0, HS_OK, { { UINT64_MAX - 64, 64 } } },
	{ "past the address space", 64, EM_RISCV, { { UINT64_MAX - 3, 256, 64, PT_LOAD } }, 0,
	  HS_E_FORMAT, { { 0 } } },
	{ "past the file", 64, EM_RISCV, { { 0x1000, 500, 64, PT_LOAD } }, 0, HS_E_FORMAT,
	  { { 0 } } },
	{ "offset far past the file", 64, EM_RISCV, { { 0x1000, UINT64_MAX - 8, 64, PT_LOAD } }, 0,
	  HS_E_FORMAT, { { 0 } } },
	{ "overlapping segments", 64, EM_RISCV,
	  { { 0x1000, 256, 64, PT_LOAD }, { 0x103f, 256, 8, PT_LOAD } }, 0, HS_E_CONFIG,
	  { { 0 } } },
	{ "touching segments", 64, EM_RISCV,
	  { { 0x1000, 256, 64, PT_LOAD }, { 0x1040, 256, 8, PT_LOAD } }, 0, HS_OK,
	  { { 0x1000, 64 }, { 0x1040, 8 } } },
	{ "nothing to load", 64, EM_RISCV, { { 0 } }, 0, HS_E_FORMAT, { { 0 } } },
	{ "another machine", 64, EM_X86_64, { { 0x1000, 256, 64, PT_LOAD } }, 0, HS_E_UNSUPPORTED,
	  { { 0 } } },
};

enum where { ON_DISK, IN_MEMORY, UNALIGNED, PLACES };

/* The first @n bytes of the file, loaded from one place or another.  What lies in memory is an
 * allocation of its own, freed with @to_free: it is kept, not copied. */
static enum hs_status load(struct hs_program *p, const uint8_t *bytes, size_t n, uint64_t bias,
                           enum where where, uint8_t **to_free, struct hs_error *e)
{
	char path[64];

	*to_free = NULL;
	if (where != ON_DISK) {
		const size_t shift = where == UNALIGNED;

		*to_free = malloc(n + shift + !n);
		memcpy(*to_free + shift, bytes, n);
		return hs_program_add_elf_memory(p, &(struct hs_span){ *to_free + shift, n }, "it",
		                                 bias, e);
	}
	write_file(path, bytes, n);
	const enum hs_status s = hs_program_add_elf(p, path, bias, e);

	unlink(path);
	return s;
}

static void elf_loaded_from(const struct elf_row *r, enum where where)
{
	_Alignas(8) uint8_t bytes[FILE_SIZE];
	struct hs_program_file file;
	struct hs_program *p;
	struct hs_error e = { 0 };
	uint8_t *memory;
	size_t n = 0;

	make_elf(r, bytes);
	assert_int_equal(hs_program_new(&p), HS_OK);
	assert_int_equal(load(p, bytes, sizeof(bytes), r->bias, where, &memory, &e), r->status);
	assert_int_equal(e.status, r->status);
	while (n < 3 && r->sections[n][1])
		n++;
	const struct hs_image *image = hs_program_image(p);

	assert_int_equal(image->count, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(image->sections[i].start, r->sections[i][0]);
		assert_int_equal(image->sections[i].size, r->sections[i][1]);
	}
	assert_int_equal(hs_program_get_file(p, 0, &file), r->status == HS_OK);
	if (r->status == HS_OK) {
		assert_int_equal(image->isa.xlen, r->xlen);
		assert_int_equal(hs_img_check(image), HS_OK);
		if (where != ON_DISK)
			assert_string_equal(file.path, "it");
	}
	hs_program_free(p);
	free(memory);
}

static void elf_loaded(void **state)
{
	for (enum where where = ON_DISK; where < PLACES; where++)
		elf_loaded_from(*state, where);
}

/* A file that ends anywhere is an error, unless all that is loaded is there; in memory the same
 * error. */
TEST_ROWS(elf_cut, elf_rows, r)
{
	_Alignas(8) uint8_t bytes[FILE_SIZE];
	enum hs_status s[PLACES];

	make_elf(r, bytes);
	for (size_t n = 0; n < 330; n += n < 128 ? 1 : 13) {
		for (enum where where = ON_DISK; where < PLACES; where++) {
			struct hs_program *p;
			uint8_t *memory;

			assert_int_equal(hs_program_new(&p), HS_OK);
			s[where] = load(p, bytes, n, r->bias, where, &memory, NULL);
			assert_true(s[where] != HS_OK || n >= 256 + 8);
			assert_true((s[where] == HS_OK) == (hs_program_image(p)->count != 0));
			hs_program_free(p);
			free(memory);
		}
		assert_int_equal(s[IN_MEMORY], s[ON_DISK]);
		assert_int_equal(s[UNALIGNED], s[ON_DISK]);
	}
}

/* ---- names and lines --------------------------------------------------------------- */

static const struct place_row {
	uint64_t addr;
	const char *function;
	uint64_t offset, start, size;
	const char *file;
	int line;
} place_rows[] = {
	{ 0xffff, NULL, 0, 0, 0, NULL, 0 },
	{ 0x10000, "main", 0, 0x10000, 16, "/src/a.c", 3 },
	{ 0x1000f, "main", 15, 0x10000, 16, "/src/a.c", 3 },
	{ 0x10010, "leaf", 0, 0x10010, 4, "/src/a.c", 8 },
	{ 0x10013, "leaf", 3, 0x10010, 4, "/src/a.c", 8 },
	{ 0x10014, NULL, 0, 0, 0, NULL, 0 },
};

/* The small program's names and lines, @bias above where it was linked. */
static void check_places(struct hs_program *p, uint64_t bias)
{
	for (size_t i = 0; i < sizeof(place_rows) / sizeof(*place_rows); i++) {
		const struct place_row *r = &place_rows[i];
		struct hs_program_function f;
		struct hs_place place;

		assert_int_equal(hs_program_find_function(p, r->addr + bias, &f), !!r->function);
		assert_int_equal(f.start, r->function ? r->start + bias : 0);
		assert_int_equal(f.size, r->size);
		assert_int_equal(hs_program_find_place(p, r->addr + bias, &place), !!r->function);
		assert_int_equal(place.offset, r->offset);
		assert_int_equal(place.line, r->line);
		if (r->function) {
			assert_string_equal(f.name, r->function);
			assert_string_equal(place.function, r->function);
			assert_string_equal(place.file, r->file);
		} else {
			assert_null(f.name);
			assert_null(place.function);
			assert_null(place.file);
		}
	}
}

TEST(places_of_addresses)
{
	uint8_t elf[SMALL_ELF_MAX];
	const size_t n = small_elf(elf);

	for (enum where where = ON_DISK; where < PLACES; where++) {
		struct hs_program_segment segment;
		struct hs_program *p;
		uint8_t *memory;

		assert_int_equal(hs_program_new(&p), HS_OK);
		assert_int_equal(load(p, elf, n, 0x400000, where, &memory, NULL), HS_OK);
		check_places(p, 0x400000);
		assert_int_equal(hs_program_entry(p), 0x410000);
		assert_true(hs_program_image(p)->isa.zcmp_zcmt);
		assert_true(hs_program_get_segment(p, 0, &segment));
		assert_int_equal(segment.start, 0x410000);
		assert_int_equal(segment.size, sizeof(small_code));
		assert_int_equal(segment.offset, 0x78);
		assert_int_equal(segment.bias, 0x400000);
		assert_false(hs_program_get_segment(p, 1, &segment));
		hs_program_free(p);
		free(memory);
	}
}

static enum hs_status add_mapping(struct hs_program *p, const char *path, uint64_t start,
                                  uint64_t offset, struct hs_error *e)
{
	const struct hs_program_mapping m = {
		.size = sizeof(m), .path = path, .start = start, .offset = offset
	};

	return hs_program_add_mapped(p, &m, e);
}

/* Names only: no bytes; the same file twice is one. */
TEST(symbols_only)
{
	uint8_t elf[SMALL_ELF_MAX];
	const struct hs_span bytes = { elf, small_elf(elf) }, nothing = { 0 };
	struct hs_program_file file;
	struct hs_program *p;
	char path[64];

	assert_int_equal(hs_program_new(&p), HS_OK);
	for (unsigned twice = 0; twice < 2; twice++)
		assert_int_equal(hs_program_add_symbols_memory(p, &bytes, "it", 0, NULL), HS_OK);
	assert_true(hs_program_get_file(p, 0, &file));
	assert_false(hs_program_get_file(p, 1, &file));
	assert_int_equal(hs_program_image(p)->count, 0);
	check_places(p, 0);
	assert_int_equal(hs_program_add_symbols_memory(p, &nothing, "none", 0, NULL), HS_E_FORMAT);
	write_file(path, elf, bytes.n);
	/* the page of the segment, file offset 0, is at 0x30000: the code at 0x30078 */
	assert_int_equal(add_mapping(p, path, 0x30000, 0, NULL), HS_OK);
	check_places(p, 0x20078);
	assert_int_equal(add_mapping(p, path, 0x30000, 0x100000, NULL), HS_E_FORMAT);
	unlink(path);
	hs_program_free(p);
}

/* A file that is built again while it is read: names may be missing, and no signal comes. */
TEST(a_file_that_shrinks_gives_no_signal)
{
	uint8_t elf[SMALL_ELF_MAX];
	const size_t n = small_elf(elf);

	for (size_t keep = 0; keep < n; keep += 64) {
		struct hs_program *p;
		struct hs_place place;
		char path[64];

		write_file(path, elf, n);
		assert_int_equal(hs_program_new(&p), HS_OK);
		assert_int_equal(hs_program_add_elf(p, path, 0, NULL), HS_OK);
		assert_int_equal(truncate(path, (off_t)keep), 0);
		for (uint64_t addr = 0xfffe; addr < 0x10018; addr += 2)
			hs_program_find_place(p, addr, &place);
		hs_program_free(p);
		unlink(path);
	}
}

/* What a recording names may be a FIFO or a device: it is not opened. */
TEST(a_fifo_is_not_opened)
{
	struct hs_program *p;
	struct hs_error e;
	char path[64];

	write_file(path, "", 0);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(hs_program_new(&p), HS_OK);
	assert_int_equal(hs_program_add_elf(p, path, 0, &e), HS_E_SYSTEM);
	assert_non_null(strstr(e.text, "not a regular file"));
	assert_int_equal(hs_program_add_raw(p, path, 0, &e), HS_E_SYSTEM);
	assert_int_equal(add_mapping(p, path, 0, 0, &e), HS_E_SYSTEM);
	hs_program_free(p);
	unlink(path);
}

/* What is no ELF file; the kernel's by the header in Linux' "Boot image header in RISC-V Linux". */
TEST(no_elf)
{
	static const char image[64] = { 'M', 'Z', [48] = 'R', 'I', 'S', 'C', 'V',
		                        [56] = 'R', 'S', 'C', 5 };
	static const struct { size_t n; const char *says; } rows[] = {
		{ sizeof(image), "a boot image of Linux, which has no symbols" },
		{ sizeof(image) - 1, "not an ELF file; a raw binary" },
	};
	struct hs_program *p;
	struct hs_error e;
	char path[64];

	assert_int_equal(hs_program_new(&p), HS_OK);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		write_file(path, image, rows[i].n);
		assert_int_equal(hs_program_add_elf(p, path, 0, &e), HS_E_FORMAT);
		assert_non_null(strstr(e.text, rows[i].says));
		unlink(path);
	}
	hs_program_free(p);
}

/* What others name is read below folders only, with links followed first. */
TEST(others_names_are_read_below_folders_only)
{
	char dir[] = "/tmp/hartscope-unit-XXXXXX", in[64], out[64], leads_out[64];
	struct hs_program *p;

	assert_non_null(mkdtemp(dir));
	snprintf(in, sizeof(in), "%s/in", dir);
	snprintf(out, sizeof(out), "%s/out", dir);
	snprintf(leads_out, sizeof(leads_out), "%s/in/link", dir);
	assert_int_equal(mkdir(in, 0700), 0);
	assert_int_equal(mkdir(out, 0700), 0);
	assert_int_equal(symlink(out, leads_out), 0);

	const char *const folders[] = { in };
	struct hs_name_options o = { .size = sizeof(o), .folders = folders, .folder_count = 1 };

	assert_int_equal(hs_program_new(&p), HS_OK);
	assert_int_equal(hs_program_set_names(p, &o), HS_OK);
	assert_true(hs_program_allows(p, out));
	o.confined = true;
	assert_int_equal(hs_program_set_names(p, &o), HS_OK);
	assert_true(hs_program_allows(p, in));
	assert_true(hs_program_allows(p, "/usr/lib"));
	assert_null(hs_program_note(p, 0));
	assert_false(hs_program_allows(p, out));
	assert_non_null(strstr(hs_program_note(p, 0), "not read"));
	assert_false(hs_program_allows(p, leads_out));
	assert_false(hs_program_allows(p, "/"));
	hs_program_free(p);
	unlink(leads_out);
	rmdir(in);
	rmdir(out);
	rmdir(dir);
}

/* Debug information may name any file: only those with the name of a source file are shown. */
TEST(source_text)
{
	static const struct {
		const char *name;
		bool shown;
	} rows[] = {
		{ "it.c", true }, { "it.S", true }, { "it.rs", true }, { "key", false },
		{ "it.pem", false }, { "it.c.key", false }, { ".c/key", false }, { "it.", false },
	};
	char dir[] = "/tmp/hartscope-unit-XXXXXX", path[64], sub[64];
	struct hs_program *p;

	assert_non_null(mkdtemp(dir));
	snprintf(sub, sizeof(sub), "%s/.c", dir);
	assert_int_equal(mkdir(sub, 0700), 0);
	assert_int_equal(hs_program_new(&p), HS_OK);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, rows[i].name);
		FILE *f = fopen(path, "w");

		assert_non_null(f);
		fputs("first\nsecond\n", f);
		fclose(f);
		const char *line = hs_program_source_line(p, path, 2);

		assert_int_equal(line != NULL, rows[i].shown);
		if (line)
			assert_string_equal(line, "second");
		unlink(path);
	}
	hs_program_free(p);
	rmdir(sub);
	rmdir(dir);
}

/* Damage anywhere: an error, or a program that can be asked. */
TEST(damage_anywhere_is_survived)
{
	uint8_t elf[SMALL_ELF_MAX];
	const size_t n = small_elf(elf);

	for (size_t at = 0; at < n; at++) {
		const struct hs_span bytes = { elf, n };
		struct hs_program *p;
		struct hs_place place;

		elf[at] ^= 0xff;
		assert_int_equal(hs_program_new(&p), HS_OK);
		const enum hs_status s = hs_program_add_elf_memory(p, &bytes, "it", 0, NULL);

		assert_true(s == HS_OK || s == HS_E_FORMAT || s == HS_E_UNSUPPORTED);
		for (uint64_t addr = 0xfffe; addr < 0x10018; addr += 2)
			hs_program_find_place(p, addr, &place);
		hs_program_free(p);
		elf[at] ^= 0xff;
	}
}

/* What was asked before does not matter: each address after each other one, of a program that is
 * new and has both asked, and of one that only has the second. */
TEST(any_order)
{
	uint8_t elf[SMALL_ELF_MAX];
	const struct hs_span bytes = { elf, small_elf(elf) };
	unsigned lines = 0;

	for (uint64_t addr = 0xfffe; addr < 0x10018; addr += 2) {
		struct hs_program *fresh, *used;
		struct hs_place a, b;

		assert_int_equal(hs_program_new(&fresh), HS_OK);
		assert_int_equal(hs_program_new(&used), HS_OK);
		assert_int_equal(hs_program_add_elf_memory(fresh, &bytes, "it", 0, NULL), HS_OK);
		assert_int_equal(hs_program_add_elf_memory(used, &bytes, "it", 0, NULL), HS_OK);
		hs_program_find_place(fresh, addr, &a);
		for (uint64_t before = 0xfffe; before < 0x10018; before += 2) {
			hs_program_find_place(used, before, &b);
			hs_program_find_place(used, addr, &b);
			assert_int_equal(a.line, b.line);
			assert_int_equal(a.column, b.column);
		}
		lines += a.line != 0;
		hs_program_free(fresh);
		hs_program_free(used);
	}
	assert_true(lines > 2);
}

/* ---- lines read by another thread ------------------------------------------------ */

static void same_places(struct hs_program *p, struct hs_program *q)
{
	for (uint64_t addr = 0xfffe; addr < 0x10018; addr += 2) {
		struct hs_place a, b;

		assert_int_equal(hs_program_find_place(p, addr, &a),
		                 hs_program_find_place(q, addr, &b));
		assert_int_equal(a.line, b.line);
		assert_int_equal(a.column, b.column);
		assert_int_equal(a.inlined_count, b.inlined_count);
		assert_int_equal(!a.file, !b.file);
		if (a.file)
			assert_string_equal(a.file, b.file);
	}
}

static enum hs_status open_program(struct hs_program **p, const char *path)
{
	assert_int_equal(hs_program_new(p), HS_OK);
	return hs_program_add_elf(*p, path, 0, NULL);
}

/* Of a file that is whole, or cut meanwhile, the program has the same lines. */
TEST(lines_ahead)
{
	uint8_t elf[SMALL_ELF_MAX];
	const size_t n = small_elf(elf);

	for (size_t cut = 0; cut < n; cut += 16) {
		struct hs_program *p, *q;
		char path[64];

		write_file(path, elf, n);
		assert_int_equal(open_program(&p, path), HS_OK);
		assert_int_equal(open_program(&q, path), HS_OK);
		assert_int_equal(truncate(path, (off_t)(n - cut)), 0);
		hs_program_start_lines(p);
		same_places(p, q);
		if (!cut)
			check_places(p, 0);
		hs_program_free(p);
		hs_program_free(q);
		unlink(path);
	}
}

/* Another file is added while the thread reads: its lines are there, too. */
TEST(lines_ahead_of_more)
{
	uint8_t elf[SMALL_ELF_MAX];
	const struct hs_span bytes = { elf, small_elf(elf) };
	struct hs_program *p;
	char path[64];

	write_file(path, elf, bytes.n);
	assert_int_equal(open_program(&p, path), HS_OK);
	hs_program_start_lines(p);
	hs_program_start_lines(p);
	assert_int_equal(hs_program_add_symbols(p, path, 0x20000, NULL), HS_OK);
	check_places(p, 0);
	check_places(p, 0x20000);
	hs_program_start_lines(p); /* they are there */
	assert_int_equal(hs_program_add_symbols_memory(p, &bytes, "it", 0x40000, NULL), HS_OK);
	hs_program_start_lines(p); /* a file in memory */
	check_places(p, 0x40000);
	check_places(p, 0);
	hs_program_free(p);
	assert_int_equal(open_program(&p, path), HS_OK);
	hs_program_start_lines(p);
	check_places(p, 0); /* then they are read again, of what the thread opened */
	assert_int_equal(hs_program_add_symbols(p, path, 0x20000, NULL), HS_OK);
	check_places(p, 0);
	check_places(p, 0x20000);
	hs_program_free(p);
	assert_int_equal(open_program(&p, path), HS_OK);
	hs_program_start_lines(p); /* nobody asks */
	hs_program_free(p);
	unlink(path);
}

/* ---- which bytes win ------------------------------------------------------------ */

/* Letters are bytes: a raw binary of 'f' at some addresses, snapshots of 's' above. */
static const struct overlay_row {
	const char *name;
	uint64_t file[2][2];   /* address, size */
	uint64_t image[3][2];
	const char *result;    /* bytes from 0x100 on; '.' is not mapped */
} overlay_rows[] = {
	{ "file alone", { { 0x100, 4 } }, { { 0 } }, "ffff...." },
	{ "snapshot alone", { { 0 } }, { { 0x102, 2 } }, "..ss...." },
	{ "side by side", { { 0x100, 2 } }, { { 0x102, 2 } }, "ffss...." },
	{ "in the middle", { { 0x100, 8 } }, { { 0x102, 2 } }, "ffssffff" },
	{ "two in the middle", { { 0x100, 8 } }, { { 0x101, 2 }, { 0x105, 1 } }, "fssffsff" },
	{ "at the start", { { 0x100, 4 } }, { { 0x100, 2 } }, "ssff...." },
	{ "before the start", { { 0x102, 4 } }, { { 0x100, 4 } }, "ssssff.." },
	{ "at the end", { { 0x100, 4 } }, { { 0x102, 2 } }, "ffss...." },
	{ "past the end", { { 0x100, 4 } }, { { 0x102, 6 } }, "ffssssss" },
	{ "all of it", { { 0x102, 2 } }, { { 0x100, 8 } }, "ssssssss" },
	{ "exactly", { { 0x102, 2 } }, { { 0x102, 2 } }, "..ss...." },
	{ "over two files", { { 0x100, 3 }, { 0x105, 3 } }, { { 0x102, 4 } }, "ffssssff" },
	{ "over two files and a gap", { { 0x100, 2 }, { 0x106, 2 } }, { { 0x101, 6 } },
	  "fssssssf" },
	{ "three, out of order", { { 0x100, 8 } }, { { 0x106, 1 }, { 0x100, 1 }, { 0x103, 1 } },
	  "sffsffsf" },
};

static uint64_t byte_at(const struct hs_image *image, uint64_t addr)
{
	size_t n;
	const uint8_t *p = hs_img_bytes(image, addr, &n);

	return p ? *p : '.';
}

static void overlay(void **state, bool image_first)
{
	const struct overlay_row *r = *state;
	static const uint8_t f[] = "ffffffff", s[] = "ssssssss";
	struct hs_section sections[3];
	struct hs_image image = { .sections = sections };
	struct hs_program *p;
	char path[64];

	assert_int_equal(hs_program_new(&p), HS_OK);
	while (image.count < 3 && r->image[image.count][1]) {
		sections[image.count] = (struct hs_section){ r->image[image.count][0],
			                                     r->image[image.count][1], s };
		image.count++;
	}
	if (image_first)
		assert_int_equal(hs_program_add_image(p, &image, NULL), HS_OK);
	for (unsigned i = 0; i < 2 && r->file[i][1]; i++) {
		write_file(path, f, r->file[i][1]);
		assert_int_equal(hs_program_add_raw(p, path, r->file[i][0], NULL), HS_OK);
		unlink(path);
	}
	if (!image_first)
		assert_int_equal(hs_program_add_image(p, &image, NULL), HS_OK);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(byte_at(hs_program_image(p), 0x100 + i), r->result[i]);
	if (hs_program_image(p)->count)
		assert_int_equal(hs_img_check(hs_program_image(p)), HS_OK);
	hs_program_free(p);
}

static void snapshot_last(void **state)
{
	overlay(state, false);
}

static void snapshot_first(void **state)
{
	overlay(state, true);
}

/* A later snapshot wins over an earlier one; a file that overlaps a file is refused and
 * leaves everything as it was. */
TEST_NAMED(later_wins, "the later snapshot wins")
{
	const struct hs_section a = { 0x100, 4, (const uint8_t *)"aaaa" };
	const struct hs_section b = { 0x102, 4, (const uint8_t *)"bbbb" };
	struct hs_program *p;
	char path[64];

	assert_int_equal(hs_program_new(&p), HS_OK);
	assert_int_equal(hs_program_add_image(p, &(struct hs_image){ .sections = &a, .count = 1 },
	                                      NULL),
	                 HS_OK);
	assert_int_equal(hs_program_add_image(p, &(struct hs_image){ .sections = &b, .count = 1 },
	                                      NULL),
	                 HS_OK);
	assert_int_equal(byte_at(hs_program_image(p), 0x101), 'a');
	assert_int_equal(byte_at(hs_program_image(p), 0x102), 'b');
	write_file(path, "ffff", 4);
	assert_int_equal(hs_program_add_raw(p, path, 0x200, NULL), HS_OK);
	assert_int_equal(hs_program_add_raw(p, path, 0x203, NULL), HS_E_CONFIG);
	assert_int_equal(hs_program_add_raw(p, path, 0x1fd, NULL), HS_E_CONFIG);
	assert_int_equal(hs_program_add_raw(p, path, UINT64_MAX - 1, NULL), HS_E_FORMAT);
	assert_int_equal(byte_at(hs_program_image(p), 0x204), '.');
	assert_int_equal(byte_at(hs_program_image(p), 0x203), 'f');
	unlink(path);
	assert_int_equal(hs_program_add_raw(p, path, 0x300, NULL), HS_E_SYSTEM);
	hs_program_free(p);
}

TEST_TABLE(elf_loaded, elf_rows)
TEST_TABLE(snapshot_last, overlay_rows)
TEST_TABLE(snapshot_first, overlay_rows)
