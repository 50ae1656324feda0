/* Programs: variables by name. */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "program/private.h"
#include "program/program.h"
#include "support/demangle.h"

/* The best variable so far. */
struct wanted {
	const char *name;
	uint64_t addr, size;
	unsigned bind;
	bool found;
};

static bool is_shown(const char *symbol, const char *wanted)
{
	char *shown = symbol[0] == '_' ? support_demangle(symbol) : NULL;
	const bool same = shown && strcmp(shown, wanted) == 0;

	free(shown);
	return same;
}

static void look_at(const struct program_file *f, const char *name, const GElf_Sym *sym,
                    struct wanted *w)
{
	const unsigned bind = GELF_ST_BIND(sym->st_info);

	if (GELF_ST_TYPE(sym->st_info) != STT_OBJECT || sym->st_shndx == SHN_UNDEF || !name ||
	    (w->found && (w->bind == STB_GLOBAL || bind != STB_GLOBAL)) ||
	    (strcmp(name, w->name) != 0 && !is_shown(name, w->name)))
		return;
	w->found = true;
	w->bind = bind;
	w->addr = sym->st_value + f->bias;
	w->size = sym->st_size;
}

static void look_in(const struct program_file *f, GElf_Word type, struct wanted *w)
{
	for (Elf_Scn *scn = NULL; f->elf && (scn = elf_nextscn(f->elf, scn));) {
		GElf_Shdr sh;
		GElf_Sym sym;
		Elf_Data *d = gelf_getshdr(scn, &sh) && sh.sh_type == type ? elf_getdata(scn, NULL)
		                                                           : NULL;
		const size_t n = d && sh.sh_entsize ? d->d_size / sh.sh_entsize : 0;

		for (size_t i = 0; i < n && i <= INT32_MAX && gelf_getsym(d, (int)i, &sym); i++)
			look_at(f, elf_strptr(f->elf, sh.sh_link, sym.st_name), &sym, w);
	}
}

bool hs_program_find_data(const struct hs_program *p, const char *name, uint64_t *addr,
                          uint64_t *size)
{
	struct wanted w = { .name = name };

	for (const struct program_file *f = p->open; f; f = f->next)
		if (program_is_trusted(f))
			look_in(f, SHT_SYMTAB, &w);
	for (const struct program_file *f = p->open; f && !w.found; f = f->next)
		if (program_is_trusted(f))
			look_in(f, SHT_DYNSYM, &w);
	if (w.found) {
		*addr = program_wrap(p, w.addr);
		*size = w.size;
	}
	return w.found;
}
