/* Libraries that are loaded, used and unloaded in turn, so that one gets the addresses of another.
 *
 *   loads ROUNDS LIBRARY...      each has long work(long)
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	const long rounds = argc > 1 ? atol(argv[1]) : 1;
	uintptr_t before = 0;
	long sum = 0, same = 0;

	for (long i = 0; i < rounds && argc > 2; i++) {
		void *library = dlopen(argv[2 + i % (argc - 2)], RTLD_NOW);
		long (*const work)(long) = library ? (long (*)(long))dlsym(library, "work") : NULL;

		if (work == NULL) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		same += (uintptr_t)work >> 12 == before;
		before = (uintptr_t)work >> 12;
		for (long k = 0; k < 5; k++)
			sum += work(i + k);
		dlclose(library);
	}
	printf("sum %ld, at the page of the one before: %ld of %ld\n", sum, same, rounds);
	return 0;
}
