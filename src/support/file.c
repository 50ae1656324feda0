/* Opening regular files, and nothing else; reading and writing all of it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/file.h"
#include "support/trust.h"

#define READING (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* Kernels before 5.6, and some sandboxes, have no openat2(): then no link is followed. */
static int open_beneath(int dir, const char *name)
{
	const struct open_how how = { .flags = READING,
		                      .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS };
	const long fd = syscall(SYS_openat2, dir, name, &how, sizeof(how));

	if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
		return (int)fd;
	if (strchr(name, '/')) {
		errno = EXDEV;
		return -1;
	}
	return openat(dir, name, READING | O_NOFOLLOW);
}

/* A FIFO would wait for its writer, and a device may act when it is opened: so the type is looked
 * at first, and again in what was opened. */
static int open_regular(int dir, const char *name, bool beneath)
{
	struct stat st;
	int fd;

	if (fstatat(dir, name, &st, 0) != 0)
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = ENOTSUP;
		return -1;
	}
	fd = beneath ? open_beneath(dir, name) : openat(dir, name, READING);
	if (fd < 0)
		return -1;
	const int error = fstat(fd, &st) != 0 ? errno : S_ISREG(st.st_mode) ? 0 : ENOTSUP;

	if (error == 0)
		return fd;
	close(fd);
	errno = error;
	return -1;
}

int support_open_file(int dir, const char *name)
{
	return open_regular(dir, name, false);
}

int support_open_beneath(int dir, const char *name)
{
	return open_regular(dir, name, true);
}

FILE *support_stream(int fd)
{
	FILE *f = fd < 0 ? NULL : fdopen(fd, "rb");

	if (!f && fd >= 0)
		close(fd);
	return f;
}

const char *support_open_failure(int error)
{
	switch (error) {
	case ENOTSUP:
		return "not a regular file";
	case EXDEV:
	case ELOOP:
		return "a link that leads out of its folder";
	default:
		return strerror(error);
	}
}

ssize_t support_read(int fd, void *bytes, size_t n)
{
	size_t done = 0;

	while (done < n) {
		const ssize_t r = read(fd, (char *)bytes + done, n - done);

		if (r == 0)
			break;
		if (r < 0 && errno != EINTR)
			return -1;
		done += r > 0 ? (size_t)r : 0;
	}
	return (ssize_t)done;
}

ssize_t support_write(int fd, const void *bytes, size_t n)
{
	for (size_t done = 0; done < n;) {
		const ssize_t w = write(fd, (const char *)bytes + done, n - done);

		if (w < 0 && errno != EINTR)
			return -1;
		done += w > 0 ? (size_t)w : 0;
	}
	return (ssize_t)n;
}

/* 0, or errno. */
static int write_new(const char *path, const void *bytes, size_t n)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
	int error = 0;

	if (fd < 0)
		return errno;
	support_mark_own(fd);
	if (support_write(fd, bytes, n) < 0 || fsync(fd) != 0)
		error = errno;
	return close(fd) == 0 || error != 0 ? error : errno;
}

int support_replace_file(const char *path, const void *bytes, size_t n)
{
	char *next;
	int error;

	if (asprintf(&next, "%s.new", path) < 0) {
		errno = ENOMEM;
		return -1;
	}
	error = write_new(next, bytes, n);
	if (error == 0 && rename(next, path) != 0)
		error = errno;
	if (error != 0)
		unlink(next);
	free(next);
	errno = error;
	return error == 0 ? 0 : -1;
}
