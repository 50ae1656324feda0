/* JSON strings (RFC 8259, 7) from text of any encoding. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <hartscope/status.h>

#include "support/digits.h"
#include "support/utf8.h"

/* Of a character of 2 or 3 bytes. */
static unsigned code_point(const unsigned char *c, size_t n)
{
	if (n == 2)
		return (c[0] & 0x1fu) << 6 | (c[1] & 0x3fu);
	return (c[0] & 0xfu) << 12 | (c[1] & 0x3fu) << 6 | (c[2] & 0x3fu);
}

/* One character into @to (at most 6 bytes, not terminated); moves *at past it. */
static size_t escape_character(const unsigned char **at, char to[8])
{
	const unsigned char *c = *at;
	const size_t n = *c < 0x80 ? 1 : support_utf8_length(c);

	*at += n ? n : 1;
	if (*c == '"' || *c == '\\')
		return (size_t)sprintf(to, "\\%c", *c);
	if (*c < 0x20 || *c == 0x7f || !n)
		return (size_t)sprintf(to, "\\u%04x", *c);
	if (n > 1 && support_utf8_acts(c, n))
		return (size_t)sprintf(to, "\\u%04x", code_point(c, n));
	memcpy(to, c, n);
	return n;
}

size_t hs_json_string(char *out, size_t size, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t n = 1;

	out[0] = '"';
	while (*at) {
		char piece[8];
		const size_t length = escape_character(&at, piece);

		if (n + length + 2 > size)
			break;
		memcpy(out + n, piece, length);
		n += length;
	}
	out[n++] = '"';
	out[n] = '\0';
	return n;
}

size_t hs_json_u64(char out[HS_JSON_NUMBER], uint64_t value)
{
	char digits[SUPPORT_DIGITS], *end = digits + sizeof(digits);
	const char *at = support_digits(end, value);
	const size_t n = (size_t)(end - at);

	memcpy(out, at, n);
	out[n] = '\0';
	return n;
}
