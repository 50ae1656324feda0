/* Where a program seems to be loaded: the addresses of synchronisations must all be in its code. */
#include "identify/private.h"

#define PAGE UINT64_C(4096)
#define PLACES 65536 /* that are tried at most: 256 MiB of code */

static size_t count_in_code(const struct identify_code *code, const uint64_t *addresses,
                            size_t count, uint64_t move)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += identify_is_code(code, addresses[i] - move);
	return n;
}

/* Is it a multiple of a higher power of 2?  Loaders prefer such places. */
static bool is_rounder(uint64_t a, uint64_t b)
{
	return (a & -a) > (b & -b);
}

bool identify_find_offset(const struct identify_code *code, const uint64_t *addresses, size_t count,
                          int64_t *offset)
{
	uint64_t least = UINT64_MAX, most = 0;
	size_t best = 0;

	for (size_t i = 0; i < count; i++) {
		least = addresses[i] < least ? addresses[i] : least;
		most = addresses[i] > most ? addresses[i] : most;
	}
	if (count < 4 || most - least > code->most - code->least)
		return false;
	const uint64_t first = (most - code->most + PAGE - 1) & ~(PAGE - 1);

	for (unsigned i = 0; i < PLACES; i++) {
		const uint64_t move = first + i * PAGE;

		if ((int64_t)(least - code->least - move) < 0)
			break;
		const size_t n = move ? count_in_code(code, addresses, count, move) : 0;

		if (n > best || (n && n == best && is_rounder(move, (uint64_t)*offset))) {
			best = n;
			*offset = (int64_t)move;
		}
	}
	return best * 10 >= count * 9;
}
