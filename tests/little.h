/* What tests make as structures and numbers of this host, as the little-endian bytes that a RISC-V
 * program, a file or a hart has.  On little-endian hosts nothing changes. */
#ifndef HS_TESTS_LITTLE_H
#define HS_TESTS_LITTLE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LITTLE16(v) __builtin_bswap16(v)
#define LITTLE32(v) __builtin_bswap32(v)
#define LITTLE64(v) __builtin_bswap64(v)
#else
#define LITTLE16(v) (v)
#define LITTLE32(v) (v)
#define LITTLE64(v) (v)
#endif

/* A member of a structure. */
#define LITTLE(member) \
	((member) = (__typeof__(member))(sizeof(member) == 8 ? LITTLE64((uint64_t)(member)) : \
	                                 sizeof(member) == 4 ? LITTLE32((uint32_t)(member)) : \
	                                 LITTLE16((uint16_t)(member))))

static inline void little_symbols(Elf64_Sym *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		LITTLE(s[i].st_name);
		LITTLE(s[i].st_shndx);
		LITTLE(s[i].st_value);
		LITTLE(s[i].st_size);
	}
}

static inline void little_relocations(Elf64_Rela *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		LITTLE(r[i].r_offset);
		LITTLE(r[i].r_info);
		LITTLE(r[i].r_addend);
	}
}

/* The sections' tables, then the sections. */
static inline void little_sections(uint8_t *file, Elf64_Shdr *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		void *at = file + s[i].sh_offset;

		if (s[i].sh_type == SHT_SYMTAB || s[i].sh_type == SHT_DYNSYM)
			little_symbols(at, s[i].sh_size / sizeof(Elf64_Sym));
		if (s[i].sh_type == SHT_RELA)
			little_relocations(at, s[i].sh_size / sizeof(Elf64_Rela));
		LITTLE(s[i].sh_name);
		LITTLE(s[i].sh_type);
		LITTLE(s[i].sh_flags);
		LITTLE(s[i].sh_addr);
		LITTLE(s[i].sh_offset);
		LITTLE(s[i].sh_size);
		LITTLE(s[i].sh_link);
		LITTLE(s[i].sh_info);
		LITTLE(s[i].sh_addralign);
		LITTLE(s[i].sh_entsize);
	}
}

static inline void little_segments(Elf64_Phdr *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		LITTLE(p[i].p_type);
		LITTLE(p[i].p_flags);
		LITTLE(p[i].p_offset);
		LITTLE(p[i].p_vaddr);
		LITTLE(p[i].p_paddr);
		LITTLE(p[i].p_filesz);
		LITTLE(p[i].p_memsz);
		LITTLE(p[i].p_align);
	}
}

static inline void little_note(Elf64_Nhdr *n)
{
	LITTLE(n->n_namesz);
	LITTLE(n->n_descsz);
	LITTLE(n->n_type);
}

/* A 64-bit ELF file that was made of this host's structures: headers, symbols, relocations.  Notes
 * are the caller's. */
static inline void little_elf(void *bytes)
{
	Elf64_Ehdr *h = bytes;
	uint8_t *file = bytes;

	if (h->e_shoff)
		little_sections(file, (void *)(file + h->e_shoff), h->e_shnum);
	if (h->e_phoff)
		little_segments((void *)(file + h->e_phoff), h->e_phnum);
	LITTLE(h->e_type);
	LITTLE(h->e_machine);
	LITTLE(h->e_version);
	LITTLE(h->e_entry);
	LITTLE(h->e_phoff);
	LITTLE(h->e_shoff);
	LITTLE(h->e_flags);
	LITTLE(h->e_ehsize);
	LITTLE(h->e_phentsize);
	LITTLE(h->e_phnum);
	LITTLE(h->e_shentsize);
	LITTLE(h->e_shnum);
	LITTLE(h->e_shstrndx);
}

/* The same of a 32-bit one, which has segments only. */
static inline void little_elf32(Elf32_Ehdr *h)
{
	Elf32_Phdr *p = (void *)((uint8_t *)h + h->e_phoff);

	for (size_t i = 0; i < h->e_phnum; i++) {
		LITTLE(p[i].p_type);
		LITTLE(p[i].p_offset);
		LITTLE(p[i].p_vaddr);
		LITTLE(p[i].p_filesz);
	}
	LITTLE(h->e_type);
	LITTLE(h->e_machine);
	LITTLE(h->e_version);
	LITTLE(h->e_entry);
	LITTLE(h->e_phoff);
	LITTLE(h->e_ehsize);
	LITTLE(h->e_phentsize);
	LITTLE(h->e_phnum);
}

#endif
