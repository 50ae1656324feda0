/* Digits of numbers in text. */
#ifndef HS_BASE_DIGIT_H
#define HS_BASE_DIGIT_H

/* The value of a digit, or 16. */
static inline unsigned hs_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return 16;
}

#endif
