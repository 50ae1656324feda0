/* An input of a fuzz target as the numbers that it asks for. */
#ifndef HS_TESTS_FUZZ_NUMBERS_H
#define HS_TESTS_FUZZ_NUMBERS_H

#include <stdint.h>

struct fuzz_numbers {
	const uint8_t *at, *end;
};

/* A number below @n, from as many bytes as it has; zeros after the end.  @ctx: struct
 * fuzz_numbers. */
static inline uint32_t fuzz_below(void *ctx, uint32_t n)
{
	struct fuzz_numbers *in = ctx;
	uint32_t v = 0;

	for (uint32_t most = n - 1; most > 0 && in->at < in->end; most >>= 8)
		v = v << 8 | *in->at++;
	return v % n;
}

#endif
