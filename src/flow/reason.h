/* What a reason is to each protocol. */
#ifndef HS_FLOW_REASON_H
#define HS_FLOW_REASON_H

#include <hartscope/status.h>

/** What the decoder returns for it; HS_E_INTERNAL for a number without a row. */
enum hs_status hs_reason_status(enum hs_reason reason);

/** Clause of N-Trace, such as "NT 8.4.1"; "" if N-Trace does not have the reason. */
const char *hs_reason_nt_clause(enum hs_reason reason);

/** Clause of E-Trace, such as "ET Decoder next_pc"; "" if E-Trace does not have the reason. */
const char *hs_reason_et_clause(enum hs_reason reason);

/** Clause of TACIT, such as "TACIT Prediction"; "" if TACIT does not have the reason. */
const char *hs_reason_tacit_clause(enum hs_reason reason);

#endif
