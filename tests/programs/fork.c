/* Children by fork: one returns, one ends by a signal, one forks again; then vfork and exec
 * of a host program, and an exec that fails. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static uint32_t work(uint32_t n)
{
	for (int i = 0; i < 1000; i++)
		n = n & 1 ? n * 3 + 1 : n / 2;
	return n;
}

static int wait_for(pid_t pid)
{
	int status = 0;

	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static pid_t child(int kind)
{
	const pid_t pid = fork();

	if (pid != 0)
		return pid;
	if (kind == 1)
		abort();
	if (kind == 2)
		_exit(wait_for(child(0)));
	_exit(7 + (work(27) == 0));
}

int main(void)
{
	char *const argv[] = { "true", NULL };
	int sum = 0;
	pid_t pid;

	for (int kind = 0; kind < 3; kind++)
		sum = sum * 1000 + wait_for(child(kind));
	pid = vfork();
	if (pid == 0) {
		execv("/nonexistent", argv);
		execv("/bin/true", argv);
		_exit(1);
	}
	sum += wait_for(pid);
	printf("status %d\n", sum);
	return 0;
}
