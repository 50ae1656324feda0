/* JSON strings (RFC 8259, 7) from text of any encoding. */
#include <stdio.h>
#include <string.h>

#include <hartscope/json.h>

/* Bytes of the UTF-8 character at @c (RFC 3629, 4); 0: it is not one. */
static size_t utf8_length(const unsigned char *c)
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

/* One character into @to (at most 6 bytes, not terminated); moves *at past it. */
static size_t escape_character(const unsigned char **at, char to[8])
{
	const unsigned char *c = *at;
	const size_t n = *c < 0x80 ? 1 : utf8_length(c);

	*at += n ? n : 1;
	if (*c == '"' || *c == '\\')
		return (size_t)sprintf(to, "\\%c", *c);
	if (*c < 0x20 || *c == 0x7f || !n)
		return (size_t)sprintf(to, "\\u%04x", *c);
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
