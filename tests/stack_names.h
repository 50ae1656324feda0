/* Functions whose names mean something for call stacks: an ELF file of symbols only. */
#ifndef HS_TESTS_STACK_NAMES_H
#define HS_TESTS_STACK_NAMES_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <hartscope/program.h>

#include "little.h"
#include "program/program.h"

/* Functions of 256 bytes each, at 0x100, 0x200 and so on. */
static const char *const stack_names[] = {
	"main", "f", "g", "f.cold", "setjmp", "longjmp", "swapcontext", "__start_context",
	"handler", "kernel", "other", "__switch_to",
	"runtime.mcall", "runtime.gogo.abi0", "runtime.newstack",
};
enum { MAIN = 0x100, F = 0x200, G = 0x300, COLD = 0x400, SET = 0x500, LONG = 0x600, SWAP = 0x700,
       START = 0x800, HANDLER = 0x900, KERNEL = 0xa00, OTHER = 0xb00, TASKS = 0xc00,
       MCALL = 0xd00, GOGO = 0xe00, NEWSTACK = 0xf00,
       UNKNOWN = 0x2000 };
#define STACK_NAMES (sizeof(stack_names) / sizeof(*stack_names))

struct stack_names_file {
	Elf64_Ehdr header;
	Elf64_Shdr sections[4];
	Elf64_Sym symbols[STACK_NAMES + 1];
	char names[256];
};

static inline void stack_names_write(struct stack_names_file *f)
{
	size_t at = 1;

	memset(f, 0, sizeof(*f));
	f->header = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
		             EV_CURRENT },
		.e_type = ET_EXEC, .e_machine = EM_RISCV, .e_version = EV_CURRENT,
		.e_ehsize = sizeof(f->header),
		.e_shoff = offsetof(struct stack_names_file, sections),
		.e_shentsize = sizeof(f->sections[0]), .e_shnum = 4 };
	f->sections[1] = (Elf64_Shdr){ .sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		                       .sh_addr = MAIN, .sh_size = 256 * STACK_NAMES };
	f->sections[2] = (Elf64_Shdr){ .sh_type = SHT_SYMTAB, .sh_link = 3,
		                       .sh_offset = offsetof(struct stack_names_file, symbols),
		                       .sh_size = sizeof(f->symbols),
		                       .sh_entsize = sizeof(f->symbols[0]) };
	f->sections[3] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
		                       .sh_offset = offsetof(struct stack_names_file, names),
		                       .sh_size = sizeof(f->names) };
	for (size_t i = 0; i < STACK_NAMES; i++) {
		f->symbols[i + 1] = (Elf64_Sym){
			.st_name = (Elf64_Word)at, .st_value = MAIN + 256 * i, .st_size = 256,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1 };
		strcpy(f->names + at, stack_names[i]);
		at += strlen(stack_names[i]) + 1;
	}
	little_elf(f);
}

/* NULL: no memory. */
static inline struct hs_program *stack_names_program(void)
{
	static struct stack_names_file f;
	const struct hs_span bytes = { (const uint8_t *)&f, sizeof(f) };
	struct hs_program *p;

	stack_names_write(&f);
	if (hs_program_new(&p) != HS_OK)
		return NULL;
	if (hs_program_add_symbols_memory(p, &bytes, "names", 0, NULL) == HS_OK)
		return p;
	hs_program_free(p);
	return NULL;
}

#endif
