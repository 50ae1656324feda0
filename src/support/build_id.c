/* Build-ids of ELF files, as the notes have them (gABI, Note Section; NT_GNU_BUILD_ID). */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "support/build_id.h"
#include "support/file.h"

size_t support_elf_build_id(Elf *elf, uint8_t *id)
{
	const void *bytes = NULL;
	const ssize_t n = elf ? dwelf_elf_gnu_build_id(elf, &bytes) : 0;

	if (n <= 0 || n > SUPPORT_ID_MAX)
		return 0;
	memcpy(id, bytes, (size_t)n);
	return (size_t)n;
}

size_t support_file_build_id(const char *path, uint8_t *id)
{
	const int fd = support_open_file(AT_FDCWD, path);

	if (fd < 0)
		return 0;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	const size_t n = support_elf_build_id(elf, id);

	elf_end(elf);
	close(fd);
	return n;
}

void support_id_text(const uint8_t *id, size_t n, char text[2 * SUPPORT_ID_MAX + 1])
{
	for (size_t i = 0; i < n; i++) {
		*text++ = "0123456789abcdef"[id[i] >> 4];
		*text++ = "0123456789abcdef"[id[i] & 15];
	}
	*text = '\0';
}
