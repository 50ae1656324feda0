/* Messages as the encoder sends them: counters, history and repeats go out in order. */
#ifndef HS_NTRACE_EMIT_H
#define HS_NTRACE_EMIT_H

#include <hartscope/ntrace.h>

/* SYNC codes that the encoder itself chooses (NT Table 25). */
enum { SYNC_PERIODIC = 2, SYNC_COUNTER = 4, SYNC_ENABLE = 5, SYNC_OVERRUN = 7 };

/* Where messages go. */
struct sheet {
	uint8_t *p, *end;
};

static inline bool nt_emit_htm(const struct hs_nt_encoder *e)
{
	return e->config.inst_mode == HS_NT_HTM;
}

/* Units of the synchronisation interval went by. */
void nt_emit_count(struct hs_nt_encoder *e, uint64_t units);

/* A branch in HTM: one more bit of HIST, which goes out before it when it is full. */
void nt_emit_history(struct hs_nt_encoder *e, struct sheet *out, bool taken);

/* DirectBranch; IndirectBranch or IndirectBranchHist; with e->btype. */
void nt_emit_direct(struct hs_nt_encoder *e, struct sheet *out);
void nt_emit_indirect(struct hs_nt_encoder *e, struct sheet *out, uint64_t addr);

/* Any synchronising message, with the Ownership messages that follow it. */
void nt_emit_sync(struct hs_nt_encoder *e, struct sheet *out, unsigned tcode, unsigned sync,
               uint64_t addr);

/* ResourceFull with I-CNT. */
void nt_emit_icnt(struct hs_nt_encoder *e, struct sheet *out);

/* Ownership with FORMAT @format: 0 privilege, 2 scontext, 3 hcontext (NT Table 12). */
void nt_emit_ownership(struct hs_nt_encoder *e, struct sheet *out, unsigned format);

/* Ownership messages that waited for an address, unless a synchronisation gave them. */
void nt_emit_owed(struct hs_nt_encoder *e, struct sheet *out);

void nt_emit_error(struct hs_nt_encoder *e, struct sheet *out);
void nt_emit_correlation(struct hs_nt_encoder *e, struct sheet *out, unsigned evcode);

#endif
