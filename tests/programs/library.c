/* A library that is loaded and unloaded by loads.c: -DSECOND makes another one, of the same size in
 * pages, whose functions are elsewhere and do other things. */
#include <stdlib.h>
#include <string.h>

#ifdef SECOND
static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

long work(long n)
{
	int numbers[32];

	for (int i = 0; i < 32; i++)
		numbers[i] = (int)(n * (i + 7) % 101);
	qsort(numbers, 32, sizeof(numbers[0]), compare);
	return numbers[31] - numbers[0];
}
#else
static long steps(long n)
{
	return n <= 1 ? 0 : 1 + steps(n % 2 ? 3 * n + 1 : n / 2);
}

long work(long n)
{
	char text[32] = "";

	for (long i = n % 7; i >= 0; i--)
		strcat(text, "ab");
	return steps(n) + (long)strlen(text);
}
#endif
