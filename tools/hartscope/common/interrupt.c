/* Signals that end a command which has something to remove before. */
#include <stddef.h>

#include "common/interrupt.h"

static const int ends[] = { SIGINT, SIGTERM, SIGHUP };

static volatile sig_atomic_t noted;

static void note(int number)
{
	if (noted) {
		signal(number, SIG_DFL);
		raise(number);
	}
	noted = number;
}

void interrupt_watch(void)
{
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		struct sigaction old, new = { .sa_handler = note };

		sigemptyset(&new.sa_mask);
		if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			sigaction(ends[i], &new, NULL);
	}
}

bool interrupted(void)
{
	return noted != 0;
}

void interrupt_end(void)
{
	if (!noted)
		return;
	signal(noted, SIG_DFL);
	raise(noted);
}

void interrupt_hold(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		sigaddset(&set, ends[i]);
	sigprocmask(SIG_BLOCK, &set, before);
}

void interrupt_release(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}
