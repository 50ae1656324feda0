/* A program's files and names, as rooms that read recordings and guests fill them. */
#ifndef HS_PROGRAM_PROGRAM_H
#define HS_PROGRAM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/program.h>

/* ---- what a program is made of ------------------------------------------------------ */

/**
 * Add the bytes of an image, such as the snapshot of a recording.  Where an ELF has the address
 * too, the image's bytes win: they are what ran.
 * @param image  Its bytes are kept, its sections are copied.  They may be in any order.
 * @retval HS_OK
 * @retval HS_E_FORMAT  A section is empty, goes past the end of the address space, or overlaps.
 * @retval HS_E_MEMORY
 */
enum hs_status hs_program_add_image(struct hs_program *p, const struct hs_image *image,
                                    struct hs_error *error);

/**
 * Add a kernel's memory, as an ELF core has it: /proc/kcore, or a vmcore.
 *
 * Its PT_LOAD segments by virtual address: those of at most 64 MiB, and of larger ones, which map
 * all memory, what @wanted has.  Pages of zeros are left out.  Only what is kept is read.
 * @param wanted  Such as the image of the kernel's file; NULL: nothing.
 * @retval HS_OK
 * @retval HS_E_SYSTEM       It cannot be opened.
 * @retval HS_E_FORMAT       Not an ELF core, damaged, or it has nothing of what is wanted.
 * @retval HS_E_CONFIG       It overlaps what was added before, or itself.
 * @retval HS_E_UNSUPPORTED  Not little-endian RISC-V, its class differs from the first file's, or
 *                           more than 1 GiB.
 * @retval HS_E_MEMORY
 */
enum hs_status hs_program_add_core(struct hs_program *p, const char *path,
                                   const struct hs_image *wanted, struct hs_error *error);

/** As hs_program_add_symbols(), with @bytes and @name as in hs_program_add_elf_memory(). */
enum hs_status hs_program_add_symbols_memory(struct hs_program *p, const struct hs_span *bytes,
                                             const char *name, uint64_t bias,
                                             struct hs_error *error);

/** A mapped ELF file: a line of /proc/PID/maps, or struct hs_rec_map. */
struct hs_program_mapping {
	uint32_t size; /**< sizeof(struct hs_program_mapping) */
	const char *path;
	uint64_t start;          /**< address that the byte at @offset of the file is mapped to */
	uint64_t offset;         /**< as in /proc/PID/maps and struct hs_rec_map */
	struct hs_span build_id; /**< of the file that was mapped; empty: not known */
	uint64_t length;         /**< bytes that are mapped; 0: not known */
};

/**
 * Use a mapped ELF file, which may have been built again since it ran, for names and lines only.
 * Segments may share pages of the file, as lld and mold write them: of those the one is meant that
 * is at its own address, that has code, whose pages are nearest to what is mapped
 * (design/code-files). With another build-id than the mapping's it names nothing, and
 * hs_program_note() says so; then the debug file of the build-id that ran is looked for.
 * @retval HS_E_CONFIG  No path, or members that this library lacks.
 * Other results as hs_program_add_symbols(); HS_E_FORMAT also when no segment has that offset.
 */
enum hs_status hs_program_add_mapped(struct hs_program *p, const struct hs_program_mapping *mapping,
                                     struct hs_error *error);

/** The program's code changes while it runs: what shows or counts it asks @code, with @of, what is
 * where from a HS_KIND_VERSION on.  The bytes live as long as the program.  Of a struct
 * hs_program_set each program has its own. */
void hs_program_set_versions(struct hs_program *p, hs_version_fn code, void *of);

/* ---- names and source lines ---------------------------------------------------------
 *
 * A file names only what is its own: where the image of a recording (hs_program_add_image()) has
 * other bytes than the file's code, the file is refused, and hs_program_note() says so.  Code that
 * may change where it runs (a writable segment, a kernel's) may differ in an eighth of its bytes;
 * these have no name.  Debug files are found by build-id and .gnu_debuglink (design/code-files). */

/** Set how names are found and shown, before the first file is added.
 * @retval HS_OK
 * @retval HS_E_CONFIG  Members that this library lacks.
 * @retval HS_E_MEMORY */
enum hs_status hs_program_set_names(struct hs_program *p, const struct hs_name_options *options);

/** Debug information of this program is the user's: its source text is read wherever it says, also
 * with hs_name_options.confined.  For a recording that was made here (hs_rec_is_own()). */
void hs_program_trust_sources(struct hs_program *p);

/** Add a line to them.  One that is there already is not added again.
 * @retval HS_OK
 * @retval HS_E_MEMORY */
enum hs_status hs_program_add_note(struct hs_program *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Path of the ELF file that was added first; NULL without one. */
const char *hs_program_own_file(const struct hs_program *p);

/** The function that covers an address.  Always fills @function; true if there is one. */
bool hs_program_find_function(struct hs_program *p, uint64_t addr,
                              struct hs_program_function *function);

/**
 * Where an exception lands that passes a call: the landing pad that the function's table
 * (.gcc_except_table) has for it.
 * @param resume   Address after the call.
 * @param landing  Filled where there is one.
 * @return false: the exception passes the function without running any of it, or it has no table.
 */
bool hs_program_find_landing(struct hs_program *p, uint64_t resume, uint64_t *landing);

/* ---- code that changes -------------------------------------------------------------- */

/**
 * The number of the code in a range of addresses, among all moments and harts, so that what is
 * known of a block need not be found out again.
 * @param[out] number  0 where the program's own bytes are there.  The same number for the same
 *                     range means the same bytes; the same bytes mostly mean the same number.
 * @retval HS_OK
 * @retval HS_E_MEMORY
 */
enum hs_status hs_code_view_get_number(struct hs_code_view *view, uint64_t addr, uint64_t bytes,
                                       uint64_t *number);

/** May a file be read that another file names, not the caller?  Only hs_name_options.confined says
 * no, where @path is in none of its folders; then there is a note. */
bool hs_program_allows(struct hs_program *p, const char *path);

/** The ELF files of a program by number, the one added last first.
 * @return false past the last. */
bool hs_program_get_file(const struct hs_program *p, size_t index, struct hs_program_file *file);

/** The segments with code by number, files in the order of hs_program_get_file().
 * @return false past the last. */
bool hs_program_get_segment(const struct hs_program *p, size_t index,
                            struct hs_program_segment *segment);

/** Is @code, which is at an address, what the file has there that names it?  Of @code the first
 * instruction counts; NULL: what the image has.  True where no file has the address. */
bool hs_program_is_as_in_file(struct hs_program *p, uint64_t addr, const struct hs_span *code);

#endif
