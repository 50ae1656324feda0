/* Signals to the recorder, forwarded to the program.  Only with options.forward_signals: a library
 * installs no handlers unasked. */
#define _GNU_SOURCE
#include <signal.h>

#include "recorder/private.h"

static const int forwarded[RECORDER_FORWARDED] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static volatile sig_atomic_t program_pid, received;

/* A terminal sends its signals to the program too; only one that a process sent is forwarded. */
static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	received = number;
	if (info->si_code <= 0 && program_pid > 0)
		kill(program_pid, number);
}

void recorder_signals_note(struct recorder_signals *s)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	sigemptyset(&action.sa_mask);
	received = 0;
	for (size_t i = 0; i < RECORDER_FORWARDED; i++) {
		sigaction(forwarded[i], NULL, &s->old[i]);
		if (s->old[i].sa_handler != SIG_IGN) /* nohup stays nohup */
			sigaction(forwarded[i], &action, NULL);
	}
}

void recorder_signals_forward(pid_t program)
{
	program_pid = program;
	if (received != 0 && program > 0) /* before it had a number */
		kill(program, received);
}

int recorder_signals_received(void)
{
	return received;
}

void recorder_signals_restore(const struct recorder_signals *s)
{
	for (size_t i = 0; i < RECORDER_FORWARDED; i++)
		sigaction(forwarded[i], &s->old[i], NULL);
}
