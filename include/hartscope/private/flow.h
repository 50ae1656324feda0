/* Private state that encoders and decoders of both protocols share, and that of memo.h.  It stands
 * here because the caller owns the memory; no member may be relied upon. */
#ifndef HARTSCOPE_PRIVATE_FLOW_H
#define HARTSCOPE_PRIVATE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/image.h>
#include <hartscope/memo.h>

/* Deepest stack of return addresses (NT 9.2). */
#define HS_RETURNS 32

/* How far a stack of return addresses was used, since somebody looked. */
struct hs_call_marks {
	uint32_t lowest, highest; /* its top was between them */
	bool dry;                 /* a return found it empty */
};

/* Return addresses of the calls on the way; the oldest is forgotten first. */
struct hs_returns {
	uint64_t at[HS_RETURNS];
	uint32_t top;   /* at[(top - 1) % HS_RETURNS] is the latest */
	uint32_t count; /* at most HS_RETURNS */
	struct hs_call_marks marks;
};

/* Where a walk through the program stands. */
struct hs_walk {
	uint64_t pc;         /* start of entry cur, or the address that has no code */
	uint32_t cur;        /* entry of the table */
	uint32_t generation; /* of the table, when cur was taken */
	uint64_t priv;       /* XOR mask that replaces HS_PRIV_UNKNOWN by the current privilege,
	                        in a block's second word (core/image_word.h) */
	uint32_t acc;        /* half-words of the open block before entry cur */
	uint8_t off;         /* half-words of entry cur that retired */
	uint8_t last;        /* size of the last instruction, when off is 0 and acc is not */
	uint8_t rules;       /* enum flow_rules */
	struct hs_returns returns;
};

/* What a source knows of the time. */
enum hs_timed {
	HS_TIMED_NOT,
	HS_TIMED,      /* as last reported */
	HS_TIMED_NEXT, /* not reported: that of the next packet, or before it (ET Timestamping) */
};

/* What a source of any protocol begins with. */
struct hs_track {
	struct hs_walk walk;
	struct hs_bb_table *table; /* of the program that runs */
	uint64_t time;             /* when timed */
	uint64_t unseen; /* enum hs_unseen: retired since the walk left the code that is known */
	uint64_t unseen_at; /* where it left that code */
	uint64_t until; /* with a guide: blocks before the next change of code */
	uint64_t placed; /* byte of the last message that gave the full address */
	uint64_t since; /* with a guide: blocks written since the last message with an address */
	uint16_t src;
	uint8_t state; /* enum track_state */
	uint8_t timed; /* enum hs_timed */
	bool hidden; /* HS_KIND_UNSEEN is still to be written */
	bool adrift; /* with a guide: blocks were lost, the count of them means nothing */
};

/* The program of a context that has none: nothing is known. */
struct hs_nothing {
	struct hs_image image;
	struct hs_bb_table table;
	uint64_t memory[96]; /* hs_bb_memory(16) */
};

/* The sources of a decoder. */
struct hs_stream {
	struct hs_nothing nothing;
	struct hs_bb_table *table; /* of the program before the first context */
	struct hs_bb_table *const *tables; /* of those of contexts */
	const uint64_t *contexts;
	size_t table_count;
	struct hs_track *tracks; /* of the first source; the next is size bytes further */
	size_t size;           /* bytes of a source, which begins with its track */
	size_t capacity, count; /* sources given, in use */
	size_t current;        /* source of the current message; count: none */
	uint64_t offset;       /* of the message at fault */
	enum hs_status fault;  /* to be returned once all gaps are written */
	uint32_t hart;         /* last HS_KIND_HART reported; UINT32_MAX: none */
	const struct hs_code_guide *guide; /* NULL: the code does not change */
	struct hs_block *const *end;    /* with a guide: where the next block is written, and */
	const struct hs_block *counted; /* those before it are counted */
	bool several;          /* messages name their source */
	bool others_run_first; /* contexts without a program run @table */
	uint64_t limit, written; /* blocks of a message: most of them, those of the current one */
};

/* Jumps since the last branch. */
struct hs_jumps {
	uint32_t without_branch;
	uint32_t mark; /* an entry that they led through before; 0: none */
};

/* Evidence still to be walked. */
struct hs_evidence {
	uint64_t left;   /* half-words that retired */
	uint64_t hist;   /* branches, the next one in bit 63 */
	struct hs_jumps jumps;
	uint8_t bits;    /* branches in hist */
	uint8_t mode;    /* enum flow_mode */
};

/* All that decides where a message leads.  What state and extra mean is the protocol's. */
struct hs_memo_key {
	uint64_t bytes[2]; /* of the messages; 0 after their end */
	uint64_t state;    /* not 0 */
	uint64_t extra;
};

/* A cached path: 64 bytes, a line of most caches. */
struct hs_memo_path {
	struct hs_memo_key key;
	uint64_t after, extra; /* state and extra afterwards */
	uint64_t moved;        /* change of the reference address */
	uint32_t first;        /* its blocks, in hs_memo.blocks */
	uint8_t blocks;
	uint8_t kind : 6; /* of the last message: TCODE or form */
	uint8_t odd : 1;  /* N-Trace: it may lead elsewhere than when it was added, or changes more
	                     than the reference and the state; E-Trace: it gives no address */
	uint8_t timed : 1; /* a time comes after its blocks, which is not in it */
	uint8_t lead : 4; /* bytes before the last message */
	uint8_t more : 4; /* bytes of all messages, less one */
	uint8_t times;    /* found so often, in addition to hs_memo.counts */
};

struct hs_memo {
	struct hs_memo_path *paths;
	struct hs_block *blocks; /* in unknown privilege; after each path where it led */
	uint64_t *counts;        /* of each path; MEMO_UNLISTED: 0, and its times are 255 */
	uint32_t *listed;        /* paths whose count is not MEMO_UNLISTED */
	uint32_t *guesses;       /* paths, by the bytes of the latest messages */
	uint64_t latest;         /* these bytes, mixed */
	uint32_t listed_count;
	uint32_t count;                  /* blocks in use */
	uint32_t capacity;               /* blocks */
	uint32_t mask;                   /* paths - 1 */
	uint8_t shift;                   /* of a hash, to a number of a path */
	const struct hs_bb_table *table; /* of the program that the paths are of */
	uint32_t version;                /* of the table */
	struct hs_memo_stats stats;
	hs_memo_count_fn *take; /* NULL: paths are not counted */
	void *to;
	uint64_t priv;              /* of the paths that are counted, as in hs_walk */
	bool held;                  /* no more paths are counted in this call */
	bool passes_times;          /* a time does not divide what is counted */
	bool refers;                /* paths that are found are written as HS_KIND_PATH */
	uint8_t end;                /* enum memo_end */
	uint8_t lead_kind;          /* of the messages before the last one of a path */
	uint64_t *messages, *bytes; /* the decoder's, by kind */
	/* Count the messages of a path there; NULL: as flow_memo_count_messages() does. */
	void (*count_messages)(struct hs_memo *m, const struct hs_memo_path *r, uint64_t times);
};

/* Addresses that a path may pop from the stack of returns, and that it may leave there. */
#define HS_MEMO_CALLS 7u

/* The messages of which no path was found, while they are decoded. */
struct hs_memo_pending {
	struct hs_memo_key key;
	uint64_t reference;          /* reference address before them */
	uint64_t end;                /* offset of the first byte after them */
	uint64_t start;              /* address of the first block */
	uint8_t bytes;               /* of them */
	bool counts;                 /* paths are counted */
	const struct hs_block *from; /* their first item; NULL: nothing is pending */
	const struct hs_block *seen; /* items before it were looked at (flow_memo_counts()) */
	/* The stack of returns before it, where the trace leaves their targets out: */
	uint32_t top, count;
	uint64_t calls[HS_MEMO_CALLS]; /* the latest first */
};

#endif
