/* The same header once more. */
#include "inlines.h"

int header_too(void)
{
	int s = 0;

	for (int i = -3; i < 9; i++)
		s += clamp(i * 2, -1, 11);
	return s;
}
