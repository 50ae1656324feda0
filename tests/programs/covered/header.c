/* Inline functions of a header, in a loop and twice in a line. */
#include "inlines.h"

__attribute__((noinline)) static unsigned hash(const char *text)
{
	unsigned h = 7;

	while (*text)
		h = mix(h, (unsigned char)*text++);
	return mix(mix(h, 1), 2);
}

int header(void)
{
	return clamp((int)(hash("Hartscope") % 100), 10, 60) + clamp(3, 5, 9);
}
