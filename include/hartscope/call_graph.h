/* Functions with what ran in them and in what they called, and who called whom: a tree of calls
 * (call_tree.h) without its paths.
 *
 * Recursion counts once: what a function's inner call took is a part of what its outer call did,
 * and is not added again; the same for calls of one function by another.
 *
 * Threads: a graph belongs to one thread at a time.
 */
#ifndef HARTSCOPE_CALL_GRAPH_H
#define HARTSCOPE_CALL_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/call_tree.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_call_graph;

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
	uint32_t caller; /**< number of its function; UINT32_MAX: it is an outermost one */
	uint32_t callee; /**< number of its function */
	uint64_t calls;  /**< as in struct hs_call_function */
	uint64_t total;      /**< instructions in these calls, recursion once */
	uint64_t total_time; /**< the same as time */
};

/** The graph. */
struct hs_call_graph_result {
	const struct hs_call_function *functions; /**< in the order of their first node */
	size_t function_count;
	const struct hs_call_edge *edges; /**< in the order of their first node */
	size_t edge_count;
	const uint32_t *function_of; /**< of each node of the tree: number of its function */
};

/**
 * Make the graph of a tree.
 * @param tree   Its nodes are read now, and not kept.
 * @retval HS_OK
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_call_graph_new(const struct hs_call_tree_result *tree,
                                        struct hs_call_graph **graph);
HS_API void hs_call_graph_free(struct hs_call_graph *graph); /**< NULL is allowed */

/** The functions and edges; valid until hs_call_graph_free(). */
HS_API void hs_call_graph_get_result(const struct hs_call_graph *graph,
                                     struct hs_call_graph_result *result);

#ifdef __cplusplus
}
#endif
#endif
