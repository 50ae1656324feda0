/* Names in folded stacks. */
#ifndef HS_SUPPORT_FOLDED_NAME_H
#define HS_SUPPORT_FOLDED_NAME_H

#include <hartscope/status.h>

/* Without the separator and line ends, which names do not have in this format.  @to: room for @room
 * bytes, terminated.  Bytes written, without the terminator. */
static inline size_t support_folded_name(char *to, size_t room, const char *name)
{
	const size_t n = hs_text_escape(to, room, name);

	for (size_t i = 0; i < n; i++)
		to[i] = to[i] == ';' ? '_' : to[i];
	return n;
}

#endif
