/* Lints that read parts of a stream, for rows of every protocol: where each stands is its own part,
 * its sources, and its decoder. */
#include <stdlib.h>
#include <string.h>

#include "protocol/private.h"

enum hs_status protocol_lint_keep(struct protocol_lint *l)
{
	const struct hs_protocol *p = l->kind->protocol;

	l->fresh = malloc(p->decoder_state(l->decoder));
	if (!l->fresh)
		return HS_E_MEMORY;
	p->decoder_save(l->decoder, l->fresh);
	return HS_OK;
}

/* The parts of a state that was saved. */
struct parts {
	size_t count; /* of sources */
	uint64_t messages;
	size_t decoder; /* where it begins; the sources are after the own part */
};

#define ALIGNED(n) (((n) + 15) / 16 * 16)
#define HEAD ALIGNED(sizeof(struct parts))

static size_t sources_at(const struct protocol_lint_kind *k)
{
	return HEAD + ALIGNED(k->own);
}

static const struct parts *parts_of(const void *state)
{
	return state;
}

static const uint8_t *own_of(const void *state)
{
	return (const uint8_t *)state + HEAD;
}

static size_t decoder_at(const struct protocol_lint *l)
{
	return sources_at(l->kind) + ALIGNED(*l->count * l->kind->source);
}

size_t protocol_lint_state(const void *lint)
{
	const struct protocol_lint *l = lint;

	return decoder_at(l) + (l->decoder ? l->kind->protocol->decoder_state(l->decoder) : 0);
}

void protocol_lint_save(const void *lint, void *state)
{
	const struct protocol_lint *l = lint;
	const struct parts p = { *l->count, *l->messages, decoder_at(l) };
	uint8_t *to = state;

	memcpy(to, &p, sizeof(p));
	memcpy(to + HEAD, l->own, l->kind->own);
	memcpy(to + sources_at(l->kind), l->sources, p.count * l->kind->source);
	if (l->decoder)
		l->kind->protocol->decoder_save(l->decoder, to + p.decoder);
}

static void take_stand(const struct protocol_lint *l, const void *state)
{
	l->kind->take(l->own, own_of(state), (const uint8_t *)state + sources_at(l->kind));
}

void protocol_lint_begin(void *lint, const void *state, uint64_t offset)
{
	const struct protocol_lint *l = lint;

	take_stand(l, state);
	l->kind->begin(l->own, offset);
	if (!l->decoder)
		return;
	l->kind->protocol->decoder_restore(l->decoder, l->fresh);
	l->kind->protocol->decoder_begin(l->decoder, offset);
}

bool protocol_lint_alike(const void *lint, const void *other, const void *state)
{
	const struct protocol_lint *l = lint, *b = other;
	const uint8_t *from = state;

	return l->kind->alike(l->own, own_of(state), from + sources_at(l->kind)) &&
	       (!l->decoder || l->kind->protocol->decoder_alike(l->decoder, b->decoder,
	                                                        from + parts_of(state)->decoder));
}

void protocol_lint_continue(void *lint, const void *other, const void *join, const void *end)
{
	const struct protocol_lint *l = lint, *b = other;
	const struct parts *from = parts_of(join), *to = parts_of(end);
	const uint64_t messages = *l->messages + to->messages - from->messages;

	take_stand(l, end);
	*l->messages = messages;
	if (l->decoder)
		l->kind->protocol->decoder_continue(l->decoder, b->decoder,
		                                    (const uint8_t *)join + from->decoder,
		                                    (const uint8_t *)end + to->decoder);
}
