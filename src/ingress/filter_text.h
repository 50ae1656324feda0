/* The values that filters are written with. */
#ifndef HS_FILTER_TEXT_H
#define HS_FILTER_TEXT_H

#include <hartscope/qualifier.h>

#include "core/text.h"

uint8_t filter_privileges(struct base_text *t); /* a list with commas; bit N: privilege N */
uint64_t filter_causes(struct base_text *t);    /* a list with commas; bit N: cause N */

#endif
