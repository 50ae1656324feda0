/* An ELF file with any bytes as its code and a function "first" in their first half (System V ABI,
 * chapter 4), for tests of what finds files by their code. */
#ifndef HS_TESTS_GUEST_ELF_H
#define HS_TESTS_GUEST_ELF_H

#include <elf.h>
#include <stdint.h>
#include <string.h>

#include "little.h"

#define GUEST_ELF_CODE 0x400u /* offset of the code */
#define GUEST_ELF_MAX (GUEST_ELF_CODE + 0x2000u)

struct guest_elf {
	uint16_t type;    /* ET_EXEC, ET_DYN */
	uint64_t address; /* of the code */
	const uint8_t *code;
	size_t size;      /* at most 0x2000 */
};

struct guest_elf_head {
	Elf64_Ehdr file;
	Elf64_Phdr segment;
	Elf64_Shdr sections[4]; /* none, code, symbols, names */
	Elf64_Sym symbols[2];
	char names[16];
};

/* Returns the size; @to has GUEST_ELF_MAX bytes. */
static inline size_t guest_elf_make(const struct guest_elf *e, uint8_t *to)
{
	struct guest_elf_head h = {
		.file = { .e_type = e->type, .e_machine = 243, .e_version = EV_CURRENT,
		          .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
		                       EV_CURRENT },
		          .e_phoff = offsetof(struct guest_elf_head, segment), .e_phnum = 1,
		          .e_shoff = offsetof(struct guest_elf_head, sections), .e_shnum = 4,
		          .e_ehsize = sizeof(h.file), .e_phentsize = sizeof(h.segment),
		          .e_shentsize = sizeof(h.sections[0]), .e_entry = e->address },
		.segment = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X,
		             .p_offset = GUEST_ELF_CODE, .p_vaddr = e->address,
		             .p_filesz = e->size, .p_memsz = e->size },
		.sections = {
			{ .sh_type = SHT_NULL },
			{ .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			  .sh_addr = e->address, .sh_offset = GUEST_ELF_CODE, .sh_size = e->size },
			{ .sh_type = SHT_SYMTAB, .sh_link = 3, .sh_entsize = sizeof(Elf64_Sym),
			  .sh_offset = offsetof(struct guest_elf_head, symbols),
			  .sh_size = sizeof(h.symbols) },
			{ .sh_type = SHT_STRTAB,
			  .sh_offset = offsetof(struct guest_elf_head, names),
			  .sh_size = sizeof(h.names) },
		},
		.symbols = { { 0 },
		             { .st_name = 1, .st_shndx = 1, .st_value = e->address,
		               .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		               .st_size = e->size / 2 } },
		.names = "\0first",
	};

	_Static_assert(sizeof(h) <= GUEST_ELF_CODE, "the code is after the head");
	memset(to, 0, GUEST_ELF_CODE);
	little_elf(&h);
	memcpy(to, &h, sizeof(h));
	memcpy(to + GUEST_ELF_CODE, e->code, e->size);
	return GUEST_ELF_CODE + e->size;
}

/* Bytes that repeat nowhere; another @seed, other bytes. */
static inline void guest_elf_code(uint8_t *to, size_t n, uint32_t seed)
{
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		to[i] = (uint8_t)(seed >> 24);
	}
}

#endif
