/* What is in memory: the code, and the segments of the program's files that cannot be written. */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gdb/private.h"
#include "program/program.h"
#include "support/file.h"
#include "support/words.h"

#define SEGMENTS_MAX 64u /* of a file */

/* A file as it is when the debugger comes.  It may be linked again meanwhile: it is read when it is
 * asked for, and only as long as it is the same.  -1: it is another one, or gone. */
static int open_same(const char *path, const struct stat *same)
{
	const int fd = support_open_file(AT_FDCWD, path);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 &&
	    (!same || (st.st_dev == same->st_dev && st.st_ino == same->st_ino &&
	               st.st_size == same->st_size &&
	               memcmp(&st.st_mtim, &same->st_mtim, sizeof(st.st_mtim)) == 0)))
		return fd;
	close(fd);
	return -1;
}

static bool read_at(int fd, uint64_t offset, void *to, size_t n)
{
	return offset <= INT64_MAX && pread(fd, to, n, (off_t)offset) == (ssize_t)n;
}

/* A program header of either class. */
struct header {
	uint32_t type, flags;
	uint64_t offset, address, size;
};

static struct header read_header(const uint8_t *at, bool wide)
{
	if (wide)
		return (struct header){ support_get32(at), support_get32(at + 4),
			                support_get64(at + 8), support_get64(at + 16),
			                support_get64(at + 32) };
	return (struct header){ support_get32(at), support_get32(at + 24), support_get32(at + 4),
		                support_get32(at + 8), support_get32(at + 16) };
}

static enum hs_status add_segment(struct gdb_memory *m, const struct header *h, uint64_t bias)
{
	struct gdb_segment *more = reallocarray(m->segments, m->count + 1, sizeof(*more));

	if (!more)
		return HS_E_MEMORY;
	m->segments = more;
	m->segments[m->count++] = (struct gdb_segment){ .start = h->address + bias,
		                                        .size = h->size,
		                                        .offset = h->offset,
		                                        .file = m->file_count - 1 };
	return HS_OK;
}

/* The segments of an ELF file, whose bytes may be anything, the last of the files.  @l gets the
 * addresses of its dynamic section, if it has one, and of its first segment. */
static enum hs_status add_segments(struct gdb_memory *m, int fd, struct gdb_library *l)
{
	const uint64_t bias = l->bias, all = (uint64_t)m->files[m->file_count - 1].as.st_size;
	uint8_t b[64], row[56];
	enum hs_status s = HS_OK;
	bool first = true;

	if (!read_at(fd, 0, b, sizeof(b)) || memcmp(b, ELFMAG, SELFMAG) != 0 ||
	    b[EI_DATA] != ELFDATA2LSB)
		return HS_OK;
	const bool wide = b[EI_CLASS] == ELFCLASS64;
	const size_t size = wide ? 56 : 32;
	const uint64_t table = wide ? support_get64(b + 32) : support_get32(b + 28);
	const unsigned count = support_get16(b + (wide ? 56 : 44));

	for (unsigned i = 0; i < count && i < SEGMENTS_MAX && s == HS_OK; i++) {
		if (table > all || !read_at(fd, table + size * i, row, size))
			break;
		const struct header h = read_header(row, wide);

		if (h.type == PT_LOAD && !(h.flags & PF_W) && h.size && h.offset <= all &&
		    h.size <= all - h.offset)
			s = add_segment(m, &h, bias);
		if (h.type == PT_DYNAMIC)
			l->dynamic = h.address + bias;
		if (h.type == PT_LOAD && first)
			l->start = h.address + bias;
		first &= h.type != PT_LOAD;
	}
	return s;
}

/* A file that is not the program's own is a library, if it can be linked dynamically. */
static enum hs_status add_library(struct hs_gdb_server *g, const struct gdb_library *l)
{
	struct gdb_memory *m = &g->memory;
	const char *own = hs_program_own_file(g->program);
	struct gdb_library *more;

	if (!l->dynamic || !own || strcmp(own, l->path) == 0)
		return HS_OK;
	more = reallocarray(m->libraries, m->library_count + 1, sizeof(*more));
	if (!more)
		return HS_E_MEMORY;
	m->libraries = more;
	m->libraries[m->library_count++] = *l;
	return HS_OK;
}

static enum hs_status add_open_file(struct hs_gdb_server *g, const struct hs_program_segment *s,
                                    int fd)
{
	struct gdb_memory *m = &g->memory;
	struct gdb_library library = { .path = s->path, .bias = s->bias };
	struct gdb_file *more = reallocarray(m->files, m->file_count + 1, sizeof(*more));

	if (!more)
		return HS_E_MEMORY;
	m->files = more;
	m->files[m->file_count].path = s->path;
	if (fstat(fd, &m->files[m->file_count].as) != 0)
		return HS_OK;
	m->file_count++;
	const enum hs_status status = add_segments(m, fd, &library);

	return status == HS_OK ? add_library(g, &library) : status;
}

static enum hs_status add_file(struct hs_gdb_server *g, const struct hs_program_segment *s)
{
	const int fd = hs_program_is_as_in_file(g->program, s->start, NULL)
	                       ? open_same(s->path, NULL)
	                       : -1;
	const enum hs_status status = fd < 0 ? HS_OK : add_open_file(g, s, fd);

	if (fd >= 0)
		close(fd);
	return status;
}

enum hs_status gdb_memory_open(struct hs_gdb_server *g)
{
	struct hs_program_segment s, before = { .path = NULL };
	enum hs_status status = HS_OK;

	for (size_t i = 0; status == HS_OK && hs_program_get_segment(g->program, i, &s); i++) {
		if (!before.path || strcmp(before.path, s.path) != 0 || before.bias != s.bias)
			status = add_file(g, &s);
		before = s;
	}
	return status;
}

void gdb_memory_close(struct hs_gdb_server *g)
{
	free(g->memory.files);
	free(g->memory.segments);
	free(g->memory.libraries);
}

static size_t read_segment(const struct gdb_memory *m, const struct gdb_segment *s, uint64_t from,
                           uint8_t *to, size_t n)
{
	const struct gdb_file *file = &m->files[s->file];
	const int fd = open_same(file->path, &file->as);
	const size_t left = s->size - from < n ? (size_t)(s->size - from) : n;
	const bool good = fd >= 0 && read_at(fd, s->offset + from, to, left);

	if (fd >= 0)
		close(fd);
	return good ? left : 0;
}

/* Bytes that are at an address, one after another; how many. */
static size_t read_some(const struct hs_gdb_server *g, uint64_t addr, uint8_t *to, size_t n)
{
	size_t more = 0;
	const uint8_t *from = hs_img_bytes(hs_program_image(g->program), addr, &more);

	if (from) {
		more = more < n ? more : n;
		memcpy(to, from, more);
		return more;
	}
	for (size_t i = 0; !more && i < g->memory.count; i++) {
		const struct gdb_segment *s = &g->memory.segments[i];

		if (addr - s->start < s->size)
			more = read_segment(&g->memory, s, addr - s->start, to, n);
	}
	return more;
}

size_t gdb_memory_read(const struct hs_gdb_server *g, uint64_t addr, uint8_t *to, size_t n)
{
	size_t done = 0, more = 1;

	while (done < n && more) {
		more = read_some(g, addr + done, to + done, n - done);
		done += more;
	}
	return done;
}
