/* What a reader would do that a hostile file took over: tries, after the command has read its first
 * file, to reach what is not its own.  Loaded with LD_PRELOAD; prints a line for each attempt. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *what, int did)
{
	fprintf(stderr, "attack: %s: %s\n", what, did ? "done" : "refused");
}

static int can_open(const char *name, int flags)
{
	const char *path = getenv(name);
	const int fd = path ? open(path, flags | O_CLOEXEC, 0600) : -1;

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int can_run(void)
{
	const pid_t pid = fork();
	int status = 1;

	if (pid == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static void attack(void)
{
	say("read", can_open("ATTACK_READ", O_RDONLY));
	say("write", can_open("ATTACK_WRITE", O_WRONLY | O_CREAT));
	say("overwrite", can_open("ATTACK_OVERWRITE", O_WRONLY));
	say("link", symlink("/etc/passwd", getenv("ATTACK_LINK")) == 0);
	say("run", can_run());
	say("exec", execl("/nowhere", "nowhere", (char *)NULL) < 0 && errno == ENOENT);
	say("socket", socket(AF_INET, SOCK_STREAM, 0) >= 0);
	say("trace", ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0);
	say("signal", kill(getppid(), 0) == 0);
}

/* Landlock's version, for the test. */
__attribute__((constructor)) static void start(void)
{
	if (getenv("ATTACK_PROBE"))
		printf("landlock %ld\n", syscall(444, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION));
}

size_t ZSTD_decompressStream(void *stream, void *output, void *input);

size_t ZSTD_decompressStream(void *stream, void *output, void *input)
{
	static size_t (*next)(void *, void *, void *);

	if (!next) {
		next = (size_t(*)(void *, void *, void *))dlsym(RTLD_NEXT, "ZSTD_decompressStream");
		attack();
	}
	return next(stream, output, input);
}
