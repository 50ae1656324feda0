/* The path to an address: what E-Trace's packets ask for.
 *
 * A packet says which way branches went and where the flow then is.  path_walk() follows the table
 * of basic blocks to that place, writing canonical blocks.  The place is an instruction that
 * retired: struct hs_walk stands after it, and what that instruction itself does (a branch, a jump)
 * is not followed yet.
 */
#ifndef HS_ETRACE_PATH_H
#define HS_ETRACE_PATH_H

#include <hartscope/etrace.h>

#include "flow/walk.h"

/* Where a path ends. */
enum path_goal {
	PATH_ADDRESS,    /* where the address is met, or right after an uninferable jump */
	PATH_DISCON,     /* right after an uninferable jump, at the address */
	PATH_LAST_BRANCH /* at the last of the branches */
};

enum path_stop {
	PATH_ON,          /* the path continues: never returned by path_walk() */
	PATH_REACHED,     /* the address was met on the way */
	PATH_JUMPED,      /* an uninferable jump led to the address */
	PATH_AT_BRANCH,   /* PATH_LAST_BRANCH: here; its bit is not used up */
	PATH_FULL,        /* no room for the next block: call again */
	PATH_NOCODE,      /* walk.pc has no code */
	PATH_NO_BIT,      /* a branch for which there is no bit */
	PATH_SPARE_BITS,  /* branches are left where the path ends */
	PATH_UNINFERABLE, /* PATH_LAST_BRANCH: an uninferable jump before the branch */
	PATH_RETURN,      /* a return to a call that may be in code that is not known */
	PATH_ARRIVAL,     /* where the jump led is not known: the address is after that place */
	PATH_LOOP         /* jumps lead in a circle that has no branch */
};

/* What a path that is PATH_FULL does when there is room again. */
enum path_wait {
	PATH_WAITS_NOT,
	PATH_WAITS_TO_LAND, /* the jump to the address is written; it may have other code by then */
	PATH_WAITS_FOR_CODE /* there was none where the path came to */
};

/* Is the branch at the address one of the path's? */
enum path_own {
	PATH_OWN_ELSE,    /* the packet's branches are all that there are */
	PATH_OWN_OUTSIDE, /* there is none */
	PATH_OWN_ADDED    /* the last bit is its */
};

/* flow_refresh(), and forget the mark of an entry that is no more. */
void path_refresh(struct hs_walk *w, struct hs_bb_table *t, struct hs_path *p);

/* Put the walk after the instruction at @addr, with no open block. False: no code there. */
bool path_land(struct hs_walk *w, struct hs_bb_table *t, uint64_t addr);

/* Standing before an instruction of another program: put the walk after it; a block stays open.
 * False: no code there. */
bool path_enter(struct hs_walk *w, const struct hs_bb_table *t);

/* Is the last retired instruction a branch, not followed yet? */
bool path_at_branch(const struct hs_walk *w, const struct hs_bb_table *t);

/* Would a path stand at a branch after path_land(addr)? */
bool path_is_branch(struct hs_bb_table *t, uint64_t addr);

/* Branches that are known and not followed yet. */
uint64_t path_branches(const struct hs_path *p);

/* Is the branch where the path stands, if it stands at one, the only one that is left? */
bool path_has_only(const struct hs_path *p, bool at_branch);

/* ahead: may these branches be left at an instruction that is one, or not (@own)? */
bool path_has_ahead(const struct hs_path *p, bool own);

/* Is the instruction a branch that comes after the one that ends at half-word @end of the entry
 * where the walk is?  If that is a branch it was @taken, or not.  Where a jump leads that the
 * program does not say, one may be. */
bool path_may_branch_next(const struct hs_walk *w, const struct hs_bb_table *t, unsigned end,
                          bool taken);

/* Add @count branches, 1 to 32: bit 0 of @map is the oldest, 0 is taken. */
void path_add(struct hs_path *p, uint32_t map, unsigned count);

/* A synchronising packet reports the branch at the address, if there is one.  Call again where the
 * code has changed. */
void path_add_own(struct hs_path *p, struct hs_bb_table *t);

/* A packet begins: count its returns from 0. */
static inline void path_begin(struct hs_path *p)
{
	p->irets = 0;
	p->foretold = false;
	p->waits = PATH_WAITS_NOT;
	p->own = PATH_OWN_ELSE;
}

/* No branches are known; the predictor and the calls stay. */
void path_restart(struct hs_path *p);

/* Start afresh: no branches known, nothing predicted, no calls. */
void path_reset(struct hs_path *p);

enum path_stop path_walk(struct hs_walk *w, struct hs_bb_table *t, struct hs_path *p,
                         struct flow_out *out);

/* A trap: follow what the last retired instruction did, so that the walk stands before the next
 * one.  @target: where a return led, if the packet says so; NULL: it does not.
 * False: only the trace knows where that is; the block of the jump is written. */
bool path_follow(struct hs_walk *w, struct hs_bb_table *t, struct hs_path *p,
                 const uint64_t *target, struct flow_out *out);

/* Standing after the instruction at @addr, with no branches left: may the flow come there again
 * without a branch?  The walk needs flow_refresh() afterwards. */
bool path_meets_again(const struct hs_walk *w, struct hs_bb_table *t, uint64_t addr);

/* block_begin.c: the block that an instruction of kind @jump led to and whose last instruction is
 * at @last.  False: where it begins is not known. */
bool path_block_begin(const struct hs_image *image, unsigned jump, uint64_t last, uint64_t *begin);

/* The flow ends: write the open block, if there is one, with what its last instruction did. */
void path_close(struct hs_walk *w, struct hs_bb_table *t, struct hs_path *p, struct flow_out *out);

#endif
