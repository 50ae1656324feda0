/* Trace components of SiFive's version 0, as the P550 has them: encoders at 0x100000 + n * 0x1000,
 * a funnel with the sink in system memory at 0x18000, words of 64 bits. */
#ifndef TESTS_BOARD_SIFIVE_H
#define TESTS_BOARD_SIFIVE_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/block.h>

enum { SIFIVE_ENCODER_BASE = 0x100000, SIFIVE_FUNNEL_BASE = 0x18000, SIFIVE_HARTS = 4 };

void sifive_open(unsigned harts, bool (*store)(void *user, uint64_t address, uint32_t word));

/* Is a component at this address? */
bool sifive_has(uint64_t address);
uint32_t sifive_read(uint64_t address);
void sifive_write(uint64_t address, uint32_t value);

/* A hart executes a block, or an event comes before its next one. */
void sifive_run(unsigned hart, const struct hs_block *b);

#endif
