/* Messages whose way is remembered: what recall.c and recall_count.c share. */
#ifndef HS_NTRACE_RECALL_H
#define HS_NTRACE_RECALL_H

#include "ntrace/reader.h"
#include "ntrace/source.h"
#include "ntrace/window.h"

#include "core/mem.h"
#include "core/base_word.h"
#include "flow/memo.h"

/* hs_memo_key.state: the walk stands at the reference address. */
#define AT_REF ((uint64_t)1 << 40)

/* Where runs led so far. */
struct nt_recall {
	struct flow_window window; /* with the state in its key */
	uint64_t ref;
	const uint8_t *p, *end;
	struct hs_memo_run *last; /* run, if there was any */
	const uint8_t *branch;    /* the last message that may be repeated; NULL: none */
	struct nt_marks marks;    /* where times are left out of keys, and */
	const uint8_t *timed;     /* the last message */
	uint64_t time;            /* after it */
	uint64_t stamp;           /* TSTAMP of the window, and */
	unsigned stamp_bytes;     /* its bytes; 0: there is none */
	uint64_t used, full;      /* icnt_used and icnt_full, where they are left out of keys */
	unsigned how;             /* as look() in recall.c has it */
	bool elsewhere;           /* the last run led to ref, not to where it did before */
	bool far;                 /* runs are counted */
};

/* Take the run of the window.  The run has its length, too, but would have to be waited for. */
static inline __attribute__((always_inline)) void nt_recall_follow(struct nt_recall *r,
                                                                   struct hs_memo_run *run,
                                                                   const struct hs_bb *bbs)
{
	if (likely(run->kind != HS_NT_RESOURCE_FULL))
		r->branch = r->p + run->lead;
	else if (run->lead)
		r->branch = r->p + run->lead - NT_BRANCH_BYTES;
	r->p += r->window.bytes;
	r->ref ^= run->moved;
	r->elsewhere = (run->after & ~run->key.state & AT_REF) &&
	               bbs[(uint32_t)run->after].start != r->ref;
	r->window.key.state = run->after;
	r->window.key.extra = run->extra;
	r->last = run;
}

/* Remember messages; @memo NULL: no more. */
void nt_recall_begin(struct hs_nt_decoder *d, struct hs_memo *memo);

/* Count runs of one message each (HTM), while a good piece of the input is left. */
void nt_count_marked(struct hs_nt_decoder *d, struct nt_recall *r);

#endif
