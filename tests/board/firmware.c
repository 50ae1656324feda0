/* examples/board_firmware.c on the board of model.h: its registers are at their addresses.
 *
 *   board-firmware RECORDING ntrace|etrace PREFIX
 *
 * Between its two calls the harts execute the recording.  Writes PREFIX.trace and PREFIX.regs. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "../../examples/board_firmware.h"
#include "board/model.h"
#include "board/trap.h"

static FILE *create(const char *prefix, const char *ending)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s%s", prefix, ending);
	return fopen(path, "wb");
}

static void put_line(void *file, const char *line)
{
	fprintf(file, "%s\n", line);
}

static bool map_registers(void)
{
	const size_t bytes = BOARD_RAM + 0x1000 - BOARD_ENCODER;
	void *wanted = (void *)(uintptr_t)BOARD_ENCODER; /* NOLINT */
	void *p = mmap(wanted, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
	               -1, 0);

	if (p != wanted)
		return false;
	trap_pages(p, bytes, BOARD_ENCODER);
	board_map_memory((uintptr_t)trace_buffer, (uint8_t *)trace_buffer, sizeof(trace_buffer));
	return true;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	const bool etrace = strcmp(argv[2], "etrace") == 0;
	const struct board_options o = { .recording = argv[1], .etrace = etrace };
	FILE *regs = create(argv[3], ".regs"), *trace = create(argv[3], ".trace");

	if (!regs || !trace || !board_open(&o))
		return 1;
	if (!map_registers())
		return 77;
	const enum board_result begun = trace_begin(etrace ? trace_as_etrace : trace_as_ntrace);

	board_run(SIZE_MAX);
	const enum board_result ended = trace_end(put_line, regs);

	fwrite(trace_buffer, 1, sizeof(trace_buffer), trace);
	fclose(trace);
	fclose(regs);
	board_close();
	printf("begin %d, end %d\n", begun, ended);
	return begun || ended;
}
