/* Private state of memo.h.  It stands here because the caller owns the memory; no member may be
 * relied upon. */
#ifndef HARTSCOPE_PRIVATE_MEMO_H
#define HARTSCOPE_PRIVATE_MEMO_H

#include <stdbool.h>

#include <hartscope/block.h>
#include <hartscope/image.h>
#include <hartscope/memo.h>

/* All that decides where a message leads.  What the words of state mean is the protocol's. */
struct hs_memo_key {
	uint64_t bytes[2]; /* of the messages; 0 after their end */
	uint64_t state;    /* not 0 */
	uint64_t extra;
};

/* One run: 64 bytes, a line of most caches. */
struct hs_memo_run {
	struct hs_memo_key key;
	uint64_t after, extra; /* state and extra afterwards */
	uint64_t moved;        /* change of the reference address */
	uint32_t first;        /* its blocks, in hs_memo.blocks */
	uint8_t blocks;
	uint8_t kind : 6; /* of the last message: TCODE or form */
	uint8_t odd : 1;  /* it leads elsewhere, or changes more, than its own words say; E-Trace:
	                     it gives no address */
	uint8_t lead : 4; /* bytes before the last message */
	uint8_t more : 4; /* bytes of all messages, less one */
	uint8_t times;    /* found so often, in addition to hs_memo.counts */
};

struct hs_memo {
	struct hs_memo_run *runs;
	struct hs_block *blocks; /* in unknown privilege; after each run where it led */
	uint64_t *counts;        /* of each run; MEMO_UNLISTED: 0, and its times are 255 */
	uint32_t *listed;        /* runs whose count is not MEMO_UNLISTED */
	uint32_t *guesses;       /* runs, by the bytes of the latest messages */
	uint64_t latest;         /* these bytes, mixed */
	uint32_t listed_count;
	uint32_t count;                  /* blocks in use */
	uint32_t capacity;               /* blocks */
	uint32_t mask;                   /* runs - 1 */
	uint8_t shift;                   /* of a hash, to a number of a run */
	const struct hs_bb_table *table; /* of the program that the runs are of */
	uint32_t version;                /* of the table */
	struct hs_memo_stats stats;
	hs_memo_count_fn *take; /* NULL: runs are not counted */
	void *to;
	uint64_t priv;              /* of the runs that are counted, as in hs_walk */
	bool held;                  /* no more runs are counted in this call */
	bool refers;                /* runs that are found are written as HS_KIND_RUN */
	uint8_t end;                /* enum memo_end */
	uint8_t lead_kind;          /* of the messages before the last one of a run */
	uint64_t *messages, *bytes; /* the decoder's, by kind */
	/* Count the messages of a run there; NULL: as flow_memo_count_messages() does. */
	void (*count_messages)(struct hs_memo *m, const struct hs_memo_run *r, uint64_t times);
};

/* Addresses that a run may pop from the stack of returns, and that it may leave there. */
#define HS_MEMO_CALLS 7u

/* A message that was not found, while it is decoded. */
struct hs_memo_pending {
	struct hs_memo_key key;
	uint64_t reference;          /* address before it */
	uint64_t end;                /* offset after it */
	uint64_t start;              /* address of the next block, before it */
	uint8_t bytes;               /* of it */
	bool far;                    /* it is of runs that are counted */
	const struct hs_block *from; /* what it writes; NULL: there is none */
	const struct hs_block *seen; /* items of this call before it were looked at */
	/* The stack of returns before it, where the trace leaves their targets out: */
	uint32_t top, count;
	uint64_t calls[HS_MEMO_CALLS]; /* the latest first */
};

#endif
