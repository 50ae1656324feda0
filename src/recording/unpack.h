/* The words of a stream of runs as plain ones: without HS_REC_WORD_OUTCOMES. */
#ifndef HS_RECORDING_UNPACK_H
#define HS_RECORDING_UNPACK_H

#include "recording/private.h"

/* At successors of a run that has more: REC_WIDE and its place among wide ones, twice. */
#define REC_WIDE 0x80000000u

struct rec_wide {
	uint32_t count, runs[HS_REC_WIDE_MOST];
};

struct rec_unpack {
	uint32_t (*successors)[2]; /* of each run, and at @limit: none */
	struct rec_wide *wide;
	uint32_t wide_count;            /* how many are used, */
	size_t wide_room;               /* and there is memory for */
	uint32_t wide_most;             /* and may be used; 0: no run becomes wide */
	uint32_t limit;            /* runs that have, and are, successors */
	uint32_t last;             /* the last run */
	uint64_t bits;             /* outcomes that are left, from the top on */
	uint32_t left, need;       /* how many they are, and how many the next run has at least */
	uint32_t payload;          /* words of an escape that are left */
	uint32_t *words;           /* as they are in the file */
	size_t count, at;          /* words read, words used */
	bool wrong;                /* an outcome has no run */
	bool no_memory;
	uint8_t *marks;   /* of each run, REC_UNPACK_...; NULL: nobody wants them */
	uint64_t changed; /* rec_unpack_bit() of runs that were marked as used, and have other
	                              successors since; all: every run may have */
};

#define REC_UNPACK_USED 1u     /* somebody remembers where it led */
#define REC_UNPACK_REPLACED 2u /* one of its successors was, once: */
#define REC_UNPACK_LOOSE 32u   /* so often that it may be all the time */

/* A stream begins, of so many runs at most.  @wide: they may become wide. */
enum hs_status rec_unpack_open(struct rec_unpack *u, uint32_t runs, bool wide);
/* The run @run becomes wide, with no successors yet.  NULL: there are too many, or no_memory. */
struct rec_wide *rec_unpack_widen(struct rec_unpack *u, uint32_t run);
void rec_unpack_close(struct rec_unpack *u);
/* Keep marks from now on.  False: out of memory. */
bool rec_unpack_mark(struct rec_unpack *u);

static inline bool rec_unpack_is_loose(const struct rec_unpack *u, uint32_t run)
{
	return u->marks[run] >= REC_UNPACK_LOOSE;
}

/* One of 64 bits for a run. */
static inline uint64_t rec_unpack_bit(uint32_t run)
{
	return UINT64_C(1) << (run * 0x9e3779b9u >> 26);
}

/* Which run follows @run by @left outcomes from the top of @bits on?  Returns how many it takes; 0:
 * they are too few, or say of no run that it does. */
uint32_t rec_unpack_peek(const struct rec_unpack *u, uint32_t run, uint64_t bits, uint32_t left,
                         uint32_t *next);

struct rec_outcomes {
	uint64_t bits; /* from the top on */
	uint32_t left; /* how many they are */
};

/* Take words of outcomes, as long as there is room for all that one may have. */
static inline void rec_unpack_fill(struct rec_unpack *u, struct rec_outcomes *o)
{
	while (o->left <= 64 - 31 && u->at < u->count && u->words[u->at] > HS_REC_WORD_OUTCOMES &&
	       u->words[u->at] < HS_REC_WORD_ESCAPE) {
		const uint32_t outcomes = u->words[u->at++] & ~HS_REC_WORD_OUTCOMES;
		const uint32_t n = 31u - (uint32_t)__builtin_clz(outcomes);

		o->bits |= n == 0 ? 0 : (uint64_t)outcomes << (64u - n) >> o->left;
		o->left += n;
	}
}

/* As rec_in_read(), in words; HS_E_FORMAT: also where an outcome has no run. */
enum hs_status rec_unpack_read(struct rec_unpack *u, struct rec_in *in, uint32_t *out, size_t cap,
                               size_t *n);

#endif
