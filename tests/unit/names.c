/* Programs: which name of an address is shown, how, and when none is (design/code-files,
 * design/names).  Mangled names are those of the Itanium C++ ABI 5.1 and of Rust's RFC 2603, worked
 * out by hand. */
#include "cases.h"

#include <elf.h>
#include <hartscope/program.h>

#include "little.h"
#include "program/program.h"

#define TEXT 0x1000u /* address of 256 bytes of code, each its own number */
#define SYMBOLS 8u
#define ID 20u /* bytes of a build-id */

struct file {
	Elf64_Ehdr head;
	Elf64_Phdr segments[2]; /* code, notes */
	Elf64_Shdr sections[5]; /* none, code, symbols, their names, notes */
	Elf64_Sym symbols[1 + SYMBOLS];
	char names[512];
	Elf64_Nhdr note;
	char owner[4];
	uint8_t id[ID], code[256];
};

/* A symbol: FUNC or LABEL, where in the code, size. */
struct symbol {
	const char *name;
	unsigned at, size;
	uint8_t bind, type;
};

#define F(name, at, size) { name, at, size, STB_GLOBAL, STT_FUNC }
#define WEAK(name, at, size) { name, at, size, STB_WEAK, STT_FUNC }
#define LOCAL(name, at, size) { name, at, size, STB_LOCAL, STT_FUNC }
#define LABEL(name, at) { name, at, 0, STB_LOCAL, STT_NOTYPE }

static void make_file(struct file *f, const struct symbol *s, bool stripped)
{
	size_t n = 1, end = 1;

	memset(f, 0, sizeof(*f));
	f->head = (Elf64_Ehdr){ .e_type = ET_DYN, .e_machine = EM_RISCV, .e_version = EV_CURRENT,
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
		             EV_CURRENT },
		.e_phoff = offsetof(struct file, segments), .e_phnum = 2,
		.e_shoff = offsetof(struct file, sections), .e_shnum = 5,
		.e_ehsize = sizeof(f->head), .e_phentsize = sizeof(f->segments[0]),
		.e_shentsize = sizeof(f->sections[0]) };
	f->segments[0] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_X,
		.p_vaddr = TEXT, .p_offset = offsetof(struct file, code),
		.p_filesz = sizeof(f->code), .p_memsz = sizeof(f->code) };
	f->segments[1] = (Elf64_Phdr){ .p_type = PT_NOTE, .p_offset = offsetof(struct file, note),
		.p_filesz = offsetof(struct file, code) - offsetof(struct file, note),
		.p_align = 4 };
	f->sections[1] = (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = TEXT,
		.sh_offset = offsetof(struct file, code), .sh_size = sizeof(f->code) };
	f->sections[3] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
		.sh_offset = offsetof(struct file, names), .sh_size = sizeof(f->names) };
	f->note = (Elf64_Nhdr){ 4, ID, NT_GNU_BUILD_ID };
	memcpy(f->owner, "GNU", 4);
	memset(f->id, 0x5a, ID);
	for (size_t i = 0; i < sizeof(f->code); i++)
		f->code[i] = (uint8_t)(i | 3); /* the low bits of a 4-byte instruction */
	for (; n <= SYMBOLS && s[n - 1].name; n++) {
		f->symbols[n] = (Elf64_Sym){ .st_name = (uint32_t)end, .st_shndx = 1,
			.st_value = TEXT + s[n - 1].at, .st_size = s[n - 1].size,
			.st_info = ELF64_ST_INFO(s[n - 1].bind, s[n - 1].type) };
		assert_true(end + strlen(s[n - 1].name) < sizeof(f->names));
		strcpy(f->names + end, s[n - 1].name);
		end += strlen(s[n - 1].name) + 1;
	}
	f->sections[2] = (Elf64_Shdr){ .sh_type = stripped ? SHT_DYNSYM : SHT_SYMTAB,
		.sh_link = 3, .sh_entsize = sizeof(Elf64_Sym),
		.sh_offset = offsetof(struct file, symbols), .sh_size = n * sizeof(Elf64_Sym) };
	little_note(&f->note);
	little_elf(f);
}

static struct hs_program *open_file(const struct file *f, const struct hs_name_options *names)
{
	struct hs_program *p;

	assert_int_equal(hs_program_new(&p), HS_OK);
	if (names)
		assert_int_equal(hs_program_set_names(p, names), HS_OK);
	assert_int_equal(hs_program_add_symbols_memory(
				 p, &(struct hs_span){ (const void *)f, sizeof(*f) }, "dir/lib.so",
				 0, NULL), HS_OK);
	return p;
}

/* ---- names of an address ---------------------------------------------------------- */

/* f(A<int, int>, ...), each type twice the one before: S_ is A, S0_ is A<int, int> */
#define TWICE(n) "S_IS" n "_S" n "_E"
#define DOUBLED \
	"_Z1f1AIiiE" TWICE("0") TWICE("1") TWICE("2") TWICE("3") TWICE("4") TWICE("5") TWICE("6") \
	TWICE("7") TWICE("8") TWICE("9") TWICE("A") TWICE("B") TWICE("C") TWICE("D") TWICE("E")

static const struct row {
	const char *name;
	struct symbol symbols[SYMBOLS];
	bool stripped;
	struct {
		unsigned at;
		const char *function; /* NULL: none */
	} expected[4];
} rows[] = {
	{ "no underscores before some", { F("__libc_malloc", 16, 8), LOCAL("malloc", 16, 8),
	                                  F("__malloc", 16, 8) }, false,
	  { { 16, "malloc" }, { 23, "malloc" }, { 24, NULL } } },
	{ "one underscore before two", { F("__IO_puts", 0, 8), WEAK("_IO_puts", 0, 8) }, false,
	  { { 4, "_IO_puts" } } },
	{ "no underscores of its own: a mangled one", { F("_Z1fv", 0, 8), F("_f", 0, 8) }, false,
	  { { 4, "f()" } } },
	{ "global before weak before local", { LOCAL("a", 0, 8), WEAK("bb", 0, 8),
	                                       F("ccc", 0, 8), LOCAL("a", 8, 8),
	                                       WEAK("bb", 8, 8) }, false,
	  { { 0, "ccc" }, { 8, "bb" } } },
	{ "before a clone of a compiler", { F("f.localalias", 0, 8), LOCAL("f", 0, 8) }, false,
	  { { 0, "f" } } },
	{ "the shorter one", { F("lseek64", 0, 8), F("lseek", 0, 8) }, false, { { 0, "lseek" } } },
	{ "a function before a label", { LABEL("l", 0), LOCAL("__f", 0, 8) }, false,
	  { { 0, "__f" } } },
	{ "a label up to the next symbol", { LABEL("l", 0), F("f", 32, 8) }, false,
	  { { 31, "l" }, { 32, "f" }, { 40, NULL } } },
	{ "a function without a size, not out of the one around it",
	  { F("f", 0, 32), F("inside", 16, 0), F("g", 64, 8) }, false,
	  { { 15, "f" }, { 31, "inside" }, { 32, NULL }, { 64, "g" } } },
	{ "a label, not out of its section", { LABEL("l", 128) }, false,
	  { { 255, "l" }, { 256, NULL } } },
	{ "stripped: a function without a size", { F("f", 0, 0), F("g", 64, 8) }, true,
	  { { 0, "f" }, { 2, NULL }, { 63, NULL }, { 64, "g" } } },
	{ "of C++", { F("_ZNK2ns1S3getEi", 0, 8), F("_ZN2ns5twiceIiEET_S1_", 8, 8) }, false,
	  { { 0, "ns::S::get(int) const" }, { 8, "int ns::twice<int>(int)" } } },
	{ "of Rust, both kinds", { F("_RNvCs1234_7mycrate3foo", 0, 8),
	                           F("_ZN7mycrate3bar17h0123456789abcdefE", 8, 8) }, false,
	  { { 0, "mycrate::foo" }, { 8, "mycrate::bar" } } },
	{ "not mangled after all", { F("_Zebra", 0, 8), F("_R", 8, 8), F("_ZN", 16, 8) }, false,
	  { { 0, "_Zebra" }, { 8, "_R" }, { 16, "_ZN" } } },
	{ "one that stands for more than there is room for", { F(DOUBLED, 0, 8) }, false,
	  { { 0, DOUBLED } } },
	{ "one of a kind that is not so long", { F("_Z1f1AIiiE" TWICE("0"), 0, 8) }, false,
	  { { 0, "f(A<int, int>, A<A<int, int>, A<int, int> >)" } } },
};

TEST_ROWS(finds, rows, r)
{
	struct file *f = malloc(sizeof(*f));
	struct hs_program *p;

	assert_non_null(f);
	make_file(f, r->symbols, r->stripped);
	p = open_file(f, NULL);
	for (size_t i = 0; i < 4 && (r->expected[i].at || !i); i++) {
		struct hs_program_function found;
		const char *const name = r->expected[i].function;

		assert_int_equal(hs_program_find_function(p, TEXT + r->expected[i].at, &found),
		                 !!name);
		if (r->expected[i].at < 256)
			assert_string_equal(found.file, "dir/lib.so");
		if (name)
			assert_string_equal(found.name, name);
	}
	hs_program_free(p);
	free(f);
}

TEST(as_the_file_has_them)
{
	static const struct symbol symbols[SYMBOLS] = { F("_ZN2ns1fEv", 0, 8) };
	const struct hs_name_options names = { .size = sizeof(names), .mangled = true };
	struct hs_program_function found;
	struct file *f = malloc(sizeof(*f));
	struct hs_program *p;

	assert_non_null(f);
	make_file(f, symbols, false);
	p = open_file(f, &names);
	assert_true(hs_program_find_function(p, TEXT, &found));
	assert_string_equal(found.name, "_ZN2ns1fEv");
	assert_string_equal(found.symbol, "_ZN2ns1fEv");
	hs_program_free(p);
	free(f);
}

/* ---- names that are asked for ------------------------------------------------------- */

TEST(is_name)
{
	static const struct symbol symbols[SYMBOLS] = {
		F("_ZN2ns5twiceIiEET_S1_", 0, 8), F("malloc", 8, 8), F("__libc_malloc", 8, 8),
		F("_ZN12_GLOBAL__N_11fEi", 16, 8), F("main", 24, 8),
	};
	static const struct {
		unsigned at;
		const char *wanted;
		bool is;
	} asked[] = {
		{ 0, "int ns::twice<int>(int)", true }, { 0, "_ZN2ns5twiceIiEET_S1_", true },
		{ 0, "ns::twice<int>", true }, { 0, "ns::twice", true }, { 0, "twice", false },
		{ 0, "int", false }, { 0, "", false }, { 0, "ns::twic", false },
		{ 8, "malloc", true }, { 8, "__libc_malloc", true }, { 8, "__malloc", false },
		{ 16, "(anonymous namespace)::f(int)", true },
		{ 16, "(anonymous namespace)::f", true }, { 16, "f", false },
		{ 24, "main", true }, { 24, "malloc", false }, { 24, "mai", false },
		{ 64, "main", false },
	};
	struct file *f = malloc(sizeof(*f));
	struct hs_program *p;

	assert_non_null(f);
	make_file(f, symbols, false);
	p = open_file(f, NULL);
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		struct hs_program_function found;

		hs_program_find_function(p, TEXT + asked[i].at, &found);
		if (hs_program_is_name(p, &found, asked[i].wanted) != asked[i].is)
			fail_msg("%s at %u", asked[i].wanted, asked[i].at);
	}
	hs_program_free(p);
	free(f);
}

/* ---- code that is not the file's ------------------------------------------------------ */

enum refused { USED, REFUSED, PARTLY };

static const struct ran_row {
	const char *name;
	uint32_t flags; /* of the segment, besides PF_R | PF_X */
	uint64_t kernel; /* added to its address */
	unsigned at, n; /* bytes that ran; of these: */
	unsigned other_at, others;
	enum refused expected;
} ran_rows[] = {
	{ "the same", 0, 0, 0, 256, 0, 0, USED },
	{ "no other code", 0, 0, 512, 64, 512, 64, USED },
	{ "a byte", 0, 0, 16, 32, 40, 1, REFUSED },
	{ "the first byte of all", 0, 0, 0, 256, 0, 1, REFUSED },
	{ "the last byte of all", 0, 0, 192, 128, 255, 1, REFUSED },
	{ "writable code: an instruction", PF_W, 0, 0, 256, 32, 4, PARTLY },
	{ "writable code: more than an eighth", PF_W, 0, 0, 256, 32, 40, REFUSED },
	{ "a kernel: an instruction", 0, 0xffffffff80000000, 0, 256, 32, 4, USED },
	{ "a kernel: more than an eighth", 0, 0xffffffff80000000, 0, 256, 32, 40, REFUSED },
};

TEST_ROWS(differs, ran_rows, r)
{
	static const struct symbol symbols[SYMBOLS] = { F("f", 32, 32) };
	struct hs_program_function found;
	struct file *f = malloc(sizeof(*f));
	struct hs_program *p;
	uint8_t ran[768];

	assert_non_null(f);
	make_file(f, symbols, false);
	f->segments[0].p_flags |= LITTLE32(r->flags);
	f->segments[0].p_vaddr = LITTLE64(TEXT + r->kernel);
	f->sections[1].sh_addr = LITTLE64(TEXT + r->kernel);
	f->symbols[1].st_value = LITTLE64(TEXT + 32 + r->kernel);
	for (size_t i = 0; i < sizeof(ran); i++)
		ran[i] = (uint8_t)(i | 3) ^ (i - r->other_at < r->others ? 0x10 : 0);
	const struct hs_section section = { r->kernel + TEXT + r->at, r->n, ran + r->at };
	const struct hs_image image = { .sections = &section, .count = 1, .isa.xlen = 64 };
	const struct hs_span bytes = { (void *)f, sizeof(*f) };

	for (unsigned late = 0; late < 2; late++) { /* the image first, or the file */
		assert_int_equal(hs_program_new(&p), HS_OK);
		for (unsigned step = 0; step < 2; step++) {
			if (step == late)
				assert_int_equal(hs_program_add_image(p, &image, NULL), HS_OK);
			else
				assert_int_equal(hs_program_add_symbols_memory(
					p, &bytes, "f", 0, NULL), HS_OK);
		}
		assert_int_equal(hs_program_find_function(p, r->kernel + TEXT + 32, &found),
		                 r->expected == USED);
		assert_int_equal(hs_program_find_function(p, r->kernel + TEXT + 60, &found),
		                 r->expected != REFUSED);
		assert_int_equal(hs_program_note(p, 0) != NULL, r->expected == REFUSED);
		assert_null(hs_program_note(p, 1));
		hs_program_free(p);
	}
	free(f);
}

/* Code of a moment is compared, too; a guest is not needed. */
TEST(differs_now)
{
	static const struct symbol symbols[SYMBOLS] = { F("f", 0, 64) };
	static const uint8_t other[] = { 0x13, 1, 2, 3, 4, 5, 6, 7 };
	struct hs_guest_place place;
	struct hs_guest_at at = { .priv = HS_PRIV_U };
	struct file *f = malloc(sizeof(*f));
	struct hs_program *p;

	assert_non_null(f);
	make_file(f, symbols, false);
	p = open_file(f, NULL);
	assert_true(hs_guest_name(NULL, p, &at, TEXT + 4, &place));
	assert_string_equal(place.function, "f");
	assert_int_equal(place.offset, 4);
	assert_true(place.own);
	at.code = (struct hs_span){ f->code + 4, 60 };
	assert_true(hs_guest_name(NULL, p, &at, TEXT + 4, &place));
	at.code = (struct hs_span){ other, sizeof(other) };
	assert_false(hs_guest_name(NULL, p, &at, TEXT + 4, &place));
	assert_null(place.function);
	assert_null(place.file);
	hs_program_free(p);
	free(f);
}
