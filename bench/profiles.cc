/* What a profile of a trace costs from C++: a loop over its items, and counts of it.
 *
 *   profiles TRACE ELF
 *
 * The least of three each, in turn, seconds of the processor with those of the start.  Prints lines
 * "NAME VALUE".
 */
#include <algorithm>
#include <cstdio>
#include <ctime>

#include <hartscope/hartscope.hpp>

static double now()
{
	timespec t{};

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

/* Instructions of the run; *seconds: that it took, if that is less. */
static std::uint64_t profile(char **argv, bool loop, double *seconds)
{
	const double start = now();
	hartscope::source run(
		hartscope::source_options(argv[1]).elf(argv[2]).names().threads(1));
	hartscope::counts counts(run);

	if (loop)
		for (const hartscope::items &some : run)
			counts.add(some);
	else
		run.count(counts);
	const std::uint64_t instructions = counts.profile().instructions;

	*seconds = std::min(*seconds, now() - start);
	return instructions;
}

int main(int argc, char **argv)
{
	double loop = 1e9, count = 1e9;

	if (argc != 3)
		return 2;
	for (int i = 0; i < 3; i++)
		if (profile(argv, true, &loop) != profile(argv, false, &count))
			return 1;
	std::printf("loop_seconds %.3f\ncount_seconds %.3f\n", loop, count);
	return 0;
}
