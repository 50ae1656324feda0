/* Opening regular files, and nothing else. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/file.h"

/* A FIFO would wait for its writer, and a device may act when it is opened: so the type is looked
 * at first, and again in what was opened. */
int support_open_file(int dir, const char *name)
{
	struct stat st;
	int fd;

	if (fstatat(dir, name, &st, 0) != 0)
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = ENOTSUP;
		return -1;
	}
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
		return fd;
	close(fd);
	errno = ENOTSUP;
	return -1;
}
