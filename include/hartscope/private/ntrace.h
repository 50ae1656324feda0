/* Private state of N-Trace's encoder and decoder.  It stands here because the caller owns the
 * memory; no member may be relied upon. */
#ifndef HARTSCOPE_PRIVATE_NTRACE_H
#define HARTSCOPE_PRIVATE_NTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/ntrace.h>
#include <hartscope/private/flow.h>

struct nt_output;

struct hs_nt_encoder {
	struct hs_nt_config config;
	/* Runs of plain blocks (plain.c); NULL: it is not used, and not linked. */
	size_t (*runs)(struct hs_nt_encoder *e, struct nt_output *out, const struct hs_block *b,
	               size_t n);
	const struct hs_nt_dialect *dialect;
	uint64_t ref;    /* reference address (NT 8.1) */
	uint64_t sign;   /* bits of an address field that are equal (design/nt-vendor); 0: none need
			  * be */
	uint64_t expect; /* address after the last block, when follow */
	uint64_t filled_at;     /* address after the branch that filled HIST (hist_at_once) */
	uint64_t predicted;     /* target of a pending return, by the return stack */
	uint64_t icnt;          /* half-words since the last I-CNT */
	uint64_t count;         /* units since the last synchronising message */
	uint64_t interval;      /* units between them; 0: never */
	uint64_t time;          /* of what follows */
	uint64_t time_sent;     /* as last reported */
	uint64_t event_time;    /* of what the next address, or a synchronisation, follows from */
	uint64_t count_time;    /* of the last branch counted in repeats or held_times */
	uint64_t lost_time;     /* of the first message lost, when lost */
	uint64_t context[2];    /* scontext, hcontext */
	uint64_t circuit_first; /* CKDATA of in-circuit trace, whose CKDATA1 comes next */
	uint64_t repeats;       /* of the last branch message, not reported yet */
	uint64_t last[4];       /* B-TYPE, I-CNT, U-ADDR, HIST of the last branch message */
	uint32_t pending;       /* what the next address completes: enum pending in emit.h */
	uint32_t icnt_limit;    /* I-CNT from which on a counter of icnt_bits has overflowed */
	uint32_t sync;          /* SYNC of a pending synchronising message, plus 1; 0: none */
	uint32_t hist;          /* HIST with its stop bit */
	uint32_t held;          /* a full history that may repeat, with its stop bit; 0: none */
	uint32_t held_times;    /* how often it came so far */
	uint32_t repeat_limit;  /* greatest HREPEAT and B-CNT */
	uint32_t new_calls;     /* not 0: calls that no message reported yet */
	uint8_t classes[16];    /* by itype: enum class in plain.c */
	uint8_t hist_n;         /* branches in hist */
	uint8_t held_n;         /* branches in held */
	uint8_t btype;          /* B-TYPE of a pending indirect branch */
	uint8_t jump;           /* itype of the block before it */
	uint8_t jump_size;      /* half-words of its last instruction */
	uint8_t last_tcode;     /* of the message just sent, when it may repeat */
	uint8_t priv;           /* as last reported */
	uint8_t contexts;       /* bit f: context of FORMAT f is known (NT Table 12) */
	uint8_t ownership_pending; /* bit f: Ownership of FORMAT f waits for an address */
	bool running;              /* between the first ProgTraceSync and a correlation */
	bool started;              /* there was a ProgTraceSync */
	bool stopped;              /* there was a ProgTraceCorrelation */
	uint8_t evcode;            /* of the last one */
	uint8_t circuit;           /* CKSRC of circuit_first, plus 1; 0: none waits */
	bool ref_known;            /* ref was sent since messages were lost */
	bool lost;                 /* messages were lost since the last one sent, but for Error */
	bool error_sent;           /* Error was sent since, as the last message */
	uint32_t follow;           /* expect is meaningful */
	struct hs_returns returns;
	struct hs_nt_counts written;
	uint32_t sync_due; /* periodic synchronisation is due */
	/* pending, sync, sync_due and follow are apart from each other: read together right after
	 * one was written, they would wait for the store. */
};

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
	struct hs_nt_msg msg; /* the current message */
	uint64_t top;         /* bit of an address field that stands for those above it; 0: none */
	bool top_is_sent;     /* it is the top bit on the wire (NT 8.2) */
	struct hs_memo *memo; /* NULL: nothing is remembered */
	/* Follow messages that the memo knows; @in NULL: the call ends.  NULL: there is no memo,
	 * and it is not linked. */
	void (*recall)(struct hs_nt_decoder *d, struct hs_span *in, struct flow_out *out);
	struct hs_memo_pending pending;
	struct hs_nt_diag diag;
	struct hs_nt_stats stats;
};

#endif
