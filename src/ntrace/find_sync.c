/* Where bytes synchronise, as far as MSEO and TCODE say. */
#include "ntrace/reader.h"

static bool synchronises(uint8_t byte)
{
	return byte == HS_NT_PROG_TRACE_SYNC << 2 || byte == HS_NT_DIRECT_BRANCH_SYNC << 2 ||
	       byte == HS_NT_INDIRECT_BRANCH_SYNC << 2 ||
	       byte == HS_NT_INDIRECT_BRANCH_HIST_SYNC << 2;
}

size_t hs_nt_find_sync(const struct hs_span *bytes)
{
	const uint8_t *p = bytes->p;

	for (size_t i = bytes->n; i-- > 1;)
		if (synchronises(p[i]) && (p[i - 1] & 3u) == 3u)
			return i;
	return bytes->n;
}
