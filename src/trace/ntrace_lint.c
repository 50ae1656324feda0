/* N-Trace's lint, for its row in the table of protocols. */
#include "core/config.h"
#include "ntrace/ntrace.h"
#include "trace/ntrace.h"

struct lint {
	struct hs_lint common;
	struct hs_nt_lint nt;
	struct hs_nt_config config;
};

static const char *texts_of(const struct hs_finding_kind *k)
{
	const unsigned both = 1u << HS_NT_DIALECT_RC7 | 1u << HS_NT_DIALECT_V1_0;

	if ((k->texts & both) == both)
		return "both";
	return k->texts & 1u << HS_NT_DIALECT_RC7 ? "rc7" : "1.0";
}

static bool get_kind(unsigned index, struct hs_lint_kind *out)
{
	const struct hs_finding_kind *k = hs_nt_finding_get_kind(index);

	if (k)
		*out = (struct hs_lint_kind){ k->name, texts_of(k), k->clause, k->text,
			                      (enum hs_severity)k->severity };
	return k != NULL;
}

static unsigned configure(struct hs_lint *lint, const void *config)
{
	struct lint *l = (struct lint *)lint;

	if (base_take_config(&l->config, sizeof(l->config), config) != HS_OK)
		return LINT_NO_CONFIG;
	l->common.own = &l->nt;
	l->common.count = &l->nt.count;
	l->common.offset = &l->nt.offset;
	l->common.messages = &l->nt.messages;
	return l->config.src_bits;
}

static enum hs_status init(struct hs_lint *lint, size_t sources)
{
	struct lint *l = (struct lint *)lint;

	return hs_nt_lint_init(&l->nt, &l->config, l->common.sources, sources);
}

static void follow(struct hs_lint *lint)
{
	struct lint *l = (struct lint *)lint;

	hs_nt_lint_program(&l->nt, &((struct nt_decoder *)lint->program)->nt);
}

static const char *name_field(unsigned field)
{
	return field < HS_NTF_COUNT ? hs_nt_field_name(field) : NULL;
}

static void describe(const struct hs_lint *lint, struct hs_message *out)
{
	const struct lint *l = (const void *)lint;

	protocol_nt_describe(&l->nt.msg, l->config.dialect, out, l->config.src_bits != 0);
}

const struct codec_lint_kind protocol_nt_lint = {
	.size = sizeof(struct lint),
	.own = sizeof(struct hs_nt_lint),
	.source = sizeof(struct hs_nt_lint_source),
	.get_kind = get_kind,
	.configure = configure,
	.init = init,
	.decoder_new = protocol_nt_decoder_new,
	.follow = follow,
	.name_field = name_field,
	.describe = describe,
	.next = hs_nt_lint_next,
	.end = hs_nt_lint_end,
	.take = hs_nt_lint_take,
	.begin = hs_nt_lint_begin,
	.alike = hs_nt_lint_alike,
};
