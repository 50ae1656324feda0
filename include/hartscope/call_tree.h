/* Who called whom, how often, and how many instructions that took: the paths of the call stacks of
 * a flow (stacks.h) as a tree, and the same without paths as a graph.  hs_source_count() makes
 * both (counts.h).
 *
 * A node is a function on a path from an outermost function.  A tail call counts as a call by the
 * caller of the function that ended.  What runs before a caller is known (the flow begins in the
 * middle) has its innermost function as an outermost one.
 *
 * In the graph recursion counts once: what a function's inner call took is a part of what its outer
 * call did, and is not added again; the same for calls of one function by another.
 */
#ifndef HARTSCOPE_CALL_TREE_H
#define HARTSCOPE_CALL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/stacks.h>

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
	bool again;     /**< it went on: control was on another stack or hart before @start */
};

/** A time or a gap among calls: @item is of @hart, which retired so many instructions before it. */
typedef void (*hs_call_event_fn)(void *to, const struct hs_block *item, uint32_t hart,
                                 uint64_t retired);

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

#endif
