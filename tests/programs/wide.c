/* A function that returns to many places, in no order: wide STEPS [exit|fault|thread].  With fault
 * some of these places access memory that is not there, and a handler goes on after it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

static uint32_t seed = 1;
static volatile uint32_t sum;
static volatile uint32_t *volatile memory = &sum;

__attribute__((noinline)) static void leaf(uint32_t n)
{
	sum += n;
}

#define SITE(n) \
	case n: \
		leaf(n); \
		sum += *memory & (n); \
		break;
#define SITES(n) SITE(n) SITE(n + 1) SITE(n + 2) SITE(n + 3) SITE(n + 4)
#define MORE(n) SITES(n) SITES(n + 5) SITES(n + 10) SITES(n + 15)

static void call(uint32_t n)
{
	switch (n) {
		MORE(0) MORE(20) MORE(40) MORE(60) MORE(80) MORE(100) MORE(120) MORE(140)
		MORE(160) MORE(180) MORE(200) MORE(220) MORE(240) MORE(260) MORE(280)
	}
}

/* At first two places, then ever more of them. */
static void *run(void *steps)
{
	const uint32_t n = (uint32_t)(uintptr_t)steps;

	for (uint32_t i = 0; i < n; i++) {
		seed = seed * 1103515245u + 12345u;
		call((seed >> 16) % (2 + i * 298 / n));
	}
	return NULL;
}

static void after(int signal, siginfo_t *info, void *context)
{
	unsigned long *pc = &((ucontext_t *)context)->uc_mcontext.__gregs[REG_PC];

	(void)signal, (void)info;
	*pc += (*(const uint16_t *)*pc & 3) == 3 ? 4 : 2;
}

int main(int argc, char **argv)
{
	void *const steps = (void *)(uintptr_t)atol(argv[1]);
	const char *how = argc > 2 ? argv[2] : "exit";
	struct sigaction action = { .sa_flags = SA_SIGINFO };
	pthread_t thread;

	run(steps);
	action.sa_sigaction = after;
	if (strcmp(how, "fault") == 0 && sigaction(SIGSEGV, &action, NULL) == 0)
		memory = NULL;
	if (strcmp(how, "thread") == 0 && pthread_create(&thread, NULL, run, steps) == 0)
		pthread_join(thread, NULL);
	else
		run(steps);
	return 0;
}
