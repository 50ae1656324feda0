/* Files that are in the tool, by embed.py. */
#ifndef TOOL_EMBEDDED_H
#define TOOL_EMBEDDED_H

#include <stddef.h>

struct embedded {
	const char *name;           /* without its folder; NULL: the end of a list */
	const unsigned char *bytes; /* a 0 is after them */
	size_t n;
};

#endif
