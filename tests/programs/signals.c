/* A timer interrupts a computation, at a branch as well as anywhere else. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks;

static void on_tick(int number)
{
	(void)number;
	ticks++;
}

static uint32_t step(uint32_t x)
{
	if (x & 1)
		return x * 3 + 1;
	if (x & 2)
		return x / 2 + 7;
	return x / 2;
}

int main(int argc, char **argv)
{
	const struct itimerval every = { { 0, 500 }, { 0, 500 } };
	struct sigaction action = { .sa_handler = on_tick };
	const int wanted = argc > 1 ? atoi(argv[1]) : 200;
	uint32_t x = 27, sum = 0;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	while (ticks < wanted) {
		for (int i = 0; i < 100; i++)
			x = step(x + (uint32_t)i);
		sum += x;
	}
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	printf("ticks %d\n", ticks >= wanted);
	return sum == 1;
}
