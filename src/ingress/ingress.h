/* The ingress port and its filters, for the other rooms: each file of this one includes what it needs. */
#ifndef HS_INGRESS_INGRESS_H
#define HS_INGRESS_INGRESS_H

#include "ingress/filter.h"
#include "ingress/port.h"

#endif
