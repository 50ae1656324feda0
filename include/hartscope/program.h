/* Programs: ELF files, raw binaries and code snapshots as one image, with functions, source lines
 * and disassembly for people.
 *
 * Threads: a program, and a disassembler, belong to one thread at a time; a look-up counts as a
 * change, since names and lines are sorted with the first one.  Different programs and
 * disassemblers may be used on different threads at once.
 */
#ifndef HARTSCOPE_PROGRAM_H
#define HARTSCOPE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/image.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_program;

/** Several programs, selected by context (Ownership, NT 7.1). */
struct hs_program_set {
	struct hs_program *first; /**< of a hart before its first context */
	struct hs_program *const *programs;
	const uint64_t *contexts; /**< contexts[i] selects programs[i]; a context that is not in the
	                               list changes nothing */
	size_t count;
	bool others_run_first; /**< it selects @first instead */
};

/** What a file of code is. */
enum hs_code_kind {
	HS_CODE_ELF,   /**< an ELF file */
	HS_CODE_RAW,   /**< bytes for one address */
	HS_CODE_IMAGE, /**< the code snapshot of a recording */
	/** A kernel's memory as an ELF core, /proc/kcore or a vmcore: its segments of at most
	 * 64 MiB, and of larger ones, which map all memory, what the files before it have. */
	HS_CODE_CORE
};

/** A file of code. */
struct hs_code_file {
	enum hs_code_kind kind;
	const char *path;
	/** An ELF file in memory, if p is not NULL: the caller keeps it until the source is
	 * closed. @path is then only a name for messages. */
	struct hs_span bytes;
	uint64_t address; /**< ELF: added to its addresses; raw: load address */
	bool has_address;
	/** It is of the program of a context: the path of an ELF file or a recording. */
	bool has_context;
	uint64_t context; /**< scontext (NT 7.1) */
	/** Of a trace: when the code was so: 0 at its start, 1 later, 2 later still.  The decoder
	 * takes what the trace fits (hs_source_facts.search). */
	uint32_t moment;
};

/* ---- what a program is made of ------------------------------------------------------ */

/** Start an empty program. @retval HS_OK @retval HS_E_MEMORY */
HS_API enum hs_status hs_program_new(struct hs_program **p);
HS_API void hs_program_free(struct hs_program *p); /**< NULL is allowed */

/**
 * Add an ELF file: ELF32 or ELF64, RISC-V, executable or shared.
 * @param bias  Added to every address; 0 for a program that is linked to a fixed address.
 * @retval HS_OK
 * @retval HS_E_SYSTEM       It cannot be opened, or is not a regular file.
 * @retval HS_E_FORMAT       Not ELF, damaged, cut short, or without a segment to load.
 * @retval HS_E_CONFIG       It overlaps what was added before, or itself.
 * @retval HS_E_UNSUPPORTED  Not little-endian RISC-V, or its class differs from the first file's.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_program_add_elf(struct hs_program *p, const char *path, uint64_t bias,
                                         struct hs_error *error);

/**
 * Add an ELF file that is in memory.
 * @param bytes  All of the file.  They are kept, not copied: the caller leaves them as they are
 *               until hs_program_free().  Any alignment.
 * @param name   For messages, and the path in struct hs_program_file; copied.
 * Otherwise as hs_program_add_elf(), without HS_E_SYSTEM.
 */
HS_API enum hs_status hs_program_add_elf_memory(struct hs_program *p, const struct hs_span *bytes,
                                                const char *name, uint64_t bias,
                                                struct hs_error *error);

/**
 * Add a raw binary at a load address.  It is RV64 code unless an ELF says otherwise.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  It cannot be opened, or is not a regular file.
 * @retval HS_E_FORMAT  Empty, or it goes past the end of the address space.
 * @retval HS_E_CONFIG  It overlaps what was added before.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_program_add_raw(struct hs_program *p, const char *path, uint64_t address,
                                         struct hs_error *error);

/** Use an ELF file for names and lines only; the bytes come from elsewhere.  Twice the same file
 * and bias is once.  Results as hs_program_add_elf(), but a file without segments is good. */
HS_API enum hs_status hs_program_add_symbols(struct hs_program *p, const char *path, uint64_t bias,
                                             struct hs_error *error);

/** The image of all that was added.  Valid until the next add or free. */
HS_API struct hs_image *hs_program_image(struct hs_program *p);

/** Entry address of the first ELF; 0 without. */
HS_API uint64_t hs_program_entry(const struct hs_program *p);

/** An ELF file of a program: where its first segment is. */
struct hs_program_file {
	const char *path;     /**< as it was given */
	uint64_t start, size; /**< address, bytes in the file */
	uint64_t offset;      /**< of the segment in the file */
};

/** A segment with code of a program's ELF files. */
struct hs_program_segment {
	const char *path;
	uint64_t start, size; /**< address as it was loaded, bytes in the file */
	uint64_t offset;      /**< in the file */
	uint64_t bias;        /**< start less the address that the file has for it */
};

/* ---- names and source lines ---------------------------------------------------------
 *
 * A file names only what is its own: where the image of a recording has other bytes than the
 * file's code, the file is refused, and hs_program_note() says so.  Code that
 * may change where it runs (a writable segment, a kernel's) may differ in an eighth of its bytes;
 * these have no name.  Debug files are found by build-id and .gnu_debuglink (design/code-files). */

/** How names are found and shown. */
struct hs_name_options {
	uint32_t size; /**< sizeof(struct hs_name_options) */
	bool mangled;  /**< symbols of C++ and Rust as they are; false: as people write them */
	/** Where debug files are, as DIR/.build-id/xx/yyyy.debug or by the path of their file;
	 * copied.  None: /usr/lib/debug. */
	const char *const *debug_dirs;
	size_t debug_dir_count;
	/** Files whose names come from a recording, a trace or debug information are read only
	 * below @folders, and where a system has its libraries and headers (/usr, /lib, /opt);
	 * source text also below a compile directory.  hs_program_note() says what was not read.
	 * False: any regular file is read. */
	bool confined;
	const char *const *folders; /**< copied */
	size_t folder_count;
	/** Where source text is looked for first: by its whole path, then by ever fewer of its last
	 * names; copied. */
	const char *const *source_dirs;
	size_t source_dir_count;
};

/** Why files name nothing, or lack part of what they should have: one line each.
 * @return NULL past the last. */
HS_API const char *hs_program_note(const struct hs_program *p, size_t index);

/** A function; its strings live as long as the program. */
struct hs_program_function {
	const char *name;     /**< as people write it; NULL: no symbol covers the address; start and
	                           size are 0 then */
	uint64_t start, size; /**< address, bytes */
	const char *symbol;   /**< as the file has it */
	const char *file;     /**< path of the file that has the code, also without a name; NULL:
	                           not known */
};

/** Is @wanted a name of a function: its own, its symbol, another symbol of its address, or its name
 * without parameters?  @p: the program that named it; NULL: without other symbols. */
HS_API bool hs_program_is_name(struct hs_program *p, const struct hs_program_function *f,
                               const char *wanted);

/** A function that the compiler put into another one. */
struct hs_program_inlined {
	const char *function; /**< as people write it, without parameters in C */
	const char *file;     /**< where it is called from; NULL: not known */
	int line;
};

/** Where a function or label begins, by its symbol, of several a global one first; else by its name
 * as people write it, also without parameters.  False: there is none in files that name code. */
HS_API bool hs_program_find_symbol(const struct hs_program *p, const char *name, uint64_t *addr);

/** Where a variable is that has a fixed address, and its bytes, by its symbol, of several a global
 * one, or by its name as people write it.  False: no file has one, or it is of each thread. */
HS_API bool hs_program_find_data(const struct hs_program *p, const char *name, uint64_t *addr,
                                 uint64_t *size);

/** Where an address is in the source.  Strings live as long as the program.
 *
 * A source file has one path, in full: debug information's folder of the compilation is put in
 * front of a relative one, "." and ".." are removed, and a path of Windows has slashes
 * (design/names). */
struct hs_place {
	const char *function; /**< NULL: no symbol covers the address */
	uint64_t offset;      /**< bytes from the function's start */
	const char *file;     /**< NULL: no line information */
	int line, column;
	const char *symbol; /**< as the file has it */
	const char *object; /**< path of the file that has the code; NULL: not known */
	/** Functions that were inlined at the address, the outermost first; two addresses of one
	 * inlined range have the same pointer. */
	const struct hs_program_inlined *inlined;
	size_t inlined_count;
};

/** A function into which one that is called @name, also without parameters, was inlined.  False:
 * there is none, or debug information does not say so.  Reads all of it. */
HS_API bool hs_program_find_inlining(struct hs_program *p, const char *name,
                                     struct hs_program_function *into);

/** Function and source line of an address.  Always fills @place; true if anything is known. */
HS_API bool hs_program_find_place(struct hs_program *p, uint64_t addr, struct hs_place *place);

/**
 * Begin to read source lines, and functions of debug information, on a thread of its own; the call
 * of @p that first needs them waits for it, as does hs_program_free().  @p is used as before, by
 * one thread at a time.  Results are the same; without effect where lines are there already, and
 * where such a thread cannot read them: files in memory, or with parts in others (dwz), no thread
 * to be had.
 */
HS_API void hs_program_start_lines(struct hs_program *p);

/** Bytes that hs_program_compile_dirs() is given room for. */
#define HS_COMPILE_DIRS_SIZE 65536u

/**
 * The folders in which an ELF file was compiled, as its debug information has them: where
 * hs_name_options.confined lets source text come from.  Not "/", nor those with names such as ".."
 * or ".config".
 *
 * @param[out] out  Each folder once, with its 0; what @size bytes have no room for is left out.
 * @return the bytes written; 0 where the file cannot be read, or has none.
 */
HS_API size_t hs_program_compile_dirs(const char *path, char *out, size_t size);

/** One line of source text without its newline; NULL: there is no such file or line, or its name
 * does not end as that of a source file does (".c", ".S", ".rs"), or it is elsewhere than
 * hs_name_options.confined allows: debug information may name any file.  Files are cached; the
 * string lives as long as the program. */
HS_API const char *hs_program_source_line(struct hs_program *p, const char *file, int line);

/* ---- code that changes --------------------------------------------------------------
 *
 * A flow has HS_KIND_VERSION where a hart executes other code than before.  A view follows these
 * events: it has an image for each hart.  It belongs to one thread at a time, together with its
 * program. */

struct hs_code_view;

/** Start a view of @program, which is kept, at hart 0.  @retval HS_OK @retval HS_E_MEMORY */
HS_API enum hs_status hs_code_view_new(struct hs_program *program, struct hs_code_view **view);
HS_API void hs_code_view_free(struct hs_code_view *view); /**< NULL is allowed */

/** Change to a hart (HS_KIND_HART).  @retval HS_OK @retval HS_E_MEMORY */
HS_API enum hs_status hs_code_view_select_hart(struct hs_code_view *view, uint32_t hart);

/**
 * The hart executes other code from now on.
 * @param number  What HS_KIND_VERSION has in arg.
 * @retval HS_OK
 * @retval HS_E_ARG  The program does not know this number.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_code_view_change(struct hs_code_view *view, uint32_t number);

/** The code of the hart.  Valid until the next call with @view. */
HS_API const struct hs_image *hs_code_view_image(const struct hs_code_view *view);

/* ---- disassembly -------------------------------------------------------------------- */

/** Disassembler: LLVM's shared library, loaded when it is first needed. */
struct hs_disasm;

/**
 * Open a disassembler.
 * @param isa  Zcmp and Zcmt exclude c.fsdsp: one encoding has two meanings.
 * @retval HS_OK
 * @retval HS_E_MEMORY
 * @retval HS_E_UNSUPPORTED  No usable library is installed; the text says what to install.
 */
HS_API enum hs_status hs_disasm_new(const struct hs_isa *isa, struct hs_disasm **d,
                                    struct hs_error *error);
HS_API void hs_disasm_free(struct hs_disasm *d); /**< NULL is allowed */

/**
 * Disassemble one instruction to @text.  When the library does not know it, or @d is NULL, the
 * text is ".insn" and the bytes.
 * @return  Its length in bytes by hs_isa_hwords(); 0: it is longer than @n.
 */
HS_API size_t hs_disasm_text(struct hs_disasm *d, uint64_t pc, const uint8_t *bytes, size_t n,
                             char *text, size_t size);

/* ---- guests -------------------------------------------------------------------------
 *
 * A guest is a whole system that was recorded or traced.  What it says of itself (its kernel's
 * symbols, its modules, its processes) and the code that ran show which process runs in a context,
 * and which file and function is at an address.
 *
 * A guest is filled in three steps: read its files; read the items of the flow; compare the two.
 * A file whose code is not the code that ran is refused, and a note says so.
 * hs_source_open() does all of it (hs_source_options.guest), and hs_source_known() gives the
 * result.  Then it answers a question for each distinct block or instruction, by searches in
 * sorted tables.
 *
 * Threads: a guest belongs to one thread at a time, also for questions, which change it.
 */

struct hs_guest;

/* ---- files ------------------------------------------------------------------------------ */

/** What a file says. */
enum hs_guest_kind {
	HS_GUEST_SYMBOLS, /**< /proc/kallsyms or System.map: the kernel's symbols */
	/** /proc/modules; or where the sections of modules are: a directory like /sys/module, or
	 * its lines, "NAME/sections/SECTION:0xADDRESS". */
	HS_GUEST_MODULES,
	HS_GUEST_PROCESSES, /**< processes and what they mapped: JSON lines (docs/guests.md), or the
	                         text of perf script with task and mmap events */
	/** An ELF file, or a directory with some.  The code that ran shows where each was mapped,
	 * HS_GUEST_MODULES where a kernel's modules were.  A debug file gives names to the file
	 * that it was stripped from.  Bytes without a header, such as firmware: a file *.bin. */
	HS_GUEST_CODE
};

/** A file of the guest. */
struct hs_guest_file {
	enum hs_guest_kind kind;
	const char *path;
	/** If p is not NULL, the file's content, which must live as long as the source.
	 * @path is then only a name. */
	struct hs_span bytes;
};

/** How the times of a trace (HS_KIND_TIME) and of perf belong together: nanoseconds of perf are
 * zero + (time * multiplier >> shift), as struct perf_event_mmap_page of Linux has it. */
struct hs_guest_clock {
	uint64_t zero;
	uint32_t multiplier; /**< not 0 */
	uint32_t shift;      /**< at most 31 */
};

/* ---- the code that ran ------------------------------------------------------------------ */

/** A line for each thing that was refused, fits several places, or could not be linked.
 * @return NULL past the last. */
HS_API const char *hs_guest_note(const struct hs_guest *g, size_t index);

/* ---- questions -------------------------------------------------------------------------- */

/** Where a hart is when a question is asked. */
struct hs_guest_at {
	uint64_t context;             /**< value of the hart's last HS_KIND_CONTEXT */
	uint64_t moment;              /**< value of its last HS_KIND_TIME */
	bool has_context, has_moment; /**< false: not known */
	uint8_t priv;                 /**< enum hs_priv */
	bool has_hart;                /**< hart is known: it shows the thread */
	uint32_t hart;
	/** The bytes at the address, if the caller has them (hs_source_code()): they decide where
	 * code changes or several programs ran there.  p NULL: the bytes that ran there first. */
	struct hs_span code;
};

/** Who is in a context.  It lives as long as the guest; equal pointers mean the same process. */
struct hs_guest_task {
	uint64_t context;
	uint32_t pid, tid;   /**< 0: not known; tid: of a thread */
	const char *name;    /**< as the guest calls it, else its program's file; NULL: not known */
	const char *program; /**< path of that file; NULL: not known */
};

/** What is at an address.  Strings live as long as the guest.  Labels of the same function are
 * equal as pointers. */
struct hs_guest_place {
	const char *label;    /**< function, else "FILE (no symbol)"; NULL: nothing is known */
	const char *function; /**< NULL: no symbol covers the address */
	const char *file;     /**< path; "[kernel]", "[MODULE]" where only its symbols are known */
	uint64_t start, size; /**< of the function, else of the mapped code; bytes */
	uint64_t offset;      /**< from start, bytes */
	const char *symbol;   /**< the function as its file has it; NULL */
	bool own; /**< set by hs_guest_name(): the file is the program's first, or the kernel */
};

/**
 * Name an address as all views do: by the guest's function there, else by the program's, else by
 * the guest's file.  Always fills @place; the file may be known without a label.
 * @param g   NULL: no guest.
 * @param p   NULL: no program.
 * @param at  If its priv is HS_PRIV_UNKNOWN, all modes are tried.  A file of @p whose bytes there
 *            are not at->code, if that is given, names nothing.
 * @return    Is there a label?
 */
HS_API bool hs_guest_name(struct hs_guest *g, struct hs_program *p, const struct hs_guest_at *at,
                          uint64_t addr, struct hs_guest_place *place);

/** Where an address is in the source. */
struct hs_guest_line {
	const char *file; /**< NULL: the file has no line information */
	int line, column;
	const struct hs_program_inlined *inlined; /**< as in struct hs_place */
	size_t inlined_count;
};

#ifdef __cplusplus
}
#endif
#endif
