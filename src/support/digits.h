/* Numbers as decimal digits, faster than printf. */
#ifndef HS_SUPPORT_DIGITS_H
#define HS_SUPPORT_DIGITS_H

#include <stdint.h>

#define SUPPORT_DIGITS 20u /* of 2^64 - 1 */

/* Write @value so that it ends at @end, before which there is room for SUPPORT_DIGITS.  Returns
 * where it begins. */
static inline char *support_digits(char *end, uint64_t value)
{
	for (; value >= 10; value /= 10)
		*--end = (char)('0' + value % 10);
	*--end = (char)('0' + value);
	return end;
}

#endif
