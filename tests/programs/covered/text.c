/* Text, with the C library. */
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static int words(const char *s)
{
	int n = 0, inside = 0;

	for (; *s; s++) {
		if (*s == ' ') {
			inside = 0;
		} else if (!inside) {
			inside = 1;
			n++;
		}
	}
	return n;
}

int text(void)
{
	char line[80];

	snprintf(line, sizeof(line), "%d harts of %s", 4, "a board");
	if (strlen(line) > 60)
		return 0;
	return words(line) + words("  two  words ");
}
