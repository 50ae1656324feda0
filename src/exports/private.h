/* State of an export, and the table of formats. */
#ifndef HS_EXPORTS_PRIVATE_H
#define HS_EXPORTS_PRIVATE_H

#include <hartscope/exports.h>
#include <hartscope/stacks.h>

#include "program/block_count.h"
#include "support/hash.h"
#include "support/out.h"

typedef unsigned long long ull; /* for printf */

/* A call that is open. */
struct exports_span {
	const char *name;     /* NULL: no symbol */
	uint64_t start;       /* address of the function */
	uint64_t site;        /* address in the call instruction; 0: not called, or not known */
	uint64_t begun;       /* nanoseconds */
	uint64_t first;       /* instructions of the hart before it */
	uint64_t self, inner; /* instructions in it, and in what it called so far */
	uint64_t own;     /* the format's */
	uint32_t function; /* 1 + its number; 0: not asked for yet (exports_function_of()) */
	uint8_t how;          /* enum hs_frame_how */
	bool again;           /* it began before, on another track */
};

/* A stack of a hart: coroutines and tasks have their own. */
struct exports_track {
	uint32_t number, hart, index; /* its own number; the hart's, and its place in harts */
	struct exports_span *spans;   /* outermost first */
	uint32_t depth, room;
	bool known; /* the format has seen it */
};

/* Where an address is. */
struct exports_place {
	const char *file;   /* of the source; NULL: not known */
	const char *object; /* the file that has the code; NULL: not known */
	int line;
};

/* A function. */
struct exports_function {
	const char *name; /* NULL: no symbol */
	uint64_t start;
	struct exports_place place;
	bool written; /* the format's */
};

/* A hart. */
struct exports_hart {
	struct exports_track *track; /* the current one; NULL: none yet */
	uint64_t instructions;
	uint64_t time; /* of its last HS_KIND_TIME, in ticks */
	bool lost;     /* the next stack does not continue the current one */
};

struct exports_format;

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
	struct support_hash functions; /* of struct exports_function */
	struct support_out out;
	struct hs_export_report report;
	void *own; /* state of the format */
};

/* A row for each format.  All but @end may be NULL; a result is HS_OK, HS_E_MEMORY or
 * HS_E_SYSTEM. */
struct exports_format {
	enum hs_status (*begin)(struct hs_export *x);
	/* In place of all that is below: the format follows items itself. */
	enum hs_status (*items)(struct hs_export *x, const struct hs_block *b, size_t n);
	/* The innermost span of a track begins, or ends now. */
	enum hs_status (*open)(struct hs_export *x, struct exports_track *t,
	                       struct exports_span *s);
	enum hs_status (*close)(struct hs_export *x, struct exports_track *t,
	                        struct exports_span *s);
	/* @count instructions of a block retire in a span. */
	enum hs_status (*block)(struct hs_export *x, struct exports_span *s,
	                        const struct hs_block *b, uint32_t count);
	/* An event of the current hart. */
	enum hs_status (*event)(struct hs_export *x, const struct hs_block *b);
	/* The current hart goes on with another stack; @from is NULL for its first one. */
	enum hs_status (*change)(struct hs_export *x, struct exports_track *from,
	                         struct exports_track *to);
	enum hs_status (*end)(struct hs_export *x);
	void (*free)(struct hs_export *x);
};

extern const struct exports_format exports_callgrind, exports_folded, exports_chrome,
	exports_speedscope, exports_perfetto, exports_sqlite;

/* spans.c: calls as they begin and end.  HS_OK or HS_E_MEMORY. */
enum hs_status exports_follow(struct hs_export *x, const struct hs_block *b);
enum hs_status exports_close_all(struct hs_export *x);
void exports_free_tracks(struct hs_export *x);

/* The time of a track's hart, in nanoseconds of the axis. */
uint64_t exports_now(const struct hs_export *x, const struct exports_track *t);

/* Where an address of the current hart is. */
void exports_find(struct hs_export *x, uint64_t addr, uint8_t priv, struct exports_place *place);

/* functions.c: the number of a span's function, which control is in or was in; UINT32_MAX: no
 * memory. */
uint32_t exports_function_of(struct hs_export *x, struct exports_span *s);
struct exports_function *exports_function_at(const struct hs_export *x, uint32_t number);

/* A name for a span, also without a symbol. */
const char *exports_name(const char *name, uint64_t start, char text[32]);

#endif
