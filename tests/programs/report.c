/* Calls of several kinds for the reports: recursion, two functions that call each other, one that
 * is called from two places, branches that go one way more often. */
#include <stdio.h>

static volatile unsigned seed = 1;

__attribute__((noinline)) static unsigned next(void)
{
	seed = seed * 1103515245u + 12345u;
	return seed >> 16;
}

__attribute__((noinline)) static unsigned fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static unsigned is_odd(unsigned n);

__attribute__((noinline)) static unsigned is_even(unsigned n)
{
	return n == 0 ? 1 : is_odd(n - 1) + (n & 0x400);
}

__attribute__((noinline)) static unsigned is_odd(unsigned n)
{
	return n == 0 ? 0 : is_even(n - 1) + (n & 0x800);
}

__attribute__((noinline)) static unsigned sum(unsigned n)
{
	unsigned total = 0;

	for (unsigned i = 0; i < n; i++)
		if (next() % 4 == 0) /* one time in four */
			total += i;
	return total;
}

static unsigned (*volatile by_register)(void) = next;

int main(void)
{
	for (int i = 0; i < 5; i++)
		by_register();
	printf("%u %u %u %u\n", fib(10), is_even(20), sum(100), next());
	return 0;
}
