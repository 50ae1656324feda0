/* What the decoders of all protocols share: a walk through the program.
 *
 * These structs are private; they are here because decoders hold them in memory that the
 * caller owns.
 */
#ifndef HARTSCOPE_FLOW_H
#define HARTSCOPE_FLOW_H

#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/image.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Deepest stack of return addresses (NT 9.2). */
#define HS_RETURNS 32

/** Return addresses of the calls on the way; the oldest is forgotten first.  Private. */
struct hs_returns {
	uint64_t at[HS_RETURNS];
	uint32_t top;   /* at[(top - 1) % HS_RETURNS] is the latest */
	uint32_t count; /* at most HS_RETURNS */
};

/** Where a walk through the program stands.  Private. */
struct hs_walk {
	uint64_t pc;         /* start of entry cur, or the address that has no code */
	uint32_t cur;        /* entry of the table */
	uint32_t generation; /* of the table, when cur was taken */
	uint64_t priv;       /* makes HS_PRIV_UNKNOWN of a block's second word what it is to be, by exclusive or */
	uint32_t acc;        /* half-words of the open block before entry cur */
	uint8_t off;         /* half-words of entry cur that retired */
	uint8_t last;        /* size of the last instruction, when off is 0 and acc is not */
	uint8_t rules;       /* enum flow_rules */
	struct hs_returns returns;
};

/** What a source of any protocol begins with.  Private. */
struct hs_track {
	struct hs_walk walk;
	struct hs_bb_table *table; /* of the program that runs */
	uint64_t time; /* as last reported, when timed */
	uint16_t src;
	uint8_t state; /* enum track_state */
	bool timed;
};

/** The sources of a decoder.  Private. */
struct hs_stream {
	struct hs_bb_table *table; /* of the program before the first context */
	struct hs_bb_table *const *tables; /* of those of contexts */
	const uint64_t *contexts;
	size_t table_count;
	struct hs_track *tracks; /* of the first source; the next one is size bytes further */
	size_t size;           /* bytes of a source, which begins with its track */
	size_t capacity, count; /* sources given, in use */
	size_t current;        /* source of the current message; count: none */
	uint64_t offset;       /* of the message at fault */
	enum hs_status fault;  /* to be returned once all gaps are written */
	uint32_t hart;         /* last HS_KIND_HART reported; UINT32_MAX: none */
	bool several;          /* messages name their source */
};

/** Evidence still to be walked.  Private. */
struct hs_evidence {
	uint64_t left;   /* half-words that retired */
	uint64_t hist;   /* branches, the next one in bit 63 */
	uint32_t still;  /* direct jumps since the last branch of hist */
	uint32_t mark;   /* entry that such jumps led through before; 0: none */
	uint8_t bits;    /* branches in hist */
	uint8_t mode;    /* enum flow_mode */
};

/** A path to an address (E-Trace).  Private. */
struct hs_path {
	uint64_t address;   /* where it leads */
	uint64_t hist;      /* branches, the next one in bit 63, 1 for taken */
	uint64_t predicted; /* branches after them that went as the predictor says */
	uint8_t *states;    /* of the branch predictor; NULL: there is none */
	uint32_t mask;      /* its entries, less 1 */
	uint8_t coarse;     /* 1: instructions stand at multiples of 4 bytes, and entries go by them */
	uint32_t still;     /* direct jumps since the last branch */
	uint32_t mark;      /* entry that such jumps led through before; 0: none */
	uint8_t bits;       /* branches in hist */
	uint8_t failed;     /* 1: one more branch, which did not go as the predictor says */
	uint8_t goal;       /* enum path_goal */
	uint8_t depth;      /* calls that the return stack holds; 0: returns are not inferred */
	uint8_t report;     /* 1: the stack is report_depth deep at the address, or the return that leads there
	                       was at that depth */
	uint8_t report_depth;
	uint8_t depth_mask; /* of the depth, the bits that a report has */
	uint8_t counting;   /* 1: a report tells irets, not a depth */
	uint8_t irets;      /* returns inferred since the last branch or packet */
	uint8_t before;     /* 1: the address is in another program: the path ends before its instruction */
	uint8_t lenient;    /* 1: a jump may lead to what did not retire: to no code, or a branch without a bit */
};

#ifdef __cplusplus
}
#endif
#endif
