/* Programs: functions that have no symbol, by unwind information (System V ABI; LSB 5.0,
 * "Exception Frames") and by the linkage table (RISC-V ELF psABI), field by field. */
#include "cases.h"

#include <elf.h>
#include <hartscope/program.h>

#include "little.h"
#include "program/program.h"

#define TEXT 0x1000u   /* address of 256 bytes of code */
#define FRAMES 0x2000u /* address of .eh_frame */

struct file {
	Elf64_Ehdr head;
	Elf64_Phdr segment;
	Elf64_Shdr sections[6]; /* none, code, frames, names, symbols, their names */
	Elf64_Sym symbols[2];
	char names[24], symbol_names[8];
	uint8_t frames[96], code[256];
};

static void make_file(struct file *f, const uint8_t *frames, size_t size, bool symbol)
{
	memset(f, 0, sizeof(*f));
	f->head = (Elf64_Ehdr){ .e_type = ET_EXEC, .e_machine = EM_RISCV, .e_version = EV_CURRENT,
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
		             EV_CURRENT },
		.e_phoff = offsetof(struct file, segment), .e_phnum = 1,
		.e_shoff = offsetof(struct file, sections), .e_shnum = symbol ? 6 : 4,
		.e_shstrndx = 3, .e_ehsize = sizeof(f->head), .e_phentsize = sizeof(f->segment),
		.e_shentsize = sizeof(f->sections[0]), .e_entry = TEXT };
	f->segment = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = TEXT,
		.p_offset = offsetof(struct file, code), .p_filesz = sizeof(f->code),
		.p_memsz = sizeof(f->code) };
	memcpy(f->names, "\0.text\0.eh_frame", 17);
	f->sections[1] = (Elf64_Shdr){ .sh_name = 1, .sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = TEXT,
		.sh_offset = offsetof(struct file, code), .sh_size = sizeof(f->code) };
	f->sections[2] = (Elf64_Shdr){ .sh_name = 7, .sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC, .sh_addr = FRAMES,
		.sh_offset = offsetof(struct file, frames), .sh_size = size };
	f->sections[3] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
		.sh_offset = offsetof(struct file, names), .sh_size = sizeof(f->names) };
	f->sections[4] = (Elf64_Shdr){ .sh_type = SHT_SYMTAB, .sh_link = 5,
		.sh_entsize = sizeof(Elf64_Sym), .sh_offset = offsetof(struct file, symbols),
		.sh_size = sizeof(f->symbols) };
	f->sections[5] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
		.sh_offset = offsetof(struct file, symbol_names),
		.sh_size = sizeof(f->symbol_names) };
	memcpy(f->symbol_names, "\0named", 7);
	f->symbols[1] = (Elf64_Sym){ .st_name = 1, .st_shndx = 1, .st_value = TEXT + 0x10,
		.st_size = 0x20, .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC) };
	memcpy(f->frames, frames, size);
	little_elf(f);
}

/* A CIE of 16 bytes after its length: version 1, augmentation, code and data alignment, ra, and
 * augmentation data: the encoding of addresses.  An FDE begins with its length and the distance
 * from its second word to the CIE. */
#define CIE(encoding) \
	0x10, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x7c, 1, 1, (encoding), 0, 0, 0
#define FDE(size) (size), 0, 0, 0, 0x18, 0, 0, 0

static const struct row {
	const char *name;
	size_t size;
	uint8_t frames[96];
	bool symbol; /* "named" at 0x1010, 32 bytes */
	struct {
		uint64_t addr;
		const char *function; /* NULL: none */
		uint64_t start, size;
	} expected[4];
} rows[] = {
	/* the address is at 0x201c: 0x201c - 0x100c = 0x1010 */
	{ "relative, 4 bytes", 37, { CIE(0x1b), FDE(13), 0xf4, 0xef, 0xff, 0xff, 0x20, 0, 0, 0 },
	  false, { { 0x100f, NULL, 0, 0 }, { 0x1010, "a:0x1010", 0x1010, 32 },
	           { 0x102f, "a:0x1010", 0x1010, 32 }, { 0x1030, NULL, 0, 0 } } },
	{ "absolute, of the class", 45,
	  { CIE(0), FDE(21), 0x10, 0x10, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0 },
	  false, { { 0x1010, "a:0x1010", 0x1010, 32 }, { 0x1030, NULL, 0, 0 } } },
	{ "absolute, 2 bytes", 33, { CIE(2), FDE(9), 0x10, 0x10, 0x20, 0 },
	  false, { { 0x1010, "a:0x1010", 0x1010, 32 }, { 0x1030, NULL, 0, 0 } } },
	{ "signed, of which sizes are not", 33, { CIE(10), FDE(9), 0x10, 0x10, 0x00, 0x80 },
	  false, { { 0x1010, "a:0x1010", 0x1010, 0x8000 } } },
	{ "indirect", 37, { CIE(0x9b), FDE(13), 0xf4, 0xef, 0xff, 0xff, 0x20, 0, 0, 0 },
	  false, { { 0x1010, NULL, 0, 0 } } },
	{ "LEB128", 33, { CIE(1), FDE(9), 0x90, 0x20, 0x20, 0 },
	  false, { { 0x1010, "a:0x1010", 0x1010, 32 }, { 0x1030, NULL, 0, 0 } } },
	{ "empty", 37, { CIE(0x1b), FDE(13), 0xf4, 0xef, 0xff, 0xff, 0, 0, 0, 0 },
	  false, { { 0x1010, NULL, 0, 0 } } },
	{ "cut short", 30, { CIE(0x1b), FDE(13), 0xf4, 0xef, 0xff, 0xff, 0x20, 0 },
	  false, { { 0x1010, NULL, 0, 0 } } },
	{ "a symbol wins", 37, { CIE(0x1b), FDE(13), 0xf4, 0xef, 0xff, 0xff, 0x30, 0, 0, 0 },
	  true, { { 0x1010, "named", 0x1010, 32 }, { 0x1030, NULL, 0, 0 } } },
	/* 0x201c - 0x0ffc = 0x1020 */
	{ "inside of a symbol's", 37, { CIE(0x1b), FDE(13), 0x04, 0xf0, 0xff, 0xff, 8, 0, 0, 0 },
	  true, { { 0x1020, "named", 0x1010, 32 } } },
	/* 0x201c - 0x101c = 0x1000 */
	{ "around a symbol's", 37, { CIE(0x1b), FDE(13), 0xe4, 0xef, 0xff, 0xff, 64, 0, 0, 0 },
	  true, { { 0x1000, "a:0x1000", 0x1000, 64 }, { 0x1010, "named", 0x1010, 32 },
	          { 0x1030, "a:0x1000", 0x1000, 64 } } },
};

TEST_ROWS(finds, rows, r)
{
	struct hs_program *p;
	struct file *f = malloc(sizeof(*f));

	assert_non_null(f);
	make_file(f, r->frames, r->size, r->symbol);
	assert_int_equal(hs_program_new(&p), HS_OK);
	assert_int_equal(hs_program_add_elf_memory(
				 p, &(struct hs_span){ (void *)f, sizeof(*f) }, "dir/a", 0, NULL),
	                 HS_OK);
	for (size_t i = 0; i < 4 && r->expected[i].addr; i++) {
		struct hs_program_function found;
		const char *const name = r->expected[i].function;

		assert_int_equal(hs_program_find_function(p, r->expected[i].addr, &found), !!name);
		if (!name)
			continue;
		assert_string_equal(found.name, name);
		assert_int_equal(found.start, r->expected[i].start);
		assert_int_equal(found.size, r->expected[i].size);
	}
	hs_program_free(p);
	free(f);
}

/* The name has the file's address, the range that where it is. */
TEST(a_name_has_the_address_of_its_file)
{
	struct hs_program_function found;
	struct hs_program *p;
	struct file f;

	make_file(&f, rows[0].frames, rows[0].size, false);
	assert_int_equal(hs_program_new(&p), HS_OK);
	assert_int_equal(hs_program_add_elf_memory(
				 p, &(struct hs_span){ (void *)&f, sizeof(f) }, "a", 0x40000, NULL),
	                 HS_OK);
	assert_true(hs_program_find_function(p, 0x41012, &found));
	assert_string_equal(found.name, "a:0x1010");
	assert_int_equal(found.start, 0x41010);
	hs_program_free(p);
}
