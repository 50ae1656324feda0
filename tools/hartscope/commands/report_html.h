/* What the files of hartscope report --html share. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_REPORT_HTML_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_REPORT_HTML_H

#include "commands/report.h"
#include "common/embedded.h"

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
extern const struct embedded html_parts[];

/* ---- the timeline (report_html_time.c) -------------------------------------------------- */

/* A call that is kept. */
struct time_call {
	uint64_t start, length;
	uint32_t node, depth, hart;
	uint8_t mode;
};

#define TIME_KEPT 400000u  /* calls, of those that took longest */
#define TIME_WINDOW 20000u /* calls at the beginning, and at the end, that are kept all */

#define TIME_POINTS 4096u /* times of a hart that are kept */

/* When a hart had retired so many instructions. */
struct time_point {
	uint64_t at, time;
};

/* The times of a hart: those at least @apart instructions or @apart_time ticks from each other. */
struct time_scale {
	struct time_point *points; /* TIME_POINTS of room */
	uint32_t count, hart;
	uint64_t apart, apart_time;
	uint64_t clock;         /* of the next block's end, where a clock says so; 0 */
	struct time_point last; /* not kept yet */
	bool has_last, after_gap;
};

/* Calls as they end.  Zero is empty. */
struct timeline {
	struct time_call *kept;  /* those of at least @least instructions: 2 * TIME_KEPT of room */
	struct time_call *first; /* TIME_WINDOW of them */
	struct time_call *last;  /* a ring of as many */
	uint64_t least, seen;
	uint32_t kept_count;
	struct time_scale *scales; /* of the harts that have times */
	uint32_t scale_count;
	bool failed; /* no memory for scales */
};

bool timeline_open(struct timeline *t);
void timeline_close(struct timeline *t);
/* hs_call_tree_set_each(), with the timeline. */
void timeline_take(void *timeline, const struct hs_call *call);
/* Times (report_html_scale.c).  A hart had retired @retired instructions. */
void timeline_time(struct timeline *t, const struct hs_block *item, uint32_t hart,
                   uint64_t retired);
/* A gap: what time passed in it is that of no instruction. */
void timeline_gap(struct timeline *t, uint32_t hart);
/* The times of a hart that retired @end instructions, as a packed list of (instructions, ticks),
 * each less the one before; empty without times. */
void timeline_write_times(struct html_out *o, struct timeline *t, uint32_t hart, uint64_t end);
void timeline_free_times(struct timeline *t);
/* The member "timeline".  @function_of: of nodes by number, number of their function on the page.
 * False: no memory. */
bool timeline_write(struct html_out *o, struct timeline *t, const uint32_t *function_of);

/* ---- source (report_html_source.c) ------------------------------------------------------ */

/* The member "sources".  False: no memory. */
bool html_sources(struct html_out *o, const struct hs_counts_code *t);

#endif
