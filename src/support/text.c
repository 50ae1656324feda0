/* Text of others, for terminals. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <hartscope/status.h>

#include "support/utf8.h"

size_t support_utf8_length(const unsigned char *c)
{
	const size_t n = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;

	if (c[0] < 0xc2 || c[0] > 0xf4)
		return 0;
	if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
	    (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

bool support_utf8_is(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t n = 1;

	for (; *at && n; at += n)
		n = *at < 0x80 ? 1 : support_utf8_length(at);
	return n;
}

bool support_utf8_acts(const unsigned char *c, size_t n)
{
	uint32_t point;

	if (n == 1)
		return *c < 0x20 || *c == 0x7f;
	if (n == 2)
		point = (c[0] & 0x1fu) << 6 | (c[1] & 0x3fu);
	else if (n == 3)
		point = (c[0] & 0xfu) << 12 | (c[1] & 0x3fu) << 6 | (c[2] & 0x3fu);
	else
		return false;
	return point < 0xa0 || point == 0x61c || point == 0x200e || point == 0x200f ||
	       (point >= 0x2028 && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
}

/* One character, or one byte that is none, to @to (at most 16 bytes); moves *at past it. */
static size_t escape_character(const unsigned char **at, char to[20])
{
	const unsigned char *c = *at;
	const size_t known = *c < 0x80 ? 1 : support_utf8_length(c), n = known ? known : 1;
	size_t length = 0;

	*at += n;
	if (known && !support_utf8_acts(c, n)) {
		memcpy(to, c, n);
		return n;
	}
	for (size_t i = 0; i < n; i++)
		length += (size_t)sprintf(to + length, "\\x%02x", c[i]);
	return length;
}

/* Copy ASCII that does not act, as far as it goes.  Returns how much. */
static size_t copy_plain(char *out, size_t size, const unsigned char *at)
{
	size_t n = 0;

	for (; n + 1 < size && at[n] >= 0x20 && at[n] < 0x7f; n++)
		out[n] = (char)at[n];
	return n;
}

size_t hs_text_escape(char *out, size_t size, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t n = copy_plain(out, size, at);

	at += n;
	while (*at) {
		char piece[20];
		const size_t length = escape_character(&at, piece);

		if (n + length + 1 > size)
			break;
		memcpy(out + n, piece, length);
		n += length;
	}
	out[n] = '\0';
	return n;
}
