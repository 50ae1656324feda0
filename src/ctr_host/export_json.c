/* Export as JSON: everything that the array holds. */
#include <stdio.h>

#include <hartscope/status.h>

#include "ctr_host/export_private.h"

static enum hs_status json_begin(struct hs_ctr_export *x)
{
	char path[4096];

	hs_json_string(path, sizeof(path), x->program_path ? x->program_path : "");
	export_print(x, "{\n  \"version\": \"%s\",\n  \"depth\": %u,\n",
	             hs_ctr_version_name((enum hs_ctr_version)x->start.config.version),
	             hs_ctr_depth(&x->start));
	export_print(x, "  \"period\": %llu,\n  \"program\": %s,\n", (ull)x->period, path);
	export_print(x, "  \"samples\": [");
	return x->out.status;
}

static void json_record(struct hs_ctr_export *x, const struct hs_ctr_record *r, bool first)
{
	export_print(x,
	             "%s\n     {\"source\": \"0x%llx\", \"target\": \"0x%llx\", \"type\": %u, "
	             "\"name\": \"%s\"",
	             first ? "" : ",", (ull)r->source, (ull)r->target, r->type,
	             hs_ctr_type_name(r->type));
	if (r->misp)
		export_print(x, ", \"misp\": true");
	if (r->no_source || r->no_target)
		export_print(x, ", \"partial\": true");
	if (r->ccv)
		export_print(x, ", \"cycles\": %u", r->cycles);
	export_print(x, "}");
}

static enum hs_status json_sample(struct hs_ctr_export *x, const struct hs_ctr_sample *s)
{
	bool first = true;

	export_print(x, "%s\n    {\"hart\": %u, \"instructions\": %llu, ",
	             x->report.samples > 1 ? "," : "", s->hart, (ull)s->instructions);
	if (s->has_context)
		export_print(x, "\"context\": \"0x%llx\", ", (ull)s->context);
	export_print(x, "\"pc\": \"0x%llx\", \"priv\": %u, \"records\": [", (ull)s->pc, s->priv);
	for (unsigned i = 0; i < hs_ctr_depth(s->ctr); i++) {
		const struct hs_ctr_entry e = hs_ctr_get_entry(s->ctr, i);
		const struct hs_ctr_record r = hs_ctr_decode_entry(&e);

		if (!r.valid)
			continue;
		json_record(x, &r, first);
		x->report.branches++;
		first = false;
	}
	export_print(x, "]}");
	return x->out.status;
}

static enum hs_status json_end(struct hs_ctr_export *x)
{
	x->report.not_taken = 0; /* they are all there */
	export_print(x, "\n  ]\n}\n");
	return x->out.status;
}

const struct export_format export_json = {
	.name = "json",
	.begin = json_begin,
	.sample = json_sample,
	.end = json_end,
};
