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

void source_take_fault(struct source_trace *t, const struct hs_fault *f, struct hs_error *error)
{
	t->diag.reason = f->reason;
	t->diag.fault = f->pc;
	if (error)
		*error = f->error;
}
