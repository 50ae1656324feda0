/* Flows of parts: directories part-1, part-2 and so on in a flow, flows themselves, whose streams
 * continue each other (design/parts). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/place.h"
#include "recording/private.h"

void rec_part_name(char name[REC_PART_NAME], uint32_t number)
{
	snprintf(name, REC_PART_NAME, "part-%" PRIu32, number);
}

void rec_parts_read(struct hs_rec *rec)
{
	const json_t *parts = json_object_get(rec->manifest, "parts");
	const json_int_t n = json_integer_value(parts);

	if (!json_is_integer(parts) || n < 0 || n > REC_PARTS_MAX)
		return;
	rec->part_count = (uint32_t)n;
	for (uint32_t i = 1; i <= rec->part_count; i++) {
		char name[REC_PART_NAME], file[REC_PART_NAME + 16], text[REC_PART_NAME + 16];

		rec_part_name(name, i);
		snprintf(file, sizeof(file), "%s/" REC_MANIFEST, name);
		snprintf(text, sizeof(text), ": %s is missing", name);
		if (rec->folder.dir < 0 || faccessat(rec->folder.dir, file, F_OK, 0) != 0)
			rec_set_wrong(rec, text);
	}
}

struct two_folders {
	int from, to;
};

/* Give a file of a flow a second name. */
static enum hs_status link_file(void *of, const char *name)
{
	const struct two_folders *f = of;

	if (!rec_place_is_ours(name) || linkat(f->from, name, f->to, name, 0) == 0)
		return HS_OK;
	return HS_E_SYSTEM;
}

static bool link_files(int from, int to)
{
	struct two_folders f = { from, to };

	return rec_each_name(from, link_file, &f) == HS_OK;
}

enum hs_status rec_part_link(int dir, uint32_t number, const char *path, struct rec_folder *folder,
                             struct hs_error *e)
{
	char name[REC_PART_NAME];
	int to = -1;

	rec_part_name(name, number);
	folder->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder->dir >= 0 && mkdirat(dir, name, 0777) == 0)
		to = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const bool ok = to >= 0 && link_files(folder->dir, to);

	if (!ok)
		hs_error_set(e, HS_E_SYSTEM, "%s: cannot become %s of the flow: %s", path, name,
		             strerror(errno));
	if (to >= 0)
		close(to);
	return ok ? HS_OK : HS_E_SYSTEM;
}
