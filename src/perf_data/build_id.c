/* perf.data: the build-id of an ELF file. */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hartscope/perf_writer.h>

bool hs_perf_find_build_id(const char *path, struct hs_perf_build_id *id)
{
	struct stat st;
	const bool regular = stat(path, &st) == 0 && S_ISREG(st.st_mode); /* no FIFO, no device */
	const int fd = regular ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	const void *bytes;

	elf_version(EV_CURRENT);
	Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	const ssize_t n = elf ? dwelf_elf_gnu_build_id(elf, &bytes) : 0;

	*id = (struct hs_perf_build_id){ .path = path };
	if (n > 0) {
		id->size = (uint8_t)(n < (ssize_t)sizeof(id->id) ? (size_t)n : sizeof(id->id));
		memcpy(id->id, bytes, id->size);
	}
	if (elf)
		elf_end(elf);
	if (fd >= 0)
		close(fd);
	return n > 0;
}
