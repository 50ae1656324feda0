/* The words of a packed stream (HS_REC_LOG_PACKED) as those of a plain one. */
#ifndef HS_RECORDING_UNPACK_H
#define HS_RECORDING_UNPACK_H

#include "recording/private.h"

struct rec_unpack {
	uint32_t (*successors)[2]; /* of each run, and at @limit: none */
	uint32_t limit;            /* runs that have, and are, successors */
	uint32_t last;             /* the last run */
	uint32_t bits, left;       /* outcomes that are left, from the top on */
	uint32_t payload;          /* words of an escape that are left */
	uint32_t *words;           /* as they are in the file */
	size_t count, at;          /* words read, words used */
	bool wrong;                /* an outcome has no run */
};

/* A stream begins, of so many runs at most. */
enum hs_status rec_unpack_open(struct rec_unpack *u, uint32_t runs);
void rec_unpack_close(struct rec_unpack *u);
/* How many words follow an escape. */
uint32_t rec_words_after(uint32_t escape);

/* As rec_in_read(), in words; HS_E_FORMAT: also where an outcome has no run. */
enum hs_status rec_unpack_read(struct rec_unpack *u, struct rec_in *in, uint32_t *out, size_t cap,
                               size_t *n);

#endif
