/* Loads and stores of this process to pages of registers, carried out by the board of model.h.
 *
 * The pages have no access rights.  The fault says which word is wanted, and whether to load or to
 * store it; the instruction then runs by itself (single step) on a page that has the word, and what
 * it stored goes to the board.  Each access of a program is seen, once and in order, although the
 * program is compiled as it is for hardware.  x86-64 Linux only. */
#ifndef TESTS_BOARD_TRAP_H
#define TESTS_BOARD_TRAP_H

#include <stddef.h>
#include <stdint.h>

/* Whole pages at @p become the registers from a bus address on; up to 8 such ranges.  Aborts when
 * that is not possible. */
void trap_pages(void *p, size_t bytes, uint64_t address);

#endif
