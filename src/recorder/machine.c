/* How a machine ends, from QEMU's own monitor (QMP): power-off, reboot, panic, or a user who
 * stopped it.  The monitor's other end is a socket that QEMU inherits; the machine waits until QEMU
 * has answered, because it sends no events before. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "recorder/private.h"

enum hs_status recorder_machine_open(struct recorder_machine *m, struct hs_error *e)
{
	static const char hello[] = "{\"execute\":\"qmp_capabilities\"}\n";
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return hs_error_set(e, HS_E_SYSTEM, "socket for QEMU's monitor: %s",
		                    strerror(errno));
	m->fd = ends[0];
	m->qemu = ends[1];
	if (send(m->fd, hello, strlen(hello), MSG_NOSIGNAL) != (ssize_t)strlen(hello))
		m->ready = true; /* it cannot say anything */
	return HS_OK;
}

void recorder_machine_started(struct recorder_machine *m)
{
	if (m->qemu >= 0)
		close(m->qemu);
	m->qemu = -1;
}

/* Keep the last reason: a machine that was asked to go off may be reset before. */
static void take_event(struct recorder_machine *m, const json_t *message)
{
	const char *event = json_string_value(json_object_get(message, "event"));
	const json_t *data = json_object_get(message, "data");
	const char *reason = json_string_value(json_object_get(data, "reason"));

	if (json_object_get(message, "return") != NULL || json_object_get(message, "error") != NULL)
		m->ready = true;
	if (event == NULL)
		return;
	if (strcmp(event, "RESET") == 0)
		m->resets++;
	else if (strcmp(event, "SHUTDOWN") == 0 && reason != NULL)
		snprintf(m->reason, sizeof(m->reason), "%s", reason);
}

static void take_line(struct recorder_machine *m, const char *line, size_t n)
{
	json_t *message = json_loadb(line, n, 0, NULL);

	if (message != NULL)
		take_event(m, message);
	json_decref(message);
}

/* Lines that do not fit are of no interest: QEMU's greeting is longer than any event. */
static void take_bytes(struct recorder_machine *m, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] == '\n') {
			take_line(m, m->line, m->length < sizeof(m->line) ? m->length : 0);
			m->length = 0;
		} else {
			if (m->length < sizeof(m->line))
				m->line[m->length] = bytes[i];
			m->length += m->length < sizeof(m->line);
		}
	}
}

void recorder_machine_read(struct recorder_machine *m)
{
	char bytes[4096];
	ssize_t n = 1;

	while (m->fd >= 0 && n > 0) {
		n = recv(m->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		if (n > 0)
			take_bytes(m, bytes, (size_t)n);
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
	m->ready = true;
}

/* Reasons of QEMU's events SHUTDOWN, and what they are to a user. */
static const struct end {
	const char *reason, *name;
	bool complete, code;
} ends[] = {
	{ "guest-shutdown", "power-off", true, true },
	{ "guest-reset", "reboot", true, false },
	{ "guest-panic", "panic", true, true },
	{ "host-signal", "cut: the machine was stopped by a signal", false, false },
	{ "host-qmp-quit", "cut: the machine was stopped by its monitor", false, false },
	{ "host-ui", "cut: the machine was stopped by its user", false, false },
};

static const struct end *find_end(const struct recorder_machine *m)
{
	for (size_t i = 0; m != NULL && i < sizeof(ends) / sizeof(*ends); i++)
		if (strcmp(ends[i].reason, m->reason) == 0)
			return &ends[i];
	return NULL;
}

bool recorder_machine_cut(const struct recorder_machine *m)
{
	const struct end *end = find_end(m);

	return end != NULL && !end->complete;
}

bool recorder_machine_describe(const struct recorder_machine *m, int code, char *text, size_t size)
{
	const struct end *end = find_end(m);

	if (end == NULL)
		return false;
	if (end->code && code != 0)
		snprintf(text, size, "%s %d", end->name, code);
	else
		snprintf(text, size, "%s", end->name);
	return true;
}

void recorder_machine_close(struct recorder_machine *m)
{
	recorder_machine_started(m);
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
}
