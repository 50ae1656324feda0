/* What the files of hartscope report --html share. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_REPORT_HTML_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_REPORT_HTML_H

#include <hartscope/call_tree.h>

#include "commands/report.h"

/* ---- writing (report_html_data.c) ------------------------------------------------------- */

/* The page's data: JSON, in which lists of numbers are base64 of LEB128. */
struct html_out {
	FILE *f;
	uint8_t group[3]; /* of base64 */
	unsigned n;
};

/* A string, or the key of a member; nothing in it ends a script. */
void html_string(struct html_out *o, const char *text);
void html_key(struct html_out *o, const char *key);
/* Keys with a number. */
void html_number(struct html_out *o, const char *key, uint64_t value);
/* A list of numbers: begin, put each, end. */
void html_pack(struct html_out *o);
void html_put(struct html_out *o, uint64_t value);
void html_pack_end(struct html_out *o);

/* The files of tools/hartscope/html, as the build embeds them, in their order; NULL at the end. */
struct html_part {
	const char *name;
	const unsigned char *bytes;
	size_t size;
};
extern const struct html_part html_parts[];

/* ---- the timeline (report_html_time.c) -------------------------------------------------- */

/* A call that is kept. */
struct time_call {
	uint64_t start, length;
	uint32_t node, depth, hart;
	uint8_t mode;
};

#define TIME_KEPT 400000u  /* calls, of those that took longest */
#define TIME_WINDOW 20000u /* calls at the beginning, and at the end, that are kept all */

/* Calls as they end.  Zero is empty. */
struct timeline {
	struct time_call *kept;  /* those of at least @least instructions: 2 * TIME_KEPT of room */
	struct time_call *first; /* TIME_WINDOW of them */
	struct time_call *last;  /* a ring of as many */
	uint64_t least, seen;
	uint32_t kept_count;
};

bool timeline_open(struct timeline *t);
void timeline_close(struct timeline *t);
/* hs_call_tree_set_each(), with the timeline. */
void timeline_take(void *timeline, const struct hs_call *call);
/* The member "timeline".  @function_of: of nodes by number, number of their function on the page.
 * False: no memory. */
bool timeline_write(struct html_out *o, const struct timeline *t, const uint32_t *function_of);

/* ---- source (report_html_source.c) ------------------------------------------------------ */

/* The member "sources".  False: no memory. */
bool html_sources(struct html_out *o, const struct insn_table *t);

#endif
