/* Packets that the encoder sends, and what they do to its state. */
#ifndef HS_ETRACE_EMIT_H
#define HS_ETRACE_EMIT_H

#include "etrace/tables.h"

/* Output being written. */
struct et_sheet {
	uint8_t *p, *end;
};

enum et_item_kind { ITEM_NONE, ITEM_INSN, ITEM_TRAP };

enum et_item_flags {
	ITEM_SYNC = 1,     /* begins with a synchronising packet */
	ITEM_INFERRED = 2, /* the jump's target is known from the instruction before (ET sijump) */
	ITEM_CONTEXT = 4   /* a context packet comes before it */
};

/* What came before cur. */
enum et_before {
	BEFORE_NOTHING, /* the trace was off */
	BEFORE_PLAIN,
	BEFORE_DISCON,  /* an uninferable jump */
	BEFORE_FAILED,  /* a return that did not go where the stack says */
	BEFORE_TRAP,    /* a trap that waits for the handler's address */
	BEFORE_TOLD     /* a trap that was reported with thaddr 0 */
};

/* What happened since the last packet with an address, or branch. */
enum et_segment {
	SEGMENT_BACK = 1,    /* a jump backwards: at e->loop */
	SEGMENT_CALL = 2,    /* a call */
	SEGMENT_RETURN = 4   /* an inferred return */
};

/* How an address is reported. */
struct et_report {
	uint64_t addr;
	bool notify, updiscon;
	bool target; /* it follows an uninferable jump */
	bool depth_told;
	uint8_t depth;
};

/* A packet of a form with nothing but its format, and off it goes. */
void et_begin(struct hs_et_encoder *e, struct hs_et_packet *p, enum hs_et_form form);
void et_send(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_et_packet *p);
/* What synchronising packets have in common: branch, privilege, time, context. */
void et_set_place(struct hs_et_encoder *e, struct hs_et_packet *p, const struct hs_et_item *at);

/* An event, of which no packet is told at once.  @return  Does the trace stop here? */
bool et_take_event(struct hs_et_encoder *e, const struct hs_block *b);

void et_emit_support(struct hs_et_encoder *e, struct et_sheet *out, unsigned enable, unsigned qual);
/* Format 3 subformat 0 at cur. */
void et_emit_start(struct hs_et_encoder *e, struct et_sheet *out);
/* Format 3 subformat 1: the trap @t, with the handler's first instruction cur, or with thaddr 0. */
void et_emit_trap(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_et_item *t, bool handler);
/* Does the decoder know by itself that trap @t leads to @handler, if that matters (implicit exception)? */
bool et_handler_known(const struct hs_et_encoder *e, const struct hs_et_item *t, const struct hs_et_item *handler);
void et_emit_context(struct hs_et_encoder *e, struct et_sheet *out);
/* A full map, or the count before a branch that was not predicted, without an address. */
void et_emit_branches(struct hs_et_encoder *e, struct et_sheet *out);
void et_emit_address(struct hs_et_encoder *e, struct et_sheet *out, const struct et_report *r);

/* HS_ET_FAST (fast_encoder.c): a block that was found good; the trace stops. */
void et_fast_block(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_block *b);
void et_fast_event(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_block *b);
void et_fast_stop(struct hs_et_encoder *e, struct et_sheet *out, bool enabled);

/* Add the branch cur to what is to be reported. */
void et_take_branch(struct hs_et_encoder *e, bool taken);

static inline bool et_is_branch(const struct hs_et_item *i)
{
	return i->kind == ITEM_INSN && (i->itype == HS_ITYPE_TAKEN || i->itype == HS_ITYPE_NOT_TAKEN);
}

#endif
