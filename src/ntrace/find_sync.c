/* Where bytes synchronise, as far as MSEO and TCODE say. */
#include "ntrace/nt_reader.h"
#include "ntrace/reader.h"

#define STEP 64u /* bytes that are looked at together */

/* Does a message that synchronises begin at a byte, which is not the first one?  Without a jump, so
 * that a compiler makes one comparison of many bytes. */
static bool synchronises(const uint8_t *p)
{
	const uint8_t byte = p[0];
	const bool code = (byte == HS_NT_PROG_TRACE_SYNC << 2) |
	                  (byte == HS_NT_DIRECT_BRANCH_SYNC << 2) |
	                  (byte == HS_NT_INDIRECT_BRANCH_SYNC << 2) |
	                  (byte == HS_NT_INDIRECT_BRANCH_HIST_SYNC << 2);

	return code & ((p[-1] & 3u) == 3u);
}

static bool any_synchronises(const uint8_t *p)
{
	uint8_t any = 0;

	for (unsigned i = 0; i < STEP; i++)
		any |= (uint8_t)synchronises(p + i);
	return any;
}

size_t hs_nt_find_sync(const struct hs_span *bytes)
{
	size_t end = bytes->n;

	while (end > STEP && !any_synchronises(bytes->p + end - STEP))
		end -= STEP;
	for (size_t i = end; i-- > 1;)
		if (synchronises(bytes->p + i))
			return i;
	return bytes->n;
}
