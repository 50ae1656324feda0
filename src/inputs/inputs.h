/* Files of other tools, for the other rooms: each file of this one includes what it needs. */
#ifndef HS_INPUTS_INPUTS_H
#define HS_INPUTS_INPUTS_H

#include "inputs/capture.h"
#include "inputs/perf_data.h"

#endif
