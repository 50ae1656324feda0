/* N-Trace's lint, for its row in the table of protocols. */
#include <stdlib.h>

#include "ntrace/ntrace.h"
#include "protocol/ntrace.h"

struct lint {
	struct protocol_lint common;
	struct hs_nt_lint nt;
	struct hs_nt_config config;
	struct protocol_nt_decoder decoder; /* empty without a program */
};

static void take_lint(void *own, const void *from, const void *sources)
{
	hs_nt_lint_take(own, from, sources);
}

static void begin_part(void *own, uint64_t offset)
{
	hs_nt_lint_begin(own, offset);
}

static bool is_alike(const void *own, const void *other, const void *sources)
{
	return hs_nt_lint_alike(own, other, sources);
}

static const struct protocol_lint_kind lints = { .protocol = &protocol_ntrace,
	                                         .own = sizeof(struct hs_nt_lint),
	                                         .source = sizeof(struct hs_nt_lint_source),
	                                         .take = take_lint,
	                                         .begin = begin_part,
	                                         .alike = is_alike };

static const char *texts_of(const struct hs_nt_finding_kind *k)
{
	const unsigned both = 1u << HS_NT_DIALECT_RC7 | 1u << HS_NT_DIALECT_V1_0;

	if ((k->dialects & both) == both)
		return "both";
	return k->dialects & 1u << HS_NT_DIALECT_RC7 ? "rc7" : "1.0";
}

bool protocol_nt_lint_kind(unsigned index, struct hs_lint_kind *out)
{
	const struct hs_nt_finding_kind *k = hs_nt_finding_get_kind(index);

	if (k)
		*out = (struct hs_lint_kind){ k->name, texts_of(k), k->clause, k->text,
			                      (enum hs_severity)k->severity };
	return k != NULL;
}

void protocol_nt_lint_free(void *lint)
{
	struct lint *l = lint;

	if (l) {
		protocol_memory_free(&l->decoder.memory);
		free(l->common.sources);
		free(l->common.fresh);
	}
	free(l);
}

static enum hs_status add_program(struct lint *l, const struct hs_image *image,
                                  const struct hs_image_set *set, size_t count)
{
	struct protocol_nt_decoder *d = &l->decoder;
	enum hs_status s =
		protocol_memory_new(&d->memory, image, set, count, sizeof(struct hs_nt_source));

	if (s == HS_OK)
		s = hs_nt_decoder_init(&d->nt, &l->config, &d->memory.table, d->memory.sources,
		                       count);
	if (s == HS_OK && d->memory.table_count)
		hs_nt_decoder_programs(&d->nt, d->memory.tables, set->contexts, set->count);
	if (s != HS_OK)
		return s;
	hs_nt_lint_program(&l->nt, &d->nt);
	l->common.decoder = d;
	return protocol_lint_keep(&l->common);
}

enum hs_status protocol_nt_lint_new(void **lint, const void *config, const struct hs_image *image,
                                    const struct hs_image_set *set)
{
	struct lint *l = calloc(1, sizeof(*l));
	enum hs_status s = HS_E_MEMORY;

	if (!l)
		return s;
	l->config = *(const struct hs_nt_config *)config;
	const size_t count = (size_t)1 << (l->config.src_bits <= 12 ? l->config.src_bits : 12);
	l->common = (struct protocol_lint){
		.kind = &lints, .own = &l->nt, .count = &l->nt.count, .messages = &l->nt.messages
	};
	l->common.sources = calloc(count, sizeof(struct hs_nt_lint_source));
	if (l->common.sources)
		s = hs_nt_lint_init(&l->nt, &l->config, l->common.sources, count);
	if (s == HS_OK && image)
		s = add_program(l, image, set, count);
	if (s == HS_OK)
		*lint = l;
	else
		protocol_nt_lint_free(l);
	return s;
}

static void describe(const struct lint *l, const struct hs_nt_finding *f,
                     struct hs_lint_finding *out)
{
	*out = (struct hs_lint_finding){
		.kind = f->id, .offset = f->offset, .pc = f->pc, .has_message = f->message
	};
	if (f->field < HS_NTF_COUNT)
		out->field = hs_nt_field_name(f->field);
	if (f->message)
		protocol_nt_describe(&f->msg, l->config.dialect, &out->message,
		                     l->config.src_bits != 0);
}

enum hs_status protocol_nt_lint_next(void *lint, struct hs_span *in, struct hs_lint_finding *out)
{
	struct lint *l = lint;
	struct hs_nt_finding f;
	const enum hs_status s = hs_nt_lint_next(&l->nt, in, &f);

	if (s == HS_OK)
		describe(l, &f, out);
	return s;
}

enum hs_status protocol_nt_lint_end(void *lint, struct hs_lint_finding *out)
{
	struct lint *l = lint;
	struct hs_nt_finding f;
	const enum hs_status s = hs_nt_lint_end(&l->nt, &f);

	if (s == HS_OK)
		describe(l, &f, out);
	return s;
}

void protocol_nt_lint_counts(const void *lint, uint64_t *bytes, uint64_t *messages)
{
	const struct lint *l = lint;

	*bytes = l->nt.offset;
	*messages = l->nt.messages;
}
