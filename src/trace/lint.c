/* The lint of any protocol: its own part, and a decoder that follows the program. */
#include <stdlib.h>
#include <string.h>

#include "trace/lint.h"

static const struct codec_lint_kind *kind_of(const struct hs_lint *l)
{
	return l->self.protocol->codec->lint;
}

/* ---- beginning and ending --------------------------------------------------------- */

static void close_lint(void *lint)
{
	struct hs_lint *l = lint;

	hs_decoder_free(l->program);
	free(l->sources);
	free(l->fresh);
	free(l);
}

/* A decoder of the program, and its state, which is new. */
static enum hs_status add_program(struct hs_lint *l, const void *config,
                                  const struct hs_image *image, const struct hs_image_set *set)
{
	const struct codec_lint_kind *k = kind_of(l);
	const enum hs_status s = k->decoder_new(&l->program, config, image, set, false);

	if (s != HS_OK)
		return s;
	l->program->self.protocol = l->self.protocol;
	k->follow(l);
	l->fresh = malloc(machine_size(l->program));
	if (!l->fresh)
		return HS_E_MEMORY;
	machine_save(l->program, l->fresh);
	return HS_OK;
}

static enum hs_status open_lint(void **self, const struct hs_protocol *p, const void *config,
                                const struct hs_image *image, const struct hs_image_set *set)
{
	const struct codec_lint_kind *k = p->codec->lint;
	struct hs_lint *l = calloc(1, k->size);
	enum hs_status s = HS_E_MEMORY;

	if (!l)
		return s;
	l->self = (struct codec_self){ &codec_lint, p };
	const unsigned bits = k->configure(l, config);
	const size_t sources = (size_t)1 << (bits <= 12 ? bits : 12);

	l->sources = calloc(sources, k->source);
	if (bits == LINT_NO_CONFIG)
		s = HS_E_CONFIG;
	else if (l->sources)
		s = k->init(l, sources);
	if (s == HS_OK && image)
		s = add_program(l, config, image, set);
	if (s == HS_OK)
		*self = l;
	else
		close_lint(l);
	return s;
}

/* ---- findings ----------------------------------------------------------------------- */

static enum hs_status describe(const struct hs_lint *l, enum hs_status s,
                               const struct hs_finding *f, struct hs_lint_finding *out)
{
	if (s != HS_OK)
		return s;
	*out = (struct hs_lint_finding){ .kind = f->id,
		                         .offset = f->offset,
		                         .pc = f->pc,
		                         .field = kind_of(l)->name_field(f->field),
		                         .bit = f->bit,
		                         .has_bit = f->bit != HS_LINT_NO_BIT,
		                         .has_message = f->has_message };
	if (f->has_message)
		kind_of(l)->describe(l, &out->message);
	return s;
}

static enum hs_status next(void *lint, struct hs_span *in, struct codec_out *out)
{
	const struct hs_lint *l = lint;
	struct hs_finding f;

	return describe(l, kind_of(l)->next(l->own, in, &f), &f, out->finding);
}

static enum hs_status end(void *lint, struct codec_out *out)
{
	const struct hs_lint *l = lint;
	struct hs_finding f;

	return describe(l, kind_of(l)->end(l->own, &f), &f, out->finding);
}

void hs_lint_counts(const struct hs_lint *l, uint64_t *bytes, uint64_t *messages)
{
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

static size_t sources_at(const struct codec_lint_kind *k)
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

static size_t decoder_at(const struct hs_lint *l)
{
	return sources_at(kind_of(l)) + ALIGNED(*l->count * kind_of(l)->source);
}

static size_t size_of(const void *lint)
{
	const struct hs_lint *l = lint;

	return decoder_at(l) + (l->program ? machine_size(l->program) : 0);
}

static void save(const void *lint, void *state)
{
	const struct hs_lint *l = lint;
	const struct parts p = { *l->count, *l->messages, decoder_at(l) };
	uint8_t *to = state;

	memcpy(to, &p, sizeof(p));
	memcpy(to + HEAD, l->own, kind_of(l)->own);
	memcpy(to + sources_at(kind_of(l)), l->sources, p.count * kind_of(l)->source);
	if (l->program)
		machine_save(l->program, to + p.decoder);
}

static void take_stand(const struct hs_lint *l, const void *state)
{
	kind_of(l)->take(l->own, own_of(state), (const uint8_t *)state + sources_at(kind_of(l)));
}

static void begin(void *lint, const void *state, uint64_t offset)
{
	const struct hs_lint *l = lint;

	take_stand(l, state);
	kind_of(l)->begin(l->own, offset);
	if (!l->program)
		return;
	machine_restore(l->program, l->fresh);
	machine_begin(l->program, NULL, offset);
}

static void restore(void *lint, const void *state)
{
	const struct hs_lint *l = lint;

	take_stand(l, state);
	*l->messages = parts_of(state)->messages;
	if (l->program)
		machine_restore(l->program, (const uint8_t *)state + parts_of(state)->decoder);
}

static bool is_alike(const void *lint, const void *other, const void *state, uint64_t source)
{
	const struct hs_lint *l = lint, *b = other;
	const uint8_t *from = state;

	(void)source;

	return kind_of(l)->alike(l->own, own_of(state), from + sources_at(kind_of(l))) &&
	       (!l->program ||
	        machine_alike(l->program, b->program, from + parts_of(state)->decoder));
}

static void advance(void *lint, const void *other, const void *join, const void *end)
{
	const struct hs_lint *l = lint, *b = other;
	const struct parts *from = parts_of(join), *to = parts_of(end);
	const uint64_t messages = *l->messages + to->messages - from->messages;

	take_stand(l, end);
	*l->messages = messages;
	if (l->program)
		machine_advance(l->program, b->program, (const uint8_t *)join + from->decoder,
		                (const uint8_t *)end + to->decoder);
}

const struct codec_machine codec_lint = {
	.open = open_lint,
	.close = close_lint,
	.size = size_of,
	.save = save,
	.restore = restore,
	.begin = begin,
	.alike = is_alike,
	.advance = advance,
	.next = next,
	.end = end,
};
