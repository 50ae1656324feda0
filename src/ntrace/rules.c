/* Why N-Trace messages are sent. */
#include <stddef.h>

#include <hartscope/ntrace.h>

#include "ntrace/nt_message.h"

#define HS_NT_RULE(message, field, low, high, clause, text) \
	{ "", message, field, low, high, clause, text },
const struct hs_rule hs_nt_rules[] = {
#include "ntrace/nt_rules.def"
	{ .text = NULL }
};
#undef HS_NT_RULE
