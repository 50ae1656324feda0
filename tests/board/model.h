/* A board without hardware: addresses of a trace system of the device model, and harts that
 * execute the blocks of a recording.
 *
 *   encoder of hart n  0x10001000 + n * 0x10000
 *   funnel             0x10002000, input n from hart n
 *   RAM sink           0x10003000
 *   system memory      1 MiB at 0x90000000, and again at 0x490000000
 *
 * Other addresses from 0x10000000 to 0x100fffff read 0 and ignore writes, as peripherals without a
 * clock do; an access anywhere else is a bus error. */
#ifndef TESTS_BOARD_MODEL_H
#define TESTS_BOARD_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOARD_ENCODER 0x10001000u
#define BOARD_FUNNEL  0x10002000u
#define BOARD_RAM     0x10003000u
#define BOARD_MEMORY  0x90000000u
#define BOARD_WIDE    0x490000000u
#define BOARD_MEMORY_BYTES 0x100000u

struct board_options {
	const char *recording;
	bool etrace;
	const char *sink; /* of the RAM sink: a profile of hs_tc_profile_find(), or "old": one from
	                     before ratification; NULL: all of the text.  "sifive": those of
	                     sifive.h */
};

/* False: why is on standard error. */
bool board_open(const struct board_options *options);
void board_close(void);

/* Memory of this process, at a bus address: the RAM sink may store there. */
void board_map_memory(uint64_t address, uint8_t *p, size_t bytes);

/* Access a word.  False: a bus error. */
bool board_read(uint64_t address, uint32_t *value);
bool board_write(uint64_t address, uint32_t value);

/* Let each hart execute up to so many blocks.  Returns how many they did together: 0 when all have
 * come to their end, or are stalled. */
size_t board_run(size_t blocks);

#endif
