/* Who called whom, how often, and how many instructions that took: the paths of the call stacks of
 * a flow (stacks.h) as a tree.
 *
 * A node is a function on a path from an outermost function.  A tail call counts as a call by the
 * caller of the function that ended.  What runs before a caller is known (the flow begins in the
 * middle) has its innermost function as an outermost one.
 *
 * Threads: a tree belongs to one thread at a time, and so do the programs that it was given.
 */
#ifndef HARTSCOPE_CALL_TREE_H
#define HARTSCOPE_CALL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/stacks.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_call_tree;

/** A function on a path. */
struct hs_call_node {
	const char *name; /**< NULL: no symbol covers it */
	const char *file; /**< path of the file that has it; NULL: not known */
	uint64_t start;  /**< address of the function; without a name, where it was entered first */
	uint64_t calls;  /**< how often control came to it on this path; with HS_FRAME_FOUND, how
	                      often it was found there */
	uint64_t self;   /**< instructions that retired in it */
	uint64_t total;  /**< and in what it called */
	uint64_t self_time;  /**< time that passed in it, units of HS_KIND_TIME: where times are
	                          rarer than blocks, as samples have it */
	uint64_t total_time; /**< and in what it called */
	uint32_t parent; /**< number of the caller's node; UINT32_MAX: outermost */
	uint32_t depth;  /**< 0: outermost */
	uint8_t how;     /**< enum hs_frame_how */
	bool own_file;   /**< @file is the program's first, or the kernel */
};

/** The tree. */
struct hs_call_tree_result {
	const struct hs_call_node *nodes; /**< each after its caller; of one caller those with the
	                                       most instructions first */
	size_t count;
	uint64_t instructions; /**< in all */
	uint64_t unsure;       /**< of them, while not every frame was sure (stacks.h) */
	uint64_t time;         /**< in all; 0: the flow has none */
	bool full;             /**< there were more paths than nodes */
	const uint32_t *place; /**< of struct hs_call.node: which of @nodes it is */
	uint64_t forgotten;    /**< frames that had no room (hs_stacks_follow()) */
};

/** A call that ended. */
struct hs_call {
	uint64_t start; /**< instructions that its hart retired before it */
	uint64_t end;   /**< and until it ended, all that it called included */
	uint32_t node;  /**< number that hs_call_tree_result.place has */
	uint32_t depth; /**< of its frame; 0: outermost */
	uint32_t hart;  /**< of its end */
	uint8_t mode;   /**< enum hs_priv, of its first block */
};

/** Start.  @return As hs_stacks_new(). */
HS_API enum hs_status hs_call_tree_new(const struct hs_stacks_options *options,
                                       struct hs_call_tree **tree);
HS_API void hs_call_tree_free(struct hs_call_tree *tree); /**< NULL is allowed */

/** Call @each, with @to, when a call ends; before blocks are added.  Where control changes to
 * another stack, the calls that only one of both has end, and begin again when it is back.  Calls
 * in more than 4,095 others are not given. */
HS_API void hs_call_tree_set_each(struct hs_call_tree *tree,
                                  void (*each)(void *to, const struct hs_call *call), void *to);
/** A time or a gap among calls: @item is of @hart, which retired so many instructions before it. */
typedef void (*hs_call_event_fn)(void *to, const struct hs_block *item, uint32_t hart,
                                 uint64_t retired);
/** Call @event, with @to, at each HS_KIND_TIME and HS_KIND_GAP; before blocks are added. */
HS_API void hs_call_tree_set_event(struct hs_call_tree *tree, hs_call_event_fn event, void *to);
/** All calls that are open end now, innermost first. */
HS_API void hs_call_tree_end_calls(struct hs_call_tree *tree);

/** Follow blocks and events.  A tree has at most 4,194,304 nodes: further paths count at their last
 * node.  @retval HS_OK @retval HS_E_MEMORY  Only free it now. */
HS_API enum hs_status hs_call_tree_add(struct hs_call_tree *tree, const struct hs_block *blocks,
                                       size_t n);

/**
 * Blocks that other threads scan for a tree: it follows those that stay in their function together.
 * A scanner belongs to one thread that scans, and to one tree; its scans may be taken meanwhile, in
 * the order in which one thread would add their items.
 */
struct hs_call_scanner;
struct hs_call_scan;

/** @param program  The first one of the tree.  It is only read, on any thread.
 * @retval HS_OK @retval HS_E_MEMORY */
HS_API enum hs_status hs_call_scanner_new(struct hs_program *program,
                                          struct hs_call_scanner **scanner);
HS_API void hs_call_scanner_free(struct hs_call_scanner *scanner); /**< NULL is allowed */

/**
 * Append items to a scan.
 * @param[in,out] scan  NULL: a new one, which the caller frees.
 * @retval HS_OK
 * @retval HS_E_MEMORY  The scan is of no use.
 */
HS_API enum hs_status hs_call_scan_add(struct hs_call_scanner *scanner, struct hs_call_scan **scan,
                                       const struct hs_block *blocks, size_t n);
HS_API void hs_call_scan_clear(struct hs_call_scan *scan); /**< it is empty again */
HS_API void hs_call_scan_free(struct hs_call_scan *scan);  /**< NULL is allowed */

/** Follow the items of a scan, with the results of hs_call_tree_add(). */
HS_API enum hs_status hs_call_tree_add_scan(struct hs_call_tree *tree,
                                            const struct hs_call_scanner *scanner,
                                            const struct hs_call_scan *scan);

/** An item, so often.  False: stop. */
typedef bool hs_call_times_fn(void *to, const struct hs_block *item, uint64_t times);
/** Is there an event in it after which blocks belong to another hart, context or moment
 * (hs_event_divides())?  Then what was counted before is to be given first. */
HS_API bool hs_call_scan_divides(const struct hs_call_scan *scan);
/**
 * Count the items of a scan, on the thread of the tree: with hs_call_scan_divides() each is given
 * to @take in order; else events are, and blocks are added up until hs_call_scanner_flush().
 * @return  false: @take stopped, or no memory.
 */
HS_API bool hs_call_scan_count(struct hs_call_scanner *scanner, const struct hs_call_scan *scan,
                               hs_call_times_fn *take, void *to);
/** Give the blocks that were added up.  @return  false: @take stopped. */
HS_API bool hs_call_scanner_flush(struct hs_call_scanner *scanner, hs_call_times_fn *take,
                                  void *to);

/** What was counted so far; valid until the next call with @tree.
 * @retval HS_OK @retval HS_E_MEMORY  Only free it now. */
HS_API enum hs_status hs_call_tree_get_result(struct hs_call_tree *tree,
                                              struct hs_call_tree_result *result);

#ifdef __cplusplus
}
#endif
#endif
