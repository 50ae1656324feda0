/* Cycle Counting: the counter, and how CC encodes its value. */
#include "ctr/private.h"

uint32_t hs_ctr_cc_decode(unsigned cc)
{
	const unsigned exponent = cc >> 12 & 15, mantissa = cc & 0xfff;

	return exponent ? (4096u + mantissa) << (exponent - 1) : mantissa;
}

unsigned hs_ctr_cc_encode(uint64_t cycles, unsigned exponent_bits)
{
	const uint32_t max = ctr_cycles_max(exponent_bits);

	return ctr_cc_encode(cycles > max ? max : (uint32_t)cycles);
}

/* 1.0 "RAS Emulation Mode", note: the cycles of a removed record belong to the next one. */
void ctr_pop_cycles(struct hs_ctr *c, const struct hs_ctr_entry *e)
{
	const struct hs_ctr_record record = hs_ctr_decode_entry(e);

	if (record.valid && record.ccv)
		ctr_add_cycles(c, record.cycles);
	else
		c->ccv = false;
}

void hs_ctr_invalidate_cc(struct hs_ctr *c)
{
	c->ccv = false;
}
