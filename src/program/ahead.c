/* Programs: source lines that another thread reads.
 *
 * That thread has handles of its own (ELF and DWARF) on descriptors that stay open as long as the
 * program, and fills a table of its own; it sees nothing of the program, which goes on to be used.
 * Where lines are first asked for, the program waits for it, and takes the table if it is of the
 * files that it would read now; otherwise it reads them itself. */
#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <unistd.h>

#include "program/private.h"
#include "support/crew.h"
#include "support/grow.h"

struct ahead_file {
	struct program_file *file; /* not looked at by the thread */
	uint64_t bias;
	int fd;
	Elf *elf;
	Dwarf *dwarf; /* NULL: it has none */
};

struct program_ahead {
	struct support_crew crew; /* of one thread */
	struct line_table table;
	struct ahead_file *files;
	size_t count;
	bool good; /* the table is whole */
};

/* ---- the thread ------------------------------------------------------------------------- */

/* False: the program has to read it. */
static bool read_file(struct line_table *t, struct ahead_file *f)
{
	const char *name;
	const void *id;

	f->elf = elf_begin(f->fd, ELF_C_READ, NULL);
	if (!f->elf || program_is_relocatable(f->elf))
		return f->elf;
	f->dwarf = dwarf_begin_elf(f->elf, DWARF_C_READ, NULL);
	if (!f->dwarf)
		return true;
	if (dwelf_dwarf_gnu_debugaltlink(f->dwarf, &name, &id) != 0)
		return false; /* a file more, which the program looks for (debug_file.c) */
	return program_read_lines(t, f->dwarf, f->bias) && !t->split; /* files more (split.c) */
}

static bool is_stopped(const struct program_ahead *a)
{
	return __atomic_load_n(&a->table.stop, __ATOMIC_RELAXED);
}

static void *read_ahead(void *of)
{
	struct program_ahead *a = of;
	bool good = true;

	for (size_t i = 0; good && i < a->count; i++)
		good = read_file(&a->table, &a->files[i]);
	if (good && !is_stopped(a))
		program_sort_lines(&a->table);
	for (size_t i = 0; good && !is_stopped(a) && i < a->table.unit_count; i++)
		program_read_unit(&a->table, &a->table.units[i]);
	a->good = good && !a->table.full && !is_stopped(a);
	return NULL;
}

/* ---- the program ------------------------------------------------------------------------ */

static void free_ahead(struct program_ahead *a)
{
	program_free_table(&a->table);
	for (size_t i = 0; i < a->count; i++) {
		dwarf_end(a->files[i].dwarf);
		elf_end(a->files[i].elf);
	}
	free(a->files);
	free(a);
}

static bool has_lines(const struct program_file *f)
{
	return f->elf && program_is_trusted(f);
}

/* Put the files whose lines the program would read into a list, those without a descriptor too.
 * False: no memory. */
static bool list_files(const struct hs_program *p, struct program_ahead *a)
{
	size_t cap = 0;

	for (struct program_file *f = p->open; f; f = f->next) {
		if (!has_lines(f))
			continue;
		if (!support_grow(&a->files, &cap, a->count + 1, sizeof(*a->files)))
			return false;
		a->files[a->count++] =
			(struct ahead_file){ .file = f, .bias = f->bias, .fd = f->fd };
	}
	return true;
}

/* Can another thread read all of them?  Not what is in memory, or open for lines already. */
static bool can_read(const struct program_ahead *a)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->files[i].fd < 0 || a->files[i].file->dwarf)
			return false;
	return a->count;
}

void hs_program_start_lines(struct hs_program *p)
{
	struct program_ahead *a = p->ahead || p->lines_sorted ? NULL : calloc(1, sizeof(*a));

	if (!a)
		return;
	a->table.narrow = p->image.isa.xlen == 32;
	if (list_files(p, a) && can_read(a) && support_crew_start(&a->crew, read_ahead, a))
		p->ahead = a;
	else
		free_ahead(a);
}

/* Would the program read these files, and in this order? */
static bool is_current(const struct hs_program *p, const struct program_ahead *a)
{
	size_t n = 0;

	for (const struct program_file *f = p->open; f; f = f->next) {
		if (!has_lines(f))
			continue;
		if (n == a->count || a->files[n].file != f || f->dwarf)
			return false;
		n++;
	}
	return n == a->count && a->table.narrow == (p->image.isa.xlen == 32);
}

/* Where the thread found no debug information, is there none?  The file may have been cut since
 * the program opened it. */
static void look_again(struct hs_program *p, const struct program_ahead *a)
{
	for (size_t i = 0; i < a->count; i++) {
		struct program_file *f = a->files[i].file;

		if (!a->files[i].dwarf && !f->dwarf && !program_is_relocatable(f->elf))
			f->dwarf = program_open_dwarf(p, f);
	}
}

bool program_take_ahead(struct hs_program *p)
{
	struct program_ahead *a = p->ahead;

	if (!a)
		return false;
	support_crew_end(&a->crew);
	p->ahead = NULL;
	if (a->good)
		look_again(p, a);
	const bool take = a->good && is_current(p, a);

	for (size_t i = 0; take && i < a->count; i++) {
		a->files[i].file->dwarf = a->files[i].dwarf;
		a->files[i].file->ahead = a->files[i].elf;
		a->files[i] = (struct ahead_file){ .fd = -1 };
	}
	if (take) { /* what the program had is freed with the rest */
		const struct line_table old = p->table;

		p->table = a->table;
		a->table = old;
	}
	free_ahead(a);
	return take;
}

void program_end_ahead(struct hs_program *p)
{
	if (!p->ahead)
		return;
	__atomic_store_n(&p->ahead->table.stop, true, __ATOMIC_RELAXED);
	support_crew_end(&p->ahead->crew);
	free_ahead(p->ahead);
	p->ahead = NULL;
}
