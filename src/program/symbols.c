/* Programs: functions by address. */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "core/search.h"
#include "program/private.h"
#include "program/program.h"
#include "support/demangle.h"
#include "support/grow.h"

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
	if (!support_grow(&p->symbols.items, &p->symbols.cap, p->symbols.count + 1, sizeof(*s)))
		return HS_E_MEMORY;
	p->symbols.items[p->symbols.count++] = *s;
	return HS_OK;
}

static enum hs_status read_table(struct hs_program *p, struct program_file *f, Elf_Scn *scn,
                                 const GElf_Shdr *sh)
{
	Elf_Data *d = elf_getdata(scn, NULL);
	const size_t n = d && sh->sh_entsize ? d->d_size / sh->sh_entsize : 0;

	for (size_t i = 0; i < n && i <= INT32_MAX; i++) {
		struct symbol s = { .file = f, .lonely = sh->sh_type == SHT_DYNSYM };
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

static enum hs_status read_tables(struct hs_program *p, struct program_file *f, GElf_Word type)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(f->elf, scn));) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) && sh.sh_type == type &&
		    read_table(p, f, scn, &sh) != HS_OK)
			return HS_E_MEMORY;
	}
	return HS_OK;
}

/* Tables that are named by a table of sections which is not all in the file. */
static void note_lost_sections(struct hs_program *p, const struct program_file *f)
{
	size_t count = 0;
	GElf_Ehdr eh;

	if (!gelf_getehdr(f->elf, &eh) || !eh.e_shoff ||
	    (elf_getshdrnum(f->elf, &count) == 0 && count && elf_getscn(f->elf, count - 1)))
		return;
	(void)program_add_note(p,
	                       "%s: its table of sections is not in the file (is it cut short?): "
	                       "it names nothing",
	                       f->path);
}

enum hs_status program_read_symbols(struct hs_program *p, struct program_file *f)
{
	const size_t before = p->symbols.count;
	enum hs_status s = read_tables(p, f, SHT_SYMTAB);

	note_lost_sections(p, f);
	if (s == HS_OK && p->symbols.count == before) /* stripped */
		s = read_tables(p, f, SHT_DYNSYM);
	p->symbols.sorted = false;
	p->lines_sorted = false;
	return s;
}

#define COMPARED 512u /* bytes of a name that count: a file may have many names of a megabyte */

/* ---- the best name of each address ---------------------------------------------------- */

/* Names that people write have no underscore in front, as those have that a library keeps for
 * itself (C17 7.1.3): malloc, not __libc_malloc.  A mangled one has none of its own. */
static unsigned count_underscores(const char *name)
{
	const size_t n = strspn(name, "_");

	return n == 1 && (name[1] == 'Z' || name[1] == 'R') ? 0 : n < 4 ? (unsigned)n : 4;
}

/* A clone that a compiler made of a function: name.constprop.0, name.localalias. */
static bool has_suffix(const char *name)
{
	return memchr(name, '.', strnlen(name, COMPARED)) != NULL;
}

/* A function, a label or a frame. */
static unsigned class_of(const struct symbol *s)
{
	return s->rank > RANK_LABEL ? RANK_LOCAL : s->rank;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Negative: @x is the better one of two names of one address (design/code-files). */
static int compare_names(const struct symbol *x, const struct symbol *y)
{
	int result = compare_numbers(class_of(y), class_of(x));

	if (!result)
		result = compare_numbers(count_underscores(x->name), count_underscores(y->name));
	if (!result)
		result = compare_numbers(has_suffix(x->name), has_suffix(y->name));
	if (!result)
		result = compare_numbers(y->rank, x->rank);
	if (!result)
		result = compare_numbers(y->size, x->size);
	if (!result)
		result = compare_numbers(strnlen(x->name, COMPARED), strnlen(y->name, COMPARED));
	if (!result)
		result = strncmp(x->name, y->name, COMPARED);
	return result ? result : (x->name > y->name) - (x->name < y->name);
}

/* By address; at the same address the better name first. */
static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->start == y->start ? compare_names(x, y) : x->start < y->start ? -1 : 1;
}

/* Leave out what files say that are not what ran. */
static size_t drop_refused(struct symbol *v, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (program_is_trusted(v[i].file))
			v[kept++] = v[i];
	return kept;
}

static void keep_alias(struct hs_program *p, const struct symbol *s)
{
	if (p->symbols.aliases && class_of(s) > RANK_LABEL)
		p->symbols.aliases[p->symbols.alias_count++] = *s;
}

/* Keep one name per address, and no label or frame inside a function. */
static size_t drop_duplicates(struct hs_program *p)
{
	struct symbol *const v = p->symbols.items;
	uint64_t covered = 0;
	size_t kept = 0;

	for (size_t i = 0; i < p->symbols.count; i++) {
		if (kept && v[kept - 1].start == v[i].start) {
			if (!v[kept - 1].size)
				v[kept - 1].size = v[i].size;
			keep_alias(p, &v[i]);
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

static bool covers(const struct symbol *s, uint64_t addr)
{
	return addr - s->start < s->size;
}

/* A symbol without a size extends to the next one, but not out of its section, nor out of what is
 * around it.  Where other symbols were stripped, it may be anything's: there it is its first
 * instruction. */
static void fill_size(struct hs_program *p, size_t i)
{
	struct symbol *s = &p->symbols.items[i];
	const struct symbol *around = s->outer ? &p->symbols.items[s->outer - 1] : NULL;

	if (s->size)
		return;
	s->size = s->limit - s->start;
	if (s->lonely && s->size > 2)
		s->size = 2;
	if (i + 1 < p->symbols.count && s[1].start - s->start < s->size)
		s->size = s[1].start - s->start;
	if (around && around->start + around->size - s->start < s->size)
		s->size = around->start + around->size - s->start;
}

static void sort_symbols(struct hs_program *p)
{
	p->symbols.sorted = true;
	if (!p->symbols.aliases)
		p->symbols.alias_count = 0;
	p->symbols.count = drop_refused(p->symbols.items, p->symbols.count);
	if (!p->symbols.count)
		return;
	qsort(p->symbols.items, p->symbols.count, sizeof(*p->symbols.items), by_address);
	struct symbol *aliases =
		reallocarray(p->symbols.aliases, p->symbols.alias_count + p->symbols.count,
	                     sizeof(*aliases)); /* without memory there are none */

	p->symbols.aliases = aliases ? aliases : p->symbols.aliases;
	p->symbols.alias_count = aliases ? p->symbols.alias_count : 0;
	p->symbols.count = drop_duplicates(p);
	for (size_t i = 0; i < p->symbols.count; i++) {
		size_t outer = i; /* 1 + index of the one before */

		while (outer && !covers(&p->symbols.items[outer - 1], p->symbols.items[i].start))
			outer = p->symbols.items[outer - 1].outer;
		p->symbols.items[i].outer = outer;
		fill_size(p, i);
	}
	if (p->symbols.alias_count)
		qsort(p->symbols.aliases, p->symbols.alias_count, sizeof(*p->symbols.aliases),
		      by_address);
}

/* ---- questions -------------------------------------------------------------------------- */

const char *program_show(struct hs_program *p, const char *symbol)
{
	char *plain = p->names.mangled ? NULL : support_demangle(symbol);
	const char *kept = plain ? program_keep(&p->texts, plain) : NULL;

	free(plain);
	return kept ? kept : symbol;
}

static struct symbol *find_symbol(struct hs_program *p, uint64_t addr)
{
	if (!p->symbols.sorted)
		sort_symbols(p);
	size_t lo = base_count_leading(p->symbols.count, i, p->symbols.items[i].start <= addr);

	while (lo && !covers(&p->symbols.items[lo - 1], addr))
		lo = p->symbols.items[lo - 1].outer;
	return lo ? &p->symbols.items[lo - 1] : NULL;
}

bool hs_program_find_function(struct hs_program *p, uint64_t addr,
                              struct hs_program_function *function)
{
	struct symbol *s = find_symbol(p, addr);
	const struct program_file *f = s ? s->file : program_file_at(p, addr);

	*function = (struct hs_program_function){ .name = NULL };
	if (f && !hs_program_is_as_in_file(p, addr, NULL))
		return false;
	if (f)
		function->file = f->debug_of ? f->debug_of->path : f->path;
	if (!s)
		return false;
	if (!s->shown)
		s->shown = program_show(p, s->name);
	function->name = s->shown;
	function->symbol = s->name;
	function->start = s->start;
	function->size = s->size;
	return true;
}

const char *hs_program_own_file(const struct hs_program *p)
{
	const char *path = NULL;

	for (const struct program_file *f = p->open; f; f = f->next)
		if (f->elf && !f->debug_of)
			path = f->path;
	return path;
}

/* Is @wanted the name that is at a place of @name: up to parameters or template arguments? */
static bool is_here(const char *at, const char *wanted, size_t n)
{
	return strncmp(at, wanted, n) == 0 && (at[n] == '(' || at[n] == '<' || at[n] == '\0');
}

/* Is @wanted @name without what is before it (what a function returns), without parameters, or
 * without template arguments? */
static bool is_plain_name(const char *name, const char *wanted)
{
	static const char nameless[] = "(anonymous namespace)";
	const size_t n = strlen(wanted);
	unsigned depth = 0; /* in template arguments */

	for (const char *at = name; *at && n; at++) {
		if (!depth && (at == name || at[-1] == ' ') && is_here(at, wanted, n))
			return true;
		if (strncmp(at, nameless, sizeof(nameless) - 1) == 0)
			at += sizeof(nameless) - 2;
		else if (*at == '(' && !depth)
			return false;
		else if (*at == '<')
			depth++;
		else if (*at == '>' && depth)
			depth--;
	}
	return false;
}

bool hs_program_is_name(struct hs_program *p, const struct hs_program_function *f,
                        const char *wanted)
{
	if (!f->name || strcmp(f->name, wanted) == 0 ||
	    (f->symbol && strcmp(f->symbol, wanted) == 0))
		return f->name != NULL;
	if (f->symbol && f->name != f->symbol && is_plain_name(f->name, wanted))
		return true;
	size_t lo = base_count_leading(p ? p->symbols.alias_count : 0, i,
	                               p->symbols.aliases[i].start < f->start);

	for (; p && lo < p->symbols.alias_count && p->symbols.aliases[lo].start == f->start; lo++)
		if (strcmp(p->symbols.aliases[lo].name, wanted) == 0)
			return true;
	return false;
}

/* The best of @n symbols that has a name; @best: one that was found before, or NULL. */
static const struct symbol *find_named(const struct symbol *v, size_t n, const char *name,
                                       const struct symbol *best)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(v[i].name, name) == 0 && program_is_trusted(v[i].file) &&
		    (!best || v[i].rank > best->rank))
			best = &v[i];
	return best;
}

/* The first symbol that people read as @name. */
static const struct symbol *find_shown(const struct hs_program *p, const char *name)
{
	const struct symbol *found = NULL;

	for (size_t i = 0; i < p->symbols.count && !found; i++) {
		const struct symbol *s = &p->symbols.items[i];
		char *shown = program_is_trusted(s->file) ? support_demangle(s->name) : NULL;

		if (shown && (strcmp(shown, name) == 0 || is_plain_name(shown, name)))
			found = s;
		free(shown);
	}
	return found;
}

bool hs_program_find_symbol(const struct hs_program *p, const char *name, uint64_t *addr)
{
	const struct symbol *found = find_named(p->symbols.items, p->symbols.count, name, NULL);

	found = find_named(p->symbols.aliases, p->symbols.alias_count, name, found);
	if (!found)
		found = find_shown(p, name);
	if (found)
		*addr = found->start;
	return found != NULL;
}
