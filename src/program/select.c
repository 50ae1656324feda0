/* Which program a flow is in (NT 7.1). */
#include <stdlib.h>

#include "program/select.h"

#define SCONTEXT 2 /* FORMAT of PROCESS (NT Table 12) */

static enum hs_status change_hart(struct program_select *s, uint32_t hart)
{
	for (s->at = 0; s->at < s->count && s->harts[s->at].hart != hart;)
		s->at++;
	if (s->at == s->count) {
		struct program_hart *more = realloc(s->harts, (s->count + 1) * sizeof(*more));

		if (!more)
			return HS_E_MEMORY;
		s->harts = more;
		s->harts[s->count++] = (struct program_hart){ hart, s->set->first };
	}
	s->program = s->harts[s->at].program;
	return HS_OK;
}

enum hs_status program_select_start(struct program_select *s, struct hs_program *first,
                                 const struct hs_program_set *set)
{
	*s = (struct program_select){ .set = set && set->count ? set : NULL, .program = first };
	return s->set ? change_hart(s, 0) : HS_OK;
}

void program_select_end(struct program_select *s)
{
	free(s->harts);
}

enum hs_status program_select_event(struct program_select *s, const struct hs_block *b)
{
	if (!s->set)
		return HS_OK;
	if (b->kind == HS_KIND_HART)
		return change_hart(s, b->arg);
	if (b->kind != HS_KIND_CONTEXT || b->arg != SCONTEXT)
		return HS_OK;
	for (size_t i = 0; i < s->set->count; i++)
		if (s->set->contexts[i] == b->value)
			s->program = s->harts[s->at].program = s->set->programs[i];
	return HS_OK;
}
