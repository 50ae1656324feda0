/* Programs: debug information that is in a file and cannot be read, which is said. */
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "program/private.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

/* A section with debug information; false: the file has none. */
static bool find_section(Elf *elf, Elf_Scn **found)
{
	size_t names;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		const char *name =
			gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;

		*found = scn;
		if (name && sh.sh_type == SHT_PROGBITS && sh.sh_size &&
		    (strcmp(name, ".debug_info") == 0 || strcmp(name, ".zdebug_info") == 0))
			return true;
	}
	return false;
}

static const char *reason_of(Elf *elf, Elf_Scn *scn)
{
	Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	const char *name = NULL;
	const void *id = NULL;
	const bool shares = dwarf && dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id) > 0;
	GElf_Chdr ch;

	dwarf_end(dwarf);
	if (gelf_getchdr(scn, &ch) && ch.ch_type == ELFCOMPRESS_ZSTD)
		return "it is compressed with zstd, which elfutils reads from 0.189 on; objcopy "
		       "--decompress-debug-sections makes it readable";
	if (shares)
		return "the file that it shares parts with (dwz) is not where debug files are; "
		       "--debug-dir DIR";
	return "it is damaged, or of a version that libdw does not know";
}

static bool has_units(Dwarf *dwarf)
{
	Dwarf_Off next;
	size_t header;
	Dwarf_Die die;

	return dwarf && dwarf_nextcu(dwarf, 0, &next, &header, NULL, NULL, NULL) == 0 &&
	       dwarf_offdie(dwarf, header, &die) && dwarf_tag(&die) > 0;
}

static void note_file(struct hs_program *p, const struct program_file *f)
{
	const char *name = f->path ? f->path : "program";
	Elf_Scn *scn = NULL;
	if (p->table.unread && p->table.unread_of == f->dwarf) {
		(void)hs_program_add_note(
			p,
			"%s: lines of %zu of its units cannot be read: the table is damaged, or "
			"of a version that libdw does not know",
			name, p->table.unread);
	}
	if (has_units(f->dwarf) || !find_section(f->elf, &scn))
		return;
	(void)hs_program_add_note(p, "%s: its debug information cannot be read: %s", name,
	                          reason_of(f->elf, scn));
}

void program_note_unread(struct hs_program *p)
{
	for (const struct program_file *f = p->open; f; f = f->next)
		if (f->elf && program_is_trusted(f) && !program_is_relocatable(f->elf))
			note_file(p, f);
}
