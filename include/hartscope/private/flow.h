/* Private state that encoders and decoders of both protocols share.  It stands here because the
 * caller owns the memory; no member may be relied upon. */
#ifndef HARTSCOPE_PRIVATE_FLOW_H
#define HARTSCOPE_PRIVATE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/image.h>

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
	                        in a block's second word (image/word.h) */
	uint32_t acc;        /* half-words of the open block before entry cur */
	uint8_t off;         /* half-words of entry cur that retired */
	uint8_t last;        /* size of the last instruction, when off is 0 and acc is not */
	uint8_t rules;       /* enum flow_rules */
	struct hs_returns returns;
};

/* What a source of any protocol begins with. */
struct hs_track {
	struct hs_walk walk;
	struct hs_bb_table *table; /* of the program that runs */
	uint64_t time; /* as last reported, when timed */
	uint64_t unseen; /* enum hs_unseen: retired since the walk left the code that is known */
	uint64_t unseen_at; /* where it left that code */
	uint64_t until; /* with a guide: blocks before the next change of code */
	uint64_t placed; /* byte of the last message that gave the full address */
	uint64_t since; /* with a guide: blocks written since the last message with an address */
	uint16_t src;
	uint8_t state; /* enum track_state */
	bool timed;
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

#endif
