/* Why E-Trace packets are sent. */
#include <stddef.h>

#include <hartscope/etrace.h>

#include "etrace/et_packet.h"

#define HS_ET_RULE(of, packet, field, low, high, clause, text) \
	{ of, packet, field, low, high, clause, text },
const struct hs_rule hs_et_rules[] = {
#include "etrace/et_rules.def"
	{ .text = NULL }
};
#undef HS_ET_RULE
