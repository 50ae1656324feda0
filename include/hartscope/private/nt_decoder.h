/* Private state of the N-Trace decoder.  It stands here because the caller owns the memory; no
 * member may be relied upon. */
#ifndef HARTSCOPE_PRIVATE_NT_DECODER_H
#define HARTSCOPE_PRIVATE_NT_DECODER_H

#include <stdint.h>

#include <hartscope/nt_decoder.h>
#include <hartscope/nt_reader.h>
#include <hartscope/private/flow.h>
#include <hartscope/private/memo.h>

struct flow_out;

/* One source (SRC). */
struct hs_nt_source {
	struct hs_track track;
	struct hs_evidence evidence;
	uint64_t ref;       /* reference address (NT 8.1) */
	uint64_t icnt_full; /* I-CNT reported by ResourceFull, not yet walked */
	uint64_t icnt_used; /* half-words walked by HIST without I-CNT since the last I-CNT */
	uint64_t repeat;    /* repeats of the current message still to do */
	uint64_t last[4];   /* B-TYPE, I-CNT, U-ADDR, HIST of the last branch message */
	uint32_t last_present;
	uint8_t last_tcode; /* 0: there is none to repeat */
	uint8_t phase;      /* enum nt_phase */
	uint8_t mode;       /* enum hs_nt_mode once a message says which, 0 before */
	uint8_t stop;       /* enum flow_stop of the walk just done */
	bool at_ref;        /* TRACK_UNSEEN: nothing retired since ref was reported */
	bool ref_known;     /* ref is an address that a message gave, since nothing was lost */
	bool calls_unseen;  /* calls since the last synchronisation are not all known */
};

/* A stream, split by SRC in one pass. */
struct hs_nt_decoder {
	struct hs_nt_config config;
	struct hs_nt_reader reader;
	const struct hs_nt_dialect *dialect;
	struct hs_nt_source *sources;
	struct hs_stream stream;
	struct hs_nt_msg msg;    /* the current message */
	uint64_t top;     /* bit of an address field that stands for those above it; 0: none */
	bool top_is_sent; /* it is the top bit on the wire (NT 8.2) */
	struct hs_memo *memo;    /* NULL: nothing is remembered */
	/* Follow messages that the memo knows; @in NULL: the call ends.  NULL: there is no memo,
	 * and it is not linked. */
	void (*recall)(struct hs_nt_decoder *d, struct hs_span *in, struct flow_out *out);
	struct hs_memo_pending pending;
	struct hs_nt_diag diag;
	struct hs_nt_stats stats;
};

#endif
