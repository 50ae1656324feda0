/* A program that attacks the recording that is made of it: argument 1 says how, argument 2 is the
 * recording's directory.  Then it runs on, and ends with status 4. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static volatile unsigned sum;

static void run_on(void)
{
	for (unsigned i = 0; i < 3000000; i++)
		sum += i & 1 ? i : 1;
}

/* Connect to recorders, also those of others; false: there is none. */
static bool connect_recorder(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	FILE *maps = fopen("/proc/net/unix", "r");
	char line[512];
	bool any = false;

	while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
		const char *name = strstr(line, "@hartscope-");
		const int s = name == NULL ? -1 : socket(AF_UNIX, SOCK_SEQPACKET, 0);
		const size_t n = name == NULL ? 0 : strcspn(name + 1, "\n");

		if (s < 0 || n + 1 > sizeof(to.sun_path))
			continue;
		memcpy(to.sun_path + 1, name + 1, n);
		if (connect(s, (struct sockaddr *)&to,
		            (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n)) == 0)
			any = true;
	}
	if (maps != NULL)
		fclose(maps);
	return any;
}

/* Connections on which nothing comes. */
static void keep_waiting(void)
{
	for (int i = 0; i < 4 && connect_recorder(); i++)
		;
}

static void each_file(int dir, char how)
{
	static const char *const names[] = { "manifest.json", "runs.zst", "hart-0.zst" };

	for (unsigned i = 0; i < 3; i++) {
		int fd;

		if (how == 'l') { /* a link to what is not the recording's */
			unlinkat(dir, names[i], 0);
			if (symlinkat("../victim", dir, names[i]) != 0)
				exit(2);
		} else if (how == 'r') {
			unlinkat(dir, names[i], 0);
		} else if (how == 'd') {
			unlinkat(dir, names[i], 0);
			mkdirat(dir, names[i], 0777);
		} else {
			fd = openat(dir, names[i], O_WRONLY | (how == 'z' ? O_TRUNC : 0));
			if (fd < 0 || (how == 'w' && pwrite(fd, "garbage", 7, 3) != 7))
				exit(2);
			close(fd);
		}
	}
}

static void fill(int dir)
{
	static char block[65536];
	const int fd = openat(dir, "filler", O_WRONLY | O_CREAT, 0666);

	while (write(fd, block, sizeof(block)) > 0)
		;
	while (write(fd, block, 1) > 0)
		;
}

int main(int argc, char **argv)
{
	const int dir = argc > 2 ? open(argv[2], O_RDONLY | O_DIRECTORY) : -1;

	if (argc < 3 || dir < 0)
		return 2;
	run_on();
	usleep(300000);
	switch (argv[1][0]) {
	case 'l':
	case 'r':
	case 'd':
	case 'z':
	case 'w':
		each_file(dir, argv[1][0]);
		break;
	case 'f':
		fill(dir);
		break;
	case 'c':
		for (int i = 3; i < 20000; i++)
			if (i != dir)
				close(i);
		break;
	case 'k':
		kill(getppid(), SIGKILL);
		break;
	case 's':
		keep_waiting();
		break;
	case 'M':
		if (rename(argv[2], "moved") != 0 || symlink("elsewhere", argv[2]) != 0)
			return 2;
		break;
	}
	run_on();
	return argv[1][0] == 'M' && fork() == 0 ? 5 : 4;
}
