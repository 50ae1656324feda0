/* What the files of a program share: bytes, names, lines. */
#ifndef HS_PROGRAM_PRIVATE_H
#define HS_PROGRAM_PRIVATE_H

#include <elfutils/libdw.h>
#include <libelf.h>

#include <hartscope/program.h>

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

/* A file that stays open: its bytes are sections, its strings are names. */
struct program_file {
	struct program_file *next;
	struct program_text *texts;
	char *path;
	uint64_t bias;
	int fd; /* -1: in memory */
	Elf *elf;
	Dwarf *dwarf; /* opened when a line is first asked for */
	void *bytes;  /* of a raw binary */
};

/* How good a name is when several symbols have one address.  A frame is a function that has no
 * symbol (frames.c). */
enum symbol_rank { RANK_FRAME, RANK_LABEL, RANK_LOCAL, RANK_WEAK, RANK_GLOBAL };

struct symbol {
	uint64_t start, size;
	uint64_t limit; /* where its section ends */
	const char *name;
	size_t outer; /* 1 + index of the symbol around this one, 0 without */
	unsigned rank;
};

/* A row of the line table; file is NULL where a sequence ends. */
struct line {
	uint64_t addr;
	const char *file;
	int line, column;
	size_t order; /* of rows with the same address the last wins */
};

struct source_file;
struct landings;

struct hs_program {
	struct hs_image image;
	struct section_list files;    /* from ELF and raw binaries */
	struct section_list overlay;  /* from snapshots: they win over files */
	struct section_list merged;
	struct program_file *open;
	struct symbol *symbols;
	size_t symbol_count, symbol_cap;
	bool symbols_sorted;
	struct line *lines;
	size_t line_count, line_cap;
	bool lines_sorted;
	struct landings *landings; /* landings.c */
	size_t landing_count, landing_cap;
	bool landings_sorted;
	struct source_file *sources;
	uint64_t entry;
	bool have_elf, have_xlen;
	hs_version_fn versions; /* NULL: its code does not change */
	void *versions_of;      /* the first argument of versions */
};

/* An ELF file to open. */
struct program_input {
	const char *name; /* path; in memory: for messages */
	uint64_t bias;
	const struct hs_span *bytes; /* in memory: all of it; NULL: read the file */
};

/* program.c */
enum hs_status program_add_sections(struct hs_program *p, const struct hs_section *v, size_t n,
                                    const char *path, struct hs_error *error);
void *program_grow(void *array, size_t *cap, size_t need, size_t item);

/* elf.c */
void program_close_file(struct program_file *f);
uint64_t program_wrap(const struct hs_program *p, uint64_t addr);

/* segments.c */
enum hs_status program_load_segments(const struct program_file *f, struct hs_section **out,
                                     size_t *n, struct hs_error *error);
bool program_find_bias(Elf *elf, uint64_t start, uint64_t offset, uint64_t *bias);

/* frames.c: functions that have no symbol.  HS_OK or HS_E_MEMORY. */
enum hs_status program_read_frames(struct hs_program *p, struct program_file *f);

/* landings.c: a function whose table of exceptions is at @data; addresses as the file has them.
 * HS_OK or HS_E_MEMORY. */
enum hs_status program_add_landings(struct hs_program *p, const struct program_file *f,
                                    uint64_t start, uint64_t size, uint64_t data);

/* symbols.c */
enum hs_status program_add_symbol(struct hs_program *p, const struct symbol *s);
enum hs_status program_read_symbols(struct hs_program *p, struct program_file *f,
                                    struct hs_error *error);

/* attributes.c */
void program_read_attributes(struct hs_program *p, Elf *elf);

/* source_text.c */
void program_free_sources(struct hs_program *p);

#endif
