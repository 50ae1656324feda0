/* The program of small_program.h, from its ELF file. */
#ifndef TESTS_SMALL_LOADED_H
#define TESTS_SMALL_LOADED_H

#include <hartscope/program.h>

#include "cases.h"
#include "small_program.h"

static inline struct hs_program *small_program(void)
{
	static uint8_t elf[SMALL_ELF_MAX];
	const struct hs_span bytes = { elf, small_elf(elf) };
	struct hs_program *p;

	assert_int_equal(hs_program_new(&p), HS_OK);
	assert_int_equal(hs_program_add_elf_memory(p, &bytes, "small", 0, NULL), HS_OK);
	return p;
}

#endif
