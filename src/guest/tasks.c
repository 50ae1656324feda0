/* Who is in a context. */
#include <stdlib.h>

#include "guest/private.h"

/* The program of a space, of which most ran; NULL: none is known. */
static const struct guest_object *program_of(const struct hs_guest *g, const struct guest_space *s)
{
	const struct guest_object *best = NULL;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < s->mapping_count; i++) {
		const struct guest_mapping *m = &g->mappings[s->first_mapping + i];
		const struct guest_object *o = &g->objects.items[m->object];

		if (o->program && m->bytes > bytes) {
			best = o;
			bytes = m->bytes;
		}
	}
	return best;
}

enum hs_status guest_settle_tasks(struct hs_guest *g)
{
	const uint32_t n = g->evidence.spaces.count;
	struct hs_guest_task *t = calloc((size_t)n + 1, sizeof(*t));

	g->tasks = t;
	for (uint32_t i = 0; t && i < n; i++) {
		struct guest_space *s = guest_space(&g->evidence, i);
		const struct guest_object *o = s->has_context ? program_of(g, s) : NULL;

		if (!o)
			continue;
		*t = (struct hs_guest_task){ .context = s->context, .program = o->path,
			                     .name = guest_base_of(o->path) };
		s->task = t++;
	}
	return g->tasks ? HS_OK : HS_E_MEMORY;
}

const struct hs_guest_task *hs_guest_find_task(struct hs_guest *g, const struct hs_guest_at *at)
{
	const bool virtual = at->priv == HS_PRIV_VU || at->priv == HS_PRIV_VS;
	const struct guest_space *s = guest_find_space(
		&g->evidence, virtual ? CLASS_GUEST_USER : CLASS_USER, at);

	return s ? s->task : NULL;
}
