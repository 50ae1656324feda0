/* A defect for each tool of scripts/checks/analyse.sh, which has to find it in each run: a tool
 * whose findings are not seen finds nothing.  No build compiles this. */
#include <stddef.h>
#include <stdlib.h>

int seeded_null(int value);
int seeded_index(int value);
int seeded_loop(size_t n);

int seeded_null(int value) /* gcc */
{
	int *p = malloc(sizeof(*p));

	*p = value;
	value = *p + 1;
	free(p);
	return value;
}

int seeded_index(int value) /* cppcheck */
{
	const int a[2] = { value, value };
	int i = 2;

	return a[i];
}

int seeded_loop(size_t n) /* clang-tidy */
{
	int sum = 0;

	for (unsigned char i = 0; i < n; i++)
		sum += i;
	return sum;
}
