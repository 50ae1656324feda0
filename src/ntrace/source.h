/* One source of a decoder: a message becomes evidence, a walk, and an end. */
#ifndef HS_NTRACE_SOURCE_H
#define HS_NTRACE_SOURCE_H

#include <hartscope/ntrace.h>

#include "flow/stream.h"

/* How far the work on a message is, when output was full. */
enum nt_phase { NT_BEGIN, NT_WALK, NT_END, NT_REST /* what is left of it retired unseen */ };

/* Fields of a message by their names in messages.def. */
#define HAS(m, f) hs_nt_has(m, HS_NTF_##f)
#define GET(m, f) ((m)->field[HS_NTF_##f])

/* Entries of output that one step may write in addition to the blocks of the walk: a return, an
 * open block, a synchronisation, a gap, a time. */
#define NT_STEP_ROOM 6

/* Record what is wrong with the current message; the decoder writes the gaps and returns the
 * status. @pc: where the walk stood. */
enum hs_status nt_fault(struct hs_nt_decoder *d, enum hs_reason reason, uint64_t pc);

/* The same for a fault of one source. */
static inline enum hs_status nt_source_fault(struct hs_nt_decoder *d, const struct hs_nt_source *s,
                                             enum hs_reason reason)
{
	return nt_fault(d, reason, flow_pc(&s->track.walk));
}

/* A source that a message named for the first time. */
void nt_source_init(const struct hs_nt_decoder *d, struct hs_nt_source *s);

/* Work on d->msg.  HS_OK: done with it.  HS_FULL: call again.  Else the fault is recorded and the
 * source is TRACK_LOSING. */
enum hs_status nt_source_run(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out);

/* The run of short DirectBranch messages that the input begins with: two thirds of a BTM stream,
 * followed without the work that other messages need.  When one of them does not simply end, it
 * becomes d->msg, as if nt_source_run() had met a full output: then true. */
bool nt_source_branches(struct hs_nt_decoder *d, struct hs_nt_source *s, struct hs_span *in,
                        struct flow_out *out);

/* Synchronise by the current message; false if it has no full address. */
bool nt_source_sync(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out);

/* The phases of nt_source_run(), each in its file.  *walk: there is a way to follow. */
enum hs_status nt_begin(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out,
                        bool *walk);
enum hs_status nt_end(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out);

/* source_unseen.c: is the flow in code that is not known, by the fault that was recorded? */
bool nt_enters_unknown(const struct hs_nt_decoder *d);
/* The source is in code that is not known from now on; its gap is written. */
void nt_source_hide(struct hs_nt_source *s);
/* A message, or its rest, while it is there. */
enum hs_status nt_pass_unseen(struct hs_nt_decoder *d, struct hs_nt_source *s,
                              struct flow_out *out);
/* Continue where the last message led, if code is known there. */
void nt_source_resume(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out);
/* The stream is over.  False: the output is full; call again. */
bool nt_source_close(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out);

/* TSTAMP of the current message. */
void nt_add_time(const struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out);

/* SYNC of a PC sample (design/nt-vendor). */
#define NT_SYNC_SAMPLE 15u

/* source_more.c: messages that are events and no flow.  False: the current one is none of them. */
bool nt_begin_more(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out,
                   enum hs_status *status);

/* Evidence of messages that may repeat: with I-CNT, and ResourceFull. */
enum hs_status nt_begin_count(struct hs_nt_decoder *d, struct hs_nt_source *s);
enum hs_status nt_begin_full(struct hs_nt_decoder *d, struct hs_nt_source *s);

/* The branch message that RepeatBranch repeats. */
void nt_remember(struct hs_nt_source *s, const struct hs_nt_msg *m);

static inline void nt_put_event(struct flow_out *out, unsigned kind, uint64_t value, unsigned itype)
{
	struct hs_block *b = stream_put_event(out, kind);

	b->value = value;
	b->itype = (uint8_t)itype;
	b->priv = HS_PRIV_UNKNOWN;
}

/* SYNC 2 and 4 come again and again, and say nothing of the program (NT 8.5). */
void nt_put_sync(const struct hs_nt_decoder *d, uint64_t addr, struct flow_out *out);

/* SYNC codes after which the flow may continue elsewhere (NT Table 25). */
bool nt_is_restart(unsigned sync);

/* F-ADDR or U-ADDR as address bits, with those above that were not sent (NT 8.2,
 * design/nt-vendor). */
uint64_t nt_address_bits(const struct hs_nt_decoder *d, const struct hs_nt_source *s,
                         enum hs_nt_field f);
/* The same of CKDATA or CKDATA1 (design/nt-vendor). */
uint64_t nt_circuit_bits(const struct hs_nt_decoder *d, const struct hs_nt_source *s,
                         enum hs_nt_field f);
uint64_t nt_full_address(const struct hs_nt_decoder *d, const struct hs_nt_source *s);

#endif
