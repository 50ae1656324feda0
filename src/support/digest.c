/* Digests of files (design/whole-files). */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "support/digest.h"
#include "support/file.h"

#define ROOM ((size_t)1 << 18)

static enum hs_status read_all(int fd, XXH64_state_t *state, uint8_t *room,
                               struct support_digest *d)
{
	ssize_t n;

	XXH64_reset(state, 0);
	do {
		n = support_read(fd, room, ROOM);
		if (n < 0)
			return HS_E_SYSTEM;
		XXH64_update(state, room, (size_t)n);
		d->bytes += (uint64_t)n;
	} while (n > 0);
	d->sum = XXH64_digest(state);
	d->known = true;
	return HS_OK;
}

enum hs_status support_digest_fd(int fd, struct support_digest *d)
{
	XXH64_state_t *state = XXH64_createState();
	uint8_t *room = malloc(ROOM);
	enum hs_status status = HS_E_MEMORY;

	*d = (struct support_digest){ .known = false };
	if (state && room)
		status = read_all(fd, state, room, d);
	free(room);
	XXH64_freeState(state);
	return status;
}

enum hs_status support_digest_file(const char *path, struct support_digest *d, struct hs_error *e)
{
	const int fd = support_open_file(AT_FDCWD, path);
	enum hs_status status;

	*d = (struct support_digest){ .known = false };
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ENOTSUP))
		return HS_OK;
	if (fd < 0)
		return hs_error_set(e, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
	status = support_digest_fd(fd, d);
	if (status != HS_OK)
		hs_error_set(e, status, "%s: %s", path,
		             status == HS_E_MEMORY ? "out of memory" : strerror(errno));
	close(fd);
	return status;
}

bool support_digest_read(const json_t *o, struct support_digest *d)
{
	const json_t *bytes = json_object_get(o, "bytes"), *text = json_object_get(o, "xxh64");
	const char *sum = json_string_value(text);
	char *end;

	*d = (struct support_digest){ .known = false };
	if (!text)
		return true;
	if (!sum || strlen(sum) != 16 || !json_is_integer(bytes) || json_integer_value(bytes) < 0)
		return false;
	d->known = true;
	d->bytes = (uint64_t)json_integer_value(bytes);
	d->sum = strtoull(sum, &end, 16);
	return *end == '\0';
}

bool support_digest_put(json_t *o, const struct support_digest *d)
{
	return !d->known ||
	       (json_object_set_new(o, "bytes", json_integer((json_int_t)d->bytes)) == 0 &&
	        json_object_set_new(o, "xxh64", json_sprintf("%016" PRIx64, d->sum)) == 0);
}

bool support_digest_same(const struct support_digest *a, const struct support_digest *b)
{
	return a->bytes == b->bytes && a->sum == b->sum;
}
