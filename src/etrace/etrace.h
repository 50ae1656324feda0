/* E-Trace, for the other rooms: each file of this one includes what it needs. */
#ifndef HS_ETRACE_ETRACE_H
#define HS_ETRACE_ETRACE_H

#include <hartscope/etrace.h>

#include "etrace/et_config.h"
#include "etrace/et_decoder.h"
#include "etrace/et_discovery.h"
#include "etrace/et_packet.h"
#include "etrace/et_reader.h"
#include "etrace/etrace_data.h"
#include "etrace/etrace_lint.h"
#include "etrace/etrace_ring.h"

#endif
