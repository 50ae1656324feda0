/* What the files of lint share. */
#ifndef HS_ETRACE_LINT_LINT_H
#define HS_ETRACE_LINT_LINT_H

#include "etrace/payload.h"
#include "etrace/etrace_lint.h"

/* Where a source stands. */
enum et_lint_state {
	ET_LINT_NEW,     /* no packet yet, or only support packets */
	ET_LINT_UNKNOWN, /* something was unreadable: order says nothing until synchronisation */
	ET_LINT_ON,
	ET_LINT_OFF, /* qualification ended */
	ET_LINT_LOST /* the encoder lost packets */
};

/* What the next packet of a source has to be. */
enum et_lint_expected {
	ET_LINT_EXPECTS_NOTHING,
	ET_LINT_EXPECTS_FORMAT_3, /* after updiscon */
	ET_LINT_EXPECTS_SYNC      /* after a trap with thaddr 0: the handler */
};

/* Report a kind; one that the version does not have is passed over.  _packet: of the packet as a
 * whole; _field: of a field, at its bit; _bit: at a bit of the payload; _byte: without a packet;
 * _pc: of the flow. */
void et_lint_packet(struct hs_et_lint *l, unsigned id);
void et_lint_value(struct hs_et_lint *l, unsigned id, uint64_t value);
void et_lint_field(struct hs_et_lint *l, unsigned id, enum hs_et_field f);
void et_lint_bit(struct hs_et_lint *l, unsigned id, unsigned bit);
void et_lint_byte(struct hs_et_lint *l, unsigned id, uint64_t offset, uint64_t value);
void et_lint_pc(struct hs_et_lint *l, unsigned id, uint64_t pc);

/* The bytes of the packet: its frame and what is not a value.  @status: of hs_et_read().  False:
 * what it says cannot be relied on. */
bool et_lint_bytes(struct hs_et_lint *l, enum hs_status status);

/* The values of a packet, one by one. */
void et_lint_values(struct hs_et_lint *l);

/* The packet in the order of its source; NULL: there is no memory for its source. */
struct hs_et_lint_source *et_lint_source(struct hs_et_lint *l);
void et_lint_frame(struct hs_et_lint *l, struct hs_et_lint_source *s);
void et_lint_order(struct hs_et_lint *l, struct hs_et_lint_source *s);
void et_lint_order_end(struct hs_et_lint *l, struct hs_et_lint_source *s);

/* What the packet reports of privilege, time and context, against what was reported before. */
void et_lint_context(struct hs_et_lint *l, struct hs_et_lint_source *s);

/* The packet by the program, when there is one; and damage, after which the flow is unknown. */
void et_lint_flow(struct hs_et_lint *l);
void et_lint_flow_lost(struct hs_et_lint *l);

/* A field of the current packet. */
static inline bool et_lint_has(const struct hs_et_lint *l, enum hs_et_field f)
{
	return hs_et_has(&l->packet, f);
}

static inline uint64_t et_lint_get(const struct hs_et_lint *l, enum hs_et_field f)
{
	return l->packet.field[f];
}

static inline bool et_lint_draft(const struct hs_et_lint *l)
{
	return l->reader.config.version == HS_ET_0_026;
}

#endif
