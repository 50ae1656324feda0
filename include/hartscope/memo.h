/* A decoder's cache of what it decoded before.
 *
 * Programs repeat themselves, and so does their trace.  A memo keeps cached paths: a place in the
 * program, the bytes of the messages that came there, and the blocks that they led through.  Where
 * the same bytes come at the same place again, the decoder copies the blocks, and neither reads the
 * messages nor follows the program.
 *
 * A memo changes how fast a decoder is, and nothing else: items, counters, diagnostics and states
 * are those of a decoder without one.  It is the caller's memory, of any size; a full memo starts
 * afresh.  It is filled by one decoder, which belongs to one thread at a time.
 */
#ifndef HARTSCOPE_MEMO_H
#define HARTSCOPE_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/image.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Paths that a memo may have, as a power of two: least and most. */
#define HS_MEMO_PATHS_MIN 16u
#define HS_MEMO_PATHS_MAX (1u << 24)

struct hs_memo;

/** Bytes of memory that hs_memo_init() needs for @paths paths, of eight blocks each on average. */
HS_STATIC size_t hs_memo_memory(uint32_t paths);

/**
 * Start an empty memo.
 * @param memory  hs_memo_memory(runs) bytes, aligned for uint64_t; kept until the last use.
 * @param paths    A power of two, HS_MEMO_PATHS_MIN to HS_MEMO_PATHS_MAX.
 * @retval HS_OK
 * @retval HS_E_ARG  paths is no such number, or memory is NULL or misaligned.
 */
HS_STATIC enum hs_status hs_memo_init(struct hs_memo *m, void *memory, uint32_t paths);

/** Paths that were found, and messages or groups of them for which none was. */
struct hs_memo_stats {
	uint64_t hits, misses;
	uint64_t kept;    /**< paths that were added */
	uint64_t emptied; /**< times that the memo started afresh */
};

/** @param path  Valid until the function returns. */
typedef void hs_memo_count_fn(void *to, const struct hs_path_count *path);

/**
 * Count paths, for callers that need no order of blocks: a decoder with this memo does not write
 * the blocks of paths that it finds, but counts them.  Instead it writes a note (HS_NOTE_COUNTED)
 * and the last path of each row.  The blocks that are written and those that are counted are
 * together those of a decoder without a memo.
 * @param take  Gets each path that was counted, with how often, when hs_memo_flush() is called, and
 *              during a call of the decoder: when the memo has no room, when the program or the
 *              privilege changes, and before an event after which blocks belong to another hart,
 *              context or moment.  What it gets belongs to those that were current when the call
 *              began.  NULL: blocks are written again.
 * @param to    Its first argument.
 *
 * The decoder's counters of messages are those of the last flush.
 */
HS_STATIC void hs_memo_count(struct hs_memo *m, hs_memo_count_fn *take, void *to);

/** Give what was counted: at the end, or whenever it is wanted between two calls of the decoder,
 * and before its memory, or that of the decoder, is used for something else. */
HS_STATIC void hs_memo_flush(struct hs_memo *m);

struct hs_bb_table;
struct hs_code_guide;
struct hs_et_data_coder;

/** What a decoder of either protocol may have beyond its program (hs_nt_decoder_set(),
 * hs_et_decoder_set()).  What pointers lead to is kept. */
struct hs_decoder_options {
	uint32_t size; /**< sizeof(struct hs_decoder_options) */
	/** Several programs: where a message names context contexts[i], its source continues in
	 * tables[i].  N-Trace: Ownership messages do (NT 7.1).  E-Trace: synchronising packets and
	 * those of traps (ET Format 3 packets); a context packet has no address (ET Table
	 * context-type) and selects nothing.  In a context that is not in the list nothing is
	 * known, but with others_run_first (design/contexts). */
	size_t count;
	struct hs_bb_table *const *tables;
	const uint64_t *contexts;
	/** Remembers decoded messages, and is emptied first; NULL: none are.  It has no effect on
	 * what is decoded.  It is not used with several programs, where messages name their source
	 * (N-Trace: if it counts; E-Trace: of 2.1, or if types differ), with data trace, for 0.026
	 * and HS_ET_FAST. */
	struct hs_memo *memo;
	/** Take at most so many blocks from one message, more are damage
	 * (HS_REASON_BLOCKS_LIMIT); 0: the default, HS_MESSAGE_BLOCKS.  What has come when the
	 * limit is met may be up to the size of the caller's array more. */
	uint64_t message_blocks;
	/** E-Trace: enum hs_et_care, or a sum of them: how sure the decoder has to be after damage.
	 * Framings of E-Trace do not show where packets begin: bytes after damage may pass for
	 * packets.  0: it writes blocks again from the next synchronising packet on whose address
	 * is code, and past code that is not known from the next address.  Else it writes nothing
	 * after damage until the flow led from one synchronising packet to the address of another
	 * one, without a fault (design/resync): damage costs one interval more.  Without effect
	 * where there is a guide. */
	unsigned care;
	/** E-Trace: decode data trace too: accesses are HS_KIND_DATA and HS_KIND_VALUE, where their
	 * packets stand, before the block of their instruction.  One coder for each source; NULL:
	 * data trace is skipped. */
	struct hs_et_data_coder *data;
	size_t data_count;
	/** Code changes while it is traced: says when, and has the tables of all sources, in place
	 * of @tables; NULL: it does not change. */
	const struct hs_code_guide *guide;
	/** Contexts that are not in the list run the program of no context: what it has is common
	 * to all of them, such as a kernel. */
	bool others_run_first;
};

/* ---- private ------------------------------------------------------------------------
 *
 * Private state that encoders and decoders of both protocols share, and that of memo.h.  It stands
 * here because the caller owns the memory; no member may be relied upon.
 */

/* Deepest stack of return addresses (NT 9.2): hardware counts up to 1023 calls. */
#define HS_RETURNS 1024

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
	uint32_t returns;    /* with FLOW_RETURNS: where the stack is, in bytes from here, since
	                     sources are copied */
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
	uint64_t unseen;    /* enum hs_unseen: retired since the walk left the code that is known */
	uint64_t unseen_at; /* where it left that code */
	uint64_t until;     /* with a guide: blocks before the next change of code */
	uint64_t placed;    /* byte of the last message that gave the full address */
	uint64_t since; /* with a guide: blocks written since the last message with an address */
	uint16_t src;
	uint8_t state; /* enum track_state */
	uint8_t timed; /* enum hs_timed */
	bool hidden;   /* HS_KIND_UNSEEN is still to be written */
	bool adrift;   /* with a guide: blocks were lost, the count of them means nothing */
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
	struct hs_bb_table *table;         /* of the program before the first context */
	struct hs_bb_table *const *tables; /* of those of contexts */
	const uint64_t *contexts;
	size_t table_count;
	struct hs_track *tracks;           /* of the first source; the next is size bytes further */
	size_t size;                       /* bytes of a source, which begins with its track */
	size_t capacity, count;            /* sources given, in use */
	size_t current;                    /* source of the current message; count: none */
	uint64_t offset;                   /* of the message at fault */
	enum hs_status fault;              /* to be returned once all gaps are written */
	uint32_t hart;                     /* last HS_KIND_HART reported; UINT32_MAX: none */
	const struct hs_code_guide *guide; /* NULL: the code does not change */
	struct hs_block *const *end;       /* with a guide: where the next block is written, and */
	const struct hs_block *counted;    /* those before it are counted */
	bool several;                      /* messages name their source */
	bool others_run_first;             /* contexts without a program run @table */
	bool all_syncs;                    /* those that change nothing are events, too */
	uint64_t limit, written; /* blocks of a message: most of them, those of the current one */
};

/* Jumps since the last branch. */
struct hs_jumps {
	uint32_t without_branch;
	uint32_t mark; /* an entry that they led through before; 0: none */
};

/* Evidence still to be walked. */
struct hs_evidence {
	uint64_t left; /* half-words that retired */
	uint64_t hist; /* branches, the next one in bit 63 */
	struct hs_jumps jumps;
	uint8_t bits; /* branches in hist */
	uint8_t mode; /* enum flow_mode */
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
	uint8_t kind : 6;  /* of the last message: TCODE or form */
	uint8_t unanchored : 1; /* where it leads does not say all: N-Trace: the reference address
	                           is another one; E-Trace: its packet gives no address */
	uint8_t timed : 1; /* a time comes after its blocks, which is not in it */
	uint8_t lead : 4;  /* bytes before the last message */
	uint8_t more : 4;  /* bytes of all messages, less one */
	uint8_t times;     /* found so often, in addition to hs_memo.counts */
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

#ifdef __cplusplus
}
#endif
#endif
