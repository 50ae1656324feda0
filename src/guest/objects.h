/* Files with code that a guest may have mapped. */
#ifndef HS_GUEST_OBJECTS_H
#define HS_GUEST_OBJECTS_H

#include <libelf.h>

#include <hartscope/program.h>

#include "support/build_id.h"

/* A part of a file that is mapped as it is. */
struct guest_segment {
	uint64_t start, size; /* address that the file has for it, bytes */
	uint64_t offset;      /* in the file */
	const uint8_t *bytes;
	const uint8_t *masks; /* bits that may differ, by byte; NULL: none */
	/* of a section of a module: */
	const char *name;
	uint32_t number;
	bool placed; /* start is its address */
};

struct guest_object {
	const char *path;
	const char *label; /* "NAME (no symbol)" */
	const uint8_t *bytes; /* the file */
	size_t size;
	bool mapped;  /* bytes are to be unmapped */
	bool program; /* not a library */
	bool patched; /* its code may be patched where it runs: a kernel, the vdso */
	bool kernel;  /* it is in no user's space */
	uint8_t id[SUPPORT_ID_MAX], id_size; /* build-id */
	struct guest_segment *segments; /* with code */
	size_t segment_count, segment_room;
	struct hs_program *names; /* made when they are first needed */
	bool no_names;
	size_t noted;                     /* of the notes of @names, those that are the guest's */
	const struct guest_object *debug; /* its debug file; NULL: none */
	const char *module; /* of a kernel's module its name; NULL */
	uint8_t *masks;     /* memory of those of its segments */
	uint8_t *moved;     /* its file with the guest's addresses */
	/* What was found against it: a note of the first context, and how many more there are. */
	const char *complaint;
	uint32_t complaints;
};

struct guest_objects {
	struct guest_object *items;
	size_t count, room;
};

/* objects.c: read a file.  @strict: refuse what is not a RISC-V ELF file with code. */
enum hs_status guest_add_object(struct hs_guest *g, const struct hs_guest_file *file, bool strict,
                                struct hs_error *error);
void guest_free_objects(struct guest_objects *o);
/* How many of @n bytes are not those at @at of a segment. */
uint32_t guest_count_other(const struct guest_segment *s, uint64_t at, const uint8_t *bytes,
                           uint64_t n);
/* Its names, at the addresses that the file has; NULL: none. */
struct hs_program *guest_names_of(struct hs_guest *g, struct guest_object *o);
/* Notes that its names have had since are the guest's, too. */
void guest_note_names(struct hs_guest *g, struct guest_object *o);

/* debug_files.c: has a file names and lines, and the code is elsewhere? */
bool guest_is_debug_file(Elf *elf);
enum hs_status guest_keep_debug_file(struct hs_guest *g, struct guest_object *o);
/* Find the debug files of all objects. */
enum hs_status guest_link_debug_files(struct hs_guest *g);

/* module_files.c: read a file of a kernel's module.  HS_E_FORMAT: it is none. */
enum hs_status guest_read_module(struct hs_guest *g, struct guest_object *o);
bool guest_move_module(struct guest_object *o);

/* folder.c: read a file, or the files of a directory. */
enum hs_status guest_add_files(struct hs_guest *g, const struct hs_guest_file *file,
                               struct hs_error *error);

#endif
