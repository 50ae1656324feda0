/* Run a command and say what it cost: a line "seconds user system kibibytes" in a file.
 *
 *   rusage FILE COMMAND ARGS...      exits as the command does
 *
 * Seconds are of the wall clock; kibibytes are the largest resident set of the command or of any
 * process that it waited for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int report(const char *path, double wall, const struct rusage *u)
{
	FILE *f = fopen(path, "w");

	if (!f ||
	    fprintf(f, "%.3f %.3f %.3f %ld\n", wall, seconds(u->ru_utime), seconds(u->ru_stime),
	            u->ru_maxrss) < 0 ||
	    fclose(f)) {
		perror(path);
		return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct rusage u;
	int status;

	if (argc < 3) {
		fprintf(stderr, "usage: rusage FILE COMMAND ARGS...\n");
		return 2;
	}
	const double start = now();
	const pid_t child = fork();

	if (child == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &u) != child) {
		perror("rusage");
		return 2;
	}
	if (report(argv[1], now() - start, &u) != 0)
		return 2;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
