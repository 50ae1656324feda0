/* Captures: bytes of the file, or of memory, as they lie. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "inputs/capture_private.h"

static size_t copy_memory(const struct hs_capture *c, uint64_t at, uint8_t *out, size_t want)
{
	const size_t left = at < c->memory.n ? c->memory.n - (size_t)at : 0;
	const size_t n = want < left ? want : left;

	if (n)
		memcpy(out, c->memory.p + at, n);
	return n;
}

enum hs_status capture_read_at(const struct hs_capture *c, uint64_t at, uint8_t *out, size_t want,
                               size_t *n, struct hs_error *error)
{
	ssize_t got;

	*n = 0;
	if (c->fd < 0) {
		*n = copy_memory(c, at, out, want);
		return HS_OK;
	}
	do
		got = pread(c->fd, out, want, (off_t)at);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", c->name, strerror(errno));
	*n = (size_t)got;
	return HS_OK;
}

enum hs_status capture_read_next(struct hs_capture *c, uint8_t *out, size_t cap, size_t *n,
                                 struct hs_error *error)
{
	ssize_t got;

	*n = 0;
	if (c->eof)
		return HS_OK;
	if (c->fst) {
		const enum hs_status s = hs_fst_read(c->fst, out, cap, n, error);

		c->eof = *n == 0;
		return s;
	}
	if (c->fd < 0) {
		*n = copy_memory(c, c->memory_at, out, cap);
		c->memory_at += *n;
		return HS_OK;
	}
	do
		got = read(c->fd, out, cap);
	while (got < 0 && errno == EINTR);
	c->eof = got <= 0;
	if (got < 0)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", c->name, strerror(errno));
	*n = (size_t)got;
	return HS_OK;
}

enum hs_status capture_seek_input(struct hs_capture *c, uint64_t offset, struct hs_error *error)
{
	if (c->fd >= 0 && lseek(c->fd, (off_t)offset, SEEK_SET) < 0)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", c->name,
		                    errno == ESPIPE ? "it is read twice: put it in a file"
		                                    : strerror(errno));
	c->memory_at = offset;
	c->eof = false;
	return c->fst ? capture_open_fst(c, error) : HS_OK;
}

enum hs_status capture_open_fst(struct hs_capture *c, struct hs_error *error)
{
	uint8_t bytes[16];
	struct hs_span first = { bytes, 0 };

	hs_fst_close(c->fst);
	c->fst = NULL;
	if (c->fd < 0 || capture_read_at(c, 0, bytes, sizeof(bytes), &first.n, NULL) != HS_OK ||
	    !hs_fst_is(&first))
		return HS_OK;
	return hs_fst_open(c->fd, c->name, &c->fst, error);
}

enum hs_status capture_rewind_input(struct hs_capture *c, struct hs_error *error)
{
	return capture_seek_input(c, 0, error);
}
