/* Programs: lines of functions that the linker removed (zero.c). */
#include <dwarf.h>
#include <stdlib.h>

#include "program/lines.h"
#include "support/grow.h"

#define FUNCTIONS_MAX 65536u /* of a unit that are looked at */

struct function {
	uint64_t start, end; /* as the file has them */
	const char *file;    /* where it is declared, up to the next one there */
	int line, last;
	bool removed;
};

struct functions {
	struct line_table *table;
	const struct unit *unit;
	struct function *v;
	size_t count, cap;
	uint64_t end; /* of the longest that was removed; 0: none was */
};

static int add_function(Dwarf_Die *die, void *of)
{
	struct functions *all = of;
	struct function f = { .last = INT32_MAX };
	Dwarf_Attribute at;
	Dwarf_Addr start, end;

	if (dwarf_entrypc(die, &start) != 0 || dwarf_decl_line(die, &f.line) != 0)
		return DWARF_CB_OK;
	if (all->count == FUNCTIONS_MAX ||
	    !support_grow(&all->v, &all->cap, all->count + 1, sizeof(*all->v)))
		return DWARF_CB_ABORT;
	f.start = start;
	f.end = dwarf_highpc(die, &end) == 0 && end > start ? end : start + 1;
	f.file = program_source_path(all->table, all->unit->folder, dwarf_decl_file(die));
	f.removed = start == 0 && program_is_removed(all->table, all->unit->dwarf,
	                                             dwarf_formstring(dwarf_attr_integrate(
							     die, DW_AT_linkage_name, &at)),
	                                             dwarf_diename(die));
	if (f.removed && f.end > all->end)
		all->end = f.end;
	all->v[all->count++] = f;
	return DWARF_CB_OK;
}

/* A function's lines end where the next one is declared. */
static int by_declaration(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static void end_functions(struct functions *all)
{
	qsort(all->v, all->count, sizeof(*all->v), by_declaration);
	for (size_t i = 0; i + 1 < all->count; i++)
		if (all->v[i].file == all->v[i + 1].file)
			all->v[i].last = all->v[i + 1].line - 1;
}

static bool is_line_of(const struct function *f, const struct line *l)
{
	return f->file == l->file && f->line <= l->line && l->line <= f->last;
}

/* The function that is at an address; NULL: none of the unit. */
static const struct function *find_there(const struct functions *all, uint64_t addr)
{
	for (size_t i = 0; i < all->count; i++)
		if (!all->v[i].removed && addr >= all->v[i].start && addr < all->v[i].end)
			return &all->v[i];
	return NULL;
}

/* Is a row of what is there?  @l is below the end of what was removed. */
static bool is_there(const struct functions *all, const struct line *l)
{
	const uint64_t addr = l->addr - all->unit->bias;
	const struct function *there = find_there(all, addr);

	if (!l->file)
		return addr && (!there || addr == there->start);
	if (!there || is_line_of(there, l))
		return there;
	for (size_t i = 0; i < all->count; i++)
		if (all->v[i].removed && is_line_of(&all->v[i], l))
			return false;
	return program_inlined_range(all->unit, l->addr) != NULL;
}

void program_drop_removed(struct line_table *t, size_t from)
{
	struct unit *u = &t->units[t->unit_count - 1];
	struct functions all = { .table = t, .unit = u };
	size_t to = from;
	Dwarf_Die die;

	if (from == t->line_count || t->lines[from].addr != program_table_wrap(t, u->bias) ||
	    u->split_name || !dwarf_offdie(u->dwarf, u->offset, &die))
		return;
	(void)dwarf_getfuncs(&die, add_function, &all, 0);
	if (all.end) {
		program_read_unit(t, u);
		end_functions(&all);
		for (size_t i = from; i < t->line_count; i++)
			if (t->lines[i].addr - u->bias > all.end || is_there(&all, &t->lines[i]))
				t->lines[to++] = t->lines[i];
		t->line_count = to;
	}
	free(all.v);
}
