/* Arguments without a number, and a callback of the library. */
#include <stdarg.h>
#include <stdlib.h>

__attribute__((noinline)) static int sum_of(int n, ...)
{
	va_list list;
	int s = 0;

	va_start(list, n);
	while (n-- > 0)
		s += va_arg(list, int);
	va_end(list);
	return s;
}

static int near(const void *key, const void *item)
{
	return *(const int *)key - *(const int *)item;
}

int varied(void)
{
	static const int table[] = { 1, 4, 9, 16, 25, 36, 49 };
	const int key = 25;
	const int *found = bsearch(&key, table, 7, sizeof(*table), near);

	return sum_of(3, 1, 2, 3) + sum_of(0) + (found ? *found : 0);
}
