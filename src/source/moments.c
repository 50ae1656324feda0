/* Sources: images of the code at later moments, and the decoder that finds which of them ran. */
#include <stdlib.h>
#include <string.h>

#include "source/private.h"

/* ---- programs -------------------------------------------------------------------- */

static uint32_t last_moment(const struct hs_source_options *o)
{
	uint32_t last = 0;

	for (size_t i = 0; i < o->code_count; i++)
		if (o->code[i].moment > last)
			last = o->code[i].moment;
	return last;
}

bool source_has_moments(const struct hs_source_options *o)
{
	return last_moment(o) != 0;
}

static bool has_contexts(const struct hs_source_options *o)
{
	for (size_t i = 0; i < o->code_count; i++)
		if (o->code[i].has_context)
			return true;
	return false;
}

static enum hs_status add_moment(struct source_code *c, const struct hs_source_options *o,
                                 uint32_t moment, struct hs_error *error)
{
	struct hs_program **p = &c->later[c->later_count];
	enum hs_status status = source_new_program(c, p);

	if (status != HS_OK)
		return hs_error_set(error, status, "out of memory");
	c->later_count++;
	hs_program_image(*p)->isa = hs_program_image(c->program)->isa;
	for (size_t i = 0; i < o->code_count && status == HS_OK; i++)
		if (o->code[i].moment == moment)
			status = source_add_file(c, *p, &o->code[i], error);
	return status;
}

enum hs_status source_add_moments(struct source_code *c, const struct hs_source_options *o,
                                  struct hs_error *error)
{
	const uint32_t last = last_moment(o);
	enum hs_status status = HS_OK;

	if (has_contexts(o))
		return hs_error_set(error, HS_E_CONFIG, "code of several moments is one for all "
		                    "contexts: give no programs of contexts with it");
	c->later = calloc(last + 1, sizeof(*c->later));
	if (!c->later)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	for (uint32_t m = 1; m <= last && status == HS_OK; m++)
		status = add_moment(c, o, m, error);
	return status;
}

void source_free_moments(struct source_code *c)
{
	for (size_t i = 0; i < c->later_count; i++)
		hs_program_free(c->later[i]);
	free(c->later);
}

/* ---- the decoder ----------------------------------------------------------------- */

enum hs_status source_new_search(struct hs_source *s, const struct hs_image *first)
{
	struct source_trace *t = &s->trace;
	const struct source_code *c = &s->code;
	struct hs_image *images = calloc(c->later_count + 1, sizeof(*images));
	const struct hs_code_search_options o = { sizeof(o), (uint32_t)c->later_count + 1,
		                                  t->protocol, t->config, images, t->versions };

	if (!images)
		return HS_E_MEMORY;
	images[0] = *first;
	for (size_t i = 0; i < c->later_count; i++)
		images[i + 1] = *hs_program_image(c->later[i]);
	const enum hs_status status = hs_code_search_new(&o, &t->search);

	free(images);
	return status;
}

bool source_decodes(const struct source_trace *t)
{
	return t->decoder || t->search;
}

enum hs_status source_decode_bytes(struct source_trace *t, struct hs_span *in,
                                   struct hs_block *out, size_t cap, size_t *n)
{
	return t->search ? hs_code_search_decode(t->search, in, out, cap, n)
	                 : hs_decode(t->decoder, in, out, cap, n);
}

enum hs_status source_decode_end(struct source_trace *t, struct hs_block *out, size_t cap,
                                 size_t *n)
{
	return t->search ? hs_code_search_end(t->search, out, cap, n)
	                 : hs_decode_end(t->decoder, out, cap, n);
}

void source_decode_lose(struct source_trace *t)
{
	if (t->search)
		hs_code_search_lose(t->search);
	else
		decoder_lose(t->decoder);
}

void source_take_fault(struct source_trace *t, const struct hs_fault *f, struct hs_error *error)
{
	t->reason = f->reason;
	t->fault = f->pc;
	if (error)
		*error = f->error;
}

void source_set_fault(struct source_trace *t, enum hs_status status, struct hs_error *error)
{
	struct hs_fault f = { .pc = 0 };

	if (t->search)
		f.reason = hs_code_search_diag(t->search, &f.error);
	else
		hs_decoder_diag(t->decoder, status, &f);
	source_take_fault(t, &f, error);
}

unsigned source_decode_counts(const struct source_trace *t, struct hs_message_count *out,
                              unsigned cap)
{
	return t->search ? hs_code_search_counts(t->search, out, cap)
	                 : decoder_counts(t->decoder, out, cap);
}

void source_free_decoder(struct source_trace *t)
{
	hs_decoder_free(t->decoder);
	hs_code_search_free(t->search);
	t->decoder = NULL;
	t->search = NULL;
}

enum hs_status source_changed_code(void *trace, uint32_t number, struct hs_section *code)
{
	const struct source_trace *t = trace;
	struct hs_code_search_change change;

	if (!t->search)
		return source_changes_get_code(t->changes, number, code);
	if (!hs_code_search_get_change(t->search, number, &change))
		return HS_E_ARG;
	*code = change.code;
	return HS_OK;
}

const struct hs_code_search *hs_source_search(const struct hs_source *s)
{
	return s->ops == &source_trace_ops ? s->trace.search : NULL;
}
