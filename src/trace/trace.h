/* Protocols by name, and the parameters of a trace, for the other rooms: each file of this one includes what it needs. */
#ifndef HS_TRACE_TRACE_H
#define HS_TRACE_TRACE_H

#include "trace/params.h"
#include "trace/protocol.h"

#endif
