/* Files that replace others when they are whole (ADR-0133). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/new_file.h"
#include "common/tool.h"

static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };

static const char *volatile unfinished; /* removed by a signal that ends us */

static void on_end(int signal_number)
{
	if (unfinished)
		unlink(unfinished);
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

static void watch_signals(const char *path)
{
	unfinished = path;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		struct sigaction old;

		if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			signal(ends[i], on_end);
	}
}

static bool refuse(const char *path, int error)
{
	if (error == EWOULDBLOCK)
		complain("%s: another process writes this file", path);
	else
		complain("%s: %s", path, strerror(error));
	return false;
}

/* Another process may have given its file the final name between our open() and flock(). */
static bool is_still(int fd, const char *path)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && lstat(path, &b) == 0 && a.st_ino == b.st_ino &&
	       a.st_dev == b.st_dev;
}

static bool open_temporary(struct new_file *f)
{
	const int fd = open(f->temporary, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);

	if (fd < 0)
		return refuse(f->temporary, errno);
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 || !is_still(fd, f->temporary) ||
	    ftruncate(fd, 0) != 0) {
		close(fd);
		return refuse(f->path, EWOULDBLOCK);
	}
	f->fd = fd;
	watch_signals(f->temporary);
	return true;
}

bool new_file_open(struct new_file *f, const char *path)
{
	const bool standard = strcmp(path, "-") == 0;
	struct stat st;

	*f = (struct new_file){ .fd = STDOUT_FILENO, .path = path };
	if (standard)
		return true;
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		f->fd = open(path, O_WRONLY | O_CLOEXEC);
		return f->fd >= 0 || refuse(path, errno);
	}
	f->fd = -1;
	if (asprintf(&f->temporary, "%s.new", path) < 0) {
		f->temporary = NULL;
		return refuse(path, ENOMEM);
	}
	return open_temporary(f);
}

static bool close_file(struct new_file *f)
{
	const int fd = f->fd;

	f->fd = -1;
	return fd <= STDERR_FILENO || close(fd) == 0;
}

bool new_file_commit(struct new_file *f)
{
	const bool moved = !f->temporary || rename(f->temporary, f->path) == 0;
	const bool good = moved && close_file(f);

	if (!good)
		return refuse(f->path, errno);
	unfinished = NULL;
	free(f->temporary);
	f->temporary = NULL;
	return true;
}

void new_file_discard(struct new_file *f)
{
	close_file(f);
	if (f->temporary)
		unlink(f->temporary);
	unfinished = NULL;
	free(f->temporary);
	f->temporary = NULL;
}
