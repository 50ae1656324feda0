/* Structures of an ELF file as this host has them: a RISC-V program's are little-endian. */
#ifndef HS_SUPPORT_ELF_ORDER_H
#define HS_SUPPORT_ELF_ORDER_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>

/* One structure of @type, in place: from the file, or for the file.  @wide: of ELF64. */
static inline bool support_elf_order(void *at, Elf_Type type, size_t n, bool wide, bool to_host)
{
	const Elf_Data data = { .d_buf = at, .d_type = type, .d_size = n, .d_version = EV_CURRENT };
	Elf_Data out = data;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return false;
	if (to_host)
		return (wide ? elf64_xlatetom : elf32_xlatetom)(&out, &data, ELFDATA2LSB) != NULL;
	return (wide ? elf64_xlatetof : elf32_xlatetof)(&out, &data, ELFDATA2LSB) != NULL;
}

/* A structure of ELF64 that was copied from a file. */
static inline void support_elf64_to_host(void *at, Elf_Type type, size_t n)
{
	support_elf_order(at, type, n, true, true);
}

/* One that is copied back. */
static inline void support_elf64_to_file(void *at, Elf_Type type, size_t n)
{
	support_elf_order(at, type, n, true, false);
}

#endif
