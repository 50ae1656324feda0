/* Views: each source's copy of the code, in which sites change (search_private.h has the words).
 *
 * The decoder asks its guide when the code changes next.  A view answers from its plan: moves that
 * are to be made, ordered by block.  A move that was made is in v->done, with the version before
 * it, so that view_go_back() can unmake the latest ones; a trial then gets another plan.
 *
 * Invariants: v->version is version 0 of each site with all of v->done applied; v->plan from
 * v->planned on is later than v->done.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/search_private.h"

/* ---- moves ---------------------------------------------------------------------- */

bool moves_add(struct moves *m, const struct move *move)
{
	if (m->n == m->room) {
		const size_t room = m->room ? 2 * m->room : 16;
		struct move *more = reallocarray(m->v, room, sizeof(*more));

		if (!more)
			return false;
		m->v = more;
		m->room = room;
	}
	m->v[m->n++] = *move;
	return true;
}

bool moves_copy(struct moves *to, const struct moves *from)
{
	to->n = 0;
	for (size_t i = 0; i < from->n; i++)
		if (!moves_add(to, &from->v[i]))
			return false;
	return true;
}

/* ---- a view ---------------------------------------------------------------------- */

static void free_view(struct view *v)
{
	free(v->sections);
	free(v->bytes);
	free(v->memory);
	free(v->version);
	free(v->proven);
	free(v->done.v);
	free(v->plan.v);
	free(v->kept.v);
	free(v);
}

static enum hs_status fill_view(struct view *v, const struct sites *s)
{
	const struct hs_image *base = &s->images[0];

	v->sections = calloc(base->count + 1, sizeof(*v->sections));
	v->bytes = malloc(s->size + 1);
	v->memory = malloc(hs_bb_memory(BLOCKS));
	v->version = calloc(s->count + 1, sizeof(*v->version));
	v->proven = calloc(s->count + 1, sizeof(*v->proven));
	if (!v->sections || !v->bytes || !v->memory || !v->version || !v->proven)
		return HS_E_MEMORY;
	memcpy(v->bytes, s->memory, s->size);
	for (size_t i = 0; i < base->count; i++) {
		v->sections[i] = base->sections[i];
		v->sections[i].bytes = v->bytes + (base->sections[i].bytes - s->memory);
	}
	v->image = *base;
	v->image.sections = v->sections;
	return hs_bb_init(&v->table, &v->image, v->memory, BLOCKS);
}

struct view *view_find(const struct hs_code_search *e, uint32_t src)
{
	struct view *v = e->views;

	while (v && v->src != src)
		v = v->next_view;
	return v;
}

static struct view *new_view(struct hs_code_search *e, uint32_t src)
{
	struct view *v = calloc(1, sizeof(*v));

	if (v && fill_view(v, &e->sites) != HS_OK) {
		free_view(v);
		v = NULL;
	}
	if (!v) {
		e->no_memory = true;
		return NULL;
	}
	v->src = src;
	v->index = e->view_count++;
	v->next_view = e->views;
	e->views = v;
	return v;
}

void views_free(struct hs_code_search *e)
{
	while (e->views) {
		struct view *v = e->views;

		e->views = v->next_view;
		free_view(v);
	}
}

/* ---- changing -------------------------------------------------------------------- */

static void set_version(struct hs_code_search *e, struct view *v, uint32_t number, unsigned version)
{
	const struct site *site = &e->sites.items[number];
	const uint8_t *bytes = site_version(&e->sites, site, version)->bytes;
	size_t n;

	memcpy((uint8_t *)(uintptr_t)hs_img_bytes(&v->image, site->start, &n), bytes, site->size);
	v->version[number] = (uint8_t)version;
	hs_bb_change(&v->table, site->start, site->size);
}

unsigned view_version_at(const struct view *v, uint32_t site, uint64_t block)
{
	unsigned version = v->version[site];

	for (size_t i = v->done.n; i-- > 0 && v->done.v[i].block > block;)
		if (v->done.v[i].site == site)
			version = v->done.v[i].from;
	return version;
}

static void make_due_moves(struct hs_code_search *e, struct view *v)
{
	for (; v->planned < v->plan.n && v->plan.v[v->planned].block <= v->counted; v->planned++) {
		struct move m = v->plan.v[v->planned];

		m.from = v->version[m.site];
		if (m.from >= m.to)
			continue;
		set_version(e, v, m.site, m.to);
		e->no_memory |= !moves_add(&v->done, &m);
	}
}

static uint64_t until_next(struct view *v)
{
	v->until =
		v->planned < v->plan.n ? v->plan.v[v->planned].block - v->counted : HS_GUIDE_NEVER;
	return v->until;
}

/* Is the last made move before @block, and the same in the head (v->kept)?  Then all before it
 * are. */
static bool is_kept(const struct view *v, uint64_t block)
{
	const struct move *m = &v->done.v[v->done.n - 1], *k = &v->kept.v[v->done.n - 1];

	return m->block < block && v->done.n <= v->kept.n && m->block == k->block &&
	       m->site == k->site && m->to == k->to;
}

void view_go_back(struct hs_code_search *e, struct view *v, uint64_t block)
{
	while (v->done.n && !is_kept(v, block)) {
		const struct move *m = &v->done.v[--v->done.n];

		set_version(e, v, m->site, m->from);
	}
	v->counted = v->blocks = block;
	v->plan.n = v->planned = 0;
}

bool view_plan(struct view *v, const struct move *m)
{
	size_t i = v->plan.n;

	if (!moves_add(&v->plan, m))
		return false;
	for (; i > 0 && v->plan.v[i - 1].block > m->block; i--)
		v->plan.v[i] = v->plan.v[i - 1];
	v->plan.v[i] = *m;
	return true;
}

void view_arm(struct hs_code_search *e, struct view *v)
{
	v->counted = v->blocks;
	make_due_moves(e, v);
	decoder_expect(e->decoder, v->src, until_next(v));
}

/* ---- the guide's calls ----------------------------------------------------------- */

static uint64_t begin(void *to, uint32_t src, struct hs_bb_table **table)
{
	struct hs_code_search *e = to;
	struct view *v = view_find(e, src);

	if (!v)
		v = new_view(e, src);
	if (!v) /* without memory the source has the first image */
		return HS_GUIDE_NEVER;
	*table = &v->table;
	make_due_moves(e, v);
	return until_next(v);
}

static uint64_t reach(void *to, uint32_t src)
{
	struct hs_code_search *e = to;
	struct view *v = view_find(e, src);

	v->counted += v->until;
	make_due_moves(e, v);
	return until_next(v);
}

static void place(void *to, uint32_t src, uint64_t offset)
{
	(void)to;
	(void)src;
	(void)offset;
}

enum hs_status views_init(struct hs_code_search *e)
{
	e->guide = (struct hs_code_guide){ e, begin, reach, place, true };
	decoder_guide(e->decoder, &e->guide);
	return HS_OK;
}
