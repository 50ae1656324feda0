/* Programs: source lines by address, through libdw. */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "program/line_at.h"
#include "program/private.h"

static bool add_line(struct hs_program *p, const struct line *l)
{
	void *v = program_grow(p->lines, &p->line_cap, p->line_count + 1, sizeof(*l));

	if (!v)
		return false;
	p->lines = v;
	p->lines[p->line_count++] = *l;
	return true;
}

static bool add_unit(struct hs_program *p, struct program_file *f, Dwarf_Off offset)
{
	void *v = program_grow(p->units, &p->unit_cap, p->unit_count + 1, sizeof(*p->units));

	if (!v || p->unit_count >= UINT32_MAX)
		return false;
	p->units = v;
	p->units[p->unit_count++] = (struct unit){ .file = f, .offset = offset };
	return true;
}

static bool read_unit(struct hs_program *p, struct program_file *f, Dwarf_Die *die)
{
	Dwarf_Lines *lines;
	size_t n;

	if (dwarf_getsrclines(die, &lines, &n) != 0)
		return true; /* without lines, or damaged: other units may be good */
	if (!add_unit(p, f, dwarf_dieoffset(die)))
		return false;
	for (size_t i = 0; i < n; i++) {
		Dwarf_Line *row = dwarf_onesrcline(lines, i);
		Dwarf_Addr addr;
		bool end = false;
		struct line l = { 0 };

		if (!row || dwarf_lineaddr(row, &addr) != 0)
			continue;
		dwarf_lineendsequence(row, &end);
		l.addr = program_wrap(p, addr + f->bias);
		l.order = p->line_count;
		l.unit = (uint32_t)(p->unit_count - 1);
		if (!end) {
			l.file = dwarf_linesrc(row, NULL, NULL);
			dwarf_lineno(row, &l.line);
			dwarf_linecol(row, &l.column);
		}
		if (!add_line(p, &l))
			return false;
	}
	return true;
}

static bool read_lines(struct hs_program *p, struct program_file *f)
{
	Dwarf_Off at = 0, next;
	size_t header;
	GElf_Ehdr eh;

	if (gelf_getehdr(f->elf, &eh) && eh.e_type == ET_REL)
		return true; /* its addresses are filled in where it is loaded */
	if (!f->dwarf)
		f->dwarf = program_open_dwarf(p, f);
	if (!f->dwarf)
		return true;
	while (dwarf_nextcu(f->dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
		Dwarf_Die die;

		if (dwarf_offdie(f->dwarf, at + header, &die) && !read_unit(p, f, &die))
			return false;
		if (next <= at)
			break;
		at = next;
	}
	return true;
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

static void collect_lines(struct hs_program *p)
{
	p->line_count = 0;
	p->lines_sorted = true;
	program_free_units(p);
	for (struct program_file *f = p->open; f; f = f->next)
		if (f->elf && program_is_trusted(f) && !read_lines(p, f))
			break;
	if (p->line_count)
		qsort(p->lines, p->line_count, sizeof(*p->lines), by_address);
}

static const struct line *find_line(struct hs_program *p, uint64_t addr)
{
	if (!p->lines_sorted)
		collect_lines(p);
	const size_t lo = base_count_leading(p->line_count, i, p->lines[i].addr <= addr);

	return lo && p->lines[lo - 1].file ? &p->lines[lo - 1] : NULL;
}

bool program_line_at(struct hs_program *p, uint64_t addr, struct program_line *line)
{
	const struct line *l = find_line(p, addr);

	if (!l || l->line <= 0 || !hs_program_is_as_in_file(p, addr, NULL))
		return false;
	*line = (struct program_line){ l->file, l->line };
	return true;
}

int program_declared_line(struct hs_program *p, uint64_t addr)
{
	const struct line *l = find_line(p, addr);

	return l ? program_find_declared(p, l->unit, addr) : 0;
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
