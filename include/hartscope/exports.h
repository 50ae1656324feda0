/* Flows for the tools of others: their calls and costs in formats that profilers read.
 *
 * Calls are those of the call stacks (stacks.h): exact through tail calls, longjmp, exceptions,
 * traps and coroutines.  A cost is a number of instructions that retired.  Formats that have a
 * time axis have a nanosecond for each instruction of the hart before, unless times are asked for.
 *
 * Threads: an export belongs to one thread at a time, together with its programs.
 */
#ifndef HARTSCOPE_EXPORTS_H
#define HARTSCOPE_EXPORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/call_tree.h>
#include <hartscope/error.h>
#include <hartscope/guest.h>
#include <hartscope/program.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

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
	uint32_t threads; /**< that may make texts of formats with a time axis, the caller's among
	                       them; 0 and 1: only that one.  The result is the same.  Each takes
	                       1 MB. */
	uint64_t interval; /**< bbv: instructions of an interval; 0: 100,000,000 */
};

/** What was exported. */
struct hs_export_report {
	uint64_t instructions;
	uint64_t calls;  /**< how often control came to a function */
	uint64_t unsure; /**< instructions while not every frame was sure (stacks.h) */
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

/** Follow blocks and events.  Memory grows with functions, lines and open calls, never with the
 * length of the flow.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  write() failed.
 * @retval HS_E_MEMORY
 * After an error only free it. */
HS_API enum hs_status hs_export_add(struct hs_export *x, const struct hs_block *blocks, size_t n);

/** The flow ends: calls that are open end here, too.  Results as hs_export_add(). */
HS_API enum hs_status hs_export_end(struct hs_export *x, struct hs_export_report *report);

#ifdef __cplusplus
}
#endif
#endif
