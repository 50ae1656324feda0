/* Packets that the encoder sends, and what sending them does to its state. */
#ifndef HS_ETRACE_EMIT_H
#define HS_ETRACE_EMIT_H

#include "etrace/tables.h"

/* The caller's room for packets. */
struct et_output {
	uint8_t *p, *end; /* next byte, and end of the room */
};

enum et_item_kind { ITEM_NONE, ITEM_INSN, ITEM_TRAP };

enum et_item_flags {
	ITEM_SYNC = 1,      /* begins with a synchronising packet */
	ITEM_INFERRED = 2,  /* the jump's target is known from the instruction before (ET sijump) */
	ITEM_CONTEXT = 4,   /* a context packet comes before it */
	ITEM_PLACELESS = 8, /* a trap: where it struck is not known */
	ITEM_CAUSED = 16,   /* a trap: its cause is known */
	ITEM_NOTIFY = 32,   /* a trigger asks for a report of it */
	ITEM_OPTIONS = 64,  /* the first item under new options */
	ITEM_BLOCK_LOST = 128, /* a trap: its block is part of what was lost */
	ITEM_PAIR = 256        /* ITEM_INFERRED, if the option is on */
};

/* hs_et_encoder.pending: what makes the next item other than plain.  It is set where it becomes
 * pending, and cleared where that is done. */
enum et_pending {
	ET_PENDING_SYNC = 1,     /* the next item begins with a synchronising packet */
	ET_PENDING_NOTIFY = 2,   /* the next item is to be reported (ET Format 2 notify) */
	ET_PENDING_REPORT = 4,   /* the context or the time of the next item is to be reported (ET
	                             Context type 1) */
	ET_PENDING_VECTOR = 8,   /* cur is a handler's second instruction, and vector_sync asks for
	                             a packet */
	ET_PENDING_LOSS = 16,    /* packets were lost since the last one sent */
	ET_PENDING_SUPPORT = 32, /* no support packet was sent since the encoder was enabled */
	ET_PENDING_FAILED = 64,  /* the last branch was mispredicted, after 31 or more that were
	                             not */
	/* A synchronising packet that an item before cur should have had comes: */
	ET_PENDING_DEFERRED = 128, /* at the next item */
	ET_PENDING_TURN = 256,     /* at the next item at which the flow turns */
	/* Options change: */
	ET_PENDING_CHANGE_REQUESTED = 512, /* the next item is the first one under new ones */
	ET_PENDING_CHANGE_COMING = 1024,   /* it is known, and not encoded yet */
	ET_PENDING_CHANGE_DUE = 2048,      /* it is cur, or came before: the next synchronising
	                                      packet is under them */
	ET_PENDING_CHANGE = 512 | 1024 | 2048,
	ET_PENDING_ALWAYS = 4096 /* by the configuration no item is plain */
};

static inline bool et_pends(const struct hs_et_encoder *e, unsigned what)
{
	return e->pending & what;
}

static inline void et_pend(struct hs_et_encoder *e, unsigned what)
{
	e->pending |= (uint16_t)what;
}

static inline void et_clear(struct hs_et_encoder *e, unsigned what)
{
	e->pending &= (uint16_t)~what;
}

/* @to: of ET_PENDING_CHANGE; 0: no options change. */
static inline void et_set_change(struct hs_et_encoder *e, unsigned to)
{
	et_clear(e, ET_PENDING_CHANGE);
	et_pend(e, to);
}

/* What the item before cur was. */
enum et_before {
	BEFORE_NOTHING, /* the trace was off */
	BEFORE_PLAIN,
	BEFORE_DISCON,  /* an uninferable jump */
	BEFORE_FAILED,  /* a return that did not go where the return stack says */
	BEFORE_TRAP,    /* a trap that waits for the handler's address */
	BEFORE_REPORTED_TRAP /* a trap that was reported with thaddr 0 */
};

/* What happened since the last packet with an address, or the last branch. */
enum et_segment {
	SEGMENT_BACK = 1,   /* a backward jump, at e->loop */
	SEGMENT_CALL = 2,   /* a call */
	SEGMENT_RETURN = 4  /* an inferred return */
};

/* How an address is reported. */
struct et_report {
	uint64_t addr;
	bool notify, updiscon;
	bool target; /* it follows an uninferable jump */
	bool predicted; /* a return that the stack foretells: the cache does not get it */
	bool has_depth;
	uint32_t depth;
};

/* Begin a packet of a form: only its format is set. */
void et_begin_packet(struct hs_et_encoder *e, struct hs_et_packet *p, enum hs_et_form form);
/* After a pause that the time of frames does not hold: a context packet with the full one, which
 * says nothing else that is new (ET Timestamping, design/times). */
void et_send_full_time(struct hs_et_encoder *e, struct et_output *out);
void et_send_packet(struct hs_et_encoder *e, struct et_output *out, const struct hs_et_packet *p);
/* Set what synchronising packets have in common: branch, privilege, time, context. */
void et_set_sync_fields(struct hs_et_encoder *e, struct hs_et_packet *p,
                        const struct hs_et_item *at);

/* Take over what an event changes; no packet reports it at once.  @return Does the trace stop
 * here? */
bool et_apply_event(struct hs_et_encoder *e, const struct hs_block *b);

/* data_stream.c: an event of data trace. */
void et_encode_access(struct hs_et_encoder *e, struct et_output *out, const struct hs_block *b);
/* doptions of a support packet; with e->data. */
uint64_t et_data_options(const struct hs_et_encoder *e);
/* The same in the word of options of 2.1; without e->data 0. */
uint32_t et_data_word(const struct hs_et_encoder *e);

void et_emit_support(struct hs_et_encoder *e, struct et_output *out, unsigned enable,
                     unsigned qual);
/* cur enters the jump target cache: an inferred return led there (ET-22), or a jump whose target no
 * other packet reports. */
void et_fill_cache(struct hs_et_encoder *e);
/* Packets were lost. */
void et_emit_loss(struct hs_et_encoder *e, struct et_output *out, bool enabled);

/* access.c: data trace was switched off. */
void et_report_no_data(struct hs_et_encoder *e, struct et_output *out);

/* options.c: make the new options those of the encoder. */
void et_take_options(struct hs_et_encoder *e);
/* The same, and report them. */
void et_change_options(struct hs_et_encoder *e, struct et_output *out);
/* Format 3 subformat 0 at cur. */
void et_emit_start(struct hs_et_encoder *e, struct et_output *out);
/* Format 3 subformat 1 for the trap @t.  @handler: with the address of cur, the handler's first
 * instruction (thaddr 1); else with the trap's own (thaddr 0). */
void et_emit_trap(struct hs_et_encoder *e, struct et_output *out, const struct hs_et_item *t,
                  bool handler);
/* Can the decoder compute that trap @t leads to @handler?  True without implicit exception mode,
 * where it need not. */
bool et_handler_known(const struct hs_et_encoder *e, const struct hs_et_item *t,
                      const struct hs_et_item *handler);
void et_emit_context(struct hs_et_encoder *e, struct et_output *out);
/* A full branch map, or the count of branches before one that was mispredicted, without an
 * address. */
void et_emit_branches(struct hs_et_encoder *e, struct et_output *out);
void et_emit_address(struct hs_et_encoder *e, struct et_output *out, const struct et_report *r);

/* HS_ET_FAST (fast_encoder.c).  The block was found good. */
void et_fast_block(struct hs_et_encoder *e, struct et_output *out, const struct hs_block *b);
void et_fast_event(struct hs_et_encoder *e, struct et_output *out, const struct hs_block *b);
/* Stop the trace. */
void et_fast_stop(struct hs_et_encoder *e, struct et_output *out, bool enabled);

/* layout.arrivals (arrive_encoder.c): a good block, or an event; the trace stops. */
void et_arrive_encode(struct hs_et_encoder *e, struct et_output *out, const struct hs_block *b);
void et_arrive_stop(struct hs_et_encoder *e, struct et_output *out, bool enabled);

static inline bool et_is_predicting(const struct hs_et_encoder *e)
{
	return e->config.options & HS_ET_BRANCH_PREDICTION;
}

/* A branch came: what happened before it cannot be taken for what comes after it.  Without an event
 * of enum et_segment all of this is clear. */
void et_end_segment(struct hs_et_encoder *e);

/* Compare the branch cur with the predictor, and train it. */
void et_predict_branch(struct hs_et_encoder *e, bool taken);

/* Add the branch cur to those that are not reported yet. */
static inline void et_add_branch(struct hs_et_encoder *e, bool taken)
{
	if (e->branches < 31)
		e->map |= (uint32_t)!taken << e->branches++;
	if (e->segment)
		et_end_segment(e);
	if (et_is_predicting(e))
		et_predict_branch(e, taken);
}

/* What an item adds to the count of half-words, where that is what synchronisation counts. */
static inline uint64_t et_counted_hwords(const struct hs_et_encoder *e, const struct hs_et_item *i)
{
	const bool counts = e->config.sync_mode == HS_ET_SYNC_HALFWORDS && i->kind == ITEM_INSN;

	return counts ? (i->tval - i->addr) / 2 : 0;
}

static inline bool et_is_branch(const struct hs_et_item *i)
{
	return i->kind == ITEM_INSN &&
	       (i->itype == HS_ITYPE_TAKEN || i->itype == HS_ITYPE_NOT_TAKEN);
}

/* After a block with this itype, is the address of the next one known?  A 3-bit itype does not
 * show direct jumps. */
static inline bool et_continues(const struct hs_et_encoder *e, unsigned itype)
{
	return itype == HS_ITYPE_NOT_TAKEN || (itype == HS_ITYPE_NONE && e->config.itype_width > 3);
}

/* Is a block at @addr not where the flow goes on? */
static inline bool et_breaks_flow(const struct hs_et_encoder *e, uint64_t addr)
{
	return (e->cur.kind != ITEM_NONE || e->waits) && e->follow && e->expect != addr;
}

#endif
