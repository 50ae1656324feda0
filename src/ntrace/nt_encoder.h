/* What only other rooms ask of N-Trace's encoder. */
#ifndef HS_NTRACE_NT_ENCODER_H
#define HS_NTRACE_NT_ENCODER_H

#include <hartscope/ntrace.h>

/** What the encoder has written since hs_nt_encoder_init(); valid as long as *e. */
const struct hs_nt_counts *hs_nt_encoder_stats(const struct hs_nt_encoder *e);

/**
 * Messages that the encoder had written did not get out (no room, and the hart was not
 * stalled): the next block begins with Error and a synchronising message, SYNC 7 (NT 7.4).
 */
void hs_nt_encoder_lost(struct hs_nt_encoder *e);

/**
 * The same where all messages since a copy of the encoder was made did not get out: *e is as in the
 * copy again, but for the time, the privilege and the contexts, which the hart has all the same.
 * TSTAMP of the Error message then counts from the last message that did get out.
 * @param before  What *e was before those messages.
 */
void hs_nt_encoder_unsent(struct hs_nt_encoder *e, const struct hs_nt_encoder *before);

#endif
