/* What the files of a guest share. */
#ifndef HS_GUEST_PRIVATE_H
#define HS_GUEST_PRIVATE_H

#include <hartscope/program.h>

#include <fts.h>

#include "guest/evidence.h"
#include "guest/mappings.h"
#include "guest/objects.h"
#include "guest/processes.h"
#include "guest/threads.h"

/* The text of a file, which stays as long as the guest: names point into it. */
struct guest_text {
	struct guest_text *next;
	size_t size; /* without the 0 after it */
	char text[];
};

#define GUEST_KERNEL "[kernel]"

/* A symbol of the kernel; name is NULL where it is not of code: there the one before ends. */
struct guest_symbol {
	uint64_t start, size;
	const char *name;
	const char *shown; /* as people read it; NULL until it is asked for */
	const char *file;  /* of place: GUEST_KERNEL or "[MODULE]" */
	unsigned rank;
};

struct guest_symbols {
	struct guest_symbol *items;
	size_t count, room;
	bool sorted;
};

/* A module of the kernel. */
struct guest_module {
	uint64_t start, size;
	const char *file;  /* "[NAME]" */
	const char *label; /* "[NAME] (no symbol)" */
};

/* Where a section of a module is. */
struct guest_section_at {
	const char *module, *section;
	uint64_t address;
};

/* A task, and the moment from which it is in its context. */
struct guest_task {
	struct hs_guest_task task;
	uint64_t from;
	size_t order;
};

struct hs_guest {
	struct guest_text *texts;
	struct hs_name_options names; /* kept; debug_dirs NULL: none */
	struct guest_symbols symbols;
	uint64_t bottom; /* of the kernel's addresses, when settled */
	struct guest_module *modules; /* sorted by start when settled */
	size_t module_count, module_room;
	struct guest_section_at *sections; /* of modules */
	size_t section_count, section_room;
	struct guest_objects objects, debug_files;
	struct guest_evidence evidence;
	struct guest_mapping *mappings; /* when settled: by space, as first_mapping of it says */
	uint32_t mapping_count;
	size_t mapping_room;
	struct guest_processes processes;
	struct guest_threads threads;
	struct guest_task *tasks; /* when settled: by context and moment */
	size_t task_count;
	char **notes;
	size_t note_count, note_room;
};

/* text.c */
/* Text that stays as long as the guest; NULL without memory. */
char *guest_keep(struct hs_guest *g, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
enum hs_status guest_note(struct hs_guest *g, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Both. */
void guest_free_texts(struct hs_guest *g);
/* Without the folder. */
const char *guest_base_of(const char *path);
/* Read a file to memory that stays as long as the guest. */
enum hs_status guest_read_text(struct hs_guest *g, const struct hs_guest_file *file, char **text,
                               struct hs_error *error);
/* The next line of a text, which it ends with a 0; NULL at the end. */
char *guest_next_line(char **at);
/* Digits up to a space or tab; moves @at past one of them.  False: other characters, or more than
 * 64 bits. */
bool guest_take_hex(char **at, uint64_t *value);

/* symbols.c */
enum hs_status guest_add_symbols(struct hs_guest *g, const struct hs_guest_file *file,
                                 struct hs_error *error);
void guest_sort_symbols(struct guest_symbols *s);
/* Its name as people read it. */
const char *guest_show(struct hs_guest *g, struct guest_symbol *s);
/* The symbol that covers an address; NULL: none. */
struct guest_symbol *guest_find_symbol(struct guest_symbols *s, uint64_t addr);

/* tasks.c: who is in each space, when its mappings are settled. */
enum hs_status guest_settle_tasks(struct hs_guest *g);

/* fit.c: where in the spaces of kernels the symbols are.  Before the mappings are settled. */
enum hs_status guest_fit_symbols(struct hs_guest *g);

/* folder.c: the next entry of the walk through @path, NULL at its end.  HS_E_SYSTEM: it, or the
 * walk, can't be read; a folder that belongs to others gets a note. */
enum hs_status guest_next_file(struct hs_guest *g, FTS *fts, FTSENT **entry, const char *path,
                               struct hs_error *error);

/* modules.c */
enum hs_status guest_add_modules(struct hs_guest *g, const struct hs_guest_file *file,
                                 struct hs_error *error);
/* sections.c: a directory such as /sys/module, and lines about such files. */
enum hs_status guest_add_sections(struct hs_guest *g, const char *path, struct hs_error *error);
bool guest_is_section_line(const char *line);
enum hs_status guest_take_section_line(struct hs_guest *g, char *line);
/* Find which modules' files are where; after the mappings are settled. */
enum hs_status guest_place_modules(struct hs_guest *g);
/* The module that covers an address; NULL: none. */
const struct guest_module *guest_find_module(const struct hs_guest *g, uint64_t addr);

#endif
