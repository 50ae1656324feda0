/* Trace of one hart through its trace control registers: set up, start, stop, dump.
 *
 * The sequence of the RISC-V Trace Control Interface ("TCI n" is a chapter of it) for code that
 * reaches the registers by loads and stores: firmware (board_firmware.c) and a Linux process
 * (board_linux.c).  No C library; the calls of control.h are in libhartscope-core.  Names, places
 * and bits of registers come from the library's table: what is wanted is text in their names.
 */
#ifndef EXAMPLES_BOARD_H
#define EXAMPLES_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/control.h>

#define BOARD_TRIES 100000 /* reads until a bit has to have changed */

enum board_result {
	BOARD_GOOD,
	BOARD_SETTINGS, /* a line of the settings is not a register or field with a value */
	BOARD_ACTIVE,   /* tr??Active does not change: wrong address, no clock, no power */
	BOARD_TYPE,     /* tr??Impl is that of another component, or of a version before 1.0 */
	BOARD_OTHER,    /* trTeFormat, trRamMode or the buffer's range are not what was written */
	BOARD_ENABLE,   /* tr??Enable or trTeInstTracing does not change */
	BOARD_FLUSH,    /* tr??Empty stays 0: the end of the trace is lost */
};

struct board {
	/* By the caller: bases of the components, NULL where there is none. */
	volatile uint32_t *at[HS_TC_COMPONENTS];
	uint64_t address[HS_TC_COMPONENTS]; /* the same as the SoC's manual has them, for dumps */
	/* For the caller: where it failed, and how many settings became something else (WARL). */
	struct hs_tc_place place;
	unsigned differences;
	/* Private: */
	struct hs_tc_dump wanted;
};

/* Take settings such as "[encoder]\ntrTeFormat = 1\n[ram]\ntrRamMode = 0\n". */
enum board_result board_want(struct board *b, const char *settings);

/* System memory for the buffer: @bytes from a physical address that is a multiple of 4. */
void board_want_memory(struct board *b, uint64_t start, uint64_t bytes);

/* Reset, set up and enable, sink first; trace begins with the last write (TCI 11.2, 11.3). */
enum board_result board_start(struct board *b);

/* Disable and flush, encoder first (TCI 11.3). */
enum board_result board_stop(struct board *b);

/* Each register as a line for `hartscope decode --registers`. */
void board_dump(struct board *b, void (*put)(void *user, const char *line), void *user);

/* The buffer: its first address, and how many bytes of it hold trace. */
uint64_t board_buffer(const struct board *b, uint64_t *bytes);

/* Words of a sink with its own SRAM, from an address on (trRamRP, trRamData). */
void board_read_sram(const struct board *b, uint64_t from, uint32_t *words, size_t count);

#endif
