/* Processes and threads of a guest's system, made of its perf.data or recording;
 * <hartscope/program.h> has what is read of them. */
#ifndef HS_GUEST_GUEST_H
#define HS_GUEST_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/program.h>

/* ---- files ------------------------------------------------------------------------------ */

/** Start an empty guest. @retval HS_OK @retval HS_E_MEMORY */
enum hs_status hs_guest_new(struct hs_guest **g);
void hs_guest_free(struct hs_guest *g); /**< NULL is allowed */
/** Set how names are found and shown; before hs_guest_add().  Its debug_dirs stay the caller's
 * until hs_guest_free().
 * @retval HS_OK
 * @retval HS_E_CONFIG  Members that this library lacks. */
enum hs_status hs_guest_set_names(struct hs_guest *g, const struct hs_name_options *options);

/**
 * Read a file, or the files of a directory.  Before hs_guest_settle().
 * @retval HS_OK
 * @retval HS_E_SYSTEM  It cannot be opened or read.
 * @retval HS_E_FORMAT  It is not what its kind says, or damaged; the text has the line.
 * @retval HS_E_CONFIG  All its addresses are 0: the guest hid them (kptr_restrict).
 * @retval HS_E_ARG     No kind has this number.
 * @retval HS_E_MEMORY
 */
enum hs_status hs_guest_add(struct hs_guest *g, const struct hs_guest_file *file,
                            struct hs_error *error);

/** What happened to a process. */
enum hs_guest_event {
	HS_GUEST_EXEC,  /**< it is new, or executes another program; name */
	HS_GUEST_NAME,  /**< it has another name; name */
	HS_GUEST_FORK,  /**< it is a copy of @parent */
	HS_GUEST_EXIT,  /**< it ended */
	HS_GUEST_MAP,   /**< it mapped a file; start, size, offset, file */
	HS_GUEST_SWITCH /**< @hart runs its thread @tid from now on; tid 0: not known who */
};

/** A line of a process map, for readers of other formats. */
struct hs_guest_record {
	uint32_t size; /**< sizeof(struct hs_guest_record) */
	enum hs_guest_event event;
	uint32_t pid, tid; /**< as the guest's kernel has them; tid 0: the process's first thread */
	uint32_t parent;   /**< HS_GUEST_FORK: pid */
	bool has_context;  /**< the process is in @context, from here on */
	bool has_moment;   /**< it happened at @moment, in units of HS_KIND_TIME */
	uint64_t context, moment;
	const char *name;       /**< copied */
	const char *file;       /**< path in the guest; copied */
	uint64_t start, length; /**< address and bytes of the mapping */
	uint64_t offset;        /**< in the file */
	bool has_time;          /**< it happened at @time of perf's clock, in nanoseconds */
	bool has_hart;          /**< it happened on @hart */
	uint64_t time;
	uint32_t hart;
	uint32_t parent_tid; /**< HS_GUEST_FORK of a thread: the thread that made it; 0: @parent */
};

/**
 * Say how times belong together; without it switches are not used.  Before hs_guest_observe().
 * @retval HS_OK
 * @retval HS_E_ARG  The multiplier is 0, or the shift too large.
 */
enum hs_status hs_guest_set_clock(struct hs_guest *g, const struct hs_guest_clock *clock);

/**
 * Add a record, in the order in which things happened.  Before hs_guest_settle().
 * @retval HS_OK
 * @retval HS_E_ARG     No event has this number; a mapping is empty, or ends past 2^64.
 * @retval HS_E_CONFIG  @record has unknown members that are not zero.
 * @retval HS_E_MEMORY
 */
enum hs_status hs_guest_add_record(struct hs_guest *g, const struct hs_guest_record *record);

/* ---- the code that ran ------------------------------------------------------------------ */

/** Where the bytes of the blocks are. */
struct hs_guest_code {
	const struct hs_image *image; /**< code of the flow; NULL: not known */
	const struct hs_image_set *contexts; /**< code of contexts, in place of it; NULL: none has
	                                          its own */
	/** The code that a HS_KIND_VERSION names in its arg; NULL: the flow has no such item. */
	enum hs_status (*version)(const void *from, uint32_t number, struct hs_section *code);
	const void *from;
};

/**
 * See items of a flow, in their order: blocks, contexts, harts, versions of code.  Before
 * hs_guest_settle().
 * @param code  The same in each call.  Its bytes are copied where they are new.
 * @retval HS_OK
 * @retval HS_E_MEMORY
 */
enum hs_status hs_guest_observe(struct hs_guest *g, const struct hs_guest_code *code,
                                const struct hs_block *items, size_t n);

/**
 * Compare the files with the code that ran.
 * @retval HS_OK        Also where files are refused: see hs_guest_note().
 * @retval HS_E_MEMORY
 */
enum hs_status hs_guest_settle(struct hs_guest *g, struct hs_error *error);

/* ---- questions -------------------------------------------------------------------------- */

/** File and function of an address.  Always fills @place; true if anything is known. */
bool hs_guest_find_place(struct hs_guest *g, const struct hs_guest_at *at, uint64_t addr,
                         struct hs_guest_place *place);

/** The process in the context; NULL: nothing is known. */
const struct hs_guest_task *hs_guest_find_task(struct hs_guest *g, const struct hs_guest_at *at);

/** The thread that runs: by the switches of its hart (HS_GUEST_SWITCH), by a context that is a
 * thread's number; else as hs_guest_find_task(), with tid 0. */
const struct hs_guest_task *hs_guest_find_thread(struct hs_guest *g, const struct hs_guest_at *at);

/** Source line of an address.  Always fills @line; true if it is known. */
bool hs_guest_find_line(struct hs_guest *g, const struct hs_guest_at *at, uint64_t addr,
                        struct hs_guest_line *line);

#endif
