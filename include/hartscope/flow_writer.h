/* Flows: what a source has, as a recording on disk (recording.h).
 *
 *   struct hs_flow_options o = { .size = sizeof(o), .path = "app.flow", .source = source };
 *
 *   if (hs_flow_create(&o, &flow, &error) == HS_OK && hs_flow_read(flow, &error) == HS_OK)
 *           hs_flow_finish(flow, HS_FLOW_WHOLE, "end of the trace", &error);
 *
 * Threads that decode the source (hs_source_options.threads) prepare what is written; the flow is
 * the same, byte for byte.  A flow belongs to one thread at a time, as its source.
 */
#ifndef HARTSCOPE_FLOW_WRITER_H
#define HARTSCOPE_FLOW_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/error.h>
#include <hartscope/source.h>

#ifdef __cplusplus
extern "C" {
#endif

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
	void *to; /**< the first argument of both */
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
