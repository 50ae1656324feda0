/* A long run whose end is what matters: last STEPS exit|fault|wait [THREADS].
 *
 * The steps are a walk that no table foresees; then reached() is called, and the program exits,
 * writes to address 0, or waits to be killed.  Threads walk as many steps each before. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long steps;
static volatile uint64_t sum;

__attribute__((noinline)) static uint64_t odd(uint64_t x)
{
	return x * 0x5851f42d4c957f2dull + 1;
}

__attribute__((noinline)) static uint64_t walk(uint64_t x)
{
	for (long i = 0; i < steps; i++)
		switch (x >> 61) {
		case 0: x = odd(x); break;
		case 1: x += 0x9e3779b97f4a7c15ull; break;
		case 2: x = odd(x ^ x >> 7); break;
		case 3: x -= (uint64_t)i << 40; break;
		default: x = x * 3 + 1; break;
		}
	return x;
}

__attribute__((noinline)) void reached(void)
{
	__asm__ volatile("" ::: "memory");
}

static void *thread(void *number)
{
	return (void *)walk((uintptr_t)number);
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "exit";
	const int count = argc > 3 ? atoi(argv[3]) : 0;
	pthread_t threads[8];

	steps = argc > 1 ? atol(argv[1]) : 1000;
	for (intptr_t i = 0; i < count && i < 8; i++)
		pthread_create(&threads[i], NULL, thread, (void *)i);
	for (int i = 0; i < count && i < 8; i++) {
		void *end;

		pthread_join(threads[i], &end);
		sum += (uintptr_t)end;
	}
	sum += walk(1);
	reached();
	puts("walked");
	fflush(stdout);
	if (strcmp(how, "fault") == 0)
		*(volatile int *)0 = 1;
	while (strcmp(how, "wait") == 0)
		pause();
	return 0;
}
