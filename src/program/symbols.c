/* Programs: functions by address. */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "program/private.h"

/* Not mapping symbols ($x, $d, $xrv64...; RISC-V ELF psABI), nor local labels of assemblers. */
static bool is_useful_name(const char *name)
{
	return name && *name && *name != '$' && strncmp(name, ".L", 2) != 0;
}

static bool section_of(Elf *elf, const GElf_Sym *sym, GElf_Shdr *sh)
{
	Elf_Scn *scn = sym->st_shndx < SHN_LORESERVE ? elf_getscn(elf, sym->st_shndx) : NULL;

	return scn && gelf_getshdr(scn, sh);
}

static bool executable(Elf *elf, const GElf_Sym *sym)
{
	GElf_Shdr sh;

	return section_of(elf, sym, &sh) && (sh.sh_flags & SHF_EXECINSTR);
}

/* The latest end of a symbol without a size: its section's end, or itself without a section. */
static uint64_t limit_of(Elf *elf, const GElf_Sym *sym, uint64_t start)
{
	GElf_Shdr sh;

	if (sym->st_size || !section_of(elf, sym, &sh) || sym->st_value - sh.sh_addr > sh.sh_size)
		return start;
	return start + (sh.sh_addr + sh.sh_size - sym->st_value);
}

static bool rank_of(Elf *elf, const GElf_Sym *sym, unsigned *rank)
{
	const unsigned type = GELF_ST_TYPE(sym->st_info), bind = GELF_ST_BIND(sym->st_info);

	if (sym->st_shndx == SHN_UNDEF)
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC) {
		*rank = bind == STB_GLOBAL ? RANK_GLOBAL : bind == STB_WEAK ? RANK_WEAK
			: RANK_LOCAL;
		return true;
	}
	*rank = RANK_LABEL; /* hand-written assembly often has no .type */
	return type == STT_NOTYPE && executable(elf, sym);
}

enum hs_status program_add_symbol(struct hs_program *p, const struct symbol *s)
{
	void *v = program_grow(p->symbols, &p->symbol_cap, p->symbol_count + 1, sizeof(*s));

	if (!v)
		return HS_E_MEMORY;
	p->symbols = v;
	p->symbols[p->symbol_count++] = *s;
	return HS_OK;
}

static enum hs_status read_table(struct hs_program *p, const struct program_file *f, Elf_Scn *scn,
                                 const GElf_Shdr *sh)
{
	Elf_Data *d = elf_getdata(scn, NULL);
	const size_t n = d && sh->sh_entsize ? d->d_size / sh->sh_entsize : 0;

	for (size_t i = 0; i < n && i <= INT32_MAX; i++) {
		struct symbol s = { 0 };
		GElf_Sym sym;

		if (!gelf_getsym(d, (int)i, &sym))
			break;
		s.name = elf_strptr(f->elf, sh->sh_link, sym.st_name);
		if (s.name && strcmp(s.name, "__jvt_base$") == 0)
			p->image.jvt = program_wrap(p, sym.st_value + f->bias);
		if (!is_useful_name(s.name) || !rank_of(f->elf, &sym, &s.rank))
			continue;
		s.start = program_wrap(p, sym.st_value + f->bias);
		s.size = sym.st_size;
		s.limit = limit_of(f->elf, &sym, s.start);
		if (program_add_symbol(p, &s) != HS_OK)
			return HS_E_MEMORY;
	}
	return HS_OK;
}

static enum hs_status read_tables(struct hs_program *p, const struct program_file *f,
                                  GElf_Word type)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(f->elf, scn));) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) && sh.sh_type == type &&
		    read_table(p, f, scn, &sh) != HS_OK)
			return HS_E_MEMORY;
	}
	return HS_OK;
}

enum hs_status program_read_symbols(struct hs_program *p, struct program_file *f,
                                    struct hs_error *error)
{
	const size_t before = p->symbol_count;
	enum hs_status s = read_tables(p, f, SHT_SYMTAB);

	if (s == HS_OK && p->symbol_count == before) /* stripped */
		s = read_tables(p, f, SHT_DYNSYM);
	if (s == HS_OK)
		s = program_read_frames(p, f);
	p->symbols_sorted = false;
	p->lines_sorted = false;
	return s == HS_OK ? s : hs_error_set(error, s, "%s: out of memory", f->path);
}

/* By address; at the same address the better name first. */
static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Keep one name per address, and no label or frame inside a function. */
static size_t drop_duplicates(struct symbol *v, size_t n)
{
	uint64_t covered = 0;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (kept && v[kept - 1].start == v[i].start) {
			if (!v[kept - 1].size)
				v[kept - 1].size = v[i].size;
			continue;
		}
		if (v[i].rank <= RANK_LABEL && v[i].start < covered)
			continue;
		if (v[i].rank > RANK_LABEL && v[i].start + v[i].size > covered)
			covered = v[i].start + v[i].size;
		v[kept++] = v[i];
	}
	return kept;
}

/* A symbol without a size extends to the next one, but not out of its section. */
static void fill_sizes(struct hs_program *p)
{
	struct symbol *v = p->symbols;

	for (size_t i = 0; i < p->symbol_count; i++) {
		if (v[i].size)
			continue;
		v[i].size = v[i].limit - v[i].start;
		if (i + 1 < p->symbol_count && v[i + 1].start - v[i].start < v[i].size)
			v[i].size = v[i + 1].start - v[i].start;
	}
}

static bool covers(const struct symbol *s, uint64_t addr)
{
	return addr - s->start < s->size;
}

static void sort_symbols(struct hs_program *p)
{
	p->symbols_sorted = true;
	if (!p->symbol_count)
		return;
	qsort(p->symbols, p->symbol_count, sizeof(*p->symbols), by_address);
	p->symbol_count = drop_duplicates(p->symbols, p->symbol_count);
	fill_sizes(p);
	for (size_t i = 0; i < p->symbol_count; i++) {
		size_t outer = i; /* 1 + index of the one before */

		while (outer && !covers(&p->symbols[outer - 1], p->symbols[i].start))
			outer = p->symbols[outer - 1].outer;
		p->symbols[i].outer = outer;
	}
}

static const struct symbol *find_symbol(struct hs_program *p, uint64_t addr)
{
	size_t lo = 0, hi;

	if (!p->symbols_sorted)
		sort_symbols(p);
	for (hi = p->symbol_count; lo < hi;) {
		const size_t mid = lo + (hi - lo) / 2;

		if (p->symbols[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (lo && !covers(&p->symbols[lo - 1], addr))
		lo = p->symbols[lo - 1].outer;
	return lo ? &p->symbols[lo - 1] : NULL;
}

bool hs_program_find_function(struct hs_program *p, uint64_t addr,
                              struct hs_program_function *function)
{
	const struct symbol *s = find_symbol(p, addr);

	*function = (struct hs_program_function){ 0 };
	if (s)
		*function = (struct hs_program_function){ s->name, s->start, s->size };
	return s != NULL;
}

bool hs_program_find_symbol(const struct hs_program *p, const char *name, uint64_t *addr)
{
	const struct symbol *best = NULL;

	for (size_t i = 0; i < p->symbol_count; i++)
		if (strcmp(p->symbols[i].name, name) == 0 &&
		    (best == NULL || p->symbols[i].rank > best->rank))
			best = &p->symbols[i];
	if (best != NULL)
		*addr = best->start;
	return best != NULL;
}
