/* Which process is in which context: by a map that says it, by a context that is the process's
 * number, or by the code that ran, which is in the mapped files of one process only. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "guest/private.h"
#include "support/grow.h"

/* ---- files of maps -------------------------------------------------------------------------- */

static bool overlaps(const struct guest_segment *s, const struct guest_map *m)
{
	return s->offset < m->offset + m->size && m->offset < s->offset + s->size;
}

/* Look for the file that a map names: the guest's root may be any directory here. */
static void look_for(const struct hs_guest *g, struct guest_map *m)
{
	m->looked = true;
	for (uint32_t i = 0; i < g->objects.count; i++) {
		const struct guest_object *o = &g->objects.items[i];

		if (!o->bytes || strcmp(guest_base_of(o->path), guest_base_of(m->file)) != 0)
			continue;
		for (uint32_t k = 0; k < o->segment_count; k++)
			if (overlaps(&o->segments[k], m)) {
				m->object = i + 1;
				m->segment = k;
				return;
			}
	}
}

/* The file here that a map names, with the segment that it maps; NULL: it was not given. */
static struct guest_object *object_of(const struct hs_guest *g, struct guest_map *m,
                                      const struct guest_segment **segment)
{
	if (!m->looked)
		look_for(g, m);
	if (!m->object)
		return NULL;
	*segment = &g->objects.items[m->object - 1].segments[m->segment];
	return &g->objects.items[m->object - 1];
}

/* The map of a process that has an address: of two the later one; NULL: none. */
static struct guest_map *map_at(const struct guest_process *p, uint64_t addr)
{
	for (size_t i = p->map_count; i > 0; i--)
		if (addr - p->maps[i - 1].start < p->maps[i - 1].size)
			return &p->maps[i - 1];
	return NULL;
}

/* Is a piece what the map's file has there?  True where the file was not given. */
static bool is_of_map(const struct hs_guest *g, struct guest_map *m,
                      const struct guest_piece *p)
{
	const struct guest_segment *s;
	const struct guest_object *o = object_of(g, m, &s);
	const uint64_t in_file = p->addr - m->start + m->offset;

	if (!o || o->patched || in_file - s->offset >= s->size)
		return true;
	const uint64_t at = in_file - s->offset, left = s->size - at;

	return memcmp(s->bytes + at, p->bytes, p->size < left ? p->size : left) == 0;
}

/* ---- contexts by content -------------------------------------------------------------------- */

/* Did all code of a space run in maps of a process, with their bytes? */
static bool fits(const struct hs_guest *g, const struct guest_space *s,
                 const struct guest_process *p)
{
	for (uint32_t i = s->first; i < s->first + s->count; i++) {
		const struct guest_piece *piece = guest_piece(&g->evidence, i);
		struct guest_map *m = map_at(p, piece->addr);

		if (!m || !is_of_map(g, m, piece))
			return false;
	}
	return s->count != 0 && p->map_count != 0;
}

static bool is_linked(const struct hs_guest *g, uint64_t context)
{
	for (size_t i = 0; i < g->processes.count; i++)
		if (g->processes.items[i].has_context && g->processes.items[i].context == context)
			return true;
	return false;
}

static void link_to(struct guest_process *p, const struct guest_space *s)
{
	p->has_context = true;
	p->context = s->context;
}

/* Contexts that are numbers of processes: an operating system may write them to scontext. */
static bool link_by_number(struct hs_guest *g, const struct guest_space *s)
{
	for (size_t i = 0; i < g->processes.count; i++) {
		struct guest_process *p = &g->processes.items[i];

		if (!p->has_context && p->pid && p->pid == s->context && fits(g, s, p)) {
			link_to(p, s);
			return true;
		}
	}
	return false;
}

/* Contexts that are numbers of other threads than the first of a process, which keeps its own. */
static bool find_by_thread(const struct hs_guest *g, struct guest_space *s)
{
	const struct hs_guest_task *t =
		s->context <= UINT32_MAX ? guest_thread(g, (uint32_t)s->context) : NULL;

	for (size_t i = g->processes.count; t && t->pid != s->context && i > 0; i--) {
		const struct guest_process *p = &g->processes.items[i - 1];

		if (p->pid != t->pid || !fits(g, s, p))
			continue;
		s->name = p->name;
		s->process = (uint32_t)i;
		s->is_thread = true;
		return true;
	}
	return false;
}

/* Contexts that switches of the scheduler say: the last process of the number that was there by
 * then, since an exec makes a new one. */
static void link_by_switches(struct hs_guest *g)
{
	for (uint32_t i = 0; i < g->evidence.spaces.count; i++) {
		const struct guest_space *s = guest_space(&g->evidence, i);
		uint64_t moment = 0, since;
		const uint32_t pid = s->has_context ? guest_voted_pid(g, s->context, &moment) : 0;

		if (!pid || is_linked(g, s->context))
			continue;
		for (size_t k = g->processes.count; k > 0; k--) {
			struct guest_process *p = &g->processes.items[k - 1];

			if (p->pid != pid || p->has_context ||
			    (guest_moment_of(g, p->since, &since) && since > moment))
				continue;
			link_to(p, s);
			break;
		}
	}
}

/* What fits a space: how many processes, the first of them, the name that all of them have, and
 * whether they have the same files where code ran. */
struct fitting {
	size_t count;
	struct guest_process *first;
	const char *name;
	bool same_files;
};

static bool same_files(const struct hs_guest *g, const struct guest_space *s,
                       const struct guest_process *a, const struct guest_process *b)
{
	for (uint32_t i = s->first; i < s->first + s->count; i++) {
		const uint64_t addr = guest_piece(&g->evidence, i)->addr;
		const struct guest_map *x = map_at(a, addr), *y = map_at(b, addr);

		if (x->start - x->offset != y->start - y->offset || strcmp(x->file, y->file) != 0)
			return false;
	}
	return true;
}

static struct fitting find_fitting(struct hs_guest *g, const struct guest_space *s)
{
	struct fitting f = { .same_files = true };

	for (size_t i = 0; i < g->processes.count; i++) {
		struct guest_process *p = &g->processes.items[i];

		if (p->has_context || !fits(g, s, p))
			continue;
		if (!f.count++) {
			f.first = p;
			f.name = p->name;
			continue;
		}
		if (!p->name || !f.name || strcmp(p->name, f.name) != 0)
			f.name = NULL;
		f.same_files = f.same_files && same_files(g, s, p, f.first);
	}
	return f;
}

static bool is_user_space(const struct guest_space *s)
{
	return s->has_context && s->count;
}

/* Link those that fit one process only; a process is in one context, so that others may then fit
 * only one, too.  Returns how many were linked. */
static size_t link_round(struct hs_guest *g)
{
	size_t linked = 0;

	for (uint32_t i = 0; i < g->evidence.spaces.count; i++) {
		struct guest_space *s = guest_space(&g->evidence, i);

		if (!is_user_space(s) || is_linked(g, s->context))
			continue;
		if (link_by_number(g, s)) {
			linked++;
			continue;
		}
		if (find_by_thread(g, s))
			continue;
		const struct fitting f = find_fitting(g, s);

		s->name = f.name;
		s->process = f.count && f.same_files
		                     ? 1 + (uint32_t)(f.first - g->processes.items) : 0;
		if (f.count != 1)
			continue;
		link_to(f.first, s);
		linked++;
	}
	return linked;
}

/* ---- mappings by maps ----------------------------------------------------------------------- */

/* A file that was not given: its name, without code. */
static struct guest_object *name_object(struct hs_guest *g, const struct guest_map *m)
{
	struct guest_objects *all = &g->objects;

	for (size_t i = 0; i < all->count; i++)
		if (!all->items[i].bytes && strcmp(all->items[i].path, m->file) == 0 &&
		    all->items[i].segments->offset == m->offset &&
		    all->items[i].segments->size == m->size)
			return &all->items[i];
	if (!support_grow(&all->items, &all->room, all->count + 1, sizeof(*all->items)))
		return NULL;
	struct guest_segment *s = malloc(sizeof(*s));

	if (!s)
		return NULL;
	*s = (struct guest_segment){ .start = m->offset, .offset = m->offset, .size = m->size };
	struct guest_object *o = &all->items[all->count];

	*o = (struct guest_object){ .path = m->file, .segments = s, .segment_count = 1,
		                    .no_names = true,
		                    .label = guest_keep(g, "%s (no symbol)",
		                                        guest_base_of(m->file)) };
	if (!o->label) {
		free(s);
		return NULL;
	}
	all->count++;
	return o;
}

static bool overlaps_mapping(const struct hs_guest *g, const struct guest_space *s,
                             const struct guest_map *m)
{
	for (uint32_t i = 0; i < s->mapping_count; i++) {
		const struct guest_mapping *other = &g->mappings[s->first_mapping + i];
		const struct guest_object *o = &g->objects.items[other->object];

		for (size_t k = 0; k < o->segment_count; k++) {
			const uint64_t start = o->segments[k].start + other->bias;

			if (start < m->start + m->size && m->start < start + o->segments[k].size)
				return true;
		}
	}
	return false;
}

/* Pieces in a map, and those of them that are not its file's. */
static uint32_t count_differing(const struct hs_guest *g, const struct guest_space *s,
                                struct guest_map *m, uint32_t *pieces)
{
	uint32_t differing = 0, i = guest_first_piece(&g->evidence, s, m->start);

	*pieces = 0;
	for (; i < s->first + s->count; i++) {
		const struct guest_piece *p = guest_piece(&g->evidence, i);

		if (p->addr - m->start >= m->size)
			break;
		++*pieces;
		differing += !is_of_map(g, m, p);
	}
	return differing;
}

static enum hs_status add_mapping(struct hs_guest *g, uint32_t space, struct guest_map *m)
{
	struct guest_space *s = guest_space(&g->evidence, space);
	const struct guest_segment *segment = NULL;
	uint32_t pieces, differing;
	struct guest_object *o;

	differing = count_differing(g, s, m, &pieces);
	o = object_of(g, m, &segment);
	if (differing)
		return guest_note(g, "%s: refused at 0x%" PRIx64 " of context 0x%" PRIx64 ", where "
		                  "the process map has it: %" PRIu32 " of %" PRIu32
		                  " blocks that ran there are not its own",
		                  o->path, m->start, s->context, differing, pieces);
	if (!pieces || overlaps_mapping(g, s, m))
		return HS_OK;
	if (!o)
		o = name_object(g, m);
	if (!o)
		return HS_E_MEMORY;
	if (!segment)
		segment = o->segments;
	return guest_add_mapping(g, space, &(struct guest_mapping){
		.bias = m->start - m->offset + segment->offset - segment->start,
		.object = (uint32_t)(o - g->objects.items), .space = space, .pieces = pieces,
		.accepted = true });
}

static bool is_file(const struct guest_map *m)
{
	return strncmp(m->file, "//", 2) != 0 && *m->file != '\0';
}

/* The process whose maps a space has; NULL: none. */
static struct guest_process *process_of(struct hs_guest *g, const struct guest_space *s)
{
	for (size_t i = g->processes.count; i > 0; i--) {
		struct guest_process *p = &g->processes.items[i - 1];

		if (p->has_context && p->context == s->context && p->map_count)
			return p;
	}
	return s->process ? &g->processes.items[s->process - 1] : NULL;
}

static enum hs_status add_mappings(struct hs_guest *g, uint32_t space)
{
	const struct guest_space *s = guest_space(&g->evidence, space);
	const struct guest_process *p = is_user_space(s) ? process_of(g, s) : NULL;
	enum hs_status status = HS_OK;

	for (size_t k = p ? p->map_count : 0; k > 0 && status == HS_OK; k--)
		if (is_file(&p->maps[k - 1]))
			status = add_mapping(g, space, &p->maps[k - 1]);
	return status;
}

/* ---- all ------------------------------------------------------------------------------------ */

static enum hs_status note_unlinked(struct hs_guest *g)
{
	size_t unlinked = 0, users = 0;
	uint64_t first = 0;

	for (uint32_t i = 0; i < g->evidence.spaces.count; i++) {
		const struct guest_space *s = guest_space(&g->evidence, i);

		if (!is_user_space(s))
			continue;
		users++;
		if (is_linked(g, s->context))
			continue;
		if (!unlinked++)
			first = s->context;
	}
	if (!unlinked)
		return HS_OK;
	return guest_note(g,
	                  "%zu of %zu contexts could not be linked to one process of the map, "
	                  "the first is 0x%" PRIx64, unlinked, users, first);
}

enum hs_status guest_link_processes(struct hs_guest *g)
{
	enum hs_status status = HS_OK;

	if (!g->processes.count)
		return HS_OK;
	link_by_switches(g);
	while (link_round(g))
		continue;
	for (uint32_t i = 0; i < g->evidence.spaces.count && status == HS_OK; i++)
		status = add_mappings(g, i);
	return status == HS_OK ? note_unlinked(g) : status;
}
