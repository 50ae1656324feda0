/* Plugins that connect: each sends one mapping, and waits for an answer (design/rec-qemu). */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "recorder/private.h"

#define PATIENCE 2000 /* ms: a plugin sends when it has connected */
#define DEPTH 64      /* of processes that started each other */

struct mapping {
	struct hs_wire_message message;
	size_t size; /* bytes of it that came */
	int fd;      /* -1: none came */
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* 0: not known. */
static pid_t parent_of(pid_t pid)
{
	char path[64], line[256];
	int parent = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "PPid: %d", &parent) == 1)
			break;
	if (f != NULL)
		fclose(f);
	return parent;
}

/* The emulator, or what a script started that is called in its place. */
static bool is_emulator(const struct recorder_session *s, pid_t pid)
{
	for (int i = 0; i < DEPTH && pid > 1; i++, pid = parent_of(pid))
		if (pid == s->emulator)
			return true;
	return false;
}

static bool is_awaited(const struct recorder_session *s, pid_t pid)
{
	return s->first == NULL && s->refused == 0 && is_emulator(s, pid);
}

/* Receive a message and the descriptor that comes with it.  False: nothing is there yet. */
static bool receive(int connection, struct mapping *m)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { &m->message, sizeof(m->message) };
	struct msghdr msg = { .msg_iov = &iov,
		              .msg_iovlen = 1,
		              .msg_control = &control,
		              .msg_controllen = sizeof(control) };
	const ssize_t n = recvmsg(connection, &msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);

	m->fd = -1;
	m->size = n > 0 ? (size_t)n : 0;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n > 0 && msg.msg_controllen >= CMSG_LEN(sizeof(int)) &&
	    control.head.cmsg_type == SCM_RIGHTS)
		memcpy(&m->fd, CMSG_DATA(&control.head), sizeof(m->fd));
	return true;
}

/* What the program or machine would wait for is not there: it is not run. */
static void refuse(struct recorder_session *s, const struct mapping *m, pid_t pid)
{
	const struct hs_wire_message *message = &m->message;

	s->refused = pid;
	if (m->size >= 8 && message->version != HS_WIRE_VERSION)
		hs_error_set(s->error, HS_E_UNSUPPORTED,
		             "the recorder plugin is of another version of Hartscope: it speaks "
		             "version %" PRIu32 ", and this one %u (HARTSCOPE_PLUGIN)",
		             message->version, HS_WIRE_VERSION);
	else if (s->error == NULL || s->error->status == HS_OK)
		hs_error_set(s->error, HS_E_SYSTEM,
		             "the recorder plugin connected, and shared no memory");
}

static bool start(struct recorder_session *s, const struct mapping *m, pid_t pid)
{
	if (m->size != sizeof(m->message) || m->message.version != HS_WIRE_VERSION || m->fd < 0)
		return false;
	if (m->message.type == HS_WIRE_PROCESS)
		return recorder_process_start(s, &m->message, m->fd, pid);
	return recorder_process_add_hart(s, &m->message, m->fd);
}

static void take_message(struct recorder_session *s, const struct recorder_waiting *w,
                         const struct mapping *m)
{
	if (m->size < 8 || m->message.magic != HS_WIRE_MAGIC)
		return; /* of something else */
	if (start(s, m, w->pid))
		while (send(w->fd, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == EINTR)
			;
	else if (is_awaited(s, w->pid))
		refuse(s, m, w->pid);
}

/* Is it over?  True: its place is free. */
static bool serve(struct recorder_session *s, const struct recorder_waiting *w)
{
	struct mapping m = { .fd = -1 };

	if (receive(w->fd, &m)) {
		take_message(s, w, &m);
		if (m.fd >= 0)
			close(m.fd);
		return true;
	}
	if (now_ms() < w->until)
		return false;
	if (is_awaited(s, w->pid)) {
		s->refused = w->pid;
		hs_error_set(s->error, HS_E_SYSTEM,
		             "the recorder plugin connected, and sent nothing for %d s",
		             PATIENCE / 1000);
	}
	return true;
}

static void forget(struct recorder_session *s, unsigned at)
{
	close(s->waiting[at].fd);
	s->waiting_count--;
	memmove(&s->waiting[at], &s->waiting[at + 1],
	        (s->waiting_count - at) * sizeof(s->waiting[0]));
}

/* The next that waits; false: nobody does, or no descriptor is left. */
static bool accept_one(struct recorder_session *s, int listener)
{
	const int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	struct ucred peer = { 0 };
	socklen_t n = sizeof(peer);

	if (connection < 0)
		return false;
	if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &n) != 0 ||
	    peer.uid != geteuid()) {
		close(connection);
		return true;
	}
	if (s->waiting_count == RECORDER_WAITING)
		forget(s, 0);
	s->waiting[s->waiting_count++] = (struct recorder_waiting){ .fd = connection,
		                                                    .pid = peer.pid,
		                                                    .until = now_ms() + PATIENCE };
	return true;
}

bool recorder_connect_serve(struct recorder_session *s, int listener)
{
	unsigned n = 0;

	while (n < RECORDER_ACCEPTED && accept_one(s, listener))
		n++;
	for (unsigned i = 0; i < s->waiting_count;) {
		if (serve(s, &s->waiting[i]))
			forget(s, i);
		else
			i++;
	}
	return n > 0;
}

nfds_t recorder_connect_poll(const struct recorder_session *s, struct pollfd *fds)
{
	for (unsigned i = 0; i < s->waiting_count; i++)
		fds[i] = (struct pollfd){ .fd = s->waiting[i].fd, .events = POLLIN };
	return s->waiting_count;
}

void recorder_connect_close(struct recorder_session *s)
{
	while (s->waiting_count > 0)
		forget(s, s->waiting_count - 1);
}
