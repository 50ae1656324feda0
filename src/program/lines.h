/* What is read of debug information: lines, and the functions of units.
 *
 * The files that fill a table see nothing of the program: paths.c, zero.c, units.c, removed.c and
 * lines.c, each of which uses those before it. */
#ifndef HS_PROGRAM_LINES_H
#define HS_PROGRAM_LINES_H

#include <elfutils/libdw.h>
#include <libelf.h>

#include <hartscope/program.h>

#include "program/keep.h"
#include "support/hash.h"

/* A row of the line table; file is NULL where a sequence ends. */
struct line {
	uint64_t addr;
	const char *file;
	int line, column;
	unsigned discriminator;
	bool begins;   /* a statement (is_stmt) */
	uint32_t unit; /* index of its unit */
	size_t order;  /* of rows with the same address the last wins */
};

/* A range of a function that was inlined. */
struct inlined {
	uint64_t start, end;
	struct hs_program_inlined call; /* its function as the file has it, until it is @shown */
	const char *symbol;             /* the function as the file has it */
	int declared;                   /* its line; 0: not known */
	unsigned discriminator;         /* of the call */
	bool shown;
	size_t outer; /* 1 + index of the range around this one, 0 without */
	size_t order;
	const struct hs_program_inlined *frames; /* made when they are first asked for */
	size_t frame_count;
};

/* Where a function is declared. */
struct declared {
	uint64_t start;
	const char *file;
	int line;
};

/* A compilation unit. */
struct unit {
	Dwarf *dwarf;
	uint64_t bias;
	Dwarf_Off offset;       /* of its DIE */
	const char *folder;     /* of the compilation; NULL: not known */
	const char *split_name; /* of the file that has its functions; NULL: it has them */
	Dwarf_Die split;        /* the unit there; addr is NULL until it is open */
	const char **paths;     /* of its files, when they are first asked for */
	size_t path_count;
	struct inlined *inlined; /* sorted by start, outer ones first, when @read */
	size_t count;
	struct declared *declared; /* sorted by start, when @read */
	size_t declared_count;
	bool read;
	bool cut;                /* some inlined functions had no room; until that is noted */
	unsigned without_length; /* inlined functions of a .dwo; until that is noted */
};

#define ZERO_NAMES 16u /* symbols at address 0 of a file */

/* What is read of debug information.  It has nothing of the program, so that another thread can
 * fill one (ahead.c). */
struct line_table {
	struct line *lines;
	size_t line_count, line_cap;
	size_t last;        /* that was found, and those before it: a hint */
	struct unit *units; /* of lines */
	size_t unit_count, unit_cap;
	struct support_hash paths; /* of source files; they live as long as the table */
	struct program_text *texts;
	size_t inlined_count; /* of all units */
	bool narrow;          /* addresses have 32 bits */
	bool full;            /* something of a unit had no room */
	bool stop;            /* atomic: nobody wants it any more */
	bool split;           /* units have their functions in other files */
	size_t unread;        /* units whose lines cannot be read, of ... */
	Dwarf *unread_of;     /* ... a file */
	Dwarf *zero_of;       /* the file whose symbols at 0 are known (zero.c) */
	const char *zero_names[ZERO_NAMES];
	size_t zero_count;
	bool zero_known; /* it has symbols */
};

/* An address of a file as it was loaded. */
static inline uint64_t program_table_wrap(const struct line_table *t, uint64_t addr)
{
	return t->narrow ? (uint32_t)addr : addr;
}

/* paths.c: a source file's path, one string for each file; NULL: it has no name.  @folder: of the
 * compilation, or NULL; @index: in @files, the unit's own. */
const char *program_source_path(struct line_table *t, const char *folder, const char *name);
const char *program_unit_path(struct line_table *t, struct unit *u, Dwarf_Files *files,
                              size_t index);

/* zero.c: is a function that debug information has at address 0 not what is there? */
bool program_is_removed(struct line_table *t, Dwarf *dwarf, const char *symbol, const char *name);

/* units.c: read functions of a unit, unless they are read. */
void program_read_unit(struct line_table *t, struct unit *u);
/* The innermost range that has an address, of a unit that was read; NULL: none. */
struct inlined *program_inlined_range(const struct unit *u, uint64_t addr);
/* The function that begins at an address, of such a unit; NULL: none, or in no file. */
const struct declared *program_declared_in(const struct unit *u, uint64_t addr);
void program_free_units(struct line_table *t);
/* The same, and lines and paths. */
void program_free_table(struct line_table *t);

/* removed.c: remove rows of functions that are not there from the last unit, whose rows begin at
 * @from. */
void program_drop_removed(struct line_table *t, size_t from);

/* lines.c: the lines of a file; @t is sorted when it has those of all.  False: no memory. */
bool program_read_lines(struct line_table *t, Dwarf *dwarf, uint64_t bias);
void program_sort_lines(struct line_table *t);
/* Has the file addresses that are filled in where it is loaded? */
bool program_is_relocatable(Elf *elf);

#endif
