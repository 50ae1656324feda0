/* Blocks that the threads which decode a trace scan for the thread that follows calls
 * (hs_source_share(), call_tree.h). */
#ifndef HS_TOOLS_HARTSCOPE_COMMON_SCANS_H
#define HS_TOOLS_HARTSCOPE_COMMON_SCANS_H

#include <hartscope/call_tree.h>
#include <hartscope/source.h>

/** The work of a source that is shared; it lives until the source is closed. */
struct scans {
	struct hs_source_work work; /**< for read_shared() */
	struct hs_program *program;
	void *to;
	bool failed; /**< no memory for what threads scanned, or @take said so */
	/** A scan, on the caller's thread.  False: there are to be no more. */
	bool (*take)(void *to, struct hs_call_scanner *scanner, const struct hs_call_scan *scan);
	/** A scanner is freed after this; NULL. */
	bool (*end)(void *to, struct hs_call_scanner *scanner);
};

/** Set s->work by the other members. */
void scans_start(struct scans *s);

#endif
