/* A guest is a whole system that was recorded or traced.  What it says of itself (its kernel's
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
#ifndef HARTSCOPE_GUEST_H
#define HARTSCOPE_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/error.h>
#include <hartscope/image.h>
#include <hartscope/program.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

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
	uint64_t context;  /**< value of the hart's last HS_KIND_CONTEXT */
	uint64_t moment;   /**< value of its last HS_KIND_TIME */
	bool has_context, has_moment; /**< false: not known */
	uint8_t priv;      /**< enum hs_priv */
	bool has_hart;     /**< hart is known: it shows the thread */
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
