/* The source of a decoder: a message to blocks. */
#ifndef HS_TACIT_SOURCE_H
#define HS_TACIT_SOURCE_H

#include "flow/stream.h"
#include "tacit/tacit_decoder.h"

/* Entries of output that one step may write: an end of trace, what is open, a gap, what was unseen,
 * a synchronisation, a context, a time, a hart. */
#define TACIT_STEP_ROOM 10

/* Record what is wrong with the current message: the source is TRACK_LOSING.  Returns the
 * status. */
enum hs_status tacit_fault(struct tacit_decoder *d, struct tacit_source *s, enum hs_reason reason);

/* Follow d->msg.  HS_OK; HS_FULL: call again; others: the fault is recorded. */
enum hs_status tacit_follow(struct tacit_decoder *d, struct tacit_source *s, struct flow_out *out);

/* place.c: synchronise by the current message, one that tacit_synchronises().  HS_OK, or as
 * tacit_follow(). */
enum hs_status tacit_sync(struct tacit_decoder *d, struct tacit_source *s, struct flow_out *out);

/* The mode of branches that the current message says, if it says one, from now on.  HS_OK, or as
 * tacit_follow(): there is no such mode. */
enum hs_status tacit_take_mode(struct tacit_decoder *d, struct tacit_source *s);

/* The time of the current message, absolute or a difference. */
void tacit_put_time(struct tacit_source *s, uint64_t time, struct flow_out *out);

/* Go on at an address. */
void tacit_go(struct tacit_source *s, uint64_t address);

/* An address of the message, extended to XLEN. */
uint64_t tacit_address(const struct tacit_decoder *d, const struct tacit_source *s,
                       uint64_t address);

/* The context is another one, or the same. */
void tacit_set_context(struct tacit_decoder *d, struct tacit_source *s, uint64_t context,
                       struct flow_out *out);

/* To the entry with the next instruction that can change the PC; false: there is no code. */
bool tacit_run(struct tacit_source *s);

/* How tacit_walk_to() ended. */
enum tacit_walk { TACIT_THERE, TACIT_ELSEWHERE, TACIT_NOCODE, TACIT_CIRCLES, TACIT_WALK_FULL };

/* Does the trace leave direct jumps out? */
static inline bool tacit_skips_jumps(const struct tacit_decoder *d, const struct tacit_source *s)
{
	return s->predicts && d->config.skip_jumps;
}

/* Straight on to the instruction at @to, which is not passed; direct jumps are followed where the
 * trace leaves them out.  A note is written where more of them lead there once more. */
enum tacit_walk tacit_walk_to(struct tacit_decoder *d, struct tacit_source *s, uint64_t to,
                              struct flow_out *out);

/* Pass the direct jump that the walk stands before; HS_OK, HS_FULL, HS_E_FLOW: they lead in a
 * circle. */
enum hs_status tacit_pass_jump(struct tacit_decoder *d, struct tacit_source *s,
                               struct flow_out *out);

/* Write the block that ends with the current entry, and leave it over one of its edges. */
void tacit_leave(struct tacit_decoder *d, struct tacit_source *s, bool taken, struct flow_out *out);

#endif
