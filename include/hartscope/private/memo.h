/* Private state of memo.h.  It stands here because the caller owns the memory; no member may be
 * relied upon. */
#ifndef HARTSCOPE_PRIVATE_MEMO_H
#define HARTSCOPE_PRIVATE_MEMO_H

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
	uint8_t bytes; /* of all messages */
	uint8_t lead;  /* bytes before the last one */
	uint8_t kind;  /* of the last one: TCODE or form */
};

struct hs_memo {
	struct hs_memo_run *runs;
	struct hs_block *blocks;         /* in unknown privilege */
	uint32_t count;                  /* blocks in use */
	uint32_t capacity;               /* blocks */
	uint32_t mask;                   /* runs - 1 */
	uint8_t shift;                   /* of a hash, to a number of a run */
	const struct hs_bb_table *table; /* of the program that the runs are of */
	uint32_t version;                /* of the table */
	struct hs_memo_stats stats;
};

/* A message that was not found, while it is decoded. */
struct hs_memo_pending {
	struct hs_memo_key key;
	uint64_t reference;          /* address before it */
	uint64_t end;                /* offset after it */
	uint8_t bytes;               /* of it */
	const struct hs_block *from; /* what it writes; NULL: there is none */
};

#endif
