/* The lint of any protocol, for the rows of the table of protocols. */
#include <stdlib.h>
#include <string.h>

#include "trace/protocol_private.h"

void protocol_lint_free(void *lint)
{
	struct protocol_lint *l = lint;

	if (!l)
		return;
	protocol_memory_free(l->memory);
	if (l->kind->free_program)
		l->kind->free_program(l);
	free(l->sources);
	free(l->fresh);
	free(l);
}

/* A decoder of the program, and its state, which is new. */
static enum hs_status add_program(struct protocol_lint *l, const struct hs_image *image,
                                  const struct hs_image_set *set, size_t sources)
{
	const struct hs_protocol *p = l->kind->protocol;
	enum hs_status s = protocol_memory_new(l->memory, image, set, sources, l->kind->decoded);

	if (s == HS_OK)
		s = l->kind->add_program(l, set, sources);
	if (s != HS_OK)
		return s;
	l->fresh = malloc(p->decoder_state(l->decoder));
	if (!l->fresh)
		return HS_E_MEMORY;
	p->decoder_save(l->decoder, l->fresh);
	return HS_OK;
}

enum hs_status protocol_lint_new(void **lint, const struct protocol_lint_kind *k,
                                 const void *config, const struct hs_image *image,
                                 const struct hs_image_set *set)
{
	struct protocol_lint *l = calloc(1, k->size);
	enum hs_status s = HS_E_MEMORY;

	if (!l)
		return s;
	l->kind = k;
	const unsigned bits = k->configure(l, config);
	const size_t sources = (size_t)1 << (bits <= 12 ? bits : 12);

	l->sources = calloc(sources, k->source);
	if (l->sources)
		s = k->init(l, sources);
	if (s == HS_OK && image)
		s = add_program(l, image, set, sources);
	if (s == HS_OK)
		*lint = l;
	else
		protocol_lint_free(l);
	return s;
}

static void describe(const struct protocol_lint *l, const struct hs_finding *f,
                     struct hs_lint_finding *out)
{
	*out = (struct hs_lint_finding){ .kind = f->id,
		                         .offset = f->offset,
		                         .pc = f->pc,
		                         .field = l->kind->field(f->field),
		                         .bit = f->bit,
		                         .has_bit = f->bit != HS_LINT_NO_BIT,
		                         .has_message = f->has_message };
	if (f->has_message)
		l->kind->describe(l, &out->message);
}

enum hs_status protocol_lint_next(void *lint, struct hs_span *in, struct hs_lint_finding *out)
{
	const struct protocol_lint *l = lint;
	struct hs_finding f;
	const enum hs_status s = l->kind->next(l->own, in, &f);

	if (s == HS_OK)
		describe(l, &f, out);
	return s;
}

enum hs_status protocol_lint_end(void *lint, struct hs_lint_finding *out)
{
	const struct protocol_lint *l = lint;
	struct hs_finding f;
	const enum hs_status s = l->kind->end(l->own, &f);

	if (s == HS_OK)
		describe(l, &f, out);
	return s;
}

void protocol_lint_counts(const void *lint, uint64_t *bytes, uint64_t *messages)
{
	const struct protocol_lint *l = lint;

	*bytes = *l->offset;
	*messages = *l->messages;
}

/* ---- parts of a stream ------------------------------------------------------------ */

/* The parts of a state that was saved: where a lint stands is its own part, its sources, and its
 * decoder. */
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
