/* Code and what it does, for the other rooms: each file of this one includes what it needs. */
#ifndef HS_CORE_CORE_H
#define HS_CORE_CORE_H

#include "core/image.h"

#endif
