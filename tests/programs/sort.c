/* Recursion, function pointers, indirect and direct calls: a quicksort that prints a sum. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define N 2000

static uint32_t values[N];

static int up(uint32_t a, uint32_t b)
{
	return a > b;
}

static int down(uint32_t a, uint32_t b)
{
	return a < b;
}

static void sort(uint32_t *v, int low, int high, int (*after)(uint32_t, uint32_t))
{
	int i = low, j = high;
	const uint32_t pivot = v[low + (high - low) / 2];

	while (i <= j) {
		while (after(pivot, v[i]))
			i++;
		while (after(v[j], pivot))
			j--;
		if (i <= j) {
			const uint32_t t = v[i];

			v[i++] = v[j];
			v[j--] = t;
		}
	}
	if (low < j)
		sort(v, low, j, after);
	if (i < high)
		sort(v, i, high, after);
}

int main(int argc, char **argv)
{
	int (*const orders[])(uint32_t, uint32_t) = { up, down };
	const int rounds = argc > 1 ? atoi(argv[1]) : 2;
	uint32_t seed = 1, sum = 0;

	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < N; i++)
			values[i] = seed = seed * 1664525u + 1013904223u;
		sort(values, 0, N - 1, orders[round % 2]);
		for (int i = 0; i < N; i++)
			sum = sum * 31 + values[i];
	}
	printf("sum %08x\n", sum);
	return 0;
}
