/* A Linux process that traces while a command runs.
 *
 *   board_linux DEVICE ENCODER FUNNEL RAM PREFIX COMMAND [SETTINGS [START BYTES]]
 *
 * DEVICE is mapped at the offsets ENCODER, FUNNEL ('-': there is none) and RAM: /dev/mem with the
 * addresses of the SoC's manual, or a UIO device, whose map n has the offset n pages.  SETTINGS are
 * lines of registers, as in board.h, with ';' for line ends.  START and BYTES are a range of
 * physical memory that Linux does not use (reserved-memory of its device tree), which DEVICE has at
 * the offset START; without them trace goes to the sink's SRAM.  PREFIX.trace and PREFIX.regs are
 * for
 *
 *   hartscope list --elf PROGRAM --registers PREFIX.regs PREFIX.trace
 *
 * It needs the right to open DEVICE, and a kernel that does not drive these components itself.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "board.h"

#define PAGE 4096u

static const char *const results[] = {
	[BOARD_GOOD] = "good",
	[BOARD_SETTINGS] = "a setting is not a register with a value",
	[BOARD_ACTIVE] = "tr??Active does not change: wrong address, no clock or no power",
	[BOARD_TYPE] = "tr??Impl is not that of this component in version 1",
	[BOARD_OTHER] = "it reads back as something else",
	[BOARD_ENABLE] = "tr??Enable or trTeInstTracing does not change",
	[BOARD_FLUSH] = "tr??Empty stays 0: the end of the trace is lost",
};

static bool complain(const struct board *b, enum board_result result)
{
	char name[64];

	if (result != BOARD_GOOD)
		fprintf(stderr, "board_linux: %s: %s\n",
		        hs_tc_name(&b->place, name, sizeof(name)), results[result]);
	return result == BOARD_GOOD;
}

static bool map_component(struct board *b, int device, unsigned component, const char *text)
{
	const uint64_t address = strtoull(text, NULL, 0);
	void *p;

	if (strcmp(text, "-") == 0)
		return true;
	p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, device, (off_t)address);
	if (p == MAP_FAILED) {
		perror(text);
		return false;
	}
	b->at[component] = p;
	b->address[component] = address;
	return true;
}

static void put_line(void *file, const char *line)
{
	fprintf(file, "%s\n", line);
}

static FILE *create(const char *prefix, const char *ending)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", prefix, ending);
	f = fopen(path, "wb");
	if (!f)
		perror(path);
	return f;
}

/* @memory: the buffer as this process sees it; NULL: it is in the sink's SRAM. */
static bool save(struct board *b, const uint8_t *memory, const char *prefix)
{
	FILE *trace = create(prefix, ".trace"), *regs = create(prefix, ".regs");
	bool good = trace && regs;
	uint64_t bytes = 0;
	const uint64_t start = board_buffer(b, &bytes);
	uint32_t word;

	if (good && memory)
		good = fwrite(memory, 1, bytes, trace) == bytes;
	for (uint64_t i = 0; good && !memory && i < bytes; i += 4) {
		board_read_sram(b, start + i, &word, 1);
		const uint8_t le[] = { (uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
			               (uint8_t)(word >> 24) };

		good = fwrite(le, 1, 4, trace) == 4;
	}
	if (good)
		board_dump(b, put_line, regs);
	if (trace)
		good &= fclose(trace) == 0;
	if (regs)
		good &= fclose(regs) == 0;
	return good;
}

/* SETTINGS with its line ends. */
static bool take_settings(struct board *b, const char *settings)
{
	char *text = strdup(settings);
	bool good = text != NULL;

	for (char *p = text; good && *p; p++)
		*p = *p == ';' ? '\n' : *p;
	good = good && complain(b, board_want(b, text));
	free(text);
	return good;
}

static bool run(struct board *b, const uint8_t *memory, char **argv)
{
	if (!complain(b, board_start(b)))
		return false;
	if (b->differences)
		fprintf(stderr, "board_linux: %u registers read back otherwise: compare %s.regs\n",
		        b->differences, argv[5]);
	if (system(argv[6]) != 0)
		fprintf(stderr, "board_linux: %s: it did not end well\n", argv[6]);
	const bool stopped = complain(b, board_stop(b));

	return save(b, memory, argv[5]) && stopped;
}

int main(int argc, char **argv)
{
	static const char plain[] = "[encoder];trTeFormat = 1;trTeInstMode = 6;"
				    "trTeInstSyncMode = 1;trTeInstSyncMax = 3";
	static struct board b;
	void *memory = NULL;

	if (argc != 7 && argc != 8 && argc != 10) {
		fprintf(stderr, "usage: board_linux DEVICE ENCODER FUNNEL RAM PREFIX COMMAND "
		                "[SETTINGS [START BYTES]]\n");
		return 2;
	}
	const int device = open(argv[1], O_RDWR | O_SYNC | O_CLOEXEC);

	if (device < 0) {
		perror(argv[1]);
		return 1;
	}
	if (!map_component(&b, device, HS_TC_ENCODER, argv[2]) ||
	    !map_component(&b, device, HS_TC_FUNNEL, argv[3]) ||
	    !map_component(&b, device, HS_TC_RAM, argv[4]))
		return 1;
	if (argc == 10) {
		const uint64_t start = strtoull(argv[8], NULL, 0);
		const uint64_t bytes = strtoull(argv[9], NULL, 0);

		memory = mmap(NULL, bytes, PROT_READ, MAP_SHARED, device, (off_t)start);
		if (memory == MAP_FAILED) {
			perror(argv[8]);
			return 1;
		}
		board_want_memory(&b, start, bytes);
	}
	if (!take_settings(&b, argc > 7 ? argv[7] : plain))
		return 1;
	return run(&b, memory, argv) ? 0 : 1;
}
