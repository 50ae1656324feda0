/* Recording what a program or a machine executes under QEMU (hartscope record).
 *
 * Threads: hs_recorder_run() returns when the program has ended.  Any number of threads may call it
 * at the same time, but only one of these calls may have forward_signals.
 *
 * The library changes no signal disposition unless asked to, and writes nothing to standard output
 * or standard error.  While a program is recorded the soft limit of open files is the hard one; the
 * program has the caller's.  The caller must not ignore SIGCHLD, nor wait for children of any
 * process id meanwhile: the exit status of QEMU would be lost.
 */
#ifndef HARTSCOPE_RECORDER_H
#define HARTSCOPE_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/error.h>
#include <hartscope/recording.h>

#ifdef __cplusplus
extern "C" {
#endif

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
	uint8_t kind;    /**< enum hs_recorder_mark_kind */
	uint32_t count;  /**< how often it has to be reached; 0: once */
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
	uint32_t size;         /**< sizeof(struct hs_recorder_options) */
	bool exact_faults;     /**< know the instruction of every fault from the first block on;
	                            false: from when the program installs a handler for faults */
	bool forward_signals;  /**< while the program runs, handle SIGINT, SIGTERM, SIGHUP and
	                            SIGQUIT unless they are ignored: one sent by another process is
	                            forwarded to the program, and after the program's end it stops
	                            the wait for forked children.  The old handlers are back on
	                            return.  false: signals do what the caller has set up */
	const char *qemu; /**< emulator; NULL: qemu-riscv64 or qemu-riscv32, by the ELF file: that
	                            of PATH if it loads plugins, or one that qemu-user.sh built
	                            (hs_recorder_find_emulator()) */
	const char *plugin;    /**< path of the recorder plugin; NULL: $HARTSCOPE_PLUGIN, or in a
	                            folder near the running executable, where the build or the
	                            installation has it */
	const char *sysroot;   /**< QEMU's -L; NULL: /usr/riscv64-linux-gnu (or riscv32) if the
	                            program is dynamically linked and QEMU_LD_PREFIX is not set */
	uint8_t data;          /**< enum hs_recorder_data.  Of a machine accesses to memory and
	                            CSRs, of a program those to memory */
	uint8_t context;       /**< enum hs_recorder_context, of a machine */
	struct hs_recorder_mark from; /**< the recording begins with the instruction there, and with
	                            what other harts execute then; before it the program runs as
	                            fast as without a recorder */
	struct hs_recorder_mark to; /**< it ends before the instruction there, and the program
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
 * @retval HS_E_UNSUPPORTED It is built without plugins, or loads no recorder plugin.
 * @retval HS_E_SYSTEM      The emulator or the plugin is not found, or cannot be executed, or does
 *                          not end.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_recorder_find_emulator(const char *name,
                                                const struct hs_recorder_options *options,
                                                struct hs_recorder_emulator *emulator,
                                                struct hs_error *error);

#ifdef __cplusplus
}
#endif
#endif
