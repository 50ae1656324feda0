/* Many ways through little code, so that a recorder which does not write each run has much to keep
 * apart: ways STEPS [exit|fault|shared|clone|thread|fork|raise]. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static uint32_t seed = 1;
static volatile uint32_t sum;

static uint32_t next(void)
{
	seed = seed * 1103515245u + 12345u;
	return seed >> 16;
}

/* Reached directly and through a pointer. */
__attribute__((noinline)) static void mix(uint32_t x)
{
	if (x & 1)
		sum += x;
	if (x & 2)
		sum ^= 5;
	else if (x & 4)
		sum *= 3;
	if ((x & 24) == 8)
		sum -= 7;
	if (x & 32 && sum & 1)
		sum++;
}

__attribute__((noinline)) static void deep(uint32_t n)
{
	if (n > 1)
		deep(n - 1);
	if (next() & 1)
		sum++;
	if (n > 2)
		deep(n - 2);
	sum += 2;
}

static void (*volatile pointer)(uint32_t) = mix;

static void step(void)
{
	const uint32_t x = next();

	switch (x & 15) {
	case 0: deep(x >> 13); break;
	case 1: pointer(x); break;
	case 2: mix(x); break;
	case 3: pointer(x ^ 21); mix(x); break;
	case 5: sum++; /* fall through */
	case 6: sum += 3; break;
	case 9: while (x & 1 && next() & 3) sum--; break;
	default: if (x & 64) mix(x >> 8);
	}
}

/* Called before it is a handler. */
__attribute__((noinline)) static void on_signal(int signal)
{
	sum += (uint32_t)signal;
	mix(sum);
}

static void *run(void *steps)
{
	for (long i = 0; i < (long)(intptr_t)steps; i++)
		step();
	return NULL;
}

int main(int argc, char **argv)
{
	const long steps = atol(argv[1]);
	const char *how = argc > 2 ? argv[2] : "exit";
	pthread_t thread;

	run((void *)(intptr_t)steps);
	if (strcmp(how, "shared") == 0)
		sum += mmap(NULL, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
	if (strcmp(how, "clone") == 0) /* refused */
		sum += syscall(SYS_clone, CLONE_VM | CLONE_THREAD, 0, 0, 0, 0) != -1;
	if (strcmp(how, "thread") == 0 && pthread_create(&thread, NULL, run, (void *)9) == 0)
		pthread_join(thread, NULL);
	on_signal(argc);
	if (strcmp(how, "raise") == 0 && signal(SIGUSR1, on_signal) != SIG_ERR)
		raise(SIGUSR1);
	if (strcmp(how, "fork") == 0 && fork() != 0)
		wait(NULL);
	run((void *)(intptr_t)steps);
	if (strcmp(how, "fault") == 0)
		pointer = NULL;
	run((void *)(intptr_t)steps);
	return 0;
}
