/* A file of a kernel's module with any bytes as its code, a function "probe" in their first half,
 * one relocation in the code, and one place that a jump label may patch (System V ABI, chapter 4;
 * RISC-V ELF psABI). */
#ifndef HS_TESTS_GUEST_KO_H
#define HS_TESTS_GUEST_KO_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "little.h"

#define GUEST_KO_CODE 0x600u /* offset of the code */
#define GUEST_KO_MAX (GUEST_KO_CODE + 0x1000u)

struct guest_ko {
	const uint8_t *code;
	size_t size;          /* at most 0x1000 */
	uint32_t type;        /* of the relocation */
	uint64_t at;          /* in the code */
	uint64_t patched;     /* place of a jump label, in the code */
	const char *table;    /* NULL: "__jump_table" */
};

struct guest_ko_head {
	Elf64_Ehdr file;
	Elf64_Shdr sections[9];
	Elf64_Sym symbols[3];
	Elf64_Rela code_relocations[1], table_relocations[1];
	uint8_t table[16];
	char names[16], section_names[128];
};

#define GUEST_KO_AT(member) offsetof(struct guest_ko_head, member)

/* Returns the size; @to has GUEST_KO_MAX bytes. */
static inline size_t guest_ko_make(const struct guest_ko *k, uint8_t *to)
{
	struct guest_ko_head h = {
		.file = { .e_type = ET_REL, .e_machine = 243, .e_version = EV_CURRENT,
		          .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
		                       EV_CURRENT },
		          .e_shoff = GUEST_KO_AT(sections), .e_shnum = 9, .e_shstrndx = 8,
		          .e_ehsize = sizeof(h.file), .e_shentsize = sizeof(h.sections[0]) },
		.sections = {
			{ .sh_type = SHT_NULL },
			{ 1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, GUEST_KO_CODE, k->size, 0, 0,
			  4, 0 },
			{ 7, SHT_RELA, SHF_INFO_LINK, 0, GUEST_KO_AT(code_relocations),
			  sizeof(h.code_relocations), 6, 1, 8, sizeof(Elf64_Rela) },
			{ 18, SHT_PROGBITS, SHF_ALLOC, 0, GUEST_KO_AT(table), 16, 0, 0, 8, 0 },
			{ 18, SHT_RELA, SHF_INFO_LINK, 0, GUEST_KO_AT(table_relocations),
			  sizeof(h.table_relocations), 6, 3, 8, sizeof(Elf64_Rela) },
			{ 64, SHT_PROGBITS, SHF_ALLOC, 0, GUEST_KO_AT(table), 16, 0, 0, 8, 0 },
			{ 0, SHT_SYMTAB, 0, 0, GUEST_KO_AT(symbols), sizeof(h.symbols), 7, 1, 8,
			  sizeof(Elf64_Sym) },
			{ 0, SHT_STRTAB, 0, 0, GUEST_KO_AT(names), sizeof(h.names), 0, 0, 1, 0 },
			{ 0, SHT_STRTAB, 0, 0, GUEST_KO_AT(section_names),
			  sizeof(h.section_names), 0, 0, 1, 0 },
		},
		.symbols = { { 0 },
		             { .st_name = 1, .st_shndx = 1, .st_size = k->size / 2,
		               .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) },
		             { .st_name = 7, .st_shndx = 1, .st_value = k->patched } },
		.code_relocations = { { k->at, ELF64_R_INFO(UINT64_C(1), k->type), 0 } },
		/* R_RISCV_ADD32 */
		.table_relocations = { { 0, ELF64_R_INFO(UINT64_C(2), 35), 0 } },
		.names = "\0probe\0.L1",
		.section_names = "\0.text\0.rela.text",
	};

	_Static_assert(sizeof(h) <= GUEST_KO_CODE, "the code is after the head");
	strcpy(h.section_names + 18, k->table ? k->table : "__jump_table");
	strcpy(h.section_names + 64, ".gnu.linkonce.this_module");
	h.table[10] = 6; /* bytes that an alternative replaces */
	memset(to, 0, GUEST_KO_CODE);
	little_elf(&h);
	memcpy(to, &h, sizeof(h));
	memcpy(to + GUEST_KO_CODE, k->code, k->size);
	return GUEST_KO_CODE + k->size;
}

#endif
