/* What the files of hartscope report --html share. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_REPORT_HTML_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_REPORT_HTML_H

#include "commands/report.h"
#include "common/embedded.h"
#include "common/thread_order.h"

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

/* ---- the run before (report_html_before.c) ------------------------------------------------ */

#define FLAME_MAX 60000u /* nodes that are drawn */

/* A path of calls; [0] of the page's run, [1] of the one before. */
struct before_node {
	uint64_t self[2], total[2], calls[2], what;
	uint32_t parent; /* UINT32_MAX: outermost */
};

struct before_place {
	uint32_t node, depth;
};

/* A run that the page's is compared with.  Zero, but for run and name, is the start. */
struct html_before {
	const struct run *run;
	const char *name;        /* path */
	uint32_t *row_of;        /* of its functions: rows of the page; UINT32_MAX: others */
	uint32_t own_rows, rows; /* of the page's run; with those that only this one has */
	struct before_node *nodes;
	uint32_t *slots; /* a table of 1 and the number of each node */
	size_t slot_count;
	uint32_t count;
	struct before_place *order; /* nodes as they are drawn */
	uint32_t order_count;
	uint64_t least; /* instructions of a node that is drawn */
	bool failed;
};

/* Find the rows of its functions, @rows of the page's first, @most in all.  False: no memory. */
bool before_functions(struct html_before *b, const struct run *page, uint32_t rows, uint32_t most);
/* Join the trees; @row_of: rows of the functions of the page's graph.  False: no memory. */
bool before_tree(struct html_before *b, const struct run *page, const uint32_t *row_of);
/* More rows of the member "functions"; the members of the flame graph; the others. */
void before_write_names(struct html_out *o, const struct html_before *b);
void before_write_flame(struct html_out *o, const struct html_before *b);
bool before_write(struct html_out *o, const struct html_before *b);
void before_free(struct html_before *b);

/* ---- the timeline (report_html_time.c) -------------------------------------------------- */

/* A call that is kept. */
struct time_call {
	uint64_t start, length;
	uint32_t node, depth, hart;
	uint8_t mode;
	bool again; /* as in struct hs_call */
	bool first; /* it is among the first that ended */
};

/* Calls, of those that took longest; and at the beginning, and at the end, that are kept all. */
#define TIME_KEPT 80000u
#define TIME_WINDOW 20000u
/* The same of runs of inlined functions. */
#define INLINED_KEPT 20000u
#define INLINED_WINDOW 5000u

#define TIME_POINTS 4096u /* times of a hart that are kept */

#define SPANS 32768u /* into which the instructions of a hart are divided, at most */

/* A node of the tree of calls in one span of a hart. */
struct sum {
	uint32_t span, node, calls; /* that began in the span */
	uint64_t inside;            /* instructions while it was open */
};

/* Of a node: the sum that is not in the list yet. */
struct sum_open {
	uint64_t inside;
	uint32_t span, calls;
	uint8_t mode; /* of its last call */
};

/* What ran on a hart, by spans of 2^@shift instructions. */
struct sums {
	struct sum *rows;
	struct sum_open *open; /* by node */
	size_t count, room, open_room;
	uint32_t *traps, *gaps; /* of each span */
	unsigned shift;
	uint32_t hart;
	uint64_t end;                    /* instructions that the hart retired */
	uint64_t hidden_from, hidden_to; /* where calls may be that are not kept; from > to: none */
};

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
	struct time_call *kept;  /* those of at least @least instructions: 2 * @most of room */
	struct time_call *first; /* @window of them */
	struct time_call *last;  /* a ring of as many */
	uint64_t least, seen;
	uint32_t most, window;
	uint32_t kept_count;
	struct time_scale *scales; /* of the harts that have times */
	uint32_t scale_count;
	struct sums *sums; /* of harts */
	uint32_t sums_count, sums_last;
	bool failed; /* no memory for scales or sums */
	struct thread_order order; /* by system calls, where the flow has no times */
};

/* TIME_KEPT and TIME_WINDOW, or less.  False: no memory. */
bool timeline_open(struct timeline *t, uint32_t most, uint32_t window);
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
/* Where the flow has no times, they are the places of its threads. */
void timeline_order(struct timeline *t);
/* The tree of calls as the page sees it. */
struct time_tree {
	const struct hs_call_tree_result *tree;
	const uint32_t *function_of; /* of nodes by number: number of their function on the page */
	uint32_t functions;          /* of the page; the number itself: others */
	const uint32_t *depth_of;    /* of nodes by number; NULL: as @tree has it */
};

/* An inlined function, at a depth; of all depths (UINT32_MAX) the name of one. */
struct inlined_node {
	const char *function;
	uint32_t depth, name; /* name: number of it */
};

/* Runs of inlined functions as calls of a timeline of its own, a row below the call that they are
 * in (report_html_inlined.c).  Zero, but for @runs, is empty. */
struct inlined_runs {
	struct timeline runs;
	struct inlined_node *nodes;
	uint32_t *slots; /* 1 + number of a node, by a hash */
	uint32_t count, room, slot_count, name_count;
	uint32_t *function_of, *depth_of; /* of nodes, when all are known */
	struct shown *shown;              /* calls that are written, sorted */
	size_t shown_count, at;           /* at: the next one */
};

/* hs_counts_options.inlined_run, with the runs. */
void inlined_take(void *runs, const struct hs_inlined_run *run);
/* All are known.  False: no memory. */
bool inlined_finish(struct inlined_runs *r);
/* The member "inlined" of a hart with sums, which are written.  False: no memory. */
bool inlined_write(struct html_out *o, struct inlined_runs *r, const struct sums *calls,
                   const struct time_tree *tree);
/* The member "inlinedNames" of the timeline. */
void inlined_write_names(struct html_out *o, const struct inlined_runs *r);
void inlined_free(struct inlined_runs *r);

/* Calls that are written: by hart, level and start. */
struct shown {
	const struct time_call *call;
	uint32_t level;
};

/* Those of a timeline, in that order; of those that took longest at most @most.  NULL: no
 * memory. */
struct shown *timeline_show(struct timeline *t, size_t *n);
/* The member "levels": the calls of a hart, which are the next ones. */
void timeline_write_levels(struct html_out *o, const struct shown *v, size_t n, uint32_t hart,
                           const struct time_tree *tree);

/* The member "timeline".  False: no memory. */
bool timeline_write(struct html_out *o, struct timeline *t, struct inlined_runs *inlined,
                    const struct time_tree *tree);

/* Sums by spans (report_html_sums.c): of the hart, NULL: no memory; a call; a trap, or a gap, after
 * so many instructions. */
struct sums *sums_of(struct timeline *t, uint32_t hart);
void sums_call(struct timeline *t, const struct hs_call *call);
void sums_trap(struct timeline *t, uint32_t hart, uint64_t at);
void sums_gap(struct timeline *t, uint32_t hart, uint64_t at);
/* A call is not kept, or only as long as it is one of the last. */
void sums_hide(struct timeline *t, const struct time_call *call);
/* All is in the list, sorted by span and node, each once. */
bool sums_finish(struct sums *s);
/* The same afterwards, in spans of at least 2^@shift instructions. */
void sums_widen(struct sums *s, unsigned shift);
void sums_free(struct timeline *t);
/* The members "spans" and "table" of a hart (report_html_spans.c).  False: no memory. */
bool sums_write(struct html_out *o, const struct timeline *t, const struct sums *s,
                const struct time_tree *tree);
/* The member "spans" of its inlined functions: where none of the @calls has more.  @harts: how many
 * there are.  False: no memory. */
bool sums_write_inlined(struct html_out *o, uint32_t harts, const struct sums *inlined,
                        const struct time_tree *runs, const struct sums *calls,
                        const struct time_tree *tree);

/* ---- traps and gaps (report_html_events.c) ---------------------------------------------- */

/* A gap, after so many instructions of a hart. */
struct gap {
	uint64_t offset, at;
	enum hs_status status;
	uint32_t hart;
};

/* Of a hart: every @trap_step-th trap, and gap. */
struct hart_events {
	struct hs_trap_taken *traps;
	struct gap *gaps;
	uint32_t hart, trap_count, gap_count, trap_room, gap_room;
	uint64_t trap_step, gap_step, traps_seen, gaps_seen;
};

/* Traps and gaps of all harts.  Zero is empty. */
struct events {
	struct hart_events *harts;
	uint32_t count;
	uint64_t traps, gaps; /* in all */
	bool failed;          /* no memory */
};

void events_trap(struct events *e, const struct hs_trap_taken *trap);
void events_gap(struct events *e, const struct gap *gap);
/* The members "traps", "gaps", "thinned", and those of how many there were. */
void events_write(struct html_out *o, struct events *e, const struct hs_traps_result *kinds);
void events_free(struct events *e);

/* ---- source (report_html_source.c) ------------------------------------------------------ */

/* The member "sources".  False: no memory. */
bool html_sources(struct html_out *o, const struct hs_counts_code *t);

/* ---- what a name leads to (report_html_code.c) ------------------------------------------ */

/* The members "edges" and "edgeCount".  @row_of: functions of the page by those of the graph.
 * False: no memory. */
bool html_edges(struct html_out *o, const struct run *r, const uint32_t *row_of);
/* The members "code", "codeFiles", "inlined" and "inlinedNames" of the @rows functions of the page.
 * False: no memory. */
bool html_code(struct html_out *o, const struct run *r, uint32_t rows);

#endif
