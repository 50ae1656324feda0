/* Private state of lint.  It stands here because the caller owns the memory; no member may be
 * relied upon. */
#ifndef HARTSCOPE_PRIVATE_NT_LINT_H
#define HARTSCOPE_PRIVATE_NT_LINT_H

#include <stdbool.h>
#include <stdint.h>

/* One source (SRC). */
struct hs_nt_lint_source {
	uint64_t time;      /* as reported last */
	uint64_t icnt;      /* of ResourceFull, since the last message with I-CNT */
	uint64_t branches;  /* of ResourceFull, since then */
	uint64_t count;     /* units since the last synchronisation */
	uint64_t hist;      /* of the ResourceFull right before; 0: there is none */
	uint64_t hist_times;
	uint64_t uaddr;     /* of the last branch message */
	uint64_t offset;    /* of the last message */
	uint16_t src;
	uint8_t state;      /* enum in lint.h */
	uint8_t mode;       /* enum hs_nt_mode once it is known */
	uint8_t btypes;     /* bit n: B-TYPE n was seen */
	uint8_t branch;     /* TCODE of the last branch message; 0: none */
	uint8_t before;     /* TCODE of the message right before */
	uint8_t evcode;     /* of the last ProgTraceCorrelation */
	uint8_t overdue;    /* branch messages since synchronisation was due twice */
	uint8_t formats;    /* bit n: Ownership with FORMAT n since synchronisation */
	uint8_t itype;      /* of the last block, with a program */
	bool at_sync;       /* only Ownership came since the synchronising message */
	bool hcontext;      /* hcontext is implemented */
	bool timed;         /* time is meaningful */
};

/* A finding in the queue. */
struct hs_nt_lint_entry {
	uint64_t offset, value, pc;
	uint16_t id;
	uint8_t field;
	bool message;
};

#endif
