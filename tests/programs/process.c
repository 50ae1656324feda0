/* Two programs in one: -DSECOND makes the other.  Linked statically they lie at the same
 * addresses with other code there.  Both ask the system for something again and again. */
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#ifdef SECOND
__attribute__((noinline)) static uint64_t second_work(uint64_t n)
{
	uint64_t x = n * n + 7, steps = 0;

	while (x > 1) {
		x = x % 2 == 0 ? x / 2 : 3 * x + 1;
		steps++;
	}
	return steps;
}
#define WORK second_work
#else
__attribute__((noinline)) static uint64_t first_work(uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 1; i <= n % 50 + 3; i++)
		sum += n % i == 0 ? i : 1;
	return sum;
}
#define WORK first_work
#endif

int main(void)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < 200; i++)
		sum += WORK(i) + (getppid() == 0);
	printf("sum %llu\n", (unsigned long long)sum);
	return 0;
}
