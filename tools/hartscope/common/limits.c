/* What a command may use of the machine. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <hartscope/status.h>

#include "common/limits.h"
#include "common/tool.h"

#define MEMORY_LEAST (UINT64_C(4) << 20) /* a command has this before it reads anything */
#define TIME_MOST UINT64_C(1000000000)

static struct rlimit before;     /* of memory, as it was */
static const char *memory_limit; /* NULL: none */
static char late[128];           /* what to say when the time is over */

/* ---- memory ------------------------------------------------------------------------- */

static void restore(void)
{
	setrlimit(RLIMIT_DATA, &before);
}

bool limit_memory(void *options, const struct option_row *row, char *text)
{
	uint64_t bytes;
	struct rlimit limit;

	(void)options;
	(void)row;
	if (hs_text_number(text, 1024, &bytes) != HS_OK || bytes < MEMORY_LEAST) {
		complain("--memory-limit %s: not a size from 4M on, such as 512M", text);
		return false;
	}
	if (getrlimit(RLIMIT_DATA, &before) != 0)
		return false;
	limit = before;
	if (limit.rlim_cur > bytes)
		limit.rlim_cur = bytes;
	if (setrlimit(RLIMIT_DATA, &limit) != 0 ||
	    (!memory_limit && pthread_atfork(NULL, NULL, restore) != 0)) {
		complain("--memory-limit %s: the system refuses it", text);
		return false;
	}
	memory_limit = text;
	return true;
}

bool limits_memory(void)
{
	return memory_limit;
}

void limits_explain(const char *text)
{
	static bool said;

	if (!memory_limit || said || !strstr(text, hs_status_text(HS_E_MEMORY)))
		return;
	said = true;
	complain("--memory-limit %s was reached: a larger one may be enough", memory_limit);
}

/* ---- time --------------------------------------------------------------------------- */

/* As if somebody ended the command, so that it leaves what it leaves then. */
static void end_late(int number)
{
	const ssize_t n = write(STDERR_FILENO, late, strlen(late));

	(void)n;
	(void)number;
	raise(SIGTERM);
}

bool limit_time(void *options, const struct option_row *row, char *text)
{
	uint64_t seconds;
	struct sigaction action = { .sa_handler = end_late, .sa_flags = SA_RESTART };
	struct itimerval timer = { .it_value = { 0 } };

	(void)options;
	(void)row;
	if (hs_text_number(text, 1000, &seconds) != HS_OK || !seconds || seconds > TIME_MOST) {
		complain("--time-limit %s: not a number of seconds, such as 60", text);
		return false;
	}
	snprintf(late, sizeof(late), "hartscope: --time-limit: not done after %llu s\n",
	         (unsigned long long)seconds);
	timer.it_value.tv_sec = (time_t)seconds;
	sigemptyset(&action.sa_mask);
	if (sigaction(SIGALRM, &action, NULL) != 0 || setitimer(ITIMER_REAL, &timer, NULL) != 0) {
		complain("--time-limit %s: the system refuses it", text);
		return false;
	}
	return true;
}
