/* Opening regular files, and nothing else. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/file.h"

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
	if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
		return fd;
	close(fd);
	errno = ENOTSUP;
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
