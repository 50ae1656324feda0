/* For LD_PRELOAD: the FAIL_ATth allocation of FAIL_PROGRAM gives NULL.  FAIL_REPORT gets how many
 * there were, when the process ends as it wants to; with FAIL_AT 0 none fails, and there is no
 * report.  What is preloaded after it, LeakSanitizer, makes the others; programs that are started
 * have neither. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#pragma GCC visibility push(default) /* they take the place of others */

struct next {
	void *(*malloc)(size_t n);
	void *(*calloc)(size_t count, size_t n);
	void *(*realloc)(void *p, size_t n);
	int (*posix_memalign)(void **p, size_t alignment, size_t n);
	void *(*aligned_alloc)(size_t alignment, size_t n);
};

static atomic_ulong allocations;
static unsigned long fail_at;
static bool counts;

static bool fails(void)
{
	if (!counts || atomic_fetch_add(&allocations, 1) + 1 != fail_at)
		return false;
	errno = ENOMEM;
	return true;
}

/* Looking a name up allocates nothing. */
static const struct next *next(void)
{
	static struct next found;

	if (!found.malloc) {
		*(void **)&found.calloc = dlsym(RTLD_NEXT, "calloc");
		*(void **)&found.realloc = dlsym(RTLD_NEXT, "realloc");
		*(void **)&found.posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
		*(void **)&found.aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
		*(void **)&found.malloc = dlsym(RTLD_NEXT, "malloc");
	}
	return &found;
}

void *malloc(size_t n)
{
	return fails() ? NULL : next()->malloc(n);
}

void *calloc(size_t count, size_t n)
{
	return fails() ? NULL : next()->calloc(count, n);
}

void *realloc(void *p, size_t n)
{
	return fails() ? NULL : next()->realloc(p, n);
}

void *aligned_alloc(size_t alignment, size_t n)
{
	return fails() ? NULL : next()->aligned_alloc(alignment, n);
}

int posix_memalign(void **p, size_t alignment, size_t n)
{
	return fails() ? ENOMEM : next()->posix_memalign(p, alignment, n);
}

__attribute__((constructor)) static void begin(void)
{
	const char *at = getenv("FAIL_AT"), *program = getenv("FAIL_PROGRAM");
	char path[PATH_MAX], wanted[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n < 0 || !at || !program || !realpath(program, wanted))
		return;
	path[n] = 0;
	fail_at = strtoul(at, NULL, 10);
	counts = strcmp(path, wanted) == 0;
	if (counts)
		unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void end(void)
{
	const char *report = getenv("FAIL_REPORT");
	char text[32];
	const bool reports = counts && fail_at && report;
	const int fd = reports ? open(report, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;

	if (fd < 0)
		return;
	const int n = snprintf(text, sizeof(text), "%lu\n", (unsigned long)allocations);

	if (write(fd, text, (size_t)n) != n)
		abort();
	close(fd);
}
