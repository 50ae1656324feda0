/* Orders that are the same in each run: of texts, not of where they lie. */
#ifndef HS_SUPPORT_ORDER_H
#define HS_SUPPORT_ORDER_H

#include <stdint.h>
#include <string.h>

/* Two names or paths; NULL comes first, and of equal ones the one that lies lower. */
static inline int support_text_order(const char *a, const char *b)
{
	const int order = a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);

	return order ? order : ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

#endif
