/* Two threads; one of them kills the program while the other one runs. */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static volatile unsigned sum, spins;

static unsigned step(unsigned i)
{
	if (i % 3 == 0)
		sum += i;
	else if (i % 7 == 1)
		sum ^= i;
	return sum;
}

static void *spin(void *unused)
{
	spins = 1;
	for (unsigned i = 0;; i++)
		step(i);
	return unused;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, spin, NULL) != 0)
		return 2;
	while (!spins)
		;
	for (unsigned i = 0; i < 200000; i++)
		step(i);
	kill(getpid(), SIGKILL);
}
