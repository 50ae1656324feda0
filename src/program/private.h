/* What the files of a program share: bytes, names, lines. */
#ifndef HS_PROGRAM_PRIVATE_H
#define HS_PROGRAM_PRIVATE_H

#include <hartscope/program.h>

#include "program/keep.h"
#include "program/lines.h"
#include "program/program.h"
#include "support/build_id.h"

/* A growing array of sections, sorted by start and free of overlaps between calls. */
struct section_list {
	struct hs_section *v;
	size_t n;
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

struct symbols {
	struct symbol *items;
	size_t count, cap;
	struct symbol *aliases; /* other names of their addresses, sorted by start */
	size_t alias_count;
	bool sorted;
};

/* Functions with a table of exceptions (landings.c). */
struct landings_list {
	struct landings *items;
	size_t count, cap;
	bool sorted;
};

struct program_notes {
	char **items;
	size_t count, cap;
};

struct source_file;
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
	struct symbols symbols;
	struct line_table table;
	bool lines_sorted;
	struct program_ahead *ahead; /* NULL: no other thread reads lines */
	struct landings_list landings;
	struct program_text *texts;
	struct program_names names;
	struct program_notes notes;
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

/* Addresses of an RV32 program wrap at 2^32, also after a bias. */
static inline uint64_t program_wrap(const struct hs_program *p, uint64_t addr)
{
	return p->image.isa.xlen == 32 ? (uint32_t)addr : addr;
}

/* May names and lines of a file be used? */
static inline bool program_is_trusted(const struct program_file *f)
{
	return !f->refused && (!f->debug_of || f->of_old_build || !f->debug_of->refused);
}

/* keep.c: a line for hs_program_note(), also where it has the same one. */
enum hs_status program_add_note(struct hs_program *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* image.c */
enum hs_status program_add_sections(struct hs_program *p, const struct hs_section *v, size_t n,
                                    const char *path, struct hs_error *error);

/* elf.c: open a file, which is to be closed or added. */
enum hs_status program_open_elf(const struct hs_program *p, const struct program_input *in,
                                struct program_file **file, struct hs_error *error);
/* Open and add a file, and not its debug file. */
enum hs_status program_add_elf(struct hs_program *p, const struct program_input *in,
                               struct program_file **file, struct hs_error *error);
/* The same for names and lines only; *file NULL: it was added before. */
enum hs_status program_add_names(struct hs_program *p, const struct program_input *in,
                                 struct program_file **file, struct hs_error *error);
void program_close_file(struct program_file *f);

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

/* differs.c: is a file's code what ran?  HS_OK or HS_E_MEMORY. */
enum hs_status program_read_extents(struct hs_program *p, struct program_file *f);
enum hs_status program_compare_file(struct hs_program *p, struct program_file *f,
                                    const struct hs_span *build_id);
enum hs_status program_compare_files(struct hs_program *p);
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

/* split.c: open the file that has the functions of a unit before they are read; a note says where
 * that fails. */
void program_open_split(struct hs_program *p, struct unit *u);

/* ahead.c: what another thread read becomes the program's table.  False: there is none that is
 * right. */
bool program_take_ahead(struct hs_program *p);
/* End that thread. */
void program_end_ahead(struct hs_program *p);

/* symbols.c */
/* A symbol as people read it. */
const char *program_show(struct hs_program *p, const char *symbol);
enum hs_status program_add_symbol(struct hs_program *p, const struct symbol *s);
/* HS_OK or HS_E_MEMORY. */
enum hs_status program_read_symbols(struct hs_program *p, struct program_file *f);

/* attributes.c */
void program_read_attributes(struct hs_program *p, Elf *elf);

/* source_text.c */
void program_free_sources(struct hs_program *p);

#endif
