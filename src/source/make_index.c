/* The index of a source: made by reading all of it, and found next to a file. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source/private.h"
#include "source/range.h"
#include "source/source.h"

#define ITEMS 4096u

/* ---- a file --------------------------------------------------------------------------- */

void hs_source_map_index(const char *path, struct hs_span *file)
{
	size_t n = strlen(path);
	char *name = malloc(n + sizeof(".idx"));
	struct stat st;
	void *bytes = MAP_FAILED;
	int fd = -1;

	while (n > 1 && path[n - 1] == '/')
		n--;
	if (name) {
		snprintf(name, n + sizeof(".idx"), "%.*s.idx", (int)n, path);
		fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	}
	free(name);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	*file = bytes == MAP_FAILED ? (struct hs_span){ NULL, 0 }
	                            : (struct hs_span){ bytes, (size_t)st.st_size };
}

void hs_source_unmap_index(const struct hs_span *file)
{
	if (file->n)
		munmap((void *)(uintptr_t)file->p, file->n);
}

/* ---- making one ----------------------------------------------------------------------- */

struct making {
	struct hs_source *source;
	struct hs_trace_index_entry *entries; /* each with its state, which is freed */
	size_t count, cap, state_bytes;
	uint64_t time;
	struct hs_range *range; /* it only counts */
	struct hs_block items[ITEMS];
};

/* The words of a state, little-endian, in their own place. */
static struct hs_span to_bytes(uint32_t *state, size_t count)
{
	uint8_t *to = (uint8_t *)state;

	for (size_t i = 0; i < count; i++) {
		const uint32_t w = state[i];

		for (unsigned k = 0; k < 4; k++)
			to[4 * i + k] = (uint8_t)(w >> 8 * k);
	}
	return (struct hs_span){ to, 4 * count };
}

static uint64_t instructions_of(const struct making *m)
{
	struct hs_range_found found;

	hs_range_get_found(m->range, &found);
	return found.seen;
}

static enum hs_status add_place(struct making *m, const struct hs_source_place *place)
{
	uint32_t *state;
	size_t count;

	if (m->count == m->cap) {
		const size_t cap = m->cap ? 2 * m->cap : 1024;
		void *more = reallocarray(m->entries, cap, sizeof(*m->entries));

		if (!more)
			return HS_E_MEMORY;
		m->entries = more;
		m->cap = cap;
	}
	const enum hs_status s = hs_source_get_state(m->source, &state, &count);

	if (s != HS_OK)
		return s;
	m->entries[m->count++] = (struct hs_trace_index_entry){ .place = *place,
		                                                .instructions = instructions_of(m),
		                                                .time = m->time,
		                                                .state = to_bytes(state, count) };
	m->state_bytes += 4 * count;
	return HS_OK;
}

/* Count the items, of which none is wanted. */
static enum hs_status count_items(struct making *m, size_t n)
{
	struct hs_block out[64];
	enum hs_status s = HS_FULL;
	size_t used, written;

	for (size_t i = 0; i < n; i++)
		if (m->items[i].kind == HS_KIND_TIME)
			m->time = m->items[i].value;
	for (size_t at = 0; s == HS_FULL; at += used)
		s = hs_range_take(m->range, m->items + at, n - at, &used, out, 64, &written);
	return s;
}

/* Read all of it. */
static enum hs_status find_places(struct making *m,
                                  void (*report)(void *to, const struct hs_error *what), void *to)
{
	enum hs_status s = HS_OK, good = HS_OK;

	while (s != HS_END && good == HS_OK) {
		struct hs_source_place place;
		struct hs_error e = { 0 };
		size_t n;

		s = hs_source_next(m->source, m->items, ITEMS, &n, &e);
		if (s != HS_OK && s != HS_END && report)
			report(to, &e);
		good = count_items(m, n);
		if (good == HS_OK && s == HS_OK && hs_source_get_place(m->source, &place))
			good = add_place(m, &place);
	}
	return good;
}

static enum hs_status write_all(const struct making *m, uint64_t fingerprint,
                                struct hs_source_index *index)
{
	size_t at = HS_TRACE_INDEX_HEAD + m->count * HS_TRACE_INDEX_ENTRY;

	index->n = at + m->state_bytes;
	index->bytes = malloc(index->n);
	if (!index->bytes)
		return HS_E_MEMORY;
	index->instructions = instructions_of(m);
	index->places = m->count;
	hs_trace_index_write(fingerprint, index->instructions, m->entries, m->count, index->bytes);
	for (size_t i = 0; i < m->count; i++) {
		memcpy(index->bytes + at, m->entries[i].state.p, m->entries[i].state.n);
		at += m->entries[i].state.n;
	}
	return HS_OK;
}

static struct making *start(struct hs_source *source)
{
	const struct hs_range_options none = {
		.size = sizeof(none),
		.program = hs_source_program(source),
		.programs = hs_source_programs(source),
		.from = { .kind = HS_POSITION_INSTRUCTION, .value = UINT64_MAX },
	};
	struct making *m = calloc(1, sizeof(*m));

	if (!m || hs_range_new(&none, &m->range) != HS_OK) {
		free(m);
		return NULL;
	}
	hs_range_restart(m->range, 0);
	m->source = source;
	return m;
}

static void end(struct making *m)
{
	for (size_t i = 0; i < m->count; i++)
		free((void *)(uintptr_t)m->entries[i].state.p);
	free(m->entries);
	hs_range_free(m->range);
	free(m);
}

enum hs_status hs_source_make_index(struct hs_source *source,
                                    void (*report)(void *to, const struct hs_error *what), void *to,
                                    struct hs_source_index *index, struct hs_error *error)
{
	const uint64_t fingerprint = hs_source_fingerprint(source);
	struct making *m = fingerprint ? start(source) : NULL;

	*index = (struct hs_source_index){ .n = 0 };
	if (!fingerprint)
		return hs_error_set(error, HS_E_UNSUPPORTED, "it has no places to seek to");
	if (!m)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	enum hs_status s = find_places(m, report, to);

	if (s == HS_OK)
		s = write_all(m, fingerprint, index);
	end(m);
	return s == HS_OK ? s : hs_error_set(error, s, "%s", hs_status_text(s));
}
