/* Cached paths of N-Trace (recall.c): the state while they are followed, and one step. */
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

/* While paths are followed: a copy of what a source knows, in registers, which settle() puts back.
 *
 * The reference address is not in a key, but whether the walk stands there is (AT_REF).  So a path
 * with U-ADDR has the change of the reference (hs_memo_path.moved), and leads to another place than
 * when it was added if it came from another reference: then @elsewhere is set, and the usual way
 * continues from @ref. */
struct nt_recall {
	struct flow_window window; /* its key has the state */
	uint64_t ref;              /* reference address */
	const uint8_t *p, *end;    /* input that is left */
	struct hs_memo_path *last; /* NULL: no path was followed */
	const uint8_t *branch;     /* the last message that may be repeated (NT 7.11); NULL: none */
	struct nt_marks marks;     /* LOOK_TIMES: ends of messages from @p on */
	const uint8_t *timed;      /* LOOK_TIMES: the last message */
	uint64_t time;             /* after it */
	uint64_t stamp;            /* TSTAMP of the window */
	unsigned stamp_bytes;      /* bytes of TSTAMP; 0: there is none */
	uint64_t used, full;       /* LOOK_RETURNS: icnt_used and icnt_full of the source */
	unsigned look;             /* flags of look() in recall.c */
	bool elsewhere;            /* the last path led to ref, not to where it led before */
	bool counts;               /* paths are counted */
};

/* Follow the path of the window.  The length of its messages is in the path, too, but the window
 * has it without waiting for memory. */
static inline __attribute__((always_inline)) void nt_recall_follow(struct nt_recall *r,
                                                                   struct hs_memo_path *path,
                                                                   const struct hs_bb *bbs)
{
	if (likely(path->kind != HS_NT_RESOURCE_FULL))
		r->branch = r->p + path->lead;
	else if (path->lead)
		r->branch = r->p + path->lead - NT_BRANCH_BYTES;
	r->p += r->window.bytes;
	r->ref ^= path->moved;
	r->elsewhere = (path->after & ~path->key.state & AT_REF) &&
	               bbs[(uint32_t)path->after].start != r->ref;
	r->window.key.state = path->after;
	r->window.key.extra = path->extra;
	r->last = path;
}

/* Use a memo; NULL: none from now on. */
void nt_recall_begin(struct hs_nt_decoder *d, struct hs_memo *memo);

/* Count paths of one message each (HTM), until one is not found or little input is left. */
void nt_count_marked(struct hs_nt_decoder *d, struct nt_recall *r);

#endif
