/* Flows of parts: directories part-1, part-2 and so on in a flow, flows themselves, whose streams
 * continue each other (ADR-0165). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/place.h"
#include "recording/stream.h"

/* ---- reading -------------------------------------------------------------------------------- */

static void name_part(char name[REC_PART_NAME], uint32_t number)
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

		name_part(name, i);
		snprintf(file, sizeof(file), "%s/" REC_MANIFEST, name);
		snprintf(text, sizeof(text), ": %s is missing", name);
		if (rec->folder.dir < 0 || faccessat(rec->folder.dir, file, F_OK, 0) != 0)
			rec_set_wrong(rec, text);
	}
}

/* Open the stream of this hart in a part, if it has one. */
static enum hs_status open_part(struct hs_rec_stream *s, uint32_t number, struct hs_error *e)
{
	char name[REC_PART_NAME];
	enum hs_status status;

	name_part(name, number);
	status = rec_open_at(s->rec->folder.dir, name, &s->part_rec, e);
	if (status == HS_OK && (s->part_rec->part_count != 0 || !s->part_rec->is_flow))
		return hs_error_set(e, HS_E_FORMAT, "%s: not the part of a flow", name);
	for (uint32_t i = 0; status == HS_OK && i < s->part_rec->info.harts; i++)
		if (s->part_rec->harts[i] == s->hart)
			return hs_rec_stream_open(s->part_rec, i, &s->part, e);
	return status;
}

void rec_part_close(struct hs_rec_stream *s)
{
	hs_rec_stream_close(s->part);
	hs_rec_close(s->part_rec);
	s->part = NULL;
	s->part_rec = NULL;
}

enum hs_status rec_part_next(struct hs_rec_stream *s, struct hs_block *out, size_t cap, size_t *n,
                             struct hs_error *e)
{
	enum hs_status status = HS_END;

	*n = 0;
	for (;;) {
		if (s->part != NULL)
			status = hs_rec_stream_next(s->part, out, cap, n, e);
		if (status != HS_END || s->next_part == s->rec->part_count)
			return status;
		rec_part_close(s);
		status = open_part(s, ++s->next_part, e);
		if (status != HS_OK) {
			s->next_part = s->rec->part_count;
			return status;
		}
		status = HS_END;
	}
}

/* ---- writing -------------------------------------------------------------------------------- */

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

	name_part(name, number);
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
