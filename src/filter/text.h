/* A cursor over a string, and the values that filters are written with. */
#ifndef HS_FILTER_TEXT_H
#define HS_FILTER_TEXT_H

#include <hartscope/qualifier.h>

/* After a failure @ok is false. */
struct filter_text {
	const char *p;
	bool ok;
};

bool filter_take(struct filter_text *t, const char *word); /* false, nothing taken: not there */
uint64_t filter_number(struct filter_text *t);             /* decimal, or hexadecimal with 0x */
uint8_t filter_privileges(struct filter_text *t);          /* a list with commas; bit N: privilege N */
uint64_t filter_causes(struct filter_text *t);             /* a list with commas; bit N: cause N */

#endif
