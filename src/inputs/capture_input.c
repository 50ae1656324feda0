/* Captures: bytes of the file, or of memory, as they lie. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "inputs/capture_private.h"

static size_t copy_memory(const struct hs_capture *c, uint64_t at, uint8_t *out, size_t want)
{
	const size_t left = at < c->file.memory.n ? c->file.memory.n - (size_t)at : 0;
	const size_t n = want < left ? want : left;

	if (n)
		memcpy(out, c->file.memory.p + at, n);
	return n;
}

enum hs_status capture_read_at(const struct hs_capture *c, uint64_t at, uint8_t *out, size_t want,
                               size_t *n, struct hs_error *error)
{
	ssize_t got;

	*n = 0;
	if (c->file.fd < 0) {
		*n = copy_memory(c, at, out, want);
		return HS_OK;
	}
	do
		got = pread(c->file.fd, out, want, (off_t)at);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", c->file.name, strerror(errno));
	*n = (size_t)got;
	return HS_OK;
}

enum hs_status capture_read_next(struct hs_capture *c, uint8_t *out, size_t cap, size_t *n,
                                 struct hs_error *error)
{
	ssize_t got;

	*n = 0;
	if (c->file.eof)
		return HS_OK;
	if (c->file.fst) {
		const enum hs_status s = hs_fst_read(c->file.fst, out, cap, n, error);

		c->file.eof = *n == 0;
		return s;
	}
	if (c->file.fd < 0) {
		*n = copy_memory(c, c->file.memory_at, out, cap);
		c->file.memory_at += *n;
		return HS_OK;
	}
	do
		got = read(c->file.fd, out, cap);
	while (got < 0 && errno == EINTR);
	c->file.eof = got <= 0;
	if (got < 0)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", c->file.name, strerror(errno));
	*n = (size_t)got;
	return HS_OK;
}

enum hs_status capture_seek_input(struct hs_capture *c, uint64_t offset, struct hs_error *error)
{
	if (c->file.fd >= 0 && lseek(c->file.fd, (off_t)offset, SEEK_SET) < 0)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", c->file.name,
		                    errno == ESPIPE ? "it is read twice: put it in a file"
		                                    : strerror(errno));
	c->file.memory_at = offset;
	c->file.eof = false;
	return c->file.fst ? capture_open_fst(c, error) : HS_OK;
}

enum hs_status capture_open_fst(struct hs_capture *c, struct hs_error *error)
{
	uint8_t bytes[16];
	struct hs_span first = { bytes, 0 };

	hs_fst_close(c->file.fst);
	c->file.fst = NULL;
	if (c->file.fd < 0 ||
	    capture_read_at(c, 0, bytes, sizeof(bytes), &first.n, NULL) != HS_OK ||
	    !hs_fst_is(&first))
		return HS_OK;
	return hs_fst_open(c->file.fd, c->file.name, &c->file.fst, error);
}

enum hs_status capture_rewind_input(struct hs_capture *c, struct hs_error *error)
{
	return capture_seek_input(c, 0, error);
}
