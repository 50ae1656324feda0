/* The standard support packet: parameters to a word and back (ET Standard Support Packet
 * format). */
#include "etrace/et_standard.h"

uint32_t hs_et_standard_said(const struct hs_et_packet *p)
{
	uint32_t word = 0;

#define HS_ET_SUPPORT(id, bits, at) word |= (uint32_t)p->field[HS_ETF_##id] << (at);
#include "etrace/et_support.def"
#undef HS_ET_SUPPORT
	return word;
}

void et_standard_say(struct hs_et_packet *p, uint32_t word)
{
#define HS_ET_SUPPORT(id, bits, at) p->field[HS_ETF_##id] = word >> (at) & ((1u << (bits)) - 1);
#include "etrace/et_support.def"
#undef HS_ET_SUPPORT
}

uint32_t et_standard_word(const struct hs_et_resolved *c)
{
	return (c->options & ET_OPTIONS) | (uint32_t)c->resync_disabled << ET_AT_RESYNC_DISABLED |
	       (uint32_t)c->iret_ext << ET_AT_IRET_EXT |
	       (uint32_t)(c->time_width / ET_TIME_UNIT) << ET_AT_TIME_WIDTH |
	       (uint32_t)c->f0s_width << ET_AT_F0S_WIDTH |
	       (uint32_t)c->return_stack_size << ET_AT_RETURN_STACK_SIZE |
	       (uint32_t)c->call_counter_size << ET_AT_CALL_COUNTER_SIZE |
	       (uint32_t)c->bpred_size << ET_AT_BPRED_SIZE |
	       (uint32_t)c->cache_size << ET_AT_CACHE_SIZE |
	       (uint32_t)c->mmacas_ext << ET_AT_MMACAS_EXT;
}

void et_standard_take(struct hs_et_resolved *c, uint32_t word)
{
	c->options = word & ET_OPTIONS;
	c->resync_disabled = word >> ET_AT_RESYNC_DISABLED & 1;
	c->iret_ext = word >> ET_AT_IRET_EXT & 1;
	c->time_width = (uint8_t)((word >> ET_AT_TIME_WIDTH & 7) * ET_TIME_UNIT);
	c->f0s_width = word >> ET_AT_F0S_WIDTH & 3;
	c->return_stack_size = word >> ET_AT_RETURN_STACK_SIZE & 7;
	c->call_counter_size = word >> ET_AT_CALL_COUNTER_SIZE & 15;
	c->bpred_size = word >> ET_AT_BPRED_SIZE & 7;
	c->cache_size = word >> ET_AT_CACHE_SIZE & 7;
	c->mmacas_ext = word >> ET_AT_MMACAS_EXT & 1;
	c->sijump = c->sijump || c->options & HS_ET_SIJUMP;
}

unsigned et_standard_bad(const struct hs_et_packet *p)
{
	if (p->field[HS_ETF_TIME_WIDTH] > 64 / ET_TIME_UNIT)
		return HS_ETF_TIME_WIDTH;
	return p->field[HS_ETF_F0S_WIDTH] > 2 ? HS_ETF_F0S_WIDTH : HS_ETF_COUNT;
}

bool et_standard_good(const struct hs_et_resolved *c)
{
	if (!et_is_standard(c))
		return !c->other_width;
	return c->return_stack_size <= 7 && c->bpred_size <= 7 && c->cache_size <= 7 &&
	       c->time_width % ET_TIME_UNIT == 0 && c->other_width <= 64 && !c->doptions_width;
}
