/* Programs: source lines by address, through libdw. */
#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "core/search.h"
#include "program/line_at.h"
#include "program/private.h"

#define NEAR 4u /* lines after the last one that was found, which are looked at first */

uint64_t program_table_wrap(const struct line_table *t, uint64_t addr)
{
	return t->narrow ? (uint32_t)addr : addr;
}

static bool add_line(struct line_table *t, const struct line *l)
{
	void *v = program_grow(t->lines, &t->line_cap, t->line_count + 1, sizeof(*l));

	if (!v)
		return false;
	t->lines = v;
	t->lines[t->line_count++] = *l;
	return true;
}

static bool add_unit(struct line_table *t, const struct unit *u)
{
	void *v = program_grow(t->units, &t->unit_cap, t->unit_count + 1, sizeof(*t->units));

	if (!v || t->unit_count >= UINT32_MAX)
		return false;
	t->units = v;
	t->units[t->unit_count++] = *u;
	return true;
}

/* The unit of a DIE, with room for the paths of its files. */
static bool begin_unit(struct line_table *t, Dwarf *dwarf, uint64_t bias, Dwarf_Die *die)
{
	struct unit u = { .dwarf = dwarf, .bias = bias, .offset = dwarf_dieoffset(die) };
	Dwarf_Attribute attribute;
	Dwarf_Files *files;

	u.split_name = program_split_name(die);
	t->split |= u.split_name != NULL;
	u.folder = dwarf_formstring(dwarf_attr(die, DW_AT_comp_dir, &attribute));
	if (dwarf_getsrcfiles(die, &files, &u.path_count) == 0)
		u.paths = calloc(u.path_count + 1, sizeof(*u.paths));
	if (!u.paths)
		u.path_count = 0;
	if (u.paths && add_unit(t, &u))
		return true;
	free(u.paths);
	return false;
}

static struct line line_of(struct line_table *t, Dwarf_Line *row, uint64_t addr)
{
	struct line l = { .addr = addr,
		          .order = t->line_count,
		          .unit = (uint32_t)(t->unit_count - 1) };
	Dwarf_Files *files;
	bool end = false;
	size_t index;

	dwarf_lineendsequence(row, &end);
	if (end || dwarf_line_file(row, &files, &index) != 0)
		return l;
	l.file = program_unit_path(t, &t->units[l.unit], files, index);
	dwarf_lineno(row, &l.line);
	dwarf_linecol(row, &l.column);
	dwarf_linebeginstatement(row, &l.begins);
	return l;
}

static bool read_unit(struct line_table *t, Dwarf *dwarf, uint64_t bias, Dwarf_Die *die)
{
	Dwarf_Lines *lines;
	size_t n;

	if (dwarf_getsrclines(die, &lines, &n) != 0) {
		if (dwarf_hasattr(die, DW_AT_stmt_list)) {
			t->unread += !t->unread || t->unread_of == dwarf;
			t->unread_of = t->unread_of ? t->unread_of : dwarf;
		}
		return true; /* without lines, or damaged: other units may be good */
	}
	const size_t from = t->line_count;

	if (!begin_unit(t, dwarf, bias, die))
		return false;
	for (size_t i = 0; i < n; i++) {
		Dwarf_Line *row = dwarf_onesrcline(lines, i);
		Dwarf_Addr addr;

		if (!row || dwarf_lineaddr(row, &addr) != 0)
			continue;
		const struct line l = line_of(t, row, program_table_wrap(t, addr + bias));

		if (!add_line(t, &l))
			return false;
	}
	program_drop_removed(t, from);
	return true;
}

bool program_is_relocatable(Elf *elf)
{
	GElf_Ehdr eh;

	return gelf_getehdr(elf, &eh) && eh.e_type == ET_REL;
}

bool program_read_lines(struct line_table *t, Dwarf *dwarf, uint64_t bias)
{
	Dwarf_Off at = 0, next;
	size_t header;

	while (!__atomic_load_n(&t->stop, __ATOMIC_RELAXED) &&
	       dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
		Dwarf_Die die;

		if (dwarf_offdie(dwarf, at + header, &die) && !read_unit(t, dwarf, bias, &die))
			return false;
		if (next <= at)
			break;
		at = next;
	}
	return true;
}

static bool read_file(struct hs_program *p, struct program_file *f)
{
	if (program_is_relocatable(f->elf))
		return true; /* its addresses are filled in where it is loaded */
	if (!f->dwarf)
		f->dwarf = program_open_dwarf(p, f);
	return !f->dwarf || program_read_lines(&p->table, f->dwarf, f->bias);
}

/* By address; where one sequence ends and another begins, the beginning is last and wins. */
static int by_address(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (!x->file != !y->file)
		return x->file ? 1 : -1;
	return (x->order > y->order) - (x->order < y->order);
}

/* libdw sorts those of a unit, and units mostly follow each other. */
static bool are_sorted(const struct line_table *t)
{
	size_t i = 1;

	while (i < t->line_count && by_address(&t->lines[i - 1], &t->lines[i]) <= 0)
		i++;
	return i >= t->line_count;
}

void program_sort_lines(struct line_table *t)
{
	if (!are_sorted(t))
		qsort(t->lines, t->line_count, sizeof(*t->lines), by_address);
}

static void collect_lines(struct hs_program *p)
{
	struct line_table *t = &p->table;

	p->lines_sorted = true;
	if (program_take_ahead(p)) {
		program_note_unread(p);
		return;
	}
	t->line_count = t->unread = 0;
	t->unread_of = NULL;
	t->split = false;
	t->narrow = p->image.isa.xlen == 32;
	program_free_units(t);
	for (struct program_file *f = p->open; f; f = f->next)
		if (f->elf && program_is_trusted(f) && !read_file(p, f))
			break;
	program_sort_lines(t);
	program_note_unread(p);
}

/* How many lines begin at an address or before it.  Who asks for one instruction after the other
 * finds it where the last one was, or soon after. */
static size_t count_before(struct line_table *t, uint64_t addr)
{
	size_t n = t->last;

	if (n && n <= t->line_count && t->lines[n - 1].addr <= addr)
		for (unsigned i = 0; i < NEAR; i++, n++)
			if (n == t->line_count || t->lines[n].addr > addr)
				return t->last = n;
	return t->last = base_count_leading(t->line_count, i, t->lines[i].addr <= addr);
}

static const struct line *find_line(struct hs_program *p, uint64_t addr)
{
	struct line_table *t = &p->table;

	if (!p->lines_sorted)
		collect_lines(p);
	const size_t n = count_before(t, addr);

	return n && t->lines[n - 1].file ? &t->lines[n - 1] : NULL;
}

bool program_line_at(struct hs_program *p, uint64_t addr, struct program_line *line)
{
	const struct line *l = find_line(p, addr);

	if (!l || l->line <= 0 || !hs_program_is_as_in_file(p, addr, NULL))
		return false;
	*line = (struct program_line){ l->file, l->line, l->column, l->begins };
	return true;
}

const struct hs_program_inlined *program_inlined_at(struct hs_program *p, uint64_t addr, size_t *n)
{
	const struct line *l = find_line(p, addr);
	struct hs_place place = { .inlined = NULL };

	if (l && hs_program_is_as_in_file(p, addr, NULL))
		program_find_inlined(p, l->unit, addr, &place);
	*n = place.inlined_count;
	return place.inlined;
}

size_t program_rows_at(struct hs_program *p, uint64_t addr)
{
	struct line_table *t = &p->table;

	if (!p->lines_sorted)
		collect_lines(p);
	size_t n = count_before(t, addr);

	while (n && t->lines[n - 1].addr == addr && t->lines[n - 1].file)
		n--;
	return n;
}

bool program_row(const struct hs_program *p, size_t row, uint64_t addr, struct program_line *line)
{
	if (row >= p->table.line_count || p->table.lines[row].addr != addr)
		return false;
	const struct line *l = &p->table.lines[row];

	*line = (struct program_line){ l->file, l->line, l->column, l->begins };
	return true;
}

bool program_declared_at(struct hs_program *p, uint64_t addr, struct program_line *line)
{
	const struct line *l = find_line(p, addr);

	return l && program_find_declared(p, l->unit, addr, line);
}

bool hs_program_find_place(struct hs_program *p, uint64_t addr, struct hs_place *place)
{
	struct hs_program_function f;

	memset(place, 0, sizeof(*place));
	if (hs_program_find_function(p, addr, &f)) {
		place->function = f.name;
		place->symbol = f.symbol;
		place->offset = addr - f.start;
	}
	place->object = f.file;
	const struct line *l = find_line(p, addr);

	if (l && hs_program_is_as_in_file(p, addr, NULL)) {
		place->file = l->file;
		place->line = l->line;
		place->column = l->column;
		program_find_inlined(p, l->unit, addr, place);
	}
	return place->function || place->file;
}
