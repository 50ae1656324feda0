/* Programs: all of their parts. */
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "program/private.h"

enum hs_status hs_program_new(struct hs_program **p)
{
	*p = calloc(1, sizeof(**p));
	if (!*p)
		return HS_E_MEMORY;
	(*p)->image.isa.xlen = 64;
	return HS_OK;
}

static void free_list(char ***list)
{
	for (size_t i = 0; *list && (*list)[i]; i++)
		free((*list)[i]);
	free(*list);
	*list = NULL;
}

static void free_names(struct program_names *names)
{
	free_list(&names->debug_dirs);
	free_list(&names->folders);
	free_list(&names->source_dirs);
}

/* False: no memory.  Of no names: NULL. */
static bool copy_list(char ***list, const char *const *from, size_t count)
{
	if (!count)
		return true;
	*list = calloc(count + 1, sizeof(**list));
	for (size_t i = 0; *list && i < count; i++) {
		(*list)[i] = strdup(from[i]);
		if (!(*list)[i])
			return false;
	}
	return *list != NULL;
}

enum hs_status hs_program_set_names(struct hs_program *p, const struct hs_name_options *options)
{
	struct hs_name_options o;
	struct program_names names = { 0 };

	if (base_take_config(&o, sizeof(o), options) != HS_OK)
		return HS_E_CONFIG;
	names.mangled = o.mangled;
	names.confined = o.confined;
	names.own_sources = p->names.own_sources;
	if (!copy_list(&names.debug_dirs, o.debug_dirs, o.debug_dir_count) ||
	    !copy_list(&names.folders, o.folders, o.folder_count) ||
	    !copy_list(&names.source_dirs, o.source_dirs, o.source_dir_count)) {
		free_names(&names);
		return HS_E_MEMORY;
	}
	free_names(&p->names);
	p->names = names;
	return HS_OK;
}

void hs_program_free(struct hs_program *p)
{
	if (!p)
		return;
	program_end_ahead(p);
	while (p->open) {
		struct program_file *f = p->open;

		p->open = f->next;
		program_close_file(f);
	}
	program_free_sources(p);
	program_free_table(&p->table);
	program_free_texts(p->texts);
	for (size_t i = 0; i < p->notes.count; i++)
		free(p->notes.items[i]);
	free(p->notes.items);
	free_names(&p->names);
	free(p->symbols.aliases);
	free(p->files.v);
	free(p->overlay.v);
	free(p->merged.v);
	free(p->symbols.items);
	free(p->landings.items);
	free(p);
}

struct hs_image *hs_program_image(struct hs_program *p)
{
	return &p->image;
}

void hs_program_set_versions(struct hs_program *p, hs_version_fn code, void *of)
{
	p->versions = code;
	p->versions_of = of;
}

uint64_t hs_program_entry(const struct hs_program *p)
{
	return p->entry;
}
