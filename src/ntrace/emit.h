/* Messages as the encoder sends them, and what sending them does to its state. */
#ifndef HS_NTRACE_EMIT_H
#define HS_NTRACE_EMIT_H

#include <hartscope/ntrace.h>

/* SYNC codes that the encoder chooses or distinguishes (NT Table 25). */
enum {
	SYNC_EXTERNAL = 0,
	SYNC_PERIODIC = 2,
	SYNC_DEBUG_EXIT = 3,
	SYNC_COUNTER = 4,
	SYNC_ENABLE = 5,
	SYNC_WATCHPOINT = 6,
	SYNC_OVERRUN = 7,
	SYNC_POWER_UP = 9,
	SYNC_SAMPLE = 15 /* dialects with more */
};

/* EVCODE (NT 7.12). */
enum { EVCODE_DEBUG = 0, EVCODE_LOW_POWER = 1, EVCODE_DISABLED = 4 };

/* What the next address completes. */
enum pending {
	PENDING_NOTHING,
	PENDING_INDIRECT,   /* IndirectBranch or IndirectBranchHist, B-TYPE in btype */
	PENDING_RETURN,     /* the same, unless the address is the predicted one */
	PENDING_DIRECT_SYNC /* BTM: a taken branch, to be reported with its target */
};

/* The caller's room for messages. */
struct nt_output {
	uint8_t *p, *end; /* next byte, and end of the room */
};

static inline bool nt_emit_htm(const struct hs_nt_encoder *e)
{
	return e->config.inst_mode == HS_NT_HTM;
}

/* Count @units towards the next periodic synchronisation. */
void nt_emit_count(struct hs_nt_encoder *e, uint64_t units);

/* Add a branch to HIST (HTM); a full HIST is sent before, or in some dialects at once. */
void nt_emit_history(struct hs_nt_encoder *e, struct nt_output *out, bool taken);

/* DirectBranch; IndirectBranch or IndirectBranchHist with B-TYPE e->btype. */
void nt_emit_direct(struct hs_nt_encoder *e, struct nt_output *out);
void nt_emit_indirect(struct hs_nt_encoder *e, struct nt_output *out, uint64_t addr);

/* Any synchronising message, and the Ownership messages after it. */
void nt_emit_sync(struct hs_nt_encoder *e, struct nt_output *out, unsigned tcode, unsigned sync,
                  uint64_t addr);

/* ResourceFull with I-CNT. */
void nt_emit_icnt(struct hs_nt_encoder *e, struct nt_output *out);

/* Ownership with FORMAT @format: 0 privilege, 2 scontext, 3 hcontext (NT Table 12). */
void nt_emit_ownership(struct hs_nt_encoder *e, struct nt_output *out, unsigned format);

/* Ownership messages that waited for an address; a synchronisation sends them by itself. */
void nt_emit_pending_ownership(struct hs_nt_encoder *e, struct nt_output *out);

/* Messages of dialects with more: they do not touch the flow, but for the reference.  @second: NULL
 * where there is one datum. */
void nt_emit_acquisition(struct hs_nt_encoder *e, struct nt_output *out, unsigned tag,
                         uint64_t data);
void nt_emit_circuit(struct hs_nt_encoder *e, struct nt_output *out, unsigned source,
                     uint64_t first, const uint64_t *second);
void nt_emit_sample(struct hs_nt_encoder *e, struct nt_output *out, uint64_t addr);

void nt_emit_error(struct hs_nt_encoder *e, struct nt_output *out);
void nt_emit_correlation(struct hs_nt_encoder *e, struct nt_output *out, unsigned evcode);

#endif
