/* Which code a decoder finds at which moment (guide.h).
 *
 * Each source of a trace has a view: its own copy of the code, in which changes are made when it
 * reaches them, and its own table of basic blocks.
 */
#include <stdlib.h>
#include <string.h>

#include "source/guide.h"
#include "source/source.h"
#include "support/sections.h"

#define BLOCKS (1u << 18) /* basic blocks that a view remembers */

struct view {
	struct view *next_view;
	uint32_t src;
	struct hs_image image;
	struct hs_section *sections;
	uint8_t *bytes;
	struct hs_bb_table table;
	void *memory;
	size_t next;       /* change of the list that this source has not reached */
	uint64_t position; /* blocks that it retired */
};

struct source_guide {
	struct hs_code_guide calls;
	const struct hs_code_changes *list;
	const struct hs_image *base;
	struct view *views;
	bool one_hart; /* all sources are @hart */
	uint32_t hart;
	bool adrift;   /* from the start */
	uint64_t (*map)(void *to, uint64_t offset); /* NULL: offsets are as they are */
	void *map_to;
};

/* ---- a view -------------------------------------------------------------------- */

static void free_view(struct view *v)
{
	free(v->sections);
	free(v->bytes);
	free(v->memory);
	free(v);
}

static void copy_code(struct view *v, const struct hs_section *code)
{
	size_t n;
	const uint8_t *to = hs_img_bytes(&v->image, code->start, &n);

	memcpy((uint8_t *)(uintptr_t)to, code->bytes, code->size);
}

/* A copy of @g's code, with room for what changes add to it. */
static enum hs_status copy_image(struct view *v, const struct source_guide *g)
{
	const size_t n = hs_code_changes_count(g->list);
	struct hs_section *changes = calloc(n + 1, sizeof(*changes));
	struct support_code copy;

	for (size_t i = 0; changes && i < n; i++)
		changes[i] = hs_code_changes_get(g->list, i)->code;
	const bool copied = changes && support_copy_code(g->base, changes, n, &copy);

	free(changes);
	if (!copied)
		return HS_E_MEMORY;
	v->bytes = copy.bytes;
	v->image = *g->base;
	v->image.sections = v->sections = copy.sections;
	v->image.count = copy.count;
	return HS_OK;
}

static enum hs_status fill_view(struct view *v, const struct source_guide *g)
{
	const enum hs_status status = copy_image(v, g);

	if (status != HS_OK)
		return status;
	v->memory = malloc(hs_bb_memory(BLOCKS));
	return v->memory ? hs_bb_init(&v->table, &v->image, v->memory, BLOCKS) : HS_E_MEMORY;
}

static struct view *find_view(const struct source_guide *g, uint32_t src)
{
	struct view *v = g->views;

	while (v && v->src != src)
		v = v->next_view;
	return v;
}

/* ---- changes ------------------------------------------------------------------- */

static bool concerns(const struct source_guide *g, const struct view *v,
                     const struct hs_code_change *c)
{
	return c->hart == (g->one_hart ? g->hart : v->src) || hs_code_changes_harts(g->list) == 1;
}

/* The next change of a view; NULL: none. */
static const struct hs_code_change *next_change(const struct source_guide *g, struct view *v)
{
	for (; v->next < hs_code_changes_count(g->list); v->next++) {
		const struct hs_code_change *c = hs_code_changes_get(g->list, v->next);

		if (concerns(g, v, c))
			return c;
	}
	return NULL;
}

/* Make a change.  What is no difference keeps the table. */
static bool change(struct view *v, const struct hs_section *code)
{
	size_t n;
	const bool differs = memcmp(hs_img_bytes(&v->image, code->start, &n), code->bytes,
	                            code->size) != 0;

	if (differs)
		copy_code(v, code);
	return differs;
}

/* Make the changes up to @blocks retired, or with @by_offset up to a byte of the trace. */
static void advance(const struct source_guide *g, struct view *v, uint64_t limit, bool by_offset)
{
	const struct hs_code_change *c = next_change(g, v);
	bool any = false;

	for (; c && (by_offset ? c->offset : c->blocks) <= limit; c = next_change(g, v)) {
		any |= change(v, &c->code);
		v->next++;
	}
	if (any)
		hs_bb_forget(&v->table);
}

static uint64_t until_next(const struct source_guide *g, struct view *v)
{
	const struct hs_code_change *c = next_change(g, v);

	return c ? c->blocks - v->position : HS_GUIDE_NEVER;
}

/* ---- the guide's calls --------------------------------------------------------- */

static uint64_t begin(void *to, uint32_t src, struct hs_bb_table **table)
{
	struct source_guide *g = to;
	struct view *v = find_view(g, src);

	if (!v) {
		v = calloc(1, sizeof(*v));
		if (v && fill_view(v, g) != HS_OK) {
			free_view(v);
			v = NULL;
		}
		if (!v) /* without memory the source has the code that never changed */
			return HS_GUIDE_NEVER;
		v->src = src;
		v->next_view = g->views;
		g->views = v;
	}
	*table = &v->table;
	if (g->adrift)
		return HS_GUIDE_ADRIFT;
	advance(g, v, v->position, false);
	return until_next(g, v);
}

static uint64_t reach(void *to, uint32_t src)
{
	struct source_guide *g = to;
	struct view *v = find_view(g, src);

	v->position += until_next(g, v);
	advance(g, v, v->position, false);
	return until_next(g, v);
}

static void place(void *to, uint32_t src, uint64_t offset)
{
	struct source_guide *g = to;
	struct view *v = find_view(g, src);

	if (v)
		advance(g, v, g->map ? g->map(g->map_to, offset) : offset, true);
}

enum hs_status source_guide_new(const struct hs_code_changes *list, const struct hs_image *base,
                                const uint32_t *hart, struct source_guide **guide)
{
	struct source_guide *g = calloc(1, sizeof(*g));

	if (!g)
		return HS_E_MEMORY;
	g->calls = (struct hs_code_guide){ g, begin, reach, place, false };
	g->list = list;
	g->base = base;
	g->one_hart = hart != NULL;
	g->hart = hart ? *hart : 0;
	*guide = g;
	return HS_OK;
}

void source_guide_set_map(struct source_guide *g, uint64_t (*map)(void *to, uint64_t offset),
                          void *to, bool adrift)
{
	g->map = map;
	g->map_to = to;
	g->adrift = adrift;
}

void source_guide_free(struct source_guide *g)
{
	while (g && g->views) {
		struct view *v = g->views;

		g->views = v->next_view;
		free_view(v);
	}
	free(g);
}

const struct hs_code_guide *source_guide_calls(const struct source_guide *g)
{
	return &g->calls;
}

size_t source_guide_reached(const struct source_guide *g, uint32_t src)
{
	const struct view *v = g->one_hart ? g->views : find_view(g, src);

	return v ? v->next : 0;
}
