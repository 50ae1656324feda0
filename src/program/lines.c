/* Programs: the line tables of files, through libdw. */
#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>

#include "program/lines.h"
#include "support/grow.h"

static bool add_line(struct line_table *t, const struct line *l)
{
	if (!support_grow(&t->lines, &t->line_cap, t->line_count + 1, sizeof(*l)))
		return false;
	t->lines[t->line_count++] = *l;
	return true;
}

static bool add_unit(struct line_table *t, const struct unit *u)
{
	if (t->unit_count >= UINT32_MAX ||
	    !support_grow(&t->units, &t->unit_cap, t->unit_count + 1, sizeof(*t->units)))
		return false;
	t->units[t->unit_count++] = *u;
	return true;
}

/* The name of the file that has the functions of a unit (split.c); NULL: it has them. */
static const char *split_name(Dwarf_Die *die)
{
	Dwarf_Attribute at;

	if (!dwarf_attr(die, DW_AT_dwo_name, &at) && !dwarf_attr(die, DW_AT_GNU_dwo_name, &at))
		return NULL;
	return dwarf_formstring(&at);
}

/* The unit of a DIE, with room for the paths of its files. */
static bool begin_unit(struct line_table *t, Dwarf *dwarf, uint64_t bias, Dwarf_Die *die)
{
	struct unit u = { .dwarf = dwarf, .bias = bias, .offset = dwarf_dieoffset(die) };
	Dwarf_Attribute attribute;
	Dwarf_Files *files;

	u.split_name = split_name(die);
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
	dwarf_linediscriminator(row, &l.discriminator);
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
