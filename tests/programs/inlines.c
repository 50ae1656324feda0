/* For inlined functions in the timeline of a page: short ones and long ones, one inside the other,
 * around calls, and in two threads. */
#include <pthread.h>

static volatile unsigned sink;

static inline __attribute__((always_inline)) unsigned churn(unsigned n, unsigned x)
{
	for (unsigned i = 0; i < n; i++)
		x = x * 1664525u + (x >> 7);
	return x;
}

static __attribute__((noinline)) unsigned real(unsigned n)
{
	unsigned x = 1;

	for (unsigned i = 0; i < n; i++)
		x ^= x << 3 ^ i;
	return x;
}

static inline __attribute__((always_inline)) unsigned around(unsigned n, unsigned x)
{
	sink ^= x;
	return churn(n, x) + real(n / 4) + churn(3, x);
}

static __attribute__((noinline)) unsigned outer(unsigned n)
{
	unsigned x = sink;

	for (unsigned i = 0; i < n / 2; i++)
		x += sink;
	x = around(n, x);
	for (unsigned i = 0; i < n / 8; i++)
		x -= sink;
	return x;
}

static __attribute__((noinline)) unsigned deeper(unsigned n)
{
	return n ? churn(n, n) + deeper(n - 1) : outer(16);
}

static void *worker(void *to)
{
	for (unsigned i = 0; i < 18000; i++)
		sink += outer(i % 37 + (i % 1000 == 0) * 4000);
	return to;
}

int main(void)
{
	pthread_t a;

	if (pthread_create(&a, NULL, worker, NULL))
		return 1;
	for (unsigned i = 0; i < 300; i++)
		sink += deeper(i % 30) + churn(i % 11, i);
	pthread_join(a, NULL);
	return 0;
}
