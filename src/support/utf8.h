/* UTF-8 (RFC 3629). */
#ifndef HS_SUPPORT_UTF8_H
#define HS_SUPPORT_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the character at @c, which is not ASCII; 0: it is not one. */
size_t support_utf8_length(const unsigned char *c);
/* Is a text UTF-8? */
bool support_utf8_is(const char *text);
/* Is it a character, of @n bytes, that acts on a terminal: a control, a line separator, or one that
 * changes the direction of text? */
bool support_utf8_acts(const unsigned char *c, size_t n);

#endif
