/* Arguments and standard input to standard output, a line to standard error, the last argument
 * as exit status. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int c, n = 0;

	for (int i = 1; i < argc; i++)
		printf("[%s]%c", argv[i], i + 1 < argc ? ' ' : '\n');
	for (; (c = getchar()) != EOF; n++)
		putchar(c);
	fprintf(stderr, "bytes: %d\n", n);
	return argc > 1 ? atoi(argv[argc - 1]) : 0;
}
