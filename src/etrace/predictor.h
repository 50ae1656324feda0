/* The branch predictor of encoder and decoder (ET Branch prediction mode): 2-bit states, of which
 * bit 1 is the prediction, 1 for taken. */
#ifndef HS_ETRACE_PREDICTOR_H
#define HS_ETRACE_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

/* @unit: the branch's address in units of the smallest instruction. */
static inline bool et_predict(const uint8_t *states, uint32_t mask, uint64_t unit)
{
	return states[unit & mask] >> 1 & 1u;
}

static inline void et_train(uint8_t *states, uint32_t mask, uint64_t unit, bool taken)
{
	/* 00 fails to 01; 01 succeeds to 00, fails to 11; 11 fails to 10; 10 succeeds to 11, fails
	 * to 00 */
	static const uint8_t next[4][2] = { { 0, 1 }, { 0, 3 }, { 0, 3 }, { 2, 3 } };
	uint8_t *s = &states[unit & mask];

	*s = next[*s & 3u][taken];
}

#endif
