/* A sort by hand, and one of the library. */
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	const int x = *(const int *)a, y = *(const int *)b;

	if (x < y)
		return -1;
	return x > y;
}

__attribute__((noinline)) static void insertion(int *v, int n)
{
	for (int i = 1; i < n; i++) {
		int x = v[i], j = i;

		while (j > 0 && v[j - 1] > x) {
			v[j] = v[j - 1];
			j--;
		}
		v[j] = x;
	}
}

int sorting(void)
{
	int a[] = { 5, 2, 9, 1, 7, 7, 3, 0, 8 }, b[] = { 4, 3, 2, 1, 9, 9, 0 };

	insertion(a, 9);
	qsort(b, 7, sizeof(*b), by_value);
	return a[4] + b[3];
}
