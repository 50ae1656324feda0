/* Work of a known size, and where it runs. */
#include <err.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "guest.h"

/* Four instructions a round. */
__attribute__((noinline)) void spin(uint64_t instructions)
{
	uint64_t rounds = instructions / 4;

	__asm__ volatile("1:\taddi %0, %0, -1\n\tnop\n\tnop\n\tbnez %0, 1b" : "+r"(rounds));
}

void run_child(uint64_t work, int cpu)
{
	const pid_t child = fork();

	if (child < 0)
		err(2, "fork");
	if (child == 0) {
		if (cpu >= 0)
			stay_on(cpu);
		spin(work);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(2, "cpu %d", cpu);
}

int harts_online(void)
{
	return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

static void step_over(int signal, siginfo_t *info, void *context)
{
	ucontext_t *u = context;

	(void)signal, (void)info;
	u->uc_mcontext.__gregs[REG_PC] += 4;
}

/* Execute @n illegal instructions. */
void illegal(unsigned n)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = step_over;
	action.sa_flags = SA_SIGINFO;
	sigaction(SIGILL, &action, NULL);
	while (n-- > 0)
		__asm__ volatile(".word 0xc0001073"); /* csrw cycle, which is read-only */
}

void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		err(2, "%s", path);
}
