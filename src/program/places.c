/* Programs: where an address is in the source: its line, the functions that were inlined there, and
 * where its function is declared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/search.h"
#include "program/line_at.h"
#include "program/private.h"
#include "program/program.h"

#define NEAR 4u         /* lines after the last one that was found, which are looked at first */
#define FRAMES_MAX 256u /* functions in each other at an address */

/* ---- the table ------------------------------------------------------------------ */

static bool read_file(struct hs_program *p, struct program_file *f)
{
	if (program_is_relocatable(f->elf))
		return true; /* its addresses are filled in where it is loaded */
	if (!f->dwarf)
		f->dwarf = program_open_dwarf(p, f);
	return !f->dwarf || program_read_lines(&p->table, f->dwarf, f->bias);
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

/* ---- inlined functions ---------------------------------------------------------- */

/* The call, with the function's name as people read it. */
static const struct hs_program_inlined *show(struct hs_program *p, struct inlined *i)
{
	if (!i->shown)
		i->call.function =
			i->call.function ? program_show(p, i->call.function) : "(unnamed)";
	i->shown = true;
	return &i->call;
}

/* What of a unit has no room. */
static void note_cut(struct hs_program *p, const struct unit *u, const char *what)
{
	const struct program_file *f = p->open;
	while (f && f->dwarf != u->dwarf)
		f = f->next;
	(void)hs_program_add_note(p, "%s: %s", f && f->path ? f->path : "program", what);
}

static void make_frames(struct hs_program *p, const struct unit *u, struct inlined *i)
{
	size_t n = 1;

	for (size_t at = i->outer; at && n < FRAMES_MAX; at = u->inlined[at - 1].outer)
		n++;
	if (n == FRAMES_MAX)
		note_cut(p, u,
		         "more than 256 functions are inlined in each other: the outer ones "
		         "are not shown");
	struct hs_program_inlined *v = calloc(n, sizeof(*v));

	if (!v)
		return;
	i->frames = v;
	i->frame_count = n;
	v[--n] = *show(p, i);
	for (size_t at = i->outer; at && n; at = u->inlined[at - 1].outer)
		v[--n] = *show(p, &u->inlined[at - 1]);
}

/* The unit of a number, with its functions: they are read when one of its addresses is first asked
 * for. */
static struct unit *unit_of(struct hs_program *p, size_t number)
{
	struct unit *u = &p->table.units[number];

	program_open_split(p, u);
	program_read_unit(&p->table, u);
	if (u->cut)
		note_cut(p, u,
		         "it has more inlined functions than are read (4194304 ranges, 65536 "
		         "in each other): the others are not shown");
	u->cut = false;
	if (u->without_length) {
		char text[160];

		snprintf(text, sizeof(text),
		         "its .dwo lacks the lengths of inlined functions (%u): they are not "
		         "shown; compile without -gsplit-dwarf",
		         u->without_length);
		note_cut(p, u, text);
	}
	u->without_length = 0;
	return u;
}

static void find_inlined(struct hs_program *p, uint32_t unit, uint64_t addr, struct hs_place *place)
{
	const struct unit *u = unit_of(p, unit);
	struct inlined *i = program_inlined_range(u, addr);

	if (i && !i->frames)
		make_frames(p, u, i);
	if (!i || !i->frames)
		return;
	place->inlined = i->frames;
	place->inlined_count = i->frame_count;
}

/* Of a function without a linkage name DWARF has the last part. */
static bool is_inlined_as(const char *function, const char *wanted)
{
	const struct hs_program_function f = { .name = function, .symbol = "" };
	const char *last = wanted;

	const char *at = strstr(function, "::") ? NULL : strstr(wanted, "::");

	for (; at; at = strstr(last, "::"))
		last = at + 2;
	return hs_program_is_name(NULL, &f, last);
}

bool hs_program_find_inlining(struct hs_program *p, const char *name,
                              struct hs_program_function *into)
{
	(void)find_line(p, 0); /* has the units read */
	for (size_t k = 0; k < p->table.unit_count; k++) {
		const struct unit *u = unit_of(p, k);

		for (size_t i = 0; i < u->count; i++) {
			if (is_inlined_as(show(p, &u->inlined[i])->function, name))
				return hs_program_find_function(p, u->inlined[i].start, into);
		}
	}
	return false;
}

/* ---- questions ------------------------------------------------------------------- */

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
		find_inlined(p, l->unit, addr, &place);
	*n = place.inlined_count;
	return place.inlined;
}

size_t program_spots_at(struct hs_program *p, uint64_t addr, struct program_spot *out, size_t room)
{
	const struct line *l = find_line(p, addr);

	if (!l || l->line <= 0 || !hs_program_is_as_in_file(p, addr, NULL))
		return 0;
	const struct unit *u = unit_of(p, l->unit);
	const struct inlined *i = program_inlined_range(u, addr);
	struct program_spot spot = { .line = l->line, .discriminator = l->discriminator };
	size_t n = 1;

	for (const struct inlined *k = i; k; k = k->outer ? &u->inlined[k->outer - 1] : NULL)
		n++;
	if (n > room)
		return 0;
	for (size_t k = n; k-- > 1; i = i->outer ? &u->inlined[i->outer - 1] : NULL) {
		out[k] = spot;
		out[k].function = i->symbol;
		out[k].declared = i->declared;
		spot.line = i->call.line;
		spot.discriminator = i->discriminator;
	}
	out[0] = spot;
	return n;
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
	const struct declared *d = l ? program_declared_in(unit_of(p, l->unit), addr) : NULL;

	if (d)
		*line = (struct program_line){ .file = d->file, .line = d->line };
	return d;
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
		place->file = l->line ? l->file : NULL; /* 0: of no line (DWARF 5, 6.2.2) */
		place->line = l->line;
		place->column = l->column;
		find_inlined(p, l->unit, addr, place);
	}
	return place->function || place->file;
}
