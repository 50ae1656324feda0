/* E-Trace's lint, for its row in the table of protocols. */
#include <stdlib.h>

#include "etrace_lint/etrace_lint.h"
#include "protocol/etrace.h"

struct lint {
	struct protocol_lint common;
	struct hs_et_lint et;
	struct hs_et_config config;
	struct protocol_et_decoder decoder; /* empty without a program */
};

static void take_lint(void *own, const void *from, const void *sources)
{
	hs_et_lint_take(own, from, sources);
}

static void begin_part(void *own, uint64_t offset)
{
	hs_et_lint_begin(own, offset);
}

static bool is_alike(const void *own, const void *other, const void *sources)
{
	return hs_et_lint_alike(own, other, sources);
}

static const struct protocol_lint_kind lints = { .protocol = &protocol_etrace,
	                                         .own = sizeof(struct hs_et_lint),
	                                         .source = sizeof(struct hs_et_lint_source),
	                                         .take = take_lint,
	                                         .begin = begin_part,
	                                         .alike = is_alike };

static const char *texts_of(const struct hs_et_finding_kind *k)
{
	const bool ratified = k->versions >> HS_ET_2_0 & 1, draft = k->versions >> HS_ET_0_026 & 1;

	return ratified && draft ? "all" : ratified ? "2.0" : "0.026";
}

bool protocol_et_lint_kind(unsigned index, struct hs_lint_kind *out)
{
	const struct hs_et_finding_kind *k = hs_et_finding_get_kind(index);

	if (k)
		*out = (struct hs_lint_kind){ k->name, texts_of(k), k->clause, k->text,
			                      (enum hs_severity)k->severity };
	return k != NULL;
}

void protocol_et_lint_free(void *lint)
{
	struct lint *l = lint;

	if (l) {
		protocol_memory_free(&l->decoder.memory);
		free(l->decoder.tables);
		free(l->common.sources);
		free(l->common.fresh);
	}
	free(l);
}

static enum hs_status add_program(struct lint *l, const struct hs_image *image,
                                  const struct hs_image_set *set, size_t count)
{
	struct protocol_et_decoder *d = &l->decoder;
	enum hs_status s =
		protocol_memory_new(&d->memory, image, set, count, sizeof(struct hs_et_source));

	d->config = l->config;
	if (s == HS_OK)
		s = protocol_et_start(d, count);
	if (s == HS_OK && d->memory.table_count)
		hs_et_decoder_programs(&d->et, d->memory.tables, set->contexts, set->count);
	if (s != HS_OK)
		return s;
	hs_et_lint_program(&l->et, &d->et);
	l->common.decoder = d;
	return protocol_lint_keep(&l->common);
}

enum hs_status protocol_et_lint_new(void **lint, const void *config, const struct hs_image *image,
                                    const struct hs_image_set *set)
{
	struct lint *l = calloc(1, sizeof(*l));
	enum hs_status s = HS_E_MEMORY;

	if (!l)
		return s;
	l->config = protocol_et_plain(config);
	const size_t count = (size_t)1 << (l->config.src_bits <= 12 ? l->config.src_bits : 12);
	l->common = (struct protocol_lint){
		.kind = &lints, .own = &l->et, .count = &l->et.count, .messages = &l->et.packets
	};
	l->common.sources = calloc(count, sizeof(struct hs_et_lint_source));
	if (l->common.sources)
		s = hs_et_lint_init(&l->et, &l->config, l->common.sources, count);
	if (s == HS_OK && image)
		s = add_program(l, image, set, count);
	if (s == HS_OK)
		*lint = l;
	else
		protocol_et_lint_free(l);
	return s;
}

static void describe(const struct lint *l, const struct hs_et_finding *f,
                     struct hs_lint_finding *out)
{
	*out = (struct hs_lint_finding){ .kind = f->id,
		                         .offset = f->offset,
		                         .pc = f->pc,
		                         .bit = f->bit,
		                         .has_bit = f->bit != HS_ET_NO_BIT,
		                         .has_message = f->has_packet };
	if (f->field < HS_ETF_COUNT)
		out->field = hs_et_field_name(f->field);
	if (f->has_packet)
		protocol_et_describe(&l->config, &f->packet, &out->message);
}

enum hs_status protocol_et_lint_next(void *lint, struct hs_span *in, struct hs_lint_finding *out)
{
	struct lint *l = lint;
	struct hs_et_finding f;
	const enum hs_status s = hs_et_lint_next(&l->et, in, &f);

	if (s == HS_OK)
		describe(l, &f, out);
	return s;
}

enum hs_status protocol_et_lint_end(void *lint, struct hs_lint_finding *out)
{
	struct lint *l = lint;
	struct hs_et_finding f;
	const enum hs_status s = hs_et_lint_end(&l->et, &f);

	if (s == HS_OK)
		describe(l, &f, out);
	return s;
}

void protocol_et_lint_counts(const void *lint, uint64_t *bytes, uint64_t *messages)
{
	const struct lint *l = lint;

	*bytes = l->et.offset;
	*messages = l->et.packets;
}
