/* Why E-Trace packets are sent. */
#include <stddef.h>

#include <hartscope/et_packet.h>

#include "etrace/et_packet.h"

#define HS_ET_RULE(of, packet, field, low, high, clause, text) \
	{ of, packet, field, low, high, clause, text },
static const struct hs_rule rules[] = {
#include "etrace/et_rules.def"
};
#undef HS_ET_RULE

const struct hs_rule *hs_et_rule(unsigned index)
{
	return index < sizeof(rules) / sizeof(*rules) ? &rules[index] : NULL;
}
