/* Sources: what a decoder of a trace needs: code, the changes of code, a memo of runs. */
#include <stdlib.h>

#include "flow/flow.h"
#include "source/private.h"
#include "source/source.h"
#include "trace/trace.h"

static enum hs_status new_search(struct hs_source *s, const struct hs_image *first)
{
	struct source_trace *t = &s->trace;
	const struct source_code *c = &s->code;
	struct hs_image *images = calloc(c->later_count + 1, sizeof(*images));
	const struct hs_code_search_options o = { sizeof(o),   (uint32_t)c->later_count + 1,
		                                  t->protocol, t->config,
		                                  images,      t->code.versions };

	if (!images)
		return HS_E_MEMORY;
	images[0] = *first;
	for (size_t i = 0; i < c->later_count; i++)
		images[i + 1] = *hs_program_image(c->later[i]);
	const enum hs_status status = hs_code_search_new(&o, &t->code.search);

	free(images);
	return status;
}

static enum hs_status guide_decoder(struct source_trace *t, const struct hs_image *image)
{
	const bool one = t->in.perf && !source_bits(t);
	const uint32_t hart = one ? source_buffer_hart(t->in.perf) : 0;
	const enum hs_status status =
		source_guide_new(t->code.changes, image, one ? &hart : NULL, &t->code.guide);

	const bool adrift = t->in.perf && (t->in.perf->by_time || source_begins_later(t->in.perf));

	if (status != HS_OK)
		return status;
	if (t->in.perf)
		source_guide_set_map(t->code.guide, source_place_perf, t->in.perf, adrift);
	decoder_guide(t->decoder, source_guide_calls(t->code.guide));
	return t->code.versions ? source_changes_new(adrift, &t->code.events) : HS_OK;
}

void source_ask_memo(struct source_trace *t)
{
	struct hs_memo *memo = t->counted.take || t->counted.refers ? t->decoder->counted : NULL;

	t->counted.memo = t->counted.take ? memo : NULL;
	if (memo && t->counted.take) {
		hs_memo_pass_times(memo, t->counted.passes_times);
		hs_memo_count(memo, t->counted.take, t->counted.take_to);
	} else if (memo) {
		hs_memo_refer(memo);
	}
}

enum hs_status source_new_decoder(struct hs_source *s, struct hs_error *error)
{
	struct source_trace *t = &s->trace;
	const struct hs_protocol_traits traits = source_traits(t);
	struct hs_image_set set;
	struct hs_image *image = hs_program_image(s->code.set.first);

	image->isa.custom = t->vendor.custom;
	image->isa.custom_count = t->vendor.custom_count;
	if (traits.has_headers) /* else the harts are those of the program */
		image->isa.pulp = traits.pulp;
	/* the programs of contexts run on the same hart */
	for (size_t i = 0; i < s->code.set.count; i++) {
		struct hs_isa *isa = &hs_program_image(s->code.processes[i])->isa;

		isa->custom = image->isa.custom;
		isa->custom_count = image->isa.custom_count;
		s->code.process_images[i].isa.custom = isa->custom;
		s->code.process_images[i].isa.custom_count = isa->custom_count;
	}
	hs_trace_params_set_default_width(t->params, &image->isa);
	hs_source_get_images(s, &set);
	enum hs_status status = s->code.later_count ? new_search(s, image)
	                                            : hs_decoder_new(&t->decoder, t->protocol,
	                                                             t->config, image, &set);

	if (status == HS_OK && t->all_syncs && t->decoder)
		decoder_show_syncs(t->decoder);
	if (status == HS_OK && t->code.changes && !t->code.search)
		status = guide_decoder(t, image);
	if (status == HS_OK)
		source_ask_memo(t);
	return status == HS_OK ? status
	                       : hs_error_set(error, status, "%s: %s", t->protocol->name,
	                                      hs_status_text(status));
}

/* ---- code that changes ---------------------------------------------------------- */

static enum hs_status get_code(const struct hs_code_changes *list, uint32_t number,
                               struct hs_section *code)
{
	if (!list || number >= hs_code_changes_count(list))
		return HS_E_ARG;
	*code = hs_code_changes_get(list, number)->code;
	return HS_OK;
}

enum hs_status source_changed_code(void *trace, uint32_t number, struct hs_section *code)
{
	const struct source_trace *t = trace;
	struct hs_code_search_change change;

	if (!t->code.search)
		return get_code(t->code.changes, number, code);
	if (!hs_code_search_get_change(t->code.search, number, &change))
		return HS_E_ARG;
	*code = change.code;
	return HS_OK;
}
