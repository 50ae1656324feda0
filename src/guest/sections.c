/* Where the sections of modules are, as /sys/module/NAME/sections says it: a directory copied from
 * there, or the lines of "grep -r . /sys/module/NAME/sections", and modules placed by it. */
#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "guest/private.h"
#include "support/grow.h"

#define SECTIONS "/sections/"
#define BYTES_MIN 32u   /* that have to agree, in two blocks at least */
#define OTHER_SHARE 8u  /* of another module that was there, one in so many at most */

/* ---- reading --------------------------------------------------------------------------------- */

/* Keep "…NAME/sections/SECTION" and its address. */
static enum hs_status keep_section(struct hs_guest *g, char *path, uint64_t address)
{
	char *mark = strstr(path, SECTIONS);
	struct guest_section_at s = { .address = address };

	if (!mark || mark == path)
		return HS_E_FORMAT;
	*mark = '\0';
	s.module = guest_keep(g, "%s", guest_base_of(path));
	s.section = guest_keep(g, "%s", mark + strlen(SECTIONS));
	if (!s.module || !s.section ||
	    !support_grow(&g->sections, &g->section_room, g->section_count + 1, sizeof(s)))
		return HS_E_MEMORY;
	g->sections[g->section_count++] = s;
	return HS_OK;
}

static bool take_address(char *text, uint64_t *address)
{
	return strncmp(text, "0x", 2) == 0 && (text += 2, guest_take_hex(&text, address)) &&
	       *text == '\0';
}

bool guest_is_section_line(const char *line)
{
	const char *mark = strstr(line, SECTIONS);

	return mark && strstr(mark, ":0x");
}

enum hs_status guest_take_section_line(struct hs_guest *g, char *line)
{
	char *colon = strrchr(line, ':');
	uint64_t address;

	if (!colon || !take_address(colon + 1, &address))
		return HS_E_FORMAT;
	*colon = '\0';
	return keep_section(g, line, address);
}

/* A file of the directory; of another name, or unreadable, it is none of ours. */
static enum hs_status read_entry(struct hs_guest *g, const FTSENT *entry, struct hs_error *error)
{
	const struct hs_guest_file file = { .kind = HS_GUEST_MODULES, .path = entry->fts_path };
	char *path, *text, *line;
	uint64_t address;

	if (entry->fts_info != FTS_F || !strstr(entry->fts_path, SECTIONS))
		return HS_OK;
	enum hs_status status = guest_read_text(g, &file, &text, error);

	if (status != HS_OK)
		return status;
	path = guest_keep(g, "%s", entry->fts_path);
	if (!path)
		return HS_E_MEMORY;
	line = guest_next_line(&text);
	if (!line || !take_address(line, &address))
		return hs_error_set(error, HS_E_FORMAT, "%s: not an address, as /sys/module has it",
		                    entry->fts_path);
	return keep_section(g, path, address);
}

enum hs_status guest_add_sections(struct hs_guest *g, const char *path, struct hs_error *error)
{
	char *paths[] = { (char *)(uintptr_t)path, NULL };
	const size_t before = g->section_count;
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_COMFOLLOW, NULL);
	enum hs_status status;
	FTSENT *entry;

	if (!fts)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
	do {
		status = guest_next_file(g, fts, &entry, path, error);
		if (status == HS_OK && entry)
			status = read_entry(g, entry, error);
	} while (status == HS_OK && entry);
	fts_close(fts);
	if (status == HS_E_MEMORY)
		return hs_error_set(error, status, "%s: out of memory", path);
	if (status == HS_OK && g->section_count == before)
		return hs_error_set(error, HS_E_FORMAT,
		                    "%s: no NAME/sections/SECTION, as /sys/module has them", path);
	return status;
}

/* ---- placing --------------------------------------------------------------------------------- */

static bool is_of_init(const char *section)
{
	return strncmp(section, ".init", 5) == 0;
}

/* Where /proc/modules has the module's code: its first section that stays. */
static void place_by_list(const struct hs_guest *g, struct guest_object *o)
{
	for (size_t i = 0; i < g->module_count; i++) {
		const char *name = g->modules[i].file + 1; /* "[NAME]" */
		const size_t n = strlen(o->module);

		if (strncmp(name, o->module, n) != 0 || name[n] != ']')
			continue;
		for (size_t k = 0; k < o->segment_count; k++)
			if (!is_of_init(o->segments[k].name)) {
				o->segments[k].start = g->modules[i].start;
				o->segments[k].placed = true;
				return;
			}
	}
}

/* Give the sections of a module their addresses; those without one have no code. */
static void place(const struct hs_guest *g, struct guest_object *o)
{
	bool any = false;

	for (size_t i = 0; i < g->section_count; i++)
		for (size_t k = 0; k < o->segment_count; k++) {
			struct guest_segment *s = &o->segments[k];

			if (strcmp(g->sections[i].module, o->module) != 0 ||
			    strcmp(g->sections[i].section, s->name) != 0)
				continue;
			s->start = g->sections[i].address;
			s->placed = any = true;
		}
	if (!any)
		place_by_list(g, o);
	for (size_t k = 0; k < o->segment_count; k++) {
		struct guest_segment *s = &o->segments[k];

		if (!s->placed || s->start > UINT64_MAX - s->size)
			s->size = 0;
	}
}

/* Is a block the code of a module that was there before or after?  The memory of a module's
 * initialisation is given to the next one. */
static bool is_of_another(const struct hs_guest *g, const struct guest_object *o,
                          const struct guest_piece *p)
{
	for (size_t i = 0; i < g->objects.count; i++) {
		const struct guest_object *other = &g->objects.items[i];
		const struct guest_segment *s =
			other->module && other != o ? guest_segment_at(other, 0, p->addr) : NULL;

		if (s && !guest_count_other(s, p->addr - s->start, p->bytes, p->size))
			return true;
	}
	return false;
}

/* Count what ran in a module's sections: blocks that are its own, and that are nobody's. */
static void count_pieces(const struct hs_guest *g, const struct guest_space *space,
                         const struct guest_object *o, struct guest_mapping *m)
{
	for (size_t k = 0; k < o->segment_count; k++) {
		const struct guest_segment *s = &o->segments[k];
		uint32_t i = guest_first_piece(&g->evidence, space, s->start);

		for (; i < space->first + space->count; i++) {
			const struct guest_piece *p = guest_piece(&g->evidence, i);

			if (p->addr - s->start >= s->size)
				break;
			if (!guest_count_other(s, p->addr - s->start, p->bytes, p->size)) {
				m->pieces++;
				m->bytes += p->size;
			} else if (!is_of_another(g, o, p)) {
				m->other++;
			} else {
				m->changed = true;
			}
		}
	}
}

static enum hs_status decide(struct hs_guest *g, uint32_t number, uint32_t object)
{
	const struct guest_space *space = guest_space(&g->evidence, number);
	const struct guest_object *o = &g->objects.items[object];
	struct guest_mapping m = { .object = object, .space = number, .accepted = true };

	count_pieces(g, space, o, &m);
	const bool refused = m.other && m.other >= m.pieces / OTHER_SHARE;
	enum hs_status status = HS_OK;

	if (m.other)
		status = guest_note(g, "%s: %s at 0x%" PRIx64 ": %" PRIu32 " of %" PRIu32
		                    " blocks that ran there are not its own%s", o->path,
		                    refused ? "refused" : "found", o->segments[0].start, m.other,
		                    m.other + m.pieces,
		                    refused ? "" : ", and have no name of it");
	m.other += m.changed; /* each block is compared when it is asked for */
	if (status == HS_OK && !refused && m.pieces >= 2 && m.bytes >= BYTES_MIN)
		status = guest_add_mapping(g, number, &m);
	return status;
}

enum hs_status guest_place_modules(struct hs_guest *g)
{
	enum hs_status status = HS_OK;

	for (uint32_t i = 0; i < g->objects.count; i++)
		if (g->objects.items[i].module)
			place(g, &g->objects.items[i]);
	for (uint32_t i = 0; i < g->objects.count; i++) {
		if (!g->objects.items[i].module)
			continue;
		for (uint32_t k = 0; k < g->evidence.spaces.count && status == HS_OK; k++) {
			const uint32_t class = guest_space(&g->evidence, k)->class;

			if (class == CLASS_KERNEL || class == CLASS_GUEST_KERNEL)
				status = decide(g, k, i);
		}
	}
	return status;
}
