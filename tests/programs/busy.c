/* Some threads that work side by side, for traces of several harts that are long:
 *
 *     busy [THREADS [ROUNDS]]      by default 4 threads, 2000 rounds each
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static long rounds = 2000;

static uint32_t next(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

__attribute__((noinline))
static uint32_t mix(uint32_t a, uint32_t b)
{
	return a % 3 ? a + b : a ^ (b << 1);
}

static void *work(void *seed)
{
	uint32_t x = (uint32_t)(uintptr_t)seed, sum = 0, v[64];

	for (long r = 0; r < rounds; r++) {
		for (unsigned i = 0; i < 64; i++)
			v[i] = next(&x);
		for (unsigned i = 1; i < 64; i++)
			sum = v[i] & 1 ? mix(sum, v[i]) : sum + v[i - 1];
	}
	return (void *)(uintptr_t)sum;
}

int main(int argc, char **argv)
{
	pthread_t threads[16];
	const long asked = argc > 1 ? atol(argv[1]) : 4;
	const unsigned n = asked > 0 && asked <= 16 ? (unsigned)asked : 4;

	if (argc > 2)
		rounds = atol(argv[2]);
	for (unsigned i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)(i + 1));
	for (unsigned i = 0; i < n; i++) {
		void *sum;

		pthread_join(threads[i], &sum);
		printf("%u\n", (unsigned)(uintptr_t)sum);
	}
	return 0;
}
