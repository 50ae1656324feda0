/* N-Trace's lint, for its row in the table of protocols. */
#include <stdlib.h>

#include <hartscope/nt_lint.h>

#include "protocol/ntrace.h"

struct lint {
	struct hs_nt_lint nt;
	struct hs_nt_config config;
	struct hs_nt_lint_source *sources;
	/* Of the program; empty without one. */
	struct hs_nt_decoder decoder;
	struct protocol_memory memory;
};

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
		protocol_memory_free(&l->memory);
		free(l->sources);
	}
	free(l);
}

static enum hs_status add_program(struct lint *l, const struct hs_image *image,
                                  const struct hs_image_set *set, size_t count)
{
	enum hs_status s =
		protocol_memory_new(&l->memory, image, set, count, sizeof(struct hs_nt_source));

	if (s == HS_OK)
		s = hs_nt_decoder_init(&l->decoder, &l->config, &l->memory.table, l->memory.sources,
		                       count);
	if (s == HS_OK && l->memory.table_count)
		hs_nt_decoder_programs(&l->decoder, l->memory.tables, set->contexts, set->count);
	if (s == HS_OK)
		hs_nt_lint_program(&l->nt, &l->decoder);
	return s;
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
	l->sources = calloc(count, sizeof(*l->sources));
	if (l->sources)
		s = hs_nt_lint_init(&l->nt, &l->config, l->sources, count);
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
