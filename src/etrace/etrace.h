/* E-Trace, for the other rooms: each file of this one includes what it needs. */
#ifndef HS_ETRACE_ETRACE_H
#define HS_ETRACE_ETRACE_H

#include <hartscope/etrace.h>

#include "etrace/et_config.h"
#include "etrace/et_decoder.h"
#include "etrace/et_discovery.h"
#include "etrace/et_encoder.h"
#include "etrace/et_packet.h"
#include "etrace/et_reader.h"
#include "etrace/et_standard.h"
#include "etrace/etrace_data.h"
#include "etrace/etrace_lint.h"
#include "etrace/etrace_ring.h"

/* ---- et_config.h ---- */

/** The most null bytes (5 low bits 0) in a row that a packet can have: after as many, the next byte
 * that is not null begins a packet (EE Synchronization).  With INDEXED framing those of
 * anchor_bytes. 0: the framing has no null bytes, or hs_et_config_check() refuses *c. */
uint32_t hs_et_null_run(const struct hs_et_config *c);

#endif
