/* A cursor over a string, and the values that filters are written with. */
#ifndef HS_INGRESS_QUALIFIER_TEXT_H
#define HS_INGRESS_QUALIFIER_TEXT_H

#include <hartscope/qualifier.h>

/* After a failure @ok is false. */
struct ing_text {
	const char *p;
	bool ok;
};

bool ing_take(struct ing_text *t, const char *word); /* false, nothing taken: not there */
uint64_t ing_number(struct ing_text *t);             /* decimal, or hexadecimal with 0x */
uint8_t ing_privileges(struct ing_text *t);          /* a list with commas; bit N: privilege N */
uint64_t ing_causes(struct ing_text *t);             /* a list with commas; bit N: cause N */

#endif
