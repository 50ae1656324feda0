/* The frame of a lint, of any protocol: bytes come in, findings of the current message wait in a
 * queue and are given one by one (design/codec).
 *
 * It is included once a protocol has defined LINT and LINT_SOURCE, its types.  After it, it defines
 * the functions declared here.  What puts findings into the queue is in lint_put.h.
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

static bool give_finding(LINT *l, struct hs_finding *out)
{
	if (l->taken == l->found) {
		l->taken = 0;
		l->found = 0;
		return false;
	}
	*out = l->queue[l->taken++];
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
	return l->offset == other->offset && l->taken == l->found && other->taken == other->found &&
	       l->count == other->count &&
	       memcmp(l->sources, sources, l->count * sizeof *sources) == 0;
}

#endif
