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

static bool parse_jobs(void *to, const struct option_row *r, char *value)
{
	uint64_t *jobs = to;

	if (!read_number(r->name, value, THREADS_MAX, jobs))
		return false;
	if (!*jobs)
		*jobs = jobs_default();
	return true;
}

/* clang-format off */
const struct option_row options_jobs[] = {
	{ "--jobs", 'j', "N",
	  "threads that work, at most 64 (0, and by default: one for each core); the output is "
	  "the same", AS_PARSED(struct options, jobs, parse_jobs) },
	{ .name = NULL }
};
/* clang-format on */
