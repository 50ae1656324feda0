/* perf.data: bytes of the file, or of memory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inputs/perf_private.h"

enum hs_status perf_read_at(struct hs_perf *p, uint64_t at, uint8_t *out, size_t want, size_t *n,
                            struct hs_error *error)
{
	ssize_t got;

	*n = 0;
	if (at >= p->size)
		return HS_OK;
	if (want > p->size - at)
		want = (size_t)(p->size - at);
	if (p->fd < 0) {
		memcpy(out, p->memory.p + at, want);
		*n = want;
		return HS_OK;
	}
	do
		got = pread(p->fd, out, want, (off_t)at);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", p->name, strerror(errno));
	*n = (size_t)got;
	return HS_OK;
}

/* Have the window begin at @at. */
static void fill_window(struct hs_perf *p, uint64_t at)
{
	size_t n = 1;

	p->window_at = at;
	p->window_n = 0;
	while (p->window_n < PERF_WINDOW && n &&
	       perf_read_at(p, at + p->window_n, p->window + p->window_n, PERF_WINDOW - p->window_n,
	                    &n, NULL) == HS_OK)
		p->window_n += n;
}

const uint8_t *perf_bytes(struct hs_perf *p, uint64_t at, size_t n)
{
	if (at > p->size || n > p->size - at)
		return NULL;
	if (p->fd < 0)
		return p->memory.p + at;
	if (at < p->window_at || at - p->window_at > p->window_n ||
	    n > p->window_n - (at - p->window_at))
		fill_window(p, at);
	return n <= p->window_n ? p->window + (at - p->window_at) : NULL;
}
