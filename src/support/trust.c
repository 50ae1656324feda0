/* Which files are read that another file names. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "support/file.h"
#include "support/sum.h"
#include "support/trust.h"

#define MARK "user.hartscope.origin"
#define MARK_SIZE 48u /* two numbers of 16 digits, and what is around them */

/* Only the owner of a system writes there. */
static const char *const installed[] = { "/usr", "/lib", "/lib32", "/lib64", "/opt", NULL };

/* Both as realpath() has them. */
static bool is_in(const char *path, const char *folder)
{
	const size_t n = strlen(folder);

	const char *rest = path + n;

	return strncmp(path, folder, n) == 0 && (*rest == '/' || !*rest || folder[n - 1] == '/');
}

static bool is_in_any(const char *path, const char *const *folders)
{
	bool found = false;

	for (; folders && *folders && !found; folders++) {
		char *folder = realpath(*folders, NULL);

		found = folder && is_in(path, folder);
		free(folder);
	}
	return found;
}

bool support_is_below(const char *path, const char *const *folders)
{
	char *real = realpath(path, NULL);
	const bool found = real && (is_in_any(real, folders) || is_in_any(real, installed));

	free(real);
	return found;
}

/* What only this machine writes to this inode. */
static bool make_mark(int fd, char mark[MARK_SIZE])
{
	uint64_t sum = SUPPORT_SUM_START;
	char id[64] = "";
	struct stat st;

	if (fstat(fd, &st) != 0)
		return false;
	const int file = support_open_file(AT_FDCWD, "/etc/machine-id");
	const ssize_t n = file < 0 ? 0 : read(file, id, sizeof(id));

	if (file >= 0)
		close(file);
	if (n > 0)
		sum = support_sum(sum, id, (size_t)n);
	sum = support_sum_number(sum, (uint64_t)st.st_uid);
	snprintf(mark, MARK_SIZE, "%016" PRIx64 " %016" PRIx64, (uint64_t)st.st_ino, sum);
	return true;
}

void support_mark_own(int fd)
{
	char mark[MARK_SIZE];

	if (make_mark(fd, mark))
		(void)fsetxattr(fd, MARK, mark, strlen(mark),
		                0); /* not every file system has them */
}

bool support_is_own(int dir, const char *name)
{
	const int fd = support_open_file(dir, name);
	char mark[MARK_SIZE], found[MARK_SIZE];
	bool own = false;

	if (fd < 0)
		return false;
	if (make_mark(fd, mark)) {
		const ssize_t n = fgetxattr(fd, MARK, found, sizeof(found));

		own = n == (ssize_t)strlen(mark) && memcmp(found, mark, (size_t)n) == 0;
	}
	close(fd);
	return own;
}
