/* What a fuzz target defines, and what its seeds may use. */
#ifndef HS_TESTS_FUZZ_H
#define HS_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Take one input.  What must never happen is a crash, a sanitizer report, or fuzz_must(false). */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Valid input number @i to start mutations from: written to @data, its size is returned.  0 when
 * there are no more, or it does not fit. */
size_t fuzz_seed(unsigned i, uint8_t *data, size_t size);

/* Like assert(), in every build type. */
static inline void fuzz_must(int condition)
{
	if (!condition)
		abort();
}

#endif
