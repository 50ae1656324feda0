/* Call stacks, for the other rooms: each file of this one includes what it needs. */
#ifndef HS_CALLS_CALLS_H
#define HS_CALLS_CALLS_H

#include "calls/stacks.h"

#endif
