/* Eight threads at once: each one waits until all of them run. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#define THREADS 7

static pthread_barrier_t together;

static uint64_t work(uint64_t n)
{
	uint64_t x = n;

	for (int i = 0; i < 3000; i++)
		x = x % 3 == 0 ? x / 3 + n : x * 2 + 1;
	return x;
}

static void *thread(void *argument)
{
	uint64_t *p = argument;

	pthread_barrier_wait(&together);
	*p = work(*p);
	return NULL;
}

int main(void)
{
	uint64_t values[THREADS], sum = 0;
	pthread_t threads[THREADS];

	pthread_barrier_init(&together, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++) {
		values[i] = (uint64_t)i + 1;
		pthread_create(&threads[i], NULL, thread, &values[i]);
	}
	pthread_barrier_wait(&together);
	sum = work(100);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		sum += values[i];
	}
	printf("sum %llx\n", (unsigned long long)sum);
	return 0;
}
