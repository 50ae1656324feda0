/* examples/board_linux.c on the board of model.h: the device is an ordinary file.
 *
 *   board-linux RECORDING ntrace|etrace DEVICE...   (arguments of board_linux)
 *
 * The linker puts these mmap64() and system() in place of the C library's: pages of registers are
 * mapped from the file and trapped, and the command that is traced is the recording. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "board/model.h"
#include "board/trap.h"

/* Shared libraries are linked as if they called these, too. */
#pragma GCC visibility push(default)
void *__real_mmap64(void *p, size_t bytes, int rights, int flags, int file, off_t offset);
void *__wrap_mmap64(void *p, size_t bytes, int rights, int flags, int file, off_t offset);
int __wrap_system(const char *command);
#pragma GCC visibility pop
int example_main(int argc, char **argv);

void *__wrap_mmap64(void *p, size_t bytes, int rights, int flags, int file, off_t offset)
{
	uint8_t *mapped = __real_mmap64(p, bytes, rights, flags, file, offset);

	if (mapped == MAP_FAILED || file < 0)
		return mapped;
	if ((uint64_t)offset < BOARD_MEMORY) {
		trap_pages(mapped, bytes, (uint64_t)offset);
	} else {
		/* the sink's DMA writes what the process only reads */
		uint8_t *bus = __real_mmap64(NULL, bytes, PROT_READ | PROT_WRITE, flags, file,
		                             offset);

		board_map_memory((uint64_t)offset, bus, bytes);
	}
	return mapped;
}

int __wrap_system(const char *command)
{
	printf("%s: %zu blocks\n", command, board_run(SIZE_MAX));
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	const struct board_options o = { .recording = argv[1],
		                         .etrace = strcmp(argv[2], "etrace") == 0 };

	if (!board_open(&o))
		return 1;
	const int result = example_main(argc - 2, argv + 2);

	board_close();
	return result;
}
