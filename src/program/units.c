/* Programs: functions that were inlined, and where functions are declared, by DWARF (DWARF 5, 3.3).
 *
 * The DIEs of a unit are visited in the order of their offsets, each once: references in a damaged
 * file cannot make a circle. */
#include <dwarf.h>
#include <stdlib.h>

#include "core/search.h"
#include "program/lines.h"
#include "support/grow.h"

#define CALL_DISCRIMINATOR 0x2136 /* DW_AT_GNU_discriminator, which elfutils does not name */
#define DEPTH_MAX 65536u       /* of DIEs in each other */
#define INLINED_MAX (1u << 22) /* ranges of a program */

struct reading {
	struct line_table *table;
	struct unit *unit;
	Dwarf_Files *files;
	size_t file_count, cap, declared_cap;
	Dwarf_Off last; /* offset of the DIE before */
	bool full;
	Dwarf_Die *stack; /* those around the current one */
	size_t stack_cap;
};

/* ---- a function -------------------------------------------------------------------- */

/* NULL: it has no name. */
static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute at;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &at) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &at))
		name = dwarf_formstring(&at);
	if (!name && dwarf_attr_integrate(die, DW_AT_name, &at))
		name = dwarf_formstring(&at);
	return name;
}

static Dwarf_Word number_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute at;
	Dwarf_Word value = 0;

	if (!dwarf_attr(die, attribute, &at) || dwarf_formudata(&at, &value) != 0)
		return 0;
	return value;
}

/* NULL: not known. */
static const char *file_of(const struct reading *r, Dwarf_Word number)
{
	if (!r->files || number >= r->file_count)
		return NULL;
	if (!r->unit->split.addr)
		return program_unit_path(r->table, r->unit, r->files, number);
	return program_source_path(r->table, r->unit->folder,
	                           dwarf_filesrc(r->files, number, NULL, NULL));
}

static void describe_call(struct reading *r, Dwarf_Die *die, struct inlined *i)
{
	const Dwarf_Word file = number_of(die, DW_AT_call_file);
	const Dwarf_Word line = number_of(die, DW_AT_call_line);

	i->symbol = i->call.function = name_of(die);
	i->call.file = file_of(r, file);
	i->call.line = line <= INT32_MAX ? (int)line : 0;
	i->discriminator = (unsigned)number_of(die, CALL_DISCRIMINATOR);
	(void)dwarf_decl_line(die, &i->declared);
}

static void add_range(struct reading *r, uint64_t start, uint64_t end, const struct inlined *of)
{
	struct unit *u = r->unit;

	if (start >= end)
		return;
	r->full = r->table->inlined_count == INLINED_MAX ||
	          !support_grow(&u->inlined, &r->cap, u->count + 1, sizeof(*u->inlined));
	u->cut |= r->full;
	if (r->full)
		return;
	struct inlined *i = &u->inlined[u->count];

	*i = *of;
	i->start = program_table_wrap(r->table, start + u->bias);
	i->end = program_table_wrap(r->table, end + u->bias);
	i->order = u->count++;
	r->table->inlined_count++;
}

/* Has it a beginning and no length?  An assembler for RISC-V leaves lengths to the linker, and
 * objcopy, which makes the .dwo, drops what the linker is to add. */
static bool is_without_length(Dwarf_Die *die)
{
	Dwarf_Addr low, high;

	return dwarf_lowpc(die, &low) == 0 && dwarf_highpc(die, &high) == 0 && low == high;
}

static void add_function(struct reading *r, Dwarf_Die *die)
{
	struct inlined of = { .start = 0 };
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	describe_call(r, die, &of);
	if (r->unit->split.addr && is_without_length(die))
		r->unit->without_length++;
	do {
		at = dwarf_ranges(die, at, &base, &start, &end);
		if (at > 0)
			add_range(r, start, end, &of);
	} while (at > 0 && !r->full);
}

/* A function with code of its own. */
static void add_declared(struct reading *r, Dwarf_Die *die)
{
	struct unit *u = r->unit;
	struct declared d = { 0 };
	Dwarf_Attribute at;
	Dwarf_Word file;
	Dwarf_Addr start;

	if (dwarf_entrypc(die, &start) != 0 || dwarf_decl_line(die, &d.line) != 0 || d.line <= 0)
		return;
	if (dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_file, &at), &file) == 0)
		d.file = file_of(r, file);
	r->full = !support_grow(&u->declared, &r->declared_cap, u->declared_count + 1,
	                        sizeof(*u->declared));
	if (r->full)
		return;
	d.start = program_table_wrap(r->table, start + u->bias);
	u->declared[u->declared_count++] = d;
}

/* ---- a unit ------------------------------------------------------------------------ */

/* Did the linker remove it? */
static bool is_removed(struct reading *r, Dwarf_Die *die)
{
	Dwarf_Attribute at;
	Dwarf_Addr start;

	return dwarf_entrypc(die, &start) == 0 && start == 0 &&
	       program_is_removed(r->table, r->unit->dwarf, name_of(die),
	                          dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &at)));
}

/* May a DIE have code inside? */
static bool has_code(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return true;
	default:
		return false;
	}
}

/* Room for one more level.  False: what is in it is not read. */
static bool have_level(struct reading *r, size_t depth)
{
	const bool have = depth < DEPTH_MAX &&
	                  support_grow(&r->stack, &r->stack_cap, depth + 1, sizeof(*r->stack));

	r->unit->cut |= !have;
	return have;
}

static void read_children(struct reading *r, Dwarf_Die *parent)
{
	size_t depth = 0;
	bool down = true;

	if (!have_level(r, 0))
		return;
	r->stack[0] = *parent;
	while (!r->full) {
		Dwarf_Die next;
		const int result = down ? dwarf_child(&r->stack[depth], &next)
		                        : dwarf_siblingof(&r->stack[depth], &next);

		if (result != 0 || dwarf_dieoffset(&next) <= r->last) { /* no more here */
			depth -= !down;
			if (result < 0 || depth == 0)
				return;
			down = false;
			continue;
		}
		depth += down;
		r->stack[depth] = next;
		r->last = dwarf_dieoffset(&next);
		const int tag = dwarf_tag(&next);

		const bool removed = tag == DW_TAG_subprogram && is_removed(r, &next);

		if (tag == DW_TAG_inlined_subroutine)
			add_function(r, &next);
		else if (tag == DW_TAG_subprogram && !removed)
			add_declared(r, &next);
		down = has_code(tag) && !removed && have_level(r, depth + 1);
	}
}

/* By start; those around others first. */
static int by_start(const void *a, const void *b)
{
	const struct inlined *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static int by_declared(const void *a, const void *b)
{
	const struct declared *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

void program_read_unit(struct line_table *t, struct unit *u)
{
	struct reading r = { .table = t, .unit = u };
	Dwarf_Die die;

	if (u->read)
		return;
	u->read = true;
	if (u->split.addr)
		die = u->split;
	else if (!dwarf_offdie(u->dwarf, u->offset, &die))
		return;
	if (dwarf_getsrcfiles(&die, &r.files, &r.file_count) != 0)
		r.files = NULL;
	r.last = dwarf_dieoffset(&die);
	read_children(&r, &die);
	free(r.stack);
	t->full |= r.full;
	if (u->count)
		qsort(u->inlined, u->count, sizeof(*u->inlined), by_start);
	if (u->declared_count)
		qsort(u->declared, u->declared_count, sizeof(*u->declared), by_declared);
	for (size_t i = 0; i < u->count; i++) {
		size_t outer = i; /* 1 + index of the one before */

		while (outer && u->inlined[outer - 1].end <= u->inlined[i].start)
			outer = u->inlined[outer - 1].outer;
		u->inlined[i].outer = outer;
	}
}

/* ---- addresses --------------------------------------------------------------------- */

struct inlined *program_inlined_range(const struct unit *u, uint64_t addr)
{
	size_t lo = base_count_leading(u->count, i, u->inlined[i].start <= addr);

	while (lo && u->inlined[lo - 1].end <= addr)
		lo = u->inlined[lo - 1].outer;
	return lo ? &u->inlined[lo - 1] : NULL;
}

const struct declared *program_declared_in(const struct unit *u, uint64_t addr)
{
	const struct declared key = { .start = addr }, *d = NULL;

	if (u->declared_count)
		d = bsearch(&key, u->declared, u->declared_count, sizeof(key), by_declared);
	return d && d->file ? d : NULL;
}

void program_free_units(struct line_table *t)
{
	for (size_t k = 0; k < t->unit_count; k++) {
		for (size_t i = 0; i < t->units[k].count; i++)
			free((void *)(uintptr_t)t->units[k].inlined[i].frames);
		free(t->units[k].inlined);
		free(t->units[k].declared);
		free(t->units[k].paths);
	}
	free(t->units);
	t->units = NULL;
	t->unit_count = t->unit_cap = 0;
	t->inlined_count = 0;
	t->full = false;
}

void program_free_table(struct line_table *t)
{
	program_free_units(t);
	support_hash_free(&t->paths);
	program_free_texts(t->texts);
	free(t->lines);
}
