/* Four threads of a pipeline, for pictures: each works on a batch of numbers, and gives it
 * to the next one. */
#include <pthread.h>
#include <semaphore.h>

#define STAGES 4
#define BATCHES 6
#define NUMBERS 400

static unsigned batch[STAGES][NUMBERS];
static sem_t full[STAGES], empty[STAGES];

static inline unsigned next(unsigned x)
{
	return x * 1664525u + 1013904223u;
}

static __attribute__((noinline)) void generate(unsigned *v, unsigned seed)
{
	for (unsigned i = 0; i < 20 * NUMBERS; i++)
		v[i % NUMBERS] = seed = next(seed);
}

static __attribute__((noinline)) void scramble(unsigned *v)
{
	for (unsigned round = 0; round < 30; round++)
		for (unsigned i = 0; i < NUMBERS; i++)
			v[i] ^= v[(i + 7) % NUMBERS] >> 3;
}

static __attribute__((noinline)) void sort(unsigned *v)
{
	for (unsigned i = 1; i < NUMBERS; i++)
		for (unsigned k = i; k && v[k - 1] > v[k]; k--) {
			const unsigned x = v[k];

			v[k] = v[k - 1];
			v[k - 1] = x;
		}
}

static __attribute__((noinline)) unsigned add(const unsigned *v)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < 40 * NUMBERS; i++)
		sum += v[i % NUMBERS];
	return sum;
}

static unsigned work(unsigned stage, unsigned seed)
{
	unsigned *v = batch[stage];

	switch (stage) {
	case 0: generate(v, seed); return 0;
	case 1: scramble(v); return 0;
	case 2: sort(v); return 0;
	default: return add(v);
	}
}

static unsigned total;

static __attribute__((noinline)) void run(unsigned stage)
{
	for (unsigned n = 0; n < BATCHES; n++) {
		while (stage && sem_wait(&full[stage]) != 0)
			;
		total += work(stage, n);
		while (stage + 1 < STAGES && sem_wait(&empty[stage + 1]) != 0)
			;
		if (stage + 1 < STAGES) {
			for (unsigned i = 0; i < NUMBERS; i++)
				batch[stage + 1][i] = batch[stage][i];
			sem_post(&full[stage + 1]);
		}
		if (stage)
			sem_post(&empty[stage]);
	}
}

#define THREAD(name, stage) \
	static void *name(void *to) \
	{ \
		run(stage); \
		return to; \
	}
THREAD(scrambler, 1)
THREAD(sorter, 2)
THREAD(adder, 3)

int main(void)
{
	void *(*const start[STAGES])(void *) = { NULL, scrambler, sorter, adder };
	pthread_t others[STAGES];

	for (unsigned i = 0; i < STAGES; i++) {
		sem_init(&full[i], 0, 0);
		sem_init(&empty[i], 0, 1);
	}
	for (unsigned i = 1; i < STAGES; i++)
		if (pthread_create(&others[i], NULL, start[i], NULL))
			return 1;
	run(0);
	for (unsigned i = 1; i < STAGES; i++)
		pthread_join(others[i], NULL);
	return total == 1;
}
