/* What is in memory: the code, and the segments of the program's files that cannot be written. */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gdb/private.h"
#include "program/program.h"
#include "support/file.h"
#include "support/words.h"

#define SEGMENTS_MAX 64u /* of a file */

static bool map_file(const char *path, struct gdb_map *map)
{
	const int fd = support_open_file(AT_FDCWD, path);
	struct stat st;

	map->bytes = MAP_FAILED;
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
		map->size = (size_t)st.st_size;
		map->bytes = mmap(NULL, map->size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	if (fd >= 0)
		close(fd);
	return map->bytes != MAP_FAILED;
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

static enum hs_status add_segment(struct gdb_memory *m, uint64_t start, const uint8_t *bytes,
                                  uint64_t size)
{
	struct gdb_segment *more = reallocarray(m->segments, m->count + 1, sizeof(*more));

	if (!more)
		return HS_E_MEMORY;
	m->segments = more;
	m->segments[m->count++] = (struct gdb_segment){ start, size, bytes };
	return HS_OK;
}

/* The segments of a mapped ELF file, whose bytes may be anything.  @l gets the addresses of its
 * dynamic section, if it has one, and of its first segment. */
static enum hs_status add_segments(struct gdb_memory *m, const struct gdb_map *map,
                                   struct gdb_library *l)
{
	const uint64_t bias = l->bias;
	const uint8_t *b = map->bytes;
	const bool wide = map->size >= 64 && b[EI_CLASS] == ELFCLASS64;
	const uint64_t size = wide ? 56 : 32;
	enum hs_status s = HS_OK;
	bool first = true;

	if (map->size < 64 || memcmp(b, ELFMAG, SELFMAG) != 0 || b[EI_DATA] != ELFDATA2LSB)
		return HS_OK;
	const uint64_t table = wide ? support_get64(b + 32) : support_get32(b + 28);
	const unsigned count = support_get16(b + (wide ? 56 : 44));

	for (unsigned i = 0; i < count && i < SEGMENTS_MAX && s == HS_OK; i++) {
		if (table > map->size || map->size - table < size * (i + 1))
			break;
		const struct header h = read_header(b + table + size * i, wide);

		if (h.type == PT_LOAD && !(h.flags & PF_W) && h.size && h.offset <= map->size &&
		    h.size <= map->size - h.offset)
			s = add_segment(m, h.address + bias, b + h.offset, h.size);
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

static enum hs_status add_file(struct hs_gdb_server *g, const struct hs_program_segment *s)
{
	struct gdb_memory *m = &g->memory;
	struct gdb_library library = { .path = s->path, .bias = s->bias };
	struct gdb_map map;

	if (!hs_program_is_as_in_file(g->program, s->start, NULL) || !map_file(s->path, &map))
		return HS_OK;
	struct gdb_map *more = reallocarray(m->maps, m->map_count + 1, sizeof(*more));

	if (!more) {
		munmap(map.bytes, map.size);
		return HS_E_MEMORY;
	}
	m->maps = more;
	m->maps[m->map_count++] = map;
	const enum hs_status status = add_segments(m, &map, &library);

	return status == HS_OK ? add_library(g, &library) : status;
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
	for (size_t i = 0; i < g->memory.map_count; i++)
		munmap(g->memory.maps[i].bytes, g->memory.maps[i].size);
	free(g->memory.maps);
	free(g->memory.segments);
	free(g->memory.libraries);
}

/* Bytes that are at an address, one after another: *n of them. */
static const uint8_t *find_bytes(const struct hs_gdb_server *g, uint64_t addr, size_t *n)
{
	const uint8_t *bytes = hs_img_bytes(hs_program_image(g->program), addr, n);

	for (size_t i = 0; !bytes && i < g->memory.count; i++) {
		const struct gdb_segment *s = &g->memory.segments[i];

		if (addr - s->start >= s->size)
			continue;
		bytes = s->bytes + (addr - s->start);
		*n = (size_t)(s->size - (addr - s->start));
	}
	return bytes;
}

size_t gdb_memory_read(const struct hs_gdb_server *g, uint64_t addr, uint8_t *to, size_t n)
{
	size_t done = 0, more = 0;

	while (done < n) {
		const uint8_t *from = find_bytes(g, addr + done, &more);

		if (!from)
			break;
		more = more < n - done ? more : n - done;
		memcpy(to + done, from, more);
		done += more;
	}
	return done;
}
