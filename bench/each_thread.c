/* Calls the main() of another file, which is compiled with -Dmain=work, in THREADS threads at once.
 * What it keeps must be of its thread (bench/record.sh). */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int work(int argc, char **argv);

static int count;
static char **values;

static void *begin(void *unused)
{
	(void)unused;
	work(count, values);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	count = argc;
	values = argv;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, begin, NULL) != 0)
			return 2;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
