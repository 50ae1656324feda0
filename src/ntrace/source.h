/* Decoder of one source: a message becomes evidence, a walk, and an end. */
#ifndef HS_NTRACE_SOURCE_H
#define HS_NTRACE_SOURCE_H

#include <hartscope/ntrace.h>

#include "flow/walk.h"

enum nt_state {
	NT_LOST,   /* waits for a synchronising message */
	NT_SYNCED, /* walk stands at the next instruction */
	NT_OFF,    /* trace was stopped; the next synchronising message starts it */
	NT_LOSING  /* lost just now; its gap is still to be written */
};

/* Where the work on a message stands, when output was full. */
enum nt_phase { NT_BEGIN, NT_WALK, NT_END };

/* What went wrong with a message, for the diagnosis. */
struct nt_fault {
	enum hs_status status;
	const char *clause, *why;
};

/* Entries of output that one step may write besides blocks of the walk: a return, an open
 * block, a synchronisation, a gap, a time. */
#define NT_STEP_ROOM 6

void nt_source_init(const struct hs_nt_decoder *d, struct hs_nt_source *s, uint16_t src);

/* Work on d->msg.  HS_OK: done with it.  HS_FULL: call again.  Else *fault is filled and the
 * source is NT_LOSING (or, at a synchronising message, NT_SYNCED again after nt_resume()). */
enum hs_status nt_source_run(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out,
                             struct nt_fault *fault);

/* Short DirectBranch messages in a row, two thirds of a BTM stream, without the work that other
 * messages need.  Takes whole messages; one that does not simply end is left at hand, as if
 * nt_source_run() had met a full output: then true. */
bool nt_source_direct(struct hs_nt_decoder *d, struct hs_nt_source *s, struct hs_span *in,
                      struct flow_out *out);

/* Start afresh at the synchronising message at hand, if it is one. */
bool nt_source_sync(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out);

#endif
