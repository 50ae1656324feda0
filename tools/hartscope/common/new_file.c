/* Files that replace others when they are whole (design/whole-files). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/interrupt.h"
#include "common/new_file.h"
#include "common/overwrite.h"
#include "common/tool.h"

static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };

/* What may be next to the temporary file of a trace, too. */
#define ENDINGS 5u
static const char *const endings[ENDINGS] = { "", ".json", ".code", ".json.new", ".code.new" };

/* Removed by a signal that ends us.  Further files stay, without a lock. */
#define WATCHED 8u
static struct {
	char name[PATH_MAX];
	int fd;
	bool trace;
	volatile sig_atomic_t used;
} watched[WATCHED];

/* In a signal handler. */
static void remove_watched(unsigned slot)
{
	static char name[PATH_MAX + 16];

	for (unsigned i = 0; i < (watched[slot].trace ? ENDINGS : 1u); i++) {
		strcpy(name, watched[slot].name);
		strcat(name, endings[i]);
		unlink(name);
	}
}

static void on_end(int signal_number)
{
	for (unsigned i = 0; i < WATCHED; i++)
		if (watched[i].used)
			remove_watched(i);
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

/* A relative path stays one: nothing here changes the directory. */
static void watch_name(struct new_file *f)
{
	const size_t n = strlen(f->temporary);
	unsigned i = 0;

	while (i < WATCHED && watched[i].used)
		i++;
	if (i == WATCHED || n >= PATH_MAX)
		return;
	memcpy(watched[i].name, f->temporary, n + 1);
	watched[i].fd = f->fd;
	watched[i].trace = f->trace;
	watched[i].used = 1;
	f->watched = i + 1;
}

const char *new_file_name(int fd)
{
	for (unsigned i = 0; i < WATCHED; i++)
		if (watched[i].used && watched[i].fd == fd)
			return watched[i].name;
	return NULL;
}

static void watch_signals(struct new_file *f)
{
	watch_name(f);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		struct sigaction old;

		if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			signal(ends[i], on_end);
	}
}

static bool refuse(const char *path, int error)
{
	note_unwritten();
	if (error == EWOULDBLOCK)
		complain("%s: another process writes this file", path);
	else
		complain("%s: %s", path, strerror(error));
	return false;
}

/* Another process may have given its file the final name between our open() and flock().  0, or
 * errno. */
static int lock(int fd, const char *path)
{
	struct stat a, b;

	while (flock(fd, LOCK_EX | LOCK_NB) != 0)
		if (errno != EINTR)
			return errno;
	if (fstat(fd, &a) != 0 || lstat(path, &b) != 0)
		return errno == ENOENT ? EWOULDBLOCK : errno;
	return a.st_ino == b.st_ino && a.st_dev == b.st_dev ? 0 : EWOULDBLOCK;
}

static bool make_temporary(struct new_file *f)
{
	const int fd = open(f->temporary, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
	int error;

	if (fd < 0)
		return refuse(f->temporary, errno);
	error = lock(fd, f->temporary);
	if (error == 0 && ftruncate(fd, 0) != 0)
		error = errno;
	if (error != 0) {
		if (error != EWOULDBLOCK)
			unlink(f->temporary);
		close(fd);
		return refuse(f->path, error);
	}
	f->fd = fd;
	watch_signals(f);
	return true;
}

/* A signal comes before the file is there or after its name is known. */
static bool open_temporary(struct new_file *f)
{
	sigset_t before;
	bool good;

	interrupt_hold(&before);
	good = make_temporary(f);
	interrupt_release(&before);
	return good;
}

static bool open_new(struct new_file *f, const char *path, bool trace)
{
	const bool standard = strcmp(path, "-") == 0;
	struct stat st;

	*f = (struct new_file){ .fd = STDOUT_FILENO, .path = path, .trace = trace };
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
	if (open_temporary(f))
		return true;
	free(f->temporary);
	f->temporary = NULL;
	return false;
}

bool new_file_open(struct new_file *f, const char *path)
{
	return overwrite_file(path) && open_new(f, path, false);
}

bool new_file_open_trace(struct new_file *f, const char *path)
{
	return open_new(f, path, true);
}

const char *new_file_stem(const struct new_file *f)
{
	return f->temporary ? f->temporary : f->path;
}

/* 0, or errno: some errors of writing are reported only here. */
static int close_file(struct new_file *f)
{
	const int fd = f->fd;

	f->fd = -1;
	return fd <= STDERR_FILENO || close(fd) == 0 || errno == EINTR ? 0 : errno;
}

/* Give it its name.  What replaces another file is on the disk before; the lock is kept until the
 * name is given.  False, with a complaint. */
static bool move_file(const struct new_file *f)
{
	struct hs_error e = { 0 };

	if (!f->temporary)
		return true;
	if (access(f->path, F_OK) == 0 && fsync(f->fd) != 0)
		return refuse(f->path, errno);
	if (!f->trace)
		return rename(f->temporary, f->path) == 0 || refuse(f->path, errno);
	if (hs_trace_move(f->temporary, f->path, &e) == HS_OK)
		return true;
	complain("%s", e.text);
	return false;
}

static void forget(struct new_file *f)
{
	if (f->watched != 0)
		watched[f->watched - 1].used = 0;
	f->watched = 0;
	free(f->temporary);
	f->temporary = NULL;
}

/* Its files get their names together: a signal waits. */
static bool move_and_forget(struct new_file *f)
{
	sigset_t before;
	bool moved;

	interrupt_hold(&before);
	moved = move_file(f);
	if (moved)
		forget(f);
	interrupt_release(&before);
	return moved;
}

bool new_file_commit(struct new_file *f)
{
	int error;

	if (f->temporary && input_was_unread()) {
		complain("%s is not written: not all of the input could be read", f->path);
		new_file_discard(f);
		return false;
	}
	if (!move_and_forget(f)) {
		new_file_discard(f);
		return false;
	}
	error = close_file(f);
	return error == 0 || refuse(f->path, error);
}

FILE *new_file_stream(struct new_file *f)
{
	const int fd = f->fd == STDOUT_FILENO ? -1 : fcntl(f->fd, F_DUPFD_CLOEXEC, 0);
	FILE *stream = f->fd == STDOUT_FILENO ? stdout : fd < 0 ? NULL : fdopen(fd, "w");

	if (stream)
		return stream;
	refuse(f->path, errno);
	if (fd >= 0)
		close(fd);
	new_file_discard(f);
	return NULL;
}

bool new_file_end(struct new_file *f, FILE *stream)
{
	if (stream == stdout)
		return new_file_commit(f);
	const bool failed = ferror(stream);
	const int error = fclose(stream) != 0 ? errno : failed ? EIO : 0;

	if (error == 0)
		return new_file_commit(f);
	refuse(f->path, error);
	new_file_discard(f);
	return false;
}

static void remove_rest(const char *temporary)
{
	char *path;

	for (unsigned i = 1; i < ENDINGS; i++) {
		if (asprintf(&path, "%s%s", temporary, endings[i]) < 0)
			return;
		unlink(path);
		free(path);
	}
}

/* Where a trace was moved without its parameters, they stay: they are found there. */
void new_file_discard(struct new_file *f)
{
	close_file(f);
	if (f->temporary && unlink(f->temporary) == 0 && f->trace)
		remove_rest(f->temporary);
	if (f->temporary)
		forget(f);
}
