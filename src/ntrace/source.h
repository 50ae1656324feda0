/* Decoder of one source: a message becomes evidence, a walk, and an end. */
#ifndef HS_NTRACE_SOURCE_H
#define HS_NTRACE_SOURCE_H

#include <hartscope/ntrace.h>

#include "flow/stream.h"

/* Where the work on a message stands, when output was full. */
enum nt_phase { NT_BEGIN, NT_WALK, NT_END };

/* Fields of a message by their names in nt_fields.def. */
#define HAS(m, f) hs_nt_has(m, HS_NTF_##f)
#define GET(m, f) ((m)->field[HS_NTF_##f])

/* Entries of output that one step may write besides blocks of the walk: a return, an open
 * block, a synchronisation, a gap, a time. */
#define NT_STEP_ROOM 6

/* A source that was found just now. */
void nt_source_init(const struct hs_nt_decoder *d, struct hs_nt_source *s);

/* Work on d->msg.  HS_OK: done with it.  HS_FULL: call again.  Else *fault is filled and the
 * source is TRACK_LOSING (or, at a synchronising message, TRACK_SYNCED again after nt_resume()). */
enum hs_status nt_source_run(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out,
                             struct flow_fault *fault);

/* Short DirectBranch messages in a row, two thirds of a BTM stream, without the work that other
 * messages need.  Takes whole messages; one that does not simply end is left at hand, as if
 * nt_source_run() had met a full output: then true. */
bool nt_source_direct(struct hs_nt_decoder *d, struct hs_nt_source *s, struct hs_span *in,
                      struct flow_out *out);

/* Start afresh at the synchronising message at hand, if it is one. */
bool nt_source_sync(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out);

/* The phases of nt_source_run(), each in its file. */
enum hs_status nt_begin(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out,
                        bool *walk, struct flow_fault *fault);
enum hs_status nt_end(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out,
                      struct flow_fault *fault);

/* Evidence of messages that may repeat: with I-CNT, and ResourceFull. */
enum hs_status nt_begin_count(struct hs_nt_source *s, const struct hs_nt_msg *m,
                              struct flow_fault *fault);
enum hs_status nt_begin_full(const struct hs_nt_decoder *d, struct hs_nt_source *s,
                             struct flow_fault *fault);

void nt_put_event(struct flow_out *out, unsigned kind, uint64_t value, unsigned itype);

/* SYNC 2 and 4 come again and again, and say nothing of the program (NT 8.5). */
void nt_put_sync(const struct hs_nt_decoder *d, uint64_t addr, struct flow_out *out);

/* SYNC codes that say that the flow did not simply go on (NT Table 25). */
bool nt_is_restart(unsigned sync);

/* F-ADDR or U-ADDR as address bits; the top bit sent stands for those above it (NT 8.2). */
uint64_t nt_address_bits(const struct hs_nt_decoder *d, const struct hs_nt_source *s,
                         enum hs_nt_field f);
uint64_t nt_full_address(const struct hs_nt_decoder *d, const struct hs_nt_source *s);

#endif
