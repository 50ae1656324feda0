/* Threads of which it is known who runs when: each waits for its baton, runs its leg, and gives the
 * baton to the next one.  The last one starts two that run at the same time. */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#define LEGS 4

static sem_t baton[LEGS];
static volatile unsigned sink[2 * LEGS];

static void work(unsigned who, unsigned turns)
{
	for (unsigned i = 0; i < turns; i++)
		sink[who] = sink[who] * 1664525u + i;
}

#define LEG(n) \
	static __attribute__((noinline)) void leg##n(void) \
	{ \
		work(n, 300000); \
	}
LEG(0)
LEG(1)
LEG(2)
LEG(3)
static void (*const legs[LEGS])(void) = { leg0, leg1, leg2, leg3 };

static __attribute__((noinline)) void *finish(void *to)
{
	work(LEGS + *(const unsigned char *)to, 200000);
	return to;
}

static void *runner(void *to)
{
	const unsigned n = *(const unsigned char *)to;
	static unsigned char side[] = { 0, 1 };
	pthread_t last[2];

	while (sem_wait(&baton[n]) != 0)
		;
	legs[n]();
	if (n + 1 < LEGS) {
		sem_post(&baton[n + 1]);
		return to;
	}
	for (unsigned i = 0; i < 2; i++)
		if (pthread_create(&last[i], NULL, finish, &side[i]))
			return NULL;
	for (unsigned i = 0; i < 2; i++)
		pthread_join(last[i], NULL);
	return to;
}

int main(void)
{
	static unsigned char number[LEGS];
	pthread_t all[LEGS];

	for (unsigned i = 0; i < LEGS; i++)
		sem_init(&baton[i], 0, 0);
	for (unsigned i = 0; i < LEGS; i++) {
		number[i] = (unsigned char)i;
		if (pthread_create(&all[i], NULL, runner, &number[i]))
			return 1;
	}
	usleep(200000); /* all of them wait */
	sem_post(&baton[0]);
	for (unsigned i = 0; i < LEGS; i++)
		pthread_join(all[i], NULL);
	return 0;
}
