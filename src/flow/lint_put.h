/* How a lint of any protocol puts what it finds into its queue (lint.h).
 *
 * It is included once a protocol has defined kinds[], its table; LINT, its type; MESSAGE, the
 * lint's member for the current message; NO_FIELD, the number of fields; and TEXT, the lint's
 * member with the dialect or version.
 */
#ifndef HS_FLOW_LINT_PUT_H
#define HS_FLOW_LINT_PUT_H

#include <stdint.h>

#include "flow/finding.h"

/* A finding of the current message. */
static struct hs_finding of_message(const LINT *l, unsigned id)
{
	return (struct hs_finding){ .offset = l->MESSAGE.offset,
		                    .id = (uint16_t)id,
		                    .bit = HS_LINT_NO_BIT,
		                    .field = NO_FIELD,
		                    .has_message = true };
}

/* Kinds that the text does not have are skipped. */
static void put_finding(LINT *l, struct hs_finding e)
{
	if (!(kinds[e.id].texts >> l->TEXT & 1))
		return;
	if (l->found == HS_LINT_QUEUE)
		l->dropped++;
	else
		l->queue[l->found++] = e;
}

#endif
