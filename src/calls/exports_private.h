/* State of an export, and the table of formats. */
#ifndef HS_EXPORTS_PRIVATE_H
#define HS_EXPORTS_PRIVATE_H

#include <hartscope/views.h>

#include "program/block_count.h"
#include "support/hash.h"
#include "support/out.h"

struct hs_call_scan;
struct hs_call_scanner;
struct hs_call_tree;

typedef unsigned long long ull; /* for printf */

/* A call that is open. */
struct exports_span {
	const char *name;      /* NULL: no symbol */
	uint64_t start;        /* address of the function */
	uint64_t site;         /* address in the call instruction; 0: not called, or not known */
	uint64_t begun;        /* nanoseconds */
	uint64_t first;        /* instructions of the hart before it */
	uint64_t self, called; /* instructions in it, and in what it called so far */
	uint64_t own;          /* the format's */
	uint32_t function;     /* 1 + its number; 0: not asked for yet (exports_function_of()) */
	uint8_t how;           /* enum hs_frame_how */
	bool inner; /* the format's: its function is numbered apart from the outermost one's */
	bool again; /* it began before, on another track */
};

/* A stack of a hart: coroutines and tasks have their own. */
struct exports_track {
	uint32_t number, hart, index; /* its own number; the hart's, and its place in harts */
	struct exports_span *spans;   /* outermost first */
	uint32_t depth;
	size_t room;
	uint8_t *open; /* the format's, by the number of a function */
	uint32_t open_room;
	bool known; /* the format has seen it */
};

/* Where an address is. */
struct exports_place {
	const char *file;   /* of the source; NULL: not known */
	const char *object; /* the file that has the code; NULL: not known */
	int line;
};

/* A function's name, as the format writes it. */
struct exports_label {
	size_t n;
	char text[];
};

/* A function. */
struct exports_function {
	const char *name; /* NULL: no symbol */
	uint64_t start;
	struct exports_place place;
	struct exports_label *label; /* NULL: it was not asked for */
	bool inner;                  /* of spans that have it */
	bool written;                /* the format's */
};

/* A hart. */
struct exports_hart {
	struct exports_track *track; /* the current one; NULL: none yet */
	uint64_t instructions;
	uint64_t time; /* of its last HS_KIND_TIME, in ticks */
	uint64_t late; /* nanoseconds of the axis without instructions, by its places so far */
	size_t place;  /* of o.places: the next one */
	bool lost;     /* the next stack does not continue the current one */
};

/* A block of a function, and the number that the format gave it. */
struct exports_counted {
	uint64_t iaddr;
	const struct hs_program *program; /* NULL: nothing is here */
	uint32_t iretire, function, number;
};

/* A trap, or a system call of a program. */
struct exports_moment {
	uint64_t now;     /* nanoseconds of the hart's axis */
	uint64_t address; /* where it struck */
	uint64_t value;   /* with has_cause: trap value */
	uint64_t number;  /* with has_number: of the system call */
	uint64_t retired; /* instructions of the hart before it */
	uint64_t traps;   /* of the hart so far, this one included */
	uint32_t hart, index, cause, signal;
	bool interrupt, has_cause, is_signal;
	bool is_call, has_number; /* of a program whose kernel is not in the flow */
	bool pending;             /* its handler did not begin yet */
};

struct exports_format;

struct exports_texts;
struct exports_text;
struct exports_event;

struct hs_export {
	const struct exports_format *format;
	struct hs_export_options o;
	struct hs_stacks *stacks;
	struct program_select select;
	struct program_counts counts;
	struct exports_hart *harts; /* by select.index */
	size_t hart_count;
	struct exports_track **tracks;
	uint32_t track_count;
	struct support_hash functions;   /* of struct exports_function */
	struct exports_counted *counted; /* EXPORTS_COUNTED of them, of code that did not change */
	uint64_t *times;                 /* how often blocks retired, by the format's number */
	uint32_t times_room;
	struct exports_texts *texts; /* of formats that have @text */
	struct exports_moment *moments; /* by index of the hart, of formats that have @moment */
	size_t moment_count;
	struct support_out out;
	struct hs_export_report report;
	struct hs_call_tree *tree; /* of formats that follow items by one */
	void *own;                 /* state of the format */
};

/* A row for each format.  All but @end may be NULL; a result is HS_OK, HS_E_MEMORY or
 * HS_E_SYSTEM. */
struct exports_format {
	enum hs_status (*begin)(struct hs_export *x);
	/* One of these in place of all that is below: the format follows items itself, each or
	 * many; @scan with the latter. */
	enum hs_status (*item)(struct hs_export *x, const struct hs_block *b);
	enum hs_status (*items)(struct hs_export *x, const struct hs_block *b, size_t n);
	enum hs_status (*scan)(struct hs_export *x, const struct hs_call_scanner *k,
	                       const struct hs_call_scan *scan);
	/* The innermost span of a track begins, or ends now. */
	enum hs_status (*open)(struct hs_export *x, struct exports_track *t,
	                       struct exports_span *s);
	enum hs_status (*close)(struct hs_export *x, struct exports_track *t,
	                        struct exports_span *s);
	/* A block of @count instructions retires in a span. */
	enum hs_status (*block)(struct hs_export *x, struct exports_span *s,
	                        const struct hs_block *b, uint32_t count);
	/* The number by which the format counts such blocks of a span's function, in x->times;
	 * EXPORTS_UNCOUNTED: not at all; EXPORTS_FAILED: no memory. */
	uint32_t (*number)(struct hs_export *x, struct exports_span *s, const struct hs_block *b,
	                   uint32_t count);
	/* An event of the current hart. */
	enum hs_status (*event)(struct hs_export *x, const struct hs_block *b);
	/* A trap of the current hart, before the first block of its handler (moments.c). */
	enum hs_status (*moment)(struct hs_export *x, const struct exports_moment *m);
	/* The current hart goes on with another stack; @from is NULL for its first one. */
	enum hs_status (*change)(struct hs_export *x, struct exports_track *from,
	                         struct exports_track *to);
	/* The text of an event, on any thread; there is room for EXPORTS_EVENT_ROOM bytes and the
	 * label. */
	void (*text)(struct exports_text *t, const struct exports_event *e);
	/* Text of a lane, in order, on the caller's thread; NULL: it is written. */
	enum hs_status (*take)(struct hs_export *x, uint32_t lane, const char *text, size_t n);
	/* How a function's name is written. */
	size_t (*label)(char *out, size_t size, const char *name);
	enum hs_status (*end)(struct hs_export *x);
	void (*free)(struct hs_export *x);
};

extern const struct exports_format exports_callgrind, exports_folded, exports_chrome,
	exports_speedscope, exports_perfetto, exports_sqlite, exports_pprof, exports_bbv,
	exports_autofdo, exports_auto_profile, exports_ctf, exports_firefox;

#define EXPORTS_UNCOUNTED (UINT32_MAX - 1)
#define EXPORTS_FAILED UINT32_MAX
#define EXPORTS_COUNTED ((size_t)1 << 15)

/* scans.c: count a block, of a format that numbers them.  HS_OK or HS_E_MEMORY. */
enum hs_status exports_count(struct hs_export *x, struct exports_span *s, const struct hs_block *b,
                             uint32_t count);

/* spans.c: calls as they begin and end.  HS_OK or HS_E_MEMORY. */
enum hs_status exports_follow(struct hs_export *x, const struct hs_block *b);
/* The same, or what the format has for it. */
static inline enum hs_status exports_add_item(struct hs_export *x, const struct hs_block *b)
{
	return x->format->item ? x->format->item(x, b) : exports_follow(x, b);
}

/* The span of the current hart in which blocks retire; with --depth one further out. */
struct exports_span *exports_span_now(const struct hs_export *x);
/* So many instructions retire in it. */
void exports_retire(struct hs_export *x, struct exports_span *s, uint64_t count);
enum hs_status exports_close_all(struct hs_export *x);
void exports_free_tracks(struct hs_export *x);

/* Ticks in nanoseconds, where the clock is known. */
uint64_t exports_time(const struct hs_export *x, uint64_t ticks);

/* The time of a track's hart, in nanoseconds of the axis. */
uint64_t exports_now(const struct hs_export *x, const struct exports_track *t);

/* Where an address of the current hart is. */
void exports_find(struct hs_export *x, uint64_t addr, uint8_t priv, struct exports_place *place);

/* moments.c: what a format with @moment has for event and block.  HS_OK, HS_E_MEMORY or
 * HS_E_SYSTEM. */
enum hs_status exports_moment_event(struct hs_export *x, const struct hs_block *b);
enum hs_status exports_moment_block(struct hs_export *x, struct exports_span *s,
                                    const struct hs_block *b, uint32_t count);
/* The flow ends, maybe with a trap. */
enum hs_status exports_moments_end(struct hs_export *x);
/* What it is. */
void exports_moment_name(const struct exports_moment *m, char *text, size_t size);

/* Who is on the current hart: process and thread of a guest; NULL: not known. */
const struct hs_guest_task *exports_task(const struct hs_export *x);

/* functions.c: the number of a span's function, which control is in or was in; UINT32_MAX: no
 * memory. */
uint32_t exports_function_of(struct hs_export *x, struct exports_span *s);
struct exports_function *exports_function_at(const struct hs_export *x, uint32_t number);

/* Make the label of a function.  False: no memory. */
bool exports_have_label(struct hs_export *x, uint32_t number);
void exports_free_functions(struct hs_export *x);

/* texts.c: threads that make texts.  HS_OK, HS_E_MEMORY, HS_E_SYSTEM. */
enum hs_status exports_texts_start(struct hs_export *x);
/* All texts so far are written. */
enum hs_status exports_texts_drain(struct hs_export *x);
void exports_texts_free(struct hs_export *x);

/* A name for a span, also without a symbol. */
const char *exports_name(const char *name, uint64_t start, char text[32]);

#endif
