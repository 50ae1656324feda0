/* hartscope gdb: a flow as the target of a debugger. */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <hartscope/views.h>

#include "commands/gdb.h"
#include "common/sandbox.h"

struct gdb_options {
	struct options shared;
	const char *listen; /* NULL: standard input and output */
	bool start;
};

/* clang-format off */
static const struct option_row listen_rows[] = {
	{ "--listen", 0, "PORT",
	  "wait for a debugger at this port of this machine, or at a socket with this path",
	  AS_TEXT(struct gdb_options, listen), .reach = REACH_SOCKET },
	{ "--start", 0, NULL,
	  "start gdb-multiarch, or gdb, with hartscope.py; so it is at a terminal, without - and "
	  "--listen", AS_FLAG(struct gdb_options, start) },
	{ .name = NULL }
};
/* clang-format on */

static const struct usage usage = {
	.name = "gdb",
	.form = "[--start] [--listen PORT|PATH] [--elf FILE]... [-] REC|FLOW|TRACE",
	.text = "Serves a flow to gdb-multiarch as a program that runs forwards and backwards\n"
		"(docs/gdb.md).  At a terminal it starts the debugger, with this program as its\n"
		"target.  With - and without --listen the debugger is at standard input and\n"
		"output.\n"
		"Threads are harts.  Registers other than pc are unavailable; memory is the code,\n"
		"and what the program's files have in segments that cannot be written.",
	.example = "  hartscope gdb app.rec\n"
		   "  gdb-multiarch app -ex 'target remote | hartscope gdb - app.rec'\n"
		   "  hartscope gdb --listen 1234 --elf app.elf app.nt\n"
		   "  hartscope gdb --listen 1234 --from parse_line@3 --to parse_line@4 app.rec",
	.often = "--start --listen --elf --set --auto --from --to --last --hart",
	.options = OPTIONS(OPTIONS_TRACE, OPTIONS_GUEST, OPTIONS_VIEW, ROWS(options_xlen),
	                   ROWS(options_jobs), ROWS(listen_rows), ROWS(options_quiet),
	                   ROWS(options_reading)),
	.min_args = 1,
	.max_args = 2,
};

/* ---- the debugger ----------------------------------------------------------------------- */

#define ROOM 32768u

struct debugger {
	int in, out;
	uint8_t bytes[ROOM]; /* that it sent and that were not taken yet */
	size_t n;
	bool gone;
	struct damage damage;
};

static bool send_bytes(void *context, const void *bytes, size_t n)
{
	const struct debugger *d = context;

	return write_all(d->out, bytes, n);
}

/* The first errors are shown, and after some a hint, as other commands have it.  What is read again
 * is not. */
static void take_damage(void *context, const struct hs_error *e, struct hs_source *source)
{
	struct damage *d = &((struct debugger *)context)->damage;

	for (uint64_t i = 0; i < d->count && i < DAMAGE_SHOWN; i++)
		if (strcmp(d->first[i].error.text, e->text) == 0)
			return;
	damage_add_of(d, e, source);
	if (d->count == DAMAGE_SHOWN) {
		damage_hint(d);
		d->hinted = true;
	}
}

/* More bytes, waiting for them at most so long; -1: for ever. */
static void receive(struct debugger *d, int timeout)
{
	struct pollfd p = { .fd = d->in, .events = POLLIN };

	if (d->n == ROOM || d->gone || poll(&p, 1, timeout) <= 0)
		return;
	const ssize_t n = read(d->in, d->bytes + d->n, ROOM - d->n);

	if (n > 0)
		d->n += (size_t)n;
	else if (n == 0 || errno != EINTR)
		d->gone = true;
}

/* A byte 0x03, which is taken. */
static bool is_interrupted(void *context)
{
	struct debugger *d = context;
	const size_t before = d->n;

	receive(d, 0);
	uint8_t *at = memchr(d->bytes + before, 3, d->n - before);

	if (at)
		memmove(at, at + 1, (size_t)(d->bytes + d->n - (at + 1)));
	d->n -= at != NULL;
	return at || d->gone;
}

static int serve(struct hs_gdb_server *server, struct debugger *d)
{
	enum hs_status s = HS_OK;
	uint8_t bytes[ROOM];

	while (s == HS_OK && !(d->gone && !d->n)) {
		const size_t n = d->n;

		memcpy(bytes, d->bytes, n);
		d->n = 0;
		if (n)
			s = hs_gdb_server_take(server, bytes, n);
		else
			receive(d, -1);
	}
	if (s == HS_E_MEMORY)
		complain("out of memory");
	return s == HS_OK || s == HS_END ? EXIT_GOOD : EXIT_DAMAGED;
}

/* ---- sockets ------------------------------------------------------------------------------ */

static int refuse_socket(const char *where, int fd)
{
	complain("--listen %s: %s", where, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Only of this machine.  -1: after a complaint. */
static int listen_at_port(const char *text, uint16_t port)
{
	const struct sockaddr_in address = { .sin_family = AF_INET,
		                             .sin_port = htons(port),
		                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
	    bind(fd, (const struct sockaddr *)&address, sizeof(address)) != 0 || listen(fd, 8) != 0)
		return refuse_socket(text, fd);
	return fd;
}

static int listen_at_path(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (strlen(path) >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		return refuse_socket(path, fd);
	}
	strcpy(address.sun_path, path);
	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) != 0 ||
	    listen(fd, 8) != 0)
		return refuse_socket(path, fd);
	return fd;
}

#define PATIENCE 10000 /* milliseconds until a debugger speaks */

/* Does a debugger speak at this connection?  It begins with an acknowledgement, a packet or an
 * interrupt; a scan of ports says nothing, and a browser something else. */
static bool is_debugger(struct debugger *d, int fd)
{
	d->in = fd;
	d->n = 0;
	d->gone = false;
	receive(d, PATIENCE);
	return d->n && d->bytes[0] && strchr("+-$\003", d->bytes[0]);
}

/* The next connection at which a debugger speaks.  -1: there cannot be one. */
static int find_debugger(struct debugger *d, int listener)
{
	for (;;) {
		const int fd = accept(listener, NULL, NULL);

		if (fd < 0 && errno != EINTR && errno != ECONNABORTED)
			return -1;
		if (fd >= 0 && is_debugger(d, fd))
			return fd;
		if (fd >= 0) {
			complain("a connection that is no debugger's was closed");
			close(fd);
		}
	}
}

/* Of --listen 0 the system chose the port. */
static void show_port(int listener, const char *where)
{
	struct sockaddr_in got = { .sin_port = 0 };
	socklen_t size = sizeof(got);

	if (getsockname(listener, (struct sockaddr *)&got, &size) == 0 && got.sin_family == AF_INET)
		fprintf(stderr, "hartscope: waiting for a debugger at %u\n", ntohs(got.sin_port));
	else
		fprintf(stderr, "hartscope: waiting for a debugger at %s\n", where);
}

/* Wait for a debugger.  -1: after a complaint. */
static int accept_debugger(struct debugger *d, const char *where)
{
	char *end;
	const unsigned long port = strtoul(where, &end, 10);
	const bool is_port = *where && !*end;

	if (is_port && port > UINT16_MAX) {
		complain("--listen %s: a port is at most 65535", where);
		return -1;
	}
	const int listener =
		is_port ? listen_at_port(where, (uint16_t)port) : listen_at_path(where);

	if (listener < 0)
		return -1;
	show_port(listener, where);
	const int fd = find_debugger(d, listener);

	if (fd < 0)
		refuse_socket(where, -1);
	close(listener);
	if (!is_port)
		unlink(where);
	return fd;
}

/* ---- the command -------------------------------------------------------------------------- */

static int serve_source(struct hs_source *source, const struct gdb_options *own)
{
	const struct options *o = &own->shared;
	struct debugger *d = calloc(1, sizeof(*d));
	struct hs_gdb_server *server;
	struct hs_error e = { 0 };
	int status = EXIT_USAGE;

	if (!d) {
		complain("out of memory");
		return EXIT_USAGE;
	}
	const struct hs_gdb_server_options so = {
		.size = sizeof(so),
		.one_hart = o->source.one_hart,
		.source = source,
		/* a part of a flow is read from its start: places are those of the whole */
		.index = o->range.given ? NULL : o->args[0],
		.write = send_bytes,
		.interrupted = is_interrupted,
		.context = d,
		.damaged = take_damage
	};

	if (hs_gdb_server_new(&so, &server, &e) != HS_OK) {
		status = fail(&e);
		if (d->damage.count && d->damage.count < DAMAGE_SHOWN)
			damage_hint(&d->damage);
		if (!d->damage.count && e.status == HS_E_NOCODE && !is_recording(o->args[0]))
			hint_of_nothing(o->args[0]);
		free(d);
		return status;
	}
	d->in = own->listen ? accept_debugger(d, own->listen) : STDIN_FILENO;
	d->out = own->listen ? d->in : STDOUT_FILENO;
	if (d->in >= 0)
		status = serve(server, d);
	if (own->listen && d->in >= 0)
		close(d->in);
	hs_gdb_server_free(server);
	if (d->damage.count && status == EXIT_GOOD)
		status = EXIT_DAMAGED;
	if (d->damage.count < DAMAGE_SHOWN)
		damage_hint(&d->damage);
	free(d);
	return status;
}

int cmd_gdb(int argc, char **argv)
{
	struct hs_source *source;
	struct gdb_options own = { .listen = NULL };
	struct options *o = &own.shared;
	int status;

	if (gdb_is_started(argc, argv))
		return gdb_start(&usage, sizeof(own), argc, argv);
	sandbox_arm();
	if (!options_parse(&usage, argc, argv, o, &status))
		return status;
	if (o->arg_count == 2) { /* "-" is where the debugger is */
		if (strcmp(o->args[0], "-") != 0) {
			complain("gdb serves one recording, flow or trace");
			return EXIT_USAGE;
		}
		o->args[0] = o->args[1];
	}
	o->source.names = o->source.versions = o->source.places = true;
	source = open_argument(o, &status);
	if (!source)
		return status;
	status = serve_source(source, &own);
	hs_source_close(source);
	return status;
}
