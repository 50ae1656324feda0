/* FST files: waves of GTKWave, as text of value change dumps out of fst2vcd (design/logs). */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inputs/fst.h"

extern char **environ;

struct hs_fst {
	const char *name;
	int fd;    /* what fst2vcd writes */
	pid_t pid; /* 0: it has ended */
};

/* Block type 0, the header, of 329 bytes. */
bool hs_fst_is(const struct hs_span *first)
{
	static const uint8_t header[] = { 0, 0, 0, 0, 0, 0, 0, 1, 0x49 };

	return first->n > sizeof(header) && memcmp(first->p, header, sizeof(header)) == 0;
}

/* @return 0, or why it failed */
static int start(struct hs_fst *f, int fd, int to)
{
	static const char program[] = "fst2vcd", option[] = "-f";
	posix_spawn_file_actions_t actions;
	char path[32];
	char *const argv[] = { (char *)(uintptr_t)program, (char *)(uintptr_t)option, path, NULL };
	int failed;

	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fd, fd); /* it stays open */
	posix_spawn_file_actions_adddup2(&actions, to, 1);
	posix_spawn_file_actions_addclose(&actions, f->fd);
	posix_spawn_file_actions_addclose(&actions, to);
	failed = posix_spawnp(&f->pid, program, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return failed;
}

enum hs_status hs_fst_open(int fd, const char *name, struct hs_fst **fst, struct hs_error *error)
{
	struct hs_fst *f = calloc(1, sizeof(*f));
	int ends[2], failed;

	if (!f)
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", name);
	if (pipe(ends) != 0) {
		free(f);
		return hs_error_set(error, HS_E_SYSTEM, "pipe: %s", strerror(errno));
	}
	f->name = name;
	f->fd = ends[0];
	failed = start(f, fd, ends[1]);
	close(ends[1]);
	if (!failed) {
		*fst = f;
		return HS_OK;
	}
	f->pid = 0;
	hs_fst_close(f);
	return hs_error_set(error, HS_E_SYSTEM,
	                    "%s is an FST file, which fst2vcd reads (%s): "
	                    "install the package gtkwave, or convert it to VCD",
	                    name, strerror(failed));
}

/* All was read: did fst2vcd say that it went well? */
static enum hs_status finish(struct hs_fst *f, struct hs_error *error)
{
	const pid_t pid = f->pid;
	int status = 0;

	f->pid = 0;
	if (!pid ||
	    (waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0))
		return HS_OK;
	return hs_error_set(error, HS_E_FORMAT, "%s: fst2vcd could not read all of it", f->name);
}

enum hs_status hs_fst_read(struct hs_fst *f, uint8_t *out, size_t cap, size_t *n,
                           struct hs_error *error)
{
	ssize_t got;

	*n = 0;
	do
		got = read(f->fd, out, cap);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", f->name, strerror(errno));
	*n = (size_t)got;
	return got ? HS_OK : finish(f, error);
}

void hs_fst_close(struct hs_fst *f)
{
	if (!f)
		return;
	close(f->fd);
	if (f->pid) {
		kill(f->pid, SIGTERM);
		waitpid(f->pid, NULL, 0);
	}
	free(f);
}
