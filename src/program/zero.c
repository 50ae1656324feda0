/* Programs: functions that the linker removed (--gc-sections).  Debug information still has them,
 * at address 0, as it has no word for "removed" (linkers write 0 where a relocation leads to a
 * section that is gone).  In a program whose code begins at 0, they are not what is there. */
#include <gelf.h>
#include <string.h>

#include "program/lines.h"

/* Is a symbol at address 0 of code? */
static bool is_code_at_zero(Elf *elf, const GElf_Sym *s)
{
	GElf_Shdr sh;

	return s->st_value == 0 && s->st_shndx != SHN_UNDEF && s->st_shndx < SHN_LORESERVE &&
	       gelf_getshdr(elf_getscn(elf, s->st_shndx), &sh) && (sh.sh_flags & SHF_EXECINSTR);
}

static void add_names(struct line_table *t, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Sym s;

	for (int i = 0; data && gelf_getsym(data, i, &s); i++) {
		const char *name = elf_strptr(elf, sh->sh_link, s.st_name);

		if (name && *name && is_code_at_zero(elf, &s) && t->zero_count < ZERO_NAMES)
			t->zero_names[t->zero_count++] = name;
	}
}

/* The names of what is at 0 in a file, read once for all of its units. */
static void read_names(struct line_table *t, Dwarf *dwarf)
{
	Elf *elf = dwarf_getelf(dwarf);
	GElf_Shdr sh;

	t->zero_of = dwarf;
	t->zero_count = 0;
	t->zero_known = false;
	for (Elf_Scn *scn = NULL; elf && (scn = elf_nextscn(elf, scn));) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_SYMTAB)
			continue;
		t->zero_known = true;
		add_names(t, elf, scn, &sh);
	}
}

bool program_is_removed(struct line_table *t, Dwarf *dwarf, const char *symbol, const char *name)
{
	if (t->zero_of != dwarf)
		read_names(t, dwarf);
	for (size_t i = 0; i < t->zero_count; i++)
		if ((symbol && strcmp(t->zero_names[i], symbol) == 0) ||
		    (name && strcmp(t->zero_names[i], name) == 0))
			return false;
	return t->zero_known;
}
