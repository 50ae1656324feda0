/* Bytes that only grow, and are seldom read again: the last of them are in memory, those before in
 * a file without a name, which the recorded program cannot find (design/recorder).  A file that
 * cannot be made or written is no error: memory takes its place, and it is tried again when that
 * has doubled. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/private.h"

void recorder_store_init(struct recorder_store *s, int dir)
{
	*s = (struct recorder_store){ .dir = dir, .fd = -1 };
}

void recorder_store_close(struct recorder_store *s)
{
	if (s->fd >= 0)
		close(s->fd);
	free(s->bytes);
	recorder_store_init(s, -1);
}

uint64_t recorder_store_size(const struct recorder_store *s)
{
	return s->filed + s->count;
}

static bool write_at(int fd, const uint8_t *p, size_t n, uint64_t at)
{
	for (size_t done = 0; done < n;) {
		const ssize_t w = pwrite(fd, p + done, n - done, (off_t)(at + done));

		if (w <= 0 && errno != EINTR)
			return false;
		done += w > 0 ? (size_t)w : 0;
	}
	return true;
}

/* Put what is in memory into the file.  The disk room of a part of it goes back. */
static void to_file(struct recorder_store *s)
{
	if (s->fd < 0 && s->dir >= 0)
		s->fd = openat(s->dir, ".", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (s->fd < 0)
		return;
	if (!write_at(s->fd, s->bytes, s->count, s->filed)) {
		(void)!ftruncate(s->fd, (off_t)s->filed);
		return;
	}
	s->filed += s->count;
	s->count = 0;
	if (s->room > RECORDER_STORE_ROOM) {
		free(s->bytes);
		s->bytes = NULL;
		s->room = 0;
	}
}

/* Make room in memory for @n bytes more. */
static bool make_room(struct recorder_store *s, size_t n)
{
	size_t room = s->room == 0 ? 4096 : s->room;
	uint8_t *more;

	while (room - s->count < n)
		room *= 2;
	if (room == s->room)
		return true;
	more = realloc(s->bytes, room);
	if (more == NULL)
		return false;
	s->bytes = more;
	s->room = room;
	return true;
}

bool recorder_store_add(struct recorder_store *s, const void *bytes, size_t n)
{
	if (n == 0)
		return true;
	if (s->count + n > s->room && s->count + n > RECORDER_STORE_ROOM)
		to_file(s);
	if (!make_room(s, n))
		return false;
	memcpy(s->bytes + s->count, bytes, n);
	s->count += n;
	return true;
}

static bool read_at(int fd, uint8_t *p, size_t n, uint64_t at)
{
	for (size_t done = 0; done < n;) {
		const ssize_t r = pread(fd, p + done, n - done, (off_t)(at + done));

		if (r == 0 || (r < 0 && errno != EINTR))
			return false;
		done += r > 0 ? (size_t)r : 0;
	}
	return true;
}

bool recorder_store_read(const struct recorder_store *s, uint64_t at, void *bytes, size_t n)
{
	uint8_t *out = bytes;
	size_t filed;

	if (at > recorder_store_size(s) || n > recorder_store_size(s) - at)
		return false;
	filed = at >= s->filed ? 0 : s->filed - at < n ? (size_t)(s->filed - at) : n;
	if (filed != 0 && !read_at(s->fd, out, filed, at))
		return false;
	if (n > filed)
		memcpy(out + filed, s->bytes + (at + filed - s->filed), n - filed);
	return true;
}
