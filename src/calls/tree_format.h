/* What formats of the tree of calls share: they follow items by it, and write it at the end. */
#ifndef HS_CALLS_TREE_FORMAT_H
#define HS_CALLS_TREE_FORMAT_H

#include "calls/exports_private.h"
#include "calls/scan.h"
#include "calls/tree.h"

/* begin, items, scan and free of struct exports_format. */
enum hs_status exports_tree_begin(struct hs_export *x);
enum hs_status exports_tree_items(struct hs_export *x, const struct hs_block *b, size_t n);
enum hs_status exports_tree_scan(struct hs_export *x, const struct hs_call_scanner *k,
                                 const struct hs_call_scan *scanned);
void exports_tree_free(struct hs_export *x);

/* A node of the tree, and what it is charged with. */
struct exports_node {
	const struct hs_call_node *const *path; /* outermost first */
	uint32_t levels;
	uint64_t instructions, time, calls;
};

#define EXPORTS_TREE_LEVELS 512u /* deeper ones count for the last of these */

/* Give @each every node that has a cost, and fill the report.  HS_OK, HS_E_MEMORY, or what @each
 * returned. */
enum hs_status exports_tree_end(struct hs_export *x,
                                enum hs_status (*each)(struct hs_export *x,
                                                       const struct exports_node *n));

#endif
