/* Which file is mapped where code runs.  QEMU maps a guest's file as any other file: it is in
 * /proc/self/maps, at its guest address plus a constant. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "plugin.h"

#define REGIONS 256u
#define PAGE_MOST 65536u /* of a host */

static struct {
	uint64_t start, end;
} regions[REGIONS];
static unsigned count;
static bool stale;

/* A mapping may have been added or removed: read the maps again. */
void plugin_maps_stale(void)
{
	__atomic_store_n(&stale, true, __ATOMIC_RELAXED);
}

static bool is_known(uint64_t host)
{
	for (unsigned i = 0; i < count; i++)
		if (host >= regions[i].start && host < regions[i].end)
			return true;
	return false;
}

/* A line of /proc/self/maps. */
struct mapped {
	uint64_t start, end, offset;
	char path[PATH_MAX];
};

static bool holds_host(const struct mapped *m, uint64_t host)
{
	return host >= m->start && host < m->end;
}

/* Find the first line that @is accepts for @value. */
static bool find_line(bool (*is)(const struct mapped *, uint64_t), uint64_t value, struct mapped *m)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[PATH_MAX + 128];
	bool found = false;

	while (f != NULL && !found && fgets(line, sizeof(line), f) != NULL) {
		int at = 0;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &m->start,
		           &m->end, &m->offset, &at) < 3)
			continue;
		line[strcspn(line, "\n")] = 0;
		snprintf(m->path, PATH_MAX, "%.*s", PATH_MAX - 1, at > 0 ? line + at : "");
		found = is(m, value);
	}
	if (f != NULL)
		fclose(f);
	return found;
}

static const char *program;

/* A segment that begins inside a page of the file has a mapping that begins with that page; the
 * one before it may end with the same page. */
static bool begins_program(const struct mapped *m, uint64_t offset)
{
	return strcmp(m->path, program) == 0 && offset >= m->offset &&
	       offset - m->offset < PAGE_MOST && offset - m->offset < m->end - m->start;
}

bool plugin_maps_program(const char *path, uint64_t offset, uint64_t *host)
{
	struct mapped m;

	program = path;
	if (!find_line(begins_program, offset, &m))
		return false;
	*host = m.start + (offset - m.offset);
	return true;
}

/* Code at @guest, which is at @host in this process, is about to run. */
void plugin_maps_note(uint64_t guest, const void *host)
{
	const uint64_t here = (uint64_t)(uintptr_t)host;
	struct hs_rec_log_map map;
	struct mapped m;

	if (__atomic_exchange_n(&stale, false, __ATOMIC_RELAXED))
		count = 0;
	if (host == NULL || is_known(here) || !find_line(holds_host, here, &m))
		return;
	regions[count % REGIONS].start = m.start;
	regions[count % REGIONS].end = m.end;
	count = count + 1 < REGIONS ? count + 1 : REGIONS;
	map.size = m.end - m.start;
	map.start = m.start + (guest - here);
	map.offset = m.offset;
	if (m.path[0] == '/')
		plugin_log_record(HS_REC_LOG_MAP, &map, sizeof(map), m.path, strlen(m.path));
}
