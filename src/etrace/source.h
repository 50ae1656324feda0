/* One source of a stream: its packets to blocks. */
#ifndef HS_ETRACE_SOURCE_H
#define HS_ETRACE_SOURCE_H

#include "etrace/tables.h"
#include "etrace/path.h"
#include "flow/stream.h"

/* How far the work on a packet is, when output was full. */
enum et_phase {
	ET_FRESH,
	ET_AGAIN,
	ET_FOLLOW,
	ET_FINISH,
	ET_FINISHED, /* the goal is known; the way of a synchronising packet comes before it */
	ET_WAY,
	ET_COUNTED /* TRACK_UNSEEN: its branches are counted */
};

/* What the last packet named, when no other packet came since (0.026). */
enum et_landed {
	ET_LANDED_NOT,
	ET_LANDED_BRANCH,         /* a branch that the flow reached in order, with the last bit */
	ET_LANDED_BRANCH_MARKED,  /* the same, and a context packet came */
	ET_LANDED_TARGET_RETIRED, /* a jump's target that retired: one context packet came */
	ET_LANDED_TARGET_TRAPPED, /* a jump's target that did not retire: two came */
	ET_LANDED_JUMP,           /* a jump's target */
	ET_LANDED_START,
	ET_LANDED_TRAP
};

/* Items that one step may write. */
#define ET_STEP_ROOM 12

/* Of them, those that may come after a walk: time and context; a block and a stop; the time of the
 * frame; with hs_stream.all_syncs a synchronisation. */
#define ET_AFTER_WALK 6

/* SYNC of a synchronisation that only hs_stream.all_syncs makes an event (NT Table 25, periodic).
 */
#define ET_SYNC_AGAIN 2

/* Record what is wrong with the current packet; the decoder writes the gaps and returns the status.
 * @pc: where the walk stood. */
enum hs_status et_fault(struct hs_et_decoder *d, enum hs_reason reason, uint64_t pc);

/* Addresses are sign-extended where the program is at such ones. */
void et_extend_addresses(struct hs_et_decoder *d);

/* recall.c: remember packets; @memo NULL: no more. */
void et_recall_begin(struct hs_et_decoder *d, struct hs_memo *memo);

/* sizes.c: empty tables of the sizes that hold. */
void et_init_tables(const struct hs_et_decoder *d, struct hs_et_source *s);
/* Sizes are those of the word of options: tables of other sizes than before are empty.  Without
 * room for them the source is unfit. */
void et_change_sizes(struct hs_et_decoder *d, struct hs_et_source *s, uint32_t before);
/* The current source is this one: parameters that its support packets say hold. */
void et_enter_source(struct hs_et_decoder *d, const struct hs_et_source *s);

/* A source that a packet named for the first time. */
void et_source_init(struct hs_et_decoder *d, struct hs_et_source *s);

/* Follow the current packet.  HS_OK: done; HS_FULL: call again; else the fault is recorded. */
enum hs_status et_source_run(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out);

/* After a fault: synchronise by the current packet, if it can. */
void et_source_sync(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out);

/* The trace stops: write the open block with what its last instruction did. */
void et_source_close(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out);

/* unseen.c: is the flow in code that is not known, by the fault that was recorded? */
bool et_enters_unknown(const struct hs_et_decoder *d);
/* The source is in code that is not known from now on; its gap is written.  It left at @at. */
void et_source_hide(struct hs_et_source *s, uint64_t at);
/* Before the current packet the flow was to come to the last address again: continue there, if that
 * is where it left the known code.  False: it did not, or no code is known there either. */
bool et_resume_again(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out);
/* The current packet, or its rest, while it is there. */
enum hs_status et_pass_unseen(struct hs_et_decoder *d, struct hs_et_source *s,
                              struct flow_out *out);

/* HS_ET_FAST: follow the current packet (fast_decoder.c). */
enum hs_status et_fast_run(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out);

/* An event of a source, in its current privilege. */
void et_put_event(const struct hs_et_source *s, struct flow_out *out, unsigned kind, unsigned itype,
                  uint64_t value, uint32_t arg);
/* decoder.c: does a packet's frame say nothing of the time?  Where payloads have a longer one, that
 * comes first, and again after the trace was off (ET Timestamping). */
bool et_is_frame_silent(const struct hs_et_decoder *d, const struct hs_track *t);
/* The time of what follows, as an event. */
void et_put_time(struct hs_et_source *s, struct flow_out *out, uint64_t time);

/* priv of the ingress port (ET Table priv) to that of blocks; 4 is debug mode there. */
uint8_t et_block_priv(const struct hs_et_resolved *c, uint64_t priv);

static inline bool et_is_draft(const struct hs_et_decoder *d)
{
	return d->config.version == HS_ET_0_026;
}

/* Do packets say where the source is? */
static inline bool et_is_followed(const struct hs_et_source *s)
{
	return stream_is_followed(&s->track) || s->track.state == TRACK_TRAPPED;
}

/* 0.026: the address that was reported is where the flow first reached it; marks an ambiguity. */
void et_draft_settle(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out);

/* May the flow have gone on from the address that was reported, and met it again by a jump, before
 * the trace ended?  Of 0.026 the packet may also have been sent because of a trap there. */
bool et_draft_may_go_on(const struct hs_et_decoder *d, const struct hs_et_source *s);

/* 0.026, before a trap: did the instruction that the last packet named not retire? */
bool et_draft_unretired(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out);

/* 0.026 with vector_sync: is the current packet for a handler's second instruction, to which the
 * code in the table of handlers does not lead?  Then the block of the first one is written. */
bool et_draft_vector(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out);

/* 0.026, before a gap: the packet that would have said whether the last instruction retired is
 * missing. */
void et_draft_lose(const struct hs_et_decoder *d, struct hs_et_source *s);

/* 0.026, at the end: an instruction that no packet says to have retired did not. */
void et_draft_close(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out);

#endif
