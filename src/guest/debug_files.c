/* Debug files: what was stripped from a file, in a file of its own.  It is found by the build-id,
 * as FILES/.build-id/xx/yyyy.debug has it, or by .gnu_debuglink: name and CRC (GDB, Debugging
 * Information in Separate Files). */
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <string.h>

#include "core/crc32.h"
#include "guest/private.h"
#include "support/grow.h"

bool guest_is_debug_file(Elf *elf)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) && (sh.sh_flags & SHF_EXECINSTR) && sh.sh_size)
			return sh.sh_type == SHT_NOBITS;
	}
	return false;
}

enum hs_status guest_keep_debug_file(struct hs_guest *g, struct guest_object *o)
{
	struct guest_objects *all = &g->debug_files;

	o->path = guest_keep(g, "%s", o->path);
	if (!o->path || !support_grow(&all->items, &all->room, all->count + 1, sizeof(*o)))
		return HS_E_MEMORY;
	all->items[all->count++] = *o;
	return HS_OK;
}

static const struct guest_object *find_by_id(const struct hs_guest *g,
                                             const struct guest_object *o)
{
	for (size_t i = 0; o->id_size && i < g->debug_files.count; i++) {
		const struct guest_object *d = &g->debug_files.items[i];

		if (d->id_size == o->id_size && memcmp(d->id, o->id, o->id_size) == 0)
			return d;
	}
	return NULL;
}

/* The debug file that a file's .gnu_debuglink names; where both have a build-id, that decides. */
static const struct guest_object *find_by_link(struct hs_guest *g, const struct guest_object *o,
                                               enum hs_status *status)
{
	Elf *elf = elf_memory((char *)(uintptr_t)o->bytes, o->size);
	const struct guest_object *found = NULL, *other = NULL;
	GElf_Word crc;
	const char *name = elf ? dwelf_elf_gnu_debuglink(elf, &crc) : NULL;

	for (size_t i = 0; name && !found && i < g->debug_files.count; i++) {
		const struct guest_object *d = &g->debug_files.items[i];

		if (strcmp(guest_base_of(d->path), name) != 0)
			continue;
		if (!(d->id_size && o->id_size) && base_crc32(d->bytes, d->size) == crc)
			found = d;
		else
			other = d;
	}
	if (!found && other)
		*status = guest_note(g, "%s: refused for %s: its %s is another one", other->path,
		                     o->path, other->id_size && o->id_size ? "build-id" : "CRC");
	elf_end(elf);
	return found;
}

enum hs_status guest_link_debug_files(struct hs_guest *g)
{
	enum hs_status status = HS_OK;

	for (size_t i = 0; g->debug_files.count && i < g->objects.count && status == HS_OK; i++) {
		struct guest_object *o = &g->objects.items[i];

		if (!o->bytes || o->no_names)
			continue;
		o->debug = find_by_id(g, o);
		if (!o->debug)
			o->debug = find_by_link(g, o, &status);
	}
	return status;
}
