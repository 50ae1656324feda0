/* The frame of a lint, of any protocol: bytes come in, findings of the current message wait in a
 * queue and are given one by one (ADR-0392).
 *
 * It is included once a protocol has defined kinds[], its table; LINT and LINT_SOURCE, its types;
 * MESSAGE, the lint's member for the current message; NO_FIELD, the number of fields; and TEXT, the
 * lint's member with the dialect or version.  After it, it defines the functions declared here.
 */
#ifndef HS_FLOW_LINT_H
#define HS_FLOW_LINT_H

#include <hartscope/block.h>

#include "core/mem.h"
#include "flow/finding.h"

/* Take the next byte; with the last one of a message, check that. */
static void take_byte(LINT *l, uint8_t byte);

/* What it says of the bytes, and of a source, that the stream ends here. */
static void end_bytes(LINT *l);
static void end_source(LINT *l, LINT_SOURCE *s);

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
	if (l->queued == HS_LINT_QUEUE)
		l->dropped++;
	else
		l->queue[l->queued++] = e;
}

static bool give_finding(LINT *l, struct hs_finding *out)
{
	if (l->given == l->queued) {
		l->given = 0;
		l->queued = 0;
		return false;
	}
	*out = l->queue[l->given++];
	return true;
}

/* The next finding.  @in NULL: the stream is over. */
static enum hs_status next_finding(LINT *l, struct hs_span *in, struct hs_finding *out)
{
	while (!give_finding(l, out)) {
		if (in && in->n == 0)
			return HS_MORE;
		if (in) {
			in->n--;
			take_byte(l, *in->p++);
		} else if (!l->ended) {
			l->ended = true;
			end_bytes(l);
		} else if (l->ending < l->count) {
			end_source(l, &l->sources[l->ending++]);
		} else {
			return HS_END;
		}
	}
	return HS_OK;
}

/* Stand where @from stood, with @sources, but without its decoder. */
static void take_lint(LINT *l, const LINT *from, const LINT_SOURCE *sources)
{
	const LINT own = *l;

	*l = *from;
	l->sources = own.sources;
	l->decoder = own.decoder;
	l->capacity = own.capacity;
	memcpy(l->sources, sources, l->count * sizeof *sources);
}

/* Have both given all they found, and do the sources stand alike? */
static bool same_sources(const LINT *l, const LINT *other, const LINT_SOURCE *sources)
{
	return l->offset == other->offset && l->given == l->queued &&
	       other->given == other->queued && l->count == other->count &&
	       memcmp(l->sources, sources, l->count * sizeof *sources) == 0;
}

#endif
