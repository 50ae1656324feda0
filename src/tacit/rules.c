/* Why TACIT messages are sent. */
#include <stddef.h>
#include <stdint.h>

#include "tacit/tacit_lint.h"

#define TACIT_RULE(message, field, low, high, clause, text) \
	{ "", message, field, low, high, clause, text },
const struct hs_rule tacit_rules[] = {
#include "tacit/tacit_rules.def"
	{ .text = NULL }
};
#undef TACIT_RULE
