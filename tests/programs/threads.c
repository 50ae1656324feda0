/* Eight threads, three at a time: emulated processors are used again by later threads. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static uint64_t work(uint64_t n)
{
	uint64_t x = n;

	for (int i = 0; i < 20000; i++)
		x = x % 3 == 0 ? x / 3 + n : x * 2 + 1;
	return x;
}

static void *thread(void *argument)
{
	uint64_t *p = argument;

	*p = work(*p);
	return NULL;
}

int main(void)
{
	uint64_t sum = 0;

	for (int round = 0; round < 4; round++) {
		uint64_t values[2] = { (uint64_t)round + 1, (uint64_t)round + 101 };
		pthread_t threads[2];

		for (int i = 0; i < 2; i++)
			pthread_create(&threads[i], NULL, thread, &values[i]);
		for (int i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
		sum += values[0] ^ values[1];
	}
	printf("sum %llx\n", (unsigned long long)sum);
	return 0;
}
