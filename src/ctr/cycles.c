/* Cycle Counting: the counter, and how CC says its value. */
#include "ctr/private.h"

uint32_t ctr_cycles_max(unsigned cce_bits)
{
	/* the width of the counter is a table of 1.0, "Cycle Counter Size Options" */
	static const uint8_t bits[] = { 12, 13, 15, 19, 27 };

	return (UINT32_C(1) << bits[cce_bits > 4 ? 4 : cce_bits]) - 1;
}

uint32_t hs_ctr_cc_decode(unsigned cc)
{
	const unsigned exponent = cc >> 12 & 15, mantissa = cc & 0xfff;

	return exponent ? (4096u + mantissa) << (exponent - 1) : mantissa;
}

unsigned hs_ctr_cc_encode(uint64_t cycles, unsigned cce_bits)
{
	const uint32_t max = ctr_cycles_max(cce_bits);
	const uint32_t n = cycles > max ? max : (uint32_t)cycles;
	unsigned exponent = 0;

	while (n >> (exponent + 12))
		exponent++;
	return exponent ? exponent << 12 | (n >> (exponent - 1) & 0xfff) : n;
}

void ctr_add_cycles(struct hs_ctr *c, uint64_t n)
{
	const uint32_t max = ctr_cycles_max(c->config.cce_bits);

	c->cycles = n > max - c->cycles ? max : c->cycles + (uint32_t)n;
}

uint64_t ctr_take_cycles(struct hs_ctr *c, bool rasemu)
{
	const bool valid = c->ccv && !(rasemu && (c->config.options & HS_CTR_RAS_NO_CC));
	const uint64_t cc = hs_ctr_cc_encode(c->cycles, c->config.cce_bits);

	c->cycles = 0;
	c->ccv = true;
	return cc << 16 | (valid ? CTR_CCV : 0);
}

/* 1.0 "RAS Emulation Mode", note: the popped record's cycles belong to the next one. */
void ctr_pop_cycles(struct hs_ctr *c, const struct hs_ctr_entry *e)
{
	if ((e->source & 1) && (e->data & CTR_CCV))
		ctr_add_cycles(c, hs_ctr_cc_decode(e->data >> 16 & 0xffff));
	else
		c->ccv = false;
}

void hs_ctr_invalidate_cc(struct hs_ctr *c)
{
	c->ccv = false;
}
