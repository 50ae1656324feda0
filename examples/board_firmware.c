/* Firmware that traces a part of itself into its own memory.
 *
 * trace_begin() before what is of interest, trace_end() after it; then trace_buffer is saved as
 * FILE.trace and the lines as FILE.regs (over a UART, or by a debugger), and on the host
 *
 *   hartscope list --elf firmware.elf --registers FILE.regs FILE.trace
 *
 * The addresses are those of the SoC's manual.  Freestanding: it needs libhartscope-core and four
 * functions of string.h.
 */
#include "board_firmware.h"

#define ENCODER 0x10001000u
#define FUNNEL  0x10002000u
#define RAM     0x10003000u

/* N-Trace with branch history, a synchronisation each 2^(4+4) messages. */
const char trace_as_ntrace[] = "[encoder]\n"
                               "trTeFormat = 1\n"
                               "trTeInstMode = 6\n"
                               "trTeInstSyncMode = 1\n"
                               "trTeInstSyncMax = 4\n";

/* E-Trace, whose packets in a ring are found by the sink's alignment sequences. */
const char trace_as_etrace[] = "[encoder]\n"
			       "trTeFormat = 0\n"
			       "trTeInstMode = 6\n"
			       "trTeInstSyncMode = 1\n"
			       "trTeInstSyncMax = 4\n"
			       "[ram]\n"
			       "trRamAsyncFreq = 2\n";

uint32_t trace_buffer[2048]; /* where the RAM sink may store: its bus sees this address */

static struct board board;

/* The address of a register, as a pointer. */
static volatile uint32_t *at(uintptr_t address)
{
	return (volatile uint32_t *)address;
}

enum board_result trace_begin(const char *settings)
{
	board.at[HS_TC_ENCODER] = at(board.address[HS_TC_ENCODER] = ENCODER);
	board.at[HS_TC_FUNNEL] = at(board.address[HS_TC_FUNNEL] = FUNNEL);
	board.at[HS_TC_RAM] = at(board.address[HS_TC_RAM] = RAM);
	board_want_memory(&board, (uintptr_t)trace_buffer, sizeof(trace_buffer));

	const enum board_result result = board_want(&board, settings);

	return result == BOARD_GOOD ? board_start(&board) : result;
}

enum board_result trace_end(void (*put)(void *user, const char *line), void *user)
{
	const enum board_result result = board_stop(&board);

	board_dump(&board, put, user);
	return result;
}
