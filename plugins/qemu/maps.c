/* Which file is mapped where code runs.  QEMU maps a guest's file as any other file: it is in
 * /proc/self/maps, at its guest address plus a constant. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "plugin.h"

#define REGIONS 256u

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

/* Find the line of /proc/self/maps whose range holds @host. */
static bool find_line(uint64_t host, uint64_t *start, uint64_t *end, uint64_t *offset,
                      char path[PATH_MAX])
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[PATH_MAX + 128];
	bool found = false;

	while (f != NULL && !found && fgets(line, sizeof(line), f) != NULL) {
		int at = 0;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", start, end,
		           offset, &at) < 3)
			continue;
		found = host >= *start && host < *end;
		line[strcspn(line, "\n")] = 0;
		snprintf(path, PATH_MAX, "%.*s", PATH_MAX - 1, at > 0 ? line + at : "");
	}
	if (f != NULL)
		fclose(f);
	return found;
}

/* Code at @guest, which is at @host in this process, is about to run. */
void plugin_maps_note(uint64_t guest, const void *host)
{
	const uint64_t here = (uint64_t)(uintptr_t)host;
	struct hs_rec_log_map map;
	char path[PATH_MAX];
	uint64_t end;

	if (__atomic_exchange_n(&stale, false, __ATOMIC_RELAXED))
		count = 0;
	if (host == NULL || is_known(here) || !find_line(here, &map.start, &end, &map.offset, path))
		return;
	regions[count % REGIONS].start = map.start;
	regions[count % REGIONS].end = end;
	count = count + 1 < REGIONS ? count + 1 : REGIONS;
	map.size = end - map.start;
	map.start += guest - here;
	if (path[0] == '/')
		plugin_log_record(HS_REC_LOG_MAP, &map, sizeof(map), path, strlen(path));
}
