/* 16-bit instructions by their 32-bit equals. */
#ifndef HS_EXEC_LOG_COMPRESS_H
#define HS_EXEC_LOG_COMPRESS_H

#include <stdbool.h>
#include <stdint.h>

/* The RV32C instruction that is written out as @w; of several the one that assemblers choose.
 * 0: there is none. */
uint16_t log_compress(uint32_t w);

#endif
