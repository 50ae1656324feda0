/* Which hart and which program a flow is in (NT 7.1). */
#include <stdlib.h>

#include "program/private.h"
#include "program/select.h"

/* A hart, and the program that it runs. */
struct program_hart {
	uint32_t hart;
	struct hs_program *program;
	struct program_at at; /* while it is not the current one */
};

/* ---- views of the programs --------------------------------------------------------------- */

static size_t program_count(const struct program_select *s)
{
	return 1 + (s->set ? s->set->count : 0);
}

static struct hs_program *nth_program(const struct program_select *s, size_t i)
{
	return i ? s->set->programs[i - 1] : s->first;
}

/* Follow the current program. */
static void select_view(struct program_select *s)
{
	s->view = NULL;
	for (size_t i = 0; i < s->view_count && !s->view; i++)
		if (nth_program(s, i) == s->program)
			s->view = s->views[i];
}

static enum hs_status select_hart_of_views(struct program_select *s, uint32_t hart)
{
	enum hs_status status = HS_OK;

	for (size_t i = 0; i < s->view_count && status == HS_OK; i++)
		status = hs_code_view_select_hart(s->views[i], hart);
	select_view(s);
	return status;
}

static enum hs_status make_views(struct program_select *s)
{
	enum hs_status status = HS_OK;

	s->views = calloc(program_count(s), sizeof(struct hs_code_view *));
	if (!s->views)
		return HS_E_MEMORY;
	while (status == HS_OK && s->view_count < program_count(s)) {
		status = hs_code_view_new(nth_program(s, s->view_count),
		                          &s->views[s->view_count]);
		s->view_count += status == HS_OK;
	}
	return status == HS_OK ? select_hart_of_views(s, s->hart) : status;
}

/* What changes is the memory that a hart sees, whose program it is.  A number that a program does
 * not know changes nothing. */
static enum hs_status change_code(struct program_select *s, uint32_t number)
{
	enum hs_status status = HS_OK;

	if (!s->first->versions)
		return HS_OK;
	if (!s->views)
		status = make_views(s);
	for (size_t i = 0; i < s->view_count && status == HS_OK; i++) {
		status = hs_code_view_change(s->views[i], number);
		status = status == HS_E_ARG ? HS_OK : status;
	}
	return status;
}

/* ---- harts and contexts ------------------------------------------------------------------- */

static bool same_hart(const void *item, const void *key)
{
	return ((const struct program_hart *)item)->hart == *(const uint32_t *)key;
}

enum hs_status program_select_hart(struct program_select *s, uint32_t hart)
{
	const uint32_t hash = support_hash_of(hart, 0);

	if (s->harts.count)
		((struct program_hart *)support_hash_item(&s->harts, s->index))->at = s->at;
	struct program_hart *found = support_hash_find(&s->harts, hash, same_hart, &hart);

	if (!found) {
		found = support_hash_add(&s->harts, hash);
		if (!found)
			return HS_E_MEMORY;
		*found = (struct program_hart){ .hart = hart, .program = s->first };
	}
	s->hart = hart;
	s->index = (uint32_t)(found - (struct program_hart *)s->harts.items);
	s->program = found->program;
	s->at = found->at;
	return select_hart_of_views(s, hart);
}

enum hs_status program_select_copy(struct program_select *to, const struct program_select *from)
{
	for (uint32_t i = 0; i < from->harts.count; i++) {
		const struct program_hart *h = support_hash_item(&from->harts, i);
		struct program_hart *own =
			i < to->harts.count
				? support_hash_item(&to->harts, i)
				: support_hash_add(&to->harts, support_hash_of(h->hart, 0));

		if (!own)
			return HS_E_MEMORY;
		*own = *h;
	}
	to->program = from->program;
	to->hart = from->hart;
	to->at = from->at;
	to->index = from->index;
	return HS_OK;
}

void program_select_start(struct program_select *s, struct hs_program *program,
                          const struct hs_program_set *set)
{
	*s = (struct program_select){ .set = set && set->count ? set : NULL };
	s->first = s->set ? set->first : program;
	s->program = s->first;
	s->harts.item_size = sizeof(struct program_hart);
}

void program_select_end(struct program_select *s)
{
	support_hash_free(&s->harts);
	for (size_t i = 0; i < s->view_count; i++)
		hs_code_view_free(s->views[i]);
	free(s->views);
	s->views = NULL;
	s->view = NULL;
	s->view_count = 0;
}

static void select_context(struct program_select *s, uint64_t context)
{
	struct program_hart *hart = support_hash_item(&s->harts, s->index);

	if (s->set->others_run_first)
		s->program = hart->program = s->first;
	for (size_t i = 0; i < s->set->count; i++)
		if (s->set->contexts[i] == context)
			s->program = hart->program = s->set->programs[i];
	select_view(s);
}

enum hs_status program_select_event(struct program_select *s, const struct hs_block *b)
{
	if (b->kind == HS_KIND_HART)
		return program_select_hart(s, b->arg);
	if (b->kind == HS_KIND_VERSION)
		return change_code(s, b->arg);
	if (b->kind == HS_KIND_TIME)
		program_select_time(s, b);
	if (b->kind != HS_KIND_CONTEXT || b->arg != PROGRAM_SCONTEXT)
		return HS_OK;
	s->at.context = b->value;
	s->at.has_context = true;
	if (s->set)
		select_context(s, b->value);
	return HS_OK;
}
