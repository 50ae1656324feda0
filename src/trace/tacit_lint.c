/* TACIT's lint, for its row in the table of protocols. */
#include "trace/tacit.h"

struct lint {
	struct hs_lint common;
	struct tacit_lint tacit;
	struct tacit_config config;
};

static bool get_kind(unsigned index, struct hs_lint_kind *out)
{
	const struct hs_finding_kind *k = tacit_finding_get_kind(index);

	if (k)
		*out = (struct hs_lint_kind){ k->name, "all", k->clause, k->text,
			                      (enum hs_severity)k->severity };
	return k != NULL;
}

static unsigned configure(struct hs_lint *lint, const void *config)
{
	struct lint *l = (struct lint *)lint;

	l->config = *(const struct tacit_config *)config;
	l->common.own = &l->tacit;
	l->common.count = &l->tacit.count;
	l->common.offset = &l->tacit.offset;
	l->common.messages = &l->tacit.messages;
	return 0;
}

static enum hs_status init(struct hs_lint *lint, size_t sources)
{
	struct lint *l = (struct lint *)lint;

	(void)sources;
	return tacit_lint_init(&l->tacit, &l->config, l->common.sources);
}

static void follow(struct hs_lint *lint)
{
	struct lint *l = (struct lint *)lint;

	tacit_lint_program(&l->tacit, &((struct tacit_row_decoder *)lint->program)->tacit);
}

static void describe(const struct hs_lint *lint, struct hs_message *out)
{
	protocol_tacit_describe(&((const struct lint *)(const void *)lint)->tacit.msg, out);
}

const struct codec_lint_kind protocol_tacit_lint = {
	.size = sizeof(struct lint),
	.own = sizeof(struct tacit_lint),
	.source = sizeof(struct tacit_lint_source),
	.get_kind = get_kind,
	.configure = configure,
	.init = init,
	.decoder_new = protocol_tacit_decoder_new,
	.follow = follow,
	.name_field = tacit_field_name,
	.describe = describe,
	.next = tacit_lint_next,
	.end = tacit_lint_end,
	.take = tacit_lint_take,
	.begin = tacit_lint_begin,
	.alike = tacit_lint_alike,
};
