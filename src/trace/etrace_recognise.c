/* A trace of E-Trace 2.1 describes itself, by its support packets. */
#include "etrace/etrace.h"
#include "trace/etrace.h"

void protocol_et_take_word(struct etrace_config *c, uint32_t word)
{
	hs_et_standard_config(&c->et, word);
	c->notime = !c->et.time;
	c->si_jump = word >> ET_AT_SIJUMP & 1;
	c->implicit_return = word >> ET_AT_IMPLICIT_RETURN & 1;
	c->implicit_except = word >> ET_AT_IMPLICIT_EXCEPT & 1;
	c->branch_prediction = word >> ET_AT_BRANCH_PREDICTOR & 1;
	c->jump_target_cache = word >> ET_AT_JUMP_TARGET_CACHE & 1;
	c->full_address = word >> ET_AT_FULL_IADDRESS & 1;
}

bool protocol_et_recognise(void *config, const struct hs_span *bytes)
{
	struct etrace_config *c = config;
	struct hs_et_config framing;
	uint32_t word;

	if (!hs_et_recognise(bytes, &framing, &word))
		return false;
	c->et.version = framing.version;
	c->et.dialect = framing.dialect;
	c->et.src_bits = framing.src_bits;
	c->et.tstamp_bytes = framing.tstamp_bytes;
	protocol_et_take_word(c, word);
	return true;
}
