/* A run as people and other tools see it: call stacks, trees and graphs of calls, exports,
 * listings, and a server for debuggers.
 */
#ifndef HARTSCOPE_VIEWS_H
#define HARTSCOPE_VIEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/program.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- call stacks --------------------------------------------------------------------
 *
 * Calls of a flow: which functions are open after each block, the paths of calls as a tree and as a
 * graph, and both in the formats of other tools.
 *
 *   hs_stacks_new(&options, &stacks);
 *   hs_stacks_follow(stacks, &block, &step);
 *   frames = hs_stacks_frames(stacks, &count);
 */

/* ---- call stacks --------------------------------------------------------------------
 *
 * Call stacks of a flow: which functions are open, from where control went.
 *
 * A call opens a frame, and the return that leads after the call closes it.  Everything else that
 * moves control between functions is followed by where it arrives: tail calls replace a frame;
 * longjmp() arrives where a setjmp() returned before; an exception arrives at a landing pad of a
 * frame whose pending call it has in its table (.gcc_except_table); a trap or a signal opens a
 * frame, and what leads back to where it struck closes it; a switch between coroutines or tasks
 * arrives where another stack waits, and that stack is the current one from then on.
 *
 * A trace has no stack pointer.  So two things cannot be known: which of several stacks goes on
 * that wait at the same address with different callers, and to which of several frames of one
 * function, called from the same place, a longjmp() leads.  Then the one that waits longest, and
 * the innermost frame, are taken, and hs_stack_step says that it is not sure.
 *
 * A flow that begins in the middle, or goes on after a gap, begins with one frame whose caller is
 * not known (HS_FRAME_FOUND); returns from it find its callers.  Other stacks may wait then of
 * which the flow has nothing: after each switch to a stack that waits, only the functions which
 * control reached since are sure.
 *
 * Threads: an object belongs to one thread at a time, and so do the programs that it was given.
 */

struct hs_stacks;

/** Why a frame is open. */
enum hs_frame_how {
	HS_FRAME_FOUND,  /**< the flow began inside of it: its caller is not known */
	HS_FRAME_CALL,   /**< it was called */
	HS_FRAME_TRAP,   /**< an exception or interrupt led to it */
	HS_FRAME_SIGNAL, /**< a handler of a signal */
	HS_FRAME_START   /**< the first one of a coroutine, or of a flow that begins with it */
};

/** An open function. */
struct hs_stack_frame {
	const char *name; /**< of the function in which control is; NULL: no symbol covers it */
	uint64_t start;   /**< address of that function; without a name that where control came */
	uint64_t size;    /**< its bytes; 0 without a name */
	const char *file; /**< path of the file that has it; NULL: not known */
	uint64_t resume;  /**< where a return from the frame leads, with has_resume */
	uint64_t tag;     /**< yours: 0 in a new frame, kept until it ends */
	uint8_t how;      /**< enum hs_frame_how */
	uint8_t mode;     /**< enum hs_priv: of a trap, the mode in which it struck */
	bool has_resume;
	bool own_file; /**< @file is the program's first, or the kernel */
	bool tail;     /**< a tail call led to the function in which control is */
	uint8_t role;  /**< private */
};

/** What happened before a block to the current stack.  With HS_STACK_SWITCH and HS_STACK_START look
 * at all frames. */
struct hs_stack_step {
	uint32_t move;   /**< enum hs_stack_move */
	uint32_t closed; /**< frames that ended, innermost first */
	uint32_t opened; /**< then frames that began */
	bool sure;       /**< false: the texts at the top of this file apply */
};

/** What to follow. */
struct hs_stacks_options {
	uint32_t size;                         /**< sizeof(struct hs_stacks_options) */
	struct hs_program *program;            /**< names and landing pads; kept */
	const struct hs_program_set *programs; /**< the programs of contexts, or NULL; kept */
	struct hs_guest *guest;                /**< names of functions, or NULL; kept */
};

/**
 * Start.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No program; members that this library lacks.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_stacks_new(const struct hs_stacks_options *options,
                                    struct hs_stacks **stacks);
HS_API void hs_stacks_free(struct hs_stacks *stacks); /**< NULL is allowed */

/**
 * Follow a block or an event.
 * @param[out] step  What happened before the block's first instruction.  Of an event nothing:
 *                   zero.  Kept are the newest frames of a stack, 2,097,152 at least; what is
 *                   older may be dropped.
 * @retval HS_OK
 * @retval HS_E_MEMORY  Only free it now.
 */
HS_API enum hs_status hs_stacks_follow(struct hs_stacks *stacks, const struct hs_block *block,
                                       struct hs_stack_step *step);

/**
 * The frames of the hart that the flow is in, outermost first.
 * @param[out] count  How many; 0 before the hart's first block.
 * @return The frames, valid until the next call with @stacks; their tags may be written.
 */
HS_API struct hs_stack_frame *hs_stacks_frames(struct hs_stacks *stacks, size_t *count);

/* ---- trees and graphs of calls ------------------------------------------------------
 *
 * Who called whom, how often, and how many instructions that took: the paths of the call stacks of
 * a flow as a tree, and the same without paths as a graph.  hs_source_count() makes
 * both (counts.h).
 *
 * A node is a function on a path from an outermost function.  A tail call counts as a call by the
 * caller of the function that ended.  What runs before a caller is known (the flow begins in the
 * middle) has its innermost function as an outermost one.
 *
 * In the graph recursion counts once: what a function's inner call took is a part of what its outer
 * call did, and is not added again; the same for calls of one function by another.
 */

/** A function on a path. */
struct hs_call_node {
	const char *name; /**< NULL: no symbol covers it */
	const char *file; /**< path of the file that has it; NULL: not known */
	uint64_t start; /**< address of the function; without a name, where it was entered first */
	uint64_t calls; /**< how often control came to it on this path; with HS_FRAME_FOUND, how
	                      often it was found there */
	uint64_t self;  /**< instructions that retired in it */
	uint64_t total; /**< and in what it called */
	uint64_t self_time;  /**< time that passed in it, units of HS_KIND_TIME: where times are
	                          rarer than blocks, as samples have it */
	uint64_t total_time; /**< and in what it called */
	uint32_t parent;     /**< number of the caller's node; UINT32_MAX: outermost */
	uint32_t depth;      /**< 0: outermost */
	uint8_t how;         /**< enum hs_frame_how */
	bool own_file;       /**< @file is the program's first, or the kernel */
};

struct hs_call;

/** The tree. */
struct hs_call_tree_result {
	const struct hs_call_node *nodes; /**< each after its caller; of one caller those with the
	                                       most instructions first */
	size_t count;
	uint64_t instructions; /**< in all */
	uint64_t unsure;       /**< of them, while not every frame was sure */
	uint64_t time;         /**< in all; 0: the flow has none */
	bool full;             /**< there were more paths than nodes */
	const uint32_t *place; /**< of struct hs_call.node: which of @nodes it is */
	uint64_t forgotten;    /**< frames that had no room (hs_stacks_follow()) */
	/** With hs_counts_options.keep_calls, in the order of their ends; their node is which of
	 * @nodes it is. */
	const struct hs_call *calls;
	size_t call_count;
};

/** A call that ended. */
struct hs_call {
	uint64_t start; /**< instructions that its hart retired before it */
	uint64_t end;   /**< and until it ended, all that it called included */
	uint32_t node;  /**< number that hs_call_tree_result.place has */
	uint32_t depth; /**< of its frame; 0: outermost */
	uint32_t hart;  /**< of its end */
	uint8_t mode;   /**< enum hs_priv, of its first block */
	bool again;     /**< it went on: control was on another stack or hart before @start */
};

/** A time or a gap among calls: @item is of @hart, which retired so many instructions before it. */
typedef void (*hs_call_event_fn)(void *to, const struct hs_block *item, uint32_t hart,
                                 uint64_t retired);

/** Instructions of one hart, one after the other in one call, all of one function that was inlined
 * into that of the call.  What the call calls is in no run. */
struct hs_inlined_run {
	uint64_t start;       /**< instructions that the hart retired before it */
	uint64_t end;         /**< and until it ended */
	const char *function; /**< the innermost one there; equal names are one text, which lives
	                           as long as the programs */
	uint32_t depth;       /**< of the call */
	uint32_t hart;
	uint8_t mode; /**< enum hs_priv, of its first block */
};

/** Such a run ended. */
typedef void (*hs_inlined_run_fn)(void *to, const struct hs_inlined_run *run);

/* ---- without paths ---------------------------------------------------------------------- */

/** A function. */
struct hs_call_function {
	const char *name;    /**< NULL: all code of @file that no symbol covers */
	const char *file;    /**< path of the file that has it; NULL: not known */
	uint64_t start;      /**< its address; 0 without a name */
	uint64_t calls;      /**< how often control came to it; not where it was only found in it
	                          (HS_FRAME_FOUND): a flow that begins there, a stack that was not
	                          followed */
	uint64_t self;       /**< instructions that retired in it */
	uint64_t total;      /**< and in what it called, recursion once */
	uint64_t self_time;  /**< as in struct hs_call_node */
	uint64_t total_time; /**< and in what it called, recursion once */
	bool recursive;      /**< it was called while it was open */
	bool own_file;       /**< @file is the program's first, or the kernel */
};

/** Calls of a function by another, or by none. */
struct hs_call_edge {
	uint32_t caller;     /**< number of its function; UINT32_MAX: it is an outermost one */
	uint32_t callee;     /**< number of its function */
	uint64_t calls;      /**< as in struct hs_call_function */
	uint64_t total;      /**< instructions in these calls, recursion once */
	uint64_t total_time; /**< the same as time */
};

/** The graph of a tree. */
struct hs_call_graph_result {
	const struct hs_call_function *functions; /**< in the order of their first node */
	size_t function_count;
	const struct hs_call_edge *edges; /**< in the order of their first node */
	size_t edge_count;
	const uint32_t *function_of; /**< of each node of the tree: number of its function */
};

/* ---- exports ------------------------------------------------------------------------
 *
 * Flows for the tools of others: their calls and costs in formats that profilers read.
 *
 * Calls are those of the call stacks: exact through tail calls, longjmp, exceptions,
 * traps and coroutines.  A cost is a number of instructions that retired.  Formats that have a
 * time axis have a nanosecond for each instruction of the hart before, unless times are asked for.
 *
 * Threads: an export belongs to one thread at a time, together with its programs.
 */

struct hs_export;

/** A format. */
struct hs_export_format {
	const char *name;
	const char *text; /**< what it is for, one line */
	bool needs_path;  /**< hs_export_options.path is needed, in place of write() */
	bool is_folder; /**< with needs_path: that is a folder, which is made where there is none */
};

/** The formats by number, 0 and on. @return NULL past the last. */
HS_API const struct hs_export_format *hs_export_format_at(size_t index);

/** A place of a hart on the time axis of an export, where an instruction is a nanosecond. */
struct hs_export_place {
	uint64_t retired; /**< instructions of the hart before it; 0 of its first place */
	uint64_t at;      /**< nanoseconds, no less than by the place before */
	uint32_t hart;
};

/** What to export and how. */
struct hs_export_options {
	uint32_t size;                         /**< sizeof(struct hs_export_options) */
	uint32_t depth;                        /**< levels of calls; what is deeper counts for the
	                                            function at the last one; 0: all */
	const char *format;                    /**< name of a format */
	const char *title;                     /**< what was recorded; NULL: not known */
	struct hs_program *program;            /**< code and names; kept */
	const struct hs_program_set *programs; /**< the programs of contexts, or NULL; kept */
	struct hs_guest *guest;                /**< names of functions, or NULL; kept */
	hs_write_fn write;                     /**< takes the file, in pieces */
	void *context;                         /**< of @write */
	const char *path;                      /**< of formats that need one: an empty file or
	                                            folder, or none yet */
	uint64_t clock_hz;                     /**< ticks of HS_KIND_TIME in a second: the time axis
	                                            has them; 0: it has instructions */
	uint32_t threads;  /**< that may make texts of formats with a time axis, the caller's among
	                       them; 0 and 1: only that one.  The result is the same.  Each takes
	                       1 MB. */
	uint64_t interval; /**< bbv: instructions of an interval; 0: 100,000,000 */
	/** Of harts that are not to begin at 0, by hart and then by instructions; without
	 * @clock_hz.  Kept. */
	const struct hs_export_place *places;
	size_t place_count;
};

/** What was exported. */
struct hs_export_report {
	uint64_t instructions;
	uint64_t calls;     /**< how often control came to a function */
	uint64_t unsure;    /**< instructions while not every frame was sure */
	uint64_t forgotten; /**< frames that had no room (hs_stacks_follow()) */
	uint64_t cut;       /**< instructions that count for a caller of their function: folded has
	                         512 levels of a path, and hs_export_options.depth is not less */
	bool full;          /**< folded: as hs_call_tree_result.full */
};

/**
 * Start.
 * @param[out] out  hs_export_free() it.
 * @retval HS_OK
 * @retval HS_E_ARG     There is no such format; the text has them all.
 * @retval HS_E_CONFIG  No program, no path where it is needed, or members that this library lacks.
 * @retval HS_E_SYSTEM  write() failed, or the file cannot be written.
 * @retval HS_E_UNSUPPORTED  The format needs a library that was not there when this one was built.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_export_new(const struct hs_export_options *options, struct hs_export **out,
                                    struct hs_error *error);
HS_API void hs_export_free(struct hs_export *x); /**< NULL is allowed */

/** The flow ends, whose blocks and events hs_counts_options.export_to brought: calls that are open
 * end here, too.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  write() failed.
 * @retval HS_E_MEMORY */
HS_API enum hs_status hs_export_end(struct hs_export *x, struct hs_export_report *report);

/* ---- listings -----------------------------------------------------------------------
 *
 * Listings: executed instructions and events as text, for people and for programs.
 *
 * Threads: a listing belongs to one thread at a time, and so do the programs and the disassembler
 * that it was given, unless hs_listing_options.threads says more.
 */

struct hs_listing;

enum hs_listing_format {
	HS_LISTING_TEXT = 0, /**< a line per instruction; a header where function or source line
	                          change */
	HS_LISTING_PC = 1,   /**< a PC per line: hexadecimal, lower case, no prefix; no events */
	HS_LISTING_JSON = 2, /**< an array of objects, one per line */
	HS_LISTING_LINES = 3 /**< the objects without the array: JSON lines */
};

/** What to list, and how.  Only program and write are required. */
struct hs_listing_options {
	uint32_t size; /**< sizeof(struct hs_listing_options) */
	enum hs_listing_format format;
	struct hs_program *program;            /**< kept */
	const struct hs_program_set *programs; /**< the programs of contexts, or NULL; kept */
	struct hs_disasm *disasm; /**< NULL: instructions are shown as their bytes; kept */
	bool colour;              /**< text: with the escape sequences of a terminal */
	uint64_t skip;            /**< instructions left out at the start */
	uint64_t limit;           /**< instructions listed; 0: all */
	const char *function;
	/**< only instructions of this function, and no events; NULL: all;
	                                 kept */
	hs_write_fn write;
	void *context;          /**< for write */
	bool time;              /**< text: a column for the times of a clock (ingress.h), which
	                                 are next to the last instruction of each block.  Other
	                                 times are events */
	uint64_t clock_hz;      /**< ticks in a second; 0: times are in ticks */
	struct hs_guest *guest; /**< names of functions and processes, or NULL; kept */
	uint64_t before;        /**< instructions before the first one that will be given, of
	                                 which skip counts those */
	uint32_t threads;       /**< that may make text, the caller's among them; 0 and 1: only
	                                 that one.  What is written is the same.  More help where
	                                 all instructions are listed and neither a guest is given
	                                 nor code changes.  While a listing has them, the programs
	                                 and the disassembler are theirs up to hs_listing_end() or
	                                 hs_listing_free() (design/pool) */
	bool any_thread;        /**< write may be called by each of those threads, one at a time
	                                 and in order, which is faster; else it is called by the
	                                 caller's.  With others it may also be called while
	                                 hs_listing_free() waits for them (design/listing) */
	/** Only instructions that wrote to one of so many bytes from an address on, and no events,
	 * where data accesses are among the items; 0 bytes: all. */
	uint64_t written, written_size;
	bool numbers; /**< with written_size: say of each which instruction it is, counted from 0 */
	/** Text: how a function's name is shown; any of @threads may call it.  NULL: as it is. */
	void (*show_name)(char *to, size_t size, const char *name);
	/** Gets each data access whose instruction is known, with the name of its function and the
	 * path of the file that has it, each NULL where it is not known, in place of any text. */
	void (*accessed)(void *to, const char *function, const char *file,
	                 const struct hs_access *access);
	void *accessed_to;
};

/**
 * Start a listing.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No program, no write function or no such format; members that this library
 *                      lacks.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_listing_new(const struct hs_listing_options *options,
                                     struct hs_listing **listing);
HS_API void hs_listing_free(struct hs_listing *listing); /**< NULL is allowed */

/**
 * List blocks and events.  What a HS_KIND_PATH without blocks ends is not used after the call.
 * @retval HS_OK
 * @retval HS_END       The limit is reached; nothing more will be listed.
 * @retval HS_E_SYSTEM  The write function returned false.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_listing_add(struct hs_listing *listing, const struct hs_block *blocks,
                                     size_t n);

/** Write what is left, and the end of a JSON array.  Results as hs_listing_add(). */
HS_API enum hs_status hs_listing_end(struct hs_listing *listing);

/** Instructions so far, with those that were left out and those before the first one; with
 * function, only those of it. */
HS_STATIC uint64_t hs_listing_count(const struct hs_listing *listing);

/** Blocks so far whose code is not known, wholly or at their end. */
HS_API uint64_t hs_listing_unmapped(const struct hs_listing *listing);

/**
 * An event in words: one line without a newline, cut at @size with a terminator.
 * A trap's block says which kind of trap it is: give the event that block's itype.
 */
HS_API void hs_event_text(const struct hs_block *event, char *text, size_t size);

struct hs_source;

/* ---- debuggers ----------------------------------------------------------------------
 *
 * Flows for debuggers: a server of GDB's remote protocol whose target is a flow.
 *
 * The target runs forwards and backwards over the instructions that a flow has.  Of its registers
 * pc is known, and zero; all others are unavailable, and the server says so.  Memory is the code,
 * and what the program's files have in segments that cannot be written; nothing can be changed.
 * A thread of the target is a hart.  Each is at a place of its own.
 *
 * Monitor commands give the frames of the current thread, and places by number or by name
 * (docs/gdb.md, scripts/gdb/hartscope.py).
 *
 * Threads: a server belongs to one thread at a time, together with its source.
 */

struct hs_gdb_server;

/** What to serve. */
struct hs_gdb_server_options {
	uint32_t size;            /**< sizeof(struct hs_gdb_server_options) */
	bool one_hart;            /**< the source was opened for one hart */
	struct hs_source *source; /**< at its start, opened with places and names; kept, and read by
	                               the server only */
	const char *index; /**< path of what is served: NAME.idx next to it is its index, if it
	                        fits (docs/trace-index.md); NULL: none */
	hs_write_fn write; /**< takes what is sent to the debugger; false: it is gone */
	/** Asked while the target runs: does the debugger want it to stop (a byte 0x03 came)?
	 * NULL: never. */
	bool (*interrupted)(void *context);
	void *context; /**< of all */
	/** An error of @source (the one above, or its source of a hart), whose reason is
	 * hs_source_known(): damage, or what contradicts the program.  Blocks are missing
	 * there, and execution continues after it.  NULL: nobody wants to know. */
	void (*damaged)(void *context, const struct hs_error *error, struct hs_source *source);
};

/**
 * Start.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No source or no program; members that this library lacks.
 * @retval HS_E_NOCODE  The flow has no instruction whose code is known.
 * @retval HS_E_MEMORY
 * Other results as hs_source_get_harts().
 */
HS_API enum hs_status hs_gdb_server_new(const struct hs_gdb_server_options *options,
                                        struct hs_gdb_server **server, struct hs_error *error);
HS_API void hs_gdb_server_free(struct hs_gdb_server *server); /**< NULL is allowed */

/**
 * Take bytes of the debugger, cut anywhere, and answer them.  Memory does not grow with them: a
 * packet has at most 16,384 bytes, and a longer one is refused.
 * @retval HS_OK
 * @retval HS_END       The debugger detached or killed the target.
 * @retval HS_E_SYSTEM  write() failed.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_gdb_server_take(struct hs_gdb_server *server, const uint8_t *bytes,
                                         size_t n);

#ifdef __cplusplus
}
#endif
#endif
