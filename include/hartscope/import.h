/* Import: a recording of what another tool wrote, which is the log of a simulator, an emulator or a
 * core, or cycles of a trace ingress port as rows or waves.  The formats are in docs/cli/import.md.
 *
 *   struct hs_import_options o = { .size = sizeof(o), .path = "app.log" };
 *   struct hs_import_result r;
 *   struct hs_import *import;
 *
 *   if (hs_import_open(&o, &import, &e) == HS_OK)
 *           s = hs_import_write(import, "app.rec", &r, &e);
 *   hs_import_close(import);
 *
 * The recording has the opcodes that the text shows, and the code of the files that are given; it
 * is opened as any other (source.h).  Memory does not grow with the text, but with the code in it.
 *
 * Threads: an import belongs to one thread at a time; different ones share nothing.
 */
#ifndef HARTSCOPE_IMPORT_H
#define HARTSCOPE_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/error.h>
#include <hartscope/program.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A format. */
struct hs_import_format {
	const char *name; /**< such as "spike" */
	const char *what; /**< what it is, in words */
	bool waves;       /**< signals in a value change dump or an FST file */
};

/** A format by number, from 0.  @return false past the last. */
HS_API bool hs_import_get_format(unsigned number, struct hs_import_format *format);

/**
 * Which format does a file have?  Its first bytes are looked at.
 * @param[out] format, xlen  Written where it is one.  xlen: 32 or 64, where they show it; else 0.
 * @return false: none that is known, or it cannot be read.
 */
HS_API bool hs_import_detect(const char *path, struct hs_import_format *format, uint8_t *xlen);

/** What to import and how.  Zero is a good value of every member but size and path. */
struct hs_import_options {
	uint32_t size;                   /**< sizeof(struct hs_import_options) */
	const char *path;                /**< the file; "-": standard input */
	const char *format;              /**< its name; NULL: the one that the first lines show */
	const struct hs_code_file *code; /**< HS_CODE_ELF and HS_CODE_RAW: the program */
	size_t code_count;
	uint8_t xlen;      /**< 32 or 64, where no ELF file says it; 0: as the first lines show, or
	                         64 */
	uint32_t hart;     /**< number of the recording's hart for hart 0 of the text */
	bool skip_unknown; /**< lines that begin like those of the log and are in no form that is
	                         known are the program's own: left out without error */
	const char *clock; /**< of waves: name or end of the path of the clock; NULL: "clk",
	                         "clk_i" or "clock" */
	const char *const *signals; /**< of waves: "NAME=PATH", where a signal of the port or of
	                                 RVFI is in the dump (docs/port-signals.md) */
	size_t signal_count;
	/** Gets the error of each line that was damaged and left out, and with HS_OK what else is
	 * worth saying, during hs_import_write().  NULL: they are only counted. */
	void (*report)(void *to, const struct hs_error *what);
	/** Asked now and then during hs_import_write(): give up?  NULL: no. */
	bool (*stop)(void *to);
	void *to; /**< the first argument of both */
};

struct hs_import;

/**
 * Open a file and see which format it has.
 * @param options  What it points to is kept until hs_import_close(); the program's files are read.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No such format; a log of another one; a file of code of another kind; an
 *                      xlen that is neither 32 nor 64; "--signal" names no signal; an FST file
 *                      that is standard input; members that this library lacks.
 * @retval HS_E_FORMAT  The file is empty, or has no lines of a format that is known.
 * @retval HS_E_NOCODE  The format has no opcodes, and no program was given.
 * @retval HS_E_SYSTEM  It cannot be read, or fst2vcd cannot be started.
 * @retval HS_E_MEMORY
 * Of files of code as hs_program_add_elf() and hs_program_add_raw().
 */
HS_API enum hs_status hs_import_open(const struct hs_import_options *options,
                                     struct hs_import **import, struct hs_error *error);
HS_API void hs_import_close(struct hs_import *import); /**< NULL is allowed */

/** "import FORMAT PATH": what the recording's manifest will say that made it.  Valid until
 * hs_import_close(). */
HS_API const char *hs_import_made_by(const struct hs_import *import);

/** What was imported. */
struct hs_import_result {
	bool is_log;           /**< the next five are of a log */
	uint64_t lines;        /**< taken */
	uint64_t ignored;      /**< of them, not of the log */
	uint64_t instructions; /**< retired */
	uint64_t traps;        /**< taken */
	uint32_t harts;
	bool has_code;         /**< the text has opcodes: */
	uint64_t code_changes; /**< times that an address had another one than before */
	uint64_t blocks, gaps; /**< written */
	uint64_t errors;       /**< damaged lines */
	const char *format;    /**< name of the format */
	const char *gap_cause; /**< what a gap in a flow of this format may come from; "" */
};

/**
 * Write the recording.  Once.
 * @param path  As of hs_rec_create(): it must not exist, or be a recording, which is replaced.
 * @param[out] result  Also written after an error, with what was taken until then.
 * @retval HS_OK        Damaged lines are no error: they are in @result and were reported.
 * @retval HS_E_CUT     The caller's stop() gave up; nothing is left of it.
 * @retval HS_E_NOTHING No execution is in the text; nothing is left of it.
 * @retval HS_E_SYSTEM  The text could not be read further, or a file not be written.
 * @retval HS_E_CONFIG  Waves have no port, or another directory is at @path.
 * @retval HS_E_MEMORY, HS_E_INTERNAL
 * After other errors the recording has what came before, and is marked as cut.
 */
HS_API enum hs_status hs_import_write(struct hs_import *import, const char *path,
                                      struct hs_import_result *result, struct hs_error *error);

/* ---- rows next to blocks ------------------------------------------------------------------ */

/** What one slot of a row of the ingress port retires: addresses from @iaddr to @end, which are the
 * same for a trap with which nothing retires. */
struct hs_port_group {
	uint64_t cycle; /**< of the file: its first row is 0 */
	uint64_t line;  /**< of the file, from 1 */
	uint64_t iaddr, end;
	unsigned slot;
};

/** The groups of a block, the first and the last. */
struct hs_port_span {
	struct hs_port_group first, last;
	bool any; /**< false: it has none */
};

/** A file of rows, as `export --format port-csv` writes it, read next to the blocks that a trace of
 * these rows leads to: both are in the order in which instructions retired. */
struct hs_port_rows;

/**
 * @param path  Kept.
 * @param xlen  Of the hart, 32 or 64.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  It cannot be read.
 * @retval HS_E_FORMAT  It has no rows in which something retires; and others for a line that is
 *                      none, with its number.
 * @retval HS_E_CONFIG  xlen is neither 32 nor 64.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_port_rows_open(const char *path, unsigned xlen, struct hs_port_rows **rows,
                                        struct hs_error *error);
HS_API void hs_port_rows_close(struct hs_port_rows *rows); /**< NULL is allowed */

/**
 * Take an item of the trace, in their order.
 * @param[out] out  The groups of a block, else none.
 * @retval HS_OK
 * @retval HS_E_DIFFERS      The rows are others than those that were traced.
 * @retval HS_E_UNSUPPORTED  The trace has several harts.
 * @retval HS_E_SYSTEM       The file cannot be read.
 * Others for a line that is no row, with its number.
 */
HS_API enum hs_status hs_port_rows_take(struct hs_port_rows *rows, const struct hs_block *item,
                                        struct hs_port_span *out, struct hs_error *error);

#ifdef __cplusplus
}
#endif
#endif
