/* Numbers as people write them. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/status.h>

/* Hexadecimal digits up to the end. */
static bool read_hex(const char *digits, uint64_t *value)
{
	const size_t n = strspn(digits, "0123456789abcdefABCDEF");

	if (!n || digits[n] || strspn(digits, "0") + 16 < n)
		return false;
	*value = strtoull(digits, NULL, 16);
	return true;
}

/* Digits, and with a point those after it, of which *places is how many.  The end of them; NULL: it
 * is too large, or there are none. */
static const char *read_digits(const char *at, uint64_t *value, unsigned *places)
{
	bool point = false, any = false;

	*value = 0;
	*places = 0;
	for (; (*at >= '0' && *at <= '9') || (*at == '.' && !point && any); at++) {
		if (*at == '.') {
			point = true;
			continue;
		}
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(*at - '0'), value))
			return NULL;
		any = true;
		*places += point;
	}
	return any ? at : NULL;
}

/* What comes after the digits: the number is times unit^*powers and 10^*tens.  False: other
 * text. */
static bool read_scale(const char *at, unsigned *powers, unsigned *tens)
{
	static const char units[] = "kMG";
	const char *unit = *at == 'K' ? units : *at ? strchr(units, *at) : NULL;
	char *end = NULL;

	*powers = unit ? (unsigned)(unit - units) + 1 : 0;
	*tens = 0;
	if (unit || !*at)
		return !*at || !at[1];
	if ((*at != 'e' && *at != 'E') || at[1] < '0' || at[1] > '9')
		return false;
	const unsigned long n = strtoul(at + 1, &end, 10);

	*tens = n < 100 ? (unsigned)n : 100;
	return !*end;
}

enum hs_status hs_text_number(const char *text, unsigned unit, uint64_t *value)
{
	unsigned places, powers, tens;
	uint64_t v;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return read_hex(text + 2, value) ? HS_OK : HS_E_ARG;
	const char *at = read_digits(text, &v, &places);

	if (!at || !read_scale(at, &powers, &tens))
		return HS_E_ARG;
	for (; v && powers; powers--)
		if (__builtin_mul_overflow(v, unit, &v))
			return HS_E_ARG;
	for (; places && tens; tens--)
		places--;
	for (; v && tens; tens--)
		if (__builtin_mul_overflow(v, 10, &v))
			return HS_E_ARG;
	for (; places; places--, v /= 10)
		if (v % 10)
			return HS_E_ARG;
	*value = v;
	return HS_OK;
}
