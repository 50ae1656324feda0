/* What manifest.json says of the files, against the files: a stream that is missing or has another
 * size makes a recording incomplete. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "recording/private.h"

int64_t rec_file_size(const struct rec_folder *folder, const char *name)
{
	struct stat st;

	if (folder->dir < 0) {
		const struct hs_rec_file *file = rec_folder_find(folder, name);

		return file == NULL ? -1 : (int64_t)file->bytes.n;
	}
	if (fstatat(folder->dir, name, &st, 0) == 0)
		return S_ISREG(st.st_mode) ? st.st_size : -1;
	return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? -1 : REC_SIZE_UNREAD;
}

void rec_set_wrong(struct hs_rec *rec, const char *text)
{
	if (!rec->info.complete)
		return;
	rec->info.complete = false;
	snprintf(rec->wrong, sizeof(rec->wrong), "cut%s", text);
	rec->info.end = rec->wrong;
}

static bool is_other_size(const struct hs_rec *rec, uint32_t number, const json_t *hart,
                          char text[REC_WRONG_SIZE], bool *unread)
{
	const json_t *bytes = json_object_get(hart, "bytes");
	struct support_digest digest;
	char name[REC_NAME_SIZE];
	int64_t size;

	rec_hart_name(name, number);
	size = rec_file_size(&rec->folder, name);
	*unread = size == REC_SIZE_UNREAD;
	if (size < 0)
		snprintf(text, REC_WRONG_SIZE, ": %s is missing", name);
	else if (json_is_integer(bytes) && json_integer_value(bytes) != size)
		snprintf(text, REC_WRONG_SIZE,
		         ": %s has %" PRId64 " bytes, manifest.json says %lld", name, size,
		         (long long)json_integer_value(bytes));
	else if (!support_digest_read(hart, &digest))
		snprintf(text, REC_WRONG_SIZE, ": manifest.json has no good checksum of %s", name);
	else
		return false;
	return true;
}

bool rec_stream_is_wrong(const struct hs_rec *rec, uint32_t index, char text[REC_WRONG_SIZE],
                         bool *unread)
{
	const uint32_t number = rec->harts[index];
	char name[REC_NAME_SIZE];

	*text = 0;
	*unread = false;
	if (rec->listed[index] != NULL)
		return is_other_size(rec, number, rec->listed[index], text, unread);
	if (!json_is_array(json_object_get(rec->manifest, "harts")) || !rec->whole)
		return false;
	rec_hart_name(name, number); /* of another recording */
	snprintf(text, REC_WRONG_SIZE, ": %s is not in manifest.json", name);
	return true;
}

/* What manifest.json says of each stream. */
static enum hs_status link_listed(struct hs_rec *rec, const json_t *list)
{
	rec->listed = calloc(rec->info.harts + 1u, sizeof(*rec->listed));
	if (rec->listed == NULL)
		return HS_E_MEMORY;
	for (size_t i = json_array_size(list); i-- > 0;) {
		const json_t *hart = json_array_get(list, i), *n = json_object_get(hart, "number");
		const uint32_t number = (uint32_t)json_integer_value(n), *found = NULL;

		if (json_is_integer(n) && json_integer_value(n) == number && rec->info.harts > 0)
			found = bsearch(&number, rec->harts, rec->info.harts, sizeof(number),
			                rec_by_number);
		if (found != NULL)
			rec->listed[found - rec->harts] = hart;
	}
	return HS_OK;
}

/* A recording without streams has a stream of hart 0, which is cut: so reading it says so. */
enum hs_status rec_verify(struct hs_rec *rec)
{
	const json_t *list = json_object_get(rec->manifest, "harts");
	const json_t *runs = json_object_get(rec->manifest, "runs");
	size_t n = rec->info.harts;
	enum hs_status status = rec_add_listed(list, &rec->harts, &n);
	char text[REC_WRONG_SIZE];
	bool unread;

	if (status != HS_OK)
		return status;
	rec->whole = rec->info.complete;
	if (json_is_integer(runs) && json_integer_value(runs) != rec->log.run_count)
		rec_set_wrong(rec, ": runs.zst has not as many runs as manifest.json says");
	rec->whole = rec->info.complete;
	if (n == 0 && !rec->info.complete)
		rec->harts[n++] = 0;
	rec->info.harts = (uint32_t)n;
	status = link_listed(rec, list);
	for (uint32_t i = 0; status == HS_OK && i < rec->info.harts && rec->info.complete; i++) {
		const bool wrong = rec_stream_is_wrong(rec, i, text, &unread);

		status = unread ? HS_E_SYSTEM : HS_OK;
		if (wrong)
			rec_set_wrong(rec, text);
	}
	return status;
}
