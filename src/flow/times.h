/* Times of which a trace has the low bits. */
#ifndef HS_FLOW_TIMES_H
#define HS_FLOW_TIMES_H

#include <stdint.h>

/* The first time from @last on whose low @bits are @low (ET Timestamping, NT 8.7); of 64: @low. */
static inline uint64_t flow_widen_time(uint64_t last, uint64_t low, unsigned bits)
{
	if (bits >= 64)
		return low;
	const uint64_t turn = (uint64_t)1 << bits, time = (last & ~(turn - 1)) | low;

	return time < last ? time + turn : time;
}

#endif
