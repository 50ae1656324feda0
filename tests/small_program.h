/* A program of two functions that tests list and count by hand, and an ELF file of it (System V
 * ABI, chapter 4; RISC-V ELF psABI, "Attributes"; DWARF 4, 6.2 and 7.5).
 *
 *   main:  10000  0001      c.nop
 *          10002  00000013  addi zero, zero, 0
 *          10006  00a000ef  jal ra, 10010 <leaf>
 *          1000a  fe050be3  beqz a0, 10000 <main>
 *          1000e  8082      c.jr ra
 *   leaf:  10010  4501      c.li a0, 0
 *          10012  8082      c.jr ra
 *
 * main is line 3 of /src/a.c, leaf is line 8.
 */
#ifndef HS_TESTS_SMALL_PROGRAM_H
#define HS_TESTS_SMALL_PROGRAM_H

#include <elf.h>
#include <stdint.h>
#include <string.h>

#include "little.h"

#define SMALL_MAIN 0x10000u
#define SMALL_LEAF 0x10010u
#define SMALL_ELF_MAX 2048

static const uint8_t small_code[] = {
	0x01, 0x00, 0x13, 0x00, 0x00, 0x00, 0xef, 0x00, 0xa0, 0x00,
	0xe3, 0x0b, 0x05, 0xfe, 0x82, 0x80, 0x01, 0x45, 0x82, 0x80,
};

static const char small_strings[] = "\0main\0leaf";
static const char small_section_names[] =
	"\0.text\0.symtab\0.strtab\0.shstrtab\0.debug_abbrev\0.debug_info\0.debug_line\0"
	".riscv.attributes";

static const Elf64_Sym small_symbols[] = {
	{ 0 },
	{ .st_name = 6, .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC), .st_shndx = 1,
	  .st_value = SMALL_LEAF, .st_size = 4 },
	{ .st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1,
	  .st_value = SMALL_MAIN, .st_size = 16 },
};

static const uint8_t small_abbrev[] = {
	1, 0x11, 0,                         /* 1: DW_TAG_compile_unit, no children */
	0x10, 0x17, 0x03, 0x08, 0x1b, 0x08, /* stmt_list: sec_offset; name, comp_dir: string */
	0, 0, 0,
};

static const uint8_t small_info[] = {
	/* length, version 4, abbreviations at 0, 8-byte addresses */
	21, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8,
	1, 0, 0, 0, 0, 'a', '.', 'c', 0, '/', 's', 'r', 'c', 0,
};

static const uint8_t small_lines[] = {
	57, 0, 0, 0, 4, 0, 27, 0, 0, 0,       /* length, version 4, length of the header */
	1, 1, 1, 0xfb, 14, 13,                /* line_base -5, line_range 14, opcode_base 13 */
	0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1,   /* operands of the standard opcodes */
	0, 'a', '.', 'c', 0, 0, 0, 0, 0,      /* no directories; file 1; the end */
	0, 9, 2, 0, 0, 1, 0, 0, 0, 0, 0,      /* set_address 0x10000 */
	3, 2, 1,                              /* advance_line 2, copy: line 3 */
	2, 16, 3, 5, 1,                       /* advance_pc 16, advance_line 5, copy: line 8 */
	2, 4, 0, 1, 1,                        /* advance_pc 4, end_sequence */
};

static const uint8_t small_attributes[] = {
	'A', 33, 0, 0, 0, 'r', 'i', 's', 'c', 'v', 0, /* length of the vendor's section */
	1, 23, 0, 0, 0,                               /* Tag_file, length */
	5, 'r', 'v', '6', '4', 'i', '2', 'p', '1', '_', 'z', 'c', 'm', 'p', '1', 'p', '0', 0,
};

/* The ELF file.  Returns its size, at most SMALL_ELF_MAX. */
static inline size_t small_elf(uint8_t *out)
{
	const struct {
		const void *bytes;
		uint64_t size;
		const char *name;
		uint32_t type, link;
	} parts[] = {
		{ small_code, sizeof(small_code), ".text", SHT_PROGBITS, 0 },
		{ small_symbols, sizeof(small_symbols), ".symtab", SHT_SYMTAB, 3 },
		{ small_strings, sizeof(small_strings), ".strtab", SHT_STRTAB, 0 },
		{ small_section_names, sizeof(small_section_names), ".shstrtab", SHT_STRTAB, 0 },
		{ small_abbrev, sizeof(small_abbrev), ".debug_abbrev", SHT_PROGBITS, 0 },
		{ small_info, sizeof(small_info), ".debug_info", SHT_PROGBITS, 0 },
		{ small_lines, sizeof(small_lines), ".debug_line", SHT_PROGBITS, 0 },
		{ small_attributes, sizeof(small_attributes), ".riscv.attributes", 0x70000003, 0 },
	};
	enum { PARTS = sizeof(parts) / sizeof(*parts) };
	Elf64_Shdr sections[PARTS + 1] = { { 0 } };
	uint64_t at = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr), name = 1;

	memset(out, 0, SMALL_ELF_MAX);
	for (unsigned i = 0; i < PARTS; i++) {
		at = (at + 7) & ~UINT64_C(7);
		sections[i + 1] = (Elf64_Shdr){
			.sh_name = (uint32_t)name, .sh_type = parts[i].type, .sh_offset = at,
			.sh_size = parts[i].size, .sh_link = parts[i].link, .sh_addralign = 8,
			.sh_flags = i == 0 ? SHF_ALLOC | SHF_EXECINSTR : 0,
			.sh_addr = i == 0 ? SMALL_MAIN : 0, .sh_info = i == 1 ? 2 : 0,
			.sh_entsize = i == 1 ? sizeof(Elf64_Sym) : 0 };
		memcpy(out + at, parts[i].bytes, parts[i].size);
		at += parts[i].size;
		name += strlen(parts[i].name) + 1;
	}
	at = (at + 7) & ~UINT64_C(7);
	const Elf64_Phdr segment = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X,
		                     .p_offset = sections[1].sh_offset, .p_vaddr = SMALL_MAIN,
		                     .p_filesz = sizeof(small_code),
		                     .p_memsz = sizeof(small_code), .p_align = 2 };
	const Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 }, .e_type = ET_EXEC,
		.e_machine = EM_RISCV, .e_version = 1, .e_entry = SMALL_MAIN,
		.e_phoff = sizeof(header), .e_shoff = at, .e_ehsize = sizeof(header),
		.e_phentsize = sizeof(segment), .e_phnum = 1, .e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = PARTS + 1, .e_shstrndx = 4 };

	memcpy(out, &header, sizeof(header));
	memcpy(out + sizeof(header), &segment, sizeof(segment));
	memcpy(out + at, sections, sizeof(sections));
	little_elf(out);
	return at + sizeof(sections);
}

#endif
