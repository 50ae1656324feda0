/* Work of many kinds for so many milliseconds, a part of one hart: calls through pointers, threads,
 * children, signals, memory that is mapped and given back, and code that is written again and
 * again.  Argument 1: milliseconds; 2: of each 100 ms, how many are slept (75); 3: which kinds, a
 * digit for each, in the order of the table below (all); 4: milliseconds between two threads, of
 * which ten are between two children (2000).  It needs as much memory at the end as after its first
 * second. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sum;
static unsigned long between = 2000; /* two threads, ms */
static volatile sig_atomic_t signals;

static unsigned long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long)t.tv_sec * 1000 + (unsigned long)t.tv_nsec / 1000000;
}

static int compare(const void *a, const void *b)
{
	const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return x < y ? -1 : x > y;
}

/* Calls through a pointer, and branches that nobody can predict. */
static int sorts(unsigned round)
{
	unsigned values[2000], state = round;

	for (unsigned i = 0; i < 2000; i++)
		values[i] = state = state * 1664525u + 1013904223u;
	qsort(values, 2000, sizeof(*values), compare);
	sum += values[round % 2000];
	return 0;
}

static unsigned ways_of(unsigned n)
{
	return n < 2 ? n : ways_of(n - 1) + ways_of(n - 2);
}

static int recurses(unsigned round)
{
	sum += ways_of(12 + round % 5);
	return 0;
}

static int maps(unsigned round)
{
	const size_t n = (round % 16 + 1) << 16;
	char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return 1;
	memset(p, (int)round, n);
	sum += (unsigned char)p[n / 2];
	return munmap(p, n);
}

static void take_signal(int number)
{
	signals += number == SIGUSR1;
}

static int raises(unsigned round)
{
	const sig_atomic_t before = signals;

	(void)round;
	signal(SIGUSR1, take_signal);
	return raise(SIGUSR1) != 0 || signals == before;
}

/* A function of another body each time, at one place: li a0, ROUND; ret. */
static int writes_code(unsigned round)
{
	static uint32_t *code;
	const unsigned value = round % 2000;

	if (!code)
		code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		return 1;
	code[0] = value << 20 | 0x513;
	code[1] = 0x8067;
	__builtin___clear_cache((char *)code, (char *)(code + 2));
	return ((unsigned (*)(void))(uintptr_t)code)() != value;
}

static void *works(void *argument)
{
	for (unsigned i = 0; i < 1000; i++)
		sum += i;
	return argument;
}

/* Is it time again? */
static int is_due(unsigned long *next, unsigned long ms)
{
	const unsigned long now = now_ms();

	if (now < *next)
		return 0;
	*next = now + ms;
	return 1;
}

static int makes_thread(unsigned round)
{
	static unsigned long next;
	pthread_t one;

	(void)round;
	if (!is_due(&next, between))
		return 0;
	return pthread_create(&one, NULL, works, NULL) != 0 || pthread_join(one, NULL) != 0;
}

static int forks(unsigned round)
{
	static unsigned long next;
	int status = 1;

	if (!is_due(&next, 10 * between))
		return 0;
	const pid_t pid = fork();

	if (pid == 0)
		_exit(sorts(round));
	return pid < 0 || waitpid(pid, &status, 0) != pid || status != 0;
}

static int (*const kinds[])(unsigned round) = {
	sorts, recurses, maps, raises, writes_code, makes_thread, forks,
};

int main(int argc, char **argv)
{
	const unsigned long end = now_ms() + (argc > 1 ? strtoul(argv[1], NULL, 0) : 1000);
	const unsigned long sleeps = argc > 2 ? strtoul(argv[2], NULL, 0) : 75;
	const char *const which = argc > 3 ? argv[3] : "0123456";
	unsigned long pause = now_ms() + 100;

	if (which[strspn(which, "0123456")])
		return 100;
	if (argc > 4)
		between = strtoul(argv[4], NULL, 0);
	for (unsigned round = 0; now_ms() < end; round++) {
		for (const char *k = which; *k; k++)
			if (kinds[*k - '0'](round) != 0)
				return *k - '0' + 1;
		if (sleeps && now_ms() + sleeps >= pause) {
			usleep((useconds_t)sleeps * 1000);
			pause = now_ms() + 100;
		}
	}
	return 0;
}
