/* Wait for the first connection to a Unix socket. */
#ifndef TESTS_BOARD_SOCKET_H
#define TESTS_BOARD_SOCKET_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* The socket has its name once it takes connections: who sees it may connect.  False: why is on
 * standard error. */
static inline bool socket_wait(const char *path, FILE **in, FILE **out)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	const int s = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(name.sun_path, sizeof(name.sun_path), "%s.new", path);
	if (s < 0 || bind(s, (struct sockaddr *)&name, sizeof(name)) != 0 || listen(s, 1) != 0 ||
	    rename(name.sun_path, path) != 0) {
		perror(path);
		return false;
	}
	const int client = accept(s, NULL, NULL);

	close(s);
	*in = client < 0 ? NULL : fdopen(client, "r");
	*out = client < 0 ? NULL : fdopen(dup(client), "w");
	return *in && *out;
}

#endif
