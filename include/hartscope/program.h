/* Programs from files: ELF and raw binaries as images, with functions, lines and
 * disassembly for people. */
#ifndef HARTSCOPE_PROGRAM_H
#define HARTSCOPE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/error.h>
#include <hartscope/image.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_program;

/** Several programs, selected by context (Ownership, NT 7.1). */
struct hs_program_set {
	struct hs_program *first;           /**< before the first context */
	struct hs_program *const *programs;
	const uint64_t *contexts;           /**< contexts[i] belongs to programs[i]; one that is not
	                                         in the list changes nothing */
	size_t count;
};

/** Where an address is in the source. Strings live as long as the program. */
struct hs_place {
	const char *function; /**< NULL when no symbol covers the address */
	uint64_t offset;      /**< bytes from the function's start */
	const char *file;     /**< NULL without line information */
	int line, column;
};

/** Start an empty program. @retval HS_OK @retval HS_E_MEMORY */
HS_API enum hs_status hs_program_new(struct hs_program **p);
HS_API void hs_program_free(struct hs_program *p); /**< NULL is allowed */

/**
 * Add an ELF file: ELF32 or ELF64, RISC-V, executable or shared.
 * @param bias  Added to every address (0 for what is linked to a fixed address).
 * @retval HS_OK
 * @retval HS_E_SYSTEM       It cannot be opened.
 * @retval HS_E_FORMAT       Not ELF, or damaged.
 * @retval HS_E_CONFIG       It overlaps what was added before.
 * @retval HS_E_UNSUPPORTED  Not RISC-V, or its class differs from the first file's.
 */
HS_API enum hs_status hs_program_add_elf(struct hs_program *p, const char *path, uint64_t bias,
                                         struct hs_error *error);

/** Add a raw binary at a load address.  xlen is 64 unless an ELF says otherwise. */
HS_API enum hs_status hs_program_add_raw(struct hs_program *p, const char *path, uint64_t address,
                                         struct hs_error *error);

/** Add the bytes of an image (the snapshot of a recording).  Where an ELF already has the
 * address, the snapshot's bytes win: they are what ran. */
HS_API enum hs_status hs_program_add_image(struct hs_program *p, const struct hs_image *image,
                                           struct hs_error *error);

/** Use an ELF file for names and lines alone (the bytes come from elsewhere). */
HS_API enum hs_status hs_program_add_symbols(struct hs_program *p, const char *path, uint64_t bias,
                                             struct hs_error *error);

/** Use a mapped file for names and lines alone.
 * @param start   Address that the byte at @offset of the file is mapped to.
 * @param offset  As in /proc/PID/maps and struct hs_rec_map.
 * Results as hs_program_add_elf(); HS_E_FORMAT also when no segment has that offset. */
HS_API enum hs_status hs_program_add_mapping(struct hs_program *p, const char *path,
                                             uint64_t start, uint64_t offset,
                                             struct hs_error *error);

/** The image of all that was added.  Valid until the next add or free. */
HS_API struct hs_image *hs_program_image(struct hs_program *p);

/** An ELF file of a program: where its first segment is. */
struct hs_program_file {
	const char *path; /**< as it was given */
	uint64_t start, size; /**< addresses, bytes in the file */
	uint64_t offset;  /**< of the segment in the file */
};

/** The ELF files of a program by number. @return false past the last. */
HS_API bool hs_program_file(const struct hs_program *p, size_t index, struct hs_program_file *file);

/** A segment with code of a program's ELF files. */
struct hs_program_segment {
	const char *path;
	uint64_t start, size; /**< addresses as they were loaded, bytes in the file */
	uint64_t offset;      /**< in the file */
	uint64_t bias;        /**< start less the address that the file has for it */
};

/** The segments with code by number, files in the order of hs_program_file(). @return false past
 * the last. */
HS_API bool hs_program_segment(const struct hs_program *p, size_t index, struct hs_program_segment *out);

/** Entry address of the first ELF; 0 without. */
HS_API uint64_t hs_program_entry(const struct hs_program *p);

/** Function and source line of an address.  Always fills @place; true if anything is known. */
HS_API bool hs_program_place(struct hs_program *p, uint64_t addr, struct hs_place *place);

/** Start and size of the function that covers an address. */
HS_API bool hs_program_function(struct hs_program *p, uint64_t addr, uint64_t *start,
                                uint64_t *size, const char **name);

/** One line of source text, without its newline, or NULL when the file is not there. Lines are
 * cached; the string is valid until the next call. */
HS_API const char *hs_program_source_line(struct hs_program *p, const char *file, int line);

/** Disassembler, loaded on demand from LLVM's shared library. */
struct hs_disasm;

/** @param isa  Zcmp and Zcmt exclude c.fsdsp: one pattern has two meanings.
 * @retval HS_OK
 * @retval HS_E_MEMORY
 * @retval HS_E_UNSUPPORTED  No usable library is installed; the text says what to install. */
HS_API enum hs_status hs_disasm_new(const struct hs_isa *isa, struct hs_disasm **d,
                                    struct hs_error *error);
HS_API void hs_disasm_free(struct hs_disasm *d);

/** Disassemble one instruction to @text.  When the library does not know it, the text is
 * ".insn" with the bytes.  @return its length in bytes by hs_isa_hwords(), 0 if n is too short. */
HS_API size_t hs_disasm_text(struct hs_disasm *d, uint64_t pc, const uint8_t *bytes, size_t n,
                             char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
