/* What board_firmware.c offers to the rest of a firmware. */
#ifndef EXAMPLES_BOARD_FIRMWARE_H
#define EXAMPLES_BOARD_FIRMWARE_H

#include "board.h"

extern const char trace_as_ntrace[], trace_as_etrace[];
extern uint32_t trace_buffer[2048];

enum board_result trace_begin(const char *settings);
/* @put gets the registers, line by line. */
enum board_result trace_end(void (*put)(void *user, const char *line), void *user);

#endif
