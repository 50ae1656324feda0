/* The same loop with its inner branch always taken, and never, in turn: packets of branch counts
 * that are equal and lead two ways, by what the predictor learned. */
#include <stdio.h>
#include <stdlib.h>

static volatile int cells[2][64];

__attribute__((noinline)) static long walk(volatile int *cell, int n)
{
	long sum = 0;

	if (n > 1000)
		return -1;
	for (int i = 0; i < n; i++) {
		if (cell[i])
			sum += 3 * i;
		else
			sum ^= i + 7;
	}
	return sum;
}

int main(int argc, char **argv)
{
	long (*volatile f)(volatile int *, int) = walk;
	const int n = argc > 1 ? atoi(argv[1]) : 20; /* at most 64 */
	long sum = 0;

	for (int i = 0; i < 64; i++)
		cells[1][i] = 1;
	for (int turn = 0; turn < 2000; turn++)
		sum += f(cells[turn / 6 & 1], n);
	printf("%ld\n", sum);
	return 0;
}
