/* The walk that decoders share, for the rooms that are no decoders. */
#ifndef HS_FLOW_FLOW_H
#define HS_FLOW_FLOW_H

#include "flow/finding.h"
#include "flow/memo.h"
#include "flow/reason.h"

#endif
