/* What the files of a program share: bytes, names, lines. */
#ifndef HS_PROGRAM_PRIVATE_H
#define HS_PROGRAM_PRIVATE_H

#include <elfutils/libdw.h>
#include <libelf.h>

#include <hartscope/program.h>

#include "program/program.h"
#include "support/build_id.h"
#include "support/hash.h"

/* A growing array of sections, sorted by start and free of overlaps between calls. */
struct section_list {
	struct hs_section *v;
	size_t n;
};

/* A name that is not in the file. */
struct program_text {
	struct program_text *next;
	char text[];
};

/* Code of a file. */
struct program_extent {
	uint64_t start, size; /* address as it was loaded, bytes in the file */
	uint64_t offset;      /* in the file */
	bool writable;
	const uint8_t *bytes; /* read when they are first compared */
};

/* A file that stays open: its bytes are sections, its strings are names. */
struct program_file {
	struct program_file *next;
	struct program_text *texts;
	char *path;
	uint64_t bias;
	int fd; /* -1: in memory */
	Elf *elf;
	Dwarf *dwarf; /* opened when a line is first asked for */
	Elf *ahead;   /* that dwarf is of; NULL: it is of elf */
	char *compile_dirs; /* each once, with its 0; read when the first source is wanted */
	size_t compile_dirs_size;
	Dwarf *shared; /* what @dwarf shares with others (dwz); NULL: nothing */
	int shared_fd;
	void *bytes;  /* of a raw binary */
	struct program_extent *code;
	size_t code_count;
	uint8_t id[SUPPORT_ID_MAX], id_size; /* build-id */
	bool same_build;                     /* a recording has the same build-id */
	bool kernel;                         /* its code may be patched where it runs */
	bool refused;                        /* its code is not what ran */
	bool patched;                        /* parts of its code are not what ran */
	const struct program_file *debug_of; /* it has names and lines of that file's build */
	bool of_old_build; /* it has those of the build that ran, and debug_of is another one */
};

/* How good a name is when several symbols have one address.  A frame is a function that has no
 * symbol (frames.c). */
enum symbol_rank { RANK_FRAME, RANK_LABEL, RANK_LOCAL, RANK_WEAK, RANK_GLOBAL };

struct symbol {
	uint64_t start, size;
	uint64_t limit; /* where its section ends */
	const char *name;
	const char *shown; /* as people read it; NULL until it is asked for */
	const struct program_file *file;
	bool lonely;  /* others of its file were stripped */
	size_t outer; /* 1 + index of the symbol around this one, 0 without */
	unsigned rank;
};

/* A row of the line table; file is NULL where a sequence ends. */
struct line {
	uint64_t addr;
	const char *file;
	int line, column;
	bool begins;   /* a statement (is_stmt) */
	uint32_t unit; /* index of its unit */
	size_t order; /* of rows with the same address the last wins */
};

/* A range of a function that was inlined. */
struct inlined;
/* Where a function is declared. */
struct declared;
struct program_line;

/* A compilation unit. */
struct unit {
	Dwarf *dwarf;
	uint64_t bias;
	Dwarf_Off offset;        /* of its DIE */
	const char *folder;      /* of the compilation; NULL: not known */
	const char *split_name;  /* of the file that has its functions; NULL: it has them */
	Dwarf_Die split;         /* the unit there; addr is NULL until it is open */
	const char **paths;      /* of its files, when they are first asked for */
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
	Dwarf *zero_of;       /* the file whose symbols at 0 are known (removed.c) */
	const char *zero_names[ZERO_NAMES];
	size_t zero_count;
	bool zero_known; /* it has symbols */
};

struct source_file;
struct landings;
struct program_ahead;

/* What hs_program_set_names() said. */
struct program_names {
	bool mangled;
	char **debug_dirs; /* with a NULL at the end, as all of these; NULL: the usual one */
	bool confined, own_sources;
	char **folders, **source_dirs;
};

struct hs_program {
	struct hs_image image;
	struct section_list files;    /* from ELF and raw binaries */
	struct section_list overlay;  /* from snapshots: they win over files */
	struct section_list merged;
	struct program_file *open;
	struct symbol *symbols;
	size_t symbol_count, symbol_cap;
	struct symbol *aliases; /* other names of their addresses, sorted by start */
	size_t alias_count;
	bool symbols_sorted;
	struct line_table table;
	bool lines_sorted;
	struct program_ahead *ahead; /* NULL: no other thread reads lines */
	struct landings *landings; /* landings.c */
	size_t landing_count, landing_cap;
	bool landings_sorted;
	struct program_text *texts;
	struct program_names names;
	char **notes;
	size_t note_count, note_cap;
	struct source_file *sources;
	uint64_t entry;
	bool have_elf, have_xlen;
	bool hid_source;        /* a note says of which file */
	bool lacks_split;       /* the same of debug information that was split off */
	hs_version_fn versions; /* NULL: its code does not change */
	void *versions_of;      /* the first argument of versions */
};

/* An ELF file to open. */
struct program_input {
	const char *name; /* path; in memory: for messages */
	uint64_t bias;
	const struct hs_span *bytes; /* in memory: all of it; NULL: read the file */
	struct hs_span build_id;     /* of what ran; empty: not known */
	const struct program_file *debug_of; /* it is that file's debug file */
};

/* program.c */
enum hs_status program_add_sections(struct hs_program *p, const struct hs_section *v, size_t n,
                                    const char *path, struct hs_error *error);
void *program_grow(void *array, size_t *cap, size_t need, size_t item);

/* Keep a text as long as the list; NULL without memory. */
const char *program_keep(struct program_text **texts, const char *text);
void program_free_texts(struct program_text *texts);
const char *program_base_of(const char *path);

/* elf.c */
enum hs_status program_add_symbols(struct hs_program *p, const struct program_input *in,
                                   struct hs_error *error);
void program_close_file(struct program_file *f);
uint64_t program_wrap(const struct hs_program *p, uint64_t addr);

/* segments.c */
enum hs_status program_load_segments(const struct program_file *f, struct hs_section **out,
                                     size_t *n, struct hs_error *error);
/* What is added to the addresses of a mapped file.  False: no segment has what is mapped. */
bool program_find_bias(Elf *elf, const struct hs_program_mapping *m, uint64_t *bias);

/* frames.c: functions that have no symbol.  HS_OK or HS_E_MEMORY. */
enum hs_status program_read_frames(struct hs_program *p, struct program_file *f);

/* landings.c: a function whose table of exceptions is at @data; addresses as the file has them.
 * HS_OK or HS_E_MEMORY. */
enum hs_status program_add_landings(struct hs_program *p, const struct program_file *f,
                                    uint64_t start, uint64_t size, uint64_t data);
/* A line for hs_program_note(). */
enum hs_status program_add_note(struct hs_program *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* differs.c: is a file's code what ran?  HS_OK or HS_E_MEMORY. */
enum hs_status program_read_extents(struct hs_program *p, struct program_file *f);
enum hs_status program_compare_file(struct hs_program *p, struct program_file *f,
                                    const struct hs_span *build_id);
enum hs_status program_compare_files(struct hs_program *p);
/* May names and lines of a file be used? */
bool program_is_trusted(const struct program_file *f);
/* The file that has code at an address; NULL: none, or one whose code is not what ran. */
const struct program_file *program_file_at(const struct hs_program *p, uint64_t addr);

/* debug_file.c: look for the debug file of a file, or with @build_id for that of the build that
 * ran in its place, and add it.  HS_OK, also where there is none, or HS_E_MEMORY. */
enum hs_status program_add_debug_file(struct hs_program *p, const struct program_file *f,
                                      const struct hs_span *build_id);

/* The debug information of a file, with the file that it shares parts with (dwz); NULL: none, or
 * the other one is not there. */
Dwarf *program_open_dwarf(struct hs_program *p, struct program_file *f);

/* source_find.c: open the text of a source file that debug information names.  -1: there is none,
 * or it must not be read. */
int program_open_source(struct hs_program *p, const char *path);

/* May a file be read that debug information names? */
bool program_may_read(const struct hs_program *p, const char *path);

/* unread.c: notes of debug information that is there and cannot be read. */
void program_note_unread(struct hs_program *p);

/* removed.c: is a function that debug information has at address 0 not what is there? */
bool program_is_removed(struct line_table *t, Dwarf *dwarf, const char *symbol, const char *name);

/* Remove rows of such functions from the last unit, whose rows begin at @from. */
void program_drop_removed(struct line_table *t, size_t from);

/* split.c: the name of the file that has the functions of a unit; NULL: it has them. */
const char *program_split_name(Dwarf_Die *die);
/* Open that file before the unit is read; a note says where that fails. */
void program_open_split(struct hs_program *p, struct unit *u);

/* paths.c: a source file's path, one string for each file; NULL: it has no name.  @folder: of the
 * compilation, or NULL; @index: in @files, the unit's own. */
const char *program_source_path(struct line_table *t, const char *folder, const char *name);
const char *program_unit_path(struct line_table *t, struct unit *u, Dwarf_Files *files,
                              size_t index);

/* inlined.c */
void program_find_inlined(struct hs_program *p, uint32_t unit, uint64_t addr,
                          struct hs_place *place);
/* Is a function inlined at an address of a unit that was read? */
bool program_has_inlined(const struct unit *u, uint64_t addr);
/* Read functions of a unit, unless they are read. */
void program_read_unit(struct line_table *t, struct unit *u);
void program_free_units(struct line_table *t);
/* The same, and lines and paths. */
void program_free_table(struct line_table *t);
/* Where the function is declared that begins at an address.  False: not known. */
bool program_find_declared(struct hs_program *p, uint32_t unit, uint64_t addr,
                           struct program_line *line);

/* lines.c: an address of a file as it was loaded. */
uint64_t program_table_wrap(const struct line_table *t, uint64_t addr);
/* The lines of a file; @table is sorted when it has those of all.  False: no memory. */
bool program_read_lines(struct line_table *t, Dwarf *dwarf, uint64_t bias);
void program_sort_lines(struct line_table *t);
/* Has the file addresses that are filled in where it is loaded? */
bool program_is_relocatable(Elf *elf);

/* ahead.c: what another thread read becomes the program's table.  False: there is none that is
 * right. */
bool program_take_ahead(struct hs_program *p);
/* End that thread. */
void program_end_ahead(struct hs_program *p);

/* symbols.c */
/* A symbol as people read it. */
const char *program_show(struct hs_program *p, const char *symbol);
enum hs_status program_add_symbol(struct hs_program *p, const struct symbol *s);
enum hs_status program_read_symbols(struct hs_program *p, struct program_file *f,
                                    struct hs_error *error);

/* attributes.c */
void program_read_attributes(struct hs_program *p, Elf *elf);

/* source_text.c */
void program_free_sources(struct hs_program *p);

#endif
