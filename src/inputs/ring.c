/* Captures: circular buffers (TCI, trRamWrap; design/alignment). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "inputs/capture_private.h"

/* To look for its wrap point, a buffer is read whole. */
#define FIND_LIMIT ((uint64_t)1 << 30)

static enum hs_status read_buffer(struct hs_capture *c, uint8_t **buffer, struct hs_error *error)
{
	enum hs_status s = HS_OK;
	size_t n = 1;

	*buffer = malloc(c->wrap.size ? c->wrap.size : 1);
	if (!*buffer)
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", c->file.name);
	for (uint64_t at = 0; at < c->wrap.size && n && s == HS_OK; at += n)
		s = capture_read_at(c, at, *buffer + at, c->wrap.size - at, &n, error);
	if (s == HS_OK && !n)
		s = hs_error_set(error, HS_E_SYSTEM, "%s: it became shorter", c->file.name);
	return s;
}

static enum hs_status find_wrap(struct hs_capture *c, const struct hs_capture_options *o,
                                struct hs_error *error)
{
	uint8_t *buffer;
	enum hs_status s = read_buffer(c, &buffer, error);
	const struct hs_span all = { buffer, c->wrap.size };

	c->wrap.searched = true;
	if (s == HS_OK && !o->find_ring)
		hs_ring_find(&all, o->src_bits, &c->wrap.ring);
	else if (s == HS_OK &&
	         o->find_ring(o->find_of, &all, HS_RING_UNKNOWN, &c->wrap.ring) != HS_OK)
		s = hs_error_set(error, HS_E_CONFIG, "%s: its parameters do not go together",
		                 c->file.name);
	free(buffer);
	return s;
}

enum hs_status hs_capture_find_again(struct hs_capture *c, hs_ring_fn find, void *of,
                                     struct hs_error *error)
{
	struct hs_ring ring = c->wrap.ring;
	uint8_t *buffer;

	if (!c->wrap.searched || c->wrap.ring.found || c->transport->kind != CAPTURE_RAW)
		return HS_OK;
	enum hs_status s = read_buffer(c, &buffer, error);
	const struct hs_span all = { buffer, c->wrap.size };

	if (s == HS_OK)
		s = find(of, &all, &ring);
	free(buffer);
	if (s != HS_OK || !ring.found)
		return s;
	c->wrap.ring = ring;
	return hs_capture_rewind(c, error);
}

/* After the write pointer the rest of a packet that was overwritten is left out, where it can be
 * seen from the packets after it. */
static enum hs_status find_first(struct hs_capture *c, const struct hs_capture_options *o,
                                 struct hs_error *error)
{
	struct hs_ring ring;
	uint8_t *buffer;

	if (!o->find_ring || c->transport->kind != CAPTURE_RAW || c->wrap.size > FIND_LIMIT ||
	    !c->wrap.size)
		return HS_OK;
	const enum hs_status s = read_buffer(c, &buffer, error);
	const struct hs_span all = { buffer, c->wrap.size };

	if (s == HS_OK && o->find_ring(o->find_of, &all, c->wrap.ring.begin, &ring) == HS_OK &&
	    ring.found) {
		c->wrap.skip = (ring.begin + c->wrap.size - c->wrap.ring.begin) % c->wrap.size;
		c->wrap.aligned_first = true;
	}
	free(buffer);
	return s;
}

static enum hs_status set_pointer(struct hs_capture *c, const char *text, struct hs_error *error)
{
	char *end;

	errno = 0;
	const uint64_t wp = strtoull(text, &end, 0);

	if (*text < '0' || *text > '9' || *end || errno)
		return hs_error_set(error, HS_E_CONFIG,
		                    "the write pointer is an offset or 'find', not '%.40s'", text);
	if (wp > c->wrap.size)
		return hs_error_set(
			error, HS_E_CONFIG, "%s: the write pointer 0x%llx is past its end, 0x%llx",
			c->file.name, (unsigned long long)wp, (unsigned long long)c->wrap.size);
	c->wrap.ring.begin = wp == c->wrap.size ? 0 : wp;
	c->wrap.ring.end = wp == 0 ? c->wrap.size : wp;
	return HS_OK;
}

/* The size of the file or memory. */
static enum hs_status find_size(struct hs_capture *c, struct hs_error *error)
{
	struct stat st = { .st_mode = S_IFREG, .st_size = (off_t)c->file.memory.n };

	if (c->file.fd >= 0 && fstat(c->file.fd, &st) < 0)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", c->file.name, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return hs_error_set(error, HS_E_CONFIG, "%s: a circular buffer must be a file",
		                    c->file.name);
	c->wrap.size = (uint64_t)st.st_size;
	return HS_OK;
}

/* Something has to say where a packet begins. */
static enum hs_status can_begin(const struct hs_capture *c, const struct hs_capture_options *o,
                                struct hs_error *error)
{
	if (!o->find_ring || c->wrap.aligned_first || o->null_run ||
	    c->transport->kind != CAPTURE_RAW)
		return HS_OK;
	return hs_error_set(error, HS_E_FORMAT,
	                    "%s: nothing after the write pointer says where a packet begins: its "
	                    "bytes do not agree on any",
	                    c->file.name);
}

enum hs_status capture_ring_open(struct hs_capture *c, const struct hs_capture_options *o,
                                 struct hs_error *error)
{
	enum hs_status s = find_size(c, error);

	if (s != HS_OK)
		return s;
	c->wrap.wrapped = true;
	c->wrap.pointer = strcmp(o->wrap, "find") != 0;
	c->wrap.align.null_run = o->null_run;
	if (!c->wrap.pointer && c->wrap.align.null_run && !o->find_ring)
		s = hs_error_set(
			error, HS_E_CONFIG,
			"%s: packets with headers do not show the wrap point of a circular "
			"buffer; give the write pointer",
			c->file.name);
	else if (c->wrap.pointer)
		s = set_pointer(c, o->wrap, error);
	else if (c->wrap.size > FIND_LIMIT)
		s = hs_error_set(error, HS_E_CONFIG,
		                 "%s: too large to look for its wrap point; give the write pointer",
		                 c->file.name);
	else
		s = find_wrap(c, o, error);
	if (s == HS_OK && c->wrap.pointer)
		s = find_first(c, o, error);
	if (s == HS_OK && c->wrap.pointer)
		s = can_begin(c, o, error);
	capture_ring_rewind(c);
	return s;
}

/* The whole buffer is in the file: what is trace begins at the write pointer, or ends there. */
static void set_buffer(struct hs_capture *c, const struct hs_capture_ram *ram)
{
	const uint64_t wp = ram->wp - ram->start;

	c->wrap.wrapped = true;
	c->wrap.size = ram->limit - ram->start + 4;
	c->wrap.ring.begin = ram->wrapped ? wp : 0;
	c->wrap.ring.end = ram->wrapped && wp == 0 ? c->wrap.size : wp;
	/* A sink that stopped where it wrapped overwrote nothing. */
	c->wrap.pointer = ram->wrapped && !(ram->stopped && wp == 0);
}

static enum hs_status refuse_ram(const struct hs_capture *c, const struct hs_capture_ram *ram,
                                 struct hs_error *error)
{
	return hs_error_set(error, HS_E_CONFIG,
	                    "%s has %llu bytes, but the RAM sink's buffer is from 0x%llx to 0x%llx "
	                    "with the write pointer at 0x%llx; --wrap says how to read the file",
	                    c->file.name, (unsigned long long)c->wrap.size,
	                    (unsigned long long)ram->start, (unsigned long long)ram->limit,
	                    (unsigned long long)ram->wp);
}

enum hs_status capture_ram_open(struct hs_capture *c, const struct hs_capture_options *o,
                                struct hs_error *error)
{
	const struct hs_capture_ram *ram = o->ram;
	const uint64_t bytes = ram->limit - ram->start + 4;
	enum hs_status s = find_size(c, error);

	if (s != HS_OK)
		return s;
	if (ram->start > ram->wp || ram->wp > ram->limit)
		return refuse_ram(c, ram, error);
	if (c->wrap.size == bytes || (ram->start == 0 && c->wrap.size > bytes)) {
		set_buffer(c, ram);
		c->wrap.align.null_run = c->wrap.pointer ? o->null_run : 0;
		s = c->wrap.pointer ? find_first(c, o, error) : HS_OK;
		if (s == HS_OK && c->wrap.pointer)
			s = can_begin(c, o, error);
		capture_ring_rewind(c);
		return s;
	}
	return !ram->wrapped && c->wrap.size == ram->wp - ram->start ? HS_OK
	                                                             : refuse_ram(c, ram, error);
}

/* Is what is trace one piece? */
static bool is_linear(const struct hs_ring *ring)
{
	return ring->begin == 0 || ring->begin < ring->end;
}

void capture_ring_rewind(struct hs_capture *c)
{
	const uint64_t first = c->wrap.ring.begin + c->wrap.skip;
	const bool over = first >= c->wrap.size && !is_linear(&c->wrap.ring);

	c->wrap.part = over ? 1 : 0;
	c->wrap.at = over ? first - c->wrap.size : first;
	c->wrap.align.partial = c->wrap.skip;
	c->wrap.align.nulls = 0;
	/* a wrap point that was found is before a message */
	c->wrap.align.active = c->wrap.pointer && !c->wrap.aligned_first;
}

/* Up to a run of null bytes that no packet can hold, nothing says where packets begin (EE
 * Synchronization): it becomes null packets. */
static void blank_to_run(struct hs_capture_aligner *a, uint8_t *p, size_t n)
{
	size_t i = 0;

	for (; i < n && ((p[i] & 31) == 0 || a->nulls < a->null_run); i++)
		a->nulls = (p[i] & 31) == 0 ? a->nulls + (a->nulls < a->null_run) : 0;
	a->active = i == n;
	memset(p, 0, i);
	a->partial += i;
}

/* The rest of a message whose beginning is overwritten becomes idle. */
static void blank_partial(struct hs_capture_aligner *a, uint8_t *p, size_t n)
{
	struct hs_span rest = { p, n };

	a->active = !hs_ring_skip_partial(&rest);
	memset(p, 0xff, n - rest.n);
	a->partial += n - rest.n;
}

void hs_capture_align(struct hs_capture_aligner *a, uint8_t *p, size_t n)
{
	if (a->active && n && a->null_run)
		blank_to_run(a, p, n);
	else if (a->active && n)
		blank_partial(a, p, n);
}

enum hs_status capture_ring_read(struct hs_capture *c, uint8_t *out, size_t cap, size_t *n,
                                 struct hs_error *error)
{
	enum hs_status s = HS_OK;

	for (*n = 0; *n == 0 && c->wrap.part < 2 && s == HS_OK;) {
		const bool linear = is_linear(&c->wrap.ring);
		const uint64_t end = c->wrap.part == 0 && !linear ? c->wrap.size : c->wrap.ring.end;
		const uint64_t left = c->wrap.at < end ? end - c->wrap.at : 0;

		s = left ? capture_read_at(c, c->wrap.at, out, left < cap ? left : cap, n, error)
		         : HS_OK;
		c->wrap.at += *n;
		if (*n)
			break;
		c->wrap.part += linear ? 2 : 1;
		c->wrap.at = 0;
	}
	if (c->transport->kind == CAPTURE_FRAMES)
		return s;
	if (*n == 0 && c->wrap.align.active && c->wrap.align.null_run && s == HS_OK) {
		c->wrap.align.active = false;
		return hs_error_set(error, HS_E_FORMAT,
		                    "%s: no run of %u null bytes: nothing says where a packet "
		                    "begins",
		                    c->file.name, c->wrap.align.null_run);
	}
	hs_capture_align(&c->wrap.align, out, *n);
	return s;
}
