/* Recordings that are made: by running a program or a machine under QEMU, of what another tool
 * wrote, or of what a source has.
 */
#ifndef HARTSCOPE_RECORD_H
#define HARTSCOPE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/program.h>
#include <hartscope/recording.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_source;

/* ---- record -------------------------------------------------------------------------
 *
 * Recording what a program or a machine executes under QEMU (hartscope record).
 *
 * Threads: hs_recorder_run() returns when the program has ended.  Any number of threads may call it
 * at the same time, but only one of these calls may have forward_signals.
 *
 * The library changes no signal disposition unless asked to, and writes nothing to standard output
 * or standard error.  While a program is recorded the soft limit of open files is the hard one; the
 * program has the caller's.  The caller must not ignore SIGCHLD, nor wait for children of any
 * process id meanwhile: the exit status of QEMU would be lost.
 */

/** Data accesses in a recording. */
enum hs_recorder_data {
	HS_RECORDER_DATA_NONE = 0,
	HS_RECORDER_DATA_ADDRESSES = 1, /**< address, size and kind of each access */
	HS_RECORDER_DATA_VALUES = 2     /**< and what was loaded and stored, as far as QEMU says */
};

/** What the events of context of a machine have: scontext (FORMAT 2, NT Table 12) and hcontext
 * (FORMAT 3), when they change. */
enum hs_recorder_context {
	HS_RECORDER_CONTEXT_SATP = 0,     /**< PPN of satp (of vsatp, where V is 1); VMID of hgatp,
	                                       0 where V is 0 */
	HS_RECORDER_CONTEXT_ASID = 1,     /**< ASID of satp (vsatp); VMID */
	HS_RECORDER_CONTEXT_MCONTEXT = 2, /**< PPN of satp (vsatp); mcontext */
	HS_RECORDER_CONTEXT_SCONTEXT = 3, /**< scontext and hcontext themselves: QEMU 10 has none */
	HS_RECORDER_CONTEXT_NONE = 4      /**< no events */
};

/** Where a recording begins, or ends. */
enum hs_recorder_mark_kind {
	HS_RECORDER_MARK_NONE = 0,
	HS_RECORDER_MARK_ADDRESS = 1, /**< value: the address of an instruction */
	HS_RECORDER_MARK_LINKED = 2,  /**< value: the same as the program's ELF file has it,
	                                   wherever it is loaded.  Of a machine: as ADDRESS */
	HS_RECORDER_MARK_INSN = 3,    /**< value: an instruction of 2 or 4 bytes, such as a
	                                   hint that does nothing else */
	HS_RECORDER_MARK_ECALL = 4    /**< an ecall with value in a7: a system call, or of the
	                                   supervisor an SBI extension */
};

struct hs_recorder_mark {
	uint8_t kind;   /**< enum hs_recorder_mark_kind */
	uint32_t count; /**< how often it has to be reached; 0: once */
	uint64_t value;
};

/**
 * Takes what a program executes while it does: blocks and events of a hart, canonical, in their
 * order, with HS_KIND_VERSION where code changed; those of
 * several harts as they come.  The program waits when it is far ahead.
 *
 * Called by threads of the recorder, one at a time.  Forked children are not given.
 *
 * @param rec  Open while the program runs: hs_rec_image() and hs_rec_code() of what it executed so
 *             far.  It must not be closed.
 * @param n    0: the hart has ended.
 * @return  false: nothing more is wanted; the program continues.
 */
typedef bool (*hs_recorder_take_fn)(void *to, const struct hs_rec *rec, uint32_t hart,
                                    const struct hs_block *blocks, size_t n);

/** How to record a program.  Zero is a good value of every member but size. */
struct hs_recorder_options {
	uint32_t size;        /**< sizeof(struct hs_recorder_options) */
	bool exact_faults;    /**< know the instruction of every fault from the first block on;
	                            false: from when the program installs a handler for faults */
	bool forward_signals; /**< while the program runs, handle SIGINT, SIGTERM, SIGHUP and
	                            SIGQUIT unless they are ignored: one sent by another process is
	                            forwarded to the program, and after the program's end it stops
	                            the wait for forked children.  The old handlers are back on
	                            return.  false: signals do what the caller has set up */
	const char *qemu;   /**< emulator; NULL: qemu-riscv64 or qemu-riscv32, by the ELF file: that
	                            of PATH if it loads plugins, or one that qemu-user.sh built
	                            (hs_recorder_find_emulator()) */
	const char *plugin; /**< path of the recorder plugin; NULL: $HARTSCOPE_PLUGIN, or in a
	                            folder near the running executable, where the build or the
	                            installation has it */
	const char *sysroot; /**< QEMU's -L; NULL: /usr/riscv64-linux-gnu (or riscv32) if the
	                            program is dynamically linked and QEMU_LD_PREFIX is not set */
	uint8_t data;        /**< enum hs_recorder_data.  Of a machine accesses to memory and
	                            CSRs, of a program those to memory */
	uint8_t context;     /**< enum hs_recorder_context, of a machine */
	struct hs_recorder_mark from; /**< the recording begins with the instruction there, and with
	                            what other harts execute then; before it the program runs as
	                            fast as without a recorder */
	struct hs_recorder_mark to;   /**< it ends before the instruction there, and the program
	                            continues as before */
	uint64_t keep_last; /**< bytes: of the compressed streams of all harts and processes keep
	                            the last so many in memory, and up to a quarter and 1 MiB a
	                            hart more; they are written when the program ends, however it
	                            does, or reaches @to.  The recording has no beginning where
	                            more was executed (hs_rec_info.skipped); 0: keep all */
	hs_recorder_take_fn take; /**< takes blocks; without @keep_last.  NULL: nothing does */
	void *take_to;            /**< the first argument of take */
	bool code_only;  /**< of the first process only the code that ran and the files that were
	                     mapped are written to the output: a recording of kind "code", without
	                     streams (for a trace that @take makes); without @keep_last */
	bool keep_older; /**< the recording that is replaced becomes @output with ".old", in place
	                      of the one that is there: HS_E_SYSTEM where that is no recording.
	                      false: it is removed */
};

/** How a recorded program ended. */
struct hs_recorder_result {
	int exit_status;       /**< 0..255, or 128 + signal, as a shell reports it */
	uint64_t instructions; /**< retired by all harts, children not counted */
	uint64_t bytes;        /**< on disk, children not counted */
	uint32_t harts;        /**< streams, children not counted */
	double seconds;        /**< from call to return */
	bool unwritten;        /**< a file could not be written, such as on a full disk */
};

/**
 * Run a program under QEMU and record what it executes.
 *
 * Input, output and working directory are the caller's.
 *
 * @param output   Directory of the recording; it must not exist, or be a recording, which is
 *                 replaced when the new one is whole: until then that is @output with ".new".
 *                 NULL: there is no recording; options.take is set.
 * @param argv     Program and arguments, NULL at the end.  qemu-system-riscv64 or -riscv32 (any
 *                 path) and its arguments: a whole machine; then exact_faults, qemu and sysroot
 *                 have no effect.
 * @param options  NULL: all zero.
 * @param[out] result  Always written.  exit_status is 127 when the program did not run.
 *
 * @retval HS_OK            The recording is complete, whatever the program's exit status.
 * @retval HS_E_CUT         The program or QEMU was killed, or the disk is full: what was
 *                          recorded can be read.  With a full disk an older recording stays, and
 *                          what was recorded is in @output with ".new".  Or a forked
 *                          child, or a part of one, could not be recorded; or a signal came
 *                          before the program began (forward_signals): then nothing is left.
 * @retval HS_E_ARG         argv[0] is NULL, or @output and options.take are.
 * @retval HS_E_CONFIG      @options: size is below 4, data, context or a mark's kind is none, or
 *                          members that this library does not know are not zero; take or
 *                          code_only with keep_last.
 * @retval HS_E_UNSUPPORTED Not a RISC-V program, or it is setuid or setgid; or the plugin is of
 *                          another version (HS_WIRE_VERSION): the program did not run.
 * @retval HS_E_SYSTEM      Program, QEMU or plugin not found; or no directory can be made; or
 *                          another directory is there, or another process writes it; or the
 *                          plugin shared no memory, or connected and sent nothing for 2 s.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_recorder_run(const char *output, char *const *argv,
                                      const struct hs_recorder_options *options,
                                      struct hs_recorder_result *result, struct hs_error *error);

/**
 * Find the file of which hs_recorder_run() would run the code: the program, as a shell finds it; of
 * a machine what -kernel names, or -bios without it.
 *
 * @param argv  As in hs_recorder_run().
 * @param[out] path  Its path, which ends with 0.
 *
 * @retval HS_OK
 * @retval HS_E_ARG         argv[0] is NULL.
 * @retval HS_E_SPACE       The path does not fit @size.
 * @retval HS_E_UNSUPPORTED Not a RISC-V program, or it is setuid or setgid.
 * @retval HS_E_SYSTEM      It is not found.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_recorder_find_file(char *const *argv, char *path, size_t size,
                                            struct hs_error *error);

/** An emulator that records. */
struct hs_recorder_emulator {
	char path[4096];
	char version[64];  /**< such as "10.0.13"; empty: it does not say */
	char plugin[4096]; /**< path of the recorder plugin for it */
	int32_t least;     /**< versions of QEMU's plugin interface that it takes, the first and */
	int32_t greatest;  /**< the last; -1: not known, because a plugin file is given */
};

/**
 * Find the emulator with which hs_recorder_run() would record, and the plugin that it loads.  It is
 * started a few times, without a program, for up to 10 s each; 5 to 30 ms are usual.
 *
 * @param name     "qemu-riscv64" or "qemu-riscv32", for programs: options.qemu, or the first that
 *                 loads a recorder plugin of PATH and of the folder in which qemu-user.sh keeps
 *                 what it builds ($HARTSCOPE_CACHE, $XDG_CACHE_HOME/hartscope or
 *                 ~/.cache/hartscope).  Or one of whole machines, with any path.
 * @param options  qemu and plugin of them; NULL: all zero.
 * @param[out] emulator  Always written; what is not known is empty.
 *
 * @retval HS_OK
 * @retval HS_E_ARG         @name is no emulator that records.
 * @retval HS_E_CONFIG      @options has unknown bytes that are not zero.
 * @retval HS_E_UNSUPPORTED It is built without plugins, or loads no recorder plugin.
 * @retval HS_E_SYSTEM      The emulator or the plugin is not found, or cannot be executed, or does
 *                          not end.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_recorder_find_emulator(const char *name,
                                                const struct hs_recorder_options *options,
                                                struct hs_recorder_emulator *emulator,
                                                struct hs_error *error);

/* ---- import -------------------------------------------------------------------------
 *
 * Import: a recording of what another tool wrote, which is the log of a simulator, an emulator or a
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

/* ---- flows --------------------------------------------------------------------------
 *
 * Flows: what a source has, as a recording on disk (recording.h).
 *
 *   struct hs_flow_options o = { .size = sizeof(o), .path = "app.flow", .source = source };
 *
 *   if (hs_flow_create(&o, &flow, &error) == HS_OK && hs_flow_read(flow, &error) == HS_OK)
 *           hs_flow_finish(flow, HS_FLOW_WHOLE, "end of the trace", &error);
 *
 * Threads that decode the source (hs_source_options.threads) prepare what is written; the flow is
 * the same, byte for byte.  A flow belongs to one thread at a time, as its source.
 */

/** What was written, without that of parts. */
struct hs_flow_counts {
	uint64_t blocks, gaps;
};

/** What is written and where.  Zero is a good value of every member but size and source. */
struct hs_flow_options {
	uint32_t size;    /**< sizeof(struct hs_flow_options) */
	uint32_t threads; /**< how many there are with the caller's.  More than 2: one more
	                       compresses and writes, so that a file that cannot be written is
	                       reported some 10^5 blocks later (design/pool, design/chunks) */
	const char *path; /**< it must not exist, or be a recording, which is replaced when the flow
	                       is whole; kept.  NULL: blocks are only counted */
	struct hs_source *source; /**< opened with versions; kept */
	const char *made_by;      /**< such as "decode trace.nt", for its manifest; NULL: nothing */
	bool bare;                /**< without the program's code and files: a part of a flow */
	/** Gets each error of the source, after which it goes on, and with HS_OK what else is worth
	 * saying.  NULL: nobody. */
	void (*report)(void *to, const struct hs_error *what);
	/** Asked after each batch of hs_flow_read(), with the number of items so far that did not
	 * come from other threads: give up?  NULL: no. */
	bool (*stop)(void *to, uint64_t items);
	void *to;                      /**< the first argument of both */
	struct hs_flow_counts *counts; /**< kept up to date until hs_flow_finish(); NULL */
};

struct hs_flow_writer;

/**
 * Begin a flow.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No source; members that this library lacks.
 * @retval HS_E_SYSTEM  A directory or file cannot be made, another directory is at @path, or
 *                      another process writes it.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_flow_create(const struct hs_flow_options *options,
                                     struct hs_flow_writer **flow, struct hs_error *error);

/**
 * Write all that the source has, from where it is to its end.
 * @retval HS_OK   Errors of the source were reported; the flow has gaps there.
 * @retval HS_E_CUT  The caller's stop() gave up.
 * Others as hs_flow_write().
 */
HS_API enum hs_status hs_flow_read(struct hs_flow_writer *flow, struct hs_error *error);

/**
 * Append blocks and events.  HS_KIND_HART selects the stream; before the first, it is hart 0.
 * @retval HS_OK
 * @retval HS_E_ARG     The source does not know the number of a HS_KIND_VERSION.
 * @retval HS_E_BLOCK   A block that breaks a rule of the ingress port even as the first one.
 * @retval HS_E_UNSUPPORTED  More than 4096 harts, or a hart above 65535.
 * @retval HS_E_SYSTEM  A file cannot be written; what was written before can be read.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_flow_write(struct hs_flow_writer *flow, const struct hs_block *items,
                                    size_t n, struct hs_error *error);

/**
 * Make another flow a part of this one: its streams continue those of the parts before it, and the
 * blocks that are written otherwise come before those of all parts.  Its files get a second name.
 * @param path  A flow on the same file system, without parts and without code that changes.
 * @retval HS_E_SYSTEM  It is no directory, or on another file system.
 * Others as hs_flow_write().
 */
HS_API enum hs_status hs_flow_add_part(struct hs_flow_writer *flow, const char *path,
                                       struct hs_error *error);

/** What becomes of a flow. */
enum hs_flow_end {
	HS_FLOW_WHOLE,  /**< it has all there was */
	HS_FLOW_CUT,    /**< it is marked as incomplete */
	HS_FLOW_DISCARD /**< it is removed; an older recording stays */
};

/**
 * Write what is left and the manifest, and free @flow, whatever the result.  NULL is allowed.
 * @param end  Why it ended, in words, unless it is discarded.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  A file could not be written; the flow is marked as cut.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_flow_finish(struct hs_flow_writer *flow, enum hs_flow_end how,
                                     const char *end, struct hs_error *error);

#ifdef __cplusplus
}
#endif
#endif
