/* hs_recorder_run(): start a program under QEMU, and drain what its plugin writes until the end. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/config.h"
#include "recorder/private.h"

#define POLLED 64u      /* processes whose end wakes us; others are looked at every TICK */
#define BACKLOG 8       /* connections that wait */
#define TICK 200        /* ms */
#define GRACE_TICKS 5u  /* how long to wait for a forked child that has not connected yet */

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
	if (s >= 0 &&
	    bind(s, (struct sockaddr *)&address,
	         (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)) == 0 &&
	    listen(s, BACKLOG) == 0)
		return s;
	hs_error_set(e, HS_E_SYSTEM, "socket for the recorder: %s", strerror(errno));
	if (s >= 0)
		close(s);
	return -1;
}

static bool has_ended(const struct recorder_process *p)
{
	struct pollfd f = { .fd = p->pidfd, .events = POLLIN };

	return p->pidfd < 0 || poll(&f, 1, 0) == 1;
}

/* A process that has ended has made all its connections: they are taken before it is finished. */
static void note_ended(struct recorder_session *s)
{
	for (struct recorder_process *p = s->processes; p != NULL; p = p->next)
		p->is.ended = p->is.ended || (!p->is.finished && has_ended(p));
}

/* Sleep until a plugin connects or a process ends, at most one TICK. */
static void wait_events(const struct recorder_session *s, int listener)
{
	struct pollfd fds[POLLED + RECORDER_WAITING + 2] = {
		{ .fd = listener, .events = POLLIN }, { .fd = s->machine.fd, .events = POLLIN }
	};
	nfds_t n = 2 + recorder_connect_poll(s, fds + 2);
	const nfds_t most = n + POLLED;

	for (const struct recorder_process *p = s->processes; p != NULL; p = p->next)
		if (!p->is.finished && p->pidfd >= 0 && n < most)
			fds[n++] = (struct pollfd){ .fd = p->pidfd, .events = POLLIN };
	poll(fds, n, TICK);
}

/* The machine runs when QEMU's monitor answered, so that its end is known however soon it comes. */
static void serve_machine(struct recorder_session *s)
{
	if (!s->system)
		return;
	recorder_machine_read(&s->machine);
	if (s->first != NULL && s->machine.ready)
		__atomic_store_n(&s->first->wire->go, 1, __ATOMIC_RELEASE);
}

/* Finish the recordings of processes that had ended before connections were taken.  Returns how
 * many are still running. */
static unsigned finish_ended(struct recorder_session *s, pid_t pid, int *status)
{
	unsigned running = 0;

	for (struct recorder_process *p = s->processes; p != NULL; p = p->next) {
		if (p->is.finished || !p->is.ended) {
			running += !p->is.finished;
			continue;
		}
		if (p->pid == pid) {
			while (waitpid(pid, status, 0) < 0 && errno == EINTR)
				;
			p->death.status = *status;
			p->death.signal = WIFSIGNALED(*status) ? WTERMSIG(*status) : 0;
			serve_machine(s);
		}
		recorder_process_finish(s, p);
	}
	return running;
}

/* Children that were forked and have not connected. */
static uint32_t count_missing(const struct recorder_session *s)
{
	uint32_t n = 0;

	for (const struct recorder_process *p = s->processes; p != NULL; p = p->next)
		n += recorder_missing(p);
	return n;
}

/* The emulator would wait for its plugin for ever.  Nothing of the program has run. */
static int end_refused(const struct recorder_session *s, pid_t pid)
{
	int status = -1;

	kill(pid, SIGKILL);
	if (s->refused != pid)
		kill(s->refused, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* Serve until the program and the children that it forked have ended; after the program's end a
 * signal to us stops the wait for the children.  Returns the program's status, as waitpid()
 * does. */
static int serve(struct recorder_session *s, int listener, pid_t pid)
{
	unsigned running = 1, grace = 0;
	int status = -1;

	while (running > 0 || (count_missing(s) > 0 && grace++ < GRACE_TICKS)) {
		wait_events(s, listener);
		note_ended(s);
		if (recorder_connect_serve(s, listener))
			grace = 0;
		if (s->first == NULL && s->refused != 0)
			return end_refused(s, pid);
		serve_machine(s);
		recorder_write_kept(s);
		if (s->first == NULL && waitpid(pid, &status, WNOHANG) == pid)
			return status; /* QEMU ended before the plugin connected */
		if (s->first != NULL)
			running = finish_ended(s, pid, &status);
		recorder_release(s);
		if (status != -1 && s->forwards && recorder_signals_received())
			break;
	}
	for (struct recorder_process *p = s->processes; p != NULL; p = p->next) {
		recorder_process_finish(s, p);
		recorder_note_missing(s, p);
	}
	while (status == -1 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		; /* options.qemu is a script that started the emulator */
	return status;
}

static bool was_ended(const struct recorder_session *s)
{
	return s->forwards && recorder_signals_received() != 0;
}

/* Nothing of the program ran. */
static enum hs_status end_early(const struct recorder_session *s, int exit_status,
                                struct hs_recorder_result *r)
{
	r->exit_status = exit_status;
	return hs_error_set(s->error, HS_E_CUT, "ended by signal %d before the program began",
	                    recorder_signals_received());
}

/* Is all there that was to be recorded? */
static enum hs_status judge(const struct recorder_session *s, const struct recorder_process *p)
{
	const uint32_t missing = count_missing(s);

	if (!json_is_true(json_object_get(p->manifest, "complete")))
		return hs_error_set(s->error, HS_E_CUT, "%s%sthe recording ends early: %s",
		                    s->output == NULL ? "" : s->output,
		                    s->output == NULL ? "" : ": ",
		                    json_string_value(json_object_get(p->manifest, "end")));
	if (p->is.unstored)
		return hs_error_set(s->error, HS_E_CUT, "%s/manifest.json could not be written",
		                    s->place.path);
	if (missing == 0 && s->spoilt == 0)
		return HS_OK;
	if (missing == 0)
		return hs_error_set(s->error, HS_E_CUT,
		                    "a part of %" PRIu32 " forked %s could not be recorded",
		                    s->spoilt, s->spoilt == 1 ? "child" : "children");
	return hs_error_set(s->error, HS_E_CUT,
	                    "the recording is incomplete: %" PRIu32 " forked %s recorded", missing,
	                    missing == 1 ? "child was not" : "children were not");
}

static enum hs_status fill_result(const struct recorder_session *s, int status,
                                  struct hs_recorder_result *r)
{
	const struct recorder_process *p = s->first;

	r->exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	if (p == NULL && s->error != NULL && s->error->status != HS_OK) /* why it was not set up */
		return s->error->status;
	if (p == NULL && was_ended(s))
		return end_early(s, r->exit_status, r);
	if (p == NULL)
		return hs_error_set(s->error, HS_E_SYSTEM,
		                    "QEMU ended (status %d) without loading the recorder plugin%s",
		                    r->exit_status,
		                    s->system ? ": whole systems need QEMU 10" : "");
	r->bytes = p->store.out.bytes;
	for (const struct recorder_hart *h = p->harts; h != NULL; h = h->next) {
		r->instructions += h->at.instructions - h->keep.skipped;
		r->bytes += h->out.bytes;
		r->harts++;
	}
	r->unwritten = recorder_write_error(p) != 0 || p->is.unstored;
	return judge(s, p);
}

static enum hs_status run_program(struct recorder_session *s, const struct hs_recorder_options *o,
                                  const struct recorder_program *program,
                                  struct hs_recorder_result *result)
{
	char name[96];
	const int listener = listen_at(name, sizeof(name), s->error);
	enum hs_status status = HS_E_SYSTEM;
	pid_t pid = 0;

	if (listener < 0)
		return status;
	status = s->system ? recorder_machine_open(&s->machine, s->error) : HS_OK;
	if (status == HS_OK && was_ended(s))
		status = end_early(s, 128 + recorder_signals_received(), result);
	else if (status == HS_OK)
		status = recorder_spawn(o, s->argv, program, name, s->machine.qemu, &pid, s->error);
	recorder_machine_started(&s->machine);
	s->emulator = pid;
	if (status == HS_OK) {
		if (s->forwards)
			recorder_signals_forward(pid);
		const int end = serve(s, listener, pid);

		if (s->forwards)
			recorder_signals_forward(0);
		status = fill_result(s, end, result);
	}
	recorder_connect_close(s);
	close(listener);
	return status;
}

static enum hs_status find_program(char *const *argv, struct recorder_program *program,
                                   struct hs_error *e)
{
	if (recorder_system_find(argv, program))
		return program->path != NULL ? HS_OK
		                             : hs_error_set(e, HS_E_MEMORY, "out of memory");
	return recorder_program_find(argv[0], program, e);
}

enum hs_status hs_recorder_find_file(char *const *argv, char *path, size_t size,
                                     struct hs_error *error)
{
	struct recorder_program program = { 0 };
	enum hs_status status;

	if (argv[0] == NULL)
		return hs_error_set(error, HS_E_ARG, "no program");
	status = find_program(argv, &program, error);
	if (status == HS_OK && strlen(program.path) >= size)
		status = hs_error_set(error, HS_E_SPACE, "%s: the path is too long", argv[0]);
	if (status == HS_OK)
		strcpy(path, program.path);
	free(program.path);
	return status;
}

static enum hs_status record(struct recorder_session *s, const struct hs_recorder_options *o,
                             struct hs_recorder_result *result)
{
	struct recorder_program program = { 0 };
	struct recorder_signals signals;
	enum hs_status status = find_program(s->argv, &program, s->error);

	s->program = program.path;
	s->xlen = program.xlen;
	s->system = program.system;
	if (s->forwards)
		recorder_signals_note(&signals);
	if (status == HS_OK)
		status = recorder_prepare(s);
	if (status == HS_OK)
		status = run_program(s, o, &program, result);
	status = recorder_settle(s, status);
	if (s->forwards)
		recorder_signals_restore(&signals);
	recorder_processes_free(s);
	recorder_machine_close(&s->machine);
	free(program.path);
	return status;
}

enum hs_status hs_recorder_run(const char *output, char *const *argv,
                               const struct hs_recorder_options *options,
                               struct hs_recorder_result *result, struct hs_error *error)
{
	struct hs_recorder_options o = { .size = sizeof(o) };
	struct timespec from, to;
	enum hs_status status;

	*result = (struct hs_recorder_result){ .exit_status = 127 };
	if (argv[0] == NULL)
		return hs_error_set(error, HS_E_ARG, "no program");
	if (options != NULL && (base_take_config(&o, sizeof(o), options) != HS_OK ||
	                        o.data > HS_RECORDER_DATA_VALUES ||
	                        o.context > HS_RECORDER_CONTEXT_NONE ||
	                        o.from.kind > HS_RECORDER_MARK_ECALL ||
	                        o.to.kind > HS_RECORDER_MARK_ECALL))
		return hs_error_set(error, HS_E_CONFIG,
		                    "struct hs_recorder_options is of another library");

	if (output == NULL && o.take == NULL)
		return hs_error_set(error, HS_E_ARG, "no directory");
	if (o.take != NULL && o.keep_last != 0)
		return hs_error_set(error, HS_E_CONFIG, "take and keep_last exclude each other");
	if (o.code_only && o.keep_last != 0)
		return hs_error_set(error, HS_E_CONFIG,
		                    "code_only and keep_last exclude each other");

	struct recorder_keep keep;
	struct recorder_session s = { .output = output,
		                      .argv = argv,
		                      .exact = o.exact_faults,
		                      .forwards = o.forward_signals,
		                      .data = o.data,
		                      .code_only = o.code_only,
		                      .keep_older = o.keep_older,
		                      .machine = { .fd = -1, .qemu = -1 },
		                      .place = { .dir = -1, .old = -1 },
		                      .error = error,
		                      .keep = o.keep_last == 0 ? NULL : &keep,
		                      .take = o.take,
		                      .take_to = o.take_to };

	if (error != NULL)
		error->status = HS_OK;
	recorder_keep_init(&keep, o.keep_last);
	clock_gettime(CLOCK_MONOTONIC, &from);
	recorder_descriptors_allow();
	status = record(&s, &o, result);
	recorder_descriptors_restore();
	clock_gettime(CLOCK_MONOTONIC, &to);
	result->seconds = (double)(to.tv_sec - from.tv_sec) +
	                  1e-9 * (double)(to.tv_nsec - from.tv_nsec);
	return status;
}
