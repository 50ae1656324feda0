/* How many threads work: -j. */
#define _GNU_SOURCE /* sched_getaffinity() */
#include <sched.h>
#include <unistd.h>

#include "common/tool.h"

#define THREADS_MAX 64

/* Cores that this process may use. */
uint64_t jobs_default(void)
{
	cpu_set_t cpus;
	long n = sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? CPU_COUNT(&cpus)
	                                                        : sysconf(_SC_NPROCESSORS_ONLN);

	if (n < 1)
		n = 1;
	return n < THREADS_MAX ? (uint64_t)n : THREADS_MAX;
}

bool option_jobs(struct options *o, const char *name, const char *value)
{
	if (!read_number(name, value, THREADS_MAX, &o->jobs))
		return false;
	if (!o->jobs)
		o->jobs = jobs_default();
	return true;
}
