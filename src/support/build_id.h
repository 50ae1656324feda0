/* Build-ids of ELF files. */
#ifndef HS_SUPPORT_BUILD_ID_H
#define HS_SUPPORT_BUILD_ID_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

#define SUPPORT_ID_MAX 32 /* bytes; longer ones are none */

/* Copy the build-id to @id, which has room for SUPPORT_ID_MAX; its size in bytes, 0 without one. */
size_t support_elf_build_id(Elf *elf, uint8_t *id);
/* The same of the file at @path; 0 also where it is not a regular ELF file. */
size_t support_file_build_id(const char *path, uint8_t *id);
/* Write @n bytes at @id as lower-case hexadecimal digits and a terminator. */
void support_id_text(const uint8_t *id, size_t n, char text[2 * SUPPORT_ID_MAX + 1]);

#endif
