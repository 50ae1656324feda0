/* Why N-Trace messages are sent. */
#include <stddef.h>

#include <hartscope/nt_message.h>

#include "ntrace/nt_message.h"

#define HS_NT_RULE(message, field, low, high, clause, text) \
	{ "", message, field, low, high, clause, text },
static const struct hs_rule rules[] = {
#include "ntrace/nt_rules.def"
};
#undef HS_NT_RULE

const struct hs_rule *hs_nt_rule(unsigned index)
{
	return index < sizeof(rules) / sizeof(*rules) ? &rules[index] : NULL;
}
