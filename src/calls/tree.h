/* The tree of calls (call_tree.h), and the graph that is made of it.  A tree belongs to one thread
 * at a time, and so do the programs that it was given. */
#ifndef HS_CALLS_TREE_H
#define HS_CALLS_TREE_H

#include <hartscope/views.h>

struct hs_call_tree;
struct hs_call_graph;

/** Start.  @return As hs_stacks_new(). */
enum hs_status hs_call_tree_new(const struct hs_stacks_options *options,
                                struct hs_call_tree **tree);
void hs_call_tree_free(struct hs_call_tree *tree); /**< NULL is allowed */

/** Call @each, with @to, when a call ends; before blocks are added.  Where control changes to
 * another stack, the calls that only one of both has end, and begin again when it is back.  Calls
 * in more than 4,095 others are not given. */
void hs_call_tree_set_each(struct hs_call_tree *tree,
                           void (*each)(void *to, const struct hs_call *call), void *to);
/** Call @event, with @to, at each HS_KIND_TIME and HS_KIND_GAP; before blocks are added. */
void hs_call_tree_set_event(struct hs_call_tree *tree, hs_call_event_fn event, void *to);
/** Call @each, with @to, for each run of instructions that were inlined; with the calls. */
void hs_call_tree_set_inlined(struct hs_call_tree *tree, hs_inlined_run_fn each, void *to);
/** All calls that are open end now, innermost first. */
void hs_call_tree_end_calls(struct hs_call_tree *tree);

/** Follow blocks and events.  A tree has at most 4,194,304 nodes: further paths count at their last
 * node.  @retval HS_OK @retval HS_E_MEMORY  Only free it now. */
enum hs_status hs_call_tree_add(struct hs_call_tree *tree, const struct hs_block *blocks, size_t n);

/** What was counted so far; valid until the next call with @tree.
 * @retval HS_OK @retval HS_E_MEMORY  Only free it now. */
enum hs_status hs_call_tree_get_result(struct hs_call_tree *tree,
                                       struct hs_call_tree_result *result);

/* ---- the graph -------------------------------------------------------------------------- */

/**
 * Make the graph of a tree.
 * @param tree   Its nodes are read now, and not kept.
 * @retval HS_OK
 * @retval HS_E_MEMORY
 */
enum hs_status hs_call_graph_new(const struct hs_call_tree_result *tree,
                                 struct hs_call_graph **graph);
void hs_call_graph_free(struct hs_call_graph *graph); /**< NULL is allowed */

/** The functions and edges; valid until hs_call_graph_free(). */
void hs_call_graph_get_result(const struct hs_call_graph *graph,
                              struct hs_call_graph_result *result);

#endif
