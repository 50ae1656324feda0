/* Counts of a run: what ran, how often, and where it led.
 *
 * One object is filled in one pass: hs_source_count() reads a source, and decides on how many
 * threads and whether blocks are written at all; hs_counts_add() takes blocks that the caller has.
 * What is known then is seen in views, hs_counts_get_...(), each of what hs_counts_options.what
 * asked for.
 * The order of blocks matters to none of them but to traps and the tree of calls.
 *
 * A block is counted by its address, length, end and mode, with whose it is (hart, context, process
 * or thread, as @by says) and which version of its code ran.
 *
 * Threads: counts belong to one thread at a time, with the programs and the guest that they were
 * given.
 */
#ifndef HARTSCOPE_COUNTS_H
#define HARTSCOPE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/image.h>
#include <hartscope/program.h>
#include <hartscope/source.h>
#include <hartscope/status.h>
#include <hartscope/views.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- coverage -----------------------------------------------------------------------
 *
 * Coverage: how often each function, source line and branch direction was executed.
 *
 * Takes blocks in any order, or how often each came: as counts of runs (memo.h), or as a tally of
 * parts (compare.h).  What is counted belongs to a program's own code: blocks of code that changed
 * while it ran are left out.
 *
 * A line's count is that of gcov: how often control came to the line from elsewhere, and how often
 * it went round within the line.  Lines are those that the line table has instructions of, so that
 * the brace at the end of a function is one, and a label is not.  Functions are cut into basic
 * blocks at targets of jumps, after jumps and after calls (design/coverage).  Where the compiler
 * marks the beginning of each statement, as GCC does when it optimises, lines are those on which
 * statements begin, and count there (design/coverage).
 *
 * Threads: an object belongs to one thread at a time, and so do the programs that it was given.
 */

/** A source file. */
struct hs_coverage_file {
	const char *path;
	size_t first_line, line_count; /**< of lines */
	size_t lines_executed;
	size_t branch_count, branches_both; /**< conditional branches; those seen both ways */
	size_t function_count, functions_executed;
};

/** A line that has instructions or statements. */
struct hs_coverage_line {
	size_t file; /**< index of files */
	int line;
	uint64_t count;  /**< how often it was executed */
	size_t function; /**< index of functions: one that has it */
	bool partial;    /**< one of its basic blocks was never executed */
};

/** A conditional branch. */
struct hs_coverage_branch {
	uint64_t address;
	uint64_t taken, not_taken;
	size_t file, function; /**< indices */
	int line; /**< the greatest of its basic block, as gcov has it; with marks of statements
	               its instruction's */
};

/** A function that has source lines. */
struct hs_coverage_function {
	const char *name;   /**< as people write it */
	const char *symbol; /**< as its file has it */
	uint64_t start, size;
	size_t file;         /**< index of files */
	int line, last_line; /**< where it begins, and the last line of that file that it has */
	uint64_t entries;    /**< how often it was entered at its start */
	size_t instructions, instructions_executed; /**< different ones */
	size_t blocks, blocks_executed;             /**< basic blocks */
	size_t branches, branches_both;             /**< conditional branches; seen both ways */
};

/** What was executed.  Each list is sorted: by file and line, branches then by address. */
struct hs_coverage_result {
	const struct hs_coverage_file *files;
	size_t file_count;
	const struct hs_coverage_line *lines;
	size_t line_count;
	const struct hs_coverage_branch *branches;
	size_t branch_count;
	const struct hs_coverage_function *functions;
	size_t function_count;
	size_t unlined, unlined_executed; /**< functions without source lines */
	uint64_t unmapped; /**< blocks whose code is not known: they count for nothing */
	/** Blocks of code that is in no file of the program, or not as it is there: it was made or
	 * changed at run time; likewise. */
	uint64_t foreign;
};

/** Names of the formats of hs_coverage_export(), with blanks: "lcov gcov-json cobertura". */
HS_API const char *hs_coverage_formats(void);

/**
 * Write a result for other tools: lcov (a tracefile, which genhtml and lcov read; branches by
 * direction, the not taken one first), gcov-json (as gcov --json-format, not compressed) or
 * cobertura (XML of coverage-04.dtd; conditions of a line are directions of its branches).
 * @param format  One of hs_coverage_formats().
 * @retval HS_OK
 * @retval HS_E_ARG     No such format.
 * @retval HS_E_SYSTEM  @write returned false.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_coverage_export(const struct hs_coverage_result *result,
                                         const char *format, hs_write_fn write, void *context);

/* ---- traps --------------------------------------------------------------------------
 *
 * Traps of a flow: how many by cause, modes and handler, and what ran inside of them.
 *
 * What runs inside a trap is from its handler's first instruction to the return that leads back to
 * where it struck; a trap inside of it counts apart.  A supervisor may change the context inside a
 * trap and return to another process: what follows belongs to the last open trap of that context.
 * A thread of a kernel runs in the context of the process before it, and counts there.
 *
 * Threads: a list of traps belongs to one thread at a time, together with its programs.
 */

struct hs_traps;

/** A trap of a user-mode program from which the flow goes on in the same mode: a kernel that is not
 * in the flow answered it. */
struct hs_trap_call {
	bool system_call; /**< the instruction is an ecall */
	bool has_number;  /**< with system_call: it is recorded, or the code says what is in a7 */
	bool signal;      /**< a handler of a signal begins, or it ended the program (ended) */
	bool ended;       /**< the flow ends with a fault: target is 0 */
	uint32_t number;  /**< of the system call */
	uint32_t signal_number; /**< 0: not known */
	const char *name;       /**< of the number, in Linux; NULL: none, or not known */
	const char *arguments; /**< of that call, a letter each: d, o: 32 bits, decimal or octal; l,
	                             n: a register, signed or not; f: a file, or AT_FDCWD
	                             (-100); s: address of text; x: in hexadecimal.  NULL: no
	                             name */
};

/** What a recording knows of a system call (HS_NOTE_CALL). */
struct hs_trap_values {
	bool known;           /**< number and arguments are */
	bool has_result;      /**< it returned */
	uint64_t argument[6]; /**< a0 to a5 before it; those that the call has no use for, too */
	int64_t result;       /**< a0 after it: in Linux -4095 to -1 are errors */
};

/** A trap. */
struct hs_trap_taken {
	uint64_t number;   /**< of the trap in the flow, from 0 */
	uint64_t at;       /**< instructions that its hart retired before it */
	uint64_t length;   /**< and from there until it returned, those of traps inside included */
	uint64_t epc;      /**< with has_epc: the address where it struck, which its return has */
	uint64_t value;    /**< with has_cause: trap value (xtval) */
	uint64_t target;   /**< address of the handler's first instruction */
	uint64_t time;     /**< with has_time: the last time of the hart before it */
	uint64_t duration; /**< with has_time: from there to the last time before it returned */
	const char *function; /**< where it struck; NULL: no symbol covers it, or not known */
	uint64_t offset;      /**< there, bytes from the function's start */
	const char *handler;  /**< function of the target; NULL: no symbol covers it */
	uint32_t hart;
	uint32_t cause;   /**< as in struct hs_trap_kind */
	uint8_t from, to; /**< enum hs_priv */
	bool interrupt, has_cause, has_epc, has_time;
	bool returned; /**< its return was seen, on its hart: length and duration are known */
	struct hs_trap_call call;     /**< of an environment call of a guest's user mode only
	                                   has_number, number, name and arguments */
	struct hs_trap_values values; /**< of call.system_call */
};

/** Traps of one kind. */
struct hs_trap_kind {
	bool interrupt;
	bool has_cause;        /**< the flow says the cause */
	uint32_t cause;        /**< without its interrupt bit; hs_trap_cause_name() */
	uint8_t from, to;      /**< enum hs_priv */
	const char *handler;   /**< function of the target; NULL: no symbol covers it */
	uint64_t target;       /**< address of the handler's first instruction; 0: a system call */
	uint64_t count;        /**< traps */
	uint64_t returned;     /**< of them, those whose return was seen */
	uint64_t instructions; /**< retired inside of them, without those of traps inside */
	const char *file;      /**< path of the file that has the handler; NULL: not known */
	bool own_file;         /**< that is the program's first, or the kernel */
	struct hs_trap_call call;
};

/** What was counted. */
struct hs_traps_result {
	const struct hs_trap_kind *kinds; /**< those with most instructions first */
	size_t count;
	uint64_t lone_returns; /**< returns that fit no trap, such as a new process's first */
	uint64_t forgotten;    /**< traps given as not returned because their context had 256 later
	                            ones that had not either: a return of theirs fits no trap */
};

/* ---- counts ------------------------------------------------------------------------- */

struct hs_counts;
struct hs_export;

/** What is counted, as bits. */
enum hs_counts_what {
	HS_COUNTS_PROFILE = 1, /**< instructions by function, mode and group */
	/** Calls, returns and traps by function.  Without it those that the events of a fast
	 * profile report, which has nothing else. */
	HS_COUNTS_CALLS = 2,
	HS_COUNTS_COVERAGE = 4, /**< functions, lines and branches that were executed (counts.h) */
	HS_COUNTS_CODE = 8,     /**< each instruction that ran */
	HS_COUNTS_JUMPS = 16,   /**< where jumps led whose target is not in the code */
	HS_COUNTS_HARTS = 32,   /**< a second profile, by hart */
	HS_COUNTS_TRAPS = 64,   /**< traps by kind, and each one: @trap */
	HS_COUNTS_TREE = 128    /**< who called whom, as paths: @call, @event */
};

/* ---- profiles --------------------------------------------------------------------------- */

/** What functions and groups are counted by. */
enum hs_profile_by {
	HS_PROFILE_BY_NOTHING = 0, /**< a function once, in whatever process; no groups */
	HS_PROFILE_BY_PROCESS = 1, /**< each process: by the guest, else each context */
	HS_PROFILE_BY_HART = 2,
	HS_PROFILE_BY_MODE = 3, /**< the groups are the modes; functions as with nothing */
	/** Each thread, where the guest knows which one runs; else as by
	 * process. */
	HS_PROFILE_BY_THREAD = 4
};

/** A function and what ran in it. */
struct hs_profile_function {
	const char *name;      /**< NULL: no symbol covers these instructions */
	uint64_t start;        /**< address; 0 without a name */
	uint64_t instructions; /**< retired */
	uint64_t entries;      /**< blocks that begin with its first instruction */
	uint32_t group;        /**< by process, thread or hart: whose it is, number of its group */
	uint64_t ends[16];     /**< blocks that end in it, by enum hs_itype */
	const char *symbol;    /**< as its file has it; NULL */
	const char *file;      /**< path of the file that has the code; NULL: not known */
	bool own_file;         /**< that is the program's first, or the kernel */
};

/** A privilege mode and what ran in it. */
struct hs_profile_mode {
	uint64_t instructions; /**< retired */
	uint64_t ends[16];     /**< blocks, by the enum hs_itype of their end */
};

/** A process, hart or mode and what ran in it. */
struct hs_profile_group {
	uint32_t number;                  /**< of the group, for functions */
	const struct hs_guest_task *task; /**< NULL: the guest does not know who */
	uint64_t context; /**< with has_context: by process or thread, the first of its own */
	bool has_context;
	uint32_t hart;         /**< by hart: its number */
	uint8_t priv;          /**< by mode: enum hs_priv */
	uint64_t instructions; /**< retired */
	uint64_t blocks;
	uint64_t ends[16]; /**< blocks by the enum hs_itype of their end */
	uint64_t switches; /**< by process or thread: changes to it */
};

/** Data accesses that were traced. */
struct hs_profile_data {
	uint64_t loads, stores, atomics, csrs; /**< a split access counts once */
	uint64_t loaded, stored;               /**< bytes; atomics count as both */
};

/** What was counted. */
struct hs_profile_result {
	uint64_t instructions; /**< retired */
	uint64_t halfwords;    /**< retired, units of 16 bits */
	uint64_t blocks;
	uint64_t distinct;
	/**< different blocks; where blocks differ only in how they end, or in
	                            their mode, one.  An upper bound above a million */
	uint64_t unmapped;   /**< blocks whose code is not known, wholly or at their end: the
	                            instructions from there on are not counted */
	uint64_t ends[16];   /**< blocks by the enum hs_itype of their end */
	uint64_t events[32]; /**< events by enum hs_kind */
	struct hs_profile_mode modes[8]; /**< by enum hs_priv */
	struct hs_profile_data data;
	const struct hs_profile_function *functions; /**< the hottest first */
	size_t function_count;
	uint64_t lone_traps[3]; /**< HS_KIND_TRAP without a block, by its itype, 1 or 2 */
	uint64_t unseen[2];     /**< HS_KIND_UNSEEN: how many, by enum hs_unseen */
	uint64_t notifications; /**< HS_KIND_SYNC for a trace event or trigger, SYNC 6 */
	const struct hs_profile_group *groups; /**< the hottest first */
	size_t group_count;
};

/* ---- calls ------------------------------------------------------------------------------ */

/** A function. */
struct hs_calls_function {
	const char *name; /**< NULL: no symbol covers the address */
	uint64_t start;   /**< address; 0 without a name */
	uint64_t calls;   /**< that led to it (itype 8, 9, 12) */
	uint64_t returns; /**< to it, from functions and from traps (itype 13, 3) */
	uint64_t traps;   /**< exceptions and interrupts that led to it (itype 1, 2) */
	const char *file; /**< path of the file that has it; NULL: not known */
	bool own_file;    /**< that is the program's first, or the kernel */
};

/** Calls from one function to another. */
struct hs_calls_edge {
	size_t caller, callee; /**< indices of functions */
	uint64_t calls;
	uint64_t inferred;
	/**< of them: a fast profile did not report the source, so that the caller
	                        is the function of the target before; after a tail call it is not */
};

/** Calls of a flow. */
struct hs_calls_result {
	uint64_t calls, returns, traps;            /**< in all */
	const struct hs_calls_function *functions; /**< the most called first */
	size_t function_count;
	const struct hs_calls_edge *edges; /**< the most frequent first */
	size_t edge_count;
};

/* ---- instructions, and functions by all of it --------------------------------------------- */

/** An instruction that ran. */
struct hs_counts_insn {
	uint64_t addr;
	struct hs_program *program;
	uint64_t count, taken, not_taken;  /**< the last two: of a branch */
	uint64_t target;                   /**< with has_target, of a direct jump */
	const char *label, *symbol, *file; /**< of its function, as in struct hs_guest_place */
	uint64_t start;                    /**< the same */
	const char *source;                /**< file; NULL: no line information */
	const char *inlined; /**< the innermost function that was inlined there; NULL: none was */
	int line;
	uint8_t hwords, kind; /**< enum hs_insn_kind */
	bool has_target, own_file;
	uint8_t bytes[HS_INSN_MAX];
};

/** Where a jump or a call led whose target is not in the code; returns are none. */
struct hs_counts_jump {
	uint64_t from, to; /**< addresses: of the jump, where it led */
	uint64_t count;
};

/** Instructions, and jumps if they were counted. */
struct hs_counts_code {
	const struct hs_counts_insn *insns; /**< by program and address */
	size_t insn_count;
	const struct hs_counts_jump *jumps; /**< by jump, the most frequent target first */
	size_t jump_count;
};

/** A function of a run: what ran in it by address, and what its calls did. */
struct hs_counts_function {
	const struct hs_profile_function *own; /**< NULL: no instruction of it ran */
	const struct hs_call_function *called; /**< NULL: no call led to it */
	const char *name;                      /**< NULL: no symbol */
	uint64_t self, total;                  /**< instructions in it, and in what it called */
	uint64_t calls;                        /**< how often control came to it */
	uint64_t self_time, total_time;
};

/** Functions of a run, with what they are made of. */
struct hs_counts_functions {
	const struct hs_counts_function *functions; /**< those with the most instructions first */
	size_t function_count;
	struct hs_profile_result profile;
	struct hs_call_tree_result tree;
	struct hs_call_graph_result graph;
};

/* ---- counting --------------------------------------------------------------------------- */

/** What to count. */
struct hs_counts_options {
	uint32_t size; /**< sizeof(struct hs_counts_options) */
	uint32_t
		what; /**< enum hs_counts_what, added up; 0 without @export_to: HS_COUNTS_PROFILE */
	uint8_t by;   /**< enum hs_profile_by, of functions and groups */
	/** Whose blocks these are: its program, programs and guest are those that are counted
	 * with.  It stays open as long as the counts are used.  NULL: the next three. */
	struct hs_source *source;
	struct hs_program *program;            /**< code and names; kept */
	const struct hs_program_set *programs; /**< the programs of contexts, or NULL; kept */
	struct hs_guest *guest; /**< names of functions and processes, or NULL; kept */
	/** An export to which the run is given, too (views.h); NULL. */
	struct hs_export *export_to;
	/** With HS_COUNTS_CODE: only instructions of functions with this name; kept.  NULL: all. */
	const char *function;
	bool inlined;     /**< and of copies of such functions that were inlined into others */
	uint32_t threads; /**< that hs_counts_get_coverage() may use, its caller's, too; 0 is 1 */
	/** With HS_COUNTS_TRAPS, as in struct hs_traps_options; NULL. */
	void (*trap)(void *to, const struct hs_trap_taken *trap);
	void *trap_to;
	uint32_t end_signal;
	/** With HS_COUNTS_TREE: when a call ends, and all that are open at the end, innermost
	 * first; NULL.  Where control changes to another stack, the calls that only one of both has
	 * end, and begin again when it is back.  Calls in more than 4,095 others are not given. */
	void (*call)(void *to, const struct hs_call *call);
	void *call_to;
	/** The same: at each HS_KIND_TIME and HS_KIND_GAP; NULL. */
	hs_call_event_fn event;
	void *event_to;
	/** With HS_COUNTS_TREE: keep what @call would be given for hs_counts_get_tree(); after it
	 * nothing is counted any more.  40 bytes of memory for each call. */
	bool keep_calls;
	/** With @call: what was inlined into the calls; NULL.  Code that changed while it ran has
	 * nothing. */
	hs_inlined_run_fn inlined_run;
	void *inlined_run_to;
};

/**
 * Start counting.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No source or program, or no such @by or @what; members that this library
 *                      lacks.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_counts_new(const struct hs_counts_options *options,
                                    struct hs_counts **counts);
HS_API void hs_counts_free(struct hs_counts *counts); /**< NULL is allowed */

/** Count blocks and events, in their order.
 * @retval HS_OK
 * @retval HS_E_MEMORY  Only free it now.
 * @retval HS_E_SYSTEM  The export's write() failed. */
HS_API enum hs_status hs_counts_add(struct hs_counts *counts, const struct hs_block *blocks,
                                    size_t n);

/**
 * Count all items of a source, from where it stands: at its start, unless it was read.  What is
 * counted is the same whatever hs_source_options.threads says.
 * @param look  Errors, and now and then some of the items, after they were counted: its @take
 *              need not get all of them, and with n 0 none.  NULL: nobody looks.
 * @retval HS_OK        To its end.
 * @retval HS_MORE      @look wanted no more.
 * @retval HS_E_MEMORY  Only free @counts now.
 * @retval HS_E_SYSTEM  The export's write() failed.
 * Afterwards hs_source_rewind() reads the source again, with all items.
 */
HS_API enum hs_status hs_source_count(struct hs_source *source, struct hs_counts *counts,
                                      const struct hs_taker *look);

/** Instructions by function, mode and group.  The arrays of a view are valid until the same view is
 * made again; hs_counts_get_functions() makes those of the profile, the tree and the graph.
 * @retval HS_OK
 * @retval HS_E_ARG     It was not counted.
 * @retval HS_E_MEMORY  Only free it now. */
HS_API enum hs_status hs_counts_get_profile(struct hs_counts *counts,
                                            struct hs_profile_result *result);
/** The same by hart, without functions: its groups are all harts that there were, those with the
 * most instructions first.  Results as hs_counts_get_profile(). */
HS_API enum hs_status hs_counts_get_harts(struct hs_counts *counts,
                                          struct hs_profile_result *result);
/** Calls, returns and traps by function.  Results as hs_counts_get_profile(). */
HS_API enum hs_status hs_counts_get_calls(struct hs_counts *counts, struct hs_calls_result *result);
/** What was executed, and all that was not.  Results as hs_counts_get_profile(). */
HS_API enum hs_status hs_counts_get_coverage(struct hs_counts *counts,
                                             struct hs_coverage_result *result);
/** Instructions and jumps; then nothing can be counted any more.  Results as
 * hs_counts_get_profile(). */
HS_API enum hs_status hs_counts_get_code(struct hs_counts *counts, struct hs_counts_code *result);
/** Traps by kind; those that are still open are given to @trap before.  Results as
 * hs_counts_get_profile(). */
HS_API enum hs_status hs_counts_get_traps(struct hs_counts *counts, struct hs_traps_result *result);
/** The tree of calls; all that are open end.  Results as hs_counts_get_profile(). */
HS_API enum hs_status hs_counts_get_tree(struct hs_counts *counts,
                                         struct hs_call_tree_result *result);
/** Functions by the tree of calls, and who called whom.  Results as hs_counts_get_profile(). */
HS_API enum hs_status hs_counts_get_graph(struct hs_counts *counts,
                                          struct hs_call_graph_result *result);
/** Functions by the profile and by the tree of calls, which both were counted.  Results as
 * hs_counts_get_profile(). */
HS_API enum hs_status hs_counts_get_functions(struct hs_counts *counts,
                                              struct hs_counts_functions *result);

/**
 * Instructions of a damaged trace that nothing confirms: those of each hart between the last
 * message that said where it was (a synchronisation) and a gap.  A gap where the encoder reports a
 * loss, or where the trace ends inside a message, is none.
 *
 * A trace with such gaps is read again, as far as the last one, after hs_source_count(), or after
 * hs_tally_apply() of all of its parts: the last thing that is done with its source.
 * @retval HS_OK
 * @retval HS_E_ARG          There is no source, or no profile, code, harts or coverage was counted.
 * @retval HS_E_SYSTEM       Standard input cannot be read again.
 * @retval HS_E_UNSUPPORTED  It has such gaps and is no trace, or its code has several moments.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_counts_get_unproven(struct hs_counts *counts, uint64_t *instructions);

#ifdef __cplusplus
}
#endif
#endif
