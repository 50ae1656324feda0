/* Private state of the E-Trace decoder.  It stands here because the caller owns the memory; no
 * member may be relied upon. */
#ifndef HARTSCOPE_PRIVATE_ET_DECODER_H
#define HARTSCOPE_PRIVATE_ET_DECODER_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/et_decoder.h>
#include <hartscope/et_reader.h>
#include <hartscope/private/et_tables.h>
#include <hartscope/private/flow.h>
#include <hartscope/private/memo.h>

struct flow_out;

/* A path to an address. */
struct hs_path {
	uint64_t address;   /* where it leads */
	uint64_t hist;      /* branches, the next one in bit 63, 1 for taken */
	uint64_t predicted; /* branches after them that went as the predictor says */
	struct hs_et_tables *tables; /* of the source */
	uint8_t *states;    /* of the branch predictor; NULL: it is not in use */
	uint32_t mask;      /* its entries, less 1 */
	uint32_t depth;     /* calls that are remembered; 0: returns are not inferred */
	uint32_t report_depth;
	uint32_t depth_mask; /* of the depth, the bits that a report has */
	uint8_t coarse;     /* 1: the predictor counts addresses in units of 4 bytes, not of 2 */
	struct hs_jumps jumps;
	struct hs_call_marks marks; /* of the tables' stack */
	uint8_t bits;       /* branches in hist */
	uint8_t failed;     /* 1: one more branch, which did not go as the predictor says */
	uint8_t goal;       /* enum path_goal */
	uint8_t report;     /* 1: the stack is report_depth deep at the address, or the return
	                       that leads there was at that depth */
	uint8_t counting;   /* 1: a report has irets, not a depth */
	uint8_t irets;      /* returns inferred since the last branch or packet */
	uint8_t before;     /* 1: the address is in another program: the path ends before it */
	uint8_t calls_unseen;  /* 1: calls may be missing below those that are remembered */
	uint8_t states_unseen; /* 1: the branch predictor is not that of the encoder */
	uint8_t waits;      /* enum path_wait */
	uint8_t own;        /* enum path_own: the branch at the address of a synchronising packet */
	uint8_t own_bit;    /* how the packet reports it: 1 is not taken */
	uint8_t lenient;    /* 1: a jump may lead to an instruction that did not retire: one without
	                       code, or a branch without a bit */
};

/* One source (srcID). */
struct hs_et_source {
	struct hs_track track;
	struct hs_path path;
	uint64_t address;  /* as last reported */
	uint64_t context;
	uint8_t phase;     /* of the current packet: enum et_phase */
	uint8_t priv;
	uint8_t options;   /* enum hs_et_option, as last reported */
	bool inferred;     /* the address was met, but the packet may mean the next time that it is
	                      met (ET Format 2 updiscon) */
	bool contexted;
	uint8_t landed;    /* 0.026: what the last packet named: enum et_landed */
	uint8_t own;       /* TRACK_UNSEEN: which way the last branch went */
	bool disabled;     /* 0.026: the last packet says that the encoder is, and nothing of why */
	uint8_t doubt;     /* after damage, enum et_doubt: what is decoded is not written */
	bool withheld;     /* something was not written, from @doubted on: an offset */
	uint64_t doubted;
	bool met;       /* a synchronising packet came */
	uint64_t unmet; /* offset of the last packet that was skipped before one came, + 1 */
	bool leapt;     /* the last synchronising packet was met by a jump whose target nothing
	                      else reports */
	uint8_t trial;  /* options: so many synchronising packets have to agree first; 0: none,
	                      they are believed */
	uint8_t rival;  /* options: those before, until two synchronising packets agree */
	bool agreed;    /* a support packet had the options that the parameters name */
	uint8_t mode;   /* the last privilege as packets have it */
	struct hs_et_tables tables;
};

/* A stream, split by srcID in one pass. */
struct hs_et_decoder {
	struct hs_et_resolved config;
	struct hs_et_reader reader;
	struct hs_et_source *sources;
	unsigned char *memory; /* of the tables of the first source; the next is further by
	                          et_memory() bytes, made a multiple of 8 */
	struct hs_stream stream;
	uint64_t sign; /* top bit of addresses, where they are sign-extended; else 0 */
	uint64_t most; /* the highest address */
	struct hs_et_packet packet; /* the current packet */
	struct hs_memo *memo;       /* NULL: nothing is remembered */
	/* Follow packets that the memo knows; @in NULL: the call ends.  NULL: there is no memo,
	 * and it is not linked. */
	void (*recall)(struct hs_et_decoder *d, struct hs_span *in, struct flow_out *out);
	struct hs_memo_pending pending;
	struct hs_et_data_coder *data; /* of each source; NULL: data trace is skipped */
	struct hs_access access;       /* of the current packet */
	bool has_access;
	uint8_t care;      /* enum hs_et_care */
	uint8_t refused;   /* options that a trace starts with and the parameters cannot have, with
	                      those of the same packet */
	uint16_t proposed; /* HS_ET_CARE_OPTIONS: options that were reported once, + 1; 0: none */
	struct hs_et_diag diag;
	struct hs_et_stats stats;
};

#endif
