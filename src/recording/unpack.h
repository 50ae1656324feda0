/* The words of a packed stream (HS_REC_LOG_PACKED) as those of a plain one. */
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
	uint32_t wide_count, wide_room; /* how many are used, and there is memory for */
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
};

/* A stream begins, of so many runs at most.  @wide: they may become wide. */
enum hs_status rec_unpack_open(struct rec_unpack *u, uint32_t runs, bool wide);
/* The run @run becomes wide, with no successors yet.  NULL: there are too many, or no_memory. */
struct rec_wide *rec_unpack_widen(struct rec_unpack *u, uint32_t run);
void rec_unpack_close(struct rec_unpack *u);
/* How many words follow an escape. */
uint32_t rec_words_after(uint32_t escape);

/* As rec_in_read(), in words; HS_E_FORMAT: also where an outcome has no run. */
enum hs_status rec_unpack_read(struct rec_unpack *u, struct rec_in *in, uint32_t *out, size_t cap,
                               size_t *n);

#endif
