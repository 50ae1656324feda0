/* N-Trace's lint, for its row in the table of protocols. */
#include "ntrace/ntrace.h"
#include "trace/ntrace.h"

struct lint {
	struct protocol_lint common;
	struct hs_nt_lint nt;
	struct hs_nt_config config;
	struct protocol_nt_decoder decoder; /* empty without a program */
};

static const char *texts_of(const struct hs_finding_kind *k)
{
	const unsigned both = 1u << HS_NT_DIALECT_RC7 | 1u << HS_NT_DIALECT_V1_0;

	if ((k->texts & both) == both)
		return "both";
	return k->texts & 1u << HS_NT_DIALECT_RC7 ? "rc7" : "1.0";
}

bool protocol_nt_lint_kind(unsigned index, struct hs_lint_kind *out)
{
	const struct hs_finding_kind *k = hs_nt_finding_get_kind(index);

	if (k)
		*out = (struct hs_lint_kind){ k->name, texts_of(k), k->clause, k->text,
			                      (enum hs_severity)k->severity };
	return k != NULL;
}

static unsigned configure(void *lint, const void *config)
{
	struct lint *l = lint;

	l->config = *(const struct hs_nt_config *)config;
	l->common.own = &l->nt;
	l->common.memory = &l->decoder.memory;
	l->common.count = &l->nt.count;
	l->common.offset = &l->nt.offset;
	l->common.messages = &l->nt.messages;
	return l->config.src_bits;
}

static enum hs_status init(void *lint, size_t sources)
{
	struct lint *l = lint;

	return hs_nt_lint_init(&l->nt, &l->config, l->common.sources, sources);
}

static enum hs_status add_program(void *lint, const struct hs_image_set *set, size_t sources)
{
	struct lint *l = lint;
	struct protocol_nt_decoder *d = &l->decoder;
	const enum hs_status s = hs_nt_decoder_init(&d->nt, &l->config, &d->memory.table,
	                                            d->memory.sources, sources);

	if (s != HS_OK)
		return s;
	if (d->memory.table_count)
		hs_nt_decoder_programs(&d->nt, d->memory.tables, set->contexts, set->count);
	hs_nt_lint_program(&l->nt, &d->nt);
	l->common.decoder = d;
	return HS_OK;
}

static const char *name_field(unsigned field)
{
	return field < HS_NTF_COUNT ? hs_nt_field_name(field) : NULL;
}

static void describe(const void *lint, struct hs_message *out)
{
	const struct lint *l = lint;

	protocol_nt_describe(&l->nt.msg, l->config.dialect, out, l->config.src_bits != 0);
}

static const struct protocol_lint_kind lints = { .protocol = &protocol_ntrace,
	                                         .size = sizeof(struct lint),
	                                         .own = sizeof(struct hs_nt_lint),
	                                         .source = sizeof(struct hs_nt_lint_source),
	                                         .decoded = sizeof(struct hs_nt_source),
	                                         .configure = configure,
	                                         .init = init,
	                                         .add_program = add_program,
	                                         .field = name_field,
	                                         .describe = describe,
	                                         .next = hs_nt_lint_next,
	                                         .end = hs_nt_lint_end,
	                                         .take = hs_nt_lint_take,
	                                         .begin = hs_nt_lint_begin,
	                                         .alike = hs_nt_lint_alike };

enum hs_status protocol_nt_lint_new(void **lint, const void *config, const struct hs_image *image,
                                    const struct hs_image_set *set)
{
	return protocol_lint_new(lint, &lints, config, image, set);
}
