/* Pipes as operands: '-', /dev/stdin, <(COMMAND), a FIFO.  A perf.data is read more than once, so
 * that it is kept in a file without a name first.  Other traces are read as they come. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <hartscope/capture.h>

#include "common/tool.h"

#define MAGIC 8u

static bool is_perf(const uint8_t magic[MAGIC])
{
	return hs_file_what_bytes(&(struct hs_span){ magic, MAGIC }, NULL) == HS_FILE_PERF;
}

/* The first bytes in a pipe, which stay there.  Its writer may not have written all of them yet:
 * wait, as long as they may be a perf.data. */
static bool pipe_has_perf(int fd)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	uint8_t magic[MAGIC] = "PERFILE2";
	int copy[2];
	ssize_t n;

	do {
		if (pipe2(copy, O_CLOEXEC) < 0)
			return false;
		n = tee(fd, copy[1], MAGIC, 0);
		n = n > 0 ? read(copy[0], magic, (size_t)n) : n;
		close(copy[0]);
		close(copy[1]);
	} while (n > 0 && n < (ssize_t)MAGIC && memcmp(magic, "PERFILE2", MAGIC) == 0 &&
	         nanosleep(&pause, NULL) == 0);
	return n == MAGIC && is_perf(magic);
}

static bool has_perf(int fd, mode_t mode)
{
	uint8_t magic[MAGIC];

	if (S_ISFIFO(mode))
		return pipe_has_perf(fd);
	return S_ISREG(mode) && pread(fd, magic, MAGIC, 0) == MAGIC && is_perf(magic);
}

static bool copy_all(int from, FILE *to)
{
	static uint8_t bytes[65536];
	ssize_t n;

	do {
		n = read(from, bytes, sizeof(bytes));
		if (n > 0 && fwrite(bytes, 1, (size_t)n, to) != (size_t)n)
			return false;
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n == 0 && fflush(to) == 0;
}

/* Put what comes through a pipe into a file, which gets the pipe's descriptor. */
static bool keep(int fd)
{
	FILE *f = tmpfile();
	const bool kept = f && copy_all(fd, f) && dup2(fileno(f), fd) == fd;
	const int reason = errno;

	if (f)
		fclose(f);
	errno = reason;
	return kept;
}

/* The descriptor that an operand names: of standard input, or of <(COMMAND); -1: none. */
static int descriptor_of(const char *path)
{
	char *end;

	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0)
		return STDIN_FILENO;
	if (strncmp(path, "/dev/fd/", 8) != 0)
		return -1;
	const long fd = strtol(path + 8, &end, 10);

	return *end || fd < 0 || fd > INT_MAX ? -1 : (int)fd;
}

/* The same, also where the operand is the name of a FIFO, which is opened. */
static int open_pipe(const char *path)
{
	const int fd = descriptor_of(path);
	struct stat st;

	if (fd >= 0 || stat(path, &st) != 0 || !S_ISFIFO(st.st_mode))
		return fd;
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* A pipe can be read once, as standard input is: one operand becomes that. */
static int become_input(const char **path, int fd)
{
	static bool taken;

	if (taken) {
		complain("%s: only one operand can be a pipe", *path);
		return EXIT_USAGE;
	}
	taken = true;
	if (fd != STDIN_FILENO && dup2(fd, STDIN_FILENO) != STDIN_FILENO) {
		complain("%s: %s", *path, strerror(errno));
		return EXIT_DAMAGED;
	}
	if (fd != STDIN_FILENO)
		close(fd);
	*path = "-";
	return EXIT_GOOD;
}

/* A file is kept in place of a FIFO: its name is that of the descriptor, until we end. */
static bool name_descriptor(const char **path, int fd)
{
	char *name = NULL;

	if (asprintf(&name, "/dev/fd/%d", fd) < 0) {
		complain("%s: out of memory", *path);
		return false;
	}
	*path = name;
	return true;
}

int input_open(const char **path)
{
	const int fd = open_pipe(*path);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return EXIT_GOOD;
	if (!has_perf(fd, st.st_mode))
		return S_ISFIFO(st.st_mode) ? become_input(path, fd) : EXIT_GOOD;
	if (S_ISFIFO(st.st_mode) && !keep(fd)) {
		complain("%s: cannot be kept in a file: %s", *path, strerror(errno));
		return EXIT_DAMAGED;
	}
	if (fd == STDIN_FILENO)
		*path = "/dev/stdin";
	else if (descriptor_of(*path) < 0 && !name_descriptor(path, fd))
		return EXIT_DAMAGED;
	return EXIT_GOOD;
}
