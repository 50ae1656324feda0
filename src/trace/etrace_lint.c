/* E-Trace's lint, for its row in the table of protocols. */
#include <stdlib.h>

#include "etrace/etrace.h"
#include "trace/etrace.h"

struct lint {
	struct protocol_lint common;
	struct hs_et_lint et;
	struct hs_et_config config;
	struct protocol_et_decoder decoder; /* empty without a program */
};

static const char *texts_of(const struct hs_finding_kind *k)
{
	const bool ratified = k->texts >> HS_ET_2_0 & 1, draft = k->texts >> HS_ET_0_026 & 1;

	return ratified && draft ? "all" : ratified ? "2.0" : "0.026";
}

bool protocol_et_lint_kind(unsigned index, struct hs_lint_kind *out)
{
	const struct hs_finding_kind *k = hs_et_finding_get_kind(index);

	if (k)
		*out = (struct hs_lint_kind){ k->name, texts_of(k), k->clause, k->text,
			                      (enum hs_severity)k->severity };
	return k != NULL;
}

static unsigned configure(void *lint, const void *config)
{
	struct lint *l = lint;

	l->config = protocol_et_plain(config);
	l->common.own = &l->et;
	l->common.memory = &l->decoder.memory;
	l->common.count = &l->et.count;
	l->common.offset = &l->et.offset;
	l->common.messages = &l->et.packets;
	return l->config.src_bits;
}

static enum hs_status init(void *lint, size_t sources)
{
	struct lint *l = lint;

	return hs_et_lint_init(&l->et, &l->config, l->common.sources, sources);
}

static enum hs_status add_program(void *lint, const struct hs_image_set *set, size_t sources)
{
	struct lint *l = lint;
	struct protocol_et_decoder *d = &l->decoder;

	d->config = l->config;
	const enum hs_status s = protocol_et_start(d, sources);

	if (s != HS_OK)
		return s;
	if (d->memory.table_count)
		hs_et_decoder_programs(&d->et, d->memory.tables, set->contexts, set->count);
	hs_et_lint_program(&l->et, &d->et);
	l->common.decoder = d;
	return HS_OK;
}

static void free_program(void *lint)
{
	struct lint *l = lint;

	free(l->decoder.tables);
}

static const char *name_field(unsigned field)
{
	return field < HS_ETF_COUNT ? hs_et_field_name(field) : NULL;
}

static void describe(const void *lint, struct hs_message *out)
{
	const struct lint *l = lint;

	protocol_et_describe(&l->config, &l->et.packet, out);
}

static const struct protocol_lint_kind lints = { .protocol = &protocol_etrace,
	                                         .size = sizeof(struct lint),
	                                         .own = sizeof(struct hs_et_lint),
	                                         .source = sizeof(struct hs_et_lint_source),
	                                         .decoded = sizeof(struct hs_et_source),
	                                         .configure = configure,
	                                         .init = init,
	                                         .add_program = add_program,
	                                         .free_program = free_program,
	                                         .field = name_field,
	                                         .describe = describe,
	                                         .next = hs_et_lint_next,
	                                         .end = hs_et_lint_end,
	                                         .take = hs_et_lint_take,
	                                         .begin = hs_et_lint_begin,
	                                         .alike = hs_et_lint_alike };

enum hs_status protocol_et_lint_new(void **lint, const void *config, const struct hs_image *image,
                                    const struct hs_image_set *set)
{
	return protocol_lint_new(lint, &lints, config, image, set);
}
