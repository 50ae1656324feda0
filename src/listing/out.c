/* Listings: what is written, and the bytes that wait for it. */
#include <stdarg.h>
#include <stdio.h>

#include "listing/private.h"

enum hs_status listing_flush(struct hs_listing *l)
{
	const size_t n = l->out_n;

	l->out_n = 0;
	l->share.flushed += n;
	return !n || l->o.write(l->o.context, l->out, n) ? HS_OK : HS_E_SYSTEM;
}

void listing_print(struct hs_listing *l, const char *format, ...)
{
	const size_t left = OUT_SIZE - l->out_n;
	va_list ap;

	va_start(ap, format);
	const int n = vsnprintf(l->out + l->out_n, left, format, ap);

	va_end(ap);
	if (n > 0)
		l->out_n += (size_t)n < left ? (size_t)n : left - 1;
}

char *listing_hex(char *to, uint64_t v)
{
	for (unsigned n = listing_digits(v); n-- > 0;)
		*to++ = "0123456789abcdef"[v >> (4 * n) & 15u];
	return to;
}

void listing_put_hex(struct hs_listing *l, uint64_t v)
{
	char text[24] = "0x";

	*listing_hex(text + 2, v) = '\0';
	listing_say(l, text);
}

void listing_fill(struct hs_listing *l, size_t from, size_t width)
{
	while (l->out_n - from < width && l->out_n < OUT_SIZE - 1)
		l->out[l->out_n++] = ' ';
}
