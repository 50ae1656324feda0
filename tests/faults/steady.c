/* Two threads make calls that no signal ends.  The exit status is 1 where one of them ended with an
 * error all the same, which a signal that inject.c sends must not bring about. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#define ROUNDS 40

static atomic_bool failed;

static void note(int number)
{
	(void)number;
}

static void *look(void *argument)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		if (getppid() < 0)
			failed = true;
	return argument;
}

/* What brk() returns is an address, also -EINTR. */
static void move_break(void)
{
	char *const from = sbrk(0);

	if (sbrk(4096) != from || sbrk(0) != from + 4096 || sbrk(-4096) != from + 4096)
		failed = true;
}

int main(void)
{
	const struct sigaction action = { .sa_handler = note };
	pthread_t other;

	sigaction(SIGUSR1, &action, NULL);
	if (pthread_create(&other, NULL, look, NULL) != 0)
		return 2;
	for (unsigned i = 0; i < ROUNDS; i++)
		move_break();
	pthread_join(other, NULL);
	return failed;
}
