/* A recorder plugin that is not ours: $OTHER_PLUGIN says how it greets the recorder.
 *   old       a message of an older version
 *   shorter   the same, of another size
 *   silent    connects, and sends nothing
 *   empty     a message of our version without memory
 * Then it waits, as a plugin does that nobody reads, and ends the emulator with status 99. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "recorder/wire.h"

#define SHOWN __attribute__((visibility("default")))

extern SHOWN int qemu_plugin_version;
int qemu_plugin_version = 1;

/* Of QEMU 9 and later, version 2: it uses nothing that changed. */
static __attribute__((constructor)) void take_version(void)
{
	if (dlsym(RTLD_DEFAULT, "qemu_plugin_scoreboard_new") != NULL)
		qemu_plugin_version = 2;
}

SHOWN int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

static int greet(const char *name)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	const int s = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	strncpy(to.sun_path + 1, name, sizeof(to.sun_path) - 2);
	return connect(s, (struct sockaddr *)&to,
	               (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))) == 0
	               ? s
	               : -1;
}

static void say(int s, uint32_t version, size_t size, int fd)
{
	struct hs_wire_message m = { .magic = HS_WIRE_MAGIC, .version = version, .token = 1 };
	struct iovec iov = { &m, size };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .head = { .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET,
		                .cmsg_type = SCM_RIGHTS } };
	struct msghdr h = { .msg_iov = &iov, .msg_iovlen = 1,
		            .msg_control = fd < 0 ? NULL : &control,
		            .msg_controllen = fd < 0 ? 0 : sizeof(control) };

	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	sendmsg(s, &h, MSG_NOSIGNAL);
}

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	const char *how = getenv("OTHER_PLUGIN");
	int s = -1;

	(void)id, (void)info;
	for (int i = 0; i < argc; i++)
		if (strncmp(argv[i], "socket=", 7) == 0)
			s = greet(argv[i] + 7);
	if (s < 0 || !how)
		_exit(98);
	if (strcmp(how, "old") == 0)
		say(s, HS_WIRE_VERSION - 1, sizeof(struct hs_wire_message),
		    memfd_create("old", 0));
	else if (strcmp(how, "shorter") == 0)
		say(s, HS_WIRE_VERSION - 1, 16, -1);
	else if (strcmp(how, "empty") == 0)
		say(s, HS_WIRE_VERSION, sizeof(struct hs_wire_message), -1);
	sleep(30);
	_exit(99);
}
