/* For the timeline of a page: more calls than it keeps, in three threads, and system calls in all
 * of them. */
#include <pthread.h>
#include <unistd.h>

static volatile unsigned sink;

static inline __attribute__((always_inline)) unsigned spread(unsigned x)
{
	return x * 1664525u + 1013904223u;
}

static __attribute__((noinline)) unsigned mix(unsigned x)
{
	return spread(x ^ sink);
}

static __attribute__((noinline)) unsigned weigh(unsigned x)
{
	unsigned n = 0;

	for (; x; x >>= 1)
		n += x & 1;
	return n;
}

static __attribute__((noinline)) unsigned turn(unsigned x)
{
	return weigh(mix(x)) + 1;
}

static __attribute__((noinline)) unsigned fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static void *worker(void *to)
{
	for (unsigned i = 0; i < 60000; i++) {
		sink += turn(i);
		if (i % 20 == 0)
			sink += (unsigned)getppid();
	}
	return to;
}

static void *climber(void *to)
{
	for (unsigned i = 4; i < 22; i++) {
		sink += spread(fib(i));
		sink += (unsigned)getppid();
	}
	return to;
}

int main(void)
{
	pthread_t a, b;

	if (pthread_create(&a, NULL, worker, NULL) || pthread_create(&b, NULL, climber, NULL))
		return 1;
	for (unsigned i = 0; i < 20000; i++)
		sink += turn(i);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
