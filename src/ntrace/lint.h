/* What the files of lint share. */
#ifndef HS_NTRACE_LINT_H
#define HS_NTRACE_LINT_H

#include "ntrace/nt_lint.h"

/* Where a source stands. */
enum nt_lint_state {
	NT_LINT_NEW,   /* no message yet */
	NT_LINT_LOST,  /* something was unreadable: order says nothing until synchronisation */
	NT_LINT_ON,
	NT_LINT_OFF,   /* after ProgTraceCorrelation */
	NT_LINT_ERROR  /* right after an Error message */
};

/* A message, with what the wire says in addition to values. */
struct nt_lint_view {
	uint32_t over;   /* bit f: the field has bits above 63 set */
	uint32_t padded; /* bit f: a byte less would hold the value */
	bool whole;      /* every field is there */
};

/* Report a finding; kinds that the dialect does not look for are skipped. */
void nt_lint_put(struct hs_nt_lint *l, unsigned id);
void nt_lint_field(struct hs_nt_lint *l, unsigned id, enum hs_nt_field f);
void nt_lint_byte(struct hs_nt_lint *l, unsigned id, uint64_t offset);

/* Read l->buffer[0..held) to l->msg, reporting what is wrong with its fields. */
void nt_lint_parse(struct hs_nt_lint *l, struct nt_lint_view *v);

/* The values of a whole message, one by one. */
void nt_lint_values(struct hs_nt_lint *l, const struct nt_lint_view *v);

/* Check the message against those of its source before it; with end, at the end of the stream. */
void nt_lint_order(struct hs_nt_lint *l);
void nt_lint_order_end(struct hs_nt_lint *l, struct hs_nt_lint_source *s);

/* Check the message by the program, if there is one; after damage the flow is not known. */
void nt_lint_flow(struct hs_nt_lint *l);
void nt_lint_flow_lost(struct hs_nt_lint *l);
void nt_lint_pc(struct hs_nt_lint *l, unsigned id, uint64_t pc);

/* Ownership, timestamps and counters of a message in order.  @sure: none before it was lost. */
void nt_lint_ownership(struct hs_nt_lint *l, struct hs_nt_lint_source *s);
void nt_lint_time(struct hs_nt_lint *l, struct hs_nt_lint_source *s);
void nt_lint_counts(struct hs_nt_lint *l, struct hs_nt_lint_source *s, bool sure);

static inline bool nt_lint_sync(const struct hs_nt_msg *m)
{
	return hs_nt_has(m, HS_NTF_SYNC);
}

/* Branches that a HIST with its stop bit holds. */
static inline unsigned nt_lint_branches(uint64_t hist)
{
	unsigned n = 0;

	while (hist >>= 1)
		n++;
	return n;
}

#endif
