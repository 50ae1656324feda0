/* What a fuzz target defines, and what its seeds may use. */
#ifndef HS_TESTS_FUZZ_H
#define HS_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Take one input.  What must never happen is a crash, a sanitizer report, or fuzz_must(false). */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Valid input number @i to start mutations from: written to @data, its size is returned.  0 when
 * there are no more, or it does not fit. */
size_t fuzz_seed(unsigned i, uint8_t *data, size_t size);

/* Word number @i of the target's language, for mutations and for libFuzzer's dictionary: written to
 * @data, which has room for FUZZ_WORD_MAX bytes; its size is returned, 0 for none of this number,
 * FUZZ_NO_WORDS when there are no more.  A target need not define it. */
#define FUZZ_WORD_MAX 64
#define FUZZ_NO_WORDS ((size_t)-1)
size_t fuzz_word(unsigned i, uint8_t *data);

/* Like assert(), in every build type. */
static inline void fuzz_must(int condition)
{
	if (!condition)
		abort();
}

#endif
