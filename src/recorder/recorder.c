/* hs_recorder_run(): run a program under QEMU and keep what its plugin tells. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "recorder/private.h"

#define POLLED 64u      /* processes that wake us; others are looked at every TICK */
#define TICK 200        /* ms */
#define GRACE_TICKS 5u  /* for a child that was forked and has not come yet */

static const int passed_on[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static volatile sig_atomic_t program_pid, asked_to_stop;

/* A terminal sends its signals to the program too; what a process sent us is passed on. */
static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	asked_to_stop = 1;
	if (info->si_code <= 0 && program_pid > 0)
		kill(program_pid, number);
}

static void take_signals(struct sigaction *old)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	sigemptyset(&action.sa_mask);
	asked_to_stop = 0;
	for (size_t i = 0; i < sizeof(passed_on) / sizeof(*passed_on); i++) {
		sigaction(passed_on[i], NULL, &old[i]);
		if (old[i].sa_handler != SIG_IGN) /* nohup stays nohup */
			sigaction(passed_on[i], &action, NULL);
	}
}

static void give_back_signals(const struct sigaction *old)
{
	for (size_t i = 0; i < sizeof(passed_on) / sizeof(*passed_on); i++)
		sigaction(passed_on[i], &old[i], NULL);
	program_pid = 0;
}

static int listen_at(char *name, size_t size, struct hs_error *e)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct timespec now;
	int n;

	clock_gettime(CLOCK_MONOTONIC, &now);
	n = snprintf(name, size, "hartscope-%d-%lld-%09ld", (int)getpid(), (long long)now.tv_sec,
	             now.tv_nsec);
	memcpy(address.sun_path + 1, name, (size_t)n);
	if (s >= 0 && bind(s, (struct sockaddr *)&address,
	                   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)) == 0 &&
	    listen(s, 128) == 0)
		return s;
	hs_error_set(e, HS_E_SYSTEM, "socket for the recorder: %s", strerror(errno));
	if (s >= 0)
		close(s);
	return -1;
}

static void accept_all(struct recorder_session *s, int listener)
{
	struct pollfd p = { .fd = listener, .events = POLLIN };

	while (poll(&p, 1, 0) == 1)
		recorder_accept(s, listener);
}

static bool gone(const struct recorder_process *p)
{
	struct pollfd f = { .fd = p->pidfd, .events = POLLIN };

	return p->pidfd < 0 || poll(&f, 1, 0) == 1;
}

/* Sleep until something happens. */
static void wait_events(const struct recorder_session *s, int listener)
{
	struct pollfd fds[POLLED + 1] = { { .fd = listener, .events = POLLIN } };
	nfds_t n = 1;

	for (const struct recorder_process *p = s->processes; p != NULL && n <= POLLED; p = p->next)
		if (!p->finished && p->pidfd >= 0)
			fds[n++] = (struct pollfd){ .fd = p->pidfd, .events = POLLIN };
	poll(fds, n, TICK);
}

/* End the recordings of processes that are gone.  How many are still there. */
static unsigned end_gone(struct recorder_session *s, pid_t pid, int *status)
{
	unsigned running = 0;

	for (struct recorder_process *p = s->processes; p != NULL; p = p->next) {
		if (p->finished || !gone(p)) {
			running += !p->finished;
			continue;
		}
		if (p->pid == pid) {
			while (waitpid(pid, status, 0) < 0 && errno == EINTR)
				;
			p->status = *status;
			p->signal = WIFSIGNALED(*status) ? WTERMSIG(*status) : 0;
		}
		recorder_process_end(s, p);
	}
	return running;
}

/* Children that were forked and of which nothing was heard. */
static unsigned missing(const struct recorder_session *s)
{
	unsigned n = 0;

	for (const struct recorder_process *p = s->processes; p != NULL; p = p->next)
		n += recorder_missing(p);
	return n;
}

/* Until the program and the children that it forked are gone; after the program's end a
 * signal to us stops the waiting. */
static int serve(struct recorder_session *s, int listener, pid_t pid)
{
	unsigned running = 1, grace = 0;
	int status = -1;

	while (running > 0 || (missing(s) > 0 && grace++ < GRACE_TICKS)) {
		wait_events(s, listener);
		accept_all(s, listener);
		if (s->first == NULL && waitpid(pid, &status, WNOHANG) == pid)
			return status; /* QEMU ended before the plugin was heard of */
		if (s->first != NULL)
			running = end_gone(s, pid, &status);
		if (status != -1 && asked_to_stop)
			break;
	}
	for (struct recorder_process *p = s->processes; p != NULL; p = p->next) {
		recorder_process_end(s, p);
		recorder_note_missing(s, p);
	}
	while (status == -1 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		; /* --qemu is a script that started the emulator */
	return status;
}

static enum hs_status sum_up(const struct recorder_session *s, int status,
                             struct hs_recorder_result *r)
{
	const struct recorder_process *p = s->first;

	r->exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	if (p == NULL)
		return hs_error_set(s->error, HS_E_SYSTEM,
		                    "QEMU ended (status %d) without loading the recorder plugin%s",
		                    r->exit_status, s->system ? ": whole systems need QEMU 10" : "");
	r->bytes = p->out.bytes;
	for (const struct recorder_hart *h = p->harts; h != NULL; h = h->next) {
		r->instructions += h->instructions;
		r->bytes += h->out.bytes;
		r->harts++;
	}
	if (json_is_true(json_object_get(p->manifest, "complete")))
		return HS_OK;
	return hs_error_set(s->error, HS_E_CUT, "the recording ends early: %s",
	                    json_string_value(json_object_get(p->manifest, "end")));
}

static enum hs_status run(struct recorder_session *s, const struct hs_recorder_options *o,
                          const struct recorder_program *program, struct hs_recorder_result *result)
{
	struct sigaction old[sizeof(passed_on) / sizeof(*passed_on)];
	char name[96];
	const int listener = listen_at(name, sizeof(name), s->error);
	enum hs_status status = HS_E_SYSTEM;
	pid_t pid = 0;

	if (listener < 0)
		return status;
	status = recorder_spawn(o, program, name, &pid, s->error);
	if (status == HS_OK) {
		program_pid = pid;
		take_signals(old);
		status = sum_up(s, serve(s, listener, pid), result);
		give_back_signals(old);
	}
	close(listener);
	return status;
}

enum hs_status hs_recorder_run(const struct hs_recorder_options *options, struct hs_recorder_result *result,
                         struct hs_error *error)
{
	struct recorder_session s = { .output = options->output, .argv = options->argv,
	                            .exact = options->exact_faults, .error = error };
	struct recorder_program program = { 0 };
	struct timespec from, to;
	enum hs_status status;

	*result = (struct hs_recorder_result){ .exit_status = 127 };
	clock_gettime(CLOCK_MONOTONIC, &from);
	status = recorder_system_find(options->argv, &program) ? HS_OK :
	         recorder_program_find(options->argv[0], &program, error);
	s.program = program.path;
	s.xlen = program.xlen;
	s.system = program.system;
	if (status == HS_OK)
		status = recorder_prepare(&s);
	if (status == HS_OK)
		status = run(&s, options, &program, result);
	recorder_processes_free(&s);
	free(program.path);
	clock_gettime(CLOCK_MONOTONIC, &to);
	result->seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
	return status;
}
