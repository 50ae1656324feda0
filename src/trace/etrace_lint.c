/* E-Trace's lint, for its row in the table of protocols. */
#include "etrace/etrace.h"
#include "trace/etrace.h"

struct lint {
	struct hs_lint common;
	struct hs_et_lint et;
	struct hs_et_config config;
};

static const char *texts_of(const struct hs_finding_kind *k)
{
	const bool ratified = k->texts >> HS_ET_2_0 & 1, draft = k->texts >> HS_ET_0_026 & 1;

	return ratified && draft ? "all" : ratified ? "2.0" : "0.026";
}

static bool get_kind(unsigned index, struct hs_lint_kind *out)
{
	const struct hs_finding_kind *k = hs_et_finding_get_kind(index);

	if (k)
		*out = (struct hs_lint_kind){ k->name, texts_of(k), k->clause, k->text,
			                      (enum hs_severity)k->severity };
	return k != NULL;
}

static unsigned configure(struct hs_lint *lint, const void *config)
{
	struct lint *l = (struct lint *)lint;

	l->config = protocol_et_plain(config);
	l->common.own = &l->et;
	l->common.count = &l->et.count;
	l->common.offset = &l->et.offset;
	l->common.messages = &l->et.packets;
	return l->config.src_bits;
}

static enum hs_status init(struct hs_lint *lint, size_t sources)
{
	struct lint *l = (struct lint *)lint;

	return hs_et_lint_init(&l->et, &l->config, l->common.sources, sources);
}

static void follow(struct hs_lint *lint)
{
	struct lint *l = (struct lint *)lint;

	hs_et_lint_program(&l->et, &((struct et_decoder *)lint->program)->et);
}

static const char *name_field(unsigned field)
{
	return field < HS_ETF_COUNT ? hs_et_field_name(field) : NULL;
}

static void describe(const struct hs_lint *lint, struct hs_message *out)
{
	const struct lint *l = (const void *)lint;

	protocol_et_describe(&l->config, &l->et.packet, out);
}

const struct codec_lint_kind protocol_et_lint = {
	.size = sizeof(struct lint),
	.own = sizeof(struct hs_et_lint),
	.source = sizeof(struct hs_et_lint_source),
	.get_kind = get_kind,
	.configure = configure,
	.init = init,
	.decoder_new = protocol_et_decoder_new,
	.follow = follow,
	.name_field = name_field,
	.describe = describe,
	.next = hs_et_lint_next,
	.end = hs_et_lint_end,
	.take = hs_et_lint_take,
	.begin = hs_et_lint_begin,
	.alike = hs_et_lint_alike,
};
