/* Many threads or processes at once, and unusual ways to make one: argument 1 says what, argument 2
 * how many, argument 3 of threads for how many seconds they rest.  Prints one line; the exit status
 * is 0 where all of them did as they should. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned long alive, wanted;

/* Wait until all threads are there, and have rested. */
static void *meet(void *argument)
{
	pthread_mutex_lock(&lock);
	if (++alive == wanted) /* only then: each would wake all that are there */
		pthread_cond_broadcast(&changed);
	while (alive < wanted)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return argument;
}

static int threads(unsigned long n, unsigned long seconds)
{
	pthread_t *all = calloc(n, sizeof(*all));
	unsigned long made = 0;
	pthread_attr_t small;
	int error = 0;

	wanted = n + 1; /* more than there are */
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 32768);
	for (; made < n && error == 0; made += error == 0)
		error = pthread_create(&all[made], &small, meet, NULL);
	sleep((unsigned)seconds);
	pthread_mutex_lock(&lock);
	wanted = made;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	for (unsigned long i = 0; i < made; i++)
		pthread_join(all[i], NULL);
	printf("%lu threads at once%s%s\n", alive, error ? ": " : "",
	       error ? strerror(error) : "");
	return made != n;
}

static void *nothing(void *argument)
{
	return argument;
}

/* One after another. */
static int series(unsigned long n)
{
	unsigned long made = 0;
	pthread_t one;

	while (made < n && pthread_create(&one, NULL, nothing, NULL) == 0) {
		pthread_join(one, NULL);
		made++;
	}
	printf("%lu threads, one after another\n", made);
	return made != n;
}

/* All children live until the last one is made; with @together 0 one after another. */
static int forks(unsigned long n, int together)
{
	unsigned long made = 0, ended = 0;
	int gate[2], status;
	char byte;

	if (pipe(gate) != 0)
		return 2;
	for (; made < n; made++) {
		const pid_t pid = fork();

		if (pid == 0) {
			close(gate[1]);
			while (together && read(gate[0], &byte, 1) > 0)
				;
			_exit((int)(made % 100));
		}
		if (pid < 0)
			break;
		while (!together && waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		ended += !together && WIFEXITED(status);
	}
	close(gate[1]);
	while (together && wait(&status) > 0)
		ended += WIFEXITED(status);
	printf("%lu children%s\n", ended, together ? " at once" : ", one after another");
	return ended != n;
}

/* As daemon(3) says: the first process ends, and nothing is open but what the daemon opens. */
static int become_daemon(const char *file)
{
	int fd;

	for (int i = 0; i < 2; i++) {
		const pid_t pid = fork();

		if (pid != 0)
			_exit(pid < 0);
		setsid();
	}
	for (fd = 0; fd < 1024; fd++)
		close(fd);
	usleep(300000);
	fd = open(file, O_WRONLY | O_CREAT, 0666);
	return dprintf(fd, "daemon\n") < 0;
}

static int vforked(void)
{
	static char *const none[] = { (char *)"/nowhere", NULL };
	int status = 0;
	const pid_t pid = vfork();

	if (pid == 0) {
		execv(none[0], none);
		_exit(9);
	}
	waitpid(pid, &status, 0);
	printf("vfork: %d\n", WEXITSTATUS(status));
	return WEXITSTATUS(status) != 9;
}

static int count_one(void *argument)
{
	++*(volatile int *)argument;
	return 4;
}

/* A process with the memory of its parent, but signal handlers of its own. */
static int cloned(int flags)
{
	static char stack[65536] __attribute__((aligned(16)));
	int count = 0, status = 0;
	const pid_t pid = clone(count_one, stack + sizeof(stack), flags | SIGCHLD, &count);

	if (pid < 0) {
		printf("clone: %s\n", strerror(errno));
		return 0;
	}
	waitpid(pid, &status, 0);
	printf("clone: %d, %d in its parent\n", WEXITSTATUS(status), count);
	return WEXITSTATUS(status) != 4;
}

/* Until so many milliseconds are over: work, and memory that does not grow. */
static int toil(unsigned long ms)
{
	static volatile unsigned sum;
	struct timespec from, now;

	clock_gettime(CLOCK_MONOTONIC, &from);
	do {
		for (unsigned i = 0; i < 1000000; i++)
			sum += i % 3 ? i : sum >> 1;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((unsigned long)(now.tv_sec - from.tv_sec) * 1000 +
	                 (unsigned long)now.tv_nsec / 1000000 <
	         ms + (unsigned long)from.tv_nsec / 1000000);
	return 0;
}

/* A thread or a child, when no descriptor is left. */
static int full(const char *what)
{
	int status = 1;

	while (open("/dev/null", O_RDONLY) >= 0)
		;
	if (strcmp(what, "thread") == 0)
		return series(1);
	if (fork() == 0)
		_exit(0);
	wait(&status);
	return status;
}

/* The system does not let it fork. */
static int unforked(void)
{
	const struct rlimit none = { 0, 0 };

	if ((getuid() == 0 && setuid(65534) != 0) || setrlimit(RLIMIT_NPROC, &none) != 0)
		return 2;
	if (fork() == 0)
		_exit(1);
	printf("fork: %s\n", strerror(errno));
	return 0;
}

int main(int argc, char **argv)
{
	const unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
	const char *what = argc > 1 ? argv[1] : "";
	struct rlimit files;

	if (strcmp(what, "threads") == 0)
		return threads(n, argc > 3 ? strtoul(argv[3], NULL, 0) : 0);
	if (strcmp(what, "series") == 0)
		return series(n);
	if (strcmp(what, "forks") == 0)
		return forks(n, 1);
	if (strcmp(what, "children") == 0)
		return forks(n, 0);
	if (strcmp(what, "daemon") == 0)
		return become_daemon(argv[2]);
	if (strcmp(what, "vfork") == 0)
		return vforked();
	if (strcmp(what, "clone") == 0)
		return cloned(0) | cloned(CLONE_VM) | cloned(CLONE_VM | CLONE_VFORK);
	if (strcmp(what, "full") == 0)
		return full(argc > 2 ? argv[2] : "");
	if (strcmp(what, "unforked") == 0)
		return unforked();
	if (strcmp(what, "toil") == 0)
		return toil(n);
	if (strcmp(what, "files") == 0 && getrlimit(RLIMIT_NOFILE, &files) == 0)
		return printf("%lu files\n", (unsigned long)files.rlim_cur) < 0;
	return 2;
}
